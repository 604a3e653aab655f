/* pointers_left.c - functions that only a pointer says: they may ask for the thread. */
#include <tweed.h>
#include <stdio.h>
#include <omp.h>

#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */
#include <omp.h>
#endif

/* omp_get_thread_num() */
static inline int port_thread_num(void)
{
    int worker = tweed_worker_index();

#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */
    if (worker < 0)
        return omp_get_thread_num();
#endif
    return worker < 0 ? 0 : worker;
}


static long part[2], number;

static void add(int i)
{
    part[port_thread_num()] += i;
}

static void count(int i)
{
    (void)__atomic_fetch_add(&number, i, __ATOMIC_RELAXED);
}

struct work {
    void (*of)(int);
};

static void each(int n, void (*f)(int))
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < n; i++)
        f(i);
}

static void each_fixed(int n, struct work *w)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
        w->of(i);
}

TWEED_LOOP(each_free_loop, i, struct work *, w)
{
    w->of((int)i);
}

/* Nothing is said of the threads. */
static void each_free(int n, struct work *w)
{
    each_free_loop(0, n, w);
}

int main(void)
{
    struct work w = { count };

    each(64, add);
    each_fixed(64, &w);
    each_free(64, &w);
    printf("%ld %ld\n", part[0] + part[1], number);
    return 0;
}
