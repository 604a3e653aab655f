// configured.cc - regions with code that this configuration leaves out.
#include <cstdio>
#include <vector>

#if _OPENMP
#include <omp.h>
#endif

static void least_of(const std::vector<double> &of, int *where, double *least)
{
#if _OPENMP
    const int threads = omp_get_max_threads();
#else
    const int threads = 1;
#endif
    std::vector<double> lows(threads, 1e9);
    std::vector<int> places(threads, -1);

#pragma omp parallel
    {
        double low = 1e9;
        int place = -1;
#if _OPENMP
        int number = omp_get_thread_num();
#else
        int number = 0;
#endif

#pragma omp for
        for (int i = 0; i < (int)of.size(); i++)
            if (of[i] < low) {
                low = of[i];
                place = i;
            }
        lows[number] = low;
        places[number] = place;
    }

    *where = -1;
    *least = 1e9;
    for (int t = 0; t < threads; t++)
        if (lows[t] < *least) {
            *least = lows[t];
            *where = places[t];
        }
}

int main()
{
    std::vector<double> of(1000);
    double least;
    int where;

    for (int i = 0; i < (int)of.size(); i++)
        of[i] = (i * 37 + 11) % 1009;
    least_of(of, &where, &least);
    std::printf("%d %g\n", where, least);
}
