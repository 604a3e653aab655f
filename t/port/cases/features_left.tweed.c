/* What headers of the system look at is defined before the first of them, tweed's, too. */
#ifdef _OPENMP
#define THREADS 3
#else
#define THREADS 1
#endif
#define _GNU_SOURCE
#include <tweed.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#pragma omp declare simd
static int twice(int x) { return 2 * x; }

TWEED_SUM(int, main_loop, i)
{
    return twice((int)i);
}

int main(void)
{
    char buffer[100];
    int sum = 0;

    sum += main_loop(0, 10);
    printf("%d %d %s\n", sum, THREADS, strerror_r(EINVAL, buffer, sizeof buffer));
    return 0;
}
