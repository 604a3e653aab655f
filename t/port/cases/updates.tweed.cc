/* A loop calls what an included file has: an atomic update that is ported already. */
#include <tweed.hpp>
#include "updates.h"

#include <cstdio>

int main()
{
    double sums[3] = { 0 };
    const int keys[] = { 2, 3, 5 };
    const double values[] = { 0.5, 1.5, 2.5, 4 };

    tweed::parallel_for<int>(0, 3000, [&](int i) {
        add_to(sums, keys, i % 7, &values[i % 4]);
    });
    std::printf("%g %g %g\n", sums[0], sums[1], sums[2]);
    return 0;
}
