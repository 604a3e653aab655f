/*
 * hello.c - the smallest program: a loop whose indices run in parallel.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <tweed/short.h>

static long square[1000];

static void body(int64_t i, void *arg)
{
    (void)arg;
    square[i] = (long)(i * i);
}

int main(void)
{
    parallel_for(0, 1000, body); /* for (i = 0; i < 1000; i++) body(i, NULL); */
    printf("999 * 999 = %ld\n", square[999]);
    return 0;
}
