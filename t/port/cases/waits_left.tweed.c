/*
 * Indices that wait for one another, without a word of OpenMP's that says so.
 */
#include <tweed.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "waits_left.h"

#include <pthread.h>

__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;


enum { T = 3, N = 100 };

static int part[T], all[T];

static void add_up(int t)
{
    all[t] = 0;
    for (int k = 0; k < T; k++)
        all[t] += part[k];
}

/* A function of the system waits. */
static int by_barrier(void)
{
    static pthread_barrier_t gate;

    pthread_barrier_init(&gate, NULL, T);
#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int t = 0; t < T; t++) {
        part[t] = t;
        pthread_barrier_wait(&gate);
        add_up(t);
    }
    pthread_barrier_destroy(&gate);
    return all[0];
}

/* What is waited for is read in a function, under a lock. */
static int done[N + 1], value[N + 1];

static int is_done(int i)
{
    int d;

    {
        pthread_mutex_lock(&port_critical);
        d = done[i];
        pthread_mutex_unlock(&port_critical);
    }
    return d;
}

static int by_critical(void)
{
    done[N] = value[N] = 1;
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = N - 1; i >= 0; i--) {
        while (!is_done(i + 1))
            ;
        value[i] = value[i + 1] * 3 % 10007;
        {
            pthread_mutex_lock(&port_critical);
            done[i] = 1;
            pthread_mutex_unlock(&port_critical);
        }
    }
    return value[0];
}

/* A variable that decides is given there; the loop has no condition. */
static int by_variable(void)
{
    int turn = T - 1, order = 0;

#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int t = 0; t < T; t++) {
        for (;;) {
            int now;

            {
                pthread_mutex_lock(&port_critical);
                now = turn;
                pthread_mutex_unlock(&port_critical);
            }
            if (now == t)
                break;
        }
        {
            pthread_mutex_lock(&port_critical);
            order = 10 * order + t;
            turn--;
            pthread_mutex_unlock(&port_critical);
        }
    }
    return order;
}

/* The same by a mutex of the program's, and by a call that has the address. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next_turn;

static void look(int *now)
{
    pthread_mutex_lock(&lock);
    *now = next_turn;
    pthread_mutex_unlock(&lock);
}

static int by_mutex(void)
{
    int order = 0;

    next_turn = 2 * T - 1;
#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int t = 0; t < T; t++) {
        int now = -1, late = 1;

        while (now != T + t)
            look(&now);
        do {
            pthread_mutex_lock(&lock);
            late = next_turn != T + t;
            pthread_mutex_unlock(&lock);
        } while (late);
        order = 10 * order + t;
        pthread_mutex_lock(&lock);
        next_turn--;
        pthread_mutex_unlock(&lock);
    }
    return order;
}

/* The compiler's own operations: an addition of nothing, and a swap of what must come first. */
static int by_builtins(void)
{
    int arrived = 0, turn = T - 1, order = 0;

#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int t = 0; t < T; t++) {
        part[t] = t;
        __sync_fetch_and_add(&arrived, 1);
        while (__sync_fetch_and_add(&arrived, 0) < T)
            ;
        add_up(t);
    }
#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int t = 0; t < T; t++) {
        while (!__sync_bool_compare_and_swap(&turn, t, t + T))
            ;
        order = 10 * order + t;
        __sync_fetch_and_sub(&turn, T + 1);
    }
    return all[1] + order;
}

static int by_header(void)
{
    int arrived = 0;

#pragma omp parallel for num_threads(T) schedule(static, 1)
    for (int t = 0; t < T; t++) {
        part[t] = t;
        signal_one(&arrived);
        wait_until(&arrived, T);
        add_up(t);
    }
    return all[2];
}

/* Two sides of a pipe. */
static int by_pipe(void)
{
    int fd[2], sum = 0;

    if (pipe(fd))
        return 1;
#pragma omp parallel for num_threads(2)
    for (int side = 0; side < 2; side++) {
        if (side == 0) {
            int v;

            while (read(fd[0], &v, sizeof v) == sizeof v && v >= 0)
                sum += v;
        } else {
            for (int v = 10; v >= -1; v--)
                if (write(fd[1], &v, sizeof v) != sizeof v)
                    break;
        }
    }
    return sum;
}

int main(void)
{
    printf("%d %d %d ", by_barrier(), by_critical(), by_variable());
    printf("%d %d %d %d\n", by_mutex(), by_builtins(), by_header(), by_pipe());
    return 0;
}
