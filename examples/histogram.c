/*
 * histogram.c - how often each value occurs: every worker counts for itself, and the
 * caller adds up.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tweed.h>

enum { PIXELS = 1000000, VALUES = 65536 };

struct histogram {
    long of[VALUES];
};

TWEED_LOOP(count_rows, row, const unsigned short *, pixels, tweed_scratch *, scratch)
{
    struct histogram *mine = tweed_scratch_get(scratch);

    if (!mine) /* no memory */
        abort();
    for (int i = 0; i < 1000; i++)
        mine->of[pixels[row * 1000 + i]]++;
}

/* Adds what the workers have counted, and clears it for the next loop. */
static void merge(struct histogram *all, tweed_scratch *scratch)
{
    struct histogram *one;

    for (one = tweed_scratch_next(scratch, NULL); one;
         one = tweed_scratch_next(scratch, one)) {
        for (int v = 0; v < VALUES; v++)
            all->of[v] += one->of[v];
        memset(one, 0, sizeof *one);
    }
}

int main(void)
{
    static unsigned short pixels[PIXELS];
    static struct histogram all;
    tweed_scratch *scratch;
    long sum = 0;
    int code = tweed_scratch_create(&scratch, sizeof all, NULL);

    if (code != TWEED_OK) {
        fprintf(stderr, "histogram: %s\n", tweed_last_error());
        return 1;
    }
    for (int i = 0; i < PIXELS; i++)
        pixels[i] = (unsigned short)((long)i * i % 4099);
    for (int frame = 0; frame < 10; frame++) {
        count_rows(0, PIXELS / 1000, pixels, scratch);
        merge(&all, scratch);
    }
    tweed_scratch_destroy(scratch);
    for (int v = 0; v < VALUES; v++)
        sum += all.of[v];
    printf("%ld pixels, %ld of value 4\n", sum, all.of[4]);
    return 0;
}
