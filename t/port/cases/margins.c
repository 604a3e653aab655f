/*
 * Pragmas at the left margin, bodies on one line, and variables that only pragmas name: what comes
 * of them has no warnings that were not there.
 */
#include <stdio.h>

static int fib(int n)
{
    int x = 0, y = 0;

    if (n < 2)
        return n;
    if (n > 0)
#pragma omp task shared(x)
        x = fib(n - 1);
#pragma omp task shared(y)
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

static int five(int n)
{
    int x[5] = { 0 }, t = 0;

    if (n < 2)
        return n;
    for (int i = 0; i < 5; i++)
#pragma omp task shared(x) // each of them
        x[i] = five(n - 1);
#pragma omp taskwait
    for (int i = 0; i < 5; i++)
#pragma omp atomic
        t += x[i];
    if (n > 2)
        t++;
#pragma omp atomic
    t += 1;
    for (int i = 0; i < 5; i++)
#pragma omp critical
        t += x[i];
    return t;
}

static int last_of(const int *x, int n)
{
    int last = 0, k = 0, j;

#pragma omp parallel for lastprivate(last) private(j)
    for (int i = 0; i < n; i++)
        if (x[i] >= 0)
            last = x[i];
#pragma omp parallel for private(j) lastprivate(k)
    for (int i = 0; i < n; i++) {
        j = x[i];
        if (j < 0)
            continue;
        k = j;
    }
    return last + k;
}

static int on_one_line(int *x, int n)
{
    int s = 0;

#pragma omp parallel for
    for (int i = 0; i < n; i++) if (i > 1) x[i]++; else x[i]--;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) { if (i > 1) s += x[i]; if (i > 2) s++; }
#pragma omp parallel for reduction(max : s)
    for (int i = 0; i < n; i++) { if (x[i] > s) s = x[i]; if (i > 1) continue; x[i]++; }
    if (n > 2)
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 3; k++)
                x[i]++;
    return s;
}

struct pair {
    int a, b;
};

static void by_pragmas(int *x, int n)
{
    int i, j, k;
    struct pair own, both[2];

#pragma omp parallel for private(own, both)
    for (i = 0; i < n; i++) {
        own.a = x[i];
        both[1] = own;
        x[i] = both[1].a;
    }

#pragma omp parallel private(i, j)
    {
        int mine = 0;
#pragma omp for private(k)
        for (i = 0; i < n; i++)
            mine++;
#pragma omp critical
        x[0] += mine;
    }
}

int main(void)
{
    int x[10] = { 1, 2, 3 }, r = 0, s = 0;

#pragma omp parallel
#pragma omp single
    r = fib(10);
#pragma omp parallel
#pragma omp single
    s = five(4);
    printf("%d %d %d\n", r, s, last_of(x, 10));
    s = on_one_line(x, 10);
    by_pragmas(x, 10);
    printf("%d %d %d\n", s, x[0], x[3]);
    return 0;
}
