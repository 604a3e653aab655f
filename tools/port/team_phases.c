/*
 * team_phases.c - a region is cut at its barriers, and what may stand in it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "team.h"

#include <stdlib.h>
#include <string.h>

/* ---- phases ---- */

int construct_of(const team *t, int statement)
{
    for (int i = 0; i < t->construct_count; i++)
        if (directives[t->constructs[i]].statement == statement)
            return t->constructs[i];
    return -1;
}

static bool has_barrier(const directive *c)
{
    return (c->words & (W_FOR | W_SINGLE)) && !find_clause(c, "nowait");
}

/* Is there a barrier behind this statement of the region? */
static bool is_cut_behind(const team *t, int k)
{
    unsigned lo = statement_end(t->statements[k]),
             hi = k + 1 < t->statement_count ? nodes[t->statements[k + 1]].lo
                                             : nodes[t->statement].hi;
    int c = construct_of(t, t->statements[k]);

    if (c >= 0 && has_barrier(&directives[c]))
        return true;
    for (int i = 0; i < t->construct_count; i++) {
        const directive *d = &directives[t->constructs[i]];

        if ((d->words & W_BARRIER) && d->lo >= lo && d->lo < hi)
            return true;
    }
    return false;
}

const char *find_phases(team *t)
{
    int first = 0;

    t->block = node_is(t->statement, CXCursor_CompoundStmt) && spelled(t->statement, "{") &&
               construct_of(t, t->statement) < 0;
    if (!t->block) {
        if (node_is(t->statement, CXCursor_CompoundStmt) || t->construct_count)
            return "the region is no block";
        t->phases[t->phase_count++] =
            (phase){ 0, 0, nodes[t->statement].lo, statement_end(t->statement) };
        return NULL;
    }
    t->statements = grow(NULL, (size_t)(nodes[t->statement].end - t->statement + 1) *
                                   sizeof *t->statements);
    for (int c = nodes[t->statement].child; c >= 0; c = nodes[c].next)
        t->statements[t->statement_count++] = c;
    if (!t->statement_count)
        return "the region is empty";
    for (int k = 0; k < t->statement_count; k++) {
        bool last = k + 1 == t->statement_count;

        if (nodes[t->statements[k]].lo <= nodes[t->statement].lo)
            return "a statement of the region stands in a macro";
        if (!last && !is_cut_behind(t, k))
            continue;
        if (t->phase_count == MOST_PHASES)
            return "the region has more barriers than tweed-port cuts it at";
        t->phases[t->phase_count] = (phase){
            first, k + 1,
            t->phase_count ? t->phases[t->phase_count - 1].hi : nodes[t->statement].lo + 1,
            last ? nodes[t->statement].hi - 1 : statement_end(t->statements[k])
        };
        t->phase_count++;
        first = k + 1;
    }
    return NULL;
}

bool is_in_loop(int n, int top)
{
    for (n = nodes[n].parent; n >= 0 && n != top; n = nodes[n].parent)
        if (is_loop(n))
            return true;
    return false;
}

/* The headers of a loop, and of those that it is collapsed with, as text. */
static range headers_of(const directive *c)
{
    const clause *collapse = find_clause(c, "collapse");
    long depth = collapse ? strtol(token_text(collapse->first), NULL, 10) : 1;
    int n = c->statement;
    range r = { nodes[n].lo, nodes[n].lo };

    while (node_is(n, CXCursor_CompoundStmt) || (node_is(n, CXCursor_ForStmt) && depth-- > 0)) {
        int body = nodes[n].child;

        while (node_is(n, CXCursor_ForStmt) && nodes[body].next >= 0)
            body = nodes[body].next;
        n = body;
        if (n >= 0)
            r.hi = nodes[n].lo;
    }
    return r;
}

/* Which thread has which index of a static loop the program may know, of two loops with the same
   number of indices above all.  A thread's share here is one of the outer loop. */
static const char *why_not_collapsed(const team *t)
{
    const directive *first = NULL;
    bool collapsed = false;

    for (int i = 0; i < t->construct_count; i++) {
        const directive *c = &directives[t->constructs[i]];
        int kind;
        range a, b;

        if (!(c->words & W_FOR) || !schedule_of(t->constructs[i], &kind) ||
            !token_is(kind, "static"))
            continue;
        collapsed |= find_clause(c, "collapse") != NULL;
        if (find_clause(c, "collapse") && token_is(kind + 1, ","))
            return "collapse with chunks of a static schedule, in a region";
        if (!first)
            first = c;
        a = headers_of(first);
        b = headers_of(c);
        if (collapsed && (a.hi - a.lo != b.hi - b.lo ||
                          memcmp(source + a.lo, source + b.lo, a.hi - a.lo) != 0))
            return "static loops of the region, one of them collapsed, with unlike headers";
    }
    return NULL;
}

/* In C: a variable of the function that a chunk names, and that a phase is given as a value for
   no other reason. */
static const char *why_not_chunks(const team *t)
{
    for (int i = 0; !is_cxx && i < t->construct_count; i++) {
        const directive *d = &directives[t->constructs[i]];
        int kind, k = phase_at(t, d->lo);
        const clause *c = schedule_of(t->constructs[i], &kind);

        for (int v = 0; c && v < variable_count; v++) {
            bool named = false;
            unsigned how = 0;

            for (int n = kind + 1; n < c->past; n++)
                named |= token_is(n, variables[v].name);
            if (!named || variables[v].is_global || in_region(t, variables[v].at) ||
                function_of(variables[v].at) != d->function)
                continue;
            for (int n = 0; n < reference_count; n++)
                if (references[n].variable == v && phase_at(t, references[n].at) == k)
                    how |= use_of(&references[n]);
            if (how != USE_READ)
                return format("a schedule in chunks of %s", variables[v].name);
        }
    }
    return NULL;
}

static const char *why_not_shares(const team *t)
{
    const char *why = why_not_collapsed(t);

    return why ? why : why_not_chunks(t);
}

const char *why_not_constructs(const team *t)
{
    for (int i = 0; i < t->construct_count; i++) {
        const directive *c = &directives[t->constructs[i]];
        bool top = false;

        if (c->done || c->simple)
            continue;
        if (c->barred)
            return c->reason;
        if (c->words & ~(unsigned)(W_FOR | W_SIMD | W_SINGLE | W_MASTER | W_BARRIER))
            return c->reason ? format("`%s` in it: %s", token_text(c->first), c->reason)
                             : format("`%s` in it", token_text(c->first));
        for (int k = 0; k < t->statement_count; k++)
            top |= (c->words & W_BARRIER)
                       ? k == 0 ? c->lo < nodes[t->statements[0]].lo
                                : c->lo >= statement_end(t->statements[k - 1]) &&
                                      c->lo < nodes[t->statements[k]].lo
                       : t->statements[k] == c->statement;
        if (t->statement_count && (c->words & W_BARRIER) &&
            c->lo >= statement_end(t->statements[t->statement_count - 1]))
            top = true;
        if (!top && ((c->words & W_BARRIER) || has_barrier(c)))
            return "a barrier inside of a statement of it";
        if (c->words & W_BARRIER)
            continue;
        if (c->statement < 0 ||
            !node_is(nodes[c->statement].parent, CXCursor_CompoundStmt))
            return format("`%s` in it is no statement of a block", token_text(c->first));
        for (int k = 0; k < c->clause_count && !(c->words & W_FOR); k++)
            if (strcmp(c->clauses[k].name, "nowait") != 0)
                return format("%s with %s", token_text(c->first), c->clauses[k].name);
    }
    for (int i = 0; i < directive_count; i++) {
        const directive *in = &directives[i];
        int s = in->statement >= 0 ? in->statement : t->statement;

        if (!in_region(t, in->lo) || in->simple)
            continue;
        if (is_skipped(in->lo, in->hi))
            return "a pragma in code that this configuration leaves out";
        if (in->parent != t->number && !in->done)
            return format("`%s` inside is left alone%s%s", token_text(in->first),
                          in->reason ? ": " : "", in->reason ? in->reason : "");
        if (in->words & W_FLUSH)
            return "`flush`: a thread may wait for another one";
        if ((in->words == W_CRITICAL ||
             (in->words == W_ATOMIC && (find_clause(in, "read") || find_clause(in, "capture")))) &&
            is_in_loop(s, t->statement)) {
            /* a loop with all of its parts ends by itself */
            for (int n = nodes[s].parent; n >= 0 && n != t->statement; n = nodes[n].parent) {
                int parts = 0;

                for (int c = nodes[n].child; c >= 0; c = nodes[c].next)
                    parts++;
                if (nodes[n].kind == CXCursor_WhileStmt || nodes[n].kind == CXCursor_DoStmt ||
                    (nodes[n].kind == CXCursor_ForStmt && parts != 4))
                    return format("`%s` in a loop that may wait for another thread",
                                  token_text(in->first));
            }
        }
    }
    return why_not_shares(t);
}
