/*
 * unused.c - declarations that nothing is left of.
 *
 * SPDX-License-Identifier: MIT
 *
 * A private variable, or the variable of a loop, that is declared in the function is not used
 * any more where all loops that it is in are ported: compilers warn of it.  So its declaration
 * goes, too.  So it is with a variable that only pragmas name, such as the size of chunks; one
 * whose value is computed, and a parameter, stay, and are named for the compiler's sake.
 */
#include "team.h"

#include <string.h>

typedef struct cover {
    int variable; /* -1: all */
    unsigned lo, hi;
} cover;

static cover *covers;
static int cover_count;

void forget_covers(void)
{
    cover_count = 0;
}

void drop_covers(unsigned lo, unsigned hi)
{
    int n = 0;

    for (int i = 0; i < cover_count; i++)
        if (covers[i].lo < lo || covers[i].hi > hi)
            covers[n++] = covers[i];
    cover_count = n;
}

/* In this text the variable's name is another one's now. */
void add_cover(int v, unsigned lo, unsigned hi)
{
    covers = grow(covers, (size_t)(cover_count + 1) * sizeof *covers);
    covers[cover_count++] = (cover){ v, lo, hi };
}

static bool is_covered(const reference *r)
{
    for (int i = 0; i < cover_count; i++)
        if ((covers[i].variable < 0 || covers[i].variable == r->variable) &&
            covers[i].lo <= r->at && r->at < covers[i].hi)
            return true;
    return false;
}

/* Is the name there another variable's? */
static bool is_another(int v, unsigned at)
{
    for (int i = 0; i < cover_count; i++)
        if (covers[i].variable == v && covers[i].lo <= at && at < covers[i].hi)
            return true;
    return false;
}

/* Is it named in a pragma of its function, and nowhere else? */
static bool is_in_pragmas_alone(int v)
{
    const char *name = variables[v].name;
    bool named = false;
    int function = function_of(variables[v].at);

    if (variables[v].is_global || function < 0 ||
        clang_Cursor_getStorageClass(variables[v].decl) == CX_SC_Static)
        return false;
    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == v)
            return false;
    for (int i = 0; i < directive_count; i++) {
        const directive *d = &directives[i];

        if (d->function < 0 || variables[v].at < nodes[d->function].lo || variables[v].at >= d->lo)
            continue;
        for (int t = d->first; t < d->past; t++)
            if (token_is(t, name)) {
                if (!d->done)
                    return false;
                named = true;
            }
    }
    for (int i = 0; named && i < edit_count; i++)
        named = edits[i].lo < nodes[function].lo || edits[i].lo >= nodes[function].hi ||
                !uses_name(edits[i].text, name);
    return named;
}

static bool is_gone(int v)
{
    int count = 0;
    char *name = mark(v);

    if (is_in_pragmas_alone(v))
        return true;

    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == v) {
            if (!is_covered(&references[i]))
                return false;
            count++;
        }
    for (int i = 0; i < edit_count; i++)
        if (strstr(edits[i].text, name) && !is_another(v, edits[i].lo))
            return false;
    /* a pragma that stays may name it */
    for (int i = 0; i < directive_count; i++)
        if (!directives[i].done)
            for (int t = directives[i].first; t < directives[i].past; t++)
                if (token_is(t, variables[v].name))
                    return false;
    return count > 0;
}

/* The declarator of a variable in a statement: tokens [*first, *past), and what surrounds it. */
static bool declarator(int statement, unsigned name_at, int *first, int *past, bool *is_first)
{
    int t = token_at(nodes[statement].lo), name = token_at(name_at), depth = 0;

    *is_first = true;
    *first = -1;
    for (int k = t; k < name; k++) {
        if (token_is(k, "(") || token_is(k, "[") || token_is(k, "{"))
            depth++;
        if (token_is(k, ")") || token_is(k, "]") || token_is(k, "}"))
            depth--;
        if (depth == 0 && token_is(k, ",")) {
            *first = k + 1;
            *is_first = false;
        }
    }
    if (*first < 0)
        for (*first = name; token_is(*first - 1, "*"); --*first)
            ;
    depth = 0;
    for (*past = name; *past < token_count; ++*past) {
        if (tokens[*past].in_directive)
            return false;
        if (token_is(*past, "(") || token_is(*past, "[") || token_is(*past, "{"))
            depth++;
        if (token_is(*past, ")") || token_is(*past, "]") || token_is(*past, "}"))
            depth--;
        if (depth == 0 && (token_is(*past, ",") || token_is(*past, ";")))
            break;
    }
    return true;
}

/* Does its initial value need to be computed? */
static bool is_computed(int first, int past)
{
    for (int k = first; k < past; k++)
        if (token_is(k, "=") && (past - k != 2 || tokens[k + 1].kind != CXToken_Literal))
            return true;
    return false;
}

static void drop_some(int statement)
{
    int count = 0, gone = 0, firsts[64], pasts[64];
    bool drop[64];

    for (int c = nodes[statement].child; c >= 0; c = nodes[c].next) {
        int v = -1;
        bool is_first;
        CXType type;

        if (nodes[c].kind != CXCursor_VarDecl || count == 64)
            return;
        for (int i = 0; i < variable_count; i++)
            if (clang_equalCursors(variables[i].decl,
                                   clang_getCanonicalCursor(nodes[c].cursor)))
                v = i;
        if (v < 0 || !declarator(statement, variables[v].at, &firsts[count], &pasts[count],
                                 &is_first))
            return;
        type = clang_getCanonicalType(variables[v].type);
        while (is_array(type))
            type = clang_getCanonicalType(clang_getArrayElementType(type));
        drop[count] = !is_computed(firsts[count], pasts[count]) &&
                      (is_scalar(type) || type.kind == CXType_Pointer ||
                       type.kind == CXType_Dependent ||
                       (type.kind == CXType_Record && clang_isPODType(type))) &&
                      is_gone(v);
        gone += drop[count++];
        if (!drop[count - 1] && is_in_pragmas_alone(v)) {
            unsigned end = statement_end(statement);

            add_edit(end, end, format("\n%s(void)%s;", indent_at(nodes[statement].lo),
                                      variables[v].name), -1);
        }
    }
    if (gone == 0)
        return;
    if (gone == count) {
        unsigned lo = nodes[statement].lo, hi = statement_end(statement), start = line_start(lo),
                 end = hi;

        while (source[end] == ' ' || source[end] == '\t' || source[end] == '\r')
            end++;
        if (strspn(source + start, " \t") == lo - start && source[end] == '\n')
            lo = start, hi = end + 1;
        add_edit(lo, hi, "", -1);
        return;
    }
    for (int k = 0, kept = 0; k < count; k++) {
        if (!drop[k]) {
            kept++;
            continue;
        }
        if (kept == 0) /* with the comma behind it */
            add_edit(tokens[firsts[k]].lo, tokens[pasts[k] + 1].lo, "", -1);
        else
            add_edit(tokens[firsts[k] - 1].lo, tokens[pasts[k] - 1].hi, "", -1);
    }
}

static void name_parameters(void)
{
    for (int n = 0; n < node_count; n++) {
        int last = -1, f = nodes[n].parent;

        if (nodes[n].kind != CXCursor_ParmDecl || f < 0)
            continue;
        for (int c = nodes[f].child; c >= 0; c = nodes[c].next)
            last = c;
        if (!node_is(last, CXCursor_CompoundStmt) || !spelled(last, "{"))
            continue;
        for (int v = 0; v < variable_count; v++)
            if (clang_equalCursors(variables[v].decl, clang_getCanonicalCursor(nodes[n].cursor)) &&
                is_in_pragmas_alone(v))
                add_edit(nodes[last].lo + 1, nodes[last].lo + 1,
                         format("\n%s    (void)%s;", indent_at(nodes[last].lo), variables[v].name),
                         -1);
    }
}

void drop_unused(void)
{
    name_parameters();
    for (int n = 0; n < node_count; n++)
        if (nodes[n].kind == CXCursor_DeclStmt &&
            !(nodes[n].parent >= 0 && nodes[nodes[n].parent].kind == CXCursor_ForStmt)) {
            bool covered = false;

            for (int i = 0; i < cover_count; i++)
                covered |= covers[i].variable < 0 && covers[i].lo <= nodes[n].lo &&
                           nodes[n].lo < covers[i].hi;
            if (!covered)
                drop_some(n);
        }
}
