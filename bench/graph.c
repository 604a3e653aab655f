/*
 * graph.c - PageRank and triangles on R-MAT graphs.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "bench.h"
#include "rmat.h"

static bool make_by_degree(struct csr *graph, int scale)
{
    return rmat_make(graph, scale) && csr_by_degree(graph);
}

/*
 * PageRank: a vertex adds up what its neighbours share out.  By falling degree:
 * the hubs are side by side, and one contiguous part of the vertices has all of
 * them.
 */

#define DAMPING 0.85

struct pagerank {
    struct csr graph;
    int iterations;
    double *initial;   /* of each vertex: its rank / number of neighbours */
    double *shares[2]; /* the same after an iteration; in turn */
    const double *from;
    double *to;
};

/* A vertex without neighbours keeps its rank to itself. */
static double share(const struct csr *m, int64_t v, double rank)
{
    int64_t neighbours = csr_length(m, v);

    return neighbours ? rank / (double)neighbours : rank;
}

static bool make_initial(struct pagerank *p)
{
    const struct csr *m = &p->graph;

    p->initial = bench_alloc((size_t)m->rows * sizeof *p->initial);
    if (!p->initial)
        return false;
    for (int64_t v = 0; v < m->rows; v++)
        p->initial[v] = share(m, v, 1 / (double)m->rows);
    return true;
}

static void *pagerank_prepare(enum bench_size size, int variant)
{
    struct pagerank *p = bench_alloc(sizeof *p);
    (void)variant;

    if (!p)
        return NULL;
    p->iterations = size == BENCH_QUICK ? 7 : 3;
    if (make_by_degree(&p->graph, size == BENCH_QUICK ? 16 : 20) &&
        make_initial(p))
        return p;
    csr_free(&p->graph);
    bench_free(p);
    return NULL;
}

static int pagerank_begin(void *input, const struct bench_loop *loop)
{
    struct pagerank *p = input;
    (void)loop;

    for (int i = 0; i < 2; i++) {
        p->shares[i] = bench_alloc((size_t)p->graph.rows * sizeof(double));
        if (!p->shares[i])
            return -1;
    }
    return 0;
}

static void pull(int64_t v, void *arg)
{
    struct pagerank *p = arg;
    const struct csr *m = &p->graph;
    double sum = 0;

    for (int64_t k = m->start[v]; k < m->start[v + 1]; k++)
        sum += p->from[m->column[k]];
    p->to[v] = share(m, v, (1 - DAMPING) / (double)m->rows + DAMPING * sum);
}

static double pagerank_run(void *input, const struct bench_loop *loop)
{
    struct pagerank *p = input;
    double begin = bench_now();

    p->from = p->initial;
    for (int i = 0; i < p->iterations; i++) {
        p->to = p->shares[i % 2];
        bench_for(loop, 0, p->graph.rows, pull, p);
        p->from = p->to;
    }
    return bench_now() - begin;
}

static double pagerank_answer(void *input)
{
    struct pagerank *p = input;
    double sum = 0;

    for (int64_t v = 0; v < p->graph.rows; v++)
        sum += p->from[v];
    return sum;
}

/*
 * Triangles u < v < w: index u marks its neighbours above it and looks up those
 * of each such neighbour v.  By falling degree: u is the greatest hub of the
 * three, which is the most uneven way to share the triangles out.
 */

struct counter { /* of a worker */
    _Alignas(128) int64_t triangles;
    int64_t indices; /* run: most have no triangle, and would not be missed */
    uint64_t *marks; /* a bit for each vertex; all clear between indices */
};

struct triangles {
    struct csr graph;
    int64_t *above; /* of each row: where the vertices above its own begin */
    struct counter *counters;
    const struct bench_loop *loop;
};

static bool find_above(struct triangles *t)
{
    const struct csr *m = &t->graph;

    t->above = bench_alloc((size_t)m->rows * sizeof *t->above);
    if (!t->above)
        return false;
    for (int64_t u = 0; u < m->rows; u++) {
        int64_t k = m->start[u];

        while (k < m->start[u + 1] && m->column[k] < u)
            k++;
        t->above[u] = k;
    }
    return true;
}

static void *triangles_prepare(enum bench_size size, int variant)
{
    struct triangles *t = bench_alloc(sizeof *t);
    (void)variant;

    if (!t)
        return NULL;
    if (make_by_degree(&t->graph, size == BENCH_QUICK ? 14 : 18) &&
        find_above(t))
        return t;
    csr_free(&t->graph);
    bench_free(t);
    return NULL;
}

static int triangles_begin(void *input, const struct bench_loop *loop)
{
    struct triangles *t = input;
    size_t workers = (size_t)loop->workers;
    size_t words = (size_t)(t->graph.rows + 63) / 64;

    t->counters = bench_alloc(workers * sizeof *t->counters);
    if (!t->counters)
        return -1;
    for (size_t i = 0; i < workers; i++) {
        t->counters[i].marks = bench_alloc(words * sizeof(uint64_t));
        if (!t->counters[i].marks)
            return -1;
    }
    return 0;
}

static void flip_marks(uint64_t *marks, const uint32_t *v, const uint32_t *end)
{
    for (; v < end; v++)
        marks[*v / 64] ^= UINT64_C(1) << *v % 64;
}

static void count_triangles(int64_t u, void *arg)
{
    struct triangles *t = arg;
    const struct csr *m = &t->graph;
    const uint32_t *v = m->column + t->above[u];
    const uint32_t *end = m->column + m->start[u + 1];
    struct counter *counter = &t->counters[bench_worker(t->loop)];
    const uint64_t *marks = counter->marks;
    uint64_t count = 0;

    flip_marks(counter->marks, v, end);
    for (const uint32_t *p = v; p < end; p++)
        for (int64_t k = t->above[*p]; k < m->start[*p + 1]; k++)
            count += marks[m->column[k] / 64] >> m->column[k] % 64 & 1;
    flip_marks(counter->marks, v, end);
    counter->triangles += (int64_t)count;
    counter->indices++;
}

static double triangles_run(void *input, const struct bench_loop *loop)
{
    struct triangles *t = input;
    double begin;

    t->loop = loop;
    for (int i = 0; i < loop->workers; i++)
        t->counters[i].triangles = t->counters[i].indices = 0;
    begin = bench_now();
    bench_for(loop, 0, t->graph.rows, count_triangles, t);
    return bench_now() - begin;
}

static double triangles_answer(void *input)
{
    struct triangles *t = input;
    int64_t sum = 0;

    for (int i = 0; i < t->loop->workers; i++)
        sum += t->counters[i].triangles + t->counters[i].indices;
    return (double)sum;
}

/* By the number of look-ups. */
static double triangles_heaviest(const void *input)
{
    const struct triangles *t = input;
    const struct csr *m = &t->graph;
    int64_t most = 0, all = 0;

    for (int64_t u = 0; u < m->rows; u++) {
        int64_t work = 0;

        for (int64_t k = t->above[u]; k < m->start[u + 1]; k++)
            work += m->start[m->column[k] + 1] - t->above[m->column[k]];
        most = work > most ? work : most;
        all += work;
    }
    return (double)most / (double)all;
}

const struct bench_kernel bench_graph[] = {
    {
        .name = "pagerank",
        .group = "suite",
        .form = "index",
        .what = "PageRank on R-MAT by falling degree: power law, hubs together",
        .unit = "ms",
        .scale = 1e3,
        .quick = true,
        .prepare = pagerank_prepare,
        .begin = pagerank_begin,
        .run = pagerank_run,
        .answer = pagerank_answer,
        .heaviest = csr_heaviest,
        .size = csr_size,
    },
    {
        .name = "triangles",
        .group = "suite",
        .form = "index",
        .what = "triangles of R-MAT, counted at their hub: the worst skew",
        .unit = "ms",
        .scale = 1e3,
        .quick = true,
        .prepare = triangles_prepare,
        .begin = triangles_begin,
        .run = triangles_run,
        .answer = triangles_answer,
        .heaviest = triangles_heaviest,
        .size = csr_size,
    },
    {.name = NULL},
};
