/*
 * queens.c - in how many ways n queens can be placed on a board: tasks that start tasks.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <tweed.h>

/* The squares of a row that queens above attack, by column and by the two diagonals. */
struct attacked {
    unsigned columns, left, right;
};

static struct attacked with_queen(struct attacked a, unsigned square)
{
    return (struct attacked){ a.columns | square, (a.left | square) << 1,
                              (a.right | square) >> 1 };
}

/* All ways to fill the rows that are left. */
TWEED_TASK(long, place, unsigned, all, struct attacked, a)
{
    unsigned here = all & ~(a.columns | a.left | a.right);
    long ways = 0;
    int spawned = 0;

    if (a.columns == all)
        return 1;
    for (; here; here &= here - 1, spawned++)
        TWEED_SPAWN(place, all, with_queen(a, here & -here));
    while (spawned-- > 0)
        ways += TWEED_SYNC(place);
    return ways;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10;

    if (argc > 2 || n < 1 || n > 20) {
        fprintf(stderr, "usage: queens [N]    N from 1 to 20\n");
        return 2;
    }
    printf("%ld\n", TWEED_RUN(place, (1u << n) - 1, (struct attacked){ 0, 0, 0 }));
    return 0;
}
