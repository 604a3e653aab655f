/*
 * Pragmas at the left margin, bodies on one line, and variables that only pragmas name: what comes
 * of them has no warnings that were not there.
 */
#include <tweed.h>
#include <stdio.h>

#include <pthread.h>

__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}


TWEED_TASK(int, fib_task, int, n)
{
    int port_spawned = 0;
    int x = 0, y = 0;

    if (n < 2)
        return n;
    if (n > 0)
        {
            TWEED_SPAWN(fib_task, n - 1);
            port_spawned++;
        }
    TWEED_SPAWN(fib_task, n - 2);
    y = TWEED_SYNC(fib_task);
    for (; port_spawned > 0; port_spawned--)
        x = TWEED_SYNC(fib_task);
    return x + y;
}

static int fib(int n)
{
    return TWEED_RUN(fib_task, n);
}

TWEED_DECLARE_TASK(int, five_task, int, n);

typedef int five_part_x[5];

TWEED_TASK(void, five_part, five_part_x *, x, int, i, int, n)
{
    (*x)[i] = TWEED_CALL(five_task, n - 1);
}

TWEED_DEFINE_TASK(int, five_task, int, n)
{
    int port_spawned = 0;
    int x[5] = { 0 }, t = 0;

    if (n < 2)
        return n;
    for (int i = 0; i < 5; i++)
        // each of them
        {
            TWEED_SPAWN(five_part, &x, i, n);
            port_spawned++;
        }
    for (; port_spawned > 0; port_spawned--)
        TWEED_SYNC(five_part);
    for (int i = 0; i < 5; i++)
        (void)__atomic_fetch_add(&t, x[i], __ATOMIC_RELAXED);
    if (n > 2)
        t++;
    (void)__atomic_fetch_add(&t, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 5; i++)
        {
            pthread_mutex_lock(&port_critical);
            t += x[i];
            pthread_mutex_unlock(&port_critical);
        }
    return t;
}

static int five(int n)
{
    return TWEED_RUN(five_task, n);
}

TWEED_LOOP(last_of_loop, i, const int *, x, int64_t, i_last, int *, last_last)
{
    int last = 0;

    if (x[i] >= 0)
        last = x[i];
    if (i == i_last)
        *last_last = last;
}

TWEED_LOOP(last_of_loop_2, i, const int *, x, int64_t, i_last, int *, k_last)
{
    int j;
    int k = 0;

    do {
        j = x[i];
        if (j < 0)
            continue;
        k = j;
    } while (0);
    if (i == i_last)
        *k_last = k;
}

static int last_of(const int *x, int n)
{
    int last = 0, k = 0;

    last_of_loop(0, n, x, n - 1, &last);
    last_of_loop_2(0, n, x, n - 1, &k);
    return last + k;
}

TWEED_LOOP(on_one_line_loop, i, int *, x)
{
    if (i > 1) x[i]++; else x[i]--;
}

TWEED_SUM(int, on_one_line_loop_2, i, int *, x)
{
    int s = 0;

    if (i > 1) s += x[i];
    if (i > 2) s++;
    return s;
}

TWEED_MAX(int, on_one_line_loop_3, s, i, int *, x, int, s)
{
    if (x[i] > s) s = x[i];
    if (i > 1) return s;
    x[i]++;
    return s;
}

TWEED_LOOP(on_one_line_loop_4, i, int *, x)
{
    for (int k = 0; k < 3; k++)
        x[i]++;
}

static int on_one_line(int *x, int n)
{
    int s = 0;

    on_one_line_loop(0, n, x);
    s += on_one_line_loop_2(0, n, x);
    s = on_one_line_loop_3(0, n, x, s);
    if (n > 2)
        on_one_line_loop_4(0, n, x);
    return s;
}

struct pair {
    int a, b;
};

TWEED_LOOP(by_pragmas_loop, i, int *, x)
{
    struct pair own;
    struct pair both[2];

    own.a = x[i];
    both[1] = own;
    x[i] = both[1].a;
}

struct by_pragmas_own { /* what a thread has */
    int mine;
};

TWEED_LOOP(by_pragmas_loop_2, port_thread, int, port_threads, struct by_pragmas_own *,
           port_all, int, n)
{
    int mine = 0;
    const int64_t i_count = (int64_t)n;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        mine++;
    }
    port_all[port_thread].mine = mine;
}

TWEED_LOOP(by_pragmas_loop_3, port_thread, struct by_pragmas_own *, port_all, int *, x)
{
    int mine = port_all[port_thread].mine;

    {
        pthread_mutex_lock(&port_critical);
        x[0] += mine;
        pthread_mutex_unlock(&port_critical);
    }
}

static void by_pragmas(int *x, int n)
{

    by_pragmas_loop(0, n, x);

    {
        const int port_threads = tweed_pool_num_workers(NULL);
        struct by_pragmas_own *port_all = __builtin_calloc((size_t)port_threads, sizeof *port_all);

        if (!port_all)
            __builtin_abort(); /* no memory */
        by_pragmas_loop_2(0, port_threads, port_threads, port_all, n);
        by_pragmas_loop_3(0, port_threads, port_all, x);
        __builtin_free(port_all);
    }
}

int main(void)
{
    int x[10] = { 1, 2, 3 }, r = 0, s = 0;

    r = fib(10);
    s = five(4);
    printf("%d %d %d\n", r, s, last_of(x, 10));
    s = on_one_line(x, 10);
    by_pragmas(x, 10);
    printf("%d %d %d\n", s, x[0], x[3]);
    return 0;
}
