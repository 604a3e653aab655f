/*
 * spmv.c - the power iteration with a sparse matrix that every rank has.
 *
 * SPDX-License-Identifier: MIT
 *
 *     y = A x;  x = y / |y|
 *
 * again and again.  A row is an index.  A rank writes the elements of y that come to it, and
 * the others of its y are zero; so their sum is y, and the same bits whoever wrote what.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "program.h"
#include "ways.h"

struct state {
    struct matrix a;
    double *x, *mine, *y;
};

static void row(int64_t r, void *arg)
{
    const struct state *s = arg;
    double sum = 0;

    for (size_t k = s->a.start[r]; k < s->a.start[r + 1]; k++)
        sum += s->a.value[k] * s->x[s->a.column[k]];
    s->mine[r] = sum;
}

/* The length of A x after so many steps. */
static double iterate(enum way way, struct state *s, int steps)
{
    struct loop loop = { "spmv", s->a.rows, 512, row, s };
    struct cost cost = { 0 };
    double length = 0;

    for (int r = 0; r < s->a.rows; r++)
        s->x[r] = 1;
    for (int k = 0; k < steps; k++) {
        memset(s->mine, 0, (size_t)s->a.rows * sizeof *s->mine);
        ways_run(way, &loop, &cost);
        MPI_Allreduce(s->mine, s->y, s->a.rows, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        length = 0;
        for (int r = 0; r < s->a.rows; r++)
            length += s->y[r] * s->y[r];
        length = sqrt(length);
        for (int r = 0; r < s->a.rows; r++)
            s->x[r] = s->y[r] / length;
    }
    ways_row(way, &loop, &cost);
    return length;
}

int main(int argc, char **argv)
{
    struct state s;
    const char *name = NULL;
    int steps = 20;
    double length[WAYS];
    const struct option options[] = {
        { "steps", 's', OPTION_INTEGER, &steps, 1, 1e6, "of the iteration" },
        { "matrix", 0, OPTION_OPERAND, &name, 0, 0, "a square one, in Matrix Market's form" },
        OPTIONS_END
    };

    ways_begin(&argc, &argv);
    options_read(argc, argv, "spmv", "Multiplies a matrix with a vector on all ranks.",
                 options);
    matrix_read(&s.a, name);
    if (s.a.rows != s.a.columns)
        die("%s: not square", name);
    s.x = allocate(NULL, (size_t)s.a.rows, sizeof *s.x);
    s.y = allocate(NULL, (size_t)s.a.rows, sizeof *s.y);
    s.mine = allocate(NULL, (size_t)s.a.rows, sizeof *s.mine);
    for (enum way way = 0; way < WAYS; way++)
        length[way] = iterate(way, &s, steps);
    free(s.x);
    free(s.y);
    free(s.mine);
    matrix_destroy(&s.a);
    return ways_end(length[SPLIT] == length[MASTER] && length[SPLIT] == length[TWEED]);
}
