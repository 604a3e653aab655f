/*
 * task_order.c - in C: where a task is pending, and where it is waited for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "task_c.h"

#include <string.h>

/* The innermost node of the kind around a place. */
static int block_around(const spawner *f, unsigned at)
{
    int found = f->body;

    for (int n = f->body; n < nodes[f->body].end; n++)
        if (nodes[n].kind == CXCursor_CompoundStmt && nodes[n].lo < at && at < nodes[n].hi)
            found = n;
    return found;
}

unsigned place_of_wait(const spawner *f, int k)
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

bool is_pending(const spawner *f, const spawned *s, unsigned at)
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

bool make_units(spawner *f)
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

char *sync_text(const spawner *f, unsigned at)
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
