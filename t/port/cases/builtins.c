/* Functions of the compiler: they are declared where they are used first. */
#include <stdio.h>

static int bits(const unsigned *x, int n)
{
    int s = 0;

#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++)
        s += __builtin_popcount(x[i]);
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++)
        if (__builtin_expect(x[i] != 0, 1))
            s += __builtin_popcount(x[i]) - __builtin_ctz(x[i]);
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) {
        __builtin_prefetch(&x[i]);
        s += x[i] ? __builtin_ctz(x[i]) : 0;
    }
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
