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
#include "task.h"

#include <string.h>

typedef struct scope { /* what spawns */
    int owner;         /* directive: a task, or a single; -1: the function */
    int function;
    int body; /* a statement */
    int depth;
    const char *group;
    int tasks, waits;
} scope;

static scope *scopes;
static int scope_count;
static bool is_chained; /* groups know each other */

/* ---- functions, by their names ---- */

static bool is_function_node(int n)
{
    return node_is(n, CXCursor_FunctionDecl) || node_is(n, CXCursor_CXXMethod) ||
           node_is(n, CXCursor_FunctionTemplate) || node_is(n, CXCursor_Constructor) ||
           node_is(n, CXCursor_Destructor) || node_is(n, CXCursor_ConversionFunction);
}

static int *functions; /* nodes */
static int function_count;
static char **node_names; /* by node; NULL: it names no function */

static char *short_name(int n)
{
    char *name = cursor_name(nodes[n].cursor);

    if (strncmp(name, "operator", 8) != 0)
        name[strcspn(name, "<")] = 0;
    return name;
}

static void read_names(void)
{
    if (node_names)
        return;
    node_names = grow(NULL, (size_t)(node_count + 1) * sizeof *node_names);
    functions = grow(NULL, (size_t)(node_count + 1) * sizeof *functions);
    for (int n = 0; n < node_count; n++) {
        enum CXCursorKind k = nodes[n].kind;
        bool names = k == CXCursor_DeclRefExpr || k == CXCursor_MemberRefExpr ||
                     k == CXCursor_CallExpr || k == CXCursor_OverloadedDeclRef ||
                     k == CXCursor_MemberRef;

        node_names[n] = names || is_function_node(n) ? short_name(n) : NULL;
        if (is_function_node(n))
            functions[function_count++] = n;
    }
}

/* A template's calls are to no certain function.  One of the name is taken for it. */
static bool names_function(int n, int function)
{
    read_names();
    return node_names[n] && *node_names[n] && !is_function_node(n) &&
           strcmp(node_names[n], node_names[function]) == 0;
}

bool reaches_cxx(unsigned lo, unsigned hi, bool *visited)
{
    read_names();
    for (int i = 0; i < directive_count; i++)
        if (directives[i].words == W_TASK && directives[i].lo >= lo && directives[i].lo < hi)
            return true;
    for (int n = 0; n < node_count; n++)
        for (int i = 0; nodes[n].lo >= lo && nodes[n].lo < hi && i < function_count; i++) {
            int f = functions[i];

            if (visited[f] || !names_function(n, f))
                continue;
            visited[f] = true;
            if (reaches_cxx(nodes[f].lo, nodes[f].hi, visited))
                return true;
        }
    return false;
}

/* Around a lambda: the function that it stands in. */
static int named_function_of(unsigned at)
{
    int f = function_of(at);

    while (f >= 0 && !is_function_node(f))
        f = nodes[f].parent;
    return f;
}

static bool is_named_alone(int function, bool *visited)
{
    if (visited[function])
        return false;
    visited[function] = true;
    for (int n = 0; n < node_count; n++) {
        int from;

        if (!names_function(n, function) ||
            construct_around(nodes[n].lo, W_PARALLEL | W_TASK) >= 0)
            continue;
        from = named_function_of(nodes[n].lo);
        if (from == function)
            continue;
        if (from < 0 || strcmp(cursor_name(nodes[from].cursor), "main") == 0 ||
            is_named_alone(from, visited))
            return true;
    }
    return false;
}

/* ---- what spawns ---- */

static scope *scope_of(int owner, int function)
{
    for (int i = 0; i < scope_count; i++)
        if (scopes[i].owner == owner && (owner >= 0 || scopes[i].function == function))
            return &scopes[i];
    return NULL;
}

static int start_with(int single)
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

static const scope *scope_with(int number)
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

/* ---- what a task is given ---- */

/* OpenMP's rules: what no clause names is shared if it is so in the region around. */
static bool is_shared_in(int number, int v)
{
    const directive *d = &directives[number];
    const clause *c = find_clause(d, "default");
    unsigned at = variables[v].at;

    if (in_clause(d, "shared", variables[v].name))
        return true;
    if (in_clause(d, "firstprivate", variables[v].name))
        return false;
    if (is_static(v) || (c && token_is(c->first, "shared")))
        return true;
    for (int p = d->parent; p >= 0; p = directives[p].parent) {
        const directive *e = &directives[p];

        if (e->words == W_TASKGROUP || e->statement < 0)
            continue;
        if (at >= nodes[e->statement].lo && at < nodes[e->statement].hi)
            return false;
        if (e->words & W_PARALLEL)
            return true;
        if (e->words == W_TASK && !is_shared_in(p, v))
            return false;
    }
    return false; /* of a function that a region calls */
}

static bool is_kind_of_reference(int v)
{
    CXType t = clang_getCanonicalType(variables[v].type);

    return t.kind == CXType_LValueReference || t.kind == CXType_RValueReference;
}

/* A number that compilers know is not captured. */
static bool is_constant(int v)
{
    CXEvalResult e;
    bool is;

    if (!clang_isConstQualifiedType(variables[v].type) || !is_scalar(variables[v].type) ||
        is_floating(variables[v].type))
        return false;
    e = clang_Cursor_Evaluate(variables[v].decl);
    is = e && clang_EvalResult_getKind(e) == CXEval_Int;
    if (e)
        clang_EvalResult_dispose(e);
    return is;
}

static bool is_method(int function)
{
    CXCursor home = clang_getCursorSemanticParent(nodes[function].cursor);
    enum CXCursorKind k = clang_getCursorKind(home);

    return (k == CXCursor_StructDecl || k == CXCursor_ClassDecl || k == CXCursor_ClassTemplate ||
            k == CXCursor_ClassTemplatePartialSpecialization || k == CXCursor_UnionDecl) &&
           !clang_CXXMethod_isStatic(nodes[function].cursor);
}

static char *captures_of(int number)
{
    const directive *d = &directives[number];
    text values = { 0 }, shared = { 0 };
    use *all;
    int count = uses_in(nodes[d->statement].lo, statement_end(d->statement), &all);
    bool changes = false, in_method = is_method(d->function), any = false;

    text_add(&values, "");
    text_add(&shared, "");
    for (int i = 0; i < count; i++) {
        int v = all[i].variable;

        if (all[i].inside || is_static(v))
            continue;
        if (is_shared_in(number, v) && !is_constant(v)) {
            text_format(&shared, ", &%s", variables[v].name);
            continue;
        }
        any = true;
        text_format(&values, ", %s", variables[v].name);
        changes |= !is_constant(v) &&
                   (all[i].how != USE_READ || !(is_scalar(variables[v].type) ||
                    clang_getCanonicalType(variables[v].type).kind == CXType_Pointer));
    }
    return format("%s%s", in_method ? format("[&%s]", values.s)
                          : shared.n && any ? format("[=%s]", shared.s)
                          : shared.n ? "[&]" : any ? "[=]" : "[]",
                  changes ? "() mutable" : "");
}

/* ---- does what is shared live as long as the task? ---- */

static int ancestor(int n, bool (*is)(int))
{
    for (n = nodes[n].parent; n >= 0; n = nodes[n].parent)
        if (is(n))
            return n;
    return -1;
}

static bool has_variables(int n)
{
    return node_is(n, CXCursor_CompoundStmt) || is_loop(n) ||
           node_is(n, CXCursor_CXXForRangeStmt) || node_is(n, CXCursor_IfStmt) ||
           node_is(n, CXCursor_SwitchStmt) || node_is(n, CXCursor_CXXCatchStmt) ||
           is_function_node(n);
}

static bool is_block(int n)
{
    return node_is(n, CXCursor_CompoundStmt);
}

static bool is_any_loop(int n)
{
    return is_loop(n) || node_is(n, CXCursor_CXXForRangeStmt) || node_is(n, CXCursor_SwitchStmt);
}

static int home_of(int v)
{
    for (int n = 0; n < node_count; n++)
        if (nodes[n].kind == CXCursor_VarDecl &&
            clang_equalCursors(clang_getCanonicalCursor(nodes[n].cursor), variables[v].decl))
            return ancestor(n, has_variables);
    return -1;
}

/* The statement of this block that a place is in. */
static int statement_in(int block, unsigned at)
{
    for (int c = nodes[block].child; c >= 0; c = nodes[c].next)
        if (nodes[c].lo <= at && at < statement_end(c))
            return c;
    return -1;
}

/* Does a jump leave [lo, hi)? */
static bool may_leave(int function, unsigned lo, unsigned hi)
{
    for (int n = function; n < nodes[function].end; n++) {
        int k = (int)nodes[n].kind, to;

        if (nodes[n].lo < lo || nodes[n].lo >= hi)
            continue;
        if (k == CXCursor_GotoStmt || k == CXCursor_IndirectGotoStmt ||
            (k == CXCursor_ReturnStmt && function_of(nodes[n].lo) == function))
            return true;
        if (k != CXCursor_BreakStmt && k != CXCursor_ContinueStmt)
            continue;
        to = ancestor(n, is_any_loop);
        if (to < 0 || nodes[to].lo < lo)
            return true;
    }
    return false;
}

/* Where a wait waits, and the block that it stands in. */
static unsigned wait_place(const directive *d, int *block)
{
    int statement = -1;

    *block = -1;
    for (int n = 0; n < node_count; n++)
        if (is_block(n) && nodes[n].lo < d->lo && d->lo < nodes[n].hi)
            *block = n;
    if (d->words == W_TASKGROUP)
        statement = d->statement;
    return statement >= 0 ? statement_end(statement) : d->lo;
}

/* Is the task waited for before the block that it stands in ends? */
static bool is_waited_in(int number, int home)
{
    const directive *task = &directives[number];
    const scope *s = scope_with(number);

    for (int i = 0; i < directive_count; i++) {
        const directive *w = &directives[i];
        int block, first;
        unsigned at;

        if ((w->words != W_TASKWAIT && w->words != W_TASKGROUP) || w->function != task->function ||
            is_skipped(w->lo, w->hi) || scope_with(i) != s)
            continue;
        at = wait_place(w, &block);
        if (at <= task->lo || block < home || !is_inside(task->lo, block) ||
            nodes[block].lo < nodes[home].lo || nodes[block].hi > nodes[home].hi)
            continue;
        first = statement_in(block, w->words == W_TASKGROUP && is_inside(task->lo, w->statement)
                                        ? nodes[w->statement].lo : nodes[task->statement].lo);
        if (first >= 0 && !may_leave(task->function, nodes[first].lo, at))
            return true;
    }
    return false;
}

static bool outlives(int number, int v)
{
    directive *d = &directives[number];
    const scope *s = scope_with(number);
    int home;

    if (is_kind_of_reference(v) || variables[v].at < nodes[s->body].lo ||
        variables[v].at >= nodes[s->body].hi)
        return true;
    home = home_of(v);
    if (home >= 0 && is_waited_in(number, home))
        return true;
    return leave(d, "%s is shared, and may end before the task: no taskwait in its block",
                 variables[v].name);
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
    for (int t = token_at(nodes[d->statement].lo);
         t < token_count && tokens[t].lo < nodes[d->statement].hi; t++)
        if (token_is(t, "__func__") || token_is(t, "__FUNCTION__") ||
            token_is(t, "__PRETTY_FUNCTION__"))
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
            if (names_function(n, functions[i]) && construct_around(nodes[n].lo, W_TASK) < 0 &&
                reaches_wait(functions[i], visited))
                return true;
    return false;
}

/* Is a function that waits called, where tasks of the caller may be pending? */
static bool needs_chain(void)
{
    for (int n = 0; n < node_count; n++)
        for (int k = 0; k < function_count; k++) {
            int f = functions[k];
            const scope *s;

            if (!names_function(n, f) || !(s = scope_at(nodes[n].lo)) || !s->tasks ||
                !reaches_wait(f, no_visits()))
                continue;
            for (int i = 0; i < directive_count; i++)
                if (directives[i].words == W_TASK && scope_with(i) == s &&
                    (directives[i].lo < nodes[n].lo || ancestor(n, is_any_loop) >= 0))
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

static bool criticals_fit(void)
{
    for (int i = 0; i < directive_count; i++)
        if (directives[i].words == W_CRITICAL && directives[i].statement >= 0 &&
            reaches(nodes[directives[i].statement].lo, nodes[directives[i].statement].hi,
                    no_visits()))
            for (int k = 0; k < directive_count; k++)
                if (directives[k].words == W_TASK)
                    return leave(&directives[k], "a critical section starts tasks");
    return true;
}

/* ---- tasks that are waited for at once ---- */

typedef struct invocation { /* a call of parallel_invoke() */
    int block;
    int *tasks, count;
    int first, last; /* statements that the caller executes, or -1 */
    int wait;        /* directive, or -1 */
} invocation;

static invocation *invocations;
static int invocation_count;

static invocation *invocation_of(int number, int *place)
{
    for (int i = 0; i < invocation_count; i++)
        for (int k = 0; k < invocations[i].count; k++)
            if (invocations[i].tasks[k] == number) {
                *place = k;
                return &invocations[i];
            }
    return NULL;
}

static bool is_alone(int number)
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
        has_other_directive(directives[one.tasks[0]].lo, statement_end(last)))
        return;
    invocations = grow(invocations, (size_t)(invocation_count + 1) * sizeof *invocations);
    invocations[invocation_count++] = one;
}

static void find_invocations(void)
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

/* ---- edits ---- */

static bool has_group(const scope *s)
{
    return s->tasks || (is_chained && s->waits);
}

static char *declaration_of(const scope *s)
{
    return format("%s %s;", is_chained ? "port_group" : "tweed::task_group", s->group);
}

/* A group at the beginning of a block. */
static void declare_group(const scope *s, int owner)
{
    char *indent = indent_at(nodes[s->body].lo);
    unsigned at = nodes[s->body].lo + 1;

    add_edit(at, at, format("\n%s    %s", indent, declaration_of(s)), owner);
}

static bool is_block_here(int statement)
{
    return node_is(statement, CXCursor_CompoundStmt) && spelled(statement, "{");
}

static bool has_line_end(unsigned lo, unsigned hi)
{
    for (unsigned k = lo; k < hi; k++)
        if (source[k] == '\n')
            return true;
    return false;
}

/* Four columns to the right, but for lines that are replaced, or go.  What more than a line
   takes the place of stays where it is. */
static void indent_more(unsigned lo, unsigned hi, int owner)
{
    for (int i = 0; i < edit_count; i++)
        if (edits[i].lo > lo && edits[i].hi < hi && strchr(edits[i].text, '\n'))
            return;
    for (unsigned k = lo; k < hi; k++) {
        bool replaced = k != line_start(k) || source[k] == '\n' || source[k] == '#' ||
                        (k > 0 && tokens[token_at(k - 1)].lo < k - 1);

        for (int i = 0; i < edit_count && !replaced; i++)
            replaced = edits[i].lo == k && edits[i].hi > k;
        if (!replaced)
            add_edit(k, k, "    ", owner);
    }
}

static char *run_text(const scope *s, const char *task, const char *condition, const char *in)
{
    if (!condition)
        return format("%s%s.run(%s);\n", in, s->group, task);
    return format("%sif (%s)\n%s    %s.run(%s);\n%selse\n%s    %s();\n", in, condition, in,
                  s->group, task, in, in, task);
}

/* A task that may be executed at once has a name. */
static void put_named(int number, const scope *s, const scope *inner, const char *condition)
{
    directive *d = &directives[number];
    int body = d->statement;
    unsigned lo = nodes[body].lo, hi = statement_end(body);
    char *indent = indent_at(d->lo), *in = format("%s    ", indent);
    char *task = fresh_local("port_task"), *comments = comments_between(d->lo, d->hi, indent);
    char *open = format("auto %s = %s", task, captures_of(number));
    char *run = format("\n\n%s%s}", run_text(s, task, condition, in), indent);

    if (is_alone(number) && is_block_here(body)) {
        add_edit(d->lo, d->hi, format("%s{\n%s%s", comments, in, open), number);
        indent_more(line_start(lo), hi, number);
        if (inner)
            declare_group(inner, number);
        add_edit(hi, hi, format(";%s", run), number);
    } else if (is_alone(number) && !inner && !has_line_end(lo, hi)) {
        add_edit(d->lo, d->hi, format("%s{", comments), number);
        add_edit(lo, lo, format("    %s { ", open), number);
        add_edit(hi, hi, format(" };%s", run), number);
    } else {
        add_edit(d->lo, d->hi,
                 format("%s{\n%s%s {%s", comments, in, open,
                        inner ? format("\n%s    %s", in, declaration_of(inner)) : ""),
                 number);
        indent_more(line_start(lo), hi, number);
        add_edit(hi, hi, format("\n%s};%s", in, run), number);
    }
}

/* Of a parallel_invoke(): the first has its name before it, the last ends it. */
static void put_invoked(int number, const invocation *one, int place, const scope *inner)
{
    directive *d = &directives[number];
    unsigned lo = nodes[d->statement].lo, hi = statement_end(d->statement);
    char *indent = indent_at(lo);
    bool block = is_block_here(d->statement), line = !inner && !block && !has_line_end(lo, hi),
         ends = place == one->count - 1 && one->first < 0;

    remove_pragma(d, number);
    if (place == 0)
        add_edit(lo, lo, format("tweed::parallel_invoke(\n%s", indent), number);
    add_edit(lo, lo,
             format("    %s %s", captures_of(number),
                    block ? "" : line ? "{ "
                    : format("{\n%s%s        ",
                             inner ? format("%s        %s\n", indent, declaration_of(inner)) : "",
                             indent)),
             number);
    if (block && inner)
        declare_group(inner, number);
    indent_more(lo, hi, number);
    if (!block && !line)
        indent_more(lo, hi, number);
    add_edit(hi, hi, format("%s%s%s", block ? "" : line ? " }" : format("\n%s    }", indent),
                            ends ? ")" : ",", ends ? ";" : ""),
             number);
}

/* What the caller does meanwhile. */
static void put_rest(const invocation *one)
{
    unsigned lo = nodes[one->first].lo, hi = statement_end(one->last);
    char *indent = indent_at(lo);
    int owner = one->tasks[0];

    if (has_line_end(lo, hi)) {
        add_edit(lo, lo, format("    [&] {\n%s        ", indent), owner);
        indent_more(lo, hi, owner);
        indent_more(lo, hi, owner);
        add_edit(hi, hi, format("\n%s    });", indent), owner);
    } else {
        add_edit(lo, lo, "    [&] { ", owner);
        add_edit(hi, hi, " });", owner);
    }
}

static void put_task(int number)
{
    invocation *one;
    int place;
    directive *d = &directives[number];
    int body = d->statement;
    unsigned lo = nodes[body].lo, hi = statement_end(body);
    const scope *s = scope_with(number), *inner = scope_of(number, d->function);
    char *indent = indent_at(d->lo), *condition = condition_of(d);
    bool block = is_block_here(body), alone = is_alone(number);

    if (inner && !has_group(inner))
        inner = NULL;
    one = invocation_of(number, &place);
    if (one) {
        put_invoked(number, one, place, inner);
        if (place == one->count - 1 && one->first >= 0)
            put_rest(one);
    } else if (condition) {
        put_named(number, s, inner, condition);
    } else if (alone && (block || (!inner && !has_line_end(lo, hi)))) {
        remove_pragma(d, number);
        add_edit(lo, lo, format("%s.run(%s %s", s->group, captures_of(number), block ? "" : "{ "),
                 number);
        if (inner)
            declare_group(inner, number);
        add_edit(hi, hi, block ? ");" : " });", number);
    } else {
        add_edit(d->lo, d->hi,
                 format("%s%s.run(%s {%s", comments_between(d->lo, d->hi, indent), s->group,
                        captures_of(number),
                        inner ? format("\n%s    %s", indent, declaration_of(inner)) : ""),
                 number);
        indent_more(line_start(lo), hi, number);
        add_edit(hi, hi, format("\n%s});", indent), number);
    }
    d->done = true;
}

static void put_wait(int number)
{
    directive *d = &directives[number];
    const scope *s = scope_with(number);
    char *indent = indent_at(d->lo);

    if (d->words == W_TASKGROUP) {
        unsigned behind = statement_end(d->statement);

        remove_pragma(d, number);
        if (s->tasks)
            add_edit(behind, behind, format("\n%s%s.wait();", indent, s->group), number);
    } else if (s->tasks || is_chained) {
        add_edit(d->lo, d->hi, format("%s%s.wait();", comments_between(d->lo, d->hi, indent),
                                      s->group), number);
    } else {
        remove_pragma(d, number);
    }
    d->done = true;
}

/* The group of a function, or of a region. */
static bool put_group(const scope *s)
{
    directive *d;
    int start;

    if (!has_group(s))
        return true;
    if (s->owner < 0) {
        for (int i = 0; i < directive_count; i++)
            if (directives[i].function == s->function && is_task_word(&directives[i])) {
                declare_group(s, i);
                break;
            }
        return true;
    }
    if (directives[s->owner].words == W_TASK)
        return true;
    start = start_with(s->owner);
    d = &directives[start];
    port_start(start);
    if (!d->done)
        return false;
    if (is_block_here(s->body)) {
        declare_group(s, start);
    } else {
        const directive *one = &directives[s->owner];
        unsigned at = one->hi, hi = statement_end(s->body);
        char *indent = indent_at(one->lo);

        while (at < source_size && source[at] != '\n')
            at++;
        add_edit(at + 1, at + 1, format("%s{\n%s    %s\n", indent, indent, declaration_of(s)),
                 start);
        indent_more(line_start(nodes[s->body].lo), hi, start);
        add_edit(hi, hi, format("\n%s}", indent), start);
    }
    return true;
}

bool port_tasks_cxx(void)
{
    bool good = true;

    scope_count = 0;
    is_chained = false;
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
    if (!good || !criticals_fit())
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
