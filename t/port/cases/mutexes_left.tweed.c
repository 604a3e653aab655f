/*
 * A task starts where a mutex is held, which it could take.
 */
#include <tweed.h>
#include <stdio.h>
#include <pthread.h>

static int result[100], results, sum_of;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void later(int i)
{
#pragma omp task firstprivate(i)
    {
        (void)__atomic_fetch_add(&sum_of, 10 * i, __ATOMIC_RELAXED);
    }
}

static void run(int n)
{
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&lock);
        result[results++] = i;
        later(i);
        pthread_mutex_unlock(&lock);
    }
}

static void all(void)
{
#pragma omp parallel
#pragma omp single
    run(6);
}

int main(void)
{
    long sum = 0;

    all();
    for (int i = 0; i < results; i++)
        sum += result[i];
    printf("%ld %d\n", sum, sum_of);
    return 0;
}
