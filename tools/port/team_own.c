/*
 * team_own.c - the variables that each thread of a region has.
 *
 * SPDX-License-Identifier: MIT
 */
#include "team.h"

#include <string.h>

/* ---- variables ---- */

bool is_loop_of(int number, int v)
{
    const directive *c = &directives[number];
    int n = c->statement;
    long depth = collapse_of(c);

    if (!(c->words & W_FOR))
        return false;
    for (; depth > 0 && node_is(n, CXCursor_ForStmt); depth--) {
        int first = nodes[n].child, body;

        if (node_is(first, CXCursor_BinaryOperator) && is_name(nodes[first].child, v))
            return true;
        for (body = first; body >= 0 && nodes[body].next >= 0; body = nodes[body].next)
            ;
        while (node_is(body, CXCursor_CompoundStmt))
            body = nodes[body].child;
        n = body;
    }
    return false;
}

bool is_private_in(int number, int v)
{
    return (directives[number].words & W_FOR) &&
           (is_loop_of(number, v) || is_in_list(&directives[number], "private", variables[v].name));
}

/* Is the region's own variable the loop's?  Else the body declares it. */
bool is_assigned(const team *t, int number, int v)
{
    (void)number;
    return own_of(t, v) != NULL;
}

static int private_construct(const team *t, int v, unsigned at)
{
    for (int i = 0; i < t->construct_count; i++)
        if (in_construct(t->constructs[i], at) && is_private_in(t->constructs[i], v))
            return t->constructs[i];
    return -1;
}

static own *add_own(team *t, int v, enum role role)
{
    t->owns = grow(t->owns, (size_t)(t->own_count + 1) * sizeof *t->owns);
    t->owns[t->own_count] = (own){ .variable = v, .home = -1, .role = role };
    return &t->owns[t->own_count++];
}

/* What happens first to the thread's own variable, which is not that of a loop in it. */
static int first_of_thread(const team *t, int n, int v)
{
    int *others = grow(NULL, (size_t)(t->construct_count + 1) * sizeof *others), count = 0;

    for (int i = 0; i < t->construct_count; i++)
        if (is_private_in(t->constructs[i], v))
            others[count++] = directives[t->constructs[i]].statement;
    return first_use_beside(n, v, others, count);
}

/* What happens to it first in a phase. */
static int first_in(const team *t, int k, int v)
{
    int best = NONE;

    if (!t->block)
        return first_use(t->statement, v);
    for (int i = t->phases[k].first; i < t->phases[k].past; i++) {
        int one = first_of_thread(t, t->statements[i], v);

        for (int k2 = 0; one == WRITTEN && k2 < t->construct_count; k2++)
            if ((directives[t->constructs[k2]].words & (W_SINGLE | W_MASTER)) &&
                directives[t->constructs[k2]].statement >= t->statements[i] &&
                directives[t->constructs[k2]].statement < nodes[t->statements[i]].end &&
                names(directives[t->constructs[k2]].statement, v))
                one = PERHAPS; /* thread 0 alone */

        if (one == WRITTEN || one == READ_FIRST)
            return one;
        if (one == PERHAPS)
            best = PERHAPS;
    }
    return best;
}

static bool is_used_in(const team *t, int k, int v, bool *by_name)
{
    bool used = false;

    *by_name = true;
    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == v && references[i].at >= t->phases[k].lo &&
            references[i].at < t->phases[k].hi) {
            used = true;
            *by_name &= references[i].node >= 0;
        }
    return used;
}

static const char *why_not_own(team *t, own *o)
{
    const variable *v = &variables[o->variable];
    bool declared = in_region(t, v->at) && !v->is_global;
    int users = 0;

    if (declared && clang_Cursor_getStorageClass(v->decl) == CX_SC_Static)
        return format("%s, which is static, is declared in it", v->name);
    if (declared)
        o->home = phase_at(t, v->at);
    for (int k = 0; k < t->phase_count; k++) {
        bool by_name;
        int first;

        if (!is_used_in(t, k, o->variable, &by_name))
            continue;
        users++;
        first = by_name ? first_in(t, k, o->variable) : READ_FIRST;
        if (k > (declared ? o->home : 0) && (first == READ_FIRST || first == PERHAPS))
            o->carried = true;
    }
    if (users < 2 && !(declared && o->home >= 0))
        o->carried = false;
    if ((o->role == REDUCTION || o->role == FIRSTPRIVATE) && t->phase_count > 1)
        o->carried = true;
    if ((o->carried || !declared) && has_attribute(o->variable))
        return format("%s has an attribute, and is declared anew", v->name);
    t->any_carried |= o->carried;
    /* the loop's variable is the region's own: who reads it behind the loop? */
    for (int i = 0; i < reference_count; i++) {
        const reference *r = &references[i];
        bool behind = false;

        if (r->variable != o->variable || !in_region(t, r->at) ||
            private_construct(t, o->variable, r->at) >= 0)
            continue;
        for (int c = 0; c < t->construct_count; c++)
            behind |= is_private_in(t->constructs[c], o->variable) &&
                      names(directives[t->constructs[c]].statement, o->variable) &&
                      (directives[t->constructs[c]].lo < r->at ||
                       is_in_loop(directives[t->constructs[c]].statement, t->statement));
        if (!behind)
            continue;
        for (int s = 0; s < t->statement_count; s++) {
            int n = t->statements[s];

            if (r->at < nodes[n].lo || r->at >= statement_end(n))
                continue;
            if (r->node < 0 || first_of_thread(t, n, o->variable) != WRITTEN)
                return format("%s is used behind the loop that has it as its own", v->name);
        }
    }
    return NULL;
}

static const char *op_in_clauses(const directive *d, const char *name)
{
    for (int i = 0; i < d->clause_count; i++) {
        const clause *c = &d->clauses[i];
        int first;
        const char *op;

        if (strcmp(c->name, "reduction") != 0 || !(op = reduction_operator(c, &first)))
            continue;
        for (int k = first; k < c->past; k++)
            if (token_is(k, name))
                return op;
    }
    return NULL;
}

/* Of a region, by its clause. */
static const char *why_not_reduced(const own *o, unsigned how)
{
    const variable *v = &variables[o->variable];

    if (!o->op)
        return format("the reduction of %s is declared by the user", v->name);
    if (how & USE_HIDDEN)
        return format("%s is reduced, and stands in a macro", v->name);
    if (!is_scalar(v->type) || clang_getCanonicalType(v->type).kind == CXType_Bool ||
        !identity_text(o->op, v->type))
        return format("the reduction of %s, of type %s", v->name, type_name(v->type));
    return NULL;
}

const char *why_not_variables(team *t)
{
    use *all;
    int count = uses_in(nodes[t->statement].lo, nodes[t->statement].hi, &all);
    const char *why;

    for (int i = 0; i < count; i++) {
        int v = all[i].variable;
        const char *name = variables[v].name;
        bool declared = all[i].inside && !variables[v].is_global;
        own *o = NULL;
        bool loops = false, elsewhere = false, first_only = true;

        if (declared) {
            bool deep = true;

            for (int n = t->statement; n < nodes[t->statement].end; n++)
                if (nodes[n].kind == CXCursor_VarDecl &&
                    clang_equalCursors(clang_getCanonicalCursor(nodes[n].cursor),
                                       variables[v].decl))
                    deep = nodes[nodes[n].parent].parent != t->statement;
            if (deep) {
                if (clang_Cursor_getStorageClass(variables[v].decl) == CX_SC_Static)
                    return format("%s, which is static, is declared in it", name);
                continue;
            }
            o = add_own(t, v, SHARED);
        } else if (is_in_list(t->d, "private", name)) {
            o = add_own(t, v, PRIVATE);
        } else if (is_in_list(t->d, "firstprivate", name)) {
            if (all[i].how == USE_READ && !variables[v].is_global && !has_another_name(v) &&
                is_value(variables[v].type) && !is_array(variables[v].type) &&
                keeps_value(v, nodes[t->statement].lo, nodes[t->statement].hi))
                continue; /* a copy, whether or not */
            o = add_own(t, v, FIRSTPRIVATE);
        } else if (is_in_list(t->d, "reduction", name)) {
            o = add_own(t, v, REDUCTION);
            o->op = op_in_clauses(t->d, name);
            if ((why = why_not_reduced(o, all[i].how)) != NULL)
                return why;
        }
        for (int k = 0; k < reference_count; k++) {
            int c;

            if (references[k].variable != v || !in_region(t, references[k].at))
                continue;
            c = private_construct(t, v, references[k].at);
            if (c < 0)
                elsewhere = true;
            else {
                loops = true;
                first_only &= is_name(nodes[nodes[directives[c].statement].child].child, v) &&
                              nodes[nodes[directives[c].statement].child].kind ==
                                  CXCursor_BinaryOperator &&
                              !is_in_list(&directives[c], "private", name);
            }
        }
        if (o && o->role == REDUCTION && loops)
            return format("%s is reduced and private", name);
        if (!o && loops && elsewhere)
            return format("%s is the own variable of a loop, and used outside of it", name);
        if (!o && loops && !first_only)
            o = add_own(t, v, PRIVATE);
        if (o && o->role == PRIVATE && loops && !elsewhere && first_only)
            t->own_count--, o = NULL; /* the loops declare it */
        if (o && t->phase_count > 1 && is_array(variables[v].type) &&
            clang_getCursorKind(variables[v].decl) == CXCursor_ParmDecl)
            return format("the parameter %s, which is no array, is each thread's own", name);
        if (o && (why = why_not_own(t, o)) != NULL)
            return why;
    }
    for (int i = 0; i < t->own_count; i++)
        for (int k = 0; k < i; k++)
            if (t->phase_count > 1 && strcmp(variables[t->owns[i].variable].name,
                                             variables[t->owns[k].variable].name) == 0)
                return format("two variables are named %s",
                              variables[t->owns[i].variable].name);
    return t->phase_count < 2 ? NULL : is_cxx ? why_not_objects(t) : why_pointed_at(t);
}
