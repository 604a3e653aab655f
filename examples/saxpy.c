/*
 * saxpy.c - a loop over vectors, with all that its body needs in a struct.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <tweed.h>

struct vectors {
    float *y;
    const float *x;
    float a;
};

TWEED_LOOP(saxpy, i, const struct vectors *, v)
{
    v->y[i] += v->a * v->x[i];
}

int main(void)
{
    static float x[1000], y[1000];
    struct vectors v = { y, x, 2 };

    x[999] = 21;
    saxpy(0, 1000, &v); /* for (i = 0; i < 1000; i++) the braces */
    printf("%.0f\n", y[999]); /* 42 */
    return 0;
}
