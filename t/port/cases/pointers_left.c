/* pointers_left.c - functions that only a pointer says: they may ask for the thread. */
#include <stdio.h>
#include <omp.h>

static long part[2], number;

static void add(int i)
{
    part[omp_get_thread_num()] += i;
}

static void count(int i)
{
#pragma omp atomic
    number += i;
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

/* Nothing is said of the threads. */
static void each_free(int n, struct work *w)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        w->of(i);
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
