/* numbers.c - omp_set_num_threads(): the pool is started anew where the number is another one. */
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

int main(void)
{
    int of[N];

    for (int i = 0; i < N; i++)
        of[i] = i;
    for (int n = 1; n <= 4; n++)
        for (int again = 0; again < 3; again++) {
            omp_set_num_threads(n);
            printf("%d %ld\n", omp_get_max_threads(), sum(of));
        }
    return 0;
}
