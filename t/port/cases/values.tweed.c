/* What a body sees of a variable that something else changes, too; names that are taken;
   atomic operations on what is no integer. */
#include <tweed.h>
#include <stdio.h>
#include <string.h>

#include <pthread.h>

__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;


#define SHOW(x) ((int)strlen(#x) + 0 * (int)(x))

struct both {
    int n, total;
};

static int a[64], b[64];

TWEED_LOOP(add_up_loop, i, int, k)
{
    a[i] += k;
}

static void add_up(int k)
{
    add_up_loop(0, 64, k);
}

TWEED_LOOP(main_loop, j, int *, p, const int *, x)
{
    if (j == 5) {
        *p = 7;
        a[j] = (*x);
    }
}

TWEED_LOOP(main_loop_2, j, struct both *, q, const struct both *, all)
{
    (void)__atomic_fetch_add(&q->total, 1, __ATOMIC_RELAXED);
    b[j] = (*all).total > 1;
}

TWEED_LOOP(main_loop_3, j, double *, sum, double, port_old)
{
    {
        __typeof__((*sum)) *port_at = &(*sum), port_old_2, port_new;
        const __typeof__(port_old) port_value = port_old;

        __atomic_load(port_at, &port_old_2, __ATOMIC_RELAXED);
        do
            port_new = port_old_2 + port_value;
        while (!__atomic_compare_exchange(port_at, &port_old_2, &port_new, 1, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    }
}

TWEED_LOOP(main_loop_4, j, int *, half)
{
    int v;

    {
        __typeof__((*half)) *port_at = &(*half), port_old_2, port_new;
        const __typeof__(0.5) port_value = 0.5;

        __atomic_load(port_at, &port_old_2, __ATOMIC_RELAXED);
        do
            port_new = port_old_2 - port_value;
        while (!__atomic_compare_exchange(port_at, &port_old_2, &port_new, 1, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
        v = port_new;
    }
    if (v < 0)
        a[j] = 0;
}

TWEED_LOOP(main_loop_5, j, int **, next)
{
    int *v;

    {
        __typeof__((*next)) *port_at = &(*next), port_old_2, port_new;
        const __typeof__(1) port_value = 1;

        __atomic_load(port_at, &port_old_2, __ATOMIC_RELAXED);
        do
            port_new = port_old_2 + port_value;
        while (!__atomic_compare_exchange(port_at, &port_old_2, &port_new, 1, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
        v = port_old_2;
    }
    *v += 1;
}

TWEED_LOOP(main_loop_6, j_index)
{
    int j = (int)j_index;

    a[j] += SHOW(j);
}

TWEED_LOOP(main_loop_7, j, int *, n)
{
    {
        pthread_mutex_lock(&port_critical);
        add_up((int)j);
        (*n)++;
        pthread_mutex_unlock(&port_critical);
    }
}

static const struct both main_loop_8_none = { 0, 0 };

static void main_loop_8_combine(struct both *into, const struct both *from)
{
    struct both omp_out = *into;
    struct both omp_in = *from;

    omp_out.n += omp_in.n, omp_out.total += omp_in.total;
    *into = omp_out;
}

TWEED_REDUCE(struct both, main_loop_8, main_loop_8_none, main_loop_8_combine, all_all, j)
{
    (*all_all).n += b[j];
    (*all_all).total++;
}

static const double main_loop_9_none = -1e9;

static void main_loop_9_combine(double *into, const double *from)
{
    double omp_out = *into;
    double omp_in = *from;

    omp_out = omp_in > omp_out ? omp_in : omp_out;
    *into = omp_out;
}

TWEED_REDUCE(double, main_loop_9, main_loop_9_none, main_loop_9_combine, wide_all, j)
{
    if (a[j] > (*wide_all))
        (*wide_all) = a[j];
}

int main(void)
{
    int x = 1, *p = &x, half = 100, n = 0, i = 42, total = 0, *next = b;
    struct both all = { 1, 1 }, *q = &all;
    double port_old = 1.5, sum = 0, wide = 3;

    main_loop(0, 64, p, &x);
    main_loop_2(0, 64, q, &all);
    main_loop_3(0, 64, &sum, port_old);
    main_loop_4(0, 10, &half);
    main_loop_5(0, 64, &next);
    main_loop_6(0, 20);
    #pragma omp parallel for simd
    for (i = 0; i < 64; i++)
        a[i] += 1;
    main_loop_7(0, 8, &n);
    {
        const struct both main_loop_8_result = main_loop_8(0, 64);

        main_loop_8_combine(&all, &main_loop_8_result);
    }
    {
        const double main_loop_9_result = main_loop_9(0, 64);

        main_loop_9_combine(&wide, &main_loop_9_result);
    }
    for (int j = 0; j < 64; j++)
        total += a[j] + b[j];
    printf("%d %d %g %d %d %d %d %d %g %d\n", x, total, sum, half, i, n, all.n, all.total, wide,
           (int)(next - b));
    return 0;
}
