/*
 * keep.c - the elements of an array that pass a test, in their order: an exclusive scan.
 *
 * SPDX-License-Identifier: MIT
 *
 * What is kept goes to the place that is the number of those kept before.  That is what
 * the scan carries from index to index.  Here: the square numbers below a million, by
 * their last two digits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tweed.h>

static int passes(int x)
{
    return x % 100 == 44;
}

TWEED_SCAN(int64_t, keep, 0, TWEED_PLUS, kept, writes, i, const int *, from, int *, to)
{
    if (!passes(from[i]))
        return;
    if (writes)
        to[*kept] = from[i];
    ++*kept;
}

int main(void)
{
    const int64_t n = 1000;
    int *squares = malloc((size_t)n * sizeof *squares);
    int *kept = malloc((size_t)n * sizeof *kept);
    int64_t count;

    if (!squares || !kept) {
        perror("keep");
        free(squares);
        free(kept);
        return 1;
    }
    for (int64_t i = 0; i < n; i++)
        squares[i] = (int)(i * i);
    count = keep(0, n, squares, kept);
    printf("%lld end with 44: %d, %d, %d, ..., %d\n", (long long)count, kept[0],
           kept[1], kept[2], kept[count - 1]);
    free(kept);
    free(squares);
    return 0;
}
