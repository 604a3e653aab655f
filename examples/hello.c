/*
 * hello.c - the smallest program: a loop whose indices run in parallel.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <tweed.h>

static long square[1000];

TWEED_LOOP(fill, i, long *, y)
{
    y[i] = (long)(i * i);
}

int main(void)
{
    fill(0, 1000, square); /* for (i = 0; i < 1000; i++) the braces */
    printf("999 * 999 = %ld\n", square[999]);
    return 0;
}
