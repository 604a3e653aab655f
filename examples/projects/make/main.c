#include <stdio.h>
#include <tweed.h>

/* The body by pointer. */
static void square(int64_t i, void *arg)
{
    double *x = arg;

    x[i] = (double)i * (double)i;
}

int main(void)
{
    static double x[1000];

    if (tweed_parallel_for(0, 1000, square, x) != TWEED_OK)
        return 1;
    printf("%.0f\n", x[999]); /* 998001 */
    return 0;
}
