/* What is left alone beside something that is ported stays so when the file is ported again. */
#include <tweed.h>
#include <stdio.h>

static int scratch[4];
#pragma omp threadprivate(scratch)

static int is_there(const int *a, int n, int key)
{
    int found = 0;

#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (a[i] == key) {
            __atomic_store_n(&found, 1, __ATOMIC_RELAXED);
        }
    return found + scratch[0];
}

static long reached[40];

TWEED_TASK(void, descend_task, int, n)
{
    if (n < 1)
        return;
    TWEED_SPAWN(descend_task, n - 1);
    reached[n] = n;
    TWEED_SYNC(descend_task);
}

static void descend(int n)
{
    TWEED_RUN(descend_task, n);
}

int main(void)
{
    const int a[] = { 3, 1, 4, 1, 5 };

#pragma omp parallel
    {
#pragma omp single
        descend(10);
#pragma omp single
        descend(30);
    }
    printf("%d %d %ld %ld\n", is_there(a, 5, 4), is_there(a, 5, 2), reached[10], reached[30]);
    return 0;
}
