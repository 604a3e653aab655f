#include <tweed.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

__attribute__((__weak__)) pthread_mutex_t port_critical_best = PTHREAD_MUTEX_INITIALIZER;

/* The next index of a chunk, or the first of the chunk that is next. */
static inline int port_next(int64_t *next, int64_t chunk, int64_t count, int64_t *index,
                            int64_t *end)
{
    if (*index < *end)
        return 1;
    *index = __atomic_fetch_add(next, chunk, __ATOMIC_RELAXED);
    *end = *index < count - chunk ? *index + chunk : count;
    return *index < count;
}

static pthread_mutex_t port_reduction = PTHREAD_MUTEX_INITIALIZER;

static double total;
struct histogram_own { /* what a thread has */
    int local[256];
};

TWEED_LOOP(histogram_loop, port_thread, int, port_threads, struct histogram_own *,
           port_all, long, n, const unsigned char *, img)
{
    int local[256] = {0};
    long i;

    const int64_t i_count = (int64_t)n;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        i = (long)i_index;
        local[img[i]]++;
    }
    __builtin_memcpy(port_all[port_thread].local, local, sizeof local);
}

TWEED_LOOP(histogram_loop_2, port_thread, struct histogram_own *, port_all, int *, hist)
{
    int local[256];
    __builtin_memcpy(local, port_all[port_thread].local, sizeof local);

    // merge
    {
        pthread_mutex_lock(&port_critical);
        for (int b = 0; b < 256; b++)
            hist[b] += local[b];
        pthread_mutex_unlock(&port_critical);
    }
}

void histogram(const unsigned char *img, long n, int *hist)
{
    /* one for each thread */
    {
        const int port_threads = tweed_pool_num_workers(NULL);
        struct histogram_own *port_all = __builtin_calloc((size_t)port_threads, sizeof *port_all);

        if (!port_all)
            __builtin_abort(); /* no memory */
        histogram_loop(0, port_threads, port_threads, port_all, n, img);
        histogram_loop_2(0, port_threads, port_all, hist);
        __builtin_free(port_all);
    }
}

TWEED_LOOP(pi_loop, port_thread, int, port_threads, int *, nthreads, double *, sum, int,
           steps, double, step)
{
    int i, id = (int)port_thread, nthrds = port_threads;
    double x;
    if (id == 0) (*nthreads) = nthrds;
    for (i = id, sum[id] = 0; i < steps; i += nthrds) {
        x = (i + 0.5) * step;
        sum[id] += 4.0 / (1.0 + x * x);
    }
}

double pi(int steps)
{
    double step = 1.0 / steps, sum[64], pi = 0;
    int nthreads, i;
    {
        const int port_threads = tweed_pool_num_workers(NULL);

        pi_loop(0, port_threads, port_threads, &nthreads, sum, steps, step);
    }
    for (i = 0; i < nthreads; i++) pi += sum[i] * step;
    return pi;
}

struct mixed_own { /* what a thread has */
    double *buffer;
};

TWEED_LOOP(mixed_loop, port_thread, int, port_threads, struct mixed_own *, port_all, int,
           n, const double *, x, double *, best, int *, at, double *, norm, int64_t *,
           i_next)
{
    double mine = -1;
    int my_at = -1;
    double *buffer = malloc(16 * sizeof *buffer);

    const int64_t i_count = (int64_t)n;
    const int64_t i_chunk = 8;

    for (int64_t i_index = 0, i_end = 0;
         port_next(i_next, i_chunk, i_count, &i_index, &i_end); i_index++) {
        int i = (int)i_index;
        buffer[i % 16] = x[i];
        if (x[i] < 0) continue;
        if (buffer[i % 16] > mine) {
            mine = x[i];
            my_at = i;
        }
    }
    {
        pthread_mutex_lock(&port_critical_best);
        if (mine > (*best) || (mine == (*best) && my_at < (*at))) {
            (*best) = mine;
            (*at) = my_at;
        }
        pthread_mutex_unlock(&port_critical_best);
    }
    double *norm_all = &(*norm);
    const int64_t i_first = n - 1;
    const int64_t i_count_2 = ((int64_t)(n - 1) + 2) / 2;
    const int64_t i_chunk_2 = 3;
    {
    double norm = 0;

    for (int64_t i_begin = port_thread * i_chunk_2; i_begin < i_count_2; i_begin += port_threads * i_chunk_2)
    for (int64_t i_index_2 = i_begin; i_index_2 < i_begin + i_chunk_2 && i_index_2 < i_count_2; i_index_2++) {
        int i = (int)(i_first - i_index_2 * 2);
        norm += x[i] * my_at - x[i] * my_at + x[i];
    }
    pthread_mutex_lock(&port_reduction);
    *norm_all += norm;
    pthread_mutex_unlock(&port_reduction);
    }
    port_all[port_thread].buffer = buffer;
}

TWEED_LOOP(mixed_loop_2, port_thread, struct mixed_own *, port_all, double *, norm)
{
    double *buffer = port_all[port_thread].buffer;

    free(buffer);
    if (port_thread == 0)
        total += (*norm);
}

TWEED_LOOP(mixed_loop_3, port_thread)
{
    {
        __typeof__(total) *port_at = &total, port_old, port_new;
        const __typeof__(0.5) port_value = 0.5;

        __atomic_load(port_at, &port_old, __ATOMIC_RELAXED);
        do
            port_new = port_old + port_value;
        while (!__atomic_compare_exchange(port_at, &port_old, &port_new, 1, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    }
}

TWEED_LOOP(mixed_loop_4, port_thread, int, port_threads)
{
    if ((int)port_thread == port_threads - 1)
        total *= 2;
}

double mixed(const double *x, int n, int *where)
{
    double best = -1, norm = 0;
    int at = -1;
    {
        const int port_threads = 4;
        struct mixed_own *port_all = __builtin_calloc((size_t)port_threads, sizeof *port_all);
        int64_t i_next = 0;

        if (!port_all)
            __builtin_abort(); /* no memory */
        mixed_loop(0, port_threads, port_threads, port_all, n, x, &best, &at, &norm, &i_next);
        mixed_loop_2(0, port_threads, port_all, &norm);
        mixed_loop_3(0, port_threads);
        mixed_loop_4(0, port_threads, port_threads);
        __builtin_free(port_all);
    }
    *where = at;
    return best + norm;
}

TWEED_LOOP(reduced_loop, port_thread, int, port_threads, int, n, int *, sum_all, int *,
           most_all)
{
    int sum = 0;
    int most = (int)(-(INT64_C(1) << 30) * 2);

    int mine = 0;
    const int64_t i_count = (int64_t)n;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        mine += i % 7;
    }
    sum = mine;
    most = port_threads;
    pthread_mutex_lock(&port_reduction);
    *sum_all += sum;
    if (most > *most_all)
        *most_all = most;
    pthread_mutex_unlock(&port_reduction);
}

int reduced(int n)
{
    int sum = 0, most = 0;
    {
        const int port_threads = tweed_pool_num_workers(NULL);

        reduced_loop(0, port_threads, port_threads, n, &sum, &most);
    }
    return sum * 100 + most;
}

TWEED_LOOP(main_loop, port_thread)
{
    printf("hello\n");
}

int main(void)
{
    unsigned char *img = malloc(100000);
    int hist[256] = {0}, w;
    double x[1000];
    for (int i = 0; i < 100000; i++) img[i] = (unsigned char)(i * 37 % 251);
    for (int i = 0; i < 1000; i++) x[i] = (i * 37) % 997;
    histogram(img, 100000, hist);
    for (int i = 0; i < 256; i += 16) printf("%d ", hist[i]);
    printf("\n%.6f\n", pi(100000));
    printf("%g ", mixed(x, 1000, &w));
    printf("%d %g\n", w, total);
    printf("%d\n", reduced(1000));
    {
        const int port_threads = tweed_pool_num_workers(NULL);

        main_loop(0, port_threads);
    }
    free(img);
    return 0;
}
