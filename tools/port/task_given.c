/*
 * task_given.c - in C++: what a task is given, and whether it lives as long as the task.
 *
 * SPDX-License-Identifier: MIT
 */
#include "task_cxx.h"

#include <string.h>

/* ---- what a task is given ---- */

/* OpenMP's rules: what no clause names is shared if it is so in the region around. */
bool is_shared_in(int number, int v)
{
    const directive *d = &directives[number];
    const clause *c = find_clause(d, "default");
    unsigned at = variables[v].at;

    if (is_in_list(d, "shared", variables[v].name))
        return true;
    if (is_in_list(d, "firstprivate", variables[v].name))
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

char *captures_of(int number)
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

int ancestor(int n, bool (*is)(int))
{
    for (n = nodes[n].parent; n >= 0; n = nodes[n].parent)
        if (is(n))
            return n;
    return -1;
}

static bool has_variables(int n)
{
    return node_is(n, CXCursor_CompoundStmt) || is_loop(n) || node_is(n, CXCursor_IfStmt) ||
           node_is(n, CXCursor_SwitchStmt) || node_is(n, CXCursor_CXXCatchStmt) ||
           is_function_node(n);
}

bool is_block(int n)
{
    return node_is(n, CXCursor_CompoundStmt);
}

bool is_any_loop(int n)
{
    return is_loop(n) || node_is(n, CXCursor_SwitchStmt);
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
bool may_leave(int function, unsigned lo, unsigned hi)
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

/* Is the task waited for at this wait, whenever the block of the wait gets there? */
static bool is_certain_wait(int number, int w_number, int *block, unsigned *at)
{
    const directive *task = &directives[number], *w = &directives[w_number];
    int first;

    if ((w->words != W_TASKWAIT && w->words != W_TASKGROUP) ||
        w->function != task->function || is_skipped(w->lo, w->hi) ||
        scope_with(w_number) != scope_with(number))
        return false;
    *at = wait_place(w, block);
    if (*at <= task->lo || *block < 0 || !is_inside(task->lo, *block))
        return false;
    first = statement_in(*block, w->words == W_TASKGROUP && is_inside(task->lo, w->statement)
                                     ? nodes[w->statement].lo : nodes[task->statement].lo);
    return first >= 0 && !may_leave(task->function, nodes[first].lo, *at);
}

/* Is the task waited for before the block that it stands in ends? */
bool is_waited_in(int number, int home)
{
    for (int i = 0; i < directive_count; i++) {
        int block;
        unsigned at;

        if (is_certain_wait(number, i, &block, &at) && block >= home &&
            nodes[block].lo >= nodes[home].lo && nodes[block].hi <= nodes[home].hi)
            return true;
    }
    return false;
}

/* Was it waited for when this place is reached? */
bool is_over(int number, unsigned place)
{
    for (int i = 0; i < directive_count; i++) {
        int block;
        unsigned at;

        if (is_certain_wait(number, i, &block, &at) && at <= place && is_inside(place, block))
            return true;
    }
    return false;
}

bool outlives(int number, int v)
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
