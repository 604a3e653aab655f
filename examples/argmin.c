/*
 * argmin.c - the smallest value and where it is: a reduction of pairs.
 *
 * SPDX-License-Identifier: MIT
 *
 * Which of a million points is nearest to one?  Of points that are equally near it is
 * the first, on any number of workers.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tweed.h>

struct point {
    double x, y;
};

struct nearest {
    double distance; /* squared */
    int64_t index;
};

static const struct nearest nowhere = { INFINITY, -1 };

/* from has higher indices: of equal ones the first stays. */
static void nearer(struct nearest *into, const struct nearest *from)
{
    if (from->distance < into->distance)
        *into = *from;
}

TWEED_REDUCE(struct nearest, nearest_of, nowhere, nearer, best, i,
             const struct point *, points, struct point, from)
{
    double x = points[i].x - from.x, y = points[i].y - from.y;
    struct nearest here = { x * x + y * y, i };

    nearer(best, &here);
}

int main(void)
{
    const int64_t n = 1000000;
    struct point *points = malloc((size_t)n * sizeof *points);
    const struct point middle = { 500, 500 };
    struct nearest best;

    if (!points) {
        perror("argmin");
        return 1;
    }
    for (int64_t i = 0; i < n; i++) /* rows from below, and each one from the left */
        points[i] = (struct point){ (double)(i % 1000) + 0.5, (double)(i / 1000) };
    best = nearest_of(0, n, points, middle);
    printf("point %lld at (%.1f, %.1f)\n", (long long)best.index,
           points[best.index].x, points[best.index].y);
    free(points);
    return 0;
}
