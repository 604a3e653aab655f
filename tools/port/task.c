/*
 * task.c - tasks: clauses, the regions that start them, and all of a file or none.
 *
 * SPDX-License-Identifier: MIT
 */
#include "task_c.h"

#include <string.h>

bool is_task_word(const directive *d)
{
    return d->words == W_TASK || d->words == W_TASKWAIT || d->words == W_TASKGROUP;
}

int body_of(int function)
{
    int c = nodes[function].child;

    while (c >= 0 && nodes[c].next >= 0)
        c = nodes[c].next;
    return node_is(c, CXCursor_CompoundStmt) ? c : -1;
}

bool is_inside(unsigned at, int n)
{
    return nodes[n].lo <= at && at < nodes[n].hi;
}

/* A variable that all calls of the function have in common, in the text of the task? */
static bool names_static(const directive *d, int t)
{
    for (int i = 0; d->statement >= 0 && i < reference_count; i++)
        if (is_inside(references[i].at, d->statement) && is_static(references[i].variable) &&
            token_is(t, variables[references[i].variable].name))
            return true;
    return false;
}

/* In a construct whose text another thread executes, or moves? */
int construct_around(unsigned at, unsigned words)
{
    for (int i = directive_count - 1; i >= 0; i--)
        if ((directives[i].words & words) && directives[i].statement >= 0 &&
            is_inside(at, directives[i].statement))
            return i;
    return -1;
}

/* ---- clauses of a task ---- */

/* All tasks in a final one are executed at once, here by any worker. */
static bool final_fits(const directive *d)
{
    unsigned lo, hi;

    if (!find_clause(d, "final") || d->statement < 0)
        return true;
    lo = nodes[d->statement].lo;
    hi = nodes[d->statement].hi;
    return !reaches(lo, hi, no_visits()) && !has_unseen_calls(lo, hi);
}

/* ---- chains ---- */

static bool calls_itself(int n, int function)
{
    CXCursor to = nodes[n].kind == CXCursor_CallExpr ? clang_getCursorReferenced(nodes[n].cursor)
                                                     : clang_getNullCursor();

    return !clang_Cursor_isNull(to) &&
           clang_equalCursors(clang_getCanonicalCursor(to),
                              clang_getCanonicalCursor(nodes[function].cursor));
}

/* How often the call comes back to the function, also by functions between them; 2: or more. */
static int ways_back(int n, int function, bool *visited)
{
    int to = nodes[n].kind == CXCursor_CallExpr ? called_by(n) : -1, ways = 0;

    if (calls_itself(n, function))
        return 1;
    if (to < 0 || visited[to])
        return 0;
    visited[to] = true;
    for (int k = to; k < nodes[to].end && ways < 2; k++)
        ways += ways_back(k, function, visited);
    return ways;
}

/* Is only one of the two executed, or the first no more than once? */
static bool are_ways(int a, int b, int function)
{
    for (int n = a, child = a; n != function && n >= 0; child = n, n = nodes[n].parent) {
        if (is_loop(n))
            return false;
        if (node_is(n, CXCursor_IfStmt) && b > n && b < nodes[n].end &&
            child != nodes[n].child && (b < child || b >= nodes[child].end))
            return true;
    }
    return a == b;
}

/* Each task starts the next, and is then over, in OpenMP; here it waits for the next: the stack
   would be as deep as the chain is long.  (Of two tasks the depth is that of a tree.  Two calls
   in one task are taken for a chain, and so is a wait in a function between.) */
static bool is_chain(const directive *d)
{
    bool itself = false;

    for (int i = 0; i < directive_count; i++)
        if (directives[i].function == d->function &&
            (directives[i].words == W_TASKWAIT || directives[i].words == W_TASKGROUP))
            return false;
    for (int n = d->function; d->function >= 0 && n < nodes[d->function].end; n++) {
        bool inside = is_inside(nodes[n].lo, d->statement);
        int ways = inside ? ways_back(n, d->function, no_visits()) : calls_itself(n, d->function);

        if (ways == 0)
            continue;
        itself |= inside;
        if (ways > 1 || !are_ways(d->statement, inside ? d->statement : n, d->function))
            return false;
    }
    return itself;
}

bool task_clauses_fit(directive *d)
{
    static const char *const fine[] = { "shared", "firstprivate", "if", "final", "untied",
                                        "default", "mergeable", "priority", NULL };

    for (int i = 0; i < d->clause_count; i++) {
        const clause *c = &d->clauses[i];
        bool known = false;

        for (int k = 0; fine[k]; k++)
            known |= strcmp(c->name, fine[k]) == 0;
        if (!known)
            return leave(d, "a task with %s", c->name);
        if (strcmp(c->name, "default") == 0 && !token_is(c->first, "none") &&
            !token_is(c->first, "shared"))
            return leave(d, "default(%s)", token_text(c->first));
        if (strcmp(c->name, "shared") == 0 || strcmp(c->name, "firstprivate") == 0)
            for (int t = c->first; t < c->past; t++) {
                if (tokens[t].kind != CXToken_Identifier && !token_is(t, ","))
                    return leave(d, "%s of what is no plain variable", c->name);
                if (strcmp(c->name, "firstprivate") == 0 && names_static(d, t))
                    return leave(d, "firstprivate of %s, which is no local variable",
                                 token_text(t));
            }
        if (strcmp(c->name, "if") == 0 && token_is(c->first + 1, ":") &&
            !token_is(c->first, "task"))
            return leave(d, "if(%s: ...)", token_text(c->first));
    }
    if (!final_fits(d))
        return leave(d, "final, and the task may have tasks of its own");
    return !is_chain(d) || leave(d, "a chain of tasks, each of which starts the next: here each "
                                    "would wait for the next");
}

bool is_static(int v)
{
    return variables[v].is_global ||
           clang_Cursor_getStorageClass(variables[v].decl) == CX_SC_Static;
}

/* Braces around it, and nothing else in them. */
int without_braces(int s)
{
    while (node_is(s, CXCursor_CompoundStmt) && spelled(s, "{")) {
        int child = nodes[s].child;

        if (child < 0 || nodes[child].next >= 0)
            return s;
        s = child;
    }
    return s;
}

bool is_sound(const directive *d, int s)
{
    for (int n = s; n < nodes[s].end; n++)
        if (nodes[n].kind == CXCursor_ReturnStmt && function_of(nodes[n].lo) == d->function)
            return false;
    for (int i = 0; i < directive_count; i++)
        if (&directives[i] != d && is_inside(directives[i].lo, s) && !directives[i].done &&
            !directives[i].simple)
            return false;
    return true;
}

/* ---- edits ---- */

char *comments_between(unsigned lo, unsigned hi, const char *indent)
{
    text t = { 0 };

    text_add(&t, "");
    for (int k = token_at(lo); k < token_count && tokens[k].lo < hi; k++)
        if (tokens[k].kind == CXToken_Comment && tokens[k].lo >= lo)
            text_format(&t, "%s\n%s", token_text(k), indent);
    return t.s;
}

/* The last line has no end. */
char *lines_at(const char *lines, const char *indent)
{
    char *s = indented(lines, indent);

    while (*s && s[strlen(s) - 1] == '\n')
        s[strlen(s) - 1] = 0;
    return s + (strncmp(s, indent, strlen(indent)) == 0 ? strlen(indent) : 0);
}

char *condition_of(const directive *d)
{
    const clause *c = find_clause(d, "if"), *last = find_clause(d, "final");
    char *yes = NULL, *no = NULL;
    int t;

    if (c) {
        t = c->first + (token_is(c->first + 1, ":") ? 2 : 0);
        yes = render(tokens[t].lo, tokens[c->past - 1].hi, NULL, NULL);
    }
    if (last)
        no = format("!(%s)", render(tokens[last->first].lo, tokens[last->past - 1].hi, NULL, NULL));
    return yes && no ? format("(%s) && %s", yes, no) : yes ? yes : no;
}

/* ---- regions that start tasks ---- */

/* parallel, with one single or master in it and nothing else? */
int start_of_tasks(int number)
{
    const directive *d = &directives[number];
    int found = -1;

    if (d->words == (W_PARALLEL | W_MASTER))
        return number;
    if (d->words != W_PARALLEL || d->statement < 0)
        return -1;
    for (int i = 0; i < directive_count; i++)
        if (directives[i].parent == number) {
            if (found >= 0 || (directives[i].words != W_SINGLE && directives[i].words != W_MASTER))
                return -1;
            found = i;
        }
    if (found < 0 || directives[found].statement < 0 ||
        without_braces(d->statement) != without_braces(directives[found].statement))
        return -1;
    return found;
}

bool reaches(unsigned lo, unsigned hi, bool *visited)
{
    if (is_cxx)
        return reaches_cxx(lo, hi, visited);
    for (int n = 0; n < node_count; n++) {
        int to;

        if (nodes[n].kind != CXCursor_CallExpr || nodes[n].lo < lo || nodes[n].lo >= hi ||
            (to = called_function(n)) < 0 || visited[to])
            continue;
        visited[to] = true;
        for (int i = 0; i < directive_count; i++)
            if (directives[i].words == W_TASK && directives[i].function == to)
                return true;
        if (reaches(nodes[to].lo, nodes[to].hi, visited))
            return true;
    }
    return false;
}

bool *no_visits(void)
{
    bool *visited = grow(NULL, (size_t)(node_count + 1) * sizeof *visited);

    memset(visited, 0, (size_t)node_count * sizeof *visited);
    return visited;
}

static bool start_fits(directive *d, const directive *one)
{
    static const char *const fine[] = { "shared", "num_threads", "proc_bind", "default",
                                        "nowait", NULL };
    const directive *both[] = { d, one };

    for (int k = 0; k < 2; k++)
        for (int i = 0; i < both[k]->clause_count; i++) {
            const clause *c = &both[k]->clauses[i];
            bool known = false;

            for (int w = 0; fine[w]; w++)
                known |= strcmp(c->name, fine[w]) == 0;
            if (!known || (strcmp(c->name, "default") == 0 && !token_is(c->first, "none") &&
                           !token_is(c->first, "shared")))
                return leave(d, "tasks start in a region with %s%s", c->name,
                             known ? format("(%s)", token_text(c->first)) : "");
            if (strcmp(c->name, "num_threads") == 0)
                for (int t = c->first; t < c->past; t++)
                    if (token_is(t, "1") || token_is(t, "?"))
                        return leave(d, "tasks start in a region of one thread, perhaps");
        }
    return true;
}

void port_start(int number)
{
    directive *d = &directives[number], *one;
    int single = start_of_tasks(number);
    const char *why;

    if (single < 0 || d->done || d->barred || is_skipped(d->lo, d->hi))
        return;
    one = &directives[single];
    if (!reaches(nodes[d->statement].lo, nodes[d->statement].hi, no_visits()))
        return;
    d->reason = NULL;
    if (!start_fits(d, one))
        return;
    if (!is_sound(one, one->statement)) {
        leave(d, "a return, or a pragma that is left alone, in the region");
        return;
    }
    why = why_outside(nodes[d->statement].lo, nodes[d->statement].hi);
    if (!why && asks_for_thread(nodes[d->statement].lo, nodes[d->statement].hi))
        why = "the region asks for the thread's number";
    if (why) {
        leave(d, "%s", why);
        return;
    }
    if (single != number)
        remove_pragma(one, single);
    remove_pragma(d, number);
    one->done = d->done = true;
}

void port_tasks(void)
{
    int before = edit_count, needs = needs_now();
    edit *saved = grow(NULL, (size_t)(edit_count + 1) * sizeof *saved);
    bool good, any = false;
    const directive *bad = NULL;

    for (int i = 0; i < directive_count; i++)
        any |= is_task_word(&directives[i]);
    fork_count = 0;
    if (!any)
        return;
    if (edit_count)
        memcpy(saved, edits, (size_t)edit_count * sizeof *saved);
    good = is_cxx ? port_tasks_cxx() : port_tasks_c();
    if (good) {
        for (int i = 0; i < directive_count; i++)
            port_start(i);
        return;
    }
    if (before)
        memcpy(edits, saved, (size_t)before * sizeof *saved);
    edit_count = before;
    needs_back(needs);
    for (int i = 0; i < directive_count; i++)
        if (directives[i].reason && (is_task_word(&directives[i])) && !bad)
            bad = &directives[i];
    for (int i = 0; i < directive_count; i++) {
        directive *d = &directives[i];
        unsigned line = 0, column;

        if (start_of_tasks(i) >= 0 && !d->done && !d->barred &&
            reaches(nodes[d->statement].lo, nodes[d->statement].hi, no_visits())) {
            d->reason = NULL;
            leave(d, "the tasks that it starts are left alone");
        }
        if (!is_task_word(d))
            continue;
        d->done = false;
        if (bad)
            place_of(bad->lo, &line, &column);
        if (!d->reason)
            leave(d, "a task is left alone in line %u, and tasks are ported together", line);
    }
}
