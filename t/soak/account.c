/*
 * account.c - which indices were executed: none lost, none twice.
 *
 * SPDX-License-Identifier: MIT
 *
 * Three books, each of them exact:
 *
 *     bytes   loops of up to 4096 indices: a counter an index.  The addition that
 *             does not find 0 is a double; a 0 at the end is a loss.
 *     bits    loops of up to 2^24 indices, but for range bodies: a bit an index,
 *             set by an atomic or.  A bit that was set is a double, one that is not
 *             is a loss.
 *     pieces  larger loops, and those of range bodies, up to the whole span: each
 *             worker writes down its runs, joining those that follow each other.
 *             Sorted, they must cover the loop: a gap is a loss, an overlap a
 *             double.  Two bodies of one loop with the same worker index at the
 *             same time would show as a lost piece.
 *
 * Of a loop that ended early only the first indices have to be there, perhaps none; but
 * none may be there twice, and the books say how many there are.
 *
 * An index outside of the loop is noticed by all three.  The atomics are
 * relaxed: that the last count is there when the loop returns is the library's
 * to ensure.
 */
#include "config.h"

#include "soak.h"

#include <stdlib.h>

#define BYTES_MOST 4096
#define BITS_MOST (UINT64_C(1) << 24)
#define LINE 64

struct piece {
    uint64_t from, to; /* offsets from lo */
};

struct pieces {
    _Alignas(LINE) struct piece *v;
    size_t n, room;
};

struct account {
    int workers;
    _Atomic unsigned char *bytes; /* one of these three */
    _Atomic uint64_t *bits;
    struct pieces *pieces;
};

static void *memory(size_t n, size_t size)
{
    void *p = calloc(n, size);

    if (!p) {
        say("soak: out of memory\n");
        exit(99);
    }
    return p;
}

struct account *account_new(const struct loop *l, int workers)
{
    struct account *a = memory(1, sizeof *a);

    a->workers = workers;
    if (l->n <= BYTES_MOST) {
        a->bytes = memory((size_t)l->n + 1, 1);
    } else if (l->kind != KIND_RANGE && l->n <= BITS_MOST) {
        a->bits = memory((size_t)(l->n / 64 + 1), sizeof *a->bits);
    } else {
        a->pieces = aligned_alloc(LINE, (size_t)workers * sizeof *a->pieces);
        for (int w = 0; a->pieces && w < workers; w++)
            a->pieces[w] = (struct pieces){ NULL, 0, 0 };
        if (!a->pieces)
            exit(99);
    }
    return a;
}

void account_free(struct account *a)
{
    for (int w = 0; a->pieces && w < a->workers; w++)
        free(a->pieces[w].v);
    free(a->pieces);
    free((void *)a->bits);
    free((void *)a->bytes);
    free(a);
}

static void write_down(struct loop *l, uint64_t from, uint64_t to)
{
    int w = tweed_worker_index();
    struct pieces *p;

    if (w < 0 || w >= l->account->workers) {
        fail(l, "worker %d of %d", w, l->account->workers);
        return;
    }
    p = &l->account->pieces[w];
    if (p->n && p->v[p->n - 1].to == from) {
        p->v[p->n - 1].to = to;
        return;
    }
    if (p->n == p->room) {
        p->room = p->room ? 2 * p->room : 16;
        p->v = realloc(p->v, p->room * sizeof *p->v);
        if (!p->v)
            exit(99);
    }
    p->v[p->n++] = (struct piece){ from, to };
}

void account_index(struct loop *l, uint64_t k)
{
    struct account *a = l->account;
    uint64_t bit = UINT64_C(1) << (k & 63);
    bool before = false;

    if (k >= l->n)
        fail(l, "an index of offset %" PRIu64 " is not in the loop", k);
    else if (a->bytes)
        before = atomic_fetch_add_explicit(&a->bytes[k], 1,
                                           memory_order_relaxed) != 0;
    else if (a->bits)
        before = atomic_fetch_or_explicit(&a->bits[k / 64], bit,
                                          memory_order_relaxed) & bit;
    else
        write_down(l, k, k + 1);
    if (before)
        fail(l, "the index of offset %" PRIu64 " executed twice", k);
}

void account_range(struct loop *l, uint64_t from, uint64_t to)
{
    if (to > l->n || from >= to)
        fail(l, "the run of offsets %" PRIu64 " to %" PRIu64 " is not in the loop",
             from, to);
    else if (l->account->pieces)
        write_down(l, from, to);
    else
        for (; from < to; from++)
            account_index(l, from);
}

/* ---- the end ---- */

static bool is_done(const struct account *a, uint64_t k)
{
    if (a->bytes)
        return atomic_load_explicit(&a->bytes[k], memory_order_relaxed) != 0;
    return atomic_load_explicit(&a->bits[k / 64], memory_order_relaxed) >>
               (k & 63) & 1;
}

static void lost(const struct loop *l, uint64_t from, uint64_t to)
{
    fail(l, "%" PRIu64 " indices lost: [%" PRId64 ", %" PRId64 "), offsets %"
         PRIu64 " to %" PRIu64, to - from, (int64_t)((uint64_t)l->lo + from),
         (int64_t)((uint64_t)l->lo + to), from, to - 1);
}

static bool check_each(const struct loop *l, uint64_t must, uint64_t *done)
{
    bool good = true;

    for (uint64_t k = 0; k < l->n; k++) {
        uint64_t from = k;

        while (k < l->n && !is_done(l->account, k))
            k++;
        if (k > from && from < must) {
            lost(l, from, k < must ? k : must);
            good = false;
        }
        *done += k < l->n;
    }
    return good;
}

static int by_place(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;

    return (x->from > y->from) - (x->from < y->from);
}

static bool check_pieces(const struct loop *l, uint64_t must, uint64_t *done)
{
    const struct account *a = l->account;
    uint64_t reached = 0;
    size_t n = 0, at = 0;
    struct piece *all;
    bool good = true;

    for (int w = 0; w < a->workers; w++)
        n += a->pieces[w].n;
    all = memory(n + 1, sizeof *all);
    for (int w = 0; w < a->workers; w++)
        for (size_t k = 0; k < a->pieces[w].n; k++)
            all[at++] = a->pieces[w].v[k];
    qsort(all, n, sizeof *all, by_place);
    all[n] = (struct piece){ must, 0 };
    for (size_t k = 0; k <= n; k++) {
        if (all[k].from > reached && reached < must) {
            lost(l, reached, all[k].from < must ? all[k].from : must);
            good = false;
        } else if (all[k].from < reached && k < n) {
            fail(l, "executed twice: offsets %" PRIu64 " to %" PRIu64,
                 all[k].from, (all[k].to < reached ? all[k].to : reached) - 1);
            good = false;
        }
        if (k < n)
            *done += all[k].to - all[k].from;
        if (all[k].to > reached)
            reached = all[k].to;
    }
    free(all);
    return good;
}

bool account_check(const struct loop *l, uint64_t must, uint64_t *done)
{
    *done = 0;
    return l->account->pieces ? check_pieces(l, must, done)
                              : check_each(l, must, done);
}
