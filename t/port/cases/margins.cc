/*
 * Pragmas at the left margin, bodies on one line, and variables that only pragmas name: what comes
 * of them has no warnings that were not there.
 */
#include <cstdio>

static int fib(int n)
{
    int x = 0, y = 0, z = 0;

    if (n < 2)
        return n;
    if (n > 0)
#pragma omp task shared(x)
        x = fib(n - 1);
#pragma omp task shared(y) if (n > 3)
    {
        y = fib(n - 2);
    }
#pragma omp taskwait
    if (n > 2)
        z = 1;
#pragma omp taskgroup
    {
#pragma omp task shared(z)
        {
            z -= z;
        }
    }
#pragma omp taskwait
    return x + y + z;
}

static int counted(int n)
{
    int i, j, sum = 0;

    for (int k = 0; k < 5; k++)
#pragma omp parallel for
        for (i = 0; i < n; i++)
#pragma omp critical
            sum++;
#pragma omp parallel private(i, j)
    {
        int mine = 0;
#pragma omp for
        for (i = 0; i < n; i++)
            mine++;
#pragma omp critical
        sum += mine;
    }
    return sum;
}

static int on_one_line(int n)
{
    int last = 0, k = 0, s = 0, q = 0;

#pragma omp parallel for lastprivate(last, q) reduction(+ : s)
    for (int i = 0; i < n; i++) { if (i > 8) last = i; if (i > 1) s++; if (i > 20) continue; q = 1; }
#pragma omp parallel for lastprivate(k)
    for (int i = 0; i < n; i++) if (i > 2) k = i;
#pragma omp parallel for lastprivate(k)
    for (int i = 0; i < n; i++)
        if (i > 2)
            k = i;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) { if (i > 2) s++; if (i > 3) s++; }
#pragma omp parallel for reduction(max : s)
    for (int i = 0; i < n; i++) { if (i > s) s = i; if (i > 30) s++; }
    return last + 10 * k + 100 * s + q;
}

int main()
{
    int r = 0;

#pragma omp parallel
#pragma omp single
    r = fib(10);
    std::printf("%d %d %d\n", r, counted(10), on_one_line(12));
    return 0;
}
