/*
 * forms.h - the forms of a loop: by pointer, in braces, searches, reductions, of several
 * dimensions.
 *
 * SPDX-License-Identifier: MIT
 *
 * For tests of what is to hold in each of them.  A form calls each(i, arg) for every index of
 * [lo, hi).  Not among them is the scan, which may look at an index twice.
 */
#ifndef TWEED_T_FORMS_H
#define TWEED_T_FORMS_H

#include "pools.h"

struct visit {
    void (*each)(int64_t i, void *arg);
    void *arg;
};

static inline int visit_one(int64_t i, void *arg)
{
    const struct visit *v = (const struct visit *)arg;

    v->each(i, v->arg);
    return 0;
}

static inline void visit_run(int64_t begin, int64_t end, void *arg)
{
    do /* no run is empty: it would call once */
        visit_one(begin, arg);
    while (++begin < end);
}

static inline void visit_block(int64_t begin, int64_t end, void *element, void *arg)
{
    (void)element;
    visit_run(begin, end, arg);
}

static inline void visit_join(void *into, const void *from, void *arg)
{
    (void)into, (void)from, (void)arg;
}

TWEED_LOOP(visit_braces, i, struct visit *, v) { visit_one(i, v); }
TWEED_SIMD_LOOP(visit_strips, i, struct visit *, v) { visit_one(i, v); }
TWEED_TRY(visit_try, i, struct visit *, v) { return visit_one(i, v); }
TWEED_FIND(visit_find, i, struct visit *, v) { return visit_one(i, v); }
TWEED_SUM(int64_t, visit_sum, i, struct visit *, v) { return visit_one(i, v) + 1; }
TWEED_LOOP_2D(visit_plane, i, j, struct visit *, v) { visit_one(i + j, v); }
TWEED_LOOP_3D(visit_space, h, i, j, struct visit *, v) { visit_one(h + i + j, v); }

static inline int form_pointer(tweed_pool *pool, const tweed_loop_options *o, int64_t lo,
                               int64_t hi, struct visit *v)
{
    return tweed_parallel_for_with(pool, o, lo, hi, v->each, v->arg);
}

static inline int form_runs(tweed_pool *pool, const tweed_loop_options *o, int64_t lo,
                            int64_t hi, struct visit *v)
{
    return tweed_parallel_for_range_with(pool, o, lo, hi, visit_run, v);
}

static inline int form_try_pointer(tweed_pool *pool, const tweed_loop_options *o, int64_t lo,
                                   int64_t hi, struct visit *v)
{
    return tweed_parallel_try_with(pool, o, lo, hi, visit_one, v);
}

static inline int form_try(tweed_pool *pool, const tweed_loop_options *o, int64_t lo,
                           int64_t hi, struct visit *v)
{
    return visit_try_with(pool, o, lo, hi, v);
}

/* 1: nothing is to be found, and something was. */
static inline int form_find(tweed_pool *pool, const tweed_loop_options *o, int64_t lo,
                            int64_t hi, struct visit *v)
{
    int64_t found = hi;
    int code = visit_find_with(pool, o, lo, hi, v, &found);

    return found == hi ? code : 1;
}

/* 1: each index counts one, and that is not the sum. */
static inline int form_sum(tweed_pool *pool, const tweed_loop_options *o, int64_t lo,
                           int64_t hi, struct visit *v)
{
    int64_t sum = 0;
    int code = visit_sum_with(pool, o, lo, hi, v, &sum);

    return code != TWEED_OK || sum == (lo < hi ? hi - lo : 0) ? code : 1;
}

static inline int form_reduce(tweed_pool *pool, const tweed_loop_options *o, int64_t lo,
                              int64_t hi, struct visit *v)
{
    static const char none;
    tweed_reduction r = TWEED_REDUCTION_INIT;
    char result = 0;

    r.element_size = r.alignment = 1;
    r.identity = &none;
    r.body = visit_block;
    r.combine = visit_join;
    return tweed_parallel_reduce_with(pool, o, lo, hi, &r, v, &result);
}

static inline int form_plane(tweed_pool *pool, const tweed_loop_options *o, int64_t lo,
                             int64_t hi, struct visit *v)
{
    return visit_plane_with(pool, o, lo, hi, 0, 1, v);
}

static inline int form_space(tweed_pool *pool, const tweed_loop_options *o, int64_t lo,
                             int64_t hi, struct visit *v)
{
    return visit_space_with(pool, o, 0, 1, lo, hi, 0, 1, v);
}

static const struct form {
    const char *name;
    int (*run)(tweed_pool *pool, const tweed_loop_options *o, int64_t lo, int64_t hi,
               struct visit *v);
} forms[] = {
    { "by pointer", form_pointer },
    { "runs", form_runs },
    { "TWEED_LOOP", visit_braces_with },
    { "TWEED_SIMD_LOOP", visit_strips_with },
    { "TWEED_TRY", form_try },
    { "tweed_parallel_try", form_try_pointer },
    { "TWEED_FIND", form_find },
    { "TWEED_SUM", form_sum },
    { "tweed_parallel_reduce", form_reduce },
    { "TWEED_LOOP_2D", form_plane },
    { "TWEED_LOOP_3D", form_space },
};
#define PLAIN_FORMS 6 /* whose blocks are of the grain that is asked for */
#define FLAT_FORMS 9  /* of one dimension: weights are of an index */
#define FORMS ((int)(sizeof forms / sizeof *forms))

static inline int run_form(int form, tweed_pool *pool, const tweed_loop_options *o, int64_t lo,
                           int64_t hi, void (*each)(int64_t i, void *arg), void *arg)
{
    struct visit v = { each, arg };

    return forms[form].run(pool, o, lo, hi, &v);
}

#endif
