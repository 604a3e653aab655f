/*
 * task_cxx.c - functions with tasks in them, in C++: a tweed::task_group in each.
 *
 * SPDX-License-Identifier: MIT
 *
 * What spawns is a function, the single or master of a region, or a task.  It has a group from
 * its beginning to its end.  A task is a lambda that the group runs: what is firstprivate it
 * has by value, what is shared by reference.  taskwait waits for the group.  The end of a
 * taskgroup does so, too: tasks of tasks are over, since each waits for its own.
 *
 * The end of the function waits for its tasks.  OpenMP waits no earlier than that, and a program
 * in which a task waits for what its parent does later is none that OpenMP guarantees to end.
 *
 * A function that is called, not spawned, is a part of the task that calls it: its taskwait
 * waits for that one's tasks, too.  Where this may matter the groups know each other.
 *
 * All tasks of a file are ported, or none: OpenMP's taskwait does not wait for tweed's.
 */
#include "task_cxx.h"

#include <string.h>

scope *scopes;
int scope_count;
bool is_chained;

/* ---- what spawns ---- */

scope *scope_of(int owner, int function)
{
    for (int i = 0; i < scope_count; i++)
        if (scopes[i].owner == owner && (owner >= 0 || scopes[i].function == function))
            return &scopes[i];
    return NULL;
}

int start_with(int single)
{
    for (int i = 0; i < directive_count; i++)
        if (start_of_tasks(i) == single)
            return i;
    return -1;
}

static const char *find_owner(int number, int *owner)
{
    const directive *d = &directives[number];

    *owner = -1;
    for (int p = d->parent; p >= 0; p = directives[p].parent) {
        if (directives[p].words == W_TASKGROUP)
            continue;
        if (directives[p].function != d->function ||
            !(directives[p].words == W_TASK || start_with(p) >= 0))
            return format("`%s` in `%s`", token_text(d->first), token_text(directives[p].first));
        *owner = p;
        return NULL;
    }
    return NULL;
}

static const char *why_no_scope(int function, int owner, int body)
{
    char *name;

    if (function < 0 || !(node_is(function, CXCursor_FunctionDecl) ||
                          node_is(function, CXCursor_CXXMethod) ||
                          node_is(function, CXCursor_FunctionTemplate)))
        return "a task in a lambda, a constructor or a destructor";
    name = cursor_name(nodes[function].cursor);
    if (strncmp(name, "operator", 8) == 0)
        return "a task in an operator";
    if (body < 0)
        return "the function has no block for its body";
    for (int t = token_at(nodes[body].lo); t < token_count && tokens[t].lo < nodes[body].hi; t++)
        if (token_is(t, "setjmp") || token_is(t, "longjmp") || token_is(t, "co_await") ||
            token_is(t, "co_yield") || token_is(t, "co_return"))
            return format("%s in the function", token_text(t));
    for (int i = 0; i < call_count; i++)
        if (is_inside(tokens[calls[i].token].lo, body) && !calls[i].done)
            return format("%s in the function", token_text(calls[i].token));
    if (asks_for_thread(nodes[body].lo, nodes[body].hi))
        return "the function asks for the thread's number";
    if (owner < 0) {
        if (!spelled(body, "{"))
            return "the body of the function is a macro's";
        if (strcmp(name, "main") == 0)
            return "a task of main() that is in no parallel region: one thread's";
        if (is_named_alone(function, no_visits()))
            return format("%s() is called outside of a parallel region, too, where its tasks "
                          "are one thread's", name);
    }
    return why_outside(nodes[body].lo, nodes[body].hi);
}

static bool add_scope(int number)
{
    directive *d = &directives[number];
    scope s = { .function = d->function };
    const char *why = find_owner(number, &s.owner);
    scope *old;

    if (why)
        return leave(d, "%s", why);
    old = scope_of(s.owner, s.function);
    if (!old) {
        s.body = s.owner >= 0 ? directives[s.owner].statement
                 : is_function_node(s.function) ? body_of(s.function) : -1;
        for (int p = s.owner; p >= 0; p = directives[p].parent)
            s.depth += directives[p].words == W_TASK;
        s.group = fresh_local(s.depth ? format("port_tasks_%d", s.depth + 1) : "port_tasks");
        why = why_no_scope(s.function, s.owner, s.body);
        if (why)
            return leave(d, "%s", why);
        scopes = grow(scopes, (size_t)(scope_count + 1) * sizeof *scopes);
        scopes[scope_count] = s;
        old = &scopes[scope_count++];
    }
    old->tasks += d->words == W_TASK;
    old->waits += d->words == W_TASKWAIT;
    return true;
}

const scope *scope_with(int number)
{
    int owner;

    return find_owner(number, &owner) ? NULL : scope_of(owner, directives[number].function);
}

/* The scope that executes a place, or NULL. */
static const scope *scope_at(unsigned at)
{
    for (int i = directive_count - 1; i >= 0; i--)
        if (directives[i].statement >= 0 && is_inside(at, directives[i].statement) &&
            (directives[i].words == W_TASK || (directives[i].words & W_PARALLEL) ||
             start_with(i) >= 0))
            return scope_of(i, directives[i].function);
    return scope_of(-1, named_function_of(at));
}

/* ---- is each of them right? ---- */

static bool read_task(int number)
{
    directive *d = &directives[number];
    use *all;
    int count;

    if (d->statement < 0)
        return leave(d, "what follows is a macro's, or no statement");
    if (!task_clauses_fit(d))
        return false;
    if (says_its_function(nodes[d->statement].lo, nodes[d->statement].hi))
        return leave(d, "the task names its function");
    for (int n = d->statement; n < nodes[d->statement].end; n++)
        if (nodes[n].kind == CXCursor_DeclRefExpr &&
            clang_getCursorKind(clang_getCursorReferenced(nodes[n].cursor)) ==
                CXCursor_UnexposedDecl)
            return leave(d, "%s in the task is a structured binding", cursor_name(nodes[n].cursor));
    count = uses_in(nodes[d->statement].lo, statement_end(d->statement), &all);
    for (int i = 0; i < count; i++) {
        int v = all[i].variable;

        if (all[i].inside || is_static(v))
            continue;
        if (is_variable_array(variables[v].type))
            return leave(d, "the type of %s is variably modified", variables[v].name);
        if (is_shared_in(number, v) && !outlives(number, v))
            return false;
    }
    return true;
}

static bool read_wait(int number)
{
    directive *d = &directives[number];
    const scope *s = scope_with(number);
    unsigned lo = nodes[s->body].lo, hi = nodes[s->body].hi;

    if (d->clause_count)
        return leave(d, "%s with %s", token_text(d->first), d->clauses[0].name);
    if (d->words == W_TASKGROUP &&
        (d->statement < 0 || !node_is(nodes[d->statement].parent, CXCursor_CompoundStmt)))
        return leave(d, "a taskgroup that is a part of another statement");
    if (d->words == W_TASKGROUP)
        lo = nodes[d->statement].lo, hi = nodes[d->statement].hi;
    if ((s->tasks && d->words == W_TASKWAIT) || reaches(lo, hi, no_visits()))
        return true;
    for (int n = 0; d->words == W_TASKWAIT && n < node_count; n++)
        if (names_function(n, s->function) && named_function_of(nodes[n].lo) != s->function)
            return true; /* for those of the caller */
    return leave(d, "tasks of other functions are waited for");
}

static bool reaches_wait(int function, bool *visited)
{
    if (visited[function])
        return false;
    visited[function] = true;
    for (int i = 0; i < directive_count; i++)
        if (directives[i].words == W_TASKWAIT && directives[i].function == function)
            return true;
    for (int n = function; n < nodes[function].end; n++)
        for (int i = 0; i < function_count; i++)
            if (names_function(n, all_functions[i]) && construct_around(nodes[n].lo, W_TASK) < 0 &&
                reaches_wait(all_functions[i], visited))
                return true;
    return false;
}

/* Is the function called here, and not later: in a lambda, or by its address? */
static bool is_called_here(int n)
{
    int up = nodes[n].parent, f = function_of(nodes[n].lo);

    if (f < 0 || nodes[f].kind == CXCursor_LambdaExpr)
        return false;
    while (node_is(up, CXCursor_UnexposedExpr) || node_is(up, CXCursor_ParenExpr))
        up = nodes[up].parent;
    return nodes[n].kind == CXCursor_CallExpr ||
           (node_is(up, CXCursor_CallExpr) &&
            strcmp(cursor_name(nodes[up].cursor), cursor_name(nodes[n].cursor)) == 0);
}

static bool may_be_pending(int number, int n)
{
    const directive *d = &directives[number];

    if (!is_called_here(n))
        return true;
    for (int l = ancestor(n, is_any_loop); l >= 0; l = ancestor(l, is_any_loop))
        if (is_inside(d->lo, l) && !is_waited_in(number, l))
            return true;
    return d->lo < nodes[n].lo && !is_over(number, nodes[n].lo);
}

/* Is a function that waits called, where tasks of the caller may be pending? */
static bool needs_chain(void)
{
    for (int n = 0; n < node_count; n++)
        for (int k = 0; k < function_count; k++) {
            int f = all_functions[k];
            const scope *s;

            if (!names_function(n, f) || !(s = scope_at(nodes[n].lo)) || !s->tasks ||
                !reaches_wait(f, no_visits()))
                continue;
            for (int i = 0; i < directive_count; i++)
                if (directives[i].words == W_TASK && scope_with(i) == s && may_be_pending(i, n))
                    return true;
        }
    return false;
}

static const char chain[] =
    "\n/* The tasks of a function.  taskwait waits for those of its callers, too, up to the\n"
    "   task that it is a part of. */\n"
    "class port_group {\n"
    "public:\n"
    "    port_group() : outer(innermost()), tasks() { innermost() = this; }\n"
    "    port_group(const port_group &) = delete;\n"
    "    port_group &operator=(const port_group &) = delete;\n"
    "    ~port_group() { innermost() = outer; }\n"
    "    template <class F> void run(F f)\n"
    "    {\n"
    "        tasks.run([f]() mutable {\n"
    "            entered e;\n"
    "            f();\n"
    "        });\n"
    "    }\n"
    "    void wait()\n"
    "    {\n"
    "        for (port_group *g = this; g; g = g->outer)\n"
    "            g->tasks.wait();\n"
    "    }\n"
    "\n"
    "private:\n"
    "    static port_group *&innermost()\n"
    "    {\n"
    "        static thread_local port_group *one;\n"
    "        return one;\n"
    "    }\n"
    "    struct entered {\n"
    "        entered() : was(innermost()) { innermost() = nullptr; }\n"
    "        entered(const entered &) = delete;\n"
    "        entered &operator=(const entered &) = delete;\n"
    "        ~entered() { innermost() = was; }\n"
    "        port_group *was;\n"
    "    };\n"
    "    port_group *outer;\n"
    "    tweed::task_group tasks;\n"
    "};\n";

/* A loop's body may be executed by a thread that waits in a task of its own: no chain there. */
static bool chain_fits(void)
{
    for (int i = 0; i < directive_count; i++) {
        directive *d = &directives[i];
        unsigned line, column;

        if (!(d->words & W_PARALLEL) || d->statement < 0 || start_of_tasks(i) >= 0 ||
            !reaches(nodes[d->statement].lo, nodes[d->statement].hi, no_visits()))
            continue;
        place_of(d->lo, &line, &column);
        for (int k = 0; k < directive_count; k++)
            if (directives[k].words == W_TASKWAIT)
                return leave(&directives[k], "tasks of a caller are waited for, and the loop in "
                                             "line %u starts some, too", line);
    }
    return true;
}

bool port_tasks_cxx(void)
{
    bool good = true;

    scope_count = 0;
    is_chained = false;
    read_names();
    for (int i = 0; i < directive_count; i++) {
        directive *d = &directives[i];

        if (!is_task_word(d) || is_skipped(d->lo, d->hi))
            continue;
        if (d->barred)
            good = false;
        else
            good &= add_scope(i);
    }
    if (!good)
        return false;
    for (int i = 0; i < directive_count; i++)
        if (is_task_word(&directives[i]) && !is_skipped(directives[i].lo, directives[i].hi))
            good &= directives[i].words == W_TASK ? read_task(i) : read_wait(i);
    if (!good || !locks_fit())
        return false;
    for (int i = 0; i < scope_count; i++)
        is_chained |= scopes[i].waits && !scopes[i].tasks;
    is_chained |= needs_chain();
    if (is_chained && !chain_fits())
        return false;
    invocation_count = 0;
    if (is_chained)
        need("port_group", chain);
    else
        find_invocations();
    for (int i = directive_count - 1; i >= 0; i--) { /* inner ones first */
        directive *d = &directives[i];

        if (!is_task_word(d) || is_skipped(d->lo, d->hi))
            continue;
        if (d->words != W_TASK) {
            put_wait(i);
        } else if (is_sound(d, d->statement)) {
            put_task(i);
        } else {
            return leave(d, "a return, or a pragma that is left alone, in the task");
        }
    }
    for (int i = 0; i < scope_count; i++)
        if (!put_group(&scopes[i]))
            return false;
    return true;
}
