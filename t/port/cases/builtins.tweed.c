/* Functions of the compiler: they are declared where they are used first. */
#include <tweed.h>
#include <stdio.h>

TWEED_SUM(int, bits_loop, i, const unsigned int *, x)
{
    return __builtin_popcount(x[i]);
}

TWEED_SUM(int, bits_loop_2, i, const unsigned int *, x)
{
    int s = 0;

    if (__builtin_expect(x[i] != 0, 1))
        s += __builtin_popcount(x[i]) - __builtin_ctz(x[i]);
    return s;
}

TWEED_SUM(int, bits_loop_3, i, const unsigned int *, x)
{
    int s = 0;

    __builtin_prefetch(&x[i]);
    s += x[i] ? __builtin_ctz(x[i]) : 0;
    return s;
}

static int bits(const unsigned *x, int n)
{
    int s = 0;

    s += bits_loop(0, n, x);
    s += bits_loop_2(0, n, x);
    s += bits_loop_3(0, n, x);
    return s;
}

int main(void)
{
    unsigned x[100];

    for (unsigned i = 0; i < 100; i++)
        x[i] = i * 2654435761u;
    printf("%d\n", bits(x, 100));
    return 0;
}
