/*
 * forms.h - the forms of a loop: by pointer, in braces, searches, reductions, of several
 * dimensions, scans.
 *
 * SPDX-License-Identifier: MIT
 *
 * For tests of what is to hold in each of them.  run_form() calls each(i, arg) for every index
 * of [lo, hi).  With run_form_until() the loop ends where each() is not 0: it is stopped, fails,
 * or has found the index.
 */
#ifndef TWEED_T_FORMS_H
#define TWEED_T_FORMS_H

#include "pools.h"

typedef int each_fn(int64_t i, void *arg);

struct visit {
    each_fn *each;
    void *arg;
    int64_t lo, width; /* of several dimensions: indices of a row */
    _Atomic int64_t hit;
};

static inline int visit_one(int64_t i, void *arg)
{
    struct visit *v = arg;
    int ends = v->each(i, v->arg);

    if (ends)
        v->hit = i;
    return ends;
}

static inline void visit_or_stop(int64_t i, void *arg)
{
    if (visit_one(i, arg))
        (void)tweed_parallel_stop();
}

static inline void visit_run(int64_t begin, int64_t end, void *arg)
{
    do /* no run is empty: it would visit an index too many */
        visit_or_stop(begin, arg);
    while (++begin < end);
}

static inline void visit_cell(int64_t i, int64_t j, int64_t k, void *arg)
{
    const struct visit *v = arg;

    (void)k;
    visit_or_stop(v->lo + i * v->width + j, arg);
}

static inline void visit_tile(const tweed_tile *t, void *arg)
{
    for (int64_t i = t->lo[0]; i < t->hi[0]; i++)
        for (int64_t j = t->lo[1]; j < t->hi[1]; j++)
            visit_cell(i, j, 0, arg);
}

static inline void visit_block(int64_t begin, int64_t end, void *element, void *arg)
{
    visit_run(begin, end, arg);
    *(int64_t *)element += end - begin;
}

static inline void visit_add(int64_t *into, const int64_t *from)
{
    *into += *from;
}

static inline void visit_join(void *into, const void *from, void *arg)
{
    (void)arg;
    visit_add(into, from);
}

#define VISIT_ROWS 1024 /* of a layer */

TWEED_LOOP(visit_loop, i, struct visit *, v) { visit_or_stop(i, v); }
TWEED_SIMD_LOOP(visit_simd, i, struct visit *, v) { visit_or_stop(i, v); }
TWEED_TRY(visit_try, i, struct visit *, v) { return visit_one(i, v); }
TWEED_FIND(visit_find, i, struct visit *, v) { return visit_one(i, v); }
TWEED_SUM(int64_t, visit_sum, i, struct visit *, v)
{
    visit_or_stop(i, v);
    return 1;
}
TWEED_REDUCE(int64_t, visit_fold, 0, visit_add, n, i, struct visit *, v)
{
    visit_or_stop(i, v);
    ++*n;
}
TWEED_LOOP_2D(visit_plane, i, j, struct visit *, v) { visit_cell(i, j, 0, v); }
TWEED_LOOP_3D(visit_layers, h, i, j, struct visit *, v)
{
    visit_cell(h * VISIT_ROWS + i, j, 0, v);
}
TWEED_SUM_2D(int64_t, visit_sum_2d, i, j, struct visit *, v)
{
    visit_cell(i, j, 0, v);
    return 1;
}
TWEED_REDUCE_3D(int64_t, visit_fold_3d, 0, visit_add, n, h, i, j, struct visit *, v)
{
    visit_cell(h * VISIT_ROWS + i, j, 0, v);
    ++*n;
}
TWEED_SCAN(int64_t, visit_scan, 0, TWEED_PLUS, n, writes, i, struct visit *, v)
{
    visit_or_stop(i, v);
    *n += writes;
}

/* How one loop is run: over lo, hi of v->lo, and hi; *n has room for a result. */
typedef int form_fn(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                    struct visit *v, int64_t *n);

static inline int form_pointer(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                               struct visit *v, int64_t *n)
{
    (void)n;
    return tweed_parallel_for_with(pool, o, v->lo, hi, visit_or_stop, v);
}

static inline int form_runs(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                            struct visit *v, int64_t *n)
{
    (void)n;
    return tweed_parallel_for_range_with(pool, o, v->lo, hi, visit_run, v);
}

static inline int form_loop(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                            struct visit *v, int64_t *n)
{
    (void)n;
    return visit_loop_with(pool, o, v->lo, hi, v);
}

static inline int form_simd(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                            struct visit *v, int64_t *n)
{
    (void)n;
    return visit_simd_with(pool, o, v->lo, hi, v);
}

static inline int form_try(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                           struct visit *v, int64_t *n)
{
    (void)n;
    return visit_try_with(pool, o, v->lo, hi, v);
}

static inline int form_try_pointer(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                                   struct visit *v, int64_t *n)
{
    (void)n;
    return tweed_parallel_try_with(pool, o, v->lo, hi, visit_one, v);
}

/* What a search that was not broken off has found is right; 1: it is not. */
static inline int form_found(int code, int64_t found, int64_t hi, const struct visit *v)
{
    if (code != TWEED_OK || found == hi)
        return code;
    return found == v->hit ? TWEED_ESTOPPED : 1;
}

static inline int form_find(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                            struct visit *v, int64_t *n)
{
    int64_t found = hi;
    int code = visit_find_with(pool, o, v->lo, hi, v, &found);

    (void)n;
    return form_found(code, found, hi, v);
}

static inline int form_find_pointer(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                                    struct visit *v, int64_t *n)
{
    int64_t found = hi;
    int code = tweed_parallel_find_with(pool, o, v->lo, hi, visit_one, v, &found);

    (void)n;
    return form_found(code, found, hi, v);
}

static inline int form_sum(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                           struct visit *v, int64_t *n)
{
    return visit_sum_with(pool, o, v->lo, hi, v, n);
}

static inline int form_fold(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                            struct visit *v, int64_t *n)
{
    return visit_fold_with(pool, o, v->lo, hi, v, n);
}

static inline int form_fold_pointer(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                                    struct visit *v, int64_t *n)
{
    static const int64_t none;
    const tweed_reduction r = { .size = sizeof r, .element_size = sizeof none,
                                .alignment = sizeof none, .identity = &none,
                                .body = visit_block, .combine = visit_join };

    return tweed_parallel_reduce_with(pool, o, v->lo, hi, &r, v, n);
}

/* Of so many indices, rows; up to 2^20 if the indices can be divided so. */
static inline int64_t form_rows(int64_t hi, struct visit *v)
{
    int64_t rows = v->lo < hi ? hi - v->lo : 0;

    for (v->width = 1; rows > 1 << 20 && rows % 2 == 0; rows /= 2)
        v->width *= 2;
    return rows;
}

static inline int form_plane(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                             struct visit *v, int64_t *n)
{
    int64_t rows = form_rows(hi, v);

    (void)n;
    return visit_plane_with(pool, o, 0, rows, 0, v->width, v);
}

static inline int form_layers(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                              struct visit *v, int64_t *n)
{
    int64_t rows = form_rows(hi, v);

    (void)n;
    if (rows % VISIT_ROWS)
        return visit_layers_with(pool, o, 0, 1, 0, rows, 0, v->width, v);
    return visit_layers_with(pool, o, 0, rows / VISIT_ROWS, 0, VISIT_ROWS, 0, v->width, v);
}

static inline int form_space(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                             struct visit *v, int64_t *n)
{
    int64_t rows = form_rows(hi, v);
    tweed_space space = tweed_space_2d(0, rows, 0, v->width);

    (void)n;
    return tweed_parallel_for_space(pool, o, &space, visit_cell, v);
}

static inline int form_tiles(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                             struct visit *v, int64_t *n)
{
    int64_t rows = form_rows(hi, v);
    tweed_space space = tweed_space_2d(0, rows, 0, v->width);

    (void)n;
    return tweed_parallel_for_tiles(pool, o, &space, visit_tile, v);
}

static inline int form_sum_2d(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                              struct visit *v, int64_t *n)
{
    int64_t rows = form_rows(hi, v);

    return visit_sum_2d_with(pool, o, 0, rows, 0, v->width, v, n);
}

static inline int form_fold_3d(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                               struct visit *v, int64_t *n)
{
    int64_t rows = form_rows(hi, v);

    if (rows % VISIT_ROWS)
        return visit_fold_3d_with(pool, o, 0, 1, 0, rows, 0, v->width, v, n);
    return visit_fold_3d_with(pool, o, 0, rows / VISIT_ROWS, 0, VISIT_ROWS, 0, v->width, v, n);
}

static inline int form_scan(tweed_pool *pool, const tweed_loop_options *o, int64_t hi,
                            struct visit *v, int64_t *n)
{
    return visit_scan_with(pool, o, v->lo, hi, v, n);
}

static const struct form {
    const char *name;
    form_fn *run;
    int counts; /* yields a result: here, how many indices there are */
} forms[] = {
    { "by pointer", form_pointer, 0 },
    { "runs", form_runs, 0 },
    { "TWEED_LOOP", form_loop, 0 },
    { "TWEED_SIMD_LOOP", form_simd, 0 },
    { "TWEED_TRY", form_try, 0 },
    { "tweed_parallel_try", form_try_pointer, 0 },
    { "TWEED_FIND", form_find, 0 },
    { "tweed_parallel_find", form_find_pointer, 0 },
    { "TWEED_SUM", form_sum, 1 },
    { "TWEED_REDUCE", form_fold, 1 },
    { "tweed_parallel_reduce", form_fold_pointer, 1 },
    { "TWEED_LOOP_2D", form_plane, 0 },
    { "TWEED_LOOP_3D", form_layers, 0 },
    { "tweed_parallel_for_space", form_space, 0 },
    { "tweed_parallel_for_tiles", form_tiles, 0 },
    { "TWEED_SUM_2D", form_sum_2d, 1 },
    { "TWEED_REDUCE_3D", form_fold_3d, 1 },
    { "TWEED_SCAN", form_scan, 1 },
};
#define PLAIN_FORMS 6 /* whose blocks are of the grain that is asked for */
#define FLAT_FORMS 11 /* of one dimension: weights are of an index */
#define FORMS 17      /* that visit each index once; the scan may do so twice */
#define ALL_FORMS 18

/* TWEED_OK: complete; TWEED_ESTOPPED: ended by an index; another code; 1: a result that is
   wrong, or there though the loop was not complete. */
static inline int run_form_until(int form, tweed_pool *pool, const tweed_loop_options *o,
                                 int64_t lo, int64_t hi, each_fn *each, void *arg)
{
    struct visit v = { each, arg, lo, 1, 0 };
    int64_t n = -1;
    int code = forms[form].run(pool, o, hi, &v, &n);

    if (forms[form].counts && n != (code == TWEED_OK ? (lo < hi ? hi - lo : 0) : -1))
        return 1;
    return code;
}

struct visit_all {
    void (*each)(int64_t i, void *arg);
    void *arg;
};

static inline int visit_next(int64_t i, void *arg)
{
    const struct visit_all *a = arg;

    a->each(i, a->arg);
    return 0;
}

static inline int run_form(int form, tweed_pool *pool, const tweed_loop_options *o, int64_t lo,
                           int64_t hi, void (*each)(int64_t i, void *arg), void *arg)
{
    struct visit_all a = { each, arg };

    return run_form_until(form, pool, o, lo, hi, visit_next, &a);
}

#endif
