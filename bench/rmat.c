/*
 * rmat.c - sparse matrices and graphs in rows, and random ones with hubs.
 *
 * SPDX-License-Identifier: MIT
 *
 * All sorting is by counting: a graph of 2^20 vertices takes about a second.
 */
#include "rmat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define SEED 20
#define EDGE_FACTOR 16

/* The quadrants' probabilities (0.57, 0.19, 0.19, 0.05), added up, in 2^16. */
#define UP_TO_A 37356u
#define UP_TO_B 49807u
#define UP_TO_C 62259u

struct edge {
    uint32_t from, to;
};

bool csr_alloc(struct csr *m, int64_t rows, int64_t entries)
{
    m->rows = rows;
    m->start = bench_alloc(((size_t)rows + 1) * sizeof *m->start);
    m->column = bench_alloc((size_t)entries * sizeof *m->column);
    if (m->start && m->column)
        return true;
    csr_free(m);
    return false;
}

void csr_free(struct csr *m)
{
    bench_free(m->start);
    bench_free(m->column);
    *m = (struct csr){0};
}

void csr_describe(struct csr *m)
{
    snprintf(m->size, sizeof m->size, "%lld rows, %.1f million entries",
             (long long)m->rows, (double)m->start[m->rows] / 1e6);
}

const char *csr_size(const void *input)
{
    return ((const struct csr *)input)->size;
}

double csr_heaviest(const void *input)
{
    const struct csr *m = input;
    int64_t most = 0;

    for (int64_t r = 0; r < m->rows; r++)
        most = csr_length(m, r) > most ? csr_length(m, r) : most;
    return (double)most / (double)m->start[m->rows];
}

/* One quadrant of the matrix for each bit; a random number does for four. */
static struct edge draw_edge(int scale, int64_t position)
{
    struct edge e = {0, 0};
    uint64_t bits = 0;

    for (int level = 0; level < scale; level++) {
        if (level % 4 == 0)
            bits = bench_random(SEED, (uint64_t)(position * 8 + level / 4));
        uint32_t r = bits & 0xffff;
        bits >>= 16;
        e.from = e.from << 1 | (r >= UP_TO_B);
        e.to = e.to << 1 | ((r >= UP_TO_A) ^ (r >= UP_TO_B) ^ (r >= UP_TO_C));
    }
    return e;
}

static struct edge *draw_edges(int scale, int64_t edges)
{
    struct edge *edge = bench_alloc((size_t)edges * sizeof *edge);

    if (edge)
        for (int64_t k = 0; k < edges; k++)
            edge[k] = draw_edge(scale, k);
    return edge;
}

/* From lengths in start[1] on to the starts. */
static void add_up(struct csr *m)
{
    for (int64_t r = 0; r < m->rows; r++)
        m->start[r + 1] += m->start[r];
}

/*
 * Puts each edge into the rows of both its ends.  Filling advances start[r] to
 * the end of row r, which is where row r + 1 begins: hence the move at the end.
 */
static void fill_rows(struct csr *m, const struct edge *edge, int64_t edges)
{
    for (int64_t k = 0; k < edges; k++)
        if (edge[k].from != edge[k].to) {
            m->start[edge[k].from + 1]++;
            m->start[edge[k].to + 1]++;
        }
    add_up(m);
    for (int64_t k = 0; k < edges; k++)
        if (edge[k].from != edge[k].to) {
            m->column[m->start[edge[k].from]++] = edge[k].to;
            m->column[m->start[edge[k].to]++] = edge[k].from;
        }
    memmove(m->start + 1, m->start, (size_t)m->rows * sizeof *m->start);
    m->start[0] = 0;
}

/*
 * Makes vertex order[i] vertex i.  What is filled in, row by row, is the
 * transpose, whose rows come out in ascending order; and an undirected graph is
 * its own transpose.
 */
static bool rename_vertices(struct csr *graph, const uint32_t *order)
{
    int64_t n = graph->rows;
    struct csr m;
    uint32_t *name = bench_alloc((size_t)n * sizeof *name);

    if (!name || !csr_alloc(&m, n, graph->start[n])) {
        bench_free(name);
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        name[order[i]] = (uint32_t)i;
        m.start[i + 1] = csr_length(graph, order[i]);
    }
    add_up(&m);
    for (int64_t i = 0; i < n; i++) {
        int64_t end = graph->start[order[i] + 1];

        for (int64_t k = graph->start[order[i]]; k < end; k++)
            m.column[m.start[name[graph->column[k]]]++] = (uint32_t)i;
    }
    memmove(m.start + 1, m.start, (size_t)n * sizeof *m.start);
    m.start[0] = 0;
    csr_describe(&m);
    bench_free(name);
    csr_free(graph);
    *graph = m;
    return true;
}

static bool sort_rows(struct csr *graph)
{
    uint32_t *order = bench_alloc((size_t)graph->rows * sizeof *order);
    bool done;

    if (!order)
        return false;
    for (int64_t i = 0; i < graph->rows; i++)
        order[i] = (uint32_t)i;
    done = rename_vertices(graph, order);
    bench_free(order);
    return done;
}

/* In place, of rows in ascending order. */
static void drop_repeated(struct csr *m)
{
    int64_t kept = 0, begin = 0;

    for (int64_t r = 0; r < m->rows; r++) {
        int64_t end = m->start[r + 1];

        for (int64_t k = begin; k < end; k++)
            if (k == begin || m->column[k] != m->column[k - 1])
                m->column[kept++] = m->column[k];
        m->start[r + 1] = kept;
        begin = end;
    }
}

bool rmat_make(struct csr *graph, int scale)
{
    int64_t rows = (int64_t)1 << scale, edges = rows * EDGE_FACTOR;
    struct edge *edge = draw_edges(scale, edges);
    bool done = edge && csr_alloc(graph, rows, 2 * edges);

    if (done)
        fill_rows(graph, edge, edges);
    bench_free(edge);
    if (!done)
        return false;
    if (!sort_rows(graph)) {
        csr_free(graph);
        return false;
    }
    drop_repeated(graph);
    csr_describe(graph);
    return true;
}

bool csr_by_degree(struct csr *graph)
{
    int64_t n = graph->rows;
    uint32_t *order = bench_alloc((size_t)n * sizeof *order);
    int64_t *place = bench_alloc(((size_t)n + 1) * sizeof *place);
    bool done = order && place;

    if (done) { /* a degree is less than n */
        for (int64_t v = 0; v < n; v++)
            place[n - 1 - csr_length(graph, v) + 1]++;
        for (int64_t d = 0; d < n; d++)
            place[d + 1] += place[d];
        for (int64_t v = 0; v < n; v++)
            order[place[n - 1 - csr_length(graph, v)]++] = (uint32_t)v;
        done = rename_vertices(graph, order);
    }
    bench_free(place);
    bench_free(order);
    return done;
}
