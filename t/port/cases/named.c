/* Variables that only pragmas name: nothing is left of them, or they are named anew. */
#include <stdio.h>

static double x[1000];

static void scale(int n, double by, int chunk)
{
    #pragma omp parallel for schedule(dynamic, chunk)
    for (int i = 0; i < n; i++)
        x[i] = x[i] * by + 1;
}

static long fib(int n)
{
    long a, b;

    if (n < 2)
        return n;
    #pragma omp task shared(a)
    a = fib(n - 1);
    #pragma omp task shared(b)
    b = fib(n - 2);
    #pragma omp taskwait
    return a + b;
}

int main(void)
{
    int chunk = 10, size = 1000, quarter = size / 4, threads = 3;
    long f = 0;
    double sum = 0;

    scale(size, 2, 5);
    #pragma omp parallel for schedule(static, chunk) reduction(+: sum)
    for (int i = 0; i < 1000; i++)
        sum += x[i];
    #pragma omp parallel for schedule(guided, quarter)
    for (int i = 0; i < 1000; i++)
        x[0] = 1;
    #pragma omp parallel num_threads(threads)
    #pragma omp single
    f = fib(15);
    printf("%g %ld\n", sum + x[0], f);
    return 0;
}
