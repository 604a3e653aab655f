/* Bounds that are of another type than the variable of the loop, and bounds beside an operator. */
#include <stdint.h>
#include <stdio.h>

static int y[64];

static long pairs(unsigned n)
{
    long s = 0;

#pragma omp parallel for reduction(+ : s)
    for (int i = n - 1; i >= 0; i -= 2) {
        y[i & 63]++;
        s++;
    }
    return s;
}

static long down(unsigned n)
{
    long s = 0;

#pragma omp parallel for reduction(+ : s)
    for (int i = n - 1; i >= 0; i--)
        s++;
    return s;
}

static long second(unsigned n)
{
    long s = 0;

#pragma omp parallel for reduction(+ : s)
    for (int i = n - 2; i >= 0; i--)
        s++;
    return s;
}

static long up(unsigned n)
{
    long s = 0;

#pragma omp parallel for reduction(+ : s)
    for (int i = n - 5; i < 10; i++)
        s += i;
    return s;
}

static long all_but_one(unsigned n)
{
    long s = 0;

#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < (int)(n - 1); i++)
        s += i;
    return s;
}

static long touch(uint32_t lo, uint32_t hi)
{
    long n = 0;

#pragma omp parallel for reduction(+ : n)
    for (size_t i = lo; i < hi; i++)
        n += 1 + (i == 4);
    return n;
}

static long between(int lo, uint32_t hi)
{
    long n = 0;

#pragma omp parallel for reduction(+ : n)
    for (uint64_t i = lo; i < hi; i += 2)
        n += 1 + (i == 4);
    return n;
}

/* The first index is none, or the last one: there are no negative numbers. */
static long wrapped(size_t n, size_t m, int k)
{
    long s = 0;

#pragma omp parallel for reduction(+ : s)
    for (size_t i = n - 1; i < m; i++)
        s += i + 1;
#pragma omp parallel for reduction(+ : s)
    for (size_t i = k; i < m; i++)
        s += i + 100;
#pragma omp parallel for reduction(+ : s)
    for (size_t i = m; i > n - 1; i--)
        s += i + 10000;
    return s;
}

/* What is common. */
static long common(size_t n, unsigned k, long m)
{
    long s = 0;

#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < (int)n; i++)
        s += i;
#pragma omp parallel for reduction(+ : s)
    for (size_t i = 1; i < n; i++)
        s += i;
#pragma omp parallel for reduction(+ : s)
    for (long i = k; i <= m; i++)
        s += i;
#pragma omp parallel for reduction(+ : s)
    for (unsigned i = 0; i < k; i++)
        s += i;
    return s;
}

static int last(int n)
{
    int v = -1;

#pragma omp parallel for lastprivate(v)
    for (int i = 0; i < n >> 1; i++)
        v = i;
    return v;
}

int main(void)
{
    printf("%ld %ld %ld %ld\n", pairs(0), pairs(1), pairs(2), pairs(63));
    printf("%ld %ld\n", down(0), down(3));
    printf("%ld %ld\n", second(1), second(5));
    printf("%ld %ld\n", up(2), up(9));
    printf("%ld %ld\n", all_but_one(0), all_but_one(4));
    printf("%ld %ld %ld\n", touch(2, 5), touch(7, 5), between(2, 5));
    printf("%ld %ld\n", wrapped(0, 5, -1), wrapped(2, 5, 3));
    printf("%ld %d\n", common(20, 30, 40), last(200));
    return 0;
}
