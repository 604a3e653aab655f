/*
 * task_c.c - functions with tasks in them, in C: they become tweed's, by fork and join.
 *
 * SPDX-License-Identifier: MIT
 *
 * A function that spawns becomes a TWEED_TASK, and one of the old name calls it by TWEED_RUN.
 * A task that is a call of such a function is spawned as it stands: its arguments are values
 * of the time of the spawn, which OpenMP may evaluate then, too.  What else a task does moves
 * into a TWEED_TASK of its own above the function.
 *
 * A function waits for all of its tasks: at taskwait, at the end of a taskgroup, and before it
 * returns.  OpenMP waits no earlier than that in the last case, and a program in which a task
 * waits for what its parent does later is none that OpenMP guarantees to end.
 *
 * Tasks are synced in the opposite order of their spawns.  So the order must be known: tasks
 * of one kind have a counter, and of several kinds each loop waits for what it has spawned.
 *
 * OpenMP's taskwait knows nothing of tweed's tasks, nor the other way round.  So all tasks of
 * a file are ported, or none.
 */
#include "task_c.h"

#include <string.h>

spawner *forks;
int fork_count;

spawner *fork_of(int function)
{
    for (int i = 0; i < fork_count; i++)
        if (forks[i].node == function)
            return &forks[i];
    return NULL;
}

/* The node of the function that is called, if it is in the file; -1 else. */
int called_function(int at)
{
    CXCursor to = clang_getCursorDefinition(clang_getCursorReferenced(nodes[at].cursor));

    if (clang_Cursor_isNull(to))
        return -1;
    for (int n = 0; n < node_count; n = nodes[n].end)
        if (nodes[n].kind == CXCursor_FunctionDecl && clang_equalCursors(nodes[n].cursor, to))
            return n;
    return -1;
}

/* ---- may it be called where there is one thread? ---- */

/* Is its name, at this node, that of a function which is called? */
static bool is_callee(int n)
{
    int p = nodes[n].parent, child = n;

    while (node_is(p, CXCursor_UnexposedExpr) || node_is(p, CXCursor_ParenExpr))
        child = p, p = nodes[p].parent;
    return node_is(p, CXCursor_CallExpr) && nodes[p].child == child;
}

static bool is_called_alone(int function, bool *visited)
{
    if (visited[function])
        return false;
    visited[function] = true;
    for (int n = 0; n < node_count; n++) {
        int from;

        if (node_is(n, CXCursor_DeclRefExpr) && called_function(n) == function && !is_callee(n))
            return true; /* by its address */
        if (nodes[n].kind != CXCursor_CallExpr || called_function(n) != function ||
            construct_around(nodes[n].lo, W_PARALLEL | W_TASK) >= 0)
            continue;
        from = function_of(nodes[n].lo);
        if (from < 0 || from == function)
            continue;
        if (strcmp(cursor_name(nodes[from].cursor), "main") == 0 || is_called_alone(from, visited))
            return true;
    }
    return false;
}

/* ---- is the function one that can be a task? ---- */

static const char *why_no_function(int f)
{
    int body = body_of(f);
    CXType result = clang_getCursorResultType(nodes[f].cursor);
    unsigned at;

    if (f < 0 || nodes[f].kind != CXCursor_FunctionDecl || nodes[f].parent >= 0 || body < 0 ||
        !insertion_of(f, &at))
        return "the function cannot be another one";
    if (strcmp(cursor_name(nodes[f].cursor), "main") == 0)
        return "main() cannot be a task";
    if (clang_Cursor_isVariadic(nodes[f].cursor))
        return "the function takes arguments without a name";
    if (result.kind != CXType_Void &&
        (!is_prefix(result) || with_member(0, result) > 48 || !declare(result, "")))
        return "the type of what the function returns";
    for (int t = token_at(nodes[f].lo); t < token_at(nodes[body].lo); t++)
        if (tokens[t].in_directive || token_is(t, "__attribute__") || token_is(t, "_Noreturn"))
            return "a directive or an attribute in the head of the function";
    for (int i = 0; i < macro_count; i++)
        if (macros[i].at >= nodes[f].lo && macros[i].at < nodes[body].lo)
            return "a macro in the head of the function";
    for (int t = token_at(nodes[body].lo); t < token_count && tokens[t].lo < nodes[body].hi; t++) {
        if (token_is(t, "__func__") || token_is(t, "__FUNCTION__") || token_is(t, "goto") ||
            token_is(t, "setjmp") || token_is(t, "longjmp"))
            return format("%s in the function", token_text(t));
        if (tokens[t].in_directive && token_is(t, "#") && !token_is(t + 1, "pragma"))
            return "#if and the like in the function";
    }
    for (int i = 0; i < directive_count; i++)
        if (is_inside(directives[i].lo, f) && !directives[i].done && !directives[i].simple &&
            !is_task_word(&directives[i]) && directives[i].words != W_SIMD)
            return format("`%s` in the function, which is left alone",
                          token_text(directives[i].first));
    for (int n = body; n < nodes[body].end; n++)
        for (int i = 0; node_is(n, CXCursor_SwitchStmt) && i < directive_count; i++)
            if (is_task_word(&directives[i]) && is_inside(directives[i].lo, n))
                return format("`%s` in a switch", token_text(directives[i].first));
    for (int i = 0; i < call_count; i++)
        if (is_inside(tokens[calls[i].token].lo, f) && !calls[i].done)
            return format("%s in the function", token_text(calls[i].token));
    if (asks_for_thread(nodes[body].lo, nodes[body].hi))
        return "the function asks for the thread's number";
    return why_outside(nodes[body].lo, nodes[body].hi);
}

/* Of a task in no parallel construct of the function's own: its variables are copied. */
bool is_shared(const directive *d, int v)
{
    const clause *c = find_clause(d, "default");

    if (is_in_list(d, "shared", variables[v].name))
        return true;
    if (is_in_list(d, "firstprivate", variables[v].name))
        return false;
    return is_static(v) || (c && token_is(c->first, "shared"));
}

/* ---- the tasks of a function ---- */

/* Is this a call of a function that is a task where the call stands? */
bool is_task_call(int n, const spawner *from, int *callee)
{
    spawner *to;

    if (!node_is(n, CXCursor_CallExpr))
        return false;
    *callee = called_function(n);
    to = *callee < 0 ? NULL : fork_of(*callee);
    return to && to->node <= from->node && spelled(n, to->name) &&
           token_is(token_at(nodes[n].lo) + 1, "(");
}

static int variable_named(int n)
{
    for (int i = 0; i < reference_count; i++)
        if (references[i].node == n)
            return references[i].spelled ? references[i].variable : -1;
    return -1;
}

/* Do the arguments change a variable that the task has a copy of, or have its address?  The caller,
   who evaluates them, has another one. */
static bool needs_own(const directive *d, int n)
{
    use *all;
    int count = uses_in(nodes[n].lo, nodes[n].hi, &all);

    for (int i = 0; i < count; i++)
        if (!is_shared(d, all[i].variable) &&
            ((all[i].how & (USE_WRITE | USE_WHOLE)) || is_array(variables[all[i].variable].type)))
            return true;
    return false;
}

/* The task is a call, or the assignment of one; else it moves. */
static bool read_spawned(spawner *f, int number)
{
    directive *d = &directives[number];
    spawned s = { .number = number, .call = -1, .target = -1, .callee = -1 };
    int n;

    if (d->statement < 0)
        return leave(d, "no statement follows");
    if (!task_clauses_fit(d))
        return false;
    if (!is_sound(d, d->statement))
        return leave(d, "a return, or a pragma that is left alone, in the task");
    if (has_long_word(nodes[d->statement].lo, statement_end(d->statement)))
        return leave(d, "a string of the task continues on the next line");
    n = without_braces(d->statement);
    if (is_task_call(n, f, &s.callee)) {
        s.call = n;
    } else if (node_is(n, CXCursor_BinaryOperator) && token_is(operator_token(n), "=")) {
        int left = nodes[n].child, right = bare(nodes[left].next);
        int v = node_is(left, CXCursor_DeclRefExpr) ? variable_named(left) : -1;

        if (v >= 0 && !is_shared(d, v))
            return leave(d, "%s is the task's own, and what it is given is lost: shared(%s)?",
                         variables[v].name, variables[v].name);
        if (v >= 0 && is_task_call(right, f, &s.callee)) {
            s.call = right;
            s.target = v;
        }
    }
    if (s.call >= 0 && needs_own(d, s.call))
        s.call = s.target = s.callee = -1;
    f->all = grow(f->all, (size_t)(f->count + 1) * sizeof *f->all);
    f->all[f->count++] = s;
    return true;
}

/* ---- all of them ---- */

static bool find_forks(void)
{
    bool good = true;

    fork_count = 0;
    for (int i = 0; i < directive_count; i++) {
        directive *d = &directives[i];
        const char *why;
        spawner f = { .node = d->function };

        if (!is_task_word(d) || is_skipped(d->lo, d->hi) || fork_of(d->function))
            continue;
        if (d->words != W_TASK) {
            bool any = false;

            for (int k = 0; k < directive_count; k++)
                any |= directives[k].words == W_TASK && directives[k].function == d->function;
            if (any && d->words == W_TASKGROUP && d->function >= 0)
                ;
            else if (!any) {
                good = leave(d, "tasks of other functions are waited for");
                continue;
            }
        }
        why = why_no_function(d->function);
        if (!why && is_called_alone(d->function, no_visits()))
            why = format("%s() is called outside of a parallel region, too, where its tasks are "
                         "one thread's", cursor_name(nodes[d->function].cursor));
        if (why) {
            good = leave(d, "%s", why);
            continue;
        }
        f.body = body_of(d->function);
        f.name = cursor_name(nodes[d->function].cursor);
        f.task = fresh(format("%s_task", f.name));
        forks = grow(forks, (size_t)(fork_count + 1) * sizeof *forks);
        forks[fork_count++] = f;
    }
    return good;
}

static bool read_forks(void)
{
    bool good = true;

    for (int i = 0; i < directive_count; i++) {
        directive *d = &directives[i];
        spawner *f = d->function < 0 ? NULL : fork_of(d->function);

        if (!is_task_word(d) || is_skipped(d->lo, d->hi) || !f)
            continue;
        if (d->barred) {
            good = false;
        } else if (d->parent >= 0 && directives[d->parent].words != W_TASKGROUP) {
            good = leave(d, "`%s` in `%s`", token_text(d->first),
                         token_text(directives[d->parent].first));
        } else if (d->words == W_TASK) {
            good &= read_spawned(f, i);
        } else if (d->clause_count) {
            good = leave(d, "%s with %s", token_text(d->first), d->clauses[0].name);
        } else if (d->words == W_TASKGROUP &&
                   (d->statement < 0 ||
                    !node_is(nodes[d->statement].parent, CXCursor_CompoundStmt))) {
            good = leave(d, "a taskgroup that is a part of another statement");
        } else {
            f->waits = grow(f->waits, (size_t)(f->wait_count + 1) * sizeof *f->waits);
            f->waits[f->wait_count++] = i;
        }
    }
    /* what a taskwait waits for is spawned in its function: not by the caller alone */
    for (int i = 0; good && i < fork_count; i++)
        for (int k = 0; k < forks[i].wait_count; k++) {
            directive *d = &directives[forks[i].waits[k]];
            bool any = false;

            for (int s = 0; s < forks[i].count; s++)
                any |= is_pending(&forks[i], &forks[i].all[s], place_of_wait(&forks[i], k));
            if (!any && d->words == W_TASKWAIT)
                good = leave(d, "tasks of other functions are waited for, perhaps");
        }
    return good;
}

static bool has_taskwait(int function, bool *visited)
{
    if (function < 0 || visited[function])
        return false;
    visited[function] = true;
    for (int i = 0; i < directive_count; i++)
        if (directives[i].words == W_TASKWAIT && directives[i].function == function)
            return true;
    for (int n = function; n < nodes[function].end; n++)
        if (nodes[n].kind == CXCursor_CallExpr && construct_around(nodes[n].lo, W_TASK) < 0 &&
            has_taskwait(called_function(n), visited))
            return true;
    return false;
}

/* Here a function waits for its own tasks; OpenMP's taskwait waits for those of the function that
   calls it, too.  One that calls itself does not wait for what it does not need. */
static bool calls_fit(const spawner *f)
{
    for (int n = f->body; n < nodes[f->body].end; n++) {
        int to = nodes[n].kind == CXCursor_CallExpr ? called_function(n) : -1;

        if (to < 0 || to == f->node || construct_around(nodes[n].lo, W_TASK) >= 0 ||
            !has_taskwait(to, no_visits()))
            continue;
        for (int i = 0; i < f->count; i++)
            if (is_pending(f, &f->all[i], nodes[n].lo))
                return leave(&directives[f->all[i].number],
                             "%s() is called before the task is waited for, and may wait for it",
                             cursor_name(nodes[to].cursor));
    }
    return true;
}

bool port_tasks_c(void)
{
    bool good = find_forks() && read_forks() && locks_fit();

    for (int i = 0; good && i < fork_count; i++)
        good = make_units(&forks[i]);
    for (int i = 0; good && i < fork_count; i++)
        good = calls_fit(&forks[i]);
    for (int i = 0; good && i < fork_count; i++)
        good = put_function(&forks[i]);
    return good;
}
