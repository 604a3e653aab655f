/* What a thread's constants hold on both sides of a barrier. */
#include <omp.h>
#include <stdio.h>

static int sum[64], a[1000], out[1000];

int main(void)
{
    int total = 0;

    for (int i = 0; i < 1000; i++)
        a[i] = i % 13;
#pragma omp parallel num_threads(3)
    {
        const int t = omp_get_thread_num(), all = omp_get_num_threads();
        const long lo = 1000 * t / all, hi = 1000 * (t + 1) / all;
        int before = 0;

        for (long i = lo; i < hi; i++)
            sum[t] += a[i];
#pragma omp barrier
        for (int k = 0; k < t; k++)
            before += sum[k];
        for (long i = lo; i < hi; i++) {
            before += a[i];
            out[i] = before;
        }
    }
    for (int i = 0; i < 1000; i++)
        total = (total * 31 + out[i]) % 1000003;
    printf("%d\n", total);
    return 0;
}
