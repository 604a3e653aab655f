/*
 * saxpy.c - a loop over vectors, which are its arguments.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <tweed.h>

TWEED_LOOP(saxpy, i, float *, y, const float *, x, float, a)
{
    y[i] += a * x[i];
}

int main(void)
{
    static float x[1000], y[1000];

    x[999] = 21;
    saxpy(0, 1000, y, x, 2); /* for (i = 0; i < 1000; i++) the braces */
    printf("%.0f\n", y[999]); /* 42 */
    return 0;
}
