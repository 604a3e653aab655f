/*
 * Loops with all of their parts that wait: their body ends them, or sets them back.  The last
 * region has none.
 */
#include <tweed.h>
#include <omp.h>
#include <stdio.h>

#include <pthread.h>

__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;


enum { T = 3 };

static int turn, order;

static void go_on(int mine)
{
    {
        pthread_mutex_lock(&port_critical);
        order = 10 * order + mine;
        turn--;
        pthread_mutex_unlock(&port_critical);
    }
}

/* The step changes nothing that the condition has. */
static int by_tries(void)
{
    turn = T - 1, order = 0;
    #pragma omp parallel num_threads(T)
    {
        int mine = omp_get_thread_num(), now = -1;

        for (int tries = 0; now != mine; tries++) {
            {
                pthread_mutex_lock(&port_critical);
                now = turn;
                pthread_mutex_unlock(&port_critical);
            }
        }
        go_on(mine);
    }
    return order;
}

/* The step reads what the condition has; the condition is more than a relation. */
static int by_reading(void)
{
    turn = T - 1, order = 0;
    #pragma omp parallel num_threads(T)
    {
        int mine = omp_get_thread_num(), now = -1;

        for (int tries = 0; now != mine; tries += now >= 0) {
            {
                pthread_mutex_lock(&port_critical);
                now = turn;
                pthread_mutex_unlock(&port_critical);
            }
        }
        for (long t = 0; t >= 0 && now != mine; t++) {
            {
                pthread_mutex_lock(&port_critical);
                now = turn;
                pthread_mutex_unlock(&port_critical);
            }
        }
        go_on(mine);
    }
    return order;
}

/* The body sets the counter back; or its limit up. */
static int once_more(void)
{
    turn = T - 1, order = 0;
    #pragma omp parallel num_threads(T)
    {
        int mine = omp_get_thread_num(), now;

        for (int k = 0; k < 1; k++) {
            {
                pthread_mutex_lock(&port_critical);
                now = turn;
                pthread_mutex_unlock(&port_critical);
            }
            if (now != mine)
                k--;
        }
        go_on(mine);
    }
    return order;
}

static int one_later(void)
{
    turn = T - 1, order = 0;
    #pragma omp parallel num_threads(T)
    {
        int mine = omp_get_thread_num(), limit = 1;

        for (int k = 0; k < limit; k++) {
            {
                pthread_mutex_lock(&port_critical);
                if (turn != mine)
                    limit = k + 2;
                pthread_mutex_unlock(&port_critical);
            }
        }
        go_on(mine);
    }
    return order;
}

/* A function calls itself. */
static void wait_for(int mine)
{
    int now;

    {
        pthread_mutex_lock(&port_critical);
        now = turn;
        pthread_mutex_unlock(&port_critical);
    }
    if (now != mine) {
        double spent = 0; /* each call takes time: the stack is finite */

        for (int k = 0; k < 100000; k++)
            spent += k;
        wait_for(mine + (spent < 0));
    }
}

static int by_recursion(void)
{
    turn = T - 1, order = 0;
    #pragma omp parallel num_threads(T)
    {
        int mine = omp_get_thread_num();

        wait_for(mine);
        go_on(mine);
    }
    return order;
}

/* A counter ends the loop only if all goes wrong. */
static int with_patience(void)
{
    int box[T], got[T];

    for (int i = 0; i < T; i++)
        box[i] = -1;
    #pragma omp parallel for num_threads(T) schedule(static)
    for (int i = 0; i < T; i++) {
        int v = -1;

        __atomic_store_n(&box[i], i, __ATOMIC_RELAXED);
        for (long t = 0; t < 2000000000 && v < 0; t++) {
            v = __atomic_load_n(&box[(i + 1) % T], __ATOMIC_RELAXED);
        }
        got[i] = v;
    }
    return 100 * got[0] + 10 * got[1] + got[2];
}

static int given_up(const int *flag)
{
    int r;

    for (long t = 0; t < 2000000000; t++) {
        r = __atomic_load_n(&*flag, __ATOMIC_RELAXED);
        if (r)
            return 0;
    }
    return 1;
}

static int in_a_function(void)
{
    int ready = 0, lost = 0;

    #pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < 2; i++) {
        if (i == 0)
            lost = given_up(&ready);
        else {
            __atomic_store_n(&ready, 1, __ATOMIC_RELAXED);
        }
    }
    return lost;
}

TWEED_LOOP(sums_loop, port_thread, const int *, row, int *, all)
{
    int mine = (int)port_thread;

    for (int k = row[mine]; k < row[mine + 1]; k++) {
        {
            pthread_mutex_lock(&port_critical);
            (*all) += k;
            pthread_mutex_unlock(&port_critical);
        }
    }
    for (int i = 0, j = mine; i <= j; i++, j--) {
        {
            pthread_mutex_lock(&port_critical);
            (*all) += j;
            pthread_mutex_unlock(&port_critical);
        }
    }
}

static int sums(const int *row)
{
    int all = 0;

    {
        const int port_threads = T;

        sums_loop(0, port_threads, row, &all);
    }
    return all;
}

int main(void)
{
    static const int row[] = { 0, 4, 4, 9 };

    printf("%d %d %d ", by_tries(), by_reading(), once_more());
    printf("%d %d %d ", one_later(), by_recursion(), with_patience());
    printf("%d %d\n", in_a_function(), sums(row));
    return 0;
}
