/*
 * numbers.c - omp_set_num_threads(): the pool is started anew where the number is another one.
 * num_threads(omp_get_max_threads()) says what is so without it.
 */
#include <omp.h>
#include <stdio.h>

enum { N = 1000 };

static long sum(const int *of)
{
    long all = 0;

    #pragma omp parallel for reduction(+: all)
    for (int i = 0; i < N; i++)
        all += of[i];
    return all;
}

static long most(const int *of)
{
    long all = 0;
    int known = 0, low = 0;

    #pragma omp parallel for num_threads(omp_get_max_threads()) reduction(+: all)
    for (int i = 0; i < N; i++)
        all += of[i];
    #pragma omp parallel num_threads( omp_get_max_threads() )
    {
        #pragma omp for reduction(+: known)
        for (int i = 0; i < N; i++)
            known += of[i] % 2;
    }
    #pragma omp parallel for reduction(+: low), num_threads(omp_get_max_threads())
    for (int i = 0; i < N; i++)
        low += omp_get_thread_num() < omp_get_max_threads();
    return all + known + low;
}

int main(void)
{
    int of[N];

    for (int i = 0; i < N; i++)
        of[i] = i;
    for (int n = 1; n <= 4; n++)
        for (int again = 0; again < 3; again++) {
            omp_set_num_threads(n);
            printf("%d %ld %ld\n", omp_get_max_threads(), sum(of), most(of));
        }
    return 0;
}
