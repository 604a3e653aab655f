/*
 * Loops that wait for another thread, or for another index; and some that do not.
 */
#include <omp.h>
#include <stdio.h>

static int done[3];

static int peek(const int *at)
{
    int value;

#pragma omp atomic read
    value = *at;
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
#pragma omp critical
        order = 10 * order + id + 1;
#pragma omp atomic write
        done[id] = 1;
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
#pragma omp atomic read
            now = turn;
        } while (now != i);
        order = 10 * order + i;
#pragma omp atomic
        turn--;
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
#pragma omp atomic write
        flag = 1;
#pragma omp atomic
        sum += i + 1;
    }
    return sum;
}

/* Reads in a loop that is counted, updates and captures in any. */
static int ordinary(void)
{
    int sum = 0, most = 5, next = 0;

#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        int left = i % 5, mine = 0;

        for (int k = 0; k < 3; k++) {
            int now;

#pragma omp atomic read
            now = most;
            mine += now;
        }
        while (left-- > 0) {
            int was;

#pragma omp atomic capture
            was = next++;
            mine += was < 0;
        }
#pragma omp atomic
        sum += mine;
    }
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
