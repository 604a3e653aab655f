/*
 * stencil-openmp.c - a program for OpenMP, as people have them: heat in a rod, step by step.
 *
 * SPDX-License-Identifier: MIT
 *
 *     cc -O2 -fopenmp examples/stencil-openmp.c -o stencil         by OpenMP
 *
 *     tweed-port examples/stencil-openmp.c > stencil.c             by tweed
 *     cc -O2 stencil.c -o stencil $(pkg-config --cflags --libs tweed)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100000, steps = argc > 2 ? atoi(argv[2]) : 100, i;
    double *now, *next, change = 0, sum = 0;

    if (n < 3 || steps < 1) {
        fprintf(stderr, "usage: stencil [points [steps]]\n");
        return 2;
    }
    now = calloc((size_t)n, sizeof *now);
    next = calloc((size_t)n, sizeof *next);
    if (!now || !next)
        return 1;
    now[0] = next[0] = 100;
    for (int t = 0; t < steps; t++) {
        double *swap = now;

        change = 0;
        #pragma omp parallel for schedule(static) reduction(max: change)
        for (i = 1; i < n - 1; i++) {
            double moved = 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);

            next[i] = now[i] + moved;
            if (fabs(moved) > change)
                change = fabs(moved);
        }
        now = next;
        next = swap;
    }
    #pragma omp parallel for reduction(+: sum)
    for (i = 0; i < n; i++)
        sum += now[i];
    printf("%d steps: heat %.6f, the last change %.3e\n", steps, sum, change);
    free(now);
    free(next);
    return 0;
}
