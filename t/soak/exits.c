/*
 * exits.c - bodies of searches, and of loops that fail: which index is told.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "soak.h"

/* ---- searches ---- */

static int seek_body(int64_t i, void *arg)
{
    struct loop *l = arg;
    uint64_t k = offset_of(l, i);
    int hit = loop_hits(l, k); /* before: it may be that others end the loop here */

    loop_index(l, k);
    return hit;
}

TWEED_FIND(soak_find, i, struct loop *, l)
{
    return seek_body(i, l);
}

static uint64_t lowest_hit(const struct loop *l)
{
    uint64_t k = 0;

    if (!l->hit_every)
        return l->n;
    while (k < l->n && !loop_hits(l, k))
        k++;
    return k;
}

/* All indices up to the lowest hit are executed, unless the search was stopped. */
static int found(struct loop *l, int64_t where, int code)
{
    uint64_t lowest = lowest_hit(l), k = where == l->hi ? l->n : offset_of(l, where);

    if (l->n == 0)
        return code; /* hi, whatever it is */
    l->must = lowest < l->n ? lowest + 1 : l->n;
    if (code == TWEED_OK && k != lowest)
        fail(l, "found at offset %" PRIu64 ", not %" PRIu64, k, lowest);
    if (code != TWEED_OK && k < l->n && !loop_hits(l, k))
        fail(l, "found at offset %" PRIu64 ", where nothing is", k);
    return code;
}

int run_find(tweed_pool *pool, struct loop *l)
{
    int64_t where = l->hi;
    int code = soak_find_with(pool, &l->options, l->lo, l->hi, l, &where);

    return found(l, where, code);
}

int run_seek(tweed_pool *pool, struct loop *l)
{
    int64_t where = l->hi;
    int code = tweed_parallel_find_with(pool, &l->options, l->lo, l->hi, seek_body, l,
                                        &where);

    return found(l, where, code);
}

/* ---- failures ---- */

static int test_body(int64_t i, void *arg)
{
    struct loop *l = arg;
    uint64_t k = offset_of(l, i);

    loop_index(l, k);
    if (!loop_hits(l, k))
        return 0;
    loop_failed(l, k);
    return loop_code(k);
}

TWEED_TRY(soak_try, i, struct loop *, l)
{
    return test_body(i, l);
}

/* The lowest of the indices that failed is told, with what its body returned. */
static int failed(const struct loop *l, int code)
{
    const tweed_outcome *o = &l->outcome;
    uint64_t lowest = l->lowest;

    if (code != TWEED_OK && code != TWEED_ESTOPPED && code != TWEED_ETIMEOUT)
        return code; /* it was refused, and there is no outcome */
    if (lowest == NEVER ? o->code || (l->n > 0 && o->index != l->hi)
                        : o->code != loop_code(lowest) ||
                              offset_of(l, o->index) != lowest)
        fail(l, "code %d at index %" PRId64 ", but the lowest offset that failed is %"
             PRIu64, o->code, o->index, lowest);
    return code;
}

int run_attempt(tweed_pool *pool, struct loop *l)
{
    return failed(l, soak_try_with(pool, &l->options, l->lo, l->hi, l));
}

int run_test(tweed_pool *pool, struct loop *l)
{
    return failed(l, tweed_parallel_try_with(pool, &l->options, l->lo, l->hi, test_body,
                                             l));
}

/* ---- exceptions ---- */

#if SOAK_CXX

#include "throw.h"

static bool throwing_body(int64_t i, void *arg)
{
    struct loop *l = arg;
    uint64_t k = offset_of(l, i);

    loop_index(l, k);
    if (!loop_hits(l, k))
        return false;
    loop_failed(l, k);
    return true;
}

/* One of the exceptions arrives, if there was any. */
int run_thrown(tweed_pool *pool, struct loop *l)
{
    int64_t where = 0;
    bool caught;
    int code = soak_throwing(pool, &l->options, l->lo, l->hi, throwing_body, l, &where,
                             &caught);

    if (caught != (l->lowest != NEVER))
        fail(l, "an exception was %s", caught ? "made up" : "lost");
    else if (caught && !loop_hits(l, offset_of(l, where)))
        fail(l, "the exception of index %" PRId64 ", which threw none", where);
    if (code == TWEED_OK && (caught || l->stopped || l->outcome.ran < l->n))
        return TWEED_ESTOPPED; /* C++ does not say it */
    return code;
}

#endif
