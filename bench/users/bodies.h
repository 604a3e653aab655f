/*
 * bodies.h - the bodies that every program here has in its loops, once.
 *
 * SPDX-License-Identifier: MIT
 *
 * A body is a statement.  Each program puts it where its users would: under a
 * pragma, into a lambda, into a function.  S(name) is a member of struct
 * user_data: the program defines S(name) as s->name in a function that is given a
 * struct, as name where USER_LOCALS has made locals of the members, or where a loop has
 * them as arguments: USER_GIVEN_given.
 */
#ifndef USERS_BODIES_H
#define USERS_BODIES_H

#include <stdint.h>
#include <time.h>

#include "../bench.h" /* bench_spin() */
#include "kernels.h"
#include "shapes.h"
#include "trees.h"

typedef void user_index_fn(int64_t i, void *arg);

struct user_data {
    float *out;
    const float *in;
    float factor;
    int64_t side;            /* of the arrays that are square */
    int64_t row;             /* indices in a row, where there are three dimensions */
    uint32_t *counts;        /* how often each index ran */
    uint32_t turns, dear;    /* of bench_spin(): an index, one of the dear part */
    int64_t from, to;        /* the dear part */
    double longest;          /* seconds of the longest claim, where it is asked for */
    user_index_fn *fn;       /* of a loop that calls through a pointer */
    void *arg;
    uint32_t *unsorted, *sorted, *spare, *expected; /* of what sorts */
    const double *x, *y;     /* of USER_VALUES, USER_SPACES and matmul */
    double *sums;            /* of a scan, of USER_SPACES, of USER_KERNELS; a product */
    const struct user_matrix *matrix; /* of USER_KERNELS and triangles, from here on */
    const double *values;             /* the matrix' entries */
    const struct user_cells *cells;
    struct user_search *search;
    const struct user_points *points;
    struct user_tally tally; /* of k-means */
    void *expected_out;      /* what out[] or sums[] should be */
    const uint8_t *bytes;    /* of a histogram, of a search: one that is not 0 */
    uint64_t bins[256];
    void *scratch;           /* where a runtime keeps something between loops */
    double value;            /* what came out: a sum, a minimum, an index */
    double right;            /* what should */
};

/*
 * X(name, given, statement).  empty and count cost nothing or 0.1 ns an index, saxpy and
 * stencil 0.1 ns where they are vectorised.  call calls through a pointer, and what
 * it calls is count.  spin takes as long as it is told, cliff as well but for a dear
 * part.  nap leaves the CPU to others.  The rest has a loop inside.
 */
#define USER_BODIES(X)                                                         \
    X(empty, counts, __asm__ volatile(""))                                     \
    X(count, counts, S(counts)[i]++)                                           \
    X(saxpy, floats, S(out)[i] += S(factor) * S(in)[i])                        \
    X(stencil, floats,                                                         \
      S(out)[i] = S(factor) * (S(in)[i] + S(in)[i + 1] + S(in)[i + 2]))        \
    X(call, call, S(fn)(i, S(arg)))                                            \
    X(spin, counts, user_spin(S(turns), &S(counts)[i]))                        \
    X(cliff, cliff, USER_CLIFF)                                                \
    X(nap, counts, user_nap(&S(counts)[i]))                                    \
    USER_SHAPES(X)                                                             \
    USER_KERNELS(X)

/*
 * spmv     a row of a sparse matrix times a vector
 * rank     a vertex of a graph, in a step of PageRank
 * forces   a cell of particles, which attract those around
 * down,    a vertex of a frontier, a block of vertices: the steps of a breadth-first
 * up       search
 */
#define USER_KERNELS(X)                                                        \
    X(spmv, spmv, S(sums)[i] = user_times(S(matrix), S(values), S(x), i))      \
    X(rank, rank, S(sums)[i] = user_rank(S(matrix), S(x), i))                  \
    X(forces, forces, S(sums)[i] = user_forces(S(cells), i))                   \
    X(down, search, user_down(S(search), i))                                   \
    X(up, search, user_up(S(search), i))

#define USER_CLIFF                                                             \
    user_spin(i >= S(from) && i < S(to) ? S(dear) : S(turns), &S(counts)[i])

/*
 * X(name, given, edge, statement), of a row i and a column j, both of [edge, side - edge).
 * heat reads and writes rows; transpose reads rows and writes columns.  mean and median
 * are filters of 5 x 5 pixels; mandelbrot has dear rows side by side.
 */
#define USER_PLANES(X)                                                         \
    X(heat, plane, 1,                                                          \
      S(out)[i * S(side) + j] =                                                \
          S(factor) * (S(in)[i * S(side) + j - 1] + S(in)[i * S(side) + j + 1] + \
                       S(in)[(i - 1) * S(side) + j] +                          \
                       S(in)[(i + 1) * S(side) + j]))                          \
    X(transpose, plane, 0, S(out)[j * S(side) + i] = S(in)[i * S(side) + j])   \
    X(mean, plane, 2,                                                          \
      S(out)[i * S(side) + j] =                                                \
          user_mean(S(in) + (i - 2) * S(side) + j - 2, S(side)))               \
    X(median, plane, 2,                                                        \
      S(out)[i * S(side) + j] =                                                \
          user_median(S(in) + (i - 2) * S(side) + j - 2, S(side)))             \
    X(mandelbrot, plane, 0, S(out)[i * S(side) + j] = user_escape(i, j, S(side)))

/* The same with three: h and i of [edge, side - edge), j of [edge, row - edge). */
#define USER_SPACES(X)                                                         \
    X(space, space, 1,                                                         \
      S(sums)[USER_POINT(h, i, j)] =                                           \
          S(x)[USER_POINT(h - 1, i, j)] + S(x)[USER_POINT(h + 1, i, j)] +      \
          S(x)[USER_POINT(h, i - 1, j)] + S(x)[USER_POINT(h, i + 1, j)] +      \
          S(x)[USER_POINT(h, i, j - 1)] + S(x)[USER_POINT(h, i, j + 1)])
#define USER_POINT(h, i, j) (((h) * S(side) + (i)) * S(row) + (j))
#define USER_SPACE_SIDE 34 /* of its planes; their edges take part in nothing */

/*
 * X(name): what a loop has found out at its end, which each runtime has calls for.
 *
 * dot        value = sum of x[i] * y[i]
 * least      value = the smallest x[i]
 * scan       sums[i] = x[0] + ... + x[i]
 * histogram  bins[b] = how many bytes are b
 * find       value = the lowest i with bytes[i], of which there is one
 * triangles  value = the triangles of a graph, by their lowest vertex
 * kmeans     tally = the sums of the points nearest to each centre
 */
#define USER_VALUES(X)                                                         \
    X(dot) X(least) X(scan) X(histogram) X(find) X(triangles) X(kmeans)

/*
 * X(name): functions that call themselves, where others may execute some of the calls.
 *
 * fib       value = the n-th Fibonacci number
 * queens    value = in how many ways n queens can be placed on a board
 * tree      body spin at each of n leaves, a half on each side
 * uts       value = the nodes of tree n, USER_UTS_T1 or _T3
 * skynet    value = 0 + 1 + ... + n - 1
 * cilksort  sorted[0..n)
 * matmul    sums += x * y, square matrices
 */
#define USER_TREES(X)                                                          \
    X(fib) X(queens) X(tree) X(uts) X(skynet) X(cilksort) X(matmul)

/*
 * X(name): tasks that do not return to whoever has spawned them; body spin in each of n.
 *
 * group     one caller spawns all into a group, and waits for that
 * submit    a thread that is no worker submits one after the other, and then waits until
 *           all are over
 * batch     the same, USER_BATCH at a time where the runtime takes several
 * reply     one at a time; who has submitted it executes nothing until it is over
 */
#define USER_JOBS(X) X(group) X(submit) X(batch) X(reply)

#define USER_BATCH 100

#define USER_ROW 1024 /* bytes that a histogram takes together: a line of a picture */

#define USER_TILE 32 /* rows and columns, where a way has tiles */

enum user_body {
#define USER_BODY(name, ...) USER_##name,
    USER_BODIES(USER_BODY)
    USER_PLANES(USER_BODY)
    USER_SPACES(USER_BODY)
    USER_VALUES(USER_BODY)
    USER_TREES(USER_BODY)
    USER_JOBS(USER_BODY)
#undef USER_BODY
    USER_NUM_BODIES
};

/* What each body is given, as arguments of a loop that has such: types and names, and
   the members. */
#define USER_GIVEN_nothing
#define USER_OF_nothing(s)
#define USER_GIVEN_counts , uint32_t *, counts, uint32_t, turns
#define USER_OF_counts(s) , (s)->counts, (s)->turns
#define USER_GIVEN_cliff                                                       \
    , uint32_t *, counts, uint32_t, turns, uint32_t, dear, int64_t, from, int64_t, to
#define USER_OF_cliff(s) , (s)->counts, (s)->turns, (s)->dear, (s)->from, (s)->to
#define USER_GIVEN_floats , float *, out, const float *, in, float, factor
#define USER_OF_floats(s) , (s)->out, (s)->in, (s)->factor
#define USER_GIVEN_plane , float *, out, const float *, in, float, factor, int64_t, side
#define USER_OF_plane(s) , (s)->out, (s)->in, (s)->factor, (s)->side
#define USER_GIVEN_space , double *, sums, const double *, x, int64_t, side, int64_t, row
#define USER_OF_space(s) , (s)->sums, (s)->x, (s)->side, (s)->row
#define USER_GIVEN_call , user_index_fn *, fn, void *, arg
#define USER_OF_call(s) , (s)->fn, (s)->arg
#define USER_GIVEN_spmv                                                        \
    , double *, sums, const struct user_matrix *, matrix, const double *, values, \
        const double *, x
#define USER_OF_spmv(s) , (s)->sums, (s)->matrix, (s)->values, (s)->x
#define USER_GIVEN_rank                                                        \
    , double *, sums, const struct user_matrix *, matrix, const double *, x
#define USER_OF_rank(s) , (s)->sums, (s)->matrix, (s)->x
#define USER_GIVEN_forces , double *, sums, const struct user_cells *, cells
#define USER_OF_forces(s) , (s)->sums, (s)->cells
#define USER_GIVEN_search , struct user_search *, search
#define USER_OF_search(s) , (s)->search

/* The members as the locals that other programs would have. */
#define USER_LOCALS(s)                                                         \
    USER_LOCAL(s, float *, out)                                                \
    USER_LOCAL(s, const float *, in)                                           \
    USER_LOCAL(s, float, factor)                                               \
    USER_LOCAL(s, int64_t, side)                                               \
    USER_LOCAL(s, int64_t, row)                                                \
    USER_LOCAL(s, const double *, x)                                           \
    USER_LOCAL(s, double *, sums)                                              \
    USER_LOCAL(s, uint32_t *, counts)                                          \
    USER_LOCAL(s, uint32_t, turns)                                             \
    USER_LOCAL(s, uint32_t, dear)                                              \
    USER_LOCAL(s, int64_t, from)                                               \
    USER_LOCAL(s, int64_t, to)                                                 \
    USER_LOCAL(s, const struct user_matrix *, matrix)                          \
    USER_LOCAL(s, const double *, values)                                      \
    USER_LOCAL(s, const struct user_cells *, cells)                            \
    USER_LOCAL(s, struct user_search *, search)                                \
    USER_LOCAL(s, user_index_fn *, fn)                                         \
    USER_LOCAL(s, void *, arg)
#define USER_LOCAL(s, type, name)                                              \
    type name = (s)->name;                                                     \
    (void)name;

static inline void user_spin(uint32_t turns, uint32_t *count)
{
    bench_spin(turns);
    ++*count;
}

#define USER_NAP_SECONDS 0.02

static inline void user_nap(uint32_t *count)
{
    struct timespec t = { 0, (long)(USER_NAP_SECONDS * 1e9) };

    nanosleep(&t, NULL);
    ++*count;
}

#endif
