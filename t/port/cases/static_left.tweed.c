/* A task has a copy of a variable that is no local one: of the whole file, or a static one. */
#include <tweed.h>
#include <stdio.h>

static int k, seen[16];
static long sum;

static void spawn(int n)
{
    static int last;

    for (k = 0; k < n; k++) {
        last = 2 * k;
#pragma omp task firstprivate(k, last)
        {
            (void)__atomic_fetch_add(&sum, last, __ATOMIC_RELAXED);
            (void)__atomic_fetch_add(&seen[k], 1, __ATOMIC_RELAXED);
        }
    }
#pragma omp taskwait
}

int main(void)
{
    int bad = 0;

#pragma omp parallel
#pragma omp single
    spawn(10);
    for (int i = 0; i < 16; i++)
        bad += seen[i] != (i < 10);
    printf("%ld %d\n", sum, bad);
    return 0;
}
