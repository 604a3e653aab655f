/* How a pragma is read: macros in it, and clauses that are words of pragmas, too. */
#include <tweed.h>
#include <omp.h>
#include <stdio.h>

#define TEMPS a, b
#define ACC total
#define SCHED static
#define LOCK add
#define CHUNK 16
#define THREADS 2
#define max(a, b) ((a) > (b) ? (a) : (b))

enum { N = 2000 };
static int x[N], y[N], out[N], at;
static long total, other;

static void keep(int *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}

static void listed(void)
{
    int a, b;

#pragma omp parallel for private(TEMPS)
    for (int i = 0; i < N; i++) {
        a = i;
        keep(&a);
        b = a + 1;
        keep(&b);
        x[i] = b;
    }
#pragma omp parallel for reduction(+ : ACC)
    for (int i = 0; i < N; i++)
        total += x[i];
}

/* The same thread has the same indices. */
static void scheduled(void)
{
#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for schedule(SCHED) nowait
        for (int i = 0; i < N; i++)
            x[i] = me + 1;
#pragma omp for schedule(SCHED)
        for (int i = 0; i < N; i++)
            y[i] = x[i] == me + 1;
    }
}

static void one(int k)
{
#pragma omp critical(LOCK)
    other += k;
}

static void locked(void)
{
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        if (i & 1)
            one(1);
        else {
#pragma omp critical(add)
            other += 2;
        }
}

/* A number is one token. */
static void collapsed(int *m)
{
    enum { DEEP = 2 };
    int j;

#pragma omp parallel
    {
        int me = omp_get_thread_num();
#pragma omp for collapse(DEEP)
        for (int i = 0; i < 40; i++)
            for (j = 0; j < 50; j++)
                m[i * 50 + j] = me - me + j;
    }
#pragma omp parallel for collapse(1 + 1)
    for (int i = 0; i < 40; i++)
        for (j = 0; j < 50; j++)
            m[i * 50 + j] += i;
}

static void put(int i)
{
#pragma omp ordered
    out[at++] = i;
}

static void in_order(void)
{
#pragma omp parallel for ordered schedule(dynamic)
    for (int i = 0; i < N; i++)
        put(i);
}

TWEED_LOOP(expressions_loop, i)
{
    x[i] = (int)i * 7 % N;
}

TWEED_MAX(int, expressions_loop_2, best, i, int, best)
{
    best = max(best, x[i]);
    return best;
}

TWEED_LOOP(expressions_loop_3, i)
{
    int j;

    j = (int)i;
    keep(&j);
    x[i] = j;
}

/* These are ported: the text of an expression goes into the program. */
static int expressions(void)
{
    int best = 0;

    {
        tweed_loop_options expressions_loop_options = TWEED_LOOP_OPTIONS_INIT;

        expressions_loop_options.max_workers = (N > CHUNK) ? (THREADS) : 1;
        expressions_loop_options.grain = CHUNK;
        if (expressions_loop_with(NULL, &expressions_loop_options, 0, N))
            __builtin_abort(); /* an option is wrong */
    }
    best = expressions_loop_2(0, N, best);
/* the pragma
    goes on */
    expressions_loop_3(0, N);
    return best;
}

int main(void)
{
    int bad = 0, best;

    listed();
    scheduled();
    locked();
    in_order();
    collapsed(x);
    total += x[N - 1];
    for (int i = 0; i < N; i++)
        bad += out[i] != i || !y[i];
    best = expressions();
    printf("%d %ld %ld %d %d\n", bad, total, other, best, x[N - 1]);
    return 0;
}
