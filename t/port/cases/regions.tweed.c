#include <tweed.h>
#include <math.h>
#include <stdio.h>

#include <pthread.h>

__attribute__((__weak__)) pthread_mutex_t port_critical_best_one = PTHREAD_MUTEX_INITIALIZER;

__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}

#define N 500
static double u[N][N], v[N][N];
static int counter;
static double total;
TWEED_LOOP(main_loop, i, double, h, int, k, double, q)
{
    int j;

    for (j = 0; j < N; j++)
        u[i][j] = (int)i * h + j * k + q;
}

TWEED_LOOP(main_loop_2, i)
{
    int j;
    double w[3];

    for (j = 1; j < N - 1; j++) {
        w[0] = u[i - 1][j];
        w[1] = u[i + 1][j];
        v[i][j] = (w[0] + w[1]) / 2;
    }
}

TWEED_SUM(double, main_loop_3, i, int, k)
{
    return v[i][k];
}

TWEED_LOOP(main_loop_4, i, int *, hist, double *, best, int *, got)
{
    (void)__atomic_fetch_add(&hist[(int)i % 8], 1, __ATOMIC_RELAXED);
    {
        __typeof__(total) *port_at = &total, port_old, port_new;
        const __typeof__((int)i * 0.5) port_value = (int)i * 0.5;

        __atomic_load(port_at, &port_old, __ATOMIC_RELAXED);
        do
            port_new = port_old + port_value;
        while (!__atomic_compare_exchange(port_at, &port_old, &port_new, 1, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    } /* halves */
    {
        pthread_mutex_lock(&port_critical_best_one);
        if (v[i][3] > (*best))
            (*best) = v[i][3];
        pthread_mutex_unlock(&port_critical_best_one);
    }
    if ((int)i % 100 == 0) {
        {
            pthread_mutex_lock(&port_critical);
            (*got) += (int)i;
            pthread_mutex_unlock(&port_critical);
        }
    }
}

TWEED_LOOP(main_loop_5, i)
{
    int j;
    double buffer[4];

    for (j = 0; j < 4; j++)
        buffer[j] = (int)i + j;
    u[i][0] = buffer[3];
}

TWEED_LOOP(main_loop_6, i, int *, got)
{
    {
        pthread_mutex_lock(&port_critical);
        (*got)++;
        pthread_mutex_unlock(&port_critical);
    }
}

struct main_own { /* what a thread has */
    double mine;
};

TWEED_LOOP(main_loop_7, port_thread, int, port_threads, struct main_own *, port_all)
{
    double mine = 0;
    const int64_t i_count = (int64_t)N;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        mine += i;
    }
    port_all[port_thread].mine = mine;
}

TWEED_LOOP(main_loop_8, port_thread, struct main_own *, port_all)
{
    double mine = port_all[port_thread].mine;

    {
        pthread_mutex_lock(&port_critical);
        total += mine;
        pthread_mutex_unlock(&port_critical);
    }
}

int main(void)
{
    int threads = 0, hist[8] = { 0 }, got = 0;
    double norm = 0, best = -1, q = 3;

    {
        double h;
        int k = 2;

        printf("start\n");
        h = 1.0 / N;
        {
            tweed_loop_options main_loop_options = TWEED_LOOP_OPTIONS_INIT;

            main_loop_options.max_workers = 3;
            if (main_loop_with(NULL, &main_loop_options, 0, N, h, k, q))
                __builtin_abort(); /* an option is wrong */
        }
        {
            tweed_loop_options main_loop_2_options = TWEED_LOOP_OPTIONS_INIT;

            main_loop_2_options.max_workers = 3;
            if (main_loop_2_with(NULL, &main_loop_2_options, 1, N - 1))
                __builtin_abort(); /* an option is wrong */
        }
        {
            counter++;
        }
        for (k = 0; k < 2; k++) {
            {
                double main_loop_3_result;
                tweed_loop_options main_loop_3_options = TWEED_LOOP_OPTIONS_INIT;

                main_loop_3_options.max_workers = 3;
                if (main_loop_3_with(NULL, &main_loop_3_options, 0, N, k, &main_loop_3_result))
                    __builtin_abort(); /* an option is wrong */
                norm += main_loop_3_result;
            }
        }
    }
    printf("%.12g %d\n", norm, counter);
    main_loop_4(0, N, hist, &best, &got);
    printf("%d %d %g %g %d\n", hist[0], hist[7], total, best, got);
    main_loop_5(0, N);
    {
        threads = tweed_pool_num_workers(NULL) > 0;
        main_loop_6(0, 10, &got);
    }
    printf("%g %d %d\n", u[7][0], threads, got);
    {
        const int port_threads = tweed_pool_num_workers(NULL);
        struct main_own *port_all = __builtin_calloc((size_t)port_threads, sizeof *port_all);

        if (!port_all)
            __builtin_abort(); /* no memory */
        main_loop_7(0, port_threads, port_threads, port_all);
        main_loop_8(0, port_threads, port_all);
        __builtin_free(port_all);
    }
    printf("%g\n", total);
    return 0;
}
