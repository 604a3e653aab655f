// templates.cc - a reduction of a type that a template is given, beside a header with OpenMP.
#include <tweed.hpp>
#include <cstdio>
#include <vector>

#include "templates.h"

template <typename T> static T greatest(const std::vector<T> &of)
{
    T most = 0;

    most = tweed::parallel_reduce((int)(0), (int)((int)of.size()), T(most), [&](int i, T &most) {
        most = most < of[i] ? of[i] : most;
    }, [](T &into, const T &from) {
        if (from > into)
            into = from;
    });
    return most;
}

// The arithmetic of the index is that of its type, at any step.
template <class T> static unsigned long hash(T n, T step)
{
    unsigned long s = 0;

    {
        const T i_first = 0;
        const int64_t i_step = step;
        s += tweed::parallel_sum<unsigned long>((int64_t)(0), (int64_t)((int64_t(n) + int64_t(step) - 1) / int64_t(step)), [&](int64_t i_index) -> unsigned long {
            T i = static_cast<T>(i_first + i_index * i_step);
            unsigned long s{};

            s += i * 2654435761u >> 16;
            return s;
        });
    }
    return s;
}

template <class T> static long down(T n)
{
    long s = 0;

    {
        const T i_first = n;
        s += tweed::parallel_sum<long>((int64_t)(0), (int64_t)((int64_t(n) - 3 + 1) / 2), [&](int64_t i_index) -> long {
            T i = static_cast<T>(i_first - i_index * 2);
            long s{};

            s += static_cast<T>(-i) + (long)sizeof i;
            return s;
        });
    }
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
