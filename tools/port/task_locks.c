/*
 * task_locks.c - is a lock held where tasks start?
 *
 * SPDX-License-Identifier: MIT
 *
 * A function waits for its tasks before it returns, which OpenMP's does not.  A task that enters
 * the critical section its function is called in, or takes the lock that the caller holds, would
 * be waited for in vain.
 */
#include "task.h"

#include <string.h>

/* The text of a call with this word in the place of that one; NULL: that one is not in it. */
static char *replaced(const char *text_in, const char *that, const char *word)
{
    const char *at = strstr(text_in, that);

    return at ? format("%.*s%s%s", (int)(at - text_in), text_in, word, at + strlen(that)) : NULL;
}

static char *text_of(int n)
{
    return copy_bytes(source + nodes[n].lo, nodes[n].hi - nodes[n].lo);
}

/* The text of the call that gives the lock back; NULL: the call takes none. */
static char *unlocking(int n)
{
    static const char *const all[][3] = {
        { "_rdlock", "_rdlock", "_unlock" }, { "_wrlock", "_wrlock", "_unlock" },
        { "_timedlock", "_timedlock", "_unlock" }, { "_trylock", "_trylock", "_unlock" },
        { "_lock", "_lock", "_unlock" }, { "omp_set_lock", "_set_", "_unset_" },
        { "omp_set_nest_lock", "_set_", "_unset_" }, { "omp_test_lock", "_test_", "_unset_" },
        { "omp_test_nest_lock", "_test_", "_unset_" }, { "lock", "lock", "unlock" },
        { "try_lock", "try_lock", "unlock" }, { "lock_shared", "lock", "unlock" },
    };
    char *name = cursor_name(nodes[n].cursor), *instead;

    if (strstr(name, "unlock") || strstr(name, "unset"))
        return NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strncmp(name, "omp_", 4) == 0 || *all[i][0] != '_' ? strcmp(name, all[i][0]) == 0
                                                              : ends_with(name, all[i][0])) {
            instead = replaced(text_of(n), all[i][1], all[i][2]);
            return instead ? instead : format("?");
        }
    return NULL;
}

static bool is_guard(int n)
{
    static const char *const all[] = { "std::lock_guard<", "std::unique_lock<",
                                       "std::scoped_lock<", "std::shared_lock<", NULL };
    char *name = type_name(clang_getCanonicalType(clang_getCursorType(nodes[n].cursor)));

    for (int i = 0; node_is(n, CXCursor_VarDecl) && all[i]; i++)
        if (strncmp(name, all[i], strlen(all[i])) == 0)
            return true;
    return false;
}

/* Where the lock is given back that is taken here: in the same block, or the function ends. */
static unsigned end_of_lock(int n, const char *unlock)
{
    int block = n, f = function_of(nodes[n].lo);

    while (block >= 0 && !node_is(block, CXCursor_CompoundStmt))
        block = nodes[block].parent;
    if (block < 0)
        return f < 0 ? nodes[n].hi : nodes[f].hi;
    if (!unlock)
        return nodes[block].hi;
    for (int c = nodes[block].child; c >= 0; c = nodes[c].next) {
        int inner = node_is(c, CXCursor_UnexposedExpr) ? nodes[c].child : c;

        if (nodes[c].lo > nodes[n].lo && node_is(inner, CXCursor_CallExpr) &&
            strcmp(text_of(inner), unlock) == 0)
            return nodes[c].lo;
    }
    return f < 0 ? nodes[block].hi : nodes[f].hi;
}

static bool starts_tasks(unsigned lo, unsigned hi)
{
    for (int i = 0; i < directive_count; i++)
        if (directives[i].words == W_TASK && directives[i].lo >= lo && directives[i].lo < hi)
            return true;
    return reaches(lo, hi, no_visits());
}

static const char *why_held(void)
{
    for (int i = 0; i < directive_count; i++)
        if (directives[i].words == W_CRITICAL && directives[i].statement >= 0 &&
            reaches(nodes[directives[i].statement].lo, statement_end(directives[i].statement),
                    no_visits()))
            return "a critical section starts tasks";
    for (int n = 0; n < node_count; n++) {
        char *unlock = node_is(n, CXCursor_CallExpr) ? unlocking(n) : NULL;
        unsigned line, column;

        if (!unlock && !is_guard(n))
            continue;
        if (starts_tasks(nodes[n].hi, end_of_lock(n, unlock))) {
            place_of(nodes[n].lo, &line, &column);
            return format("the lock of line %u is held where tasks start, perhaps", line);
        }
    }
    return NULL;
}

/* Does what stands here leave something with the thread that executes it: a lock that is given
   back further on, or errno, which the function looks at? */
bool leaves_in_thread(unsigned lo, unsigned hi)
{
    int function = function_of(lo);

    for (int n = 0; n < node_count; n++) {
        char *unlock;

        if (!node_is(n, CXCursor_CallExpr))
            continue;
        if (function >= 0 && is_inside(nodes[n].lo, function) &&
            strcmp(cursor_name(nodes[n].cursor), "__errno_location") == 0)
            return true;
        if (nodes[n].lo < lo || nodes[n].hi > hi)
            continue;
        unlock = unlocking(n);
        if (unlock && end_of_lock(n, unlock) >= hi)
            return true;
    }
    return false;
}

bool locks_fit(void)
{
    const char *why = why_held();

    for (int i = 0; why && i < directive_count; i++)
        if (directives[i].words == W_TASK)
            return leave(&directives[i], "%s", why);
    return true;
}
