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

int main()
{
    std::vector<int> of(1000);

    clear(of.data(), 1000);
    for (int i = 0; i < 1000; i++)
        of[i] += i * 37 % 1009;
    std::printf("%d %g\n", greatest(of), greatest(std::vector<double>(of.begin(), of.end())));
}
