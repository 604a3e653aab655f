// Pragmas of OpenMP that are attributes stay, and so does the loop around them.
#include <cstdio>
#pragma GCC diagnostic ignored "-Wattributes"

int main()
{
    int x[300] = { 0 }, n = 300;
    long sum = 0;

#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        [[omp::directive(atomic)]] x[i] += 1;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        [[omp::sequence(omp::directive(atomic))]] x[i] += 2;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        [[using omp : directive(atomic)]] x[i] += 2;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] *= 2;
    [[omp::directive(parallel for)]]
    for (int i = 0; i < n; i++)
        x[i]++;
    for (int i = 0; i < n; i++)
        sum += x[i];
    std::printf("%ld\n", sum);
    return 0;
}
