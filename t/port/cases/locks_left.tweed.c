/*
 * A task starts where a lock is held, which it could take: tweed's function would wait for it
 * before it returns.  OpenMP may execute it at once, so it takes none here.
 */
#include <tweed.h>
#include <stdio.h>

#include <pthread.h>

__attribute__((__weak__)) pthread_mutex_t port_critical_log = PTHREAD_MUTEX_INITIALIZER;


static int log_of[100], logged, sum_of;

static void later(int i)
{
#pragma omp task firstprivate(i)
    {
        (void)__atomic_fetch_add(&sum_of, i, __ATOMIC_RELAXED);
    }
}

static void submit(int n)
{
    for (int i = 0; i < n; i++) {
        {
            pthread_mutex_lock(&port_critical_log);
            log_of[logged++] = -i;
            later(i);
            pthread_mutex_unlock(&port_critical_log);
        }
    }
}

static void all(void)
{
#pragma omp parallel
#pragma omp single
    submit(5);
}

int main(void)
{
    long sum = 0;

    all();
    for (int i = 0; i < logged; i++)
        sum += log_of[i] * log_of[i];
    printf("%ld %d %d\n", sum, logged, sum_of);
    return 0;
}
