/* Copies that the threads of a region have: of variables of the file, of variables that change by
   another name, and those that single, master and simd loops write.  Partial results of a region
   that its first phases leave as they begin. */
#include <tweed.h>
#include <stdio.h>

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}

#include <pthread.h>

static pthread_mutex_t port_reduction = PTHREAD_MUTEX_INITIALIZER;


static int y[64], z[64];
static int level = 7, all[4] = { 1, 2, 3, 4 };
static double h = 100, w[64];

struct pair {
    int a, b;
};

static void set(int *p, int v)
{
    *p = v;
}

static void raise_level(void)
{
    level = 50;
}

TWEED_LOOP(in_single_loop, k)
{
    y[k] *= 2;
}

struct in_single_own { /* what a thread has */
    int seed;
};

TWEED_LOOP(in_single_loop_2, port_thread, int *, s, int *, found, int, seed)
{
    int v;

    if (port_thread == 0)
    {
        seed += 5;
        set(&v, 12);
        (*s) = seed;
        (*found) = v;
    }
}

TWEED_LOOP(in_single_loop_3, port_thread, int, port_threads, int, s, int, found)
{
    const int64_t k_count = 64;

    for (int64_t k_index = port_share(k_count, port_thread, port_threads),
                 k_end = port_share(k_count, port_thread + 1, port_threads);
         k_index < k_end; k_index++) {
        int k = (int)k_index;
        z[k] = s + found;
    }
}

static int in_single(void)
{
    int i, rounds = 0, seed = 42, s = 0, v = 5, found = 0;

    for (i = 0; i < 5; i++) {
        {
            int i;
            for (i = 0; i < 64; i++)
                y[i] += 1;
            in_single_loop(0, 64);
        }
        rounds++;
    }
    {
        const int port_threads = tweed_pool_num_workers(NULL);
        struct in_single_own *port_all = __builtin_calloc((size_t)port_threads, sizeof *port_all);

        if (!port_all)
            __builtin_abort(); /* no memory */
        in_single_loop_2(0, port_threads, &s, &found, seed);
        in_single_loop_3(0, port_threads, port_threads, s, found);
        __builtin_free(port_all);
    }
    return rounds * 1000 + seed + z[3] + v;
}

struct in_master_own { /* what a thread has */
    struct pair s;
    int last;
};

TWEED_LOOP(in_master_loop, port_thread, struct in_master_own *, port_all, int *, sum,
           struct pair, s)
{
    int t[4];
    int last;

    if (port_thread == 0)
    {
        t[0] = 50;
        s.a = t[0];
        (*sum) += s.a;
    }
    #pragma omp simd
    for (int k = 0; k < 4; k++)
        last = k;
    port_all[port_thread].s = s;
    port_all[port_thread].last = last;
}

TWEED_LOOP(in_master_loop_2, port_thread, int, port_threads, struct in_master_own *,
           port_all)
{
    struct pair s = port_all[port_thread].s;
    int last = port_all[port_thread].last;

    const int64_t k_count = 64;

    for (int64_t k_index = port_share(k_count, port_thread, port_threads),
                 k_end = port_share(k_count, port_thread + 1, port_threads);
         k_index < k_end; k_index++) {
        int k = (int)k_index;
        y[k] = s.b + last;
    }
}

static int in_master(void)
{
    int t[4] = { 1, 2, 3, 4 }, last = 3, sum = 0;
    struct pair s = { 1, 2 };

    {
        const int port_threads = tweed_pool_num_workers(NULL);
        struct in_master_own *port_all = __builtin_calloc((size_t)port_threads, sizeof *port_all);

        if (!port_all)
            __builtin_abort(); /* no memory */
        in_master_loop(0, port_threads, port_all, &sum, s);
        in_master_loop_2(0, port_threads, port_threads, port_all);
        __builtin_free(port_all);
    }
    return t[0] + last * 10 + s.a * 100 + sum * 1000 + y[1];
}

TWEED_LOOP(only_written_loop, k)
{
    y[k] = (int)k;
}

static int only_written(void)
{
    int t[4] = { 1, 2, 3, 4 }, last = 3;

    {
        int t[4];
        (void)t;
        int last;
        (void)last;
        last = 5;
        t[0] = 50;
        only_written_loop(0, 64);
    }
    return t[0] + last * 10;
}

TWEED_LOOP(of_the_file_loop, i, double, h)
{
    w[i] = (int)i * h;
}

struct of_the_file_own { /* what a thread has */
    int level;
};

TWEED_LOOP(of_the_file_loop_2, port_thread, struct of_the_file_own *, port_all, int,
           level)
{
    if (port_thread == 0)
        raise_level();
    port_all[port_thread].level = level;
}

TWEED_LOOP(of_the_file_loop_3, port_thread, int, port_threads, struct of_the_file_own *,
           port_all)
{
    int level = port_all[port_thread].level;

    const int64_t i_count = 64;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        y[i] = level;
    }
}

TWEED_LOOP(of_the_file_loop_4, k, int, i, int, level)
{
    z[i * 8 + k] = level;
}

TWEED_LOOP(of_the_file_loop_5, i)
{
    int level;

    level = (int)i;
    of_the_file_loop_4(0, 8, (int)i, level);
}

typedef int of_the_file_loop_6_all[4];

TWEED_LOOP(of_the_file_loop_6, port_thread, int, port_threads,
           const of_the_file_loop_6_all *, all_first)
{
    int all[4];
    __builtin_memcpy(&all, all_first, sizeof all);

    all[0] = 40;
    const int64_t i_count = 64;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        y[i] = all[0] + all[1];
    }
}

/* Their names are the file's. */
static double of_the_file(void)
{
    int sum = 0;

    {
        double h;
        h = 0.5;
        of_the_file_loop(0, 64, h);
    }
    {
        const int port_threads = tweed_pool_num_workers(NULL);
        struct of_the_file_own *port_all = __builtin_calloc((size_t)port_threads, sizeof *port_all);

        if (!port_all)
            __builtin_abort(); /* no memory */
        of_the_file_loop_2(0, port_threads, port_all, level);
        of_the_file_loop_3(0, port_threads, port_threads, port_all);
        __builtin_free(port_all);
    }
    sum = y[5] + level;
    of_the_file_loop_5(0, 8);
    {
        const int port_threads = tweed_pool_num_workers(NULL);

        {
            of_the_file_loop_6_all all_first;
            __builtin_memcpy(&all_first, &all, sizeof all_first);

            of_the_file_loop_6(0, port_threads, port_threads, &all_first);
        }
    }
    return w[10] + h + sum + level + z[63] + y[3] + all[0];
}

struct by_another_name_own { /* what a thread has */
    int n;
    int v;
};

TWEED_LOOP(by_another_name_loop, port_thread, struct by_another_name_own *, port_all,
           int *, p, int, n, int, v)
{
    if (port_thread == 0)
        *p = 50;
    port_all[port_thread].n = n;
    port_all[port_thread].v = v;
}

TWEED_LOOP(by_another_name_loop_2, port_thread, int, port_threads,
           struct by_another_name_own *, port_all)
{
    int n = port_all[port_thread].n;
    int v = port_all[port_thread].v;

    n = n + 1;
    const int64_t i_count = 64;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        y[i] = v + n;
    }
}

TWEED_LOOP(by_another_name_loop_3, i, int *, p, int, v)
{
    if (i == 0)
        *p = 70;
    z[i] = v;
}

static int by_another_name(int n)
{
    int v = 3, *p = &v, s = 0;

    {
        const int port_threads = tweed_pool_num_workers(NULL);
        struct by_another_name_own *port_all = __builtin_calloc((size_t)port_threads, sizeof *port_all);

        if (!port_all)
            __builtin_abort(); /* no memory */
        by_another_name_loop(0, port_threads, port_all, p, n, v);
        by_another_name_loop_2(0, port_threads, port_threads, port_all);
        __builtin_free(port_all);
    }
    v = 3;
    by_another_name_loop_3(0, 64, p, v);
    for (int i = 0; i < 64; i++)
        s += y[i] + z[i];
    return s + v + n;
}

TWEED_LOOP(pointed_at_loop, port_thread, int, port_threads)
{
    int buffer[64], x = 0, *b = buffer, *q = &x;
    const int64_t i_count = 64;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        *q = i;
        for (int k = 0; k < 64; k++)
            b[k] = i + k;
        y[i] = *q != i;
        for (int k = 0; k < 64; k++)
            y[i] += b[k] != i + k;
    }
}

struct pointed_at_own { /* what a thread has */
    int a[4];
};

typedef int pointed_at_loop_2_a[4];

TWEED_LOOP(pointed_at_loop_2, port_thread, struct pointed_at_own *, port_all, int *, p,
           const pointed_at_loop_2_a *, a_first)
{
    int a[4];
    __builtin_memcpy(&a, a_first, sizeof a);

    if (port_thread == 0)
        p[1] = 9;
    __builtin_memcpy(port_all[port_thread].a, a, sizeof a);
}

TWEED_LOOP(pointed_at_loop_3, port_thread, int, port_threads, struct pointed_at_own *,
           port_all)
{
    int a[4];
    __builtin_memcpy(a, port_all[port_thread].a, sizeof a);

    const int64_t i_count = 64;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        z[i] = a[1] != 2;
    }
}

/* Pointers to what each thread has. */
static int pointed_at(void)
{
    int bad = 0, a[4] = { 1, 2, 3, 4 }, *p = a;

    {
        const int port_threads = tweed_pool_num_workers(NULL);

        pointed_at_loop(0, port_threads, port_threads);
    }
    {
        const int port_threads = tweed_pool_num_workers(NULL);
        struct pointed_at_own *port_all = __builtin_calloc((size_t)port_threads, sizeof *port_all);

        if (!port_all)
            __builtin_abort(); /* no memory */
        {
            pointed_at_loop_2_a a_first;
            __builtin_memcpy(&a_first, &a, sizeof a_first);

            pointed_at_loop_2(0, port_threads, port_all, p, &a_first);
        }
        pointed_at_loop_3(0, port_threads, port_threads, port_all);
        __builtin_free(port_all);
    }
    for (int i = 0; i < 64; i++)
        bad += y[i] + z[i];
    return bad;
}

struct results_own { /* what a thread has */
    int sum;
    int me;
    int top;
    int low;
    int every;
    int product;
};

TWEED_LOOP(results_loop, port_thread, struct results_own *, port_all)
{
    int sum = 0;

    int me = (int)port_thread;

    sum += 1;
    port_all[port_thread].sum = sum;
    port_all[port_thread].me = me;
}

TWEED_LOOP(results_loop_2, port_thread, struct results_own *, port_all)
{
    int me = port_all[port_thread].me;
    int top = (int)(-(INT64_C(1) << 30) * 2);
    int low = (int)((INT64_C(1) << 30) - 1 + (INT64_C(1) << 30));
    int every = (int)-1;
    int product = 1;

    y[me] = me;
    if (-20 > top)
        top = -20;
    if (12 < low)
        low = 12;
    every &= 7;
    product *= 1;
    port_all[port_thread].me = me;
    port_all[port_thread].top = top;
    port_all[port_thread].low = low;
    port_all[port_thread].every = every;
    port_all[port_thread].product = product;
}

TWEED_LOOP(results_loop_3, port_thread, struct results_own *, port_all, int *, sum_all,
           int *, top_all, int *, low_all, int *, every_all, int *, product_all)
{
    int sum = port_all[port_thread].sum;
    int me = port_all[port_thread].me;
    int top = port_all[port_thread].top;
    int low = port_all[port_thread].low;
    int every = port_all[port_thread].every;
    int product = port_all[port_thread].product;

    sum += y[me] >= 0;
    pthread_mutex_lock(&port_reduction);
    *sum_all += sum;
    if (top > *top_all)
        *top_all = top;
    if (low < *low_all)
        *low_all = low;
    *every_all &= every;
    *product_all *= product;
    pthread_mutex_unlock(&port_reduction);
}

static int results(void)
{
    int top = -5, low = 9, sum = 100, every = 6, product = 2;

    {
        const int port_threads = tweed_pool_num_workers(NULL);
        struct results_own *port_all = __builtin_calloc((size_t)port_threads, sizeof *port_all);

        if (!port_all)
            __builtin_abort(); /* no memory */
        results_loop(0, port_threads, port_all);
        results_loop_2(0, port_threads, port_all);
        results_loop_3(0, port_threads, port_all, &sum, &top, &low, &every, &product);
        __builtin_free(port_all);
    }
    return top + 10 * low + 1000 * (sum > 101) + every * 10000 + product * 100000;
}

int main(void)
{
    printf("%d %d\n", in_single(), in_master() + only_written());
    printf("%g %d %d\n", of_the_file(), by_another_name(4), pointed_at());
    printf("%d\n", results());
    return 0;
}
