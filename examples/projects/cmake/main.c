#include <stdio.h>
#include <tweed.h>

TWEED_LOOP(square, i, double *, x)
{
    x[i] = (double)i * (double)i;
}

int main(void)
{
    static double x[1000];

    square(0, 1000, x);
    printf("%.0f\n", x[999]); /* 998001 */
    return 0;
}
