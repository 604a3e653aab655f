/* atomic: capture in both forms, of a double, too; read and write; steps with a sign. */
#include <tweed.h>
#include <stdio.h>

#define BACK -2
#define N 1000

static double heat[4] = { 0.5, 0.5, 0.5, 0.5 };
static short few;

TWEED_LOOP(main_loop, i, int *, next, int *, seen, int *, count, int *, order, double *,
           sum, int *, last, double *, got, double *, most, int **, at, unsigned int *,
           bits)
{
    int k, m, *p;
    double before, after, now;

    k = __atomic_fetch_add(&(*next), 2, __ATOMIC_RELAXED);
    seen[k] = 1;
    m = __atomic_add_fetch(&(*count), 1, __ATOMIC_RELAXED);
    order[m - 1] = 1;
    {
        __typeof__((*sum)) *port_at = &(*sum), port_old, port_new;
        const __typeof__(0.25) port_value = 0.25;

        __atomic_load(port_at, &port_old, __ATOMIC_RELAXED);
        do
            port_new = port_old + port_value;
        while (!__atomic_compare_exchange(port_at, &port_old, &port_new, 1, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
        before = port_old;
    }
    {
        __typeof__((*sum)) *port_at = &(*sum), port_old, port_new;
        const __typeof__(0.25) port_value = 0.25;

        __atomic_load(port_at, &port_old, __ATOMIC_RELAXED);
        do
            port_new = port_value + port_old;
        while (!__atomic_compare_exchange(port_at, &port_old, &port_new, 1, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
        after = port_new;
    }
    {
        __typeof__((*sum)) *port_at = &(*sum), port_old, port_new;
        const __typeof__(0.5) port_value = 0.5;

        __atomic_load(port_at, &port_old, __ATOMIC_RELAXED);
        do
            port_new = port_old - port_value;
        while (!__atomic_compare_exchange(port_at, &port_old, &port_new, 1, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
        after = port_new;
    }
    if (before > N || after > 3 * N)
        seen[1] = -1;
    {
        __typeof__(heat[(int)i % 4] + 0) port_new = (int)i % 4;

        __atomic_store(&heat[(int)i % 4], &port_new, __ATOMIC_RELAXED);
    }
    {
        __typeof__(heat[(int)i % 4] + 0) port_old;

        __atomic_load(&heat[(int)i % 4], &port_old, __ATOMIC_RELAXED);
        now = port_old;
    }
    if (now != (int)i % 4)
        seen[3] = -1;
    m = __atomic_exchange_n(&(*last), (int)i, __ATOMIC_RELAXED);
    {
        __typeof__((*most)) port_new = (int)i * 0.5, port_old;

        __atomic_exchange(&(*most), &port_new, &port_old, __ATOMIC_SEQ_CST);
        (*got) = port_old;
    }
    if (m < 0 || (*got) < 0)
        seen[5] = -1;
    {
        __typeof__((*at)) *port_at = &(*at), port_old, port_new;
        const __typeof__(1) port_value = 1;

        __atomic_load(port_at, &port_old, __ATOMIC_RELAXED);
        do
            port_new = port_old + port_value;
        while (!__atomic_compare_exchange(port_at, &port_old, &port_new, 1, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
        p = port_old;
    }
    if (p < seen)
        seen[7] = -1;
    (void)__atomic_fetch_add(&few, 1, __ATOMIC_RELAXED);
    k = __atomic_fetch_add(&few, 1, __ATOMIC_RELAXED);
    k = __atomic_or_fetch(&(*bits), 1u << (int)i % 32, __ATOMIC_RELAXED);
}

TWEED_LOOP(main_loop_2, i, int *, down)
{
    down[i] = (int)i;
}

TWEED_LOOP(main_loop_3, i_index, int64_t, i_first, int *, down)
{
    int i = (int)(i_first - i_index * 2);

    down[i]++;
}

TWEED_LOOP(main_loop_4, i_index, int *, down)
{
    int i = (int)(i_index * 2);

    down[i] *= 2;
}

int main(void)
{
    static int seen[2 * N + 1], order[N], down[N], i;
    int next = 0, last = 0, count = 0, *at = seen, bad = 0, step = -3;
    double sum = 0, most = 0, got = 0;
    long double large = 0;
    unsigned bits = 0;

    main_loop(0, N, &next, seen, &count, order, &sum, &last, &got, &most, &at, &bits);
    main_loop_2(0, N, down);
    main_loop_3(0, ((int64_t)(N - 2) + 1) / 2, N - 2, down);
    main_loop_4(0, ((int64_t)N + 1) / 2, down);
    #pragma omp parallel for
    for (i = 0; i < N; i++) {
        #pragma omp atomic
        large += i;
    }
    #pragma omp parallel for
    for (i = N - 1; i > 5; i += step)
        down[i] += 1;
    for (int j = 0; j < N; j++)
        bad += seen[2 * j] != 1 || order[j] != 1;
    printf("%d %d %d %g %d %d %d %g %d %x\n", bad, next, count, sum, down[0], down[998], down[999],
           heat[3], few, bits + (large > 499000));
    return seen[1] + seen[3] + seen[5] + seen[7] + (int)(at - seen) - N;
}
