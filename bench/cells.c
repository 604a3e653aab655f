/*
 * cells.c - Lennard-Jones forces by cells, of particles that cluster.
 *
 * SPDX-License-Identifier: MIT
 *
 * A cell is as wide as the forces reach.  An index is a cell: the forces on its
 * own particles, of those in the 27 cells around; so each pair is looked at
 * from both sides, and nothing is written by two.  What a cell costs grows with
 * the square of its density.
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "suite.h"

struct vector {
    double x, y, z;
};

struct cells {
    int side;              /* cells along each edge of the box */
    int64_t n;             /* particles */
    int64_t *first;        /* a cell's first particle, and the end */
    struct vector *at;     /* a particle; in order of cells, which are 1 wide */
    struct vector *forces; /* on a particle */
    double *parts;         /* a cell: 1, and its energy and forces */
    double heaviest;
    char size[48];
};

/* How the particles lie. */
static const struct clustering {
    int64_t quick, full; /* particles */
    double share;        /* of them in clusters; the others are anywhere */
    int clusters;
    double radius;
} clusterings[] = {{20000, 120000, 0.5, 24, 3.0}, {8000, 32000, 0.9, 3, 1.5}};

/* The cells around one, itself included: from and to which, along each edge. */
struct span {
    int from[3], to[3];
};

static struct span around(const struct cells *s, int64_t cell)
{
    int at[3] = {(int)cell % s->side, (int)cell / s->side % s->side,
                 (int)cell / s->side / s->side};
    struct span span;

    for (int d = 0; d < 3; d++) {
        span.from[d] = at[d] > 0 ? at[d] - 1 : 0;
        span.to[d] = at[d] < s->side - 1 ? at[d] + 1 : at[d];
    }
    return span;
}

/* The first cell of a row of those around. */
static int64_t row_of(const struct cells *s, const struct span *span, int y,
                      int z)
{
    return ((int64_t)z * s->side + y) * s->side + span->from[0];
}

/* Adds to `force` that of the particles [begin, end) upon one; returns their
   energy.  Nearer than 0.2 they count as at 0.2, or the sums would be those of
   the nearest pair. */
static double attract(const struct cells *s, int64_t particle, int64_t begin,
                      int64_t end, struct vector *force)
{
    struct vector p = s->at[particle];
    double energy = 0;

    for (int64_t i = begin; i < end; i++) {
        double dx = p.x - s->at[i].x;
        double dy = p.y - s->at[i].y;
        double dz = p.z - s->at[i].z;
        double square = dx * dx + dy * dy + dz * dz;
        if (square >= 1 || i == particle)
            continue;
        square = square < 0.04 ? 0.04 : square;
        double a = 0.09 / square; /* sigma is 0.3 */
        double attraction = a * a * a;
        double repulsion = attraction * attraction;
        double f = 24 * (2 * repulsion - attraction) / square;
        force->x += f * dx;
        force->y += f * dy;
        force->z += f * dz;
        energy += 4 * (repulsion - attraction);
    }
    return energy;
}

static void cell_forces(int64_t cell, void *arg)
{
    struct cells *s = arg;
    struct span span = around(s, cell);
    int wide = span.to[0] - span.from[0] + 1;
    double part = 1;

    for (int64_t i = s->first[cell]; i < s->first[cell + 1]; i++) {
        struct vector force = {0, 0, 0};
        for (int z = span.from[2]; z <= span.to[2]; z++)
            for (int y = span.from[1]; y <= span.to[1]; y++) {
                int64_t row = row_of(s, &span, y, z);
                part += attract(s, i, s->first[row], s->first[row + wide],
                                &force);
            }
        s->forces[i] = force;
        part += force.x + 2 * force.y + 3 * force.z;
    }
    s->parts[cell] += part;
}

/* The part of all looks from particle to particle that the dearest cell has. */
static double heaviest_part(const struct cells *s)
{
    double most = 0, all = 0;

    for (int64_t cell = 0; cell < (int64_t)s->side * s->side * s->side;
         cell++) {
        struct span span = around(s, cell);
        int wide = span.to[0] - span.from[0] + 1;
        int64_t seen = 0;
        for (int z = span.from[2]; z <= span.to[2]; z++)
            for (int y = span.from[1]; y <= span.to[1]; y++) {
                int64_t row = row_of(s, &span, y, z);
                seen += s->first[row + wide] - s->first[row];
            }
        double looks =
            (double)seen * (double)(s->first[cell + 1] - s->first[cell]);
        most = looks > most ? looks : most;
        all += looks;
    }
    return most / all;
}

/* A coordinate of a particle, from 0 to side: for one in a cluster, its
   centre's, and off by the sum of a few numbers, which is about normal. */
static double coordinate(const struct cells *s, const struct clustering *how,
                         int64_t particle, int axis)
{
    uint64_t position = (uint64_t)particle * 8;
    double at = bench_uniform(10, position + (uint64_t)axis);

    if (bench_uniform(10, position + 3) >= how->share)
        return at * s->side;
    uint64_t cluster = bench_random(10, position + 4) % (uint64_t)how->clusters;
    double off = at - 0.5;
    for (uint64_t i = 0; i < 3; i++)
        off += bench_uniform(11, (position + (uint64_t)axis) * 3 + i) - 0.5;
    at = bench_uniform(12, cluster * 3 + (uint64_t)axis) * s->side +
         off * how->radius * 1.7;
    return at < 0 ? -at : at >= s->side ? 2 * s->side - at - 1e-9 : at;
}

static int64_t cell_of(const struct cells *s, struct vector at)
{
    return ((int64_t)at.z * s->side + (int64_t)at.y) * s->side + (int64_t)at.x;
}

/* Sorts the particles by their cells: counts, sums, and moves. */
static int fill(struct cells *s, const struct clustering *how)
{
    int64_t cells = (int64_t)s->side * s->side * s->side;
    struct vector *at = bench_alloc((size_t)s->n * sizeof *at);

    if (!at)
        return -1;
    for (int64_t i = 0; i < s->n; i++) {
        at[i].x = coordinate(s, how, i, 0);
        at[i].y = coordinate(s, how, i, 1);
        at[i].z = coordinate(s, how, i, 2);
        s->first[cell_of(s, at[i])]++;
    }
    for (int64_t cell = 0, sum = 0; cell <= cells; cell++) {
        sum += s->first[cell];
        s->first[cell] = sum; /* its end, which moving makes its start */
    }
    for (int64_t i = 0; i < s->n; i++)
        s->at[--s->first[cell_of(s, at[i])]] = at[i];
    return 0;
}

static void *cells_prepare(enum bench_size size, int variant)
{
    const struct clustering *how = &clusterings[variant];
    struct cells *s = bench_alloc(sizeof *s);

    if (!s)
        return NULL;
    s->side = size == BENCH_QUICK ? 16 : 24;
    s->n = size == BENCH_QUICK ? how->quick : how->full;
    size_t cells = (size_t)(s->side * s->side * s->side);
    s->first = bench_alloc((cells + 1) * sizeof *s->first);
    s->at = bench_alloc((size_t)s->n * sizeof *s->at);
    if (!s->first || !s->at || fill(s, how))
        return NULL;
    s->heaviest = heaviest_part(s);
    snprintf(s->size, sizeof s->size, "%d^3 cells, %d particles", s->side,
             (int)s->n);
    return s;
}

static int cells_begin(void *input, const struct bench_loop *loop)
{
    struct cells *s = input;
    size_t cells = (size_t)(s->side * s->side * s->side);

    (void)loop;
    s->forces = bench_alloc((size_t)s->n * sizeof *s->forces);
    s->parts = bench_alloc(cells * sizeof *s->parts);
    return s->forces && s->parts ? 0 : -1;
}

static double cells_run(void *input, const struct bench_loop *loop)
{
    struct cells *s = input;
    int64_t cells = (int64_t)s->side * s->side * s->side;

    memset(s->parts, 0, (size_t)cells * sizeof *s->parts);
    double start = bench_now();
    bench_for(loop, 0, cells, cell_forces, s);
    return bench_now() - start;
}

static double cells_answer(void *input)
{
    const struct cells *s = input;

    return bench_checksum(s->parts, (int64_t)s->side * s->side * s->side);
}

static double cells_heaviest(const void *input)
{
    return ((const struct cells *)input)->heaviest;
}

static const char *cells_size(const void *input)
{
    return ((const struct cells *)input)->size;
}

#define CELLS(kernel, which, text)                                        \
    {                                                                     \
        .name = kernel, .group = "suite", .form = "index", .what = text,  \
        .unit = "ms", .scale = 1e3, .quick = true, .variant = which,      \
        .prepare = cells_prepare, .begin = cells_begin, .run = cells_run, \
        .answer = cells_answer, .heaviest = cells_heaviest,               \
        .size = cells_size                                                \
    }

const struct bench_kernel bench_cells[] = {
    CELLS("cells-mild", 0,
          "Lennard-Jones by cells, half the particles in wide clusters"),
    CELLS("cells-strong", 1,
          "Lennard-Jones by cells, nearly all particles in a few clusters"),
    {.name = NULL}};
