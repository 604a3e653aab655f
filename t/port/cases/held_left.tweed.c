/* What each thread has, by a pointer: it is not the caller's, nor does it end at a barrier. */
#include <tweed.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <omp.h>

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}

enum { N = 20000 };
struct pair { int x, y; };
static int out[N];
static char names[64][64];
static int *half(int *p, int n) { return p + n / 2; }
static int first(const int *p) { return p[0]; }
static void step(struct pair *p, int i)
{
    p->x = i;
    p->y = p->x * 2;
}

TWEED_LOOP(decayed_loop, port_thread, int, port_threads)
{
    int work[64];
    int *w = work;
    const int64_t i_count = (int64_t)N;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        for (int k = 0; k < 64; k++)
            w[k] = i + k;
        out[i] = w[i % 64];
    }
}

static int decayed(void)
{
    int bad = 0;

    {
        const int port_threads = tweed_pool_num_workers(NULL);

        decayed_loop(0, port_threads, port_threads);
    }
    for (int i = 0; i < N; i++)
        bad += out[i] != i + i % 64;
    return bad;
}

TWEED_LOOP(addressed_loop, port_thread, int, port_threads)
{
    struct pair mine, *p = &mine;
    const int64_t i_count = (int64_t)N;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        step(p, i);
        out[i] = p->y;
    }
}

static int addressed(void)
{
    int bad = 0;

    {
        const int port_threads = tweed_pool_num_workers(NULL);

        addressed_loop(0, port_threads, port_threads);
    }
    for (int i = 0; i < N; i++)
        bad += out[i] != 2 * i;
    return bad;
}

static int literal(void)
{
    int bad = 0;

#pragma omp parallel
    {
        int *w = (int[64]){ 0 };
#pragma omp for
        for (int i = 0; i < N; i++) {
            w[i % 64] = i;
            out[i] = w[i % 64];
        }
    }
    for (int i = 0; i < N; i++)
        bad += out[i] != i;
    return bad;
}

TWEED_LOOP(picked_loop, port_thread, int, port_threads)
{
    int work[64], *w = half(work, 64), k;
    const int *view = w;
    const int64_t i_count = (int64_t)N;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        for (k = 0; k < 32; k++)
            w[k] = i + k;
        out[i] = view[i % 32];
    }
}

static int picked(void)
{
    int bad = 0;

    {
        const int port_threads = tweed_pool_num_workers(NULL);

        picked_loop(0, port_threads, port_threads);
    }
    for (int i = 0; i < N; i++)
        bad += out[i] != i + i % 32;
    return bad;
}

/* From one loop to the next. */
static int kept(void)
{
    static int *table[N];
    int bad = 0;

#pragma omp parallel
    {
        int mine;
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) {
            mine = i;
            table[i] = &mine;
        }
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) {
            *table[i] = i;
            out[i] = *table[i];
        }
    }
    for (int i = 0; i < N; i++)
        bad += out[i] != i;
    return bad;
}

TWEED_LOOP(looked_at_loop, port_thread, int, port_threads)
{
    int two[2] = { 3, 4 }, n = first(two) + (int)sizeof two, part[4];
    const int64_t i_count = (int64_t)N;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        int *p = part;

        *p = i;
        out[i] = n + part[0];
    }
}

/* These may be the caller's. */
static int looked_at(void)
{
    int bad = 0;

    {
        const int port_threads = tweed_pool_num_workers(NULL);

        looked_at_loop(0, port_threads, port_threads);
    }
    for (int i = 0; i < N; i++)
        bad += out[i] != i + 3 + (int)(2 * sizeof(int));
    return bad;
}

static int generated(void)
{
    int threads = 0, bad = 0;
    static int one[64], two[64];

#pragma omp parallel
    {
        int me = omp_get_thread_num();
        struct random_data data;
        char state[64];
        int32_t r;

        memset(&data, 0, sizeof data);
        initstate_r(7, state, sizeof state, &data);
        random_r(&data, &r);
        one[me] = r;
        (void)__atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
#pragma omp barrier
        random_r(&data, &r);
        two[me] = r;
    }
    for (int t = 1; t < threads; t++)
        bad += one[t] != one[0] || two[t] != two[0];
    return bad;
}

static int parted(void)
{
    int threads = 0, bad = 0;

#pragma omp parallel
    {
        int me = omp_get_thread_num();
        char line[64], *save, *word;

        snprintf(line, sizeof line, "one%d two%d", me, me);
        word = strtok_r(line, " ", &save);
        (void)__atomic_fetch_add(&threads, word == line, __ATOMIC_RELAXED);
#pragma omp barrier
        strcpy(names[me], strtok_r(NULL, " ", &save));
        line[0] = 0;
    }
    for (int t = 0; t < threads; t++)
        bad += names[t][0] != 't' || atoi(names[t] + 3) != t;
    return bad;
}

static int sought(void)
{
    int threads = 0, bad = 0;

#pragma omp parallel
    {
        int me = omp_get_thread_num();
        char line[64], *dot;

        snprintf(line, sizeof line, "t%d.x", me);
        dot = strchr(line, '.');
        (void)__atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
#pragma omp barrier
        *dot = '_';
        strcpy(names[me], line);
    }
    for (int t = 0; t < threads; t++)
        bad += strstr(names[t], "_x") == NULL;
    return bad;
}

struct copied_own { /* what a thread has */
    char line[64];
    int me;
};

TWEED_LOOP(copied_loop, port_thread, struct copied_own *, port_all, int *, threads)
{
    int me = (int)port_thread;
    char line[64];

    snprintf(line, sizeof line, "%d", me);
    (void)__atomic_fetch_add(&(*threads), 1, __ATOMIC_RELAXED);
    __builtin_memcpy(port_all[port_thread].line, line, sizeof line);
    port_all[port_thread].me = me;
}

TWEED_LOOP(copied_loop_2, port_thread, struct copied_own *, port_all)
{
    char line[64];
    int me = port_all[port_thread].me;
    __builtin_memcpy(line, port_all[port_thread].line, sizeof line);

    if (strcmp(line, "0") == 0)
        strcat(line, "0");
    memcpy(names[me], line, sizeof line);
}

/* Copied, printed, compared: no pointer is left. */
static int copied(void)
{
    int threads = 0, bad = 0;

    {
        const int port_threads = tweed_pool_num_workers(NULL);
        struct copied_own *port_all = __builtin_calloc((size_t)port_threads, sizeof *port_all);

        if (!port_all)
            __builtin_abort(); /* no memory */
        copied_loop(0, port_threads, port_all, &threads);
        copied_loop_2(0, port_threads, port_all);
        __builtin_free(port_all);
    }
    for (int t = 0; t < threads; t++)
        bad += atoi(names[t]) != t;
    return bad;
}

int main(void)
{
    printf("%d %d %d %d\n", decayed(), addressed(), literal(), picked());
    printf("%d %d\n", kept(), looked_at());
    printf("%d %d %d %d\n", generated(), parted(), sought(), copied());
    return 0;
}
