// templates.cc - a reduction of a type that a template is given, beside a header with OpenMP.
#include <cstdio>
#include <vector>

#include "templates.h"

template <typename T> static T greatest(const std::vector<T> &of)
{
    T most = 0;

    #pragma omp parallel for reduction(max: most)
    for (int i = 0; i < (int)of.size(); i++)
        most = most < of[i] ? of[i] : most;
    return most;
}

// The arithmetic of the index is that of its type, at any step.
template <class T> static unsigned long hash(T n, T step)
{
    unsigned long s = 0;

    #pragma omp parallel for reduction(+ : s)
    for (T i = 0; i < n; i += step)
        s += i * 2654435761u >> 16;
    return s;
}

template <class T> static long down(T n)
{
    long s = 0;

    #pragma omp parallel for reduction(+ : s)
    for (T i = n; i > 3; i -= 2)
        s += static_cast<T>(-i) + (long)sizeof i;
    return s;
}

int main()
{
    std::vector<int> of(1000);

    clear(of.data(), 1000);
    for (int i = 0; i < 1000; i++)
        of[i] += i * 37 % 1009;
    std::printf("%d %g\n", greatest(of), greatest(std::vector<double>(of.begin(), of.end())));
    std::printf("%lu %lu %ld %ld\n", hash(90u, 2u), hash((unsigned short)90, (unsigned short)7),
                down((unsigned char)200), down(90u));
}
