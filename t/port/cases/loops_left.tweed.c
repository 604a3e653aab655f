/*
 * Loops that wait for another thread, or for another index; and some that do not.
 */
#include <tweed.h>
#include <omp.h>
#include <stdio.h>

#include <pthread.h>

__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;


static int done[3];

static int peek(const int *at)
{
    int value;

    value = __atomic_load_n(&*at, __ATOMIC_RELAXED);
    return value;
}

static void wait_for(const int *at)
{
    while (!peek(at))
        ;
}

/* A thread waits in the second function that it calls. */
static long chain(void)
{
    long order = 0;

#pragma omp parallel num_threads(2)
    {
        int id = omp_get_thread_num();

        if (id < 1)
            wait_for(&done[id + 1]);
        {
            pthread_mutex_lock(&port_critical);
            order = 10 * order + id + 1;
            pthread_mutex_unlock(&port_critical);
        }
        __atomic_store_n(&done[id], 1, __ATOMIC_RELAXED);
    }
    return order;
}

static long take_turns(void)
{
    int turn = 1;
    long order = 0;

#pragma omp parallel for schedule(static, 1) num_threads(2)
    for (int i = 0; i < 2; i++) {
        int now;

        do {
            now = __atomic_load_n(&turn, __ATOMIC_RELAXED);
        } while (now != i);
        order = 10 * order + i;
        (void)__atomic_fetch_sub(&turn, 1, __ATOMIC_RELAXED);
    }
    return order;
}

/* A condition is called, and one is a step. */
static int call(void)
{
    int sum = 0, flag = 0;

#pragma omp parallel for schedule(static, 1) num_threads(2)
    for (int i = 0; i < 2; i++) {
        for (int v = i; v != 1; v = peek(&flag))
            ;
        __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
        (void)__atomic_fetch_add(&sum, i + 1, __ATOMIC_RELAXED);
    }
    return sum;
}

TWEED_LOOP(ordinary_loop, i, int, most, int *, next, int *, sum)
{
    int left = (int)i % 5, mine = 0;

    for (int k = 0; k < 3; k++) {
        int now;

        now = __atomic_load_n(&most, __ATOMIC_RELAXED);
        mine += now;
    }
    while (left-- > 0) {
        int was;

        was = __atomic_fetch_add(&(*next), 1, __ATOMIC_RELAXED);
        mine += was < 0;
    }
    (void)__atomic_fetch_add(&(*sum), mine, __ATOMIC_RELAXED);
}

/* Reads in a loop that is counted, updates and captures in any. */
static int ordinary(void)
{
    int sum = 0, most = 5, next = 0;

    ordinary_loop(0, 100, most, &next, &sum);
    return sum + next;
}

int main(void)
{
    printf("%ld ", chain());
    printf("%ld ", take_turns());
    printf("%d ", call());
    printf("%d\n", ordinary());
    return 0;
}
