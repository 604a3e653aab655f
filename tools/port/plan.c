/*
 * plan.c - the clauses of a directive, and what becomes of each variable.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <stdlib.h>
#include <string.h>

/* A name in a function: of two functions it may be the same. */
char *fresh_local(const char *base)
{
    char *name = format("%s", base);

    for (int k = 2; name_is_used(name); k++)
        name = format("%s_%d", base, k);
    return name;
}

char *fresh(const char *base)
{
    char *name = format("%s", base);

    for (int k = 2; name_is_used(name) || name_is_used(format("%s_with", name)); k++)
        name = format("%s_%d", base, k);
    note_name(name);
    return name;
}

item *item_named(plan *p, const char *name)
{
    for (int i = 0; i < p->item_count; i++)
        if (strcmp(variables[p->items[i].variable].name, name) == 0)
            return &p->items[i];
    return NULL;
}

static bool is_index(const plan *p, const char *name)
{
    for (int k = 0; k < p->dimensions; k++)
        if (strcmp(variables[p->loops[k].variable].name, name) == 0)
            return true;
    return false;
}

/* A member of *this? */
static bool is_member_in(const plan *p, const char *name)
{
    for (int n = p->body; n < nodes[p->body].end; n++)
        if (nodes[n].kind == CXCursor_MemberRefExpr &&
            (nodes[n].child < 0 || node_is(nodes[n].child, CXCursor_CXXThisExpr)) &&
            strcmp(cursor_name(nodes[n].cursor), name) == 0)
            return true;
    return false;
}

/* The member, where the body names it so and in no other manner, and not in a lambda; -1: it
   does not. */
static int plain_member(const plan *p, const char *name)
{
    int found = -1;

    if (!is_cxx || p->d->function < 0 || nodes[p->d->function].kind == CXCursor_LambdaExpr)
        return -1;
    for (int n = p->body; n < nodes[p->body].end; n++) {
        CXCursor to;

        if (nodes[n].kind == CXCursor_LambdaExpr || nodes[n].kind == CXCursor_CXXThisExpr)
            return -1;
        if ((nodes[n].kind != CXCursor_MemberRefExpr && nodes[n].kind != CXCursor_MemberRef) ||
            nodes[n].child >= 0 || strcmp(cursor_name(nodes[n].cursor), name) != 0)
            continue;
        to = clang_getCursorReferenced(nodes[n].cursor);
        if (clang_getCursorKind(to) != CXCursor_FieldDecl || !spelled(n, name) ||
            clang_isVolatileQualifiedType(clang_getCursorType(to)))
            return -1;
        found = variable_of_member(to);
    }
    return found;
}

bool set_role(plan *p, const char *name, enum role role, const char *op)
{
    item *i = item_named(p, name);
    int member = !i && role == REDUCTION && !is_index(p, name) ? plain_member(p, name) : -1;

    if (member >= 0) { /* in the body a local variable hides it */
        p->items = grow(p->items, (size_t)(p->item_count + 1) * sizeof *p->items);
        i = &p->items[p->item_count++];
        *i = (item){ .variable = member, .how = USE_WRITE, .role = SHARED, .declared = -1 };
    }
    if (is_index(p, name)) {
        if (role == PRIVATE || role == SHARED)
            return true;
        return leave(p->d, "%s of the variable of the loop",
                     role == LASTPRIVATE ? "lastprivate" : "a clause");
    }
    if (!i) {
        if (role != SHARED && is_member_in(p, name))
            return leave(p->d, "%s in a clause is no variable of a function or of the file",
                         name);
        return true;
    }
    if (i->listed && i->role != role) {
        if (i->role + role != FIRSTPRIVATE + LASTPRIVATE)
            return leave(p->d, "%s is in two clauses", name);
        role = FIRST_AND_LAST;
    }
    if (role == LASTPRIVATE || role == FIRST_AND_LAST)
        p->any_last = true;
    i->role = role;
    i->listed = true;
    i->op = op;
    return true;
}

/* A list of names. */
bool read_list(plan *p, const clause *c, int first, enum role role, const char *op)
{
    for (int t = first; t < c->past; t++) {
        int next = code_at(t + 1);

        if (tokens[t].kind == CXToken_Comment || token_is(t, ","))
            continue;
        if (tokens[t].kind != CXToken_Identifier || (next < c->past && !token_is(next, ",")))
            return leave(p->d, "%s of what is no plain variable", c->name);
        if (!set_role(p, token_text(t), role, op))
            return false;
    }
    return true;
}

static bool read_if(plan *p, const clause *c)
{
    int t = c->first;

    if (token_is(t, "parallel") && token_is(t + 1, ":"))
        t += 2;
    if (token_is(t + 1, ":"))
        return leave(p->d, "if(%s: ...)", token_text(t));
    p->if_text = render(tokens[t].lo, tokens[c->past - 1].hi, NULL, NULL);
    return true;
}

static bool read_clause(plan *p, const clause *c)
{
    static const char *const nothing[] = { "schedule", "collapse", "nowait", "proc_bind",
                                           "safelen", "simdlen", "aligned", "nontemporal",
                                           "order", NULL };

    for (int i = 0; nothing[i]; i++)
        if (strcmp(c->name, nothing[i]) == 0)
            return true;
    if (strcmp(c->name, "private") == 0)
        return read_list(p, c, c->first, PRIVATE, NULL);
    if (strcmp(c->name, "firstprivate") == 0)
        return read_list(p, c, c->first, FIRSTPRIVATE, NULL);
    if (strcmp(c->name, "lastprivate") == 0) {
        if (token_is(c->first + 1, ":"))
            return leave(p->d, "lastprivate(conditional: ...)");
        return read_list(p, c, c->first, LASTPRIVATE, NULL);
    }
    if (strcmp(c->name, "shared") == 0)
        return read_list(p, c, c->first, SHARED, NULL);
    if (strcmp(c->name, "default") == 0)
        return token_is(c->first, "none") || token_is(c->first, "shared") ||
               leave(p->d, "default(%s)", token_text(c->first));
    if (strcmp(c->name, "reduction") == 0)
        return read_reduction_clause(p, c);
    if (strcmp(c->name, "if") == 0)
        return read_if(p, c);
    if (strcmp(c->name, "num_threads") == 0) {
        p->threads_text = render(tokens[c->first].lo, tokens[c->past - 1].hi, NULL, NULL);
        return true;
    }
    return leave(p->d, "clause %s", c->name);
}

/* ---- what stands in the body ---- */

static bool directives_fit(plan *p)
{
    if (has_threadprivate() && has_sync(p->text.lo, p->text.hi))
        return leave(p->d, "the file has threadprivate variables");
    for (int i = 0; i < directive_count; i++) {
        const directive *in = &directives[i];

        if (in == p->d)
            continue;
        if (in->lo < p->text.lo || in->lo >= p->text.hi || in->done || in->simple)
            continue;
        if (in->words == W_SIMD)
            continue;
        if (is_skipped(in->lo, in->hi))
            return leave(p->d, "a pragma in code that this configuration leaves out");
        return leave(p->d, "the body has a pragma that is left alone: %s",
                     token_text(in->first));
    }
    return true;
}

/* ---- the loops ---- */

/* The one statement that a body is, besides braces. */
static int only_statement(int body)
{
    while (node_is(body, CXCursor_CompoundStmt)) {
        int child = nodes[body].child;

        if (child < 0 || nodes[child].next >= 0)
            return -1;
        body = child;
    }
    return body;
}

static bool is_rectangular(const plan *p, const loop *l)
{
    for (int i = 0; i < reference_count; i++) {
        const reference *r = &references[i];

        if ((r->at >= l->first.lo && r->at < l->first.hi) ||
            (r->at >= l->bound.lo && r->at < l->bound.hi) ||
            (r->at >= l->step.lo && r->at < l->step.hi))
            for (int k = 0; k < p->dimensions; k++)
                if (r->variable == p->loops[k].variable)
                    return false;
    }
    return true;
}

static bool read_loops(plan *p)
{
    long depth = collapse_of(p->d);

    if (p->d->statement < 0)
        return leave(p->d, "no loop follows");
    if (!read_loop(p->d, p->d->statement, &p->loops[0]))
        return false;
    p->dimensions = 1;
    if (depth == 0)
        return leave(p->d, "collapse of what is no number");
    for (int k = 1, body = p->loops[0].body; k < depth; k++) {
        int inner = only_statement(body);
        loop l;

        if (inner < 0)
            return leave(p->d, "collapse of loops with something between them");
        if (!read_loop(p->d, inner, &l))
            return false;
        body = l.body;
        /* rows alone are shared where the columns are not all alike */
        if (p->collapsed_count == 0 && p->dimensions < 3 && is_rectangular(p, &l))
            p->loops[p->dimensions++] = l;
        else if (p->collapsed_count < 8)
            p->collapsed[p->collapsed_count++] = l.variable;
        else
            return leave(p->d, "collapse of more than eleven loops");
    }
    p->body = p->loops[p->dimensions - 1].body;
    p->text = p->loops[p->dimensions - 1].text;
    for (int k = 0; k < p->dimensions; k++)
        if (!bounds_of(p->d, &p->loops[k]))
            return false;
    return true;
}

/* Behind a simd loop its variable has the value that it has behind a serial one. */
static bool is_read_behind(const loop *l)
{
    unsigned end = statement_end(l->node), next = NOWHERE;
    bool again = false, reads = false;

    for (int n = nodes[l->node].parent; n >= 0; n = nodes[n].parent)
        again |= node_is(n, CXCursor_ForStmt) || node_is(n, CXCursor_WhileStmt) ||
                 node_is(n, CXCursor_DoStmt);
    if (again || variables[l->variable].is_global)
        return true;
    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == l->variable && references[i].at >= end &&
            references[i].at < next) {
            next = references[i].at;
            reads = use_of(&references[i]) != USE_WRITE;
        }
    return reads;
}

static bool writes_index(plan *p)
{
    for (int i = 0; i < reference_count; i++)
        for (int k = 0; k < p->dimensions; k++)
            if (references[i].variable == p->loops[k].variable &&
                references[i].at >= p->text.lo && references[i].at < p->text.hi &&
                !is_cxx && (use_of(&references[i]) & ~(unsigned)USE_READ))
                return true;
    return false;
}

/* Is it in a parallel loop, or is one in it? */
static bool is_nested(const plan *p)
{
    for (int i = 0; i < directive_count; i++)
        if (&directives[i] != p->d && (directives[i].words & W_PARALLEL) &&
            (directives[i].words & W_FOR) &&
            ((directives[i].lo > p->text.lo && directives[i].lo < p->text.hi) ||
             (directives[i].statement >= 0 &&
              nodes[directives[i].statement].lo < p->d->lo &&
              p->d->lo < nodes[directives[i].statement].hi)))
            return true;
    return false;
}

/* What the region around a loop says. */
static bool read_region(plan *p)
{
    const directive *r = &directives[p->d->parent];

    for (int i = 0; i < p->item_count; i++) {
        item *it = &p->items[i];
        enum role role = it->listed ? SHARED : role_in_region(p->d->parent, p->number,
                                                              it->variable);

        if (role != SHARED) {
            it->role = role;
            it->listed = true;
        }
    }
    for (int i = 0; i < r->clause_count; i++)
        if ((strcmp(r->clauses[i].name, "if") == 0 ||
             strcmp(r->clauses[i].name, "num_threads") == 0) &&
            !read_clause(p, &r->clauses[i]))
            return false;
    return true;
}

/* May an element of an array be written to by this name of it? */
bool writes_element(int n)
{
    for (int p = nodes[n].parent; p >= 0; n = p, p = nodes[p].parent)
        switch ((int)nodes[p].kind) {
        case CXCursor_UnexposedExpr:
            if (!is_array(clang_getCursorType(nodes[n].cursor)))
                return false;
            continue;
        case CXCursor_ParenExpr:
        case CXCursor_MemberRefExpr:
        case CXCursor_ArraySubscriptExpr:
            continue;
        case CXCursor_UnaryExpr: /* sizeof */
            return false;
        default:
            return true;
        }
    return true;
}

static bool has_written_element(const plan *p, int v)
{
    if (!is_array(variables[v].type))
        return false;
    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == v && references[i].at >= p->text.lo &&
            references[i].at < p->text.hi &&
            (references[i].node < 0 || writes_element(references[i].node)))
            return true;
    return false;
}

/* In OpenMP a thread's copy lives for all of its indices, here for one: none may see what
   another index has left in it. */
static bool copies_fit(plan *p)
{
    bool chunks = has_chunk(p->number);

    for (int i = 0; i < p->item_count; i++) {
        const item *it = &p->items[i];
        const variable *v = &variables[it->variable];
        CXType t = clang_getCanonicalType(v->type);
        bool is_class = is_cxx && (t.kind == CXType_Record || t.kind == CXType_Unexposed);

        if (it->role != SHARED && has_attribute(it->variable))
            return leave(p->d, "%s has an attribute, and is declared anew", v->name);
        if (it->role != SHARED && it->role != REDUCTION && t.kind == CXType_Atomic)
            return leave(p->d, "%s, which is atomic, has a copy for each thread", v->name);
        if (((it->role == FIRSTPRIVATE || it->role == FIRST_AND_LAST) &&
             ((it->how & ~(unsigned)(USE_READ | USE_HIDDEN)) ||
              has_written_element(p, it->variable))) ||
            ((it->role == PRIVATE || (chunks && it->role == LASTPRIVATE)) && is_class))
            if (first_use(p->body, it->variable) == READ_FIRST)
                return leave(p->d, "an index may read what another one has left in %s", v->name);
        if ((it->role == PRIVATE || (chunks && it->role == LASTPRIVATE)) &&
            (is_scalar(v->type) ||
             (chunks && (t.kind == CXType_Pointer || is_array(v->type)))) &&
            may_read_private(p->body, it->variable, chunks))
            return leave(p->d, "an index may read what another one has left in %s", v->name);
    }
    return true;
}

static bool is_text(range r, const char *s)
{
    return r.hi - r.lo == strlen(s) && memcmp(source + r.lo, s, r.hi - r.lo) == 0;
}

/* Is each index a thread's, and the only one?  So programs are written whose threads meet. */
static bool is_for_threads(const plan *p)
{
    const loop *l = &p->loops[0];
    const clause *c = find_clause(p->d, "num_threads"), *schedule;
    const char *threads;
    bool from_one = is_text(l->first, "1");
    long most;
    int kind;

    if (!c && p->d->parent >= 0)
        c = find_clause(&directives[p->d->parent], "num_threads");
    if (!c)
        return false;
    schedule = schedule_of(p->number, &kind);
    if (schedule && token_is(kind, "static") && kind + 3 == schedule->past &&
        token_is(kind + 2, "1"))
        return true;
    if (l->step_value != 1 || (!from_one && !is_text(l->first, "0")))
        return false;
    threads = copy_bytes(source + tokens[c->first].lo,
                         tokens[c->past - 1].hi - tokens[c->first].lo);
    most = strtol(threads, NULL, 0);
    return (from_one == l->inclusive && is_text(l->bound, threads)) ||
           (constant(l->bound) > 0 && constant(l->bound) - from_one + l->inclusive <= most);
}

/* May one thread have all indices?  It has them in the order of the loop, in OpenMP. */
static bool may_be_alone(const plan *p)
{
    const char *n = p->threads_text;

    return p->if_text || (n && (strspn(n, "0123456789") != strlen(n) || strcmp(n, "1") == 0));
}

/* In the order of loops of several dimensions: a row is not to be parted. */
bool needs_rows(const plan *p)
{
    return p->dimensions > 1 && may_be_alone(p);
}

bool make_plan(plan *p, int number)
{
    use *all;
    int count, kind;
    const char *why;
    bool asks, unsure;

    memset(p, 0, sizeof *p);
    p->d = &directives[number];
    p->number = number;
    p->simd = (p->d->words & W_SIMD) != 0;
    if (!read_loops(p))
        return false;
    count = uses_in(p->text.lo, p->text.hi, &all);
    p->items = grow(NULL, (size_t)(count + 1) * sizeof *p->items);
    for (int i = 0; i < count; i++)
        if (!all[i].inside && !is_index(p, variables[all[i].variable].name))
            p->items[p->item_count++] =
                (item){ .variable = all[i].variable, .how = all[i].how, .role = SHARED,
                        .declared = -1 };
    for (int i = 0; i < p->collapsed_count; i++)
        if (!set_role(p, variables[p->collapsed[i]].name, PRIVATE, NULL))
            return false;
    for (int i = 0; i < p->d->clause_count; i++)
        if (!read_clause(p, &p->d->clauses[i]))
            return false;
    if (p->any_last && p->collapsed_count) /* the last row may be empty */
        return leave(p->d, "lastprivate, and the rows of the collapse are shared alone");
    if (!(p->d->words & W_PARALLEL) && !read_region(p))
        return false;
    if (!directives_fit(p) || !copies_fit(p))
        return false;
    why = why_unfit(p->d, p->loops[p->dimensions - 1].node, p->body, p->dimensions);
    if (why)
        return leave(p->d, "%s", why);
    why = why_outside(nodes[p->d->statement].lo, nodes[p->d->statement].hi);
    if (why)
        return leave(p->d, "%s", why);
    (void)((why = why_left_inside(nodes[p->body].lo, statement_end(p->body))) ||
           (why = why_waiting(p->body, false, "index")));
    if (!why && has_chunk(number))
        why = keep_chunk(p);
    if (why)
        return leave(p->d, "%s", why);
    if (is_for_threads(p) && (why = why_thread_waits(p->body)) != NULL)
        return leave(p->d, "one index for each thread: %s", why);
    asks = asks_for_thread(p->text.lo, p->text.hi);
    if ((p->threads_text || p->if_text) && asks)
        return leave(p->d, "%s, and the body asks for the thread's number",
                     p->threads_text ? "num_threads" : "if");
    unsure = has_unsure_calls(p->text.lo, p->text.hi);
    if ((p->threads_text || p->if_text) && unsure)
        return leave(p->d, "%s, and a function that is not certain may ask for the thread's number",
                     p->threads_text ? "num_threads" : "if");
    /* which thread has which index is said then */
    if ((asks || unsure) && schedule_of(number, &kind) && token_is(kind, "static"))
        return leave(p->d, asks ? "schedule(static), and the body asks for the thread's number"
                                : "schedule(static), and a function that is not certain may ask "
                                  "for the thread's number");
    if (is_cxx && says_its_function(p->text.lo, p->text.hi)) /* a lambda has another name */
        return leave(p->d, "the body names its function");
    if (asks && is_nested(p))
        return leave(p->d, "nested loops, and the body asks for the thread's number");
    if (p->simd && !p->loops[0].declared && is_read_behind(&p->loops[0]))
        return leave(p->d, "the variable of a simd loop is read behind it");
    if (writes_index(p))
        return leave(p->d, "the variable of the loop is changed, or its address taken");
    for (int i = 0; i < p->item_count; i++) {
        const item *it = &p->items[i];

        if (it->role == REDUCTION && (may_be_alone(p) || !may_be_seen(it->op)) &&
            is_read_between(p, it->variable, it->op))
            return leave(p->d, "%s, which is reduced, is read: what it has then is that of a "
                               "thread's indices so far", variables[it->variable].name);
    }
    p->continues = can_continue(p->loops[p->dimensions - 1].node, &p->hidden_continue);
    return true;
}

/* ---- reductions ---- */

int reductions_of(const plan *p, const item **only)
{
    int count = 0;

    for (int i = 0; i < p->item_count; i++)
        if (p->items[i].role == REDUCTION) {
            count++;
            *only = &p->items[i];
        }
    return count;
}

/* into = into op from, as a statement. */
const char *combine_text(const char *op, const char *into, const char *from)
{
    if (strcmp(op, "min") == 0)
        return format("if (%s < %s)\n    %s = %s;", from, into, into, from);
    if (strcmp(op, "max") == 0)
        return format("if (%s > %s)\n    %s = %s;", from, into, into, from);
    if (strcmp(op, "&&") == 0 || strcmp(op, "||") == 0)
        return format("%s = %s %s %s;", into, into, op, from);
    return format("%s %s= %s;", into, op, from);
}

/* The value of no index; NULL: there is none. */
char *identity_text(const char *op, CXType type)
{
    bool least = strcmp(op, "max") == 0;
    CXType t = clang_getCanonicalType(type);
    long long bits = clang_Type_getSizeOf(t) * 8;

    if (strcmp(op, "*") == 0 || strcmp(op, "&&") == 0)
        return format("1");
    if (strcmp(op, "&") == 0)
        return format("(%s)-1", type_name(clang_getCanonicalType(type)));
    if (strcmp(op, "min") != 0 && !least)
        return format("0");
    if (is_floating(t))
        return format("%s%s", least ? "-" : "",
                      t.kind == CXType_Float ? "__builtin_inff()"
                      : t.kind == CXType_Double ? "__builtin_inf()" : "__builtin_infl()");
    if (t.kind == CXType_Enum || bits < 8 || bits > 64)
        return NULL;
    if (is_unsigned(t))
        return format("%s", least ? "0" : format("(%s)-1", type_name(t)));
    return least ? format("(%s)(-(INT64_C(1) << %lld) * 2)", type_name(t), bits - 2)
                 : format("(%s)((INT64_C(1) << %lld) - 1 + (INT64_C(1) << %lld))", type_name(t),
                          bits - 2, bits - 2);
}
