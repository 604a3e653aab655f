/*
 * team_calls.c - what a thread of a region calls: does it wait for another one?
 *
 * SPDX-License-Identifier: MIT
 */
#include "team.h"

#include <string.h>

/* ---- what a thread calls ---- */

static CXCursor *looked_at;
static int looked_count;
static const char *hidden; /* what a function hides */

/* Functions of the system that wait, or jump. */
static bool waits(const char *name)
{
    static const char *const all[] = { "pthread_", "sem_", "mtx_", "cnd_", "thrd_", "MPI_",
                                       "sched_yield", "__atomic_", "__sync_", "__c11_atomic",
                                       "atomic_", "call_once", "setjmp", "longjmp", "_setjmp",
                                       "sigsetjmp", "fork", "sleep", "usleep", "nanosleep",
                                       "clock_nanosleep", "pause", "poll", "select", "sigwait",
                                       "yield", "omp_set_lock", "omp_test",
                                       "omp_set_nest", NULL };

    for (int i = 0; all[i]; i++)
        if (begins(name, all[i]))
            return true;
    return false;
}

static enum CXChildVisitResult look(CXCursor c, CXCursor parent, CXClientData data);

static void look_into(CXCursor function)
{
    CXCursor general = clang_getSpecializedCursorTemplate(function), body;
    char *name = cursor_name(function);
    unsigned at;

    if (waits(name)) {
        hidden = format("%s() is called: a thread may wait for another one", name);
        return;
    }
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(function)) ||
        begins(name, "__builtin_") || begins(name, "omp_get_") || begins(name, "tweed_") ||
        begins(name, "port_") || is_known(name))
        return;
    body = clang_getCursorDefinition(clang_Cursor_isNull(general) ? function : general);
    if (clang_Cursor_isNull(body)) {
        hidden = format("%s() is called, which is defined elsewhere", name);
        return;
    }
    for (int i = 0; i < looked_count; i++)
        if (clang_equalCursors(looked_at[i], body))
            return;
    looked_at = grow(looked_at, (size_t)(looked_count + 1) * sizeof *looked_at);
    looked_at[looked_count++] = body;
    if (in_this_file(body, &at)) {
        int f = function_of(at);

        for (int i = 0; f >= 0 && i < directive_count; i++)
            if (directives[i].lo >= nodes[f].lo && directives[i].lo < nodes[f].hi &&
                !directives[i].simple &&
                !(directives[i].done && directives[i].words == W_CRITICAL) &&
                !(directives[i].done && directives[i].words == W_ATOMIC)) {
                hidden = format("%s() is called, which has `%s` in it", name,
                                token_text(directives[i].first));
                return;
            }
    } else if (outside_count()) {
        hidden = format("%s() is called, whose file has OpenMP, too", name);
        return;
    }
    clang_visitChildren(body, look, NULL);
}

static bool is_watched_type(CXType type)
{
    static const char *const classes[] = { "std::atomic", "std::condition_variable",
                                           "std::future", "std::promise", "std::shared_future",
                                           "std::latch", "std::barrier", "semaphore",
                                           "std::thread", "std::mutex", NULL };
    CXType t = clang_getCanonicalType(type);
    const char *name = type_name(t);

    for (int i = 0; classes[i]; i++)
        if (strstr(name, classes[i]))
            return true;

    return clang_isVolatileQualifiedType(t) || clang_isVolatileQualifiedType(type) ||
           t.kind == CXType_Atomic;
}

static enum CXChildVisitResult first_child(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(CXCursor *)data = c;
    return CXChildVisit_Break;
}

/* In a template: a member of an object of the standard library. */
static bool is_of_library(CXCursor c)
{
    for (int depth = 0; depth < 8; depth++) {
        CXCursor next = clang_getNullCursor();
        CXType type = clang_getCursorType(c);
        char *name;

        if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference)
            type = clang_getPointeeType(type);
        name = type_name(type);
        if (strncmp(name, "const ", 6) == 0)
            name += 6;
        if (clang_getCursorKind(c) == CXCursor_DeclRefExpr)
            return begins(name, "std::");
        clang_visitChildren(c, first_child, &next);
        if (clang_Cursor_isNull(next))
            return false;
        c = next;
    }
    return false;
}

static void look_at(CXCursor c)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    CXCursor to;

    if (hidden)
        return;
    if (clang_isExpression(k) && is_watched_type(clang_getCursorType(c)))
        hidden = "a volatile or atomic variable: a thread may wait for another one";
    else if (k == CXCursor_GCCAsmStmt)
        hidden = "asm";
    else if (k == CXCursor_CompoundLiteralExpr)
        hidden = "a compound literal, which ends at a barrier";
    else if (k == CXCursor_CallExpr && strstr(cursor_name(c), "alloca"))
        hidden = "alloca(), whose memory ends at a barrier";
    else if (k == CXCursor_CallExpr) {
        to = clang_getCursorReferenced(c);
        k = clang_Cursor_isNull(to) ? CXCursor_InvalidFile : clang_getCursorKind(to);
        if (k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod || k == CXCursor_Constructor ||
            k == CXCursor_Destructor || k == CXCursor_FunctionTemplate ||
            k == CXCursor_ConversionFunction)
            look_into(to);
        else if (!is_of_library(c)) {
            char *name = cursor_name(c);

            hidden = format("%s%sis called: which function that is is not certain", name,
                            *name ? "() " : "something ");
        }
    }
}

static enum CXChildVisitResult look(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    (void)data;
    look_at(c);
    return hidden ? CXChildVisit_Break : CXChildVisit_Recurse;
}

const char *why_hidden(const team *t)
{
    hidden = NULL;
    looked_count = 0;
    for (int n = t->statement; n < nodes[t->statement].end && !hidden; n++)
        look_at(nodes[n].cursor);
    return hidden ? hidden : why_waiting(t->statement, true, "thread");
}
