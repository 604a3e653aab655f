/*
 * task_invoke.c - in C++: tasks that stand together and are waited for at once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "task_cxx.h"

#include <string.h>

invocation *invocations;
int invocation_count;

invocation *invocation_of(int number, int *place)
{
    for (int i = 0; i < invocation_count; i++)
        for (int k = 0; k < invocations[i].count; k++)
            if (invocations[i].tasks[k] == number) {
                *place = k;
                return &invocations[i];
            }
    return NULL;
}

bool is_alone(int number)
{
    for (int i = 0; i < directive_count; i++)
        if (i != number && directives[i].statement == directives[number].statement)
            return false;
    return true;
}

/* The task of a statement that is nothing else, and is spawned always; -1: there is none. */
static int plain_task(int statement)
{
    for (int i = 0; i < directive_count; i++)
        if (directives[i].statement == statement)
            return directives[i].words == W_TASK && !find_clause(&directives[i], "if") &&
                           !find_clause(&directives[i], "final") && is_alone(i)
                       ? i : -1;
    return -1;
}

static int directive_in(unsigned lo, unsigned hi)
{
    for (int i = 0; i < directive_count; i++)
        if (directives[i].lo >= lo && directives[i].lo < hi)
            return i;
    return -1;
}

/* Does the function, or what else spawns, end where the block ends? */
static bool ends_scope(int block, const scope *s)
{
    for (int n = block; n != s->body;) {
        int up = nodes[n].parent;

        if (up < 0 || !(node_is(up, CXCursor_CompoundStmt) || node_is(up, CXCursor_IfStmt)) ||
            (node_is(up, CXCursor_CompoundStmt) && nodes[n].next >= 0))
            return false;
        n = up;
    }
    return true;
}

/* #if and the like */
static bool has_other_directive(unsigned lo, unsigned hi)
{
    for (int t = token_at(lo); t < token_count && tokens[t].lo < hi; t++)
        if (tokens[t].in_directive && token_is(t, "#") && !token_is(t + 1, "pragma"))
            return true;
    return false;
}

static void end_invocation(invocation one)
{
    const scope *s = one.count ? scope_with(one.tasks[0]) : NULL;
    int last = one.count ? one.last >= 0 ? one.last : directives[one.tasks[one.count - 1]].statement
                         : -1, next;
    const directive *outer;

    if (!s)
        return;
    next = nodes[last].next;
    one.wait = directive_in(statement_end(last),
                            next >= 0 ? nodes[next].lo : nodes[one.block].hi);
    if (one.wait >= 0 && (directives[one.wait].words != W_TASKWAIT ||
                          scope_with(one.wait) != s))
        one.wait = -1;
    outer = directives[one.tasks[0]].parent < 0 ? NULL
                                                : &directives[directives[one.tasks[0]].parent];
    if (one.wait < 0)
        if (one.first >= 0 || next >= 0 ||
            !(ends_scope(one.block, s) ||
              (outer && outer->words == W_TASKGROUP && outer->statement == one.block)))
            return;
    if ((one.count < 2 && one.first < 0) ||
        has_other_directive(directives[one.tasks[0]].lo, statement_end(last)) ||
        (one.first >= 0 && leaves_in_thread(nodes[one.first].lo, statement_end(one.last))))
        return;
    invocations = grow(invocations, (size_t)(invocation_count + 1) * sizeof *invocations);
    invocations[invocation_count++] = one;
}

void find_invocations(void)
{
    invocation_count = 0;
    for (int block = 0; block < node_count; block++) {
        static const invocation none = { .first = -1, .last = -1, .wait = -1 };
        invocation one = none;
        int before = -1;

        if (!is_block(block) || !spelled(block, "{") ||
            directive_in(nodes[block].lo, nodes[block].hi) < 0)
            continue;
        for (int c = nodes[block].child; c >= 0; before = c, c = nodes[c].next) {
            int task = plain_task(c),
                between = before < 0 ? -1 : directive_in(statement_end(before), nodes[c].lo);
            bool fits = nodes[c].kind != CXCursor_DeclStmt && nodes[c].kind != CXCursor_LabelStmt &&
                        nodes[c].kind != CXCursor_CaseStmt && nodes[c].kind != CXCursor_DefaultStmt &&
                        directive_in(nodes[c].lo, nodes[c].hi) < 0 &&
                        !may_leave(function_of(nodes[c].lo), nodes[c].lo, nodes[c].hi);

            if (task >= 0 && one.first < 0 && (between < 0 || between == task)) {
                one.tasks = grow(one.tasks, (size_t)(one.count + 1) * sizeof *one.tasks);
                one.tasks[one.count++] = task;
                one.block = block;
                continue;
            }
            if (task < 0 && fits && between < 0 && one.count) {
                one.first = one.first < 0 ? c : one.first;
                one.last = c;
                continue;
            }
            end_invocation(one);
            one = none;
            if (task >= 0) {
                one.tasks = grow(NULL, sizeof *one.tasks);
                one.tasks[one.count++] = task;
                one.block = block;
            }
        }
        end_invocation(one);
    }
    for (int i = 0; i < invocation_count; i++)
        scope_of(scope_with(invocations[i].tasks[0])->owner,
                 directives[invocations[i].tasks[0]].function)->tasks -= invocations[i].count;
}
