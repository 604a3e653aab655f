/* Loops that begin with the greatest value of their variable's type. */
#include <cstdio>

template <typename T> long sum_from_top()
{
    long s = 0;

#pragma omp parallel for reduction(+ : s)
    for (T u = 127; u > 120; u--)
        s += u;
    return s;
}

int main()
{
    long s = 0;

#pragma omp parallel for reduction(+ : s)
    for (unsigned char u = 255; u > 0; u--)
        s += u;
#pragma omp parallel for reduction(+ : s)
    for (unsigned short u = 65535; u > 65530; u--)
        s += u;
#pragma omp parallel for reduction(+ : s)
    for (int u = 2147483647; u > 2147483640; u--)
        s += u;
#pragma omp parallel for reduction(+ : s)
    for (unsigned u = 4294967295u; u > 4294967290u; u--)
        s += u;
#pragma omp parallel for reduction(+ : s)
    for (unsigned char u = 3; u > 255; u--)
        s += u;
#pragma omp parallel for reduction(+ : s)
    for (unsigned char u = 254; u > 250; u--)
        s += u;
    std::printf("%ld %ld\n", s, sum_from_top<int>() + sum_from_top<signed char>());
    return 0;
}
