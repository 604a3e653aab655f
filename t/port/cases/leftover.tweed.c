/* leftover.c - what one index leaves in a private variable for the next one. */
#include <tweed.h>
#include <stdio.h>

#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

enum { N = 1000 };

static int in[N], out[N];

static void halve(int of, int *to)
{
    *to = of / 2;
}

TWEED_LOOP(main_loop, i)
{
    int x;

    if ((int)i % 3 == 0)
        x = (int)i;
    else if ((int)i % 3 == 1)
        return;
    else
        x = -(int)i;
    in[i] = x + 1;
}

TWEED_LOOP(main_loop_2, i)
{
    int x;

    int y = (x = in[i]) > 5 ? x : -1;

    do {
        halve(y, &x);
        y = x + (y & 1);
    } while (x > 10);
    in[i] = y;
}

TWEED_LOOP(main_loop_3, i)
{
    int x;

    switch ((x = in[i]) & 3) {
    case 0:
        x++;
        break;
    default:
        x = -x;
    }
    out[i] += x;
}

int main(void)
{
    int i, x, sum = 0;

    /* An index that is no multiple of 100 has the value of the one before. */
    #pragma omp parallel for private(x) schedule(static, 100)
    for (i = 0; i < N; i++) {
        if (i % 100 == 0)
            x = i;
        out[i] = x;
    }

    /* These have none. */
    main_loop(0, N);
    main_loop_2(0, N);
    main_loop_3(0, N);

    for (i = 0; i < N; i++)
        sum = sum * 31 % 10007 + out[i];
    printf("%d\n", sum);
    return 0;
}
