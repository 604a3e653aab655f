/* A macro that uses its argument twice; a variable with the name of an operation. */
#include <tweed.h>
#include <stdio.h>

#include <pthread.h>

static pthread_mutex_t port_reduction = PTHREAD_MUTEX_INITIALIZER;

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}


#define FILL(t, i) t[i] = ((i) * 2654435761u) >> 20

static unsigned long t[4096];

TWEED_LOOP(filled_loop, i)
{
    FILL(t, (int)i);
}

static unsigned long filled(void)
{
    unsigned long s = 0;

    filled_loop(0, 4096);
    for (int i = 0; i < 4096; i++)
        s += t[i];
    return s;
}

struct below_own { /* what a thread has */
    int me;
};

TWEED_LOOP(below_loop, port_thread, int, port_threads, struct below_own *, port_all,
           int *, x, int, max, int *, peak)
{
    int me = (int)port_thread;
    int *peak_all = &(*peak);
    const int64_t i_count = 1000;
    {
    int peak = (int)(-(INT64_C(1) << 30) * 2);

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        if (x[i] < max && x[i] > peak)
            peak = x[i];
    }
    pthread_mutex_lock(&port_reduction);
    if (peak > *peak_all)
        *peak_all = peak;
    pthread_mutex_unlock(&port_reduction);
    }
    port_all[port_thread].me = me;
}

TWEED_LOOP(below_loop_2, port_thread, int, port_threads, struct below_own *, port_all,
           int *, n)
{
    int me = port_all[port_thread].me;

    if (me == 0)
        (*n) = port_threads > 0;
}

static int below(int max)
{
    int x[1000], peak = -1, n = 0;

    for (int i = 0; i < 1000; i++)
        x[i] = i * 37 % 1000;
    {
        const int port_threads = tweed_pool_num_workers(NULL);
        struct below_own *port_all = __builtin_calloc((size_t)port_threads, sizeof *port_all);

        if (!port_all)
            __builtin_abort(); /* no memory */
        below_loop(0, port_threads, port_threads, port_all, x, max, &peak);
        below_loop_2(0, port_threads, port_threads, port_all, &n);
        __builtin_free(port_all);
    }
    return peak + n;
}

int main(void)
{
    printf("%lu %d\n", filled(), below(700));
    return 0;
}
