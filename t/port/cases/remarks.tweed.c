/* Comments between the parts of a pragma, and of the loop. */
#include <tweed.h>
#include <stdio.h>

#include <pthread.h>

__attribute__((__weak__)) pthread_mutex_t port_critical_remark = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t port_reduction = PTHREAD_MUTEX_INITIALIZER;

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}


TWEED_SUM(int, remarked_loop, i)
{
    return (int)i;
}

TWEED_SUM(int, remarked_loop_2, i)
{
    return (int)i;
}

TWEED_SUM(int, remarked_loop_3, i)
{
    return (int)i;
}

TWEED_SUM(int, remarked_loop_4, i)
{
    return (int)i;
}

TWEED_LOOP(remarked_loop_5, i, int *, s)
{
    /* seventeen */
    /* eighteen */
    (void)__atomic_fetch_add(&(*s), (int)i, __ATOMIC_RELAXED);
}

TWEED_LOOP(remarked_loop_6, i, int, k, int *, s, int, n, int64_t, i_last, int *,
           last_last)
{
    int last;

    last = (int)i + k;
    /* named */
    {
        pthread_mutex_lock(&port_critical_remark);
        (*s) += n;
        pthread_mutex_unlock(&port_critical_remark);
    }
    if (i == i_last)
        *last_last = last;
}

TWEED_LOOP(remarked_loop_7, port_thread, int, port_threads, int, n, int *, s_all)
{
    int s = 0;

    /* shared */
    const int64_t i_count = (int64_t)n;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        s += i;
    }
    pthread_mutex_lock(&port_reduction);
    *s_all += s;
    pthread_mutex_unlock(&port_reduction);
}

static int remarked(int n)
{
    int s = 0, last = 0, k = 1;

/* one */ /* two */ /* three */
    /* four */
    s += remarked_loop(0, n);
/* five */
    s += remarked_loop_2(0, n);
/* by */ /* six */ /* of */ /* seven */ // eight
    s += remarked_loop_3(0, n);
/* fourteen */
    s += remarked_loop_4(0, n);
/* fifteen */ /* sixteen */
    {
        tweed_loop_options remarked_loop_5_options = TWEED_LOOP_OPTIONS_INIT;

        remarked_loop_5_options.max_workers = 2;
        remarked_loop_5_options.grain = 2;
        if (remarked_loop_5_with(NULL, &remarked_loop_5_options, 0, n, &s))
            __builtin_abort(); /* an option is wrong */
    }
/* nineteen */ /* twenty */ /* of each */ /* of the last */
    {
        tweed_loop_options remarked_loop_6_options = TWEED_LOOP_OPTIONS_INIT;

        remarked_loop_6_options.max_workers = (n > 2) ? 0 : 1;
        if (remarked_loop_6_with(NULL, &remarked_loop_6_options, 0, n, k, &s, n, n - 1, &last))
            __builtin_abort(); /* an option is wrong */
    }
/* a region */ /* its own */
    {
        const int port_threads = tweed_pool_num_workers(NULL);

        remarked_loop_7(0, port_threads, port_threads, n, &s);
    }
    return s + last;
}

int main(void)
{
    printf("%d\n", remarked(10));
    return 0;
}
