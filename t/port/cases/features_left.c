/* What headers of the system look at is defined before the first of them, tweed's, too. */
#ifdef _OPENMP
#define THREADS 3
#else
#define THREADS 1
#endif
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#pragma omp declare simd
static int twice(int x) { return 2 * x; }

int main(void)
{
    char buffer[100];
    int sum = 0;

#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 10; i++)
        sum += twice(i);
    printf("%d %d %s\n", sum, THREADS, strerror_r(EINVAL, buffer, sizeof buffer));
    return 0;
}
