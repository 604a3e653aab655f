/*
 * bfs.c - breadth-first searches of an R-MAT graph, one after another.
 *
 * SPDX-License-Identifier: MIT
 *
 * By levels, each one a loop, and a second one of a few indices that joins what
 * the workers have found.  While the frontier is small the index is a vertex of
 * it, which claims its unseen neighbours; when it is large, the index is any
 * vertex, which looks for a neighbour in the frontier if it is unseen (Beamer,
 * Asanovic, Patterson, "Direction-optimizing breadth-first search", 2012).
 *
 * Which vertex claims another is up to chance, the levels are not.  Levels are
 * atomic but relaxed: one loop does not depend on another index's writes, and
 * the next loop comes after all of this one's.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "rmat.h"

#define SEED 11
#define MOST_SOURCES 16
#define LARGE 32 /* a frontier is, with one in so many vertices */
#define UNSEEN (-1)

struct found { /* by a worker, in this level */
    _Alignas(128) int64_t vertices;
    uint32_t *vertex;
    int64_t offset;  /* where they go in the next frontier */
    int64_t indices; /* of frontiers: most find nothing, and would not be missed */
};

struct search {
    struct csr graph;
    uint32_t source[MOST_SOURCES];
    int sources;
    _Atomic int32_t *level; /* of each vertex */
    int32_t depth;          /* of the frontier */
    uint32_t *frontier;
    int64_t vertices; /* in it */
    struct found *found;
    const struct bench_loop *loop;
    double answer;
};

/* Vertices with neighbours: nearly all of them are in one large component. */
static void choose_sources(struct search *s)
{
    uint64_t position = 0;

    for (int i = 0; i < s->sources;) {
        uint64_t v = bench_random(SEED, position++) % (uint64_t)s->graph.rows;

        if (csr_length(&s->graph, (int64_t)v))
            s->source[i++] = (uint32_t)v;
    }
}

static void *prepare(enum bench_size size, int variant)
{
    struct search *s = bench_alloc(sizeof *s);
    (void)variant;

    if (!s || !rmat_make(&s->graph, size == BENCH_QUICK ? 16 : 20)) {
        bench_free(s);
        return NULL;
    }
    s->sources = size == BENCH_QUICK ? MOST_SOURCES : 6;
    choose_sources(s);
    return s;
}

static int begin(void *input, const struct bench_loop *loop)
{
    struct search *s = input;
    size_t n = (size_t)s->graph.rows, workers = (size_t)loop->workers;

    s->level = bench_alloc(n * sizeof *s->level);
    s->frontier = bench_alloc(n * sizeof *s->frontier);
    s->found = bench_alloc(workers * sizeof *s->found);
    if (!s->level || !s->frontier || !s->found)
        return -1;
    for (size_t i = 0; i < workers; i++) {
        s->found[i].vertices = 0;
        s->found[i].vertex = bench_alloc(n * sizeof *s->found[i].vertex);
        if (!s->found[i].vertex)
            return -1;
    }
    return 0;
}

static int32_t level_of(const struct search *s, uint32_t v)
{
    return atomic_load_explicit(&s->level[v], memory_order_relaxed);
}

static void push(struct found *found, uint32_t v)
{
    found->vertex[found->vertices++] = v;
}

/* Index i: vertex i of the frontier. */
static void top_down(int64_t i, void *arg)
{
    struct search *s = arg;
    const struct csr *m = &s->graph;
    struct found *found = &s->found[bench_worker(s->loop)];
    uint32_t u = s->frontier[i];

    found->indices++;
    for (int64_t k = m->start[u]; k < m->start[u + 1]; k++) {
        uint32_t v = m->column[k];
        int32_t unseen = UNSEEN;

        if (level_of(s, v) == UNSEEN &&
            atomic_compare_exchange_strong_explicit(
                &s->level[v], &unseen, s->depth + 1, memory_order_relaxed,
                memory_order_relaxed))
            push(found, v);
    }
}

/* Index v: any vertex. */
static void bottom_up(int64_t v, void *arg)
{
    struct search *s = arg;
    const struct csr *m = &s->graph;

    if (level_of(s, (uint32_t)v) != UNSEEN)
        return;
    for (int64_t k = m->start[v]; k < m->start[v + 1]; k++)
        if (level_of(s, m->column[k]) == s->depth) {
            atomic_store_explicit(&s->level[v], s->depth + 1,
                                  memory_order_relaxed);
            push(&s->found[bench_worker(s->loop)], (uint32_t)v);
            return;
        }
}

/* Index i: what worker i has found. */
static void join(int64_t i, void *arg)
{
    struct search *s = arg;
    struct found *found = &s->found[i];

    memcpy(s->frontier + found->offset, found->vertex,
           (size_t)found->vertices * sizeof *found->vertex);
    found->vertices = 0;
}

static void search(struct search *s, uint32_t source)
{
    int64_t n = s->graph.rows;

    atomic_store_explicit(&s->level[source], 0, memory_order_relaxed);
    s->frontier[0] = source;
    s->vertices = 1;
    for (s->depth = 0; s->vertices; s->depth++) {
        if (s->vertices < n / LARGE)
            bench_for(s->loop, 0, s->vertices, top_down, s);
        else
            bench_for(s->loop, 0, n, bottom_up, s);
        s->vertices = 0;
        for (int i = 0; i < s->loop->workers; i++) {
            s->found[i].offset = s->vertices;
            s->vertices += s->found[i].vertices;
        }
        bench_for(s->loop, 0, s->loop->workers, join, s);
    }
}

/* The sum of the levels, each search's weighed by its position. */
static double levels(const struct search *s, int position)
{
    int64_t sum = 0;

    for (int64_t v = 0; v < s->graph.rows; v++)
        sum += level_of(s, (uint32_t)v);
    return (double)(sum * (position + 1));
}

/* What is between two searches does not count. */
static double run(void *input, const struct bench_loop *loop)
{
    struct search *s = input;
    double seconds = 0;

    s->loop = loop;
    s->answer = 0;
    for (int i = 0; i < loop->workers; i++)
        s->found[i].indices = 0;
    for (int i = 0; i < s->sources; i++) {
        for (int64_t v = 0; v < s->graph.rows; v++)
            atomic_init(&s->level[v], UNSEEN);
        double begun = bench_now();
        search(s, s->source[i]);
        seconds += bench_now() - begun;
        s->answer += levels(s, i);
    }
    for (int i = 0; i < loop->workers; i++)
        s->answer += (double)s->found[i].indices;
    return seconds;
}

static double answer(void *input)
{
    return ((struct search *)input)->answer;
}

const struct bench_kernel bench_bfs[] = {
    {
        .name = "bfs",
        .group = "suite",
        .form = "index",
        .what = "breadth-first searches of R-MAT: tiny and huge frontiers",
        .unit = "ms",
        .scale = 1e3,
        .quick = true,
        .prepare = prepare,
        .begin = begin,
        .run = run,
        .answer = answer,
        .size = csr_size,
    },
    {.name = NULL},
};
