/* A pragma that does not stand at the beginning of its line, or is written by a digraph. */
#include <stdio.h>

static long count, sum;

int main(void)
{
#pragma omp parallel for
    for (int i = 0; i < 3000; i++) {
        /* one at a time */ #pragma omp atomic
        count += i & 3;
    }
#pragma omp parallel for
    for (int i = 0; i < 3000; i++) {
        %:pragma omp atomic
        sum += i & 3;
    }
#pragma omp parallel for
    for (int i = 0; i < 3000; i++) {
#pra\
gma omp atomic
        sum += i & 3;
    }
    printf("%ld %ld\n", count, sum);
    return 0;
}
