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

int main()
{
    std::vector<int> of(1000);

    clear(of.data(), 1000);
    for (int i = 0; i < 1000; i++)
        of[i] += i * 37 % 1009;
    std::printf("%d %g\n", greatest(of), greatest(std::vector<double>(of.begin(), of.end())));
}
