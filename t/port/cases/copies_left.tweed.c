/* A private variable that is not the same where it is declared anew. */
#include <tweed.h>
#include <stdint.h>
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


enum { N = 512, ROWS = 20 };
static double x[N], y[N];

/* The last row has no index. */
static int triangle(void)
{
    int v = -1;

#pragma omp parallel for collapse(2) lastprivate(v)
    for (int i = 0; i < ROWS; i++)
        for (int j = i + 1; j < ROWS; j++)
            v = i * 100 + j;
    return v;
}

TWEED_LOOP(aligned_loop, port_thread, int, port_threads, int *, bad)
{
    double tmp[8] __attribute__((aligned(64)));
    int k __attribute__((unused));
    int *bad_all = &(*bad);
    const int64_t i_count = (int64_t)N;
    {
    int bad = 0;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        for (k = 0; k < 8; k++)
            tmp[k] = x[i];
        bad += (uintptr_t)tmp % 64 != 0;
        y[i] = tmp[i % 8];
    }
    pthread_mutex_lock(&port_reduction);
    *bad_all += bad;
    pthread_mutex_unlock(&port_reduction);
    }
}

static int aligned(void)
{
    int bad = 0;
    double out[8] __attribute__((aligned(64)));

    {
        const int port_threads = tweed_pool_num_workers(NULL);

        aligned_loop(0, port_threads, port_threads, &bad);
    }
#pragma omp parallel for private(out) reduction(+ : bad)
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 8; k++)
            out[k] = x[i];
        bad += (uintptr_t)out % 64 != 0;
        y[i] = out[i % 8];
    }
    return bad;
}

TWEED_LOOP(jump_loop, i)
{
    double u;

    if (x[i] < 0)
        goto next;
    u = x[i];
    y[i] += u;
next:
    y[i] += 1;
}

static void jump(void)
{
    double t = 1.5;

#pragma omp parallel firstprivate(t)
    {
#pragma omp for
        for (int i = 0; i < N; i++) {
            if (x[i] < 0)
                goto skip;
            t = x[i];
            y[i] += t;
            t = 1.5;
        skip:
            y[i] += 2 * t;
        }
    }
    /* nothing is read behind the label: ported */
    jump_loop(0, N);
}

int main(void)
{
    double s = 0;
    int bad;

    for (int i = 0; i < N; i++)
        x[i] = i % 4 == 3 ? -i : i;
    bad = aligned();
    jump();
    for (int i = 0; i < N; i++)
        s += y[i];
    printf("%d %d %g\n", triangle(), bad, s);
    return 0;
}
