/*
 * kernels.h - what programs compute: matrices, graphs, particles, points, pictures.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each function is what one index of a program's loop does.  kernels.c makes the data.
 */
#ifndef USERS_KERNELS_H
#define USERS_KERNELS_H

#include <stdint.h>
#include <string.h>

/* ---- sparse matrices, which are graphs, too ---- */

/* Compressed rows: row r has the columns column[start[r]] to column[start[r + 1] - 1].
   Of a graph: vertex r has these neighbours, in ascending order. */
struct user_matrix {
    int64_t rows;
    int64_t *start; /* rows + 1 of them */
    uint32_t *column;
};

/* A row times a vector. */
static inline double user_times(const struct user_matrix *m, const double *values,
                                const double *x, int64_t row)
{
    double sum = 0;

    for (int64_t k = m->start[row]; k < m->start[row + 1]; k++)
        sum += values[k] * x[m->column[k]];
    return sum;
}

#define USER_DAMPING 0.85

/* PageRank: what vertex v hands to each neighbour, of what its neighbours have handed
   to it. */
static inline double user_rank(const struct user_matrix *m, const double *x, int64_t v)
{
    int64_t neighbours = m->start[v + 1] - m->start[v];
    double sum = 0;

    for (int64_t k = m->start[v]; k < m->start[v + 1]; k++)
        sum += x[m->column[k]];
    sum = (1 - USER_DAMPING) / (double)m->rows + USER_DAMPING * sum;
    return neighbours ? sum / (double)neighbours : sum;
}

/* The triangles of which u is the lowest vertex.  The matrix has each edge in the row of
   its lower end only. */
static inline int64_t user_triangles(const struct user_matrix *m, int64_t u)
{
    int64_t count = 0, end = m->start[u + 1];

    for (int64_t k = m->start[u]; k < end; k++) {
        int64_t v = m->column[k], a = k + 1, b = m->start[v];

        while (a < end && b < m->start[v + 1]) {
            uint32_t x = m->column[a], y = m->column[b];

            count += x == y;
            a += x <= y;
            b += y <= x;
        }
    }
    return count;
}

/* ---- breadth-first search ---- */

/*
 * Level by level.  While the frontier is small the index is a vertex of it, which claims
 * its unseen neighbours (down).  When it is large the index is a block of vertices, of
 * which each unseen one looks for a neighbour in the frontier (up).  Levels and `found`
 * are atomic and relaxed: no loop depends on another index's writes.
 */
#define USER_UNSEEN (-1)
#define USER_BLOCK 64  /* vertices that are told of together */
#define USER_LARGE 32  /* a frontier is, with one in so many vertices */

struct user_search {
    struct user_matrix graph;
    uint32_t source;
    int32_t depth;  /* of the frontier */
    int32_t *level; /* of each vertex */
    uint32_t *frontier, *next;
    int64_t found; /* so many are in next[] */
};

static inline int32_t user_level(const struct user_search *s, int64_t v)
{
    return __atomic_load_n(&s->level[v], __ATOMIC_RELAXED);
}

static inline void user_tell(struct user_search *s, const uint32_t *vertices, int n)
{
    int64_t at = __atomic_fetch_add(&s->found, n, __ATOMIC_RELAXED);

    memcpy(s->next + at, vertices, (size_t)n * sizeof *vertices);
}

static inline void user_down(struct user_search *s, int64_t i)
{
    const struct user_matrix *m = &s->graph;
    uint32_t u = s->frontier[i], own[USER_BLOCK];
    int n = 0;

    for (int64_t k = m->start[u]; k < m->start[u + 1]; k++) {
        uint32_t v = m->column[k];
        int32_t unseen = USER_UNSEEN;

        if (user_level(s, v) != USER_UNSEEN ||
            !__atomic_compare_exchange_n(&s->level[v], &unseen, s->depth + 1, 0,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
        own[n++] = v;
        if (n == USER_BLOCK) {
            user_tell(s, own, n);
            n = 0;
        }
    }
    if (n > 0)
        user_tell(s, own, n);
}

static inline void user_up(struct user_search *s, int64_t block)
{
    const struct user_matrix *m = &s->graph;
    int64_t first = block * USER_BLOCK, past = first + USER_BLOCK;
    uint32_t own[USER_BLOCK];
    int n = 0;

    for (int64_t v = first; v < past && v < m->rows; v++) {
        int64_t k = m->start[v];

        if (user_level(s, v) != USER_UNSEEN)
            continue;
        while (k < m->start[v + 1] && user_level(s, m->column[k]) != s->depth)
            k++;
        if (k == m->start[v + 1])
            continue;
        __atomic_store_n(&s->level[v], s->depth + 1, __ATOMIC_RELAXED);
        own[n++] = (uint32_t)v;
    }
    if (n > 0)
        user_tell(s, own, n);
}

/* ---- particles ---- */

struct user_particle {
    double x, y, z;
};

/* A cube of cells, each as wide as the forces reach. */
struct user_cells {
    int side;
    int64_t *first;           /* a cell's first particle, and the end */
    struct user_particle *at; /* in the order of the cells */
};

/* Lennard-Jones: the energy of one particle by those of [from, past).  What is nearer
   than 0.2 counts as at 0.2, or the sums would be those of the nearest pair. */
static inline double user_energy(const struct user_cells *c, int64_t one, int64_t from,
                                 int64_t past)
{
    struct user_particle p = c->at[one];
    double energy = 0;

    for (int64_t i = from; i < past; i++) {
        double dx = p.x - c->at[i].x, dy = p.y - c->at[i].y, dz = p.z - c->at[i].z;
        double square = dx * dx + dy * dy + dz * dz, a;

        if (square >= 1 || i == one)
            continue;
        a = 0.09 / (square < 0.04 ? 0.04 : square); /* sigma is 0.3 */
        a = a * a * a;
        energy += 4 * (a * a - a);
    }
    return energy;
}

/* Of a cell's particles, by those of the 27 cells around. */
static inline double user_forces(const struct user_cells *c, int64_t cell)
{
    const int side = c->side;
    int x = (int)cell % side, y = (int)cell / side % side, z = (int)cell / side / side;
    int left = x > 0 ? x - 1 : 0, right = x < side - 1 ? x + 1 : x;
    double energy = 0;

    for (int64_t i = c->first[cell]; i < c->first[cell + 1]; i++)
        for (int h = z > 0 ? z - 1 : 0; h <= z + 1 && h < side; h++)
            for (int j = y > 0 ? y - 1 : 0; j <= y + 1 && j < side; j++) {
                int64_t row = ((int64_t)h * side + j) * side;

                energy += user_energy(c, i, c->first[row + left], c->first[row + right + 1]);
            }
    return energy;
}

/* ---- k-means ---- */

#define USER_AXES 16
#define USER_CENTRES 16

/* Coordinates are whole numbers below 256: sums and distances are exact. */
struct user_points {
    float (*at)[USER_AXES];
    float centres[USER_CENTRES][USER_AXES];
};

struct user_tally {
    double sums[USER_CENTRES][USER_AXES], counts[USER_CENTRES];
};

/* Adds a point to its nearest centre's. */
static inline void user_assign(const struct user_points *p, int64_t i, struct user_tally *t)
{
    const float *point = p->at[i];
    float least = 1e30f;
    int best = 0;

    for (int c = 0; c < USER_CENTRES; c++) {
        float distance = 0;

        for (int k = 0; k < USER_AXES; k++) {
            float d = point[k] - p->centres[c][k];

            distance += d * d;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    for (int k = 0; k < USER_AXES; k++)
        t->sums[best][k] += (double)point[k];
    t->counts[best]++;
}

static inline void user_add_tally(struct user_tally *into, const struct user_tally *t)
{
    for (int c = 0; c < USER_CENTRES; c++) {
        for (int k = 0; k < USER_AXES; k++)
            into->sums[c][k] += t->sums[c][k];
        into->counts[c] += t->counts[c];
    }
}

/* ---- pictures ---- */

/* The mean of 5 x 5 pixels, of which `corner` is the first. */
static inline float user_mean(const float *corner, int64_t side)
{
    float sum = 0;

    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 5; x++)
            sum += corner[y * side + x];
    return sum * 0.04f;
}

/* The middle one of them, by Hoare's find: soon done where it is the pixel in the middle,
   later where that is salt or pepper. */
static inline float user_median(const float *corner, int64_t side)
{
    float v[25];
    int low = 0, high = 24;

    for (int y = 0; y < 5; y++)
        memcpy(v + 5 * y, corner + y * side, 5 * sizeof *v);
    while (low < high) {
        float pivot = v[12];
        int i = low, j = high;

        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j) {
                float swapped = v[i];

                v[i++] = v[j];
                v[j--] = swapped;
            }
        }
        if (j < 12)
            low = i;
        if (i > 12)
            high = j;
    }
    return v[12];
}

#define USER_ESCAPES 1000
#define USER_POINT_BITS 26 /* behind the point: the same bits with any compiler */

/* The Mandelbrot set.  The view is no wider than the set and much higher, and the set is
   in its first third: dear rows are side by side, hundreds of times as dear. */
static inline float user_escape(int64_t row, int64_t column, int64_t side)
{
    const int64_t one = (int64_t)1 << USER_POINT_BITS;
    const int64_t cx = -2 * one + 5 * one / 2 * column / side;
    const int64_t cy = -4 * one + 17 * one * row / side;
    int64_t x = 0, y = 0, xx = 0, yy = 0;
    int n = 0;

    while (n < USER_ESCAPES && xx + yy <= 4 * one) {
        y = (x * y >> (USER_POINT_BITS - 1)) + cy;
        x = xx - yy + cx;
        xx = x * x >> USER_POINT_BITS;
        yy = y * y >> USER_POINT_BITS;
        n++;
    }
    return (float)n;
}

#endif
