/*
 * task.c - functions with tasks in them, in C: they become tweed's, by fork and join.
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
#include "making.h"
#include "task.h"

#include <string.h>

typedef struct batch { /* tasks of one kind, one after the other */
    const char *kind;
    int target;    /* variable that gets the result, or -1 */
    char *counter; /* NULL: each of them is spawned, and once */
    int count;     /* of its directives */
} batch;

typedef struct spawned {
    int number; /* directive */
    int unit;
    int call;   /* node; -1: it moves */
    int callee; /* task function */
    int target;
    const char *kind;
} spawned;

typedef struct spawner {
    int node; /* the function's */
    int body;
    const char *name, *task;
    spawned *all;
    int count;
    batch *units;
    int unit_count;
    int *waits; /* directives: taskwait, taskgroup */
    int wait_count;
    bool jumps, breaks;
} spawner;

static spawner *forks;
static int fork_count;

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

static spawner *fork_of(int function)
{
    for (int i = 0; i < fork_count; i++)
        if (forks[i].node == function)
            return &forks[i];
    return NULL;
}

/* The node of the function that is called, if it is in the file; -1 else. */
static int called_function(int at)
{
    CXCursor to = clang_getCursorDefinition(clang_getCursorReferenced(nodes[at].cursor));

    if (clang_Cursor_isNull(to))
        return -1;
    for (int n = 0; n < node_count; n = nodes[n].end)
        if (nodes[n].kind == CXCursor_FunctionDecl && clang_equalCursors(nodes[n].cursor, to))
            return n;
    return -1;
}

bool is_inside(unsigned at, int n)
{
    return nodes[n].lo <= at && at < nodes[n].hi;
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

/* ---- sizes and types ---- */

static long long bytes_of(CXType t)
{
    long long size = clang_Type_getSizeOf(t);

    return size < 1 ? 1000 : (size + 7) / 8 * 8;
}

/* An array as a parameter is a pointer. */
static CXType parameter_type(CXCursor c)
{
    CXType t = clang_getCursorType(c);

    return is_array(t) || clang_getCanonicalType(t).kind != CXType_Pointer ? t
           : is_prefix(t) ? t : clang_getCanonicalType(t);
}

static char *parameters_text(making *m, int function, long long *bytes, const char **why)
{
    text t = { 0 };

    text_add(&t, "");
    *bytes = 0;
    for (int c = nodes[function].child; c >= 0; c = nodes[c].next) {
        CXType type;
        char *s, *name = cursor_name(nodes[c].cursor);

        if (nodes[c].kind != CXCursor_ParmDecl)
            continue;
        type = parameter_type(nodes[c].cursor);
        if (is_array(type) || is_variable_array(type) || !is_prefix(type) || !*name ||
            is_local_type(m->p, type) || clang_isVolatileQualifiedType(type) ||
            !(s = prefix_of(m, type, name)) || m->typedefs.n) {
            *why = format("the type of %s, which the function is given", *name ? name : "an argument");
            return NULL;
        }
        *bytes += bytes_of(type);
        text_format(&t, ", %s, %s", s, name);
    }
    return t.s;
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
        (!is_prefix(result) || bytes_of(result) > 48 || !declare(result, "")))
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

/* ---- clauses of a task ---- */

bool in_clause(const directive *d, const char *clause_name, const char *name)
{
    for (int i = 0; i < d->clause_count; i++)
        if (strcmp(d->clauses[i].name, clause_name) == 0)
            for (int t = d->clauses[i].first; t < d->clauses[i].past; t++)
                if (token_is(t, name))
                    return true;
    return false;
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
            for (int t = c->first; t < c->past; t++)
                if (tokens[t].kind != CXToken_Identifier && !token_is(t, ","))
                    return leave(d, "%s of what is no plain variable", c->name);
        if (strcmp(c->name, "if") == 0 && token_is(c->first + 1, ":") &&
            !token_is(c->first, "task"))
            return leave(d, "if(%s: ...)", token_text(c->first));
    }
    return true;
}

bool is_static(int v)
{
    return variables[v].is_global ||
           clang_Cursor_getStorageClass(variables[v].decl) == CX_SC_Static;
}

/* Of a task in no parallel construct of the function's own: its variables are copied. */
static bool is_shared(const directive *d, int v)
{
    const clause *c = find_clause(d, "default");

    if (in_clause(d, "shared", variables[v].name))
        return true;
    if (in_clause(d, "firstprivate", variables[v].name))
        return false;
    return is_static(v) || (c && token_is(c->first, "shared"));
}

/* ---- the tasks of a function ---- */

static int bare(int n)
{
    while (node_is(n, CXCursor_ParenExpr) || node_is(n, CXCursor_UnexposedExpr))
        n = nodes[n].child;
    return n;
}

/* Is this a call of a function that is a task where the call stands? */
static bool is_task_call(int n, const spawner *from, int *callee)
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
    f->all = grow(f->all, (size_t)(f->count + 1) * sizeof *f->all);
    f->all[f->count++] = s;
    return true;
}

/* ---- the order of spawns and syncs ---- */

bool is_loop(int n)
{
    return node_is(n, CXCursor_ForStmt) || node_is(n, CXCursor_WhileStmt) ||
           node_is(n, CXCursor_DoStmt);
}

/* The innermost node of the kind around a place. */
static int block_around(const spawner *f, unsigned at)
{
    int found = f->body;

    for (int n = f->body; n < nodes[f->body].end; n++)
        if (nodes[n].kind == CXCursor_CompoundStmt && nodes[n].lo < at && at < nodes[n].hi)
            found = n;
    return found;
}

static unsigned place_of_wait(const spawner *f, int k)
{
    const directive *d = &directives[f->waits[k]];

    return d->words == W_TASKGROUP ? statement_end(d->statement) - 1 : d->lo;
}

/* Where the block begins that a wait stands in.  That of a taskgroup stands behind it. */
static int block_of_wait(const spawner *f, int k)
{
    return block_around(f, directives[f->waits[k]].lo);
}

/* Is there a wait between the two on each way? */
static bool is_between(const spawner *f, unsigned a, unsigned b)
{
    for (int k = 0; k < f->wait_count; k++) {
        unsigned at = place_of_wait(f, k);
        int block = block_of_wait(f, k);

        if (a < at && at < b && is_inside(a, block) && nodes[block].lo < b && b < nodes[block].hi)
            return true;
    }
    return false;
}

static unsigned at_of(const spawned *s)
{
    return directives[s->number].lo;
}

/* Does the loop wait for it in each turn? */
static bool is_waited_for(const spawner *f, int l, unsigned at)
{
    for (int k = 0; k < f->wait_count; k++) {
        unsigned w = place_of_wait(f, k);
        int block = block_of_wait(f, k);

        if (at < w && is_inside(w, l) && is_inside(at, block) && nodes[block].lo >= nodes[l].lo &&
            !f->jumps)
            return true;
    }
    return false;
}

static bool is_pending(const spawner *f, const spawned *s, unsigned at)
{
    if (at_of(s) < at) {
        for (int n = f->body; !f->breaks && n < nodes[f->body].end; n++)
            if (is_loop(n) && is_inside(at_of(s), n) && at >= nodes[n].hi &&
                is_waited_for(f, n, at_of(s)))
                return false;
        return !is_between(f, at_of(s), at);
    }
    for (int n = f->body; n < nodes[f->body].end; n++)
        if (is_loop(n) && is_inside(at, n) && is_inside(at_of(s), n) &&
            !is_waited_for(f, n, at_of(s)))
            return true;
    return false;
}

/* Was it spawned, and once, whenever this place is reached? */
static bool is_certain(const spawner *f, const spawned *s, unsigned at)
{
    const directive *d = &directives[s->number];
    int block = block_around(f, at), n;

    if (at_of(s) > at || f->jumps || find_clause(d, "if") || find_clause(d, "final"))
        return false;
    for (n = nodes[d->statement].parent; n >= 0 && n != f->body; n = nodes[n].parent)
        if (is_loop(n) && !is_waited_for(f, n, at_of(s)))
            return false;
    for (n = f->body; n < nodes[f->body].end; n++) /* it would be waited for in each turn */
        if (is_loop(n) && is_inside(at, n) && !is_inside(at_of(s), n))
            return false;
    for (n = nodes[d->statement].parent; n >= 0; n = nodes[n].parent) {
        if (!node_is(n, CXCursor_CompoundStmt))
            return false;
        if (n == block || is_inside(nodes[block].lo, n))
            return true;
    }
    return false;
}

/* All places where the function waits: waits, returns, the end. */
static unsigned *places(const spawner *f, int *count)
{
    unsigned *all = NULL;
    int last = -1;

    *count = 0;
    for (int k = 0; k < f->wait_count; k++) {
        all = grow(all, (size_t)(*count + 1) * sizeof *all);
        all[(*count)++] = place_of_wait(f, k);
    }
    for (int n = f->body; n < nodes[f->body].end; n++)
        if (nodes[n].kind == CXCursor_ReturnStmt) {
            all = grow(all, (size_t)(*count + 1) * sizeof *all);
            all[(*count)++] = nodes[n].lo;
        }
    for (int c = nodes[f->body].child; c >= 0; c = nodes[c].next)
        last = c;
    if (!node_is(last, CXCursor_ReturnStmt)) {
        all = grow(all, (size_t)(*count + 1) * sizeof *all);
        all[(*count)++] = nodes[f->body].hi - 1;
    }
    return all;
}

/* Is it waited for in one place, or perhaps there and later, too?  Behind a return nothing is. */
static bool is_waited_for_once(const spawner *f, const spawned *s, const unsigned *where, int count)
{
    for (int k = 0; k < f->wait_count; k++)
        for (int i = 0; i < count && is_pending(f, s, place_of_wait(f, k)); i++)
            if (where[i] > place_of_wait(f, k) && is_pending(f, s, where[i]))
                return false;
    return true;
}

static bool make_units(spawner *f)
{
    int count;
    unsigned *where = places(f, &count);

    for (int n = f->body; n < nodes[f->body].end; n++)
        f->breaks |= nodes[n].kind == CXCursor_BreakStmt;
    for (int n = f->body; n < nodes[f->body].end; n++)
        f->jumps |= nodes[n].kind == CXCursor_ContinueStmt || nodes[n].kind == CXCursor_SwitchStmt;
    for (int i = 0; i < f->count; i++) {
        spawned *s = &f->all[i];
        batch *last = f->unit_count ? &f->units[f->unit_count - 1] : NULL;

        if (s->target >= 0) { /* it must be there where the task is waited for */
            bool seen = true;
            unsigned at = variables[s->target].at;

            for (int k = 0; k < count && !variables[s->target].is_global; k++)
                if (is_pending(f, s, where[k])) {
                    int block = at < nodes[f->body].lo ? f->body : block_around(f, at);

                    seen &= at < nodes[f->body].lo ||
                            (nodes[block].lo < where[k] && where[k] < nodes[block].hi && at < where[k]);
                }
            for (int n = f->body; n < nodes[f->body].end; n++)
                seen &= !(is_loop(n) && is_inside(at_of(s), n) && !is_waited_for(f, n, at_of(s)));
            for (int i2 = 0; i2 < reference_count; i2++) /* a name of another one between */
                seen &= !(references[i2].variable != s->target &&
                          strcmp(variables[references[i2].variable].name,
                                 variables[s->target].name) == 0 &&
                          is_inside(references[i2].at, f->body));
            if (!seen)
                s->call = s->target = -1;
        }
        s->kind = s->call >= 0 ? fork_of(s->callee)->task
                               : fresh(format("%s_part", f->name));
        if (last && s->target < 0 && last->target < 0 && strcmp(last->kind, s->kind) == 0) {
            last->count++;
        } else {
            f->units = grow(f->units, (size_t)(f->unit_count + 1) * sizeof *f->units);
            f->units[f->unit_count] = (batch){ s->kind, s->target, NULL, 1 };
            last = &f->units[f->unit_count++];
        }
        s->unit = f->unit_count - 1;
        for (int k = 0; k < count; k++)
            if (is_pending(f, s, where[k]) && !last->counter &&
                (!is_certain(f, s, where[k]) || !is_waited_for_once(f, s, where, count)))
                last->counter = fresh_local(s->unit ? format("port_spawned_%d", s->unit + 1)
                                                    : "port_spawned");
    }
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < i; k++)
            for (int n = f->body; f->all[i].unit != f->all[k].unit && n < nodes[f->body].end; n++)
                if (is_loop(n) && is_inside(at_of(&f->all[i]), n) &&
                    is_inside(at_of(&f->all[k]), n) &&
                    !(is_waited_for(f, n, at_of(&f->all[i])) &&
                      is_waited_for(f, n, at_of(&f->all[k]))))
                    return leave(&directives[f->all[i].number],
                                 "tasks of two kinds in a loop, which does not wait for them");
    return true;
}

static char *sync_text(const spawner *f, unsigned at)
{
    text t = { 0 };

    text_add(&t, "");
    for (int u = f->unit_count - 1; u >= 0; u--) {
        const batch *one = &f->units[u];
        int pending = 0;
        char *sync = one->target < 0 ? format("TWEED_SYNC(%s);", one->kind)
                                     : format("%s = TWEED_SYNC(%s);", mark(one->target), one->kind);

        for (int i = 0; i < f->count; i++)
            pending += f->all[i].unit == u && is_pending(f, &f->all[i], at);
        if (!pending)
            continue;
        if (one->counter)
            text_format(&t, "for (; %s > 0; %s--)\n    %s\n", one->counter, one->counter, sync);
        else
            for (int k = 0; k < pending; k++)
                text_format(&t, "%s\n", sync);
    }
    return t.s;
}

/* ---- what moves ---- */

static const spawner *moves_of; /* while a task of it moves */

bool is_moved_task(CXCursor function)
{
    return moves_of && clang_equalCursors(clang_getCanonicalCursor(function),
                                          clang_getCanonicalCursor(nodes[moves_of->node].cursor));
}


static const char *name_in_task(void *data, int v, const reference *r)
{
    making *m = data;

    (void)r;
    return m->called[v];
}

/* The task above the function; what it is given. */
static char *move_task(spawner *f, const spawned *s)
{
    directive *d = &directives[s->number];
    unsigned lo = nodes[d->statement].lo, hi = statement_end(d->statement);
    plan p = { .d = d, .number = s->number, .name = format("%s", s->kind) };
    making m = { .p = &p };
    long long bytes = 0;
    text head = { 0 }, values = { 0 };
    use *all;
    int count = uses_in(lo, hi, &all);
    const char *why;
    char *body;

    moves_of = f;
    why = why_unmovable(f->node, lo, hi);
    moves_of = NULL;
    if (why) {
        leave(d, "%s", why);
        return NULL;
    }
    m.called = grow(NULL, (size_t)(variable_count + 1) * sizeof *m.called);
    memset(m.called, 0, (size_t)variable_count * sizeof *m.called);
    text_format(&head, "TWEED_TASK(void, %s", s->kind);
    text_add(&values, "");
    for (int i = 0; i < count; i++) {
        int v = all[i].variable;
        CXType t = variables[v].type;
        char *type;

        if (all[i].inside || variables[v].is_global)
            continue;
        if (is_static(v)) {
            leave(d, "%s is a static variable of the function", variables[v].name);
            return NULL;
        }
        if (is_local_type(&p, t) || variables[v].is_register || is_variable_array(t) ||
            clang_isVolatileQualifiedType(t) || (is_array(t) && clang_getCanonicalType(t).kind == CXType_IncompleteArray)) {
            leave(d, "the task cannot be given %s", variables[v].name);
            return NULL;
        }
        if (!is_shared(d, v)) {
            if (is_array(t) && clang_getCanonicalType(t).kind == CXType_ConstantArray) {
                leave(d, "the array %s is copied for each task: shared(%s)?", variables[v].name,
                      variables[v].name);
                return NULL;
            }
            type = prefix_of(&m, t, variables[v].name);
            bytes += bytes_of(t);
            text_format(&head, ", %s, %s", type ? type : "", variables[v].name);
            text_format(&values, ", %s", mark(v));
        } else {
            if (all[i].how & USE_HIDDEN) {
                leave(d, "%s is shared, and stands in a macro", variables[v].name);
                return NULL;
            }
            if (is_array(t)) {
                char *alias = fresh(format("%s_%s", s->kind, variables[v].name));

                if (declare(t, alias))
                    text_format(&m.typedefs, "typedef %s;\n", declare(t, alias));
                type = declare(t, alias) ? alias : NULL;
            } else {
                type = prefix_of(&m, t, variables[v].name);
            }
            if (type && clang_isConstQualifiedType(clang_getCanonicalType(t)) &&
                clang_getCanonicalType(t).kind != CXType_Pointer)
                type = format("const %s", type);
            else if (clang_isConstQualifiedType(clang_getCanonicalType(t)))
                type = NULL;
            bytes += 8;
            text_format(&head, ", %s%s*, %s", type ? type : "", type && ends_with(type, "*") ? "" : " ",
                        variables[v].name);
            text_format(&values, ", &%s", mark(v));
            m.called[v] = format("(*%s)", variables[v].name);
        }
        if (!type) {
            leave(d, "the type of %s cannot be written at file scope", variables[v].name);
            return NULL;
        }
    }
    if (bytes > 48) {
        leave(d, "the task is given more than 48 bytes");
        return NULL;
    }
    body = dedent(render(lo, hi, name_in_task, &m), indent_at(lo));
    hoist(f->node,
          format("%s%s%s)\n%s\n\n", m.typedefs.n ? m.typedefs.s : "", m.typedefs.n ? "\n" : "",
                 head.s, node_is(d->statement, CXCursor_CompoundStmt)
                             ? body : format("{\n    %s\n}", body)),
          s->number);
    return values.s;
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

static bool put_spawn(spawner *f, const spawned *s)
{
    directive *d = &directives[s->number];
    unsigned lo = d->lo, hi = statement_end(d->statement);
    const batch *u = &f->units[s->unit];
    char *indent = indent_at(d->lo), *given, *spawn, *in_place, *condition = condition_of(d),
         *comments;
    text t = { 0 };
    bool alone = node_is(nodes[d->statement].parent, CXCursor_CompoundStmt);

    if (s->call >= 0) {
        int open = token_at(nodes[s->call].lo) + 1;

        given = render(tokens[open].hi, nodes[s->call].hi - 1, NULL, NULL);
        given = *given ? format(", %s", given) : given;
    } else if (!(given = move_task(f, s))) {
        return false;
    }
    spawn = format("TWEED_SPAWN(%s%s);\n", s->kind, given);
    in_place = format("%s%sTWEED_CALL(%s%s);\n", s->target >= 0 ? mark(s->target) : "",
                  s->target >= 0 ? " = " : "", s->kind, given);
    if (u->counter)
        spawn = format("%s%s++;\n", spawn, u->counter);
    if (condition)
        text_format(&t, "if (%s) {\n%s} else {\n%s}\n", condition, indented(spawn, "    "),
                    indented(in_place, "    "));
    else if (u->counter && !alone)
        text_format(&t, "{\n%s}\n", indented(spawn, "    "));
    else
        text_add(&t, spawn);
    comments = comments_between(d->lo, nodes[d->statement].lo, indent);
    if (s->call >= 0)
        comments = format("%s%s", comments,
                          comments_between(nodes[d->statement].lo, nodes[s->call].lo, indent));
    drop_edits(lo, hi);
    add_edit(lo, hi, format("%s%s", comments, lines_at(t.s, indent)), s->number);
    d->done = true;
    return true;
}

static void put_calls(spawner *f)
{
    for (int n = f->body; n < nodes[f->body].end; n++) {
        int callee, open;

        if (!is_task_call(n, f, &callee) || construct_around(nodes[n].lo, W_PARALLEL) >= 0)
            continue;
        open = token_at(nodes[n].lo) + 1;
        add_edit(nodes[n].lo, tokens[open].hi,
                 format("TWEED_CALL(%s%s", fork_of(callee)->task,
                        token_is(open + 1, ")") ? "" : ", "),
                 f->all[0].number);
    }
}

static void put_syncs(spawner *f)
{
    int last = -1;
    unsigned end = nodes[f->body].hi - 1;
    char *s;

    for (int n = f->body; n < nodes[f->body].end; n++) {
        char *indent = indent_at(nodes[n].lo);
        int around = construct_around(nodes[n].lo, W_TASK);

        if (nodes[n].kind != CXCursor_ReturnStmt || (around >= 0 && directives[around].function == f->node))
            continue;
        s = sync_text(f, nodes[n].lo);
        if (!*s)
            continue;
        if (node_is(nodes[n].parent, CXCursor_CompoundStmt)) {
            add_edit(nodes[n].lo, nodes[n].lo, format("%s\n%s", lines_at(s, indent), indent),
                     f->all[0].number);
        } else {
            add_edit(nodes[n].lo, nodes[n].lo,
                     format("{\n%s    %s\n%s    ", indent, lines_at(s, format("%s    ", indent)), indent),
                     f->all[0].number);
            add_edit(statement_end(n), statement_end(n), format("\n%s}", indent), f->all[0].number);
        }
    }
    for (int k = 0; k < f->wait_count; k++) {
        directive *d = &directives[f->waits[k]];
        char *indent = indent_at(d->lo);

        s = sync_text(f, place_of_wait(f, k));
        if (d->words == W_TASKGROUP) {
            unsigned behind = statement_end(d->statement);

            remove_pragma(d, f->waits[k]);
            if (*s)
                add_edit(behind, behind, format("\n%s%s", indent, lines_at(s, indent)), f->waits[k]);
        } else if (*s) {
            add_edit(d->lo, d->hi, format("%s%s", comments_between(d->lo, d->hi, indent),
                                          lines_at(s, indent)), f->waits[k]);
        } else {
            remove_pragma(d, f->waits[k]);
        }
        d->done = true;
    }
    for (int c = nodes[f->body].child; c >= 0; c = nodes[c].next)
        last = c;
    s = sync_text(f, end);
    if (!node_is(last, CXCursor_ReturnStmt) && *s) {
        char *indent = format("%s    ", indent_at(nodes[f->node].lo));
        unsigned at = line_start(end) > nodes[f->body].lo ? line_start(end) : end;

        add_edit(at, at, format("%s%s\n", indent, lines_at(s, indent)), f->all[0].number);
    }
    for (int u = f->unit_count - 1; u >= 0; u--)
        if (f->units[u].counter)
            add_edit(nodes[f->body].lo + 1, nodes[f->body].lo + 1,
                     format("\n    int %s = 0;", f->units[u].counter), f->all[0].number);
}

/* Does anything but what has become TWEED_CALL name the function, or declare it? */
static bool is_named(const spawner *f)
{
    if (clang_getCursorLinkage(nodes[f->node].cursor) != CXLinkage_Internal)
        return true;
    for (int n = 0; n < node_count; n++) {
        int from;

        if (n != f->node && nodes[n].kind == CXCursor_FunctionDecl &&
            strcmp(cursor_name(nodes[n].cursor), f->name) == 0)
            return true;
        if (nodes[n].kind != CXCursor_DeclRefExpr ||
            strcmp(cursor_name(nodes[n].cursor), f->name) != 0)
            continue;
        from = function_of(nodes[n].lo);
        if (from < 0 || !fork_of(from) || from < f->node ||
            construct_around(nodes[n].lo, W_PARALLEL) >= 0)
            return true;
    }
    return false;
}

static bool put_function(spawner *f)
{
    plan p = { .d = &directives[f->all[0].number], .number = f->all[0].number, .name = format("%s", f->task) };
    making m = { .p = &p };
    long long bytes;
    const char *why = NULL;
    char *list = parameters_text(&m, f->node, &bytes, &why), *result, *head;
    CXType t = clang_getCursorResultType(nodes[f->node].cursor);
    text names = { 0 };
    bool moves = false;

    if (!list || bytes > 48)
        return leave(p.d, "%s", list ? "the function is given more than 48 bytes" : why);
    result = t.kind == CXType_Void ? format("void") : declare(t, "");
    put_calls(f);
    for (int i = 0; i < f->count; i++)
        moves |= f->all[i].call < 0;
    head = format("(%s, %s%s)", result, f->task, list);
    if (moves)
        hoist(f->node, format("TWEED_DECLARE_TASK%s;\n\n", head), p.number);
    put_syncs(f);
    for (int i = 0; i < f->count; i++)
        if (!put_spawn(f, &f->all[i]))
            return false;
    for (int c = nodes[f->node].child; c >= 0; c = nodes[c].next)
        if (nodes[c].kind == CXCursor_ParmDecl)
            text_format(&names, ", %s", cursor_name(nodes[c].cursor));
    if (is_named(f)) {
        char *old = copy_bytes(source + nodes[f->node].lo, nodes[f->body].lo - nodes[f->node].lo);

        while (strchr(" \t\r\n", old[strlen(old) - 1]))
            old[strlen(old) - 1] = 0;
        add_edit(nodes[f->body].hi, nodes[f->body].hi,
                 format("\n\n%s\n{\n    %sTWEED_RUN(%s%s);\n}", old,
                        t.kind == CXType_Void ? "" : "return ", f->task,
                        names.n ? names.s : ""),
                 p.number);
    }
    drop_edits(nodes[f->node].lo + 1, nodes[f->body].lo);
    add_edit(nodes[f->node].lo, nodes[f->body].lo,
             format("TWEED_%s%s\n", moves ? "DEFINE_TASK" : "TASK", head),
             p.number);
    return true;
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

static bool port_tasks_c(void)
{
    bool good = find_forks() && read_forks();

    for (int i = 0; good && i < fork_count; i++)
        good = make_units(&forks[i]);
    for (int i = 0; good && i < fork_count; i++)
        good = calls_fit(&forks[i]);
    for (int i = 0; good && i < fork_count; i++)
        good = put_function(&forks[i]);
    return good;
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
