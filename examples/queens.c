/*
 * queens.c - in how many ways n queens can be placed on a board: tasks that start tasks.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each placement in one of the upper rows is a task, which has the rows below it.
 */
#include <tweed.h>

#include "compare.h"
#include "program.h"

enum { largest = 20 };

struct board {
    int queens, task_rows;
    long ways;
};

/* The squares of a row that queens above attack, by column and by the two diagonals. */
struct attacked {
    unsigned columns, left, right;
};

static struct attacked with_queen(struct attacked a, unsigned square)
{
    return (struct attacked){ a.columns | square, (a.left | square) << 1,
                              (a.right | square) >> 1 };
}

static unsigned free_squares(unsigned all, struct attacked a)
{
    return all & ~(a.columns | a.left | a.right);
}

/* All ways to fill the rows that are left. */
static long place_alone(unsigned all, struct attacked a)
{
    long ways = 0;

    if (a.columns == all)
        return 1;
    for (unsigned here = free_squares(all, a); here; here &= here - 1)
        ways += place_alone(all, with_queen(a, here & -here));
    return ways;
}

/* ---- tweed ---- */

TWEED_TASK(long, place, int, task_rows, unsigned, all, struct attacked, a)
{
    long ways = 0;
    int spawned = 0;

    if (task_rows == 0)
        return place_alone(all, a);
    for (unsigned here = free_squares(all, a); here; here &= here - 1, spawned++)
        TWEED_SPAWN(place, task_rows - 1, all, with_queen(a, here & -here));
    while (spawned-- > 0)
        ways += TWEED_SYNC(place);
    return ways;
}

/* ---- OpenMP ---- */

#ifdef _OPENMP
static long place_openmp(int task_rows, unsigned all, struct attacked a)
{
    long ways[largest], sum = 0;
    int spawned = 0;

    if (task_rows == 0)
        return place_alone(all, a);
    for (unsigned here = free_squares(all, a); here; here &= here - 1, spawned++) {
        long *its = &ways[spawned];
        unsigned square = here & -here;

#pragma omp task
        *its = place_openmp(task_rows - 1, all, with_queen(a, square));
    }
#pragma omp taskwait
    while (spawned-- > 0)
        sum += ways[spawned];
    return sum;
}
#endif

static void run(enum variant variant, void *state)
{
    struct board *b = state;
    const struct attacked none = { 0, 0, 0 };
    unsigned all = (1u << b->queens) - 1;
    int task_rows = b->task_rows < b->queens ? b->task_rows : b->queens;

    switch (variant) {
    case TWEED:
        b->ways = TWEED_RUN(place, task_rows, all, none);
        break;
    case OPENMP_TASKS:
#ifdef _OPENMP
#pragma omp parallel
#pragma omp single
        b->ways = place_openmp(task_rows, all, none);
#endif
        break;
    default:
        b->ways = place_alone(all, none);
    }
}

int main(int argc, char **argv)
{
    struct board b = { .queens = 14, .task_rows = 5 };
    struct compare_options measure = COMPARE_DEFAULTS;
    const struct option options[] = {
        {"queens", 'n', OPTION_INTEGER, &b.queens, 1, largest,
         "as many rows, and columns"},
        {"task-rows", 't', OPTION_INTEGER, &b.task_rows, 0, largest,
         "rows in which a placement is a task"},
        COMPARE_OPTIONS(measure),
        OPTIONS_END};

    options_read(argc, argv, "queens", "Counts the ways to place queens on a board.",
                 options);
    struct kernel kernel = {"queens", TASKS, run, &b, &b.ways, sizeof b.ways};
    compare(&kernel, &measure, stdout);
    if (!measure.row)
        printf("%d queens: %ld ways\n", b.queens, b.ways);
    return finish();
}
