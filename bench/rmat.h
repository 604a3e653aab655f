/*
 * rmat.h - sparse matrices and graphs in rows, and random ones with hubs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_RMAT_H
#define BENCH_RMAT_H

#include <stdbool.h>
#include <stdint.h>

/* Compressed rows: row r has the columns column[start[r]] to
   column[start[r + 1] - 1].  Of a graph: vertex r has these neighbours. */
struct csr {
    int64_t rows;
    int64_t *start; /* rows + 1 of them */
    uint32_t *column;
    char size[64]; /* in words */
};

static inline int64_t csr_length(const struct csr *m, int64_t row)
{
    return m->start[row + 1] - m->start[row];
}

/* Room for a matrix; its contents are up to the caller.  False: no memory. */
bool csr_alloc(struct csr *m, int64_t rows, int64_t entries);
void csr_free(struct csr *m); /* leaves zeroes, which may be freed again */

/* Says in m->size how big it is. */
void csr_describe(struct csr *m);

/* For kernels whose input begins with a matrix: its size in words, and the
   longest row's part of all entries. */
const char *csr_size(const void *input);
double csr_heaviest(const void *input);

/*
 * An R-MAT graph (Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for
 * graph mining", 2004) with the parameters of Graph 500: 2^scale vertices, 16
 * times as many edges drawn; undirected (each edge is in both rows), no edge
 * twice, none from a vertex to itself, rows in ascending order.  The same graph
 * every time.  False: no memory.
 */
bool rmat_make(struct csr *graph, int scale);

/* Renames the vertices of an undirected graph by falling degree: 0 has the most
   neighbours.  Rows stay in ascending order. */
bool csr_by_degree(struct csr *graph);

#endif
