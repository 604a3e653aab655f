/*
 * team_pointers.c - does a pointer to what a thread has outlive a phase?  In C; in C++: kept.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include "team.h"

#include <string.h>

/* In C: a function of the system that keeps no pointer, and gives back none that is used. */
static bool keeps_nothing(int call_node)
{
    static const char *const all[] = {
        "memcpy", "memmove", "memset", "memcmp", "bzero", "strcpy", "strncpy", "strcat", "strncat",
        "strcmp", "strncmp", "strcasecmp", "strncasecmp", "strlen", "strnlen", "atoi", "atol",
        "atof", "printf", "fprintf", "sprintf", "snprintf", "puts", "fputs", "scanf", "fscanf",
        "sscanf", "fgets", "fread", "fwrite", "read", "write", "free", "rand_r", "erand48",
        "nrand48", "jrand48", "drand48_r", "lrand48_r", "srand48_r", "seed48_r", "time",
        "gettimeofday", "clock_gettime", "localtime_r", "gmtime_r", "strftime", "frexp", "modf",
        "frexpf", "modff", "sincos", "sincosf", "remquo", "lgamma_r", "getrusage", NULL
    };
    CXCursor to = clang_getCursorReferenced(nodes[call_node].cursor);
    int user = nodes[call_node].parent;
    bool known = false;

    if (clang_Cursor_isNull(to) || !clang_Location_isInSystemHeader(clang_getCursorLocation(to)))
        return false;
    for (int i = 0; all[i]; i++)
        known |= strcmp(cursor_name(to), all[i]) == 0;
    if (!known || clang_getCursorResultType(to).kind != CXType_Pointer)
        return known;
    return clang_isStatement(nodes[user].kind) && !node_is(user, CXCursor_ReturnStmt) &&
           !node_is(nodes[user].parent, CXCursor_StmtExpr);
}

static bool is_pointed_at(int n, bool array, int depth);

/* Does a function that is defined here pass its argument on? */
static bool is_kept_by(int call_node, int given, int depth)
{
    CXCursor body = clang_getCursorDefinition(clang_getCursorReferenced(nodes[call_node].cursor));
    int number = -1, k = 0;
    unsigned at;
    CXCursor parameter;

    if (depth == 4 || clang_Cursor_isNull(body) || !in_this_file(body, &at))
        return true;
    for (int c = nodes[call_node].child; c >= 0; c = nodes[c].next, k++)
        if (given >= c && given < nodes[c].end)
            number = k - 1; /* the first child is the function */
    if (number < 0 || number >= clang_Cursor_getNumArguments(body))
        return true;
    parameter = clang_getCanonicalCursor(clang_Cursor_getArgument(body, (unsigned)number));
    for (int i = 0; i < reference_count; i++)
        if (clang_equalCursors(variables[references[i].variable].decl, parameter) &&
            (references[i].node < 0 || is_pointed_at(references[i].node, true, depth + 1)))
            return true;
    return false;
}

/* Does a pointer to it go anywhere, in C?  (C++: kept.c.) */
static bool is_pointed_at(int n, bool array, int depth)
{
    bool is_pointer = depth > 0, taken = false;

    for (int p = nodes[n].parent, child = n; p >= 0; child = p, p = nodes[p].parent)
        switch ((int)nodes[p].kind) {
        case CXCursor_ParenExpr:
        case CXCursor_UnexposedExpr:
        case CXCursor_MemberRefExpr:
        case CXCursor_CStyleCastExpr:
            if (nodes[p].kind == CXCursor_UnexposedExpr && !taken && !array &&
                !is_array(clang_getCursorType(nodes[child].cursor)))
                return false; /* its value */
            array |= is_array(clang_getCursorType(nodes[p].cursor));
            if (nodes[p].kind == CXCursor_MemberRefExpr && is_pointer &&
                is_scalar(clang_getCursorType(nodes[p].cursor)) &&
                !node_is(nodes[p].parent, CXCursor_UnaryOperator))
                return false;
            continue;
        case CXCursor_ArraySubscriptExpr:
            array = is_array(clang_getCursorType(nodes[p].cursor));
            if (!array && is_scalar(clang_getCursorType(nodes[p].cursor))) {
                int q = nodes[p].parent;

                while (node_is(q, CXCursor_ParenExpr))
                    q = nodes[q].parent;
                if (!takes_address(q))
                    return false;
            }
            continue;
        case CXCursor_UnaryOperator:
            if (takes_address(p)) {
                taken = true;
                continue;
            }
            if (array && source[nodes[p].lo] == '*') {
                array = is_array(clang_getCursorType(nodes[p].cursor));
                continue;
            }
            return taken;
        case CXCursor_CallExpr:
            return (taken || array) && !keeps_nothing(p) && is_kept_by(p, n, depth);
        case CXCursor_UnaryExpr:
            return false;
        default:
            return taken || (array && nodes[p].kind != CXCursor_DeclStmt &&
                             nodes[p].kind != CXCursor_CompoundStmt);
        }
    return taken;
}

/* The same of a name that has no node: in code that this configuration leaves out its text
   says it. */
bool may_be_pointed_at(const reference *r)
{
    int t = token_at(r->at);

    return !r->spelled || !is_skipped(r->at, r->at + 1) || token_is(t - 1, "&") ||
           is_array(variables[r->variable].type);
}

/* A phase's variables end with it: nobody may have a pointer to one. */
const char *why_pointed_at(const team *t)
{
    for (int i = 0; i < reference_count; i++) {
        const reference *r = &references[i];

        if (!in_region(t, r->at) || !own_of(t, r->variable))
            continue;
        if (r->node < 0 ? may_be_pointed_at(r)
                        : is_pointed_at(r->node, is_array(variables[r->variable].type), 0))
            return format("a pointer to %s, which each thread has, may be used behind a barrier",
                          variables[r->variable].name);
    }
    return NULL;
}
