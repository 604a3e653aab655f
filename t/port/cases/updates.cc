/* A loop calls what an included file has: an atomic update that is ported already. */
#include "updates.h"

#include <cstdio>

int main()
{
    double sums[3] = { 0 };
    const int keys[] = { 2, 3, 5 };
    const double values[] = { 0.5, 1.5, 2.5, 4 };

    #pragma omp parallel for
    for (int i = 0; i < 3000; i++)
        add_to(sums, keys, i % 7, &values[i % 4]);
    std::printf("%g %g %g\n", sums[0], sums[1], sums[2]);
    return 0;
}
