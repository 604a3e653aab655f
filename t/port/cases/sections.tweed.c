/* Reductions of arrays, and of sections of them. */
#include <tweed.h>
#include <stdio.h>
#include <stdlib.h>

static long *hist_loop_new(size_t n)
{
    long *all = __builtin_malloc((n ? n : 1) * sizeof *all);

    if (!all)
        __builtin_abort(); /* no memory */
    for (size_t k = 0; k < n; k++)
        all[k] = 0;
    return all;
}

struct hist_loop_sums {
    long *h;
    size_t h_count;
};

static const struct hist_loop_sums hist_loop_none = { NULL, 0 };

static void hist_loop_combine(struct hist_loop_sums *into, const struct hist_loop_sums *from)
{
    if (!into->h) {
        into->h = from->h;
        into->h_count = from->h_count;
    } else if (from->h) {
        for (size_t k = 0; k < from->h_count; k++)
            into->h[k] += from->h[k];
        __builtin_free(from->h);
    }
}

TWEED_REDUCE(struct hist_loop_sums, hist_loop, hist_loop_none, hist_loop_combine, hist_loop_acc,
             i, const int *, x, int, m, size_t, h_count)
{
    long *h = hist_loop_acc->h ? hist_loop_acc->h : hist_loop_new(h_count);

    do {
        if (x[i] % 5 == 0)
            continue;
        h[x[i] % m]++;
    } while (0);
    hist_loop_acc->h = h;
    hist_loop_acc->h_count = h_count;
}

static void hist(const int *x, int n, long *h, int m)
{
    {
        const size_t h_count = (size_t)(m);
        struct hist_loop_sums hist_loop_result;
        tweed_loop_options hist_loop_options = TWEED_LOOP_OPTIONS_INIT;

        hist_loop_options.grain = (int64_t)(n) > (int64_t)(0)
            ? ((int64_t)(n) - (int64_t)(0)) / (4 * tweed_pool_num_workers(NULL)) + 1 : 1;
        if (hist_loop_with(NULL, &hist_loop_options, 0, n, x, m, h_count, &hist_loop_result))
            __builtin_abort(); /* an option is wrong */
        if (hist_loop_result.h) {
            for (size_t port_k = 0; port_k < h_count; port_k++)
                h[port_k] += hist_loop_result.h[port_k];
            __builtin_free(hist_loop_result.h);
        }
    }
}

static double *sums_loop_new(size_t n)
{
    double *all = __builtin_malloc((n ? n : 1) * sizeof *all);

    if (!all)
        __builtin_abort(); /* no memory */
    for (size_t k = 0; k < n; k++)
        all[k] = 0;
    return all;
}

static float *sums_loop_new_2(size_t n)
{
    float *all = __builtin_malloc((n ? n : 1) * sizeof *all);

    if (!all)
        __builtin_abort(); /* no memory */
    for (size_t k = 0; k < n; k++)
        all[k] = 0;
    return all;
}

static double *sums_loop_new_3(size_t n)
{
    double *all = __builtin_malloc((n ? n : 1) * sizeof *all);

    if (!all)
        __builtin_abort(); /* no memory */
    for (size_t k = 0; k < n; k++)
        all[k] = __builtin_inf();
    return all;
}

struct sums_loop_sums {
    double *d;
    size_t d_count;
    double all;
    float *f;
    size_t f_count;
    double *low;
    size_t low_count;
};

static const struct sums_loop_sums sums_loop_none = { NULL, 0, 0, NULL, 0, NULL, 0 };

static void sums_loop_combine(struct sums_loop_sums *into, const struct sums_loop_sums *from)
{
    if (!into->d) {
        into->d = from->d;
        into->d_count = from->d_count;
    } else if (from->d) {
        for (size_t k = 0; k < from->d_count; k++)
            into->d[k] += from->d[k];
        __builtin_free(from->d);
    }
    into->all += from->all;
    if (!into->f) {
        into->f = from->f;
        into->f_count = from->f_count;
    } else if (from->f) {
        for (size_t k = 0; k < from->f_count; k++)
            into->f[k] += from->f[k];
        __builtin_free(from->f);
    }
    if (!into->low) {
        into->low = from->low;
        into->low_count = from->low_count;
    } else if (from->low) {
        for (size_t k = 0; k < from->low_count; k++)
            if (from->low[k] < into->low[k])
                into->low[k] = from->low[k];
        __builtin_free(from->low);
    }
}

TWEED_REDUCE(struct sums_loop_sums, sums_loop, sums_loop_none, sums_loop_combine, sums_loop_acc,
             i_index, const double *, x, size_t, d_count, size_t, f_count, size_t,
             low_count)
{
    size_t i = (size_t)i_index;
    double *d = sums_loop_acc->d ? sums_loop_acc->d : sums_loop_new(d_count);
    double all = sums_loop_acc->all;
    float *f = sums_loop_acc->f ? sums_loop_acc->f : sums_loop_new_2(f_count);
    double *low = sums_loop_acc->low ? sums_loop_acc->low : sums_loop_new_3(low_count);

    d[i % 4] += x[i];
    all += x[i];
    f[i % 3] += (float)(i & 1);
    if (x[i] < low[2 + i % 3])
        low[2 + i % 3] = x[i];
    sums_loop_acc->d = d;
    sums_loop_acc->d_count = d_count;
    sums_loop_acc->all = all;
    sums_loop_acc->f = f;
    sums_loop_acc->f_count = f_count;
    sums_loop_acc->low = low;
    sums_loop_acc->low_count = low_count;
}

static double sums(const double *x, size_t n, double low[8])
{
    double d[4] = { 1, 2, 3, 4 }, all = 0;
    float f[3] = { 0 };

    {
        const size_t d_count = (size_t)(4);
        const size_t f_count = (size_t)(3);
        const size_t low_count = (size_t)(2) + (size_t)(3);
        struct sums_loop_sums sums_loop_result;
        tweed_loop_options sums_loop_options = TWEED_LOOP_OPTIONS_INIT;

        sums_loop_options.grain = (int64_t)(n) > (int64_t)(0)
            ? ((int64_t)(n) - (int64_t)(0)) / (4 * tweed_pool_num_workers(NULL)) + 1 : 1;
        if (sums_loop_with(NULL, &sums_loop_options, 0, n, x, d_count, f_count, low_count, &sums_loop_result))
            __builtin_abort(); /* an option is wrong */
        if (sums_loop_result.d) {
            for (size_t port_k = 0; port_k < d_count; port_k++)
                d[port_k] += sums_loop_result.d[port_k];
            __builtin_free(sums_loop_result.d);
        }
        all += sums_loop_result.all;
        if (sums_loop_result.f) {
            for (size_t port_k = 0; port_k < f_count; port_k++)
                f[port_k] += sums_loop_result.f[port_k];
            __builtin_free(sums_loop_result.f);
        }
        if (sums_loop_result.low) {
            for (size_t port_k = (size_t)(2); port_k < low_count; port_k++)
                if (sums_loop_result.low[port_k] < low[port_k])
                    low[port_k] = sums_loop_result.low[port_k];
            __builtin_free(sums_loop_result.low);
        }
    }
    return d[0] + 2 * d[1] + 3 * d[2] + 4 * d[3] + all + f[0] - f[2];
}

static unsigned bits[16];

static unsigned int *main_loop_new(size_t n)
{
    unsigned int *all = __builtin_malloc((n ? n : 1) * sizeof *all);

    if (!all)
        __builtin_abort(); /* no memory */
    for (size_t k = 0; k < n; k++)
        all[k] = 0;
    return all;
}

struct main_loop_sums {
    unsigned int *bits;
    size_t bits_count;
};

static const struct main_loop_sums main_loop_none = { NULL, 0 };

static void main_loop_combine(struct main_loop_sums *into, const struct main_loop_sums *from)
{
    if (!into->bits) {
        into->bits = from->bits;
        into->bits_count = from->bits_count;
    } else if (from->bits) {
        for (size_t k = 0; k < from->bits_count; k++)
            into->bits[k] |= from->bits[k];
        __builtin_free(from->bits);
    }
}

TWEED_REDUCE(struct main_loop_sums, main_loop, main_loop_none, main_loop_combine, main_loop_acc,
             i_index, int64_t, i_first, int *, x, size_t, bits_count)
{
    int i = (int)(i_first - i_index * 3);
    unsigned int *bits = main_loop_acc->bits ? main_loop_acc->bits : main_loop_new(bits_count);

    bits[i % 16] |= 1u << x[i] % 20;
    main_loop_acc->bits = bits;
    main_loop_acc->bits_count = bits_count;
}

static int *main_loop_2_new(size_t n)
{
    int *all = __builtin_malloc((n ? n : 1) * sizeof *all);

    if (!all)
        __builtin_abort(); /* no memory */
    for (size_t k = 0; k < n; k++)
        all[k] = 0;
    return all;
}

struct main_loop_2_sums {
    int *none;
    size_t none_count;
};

static const struct main_loop_2_sums main_loop_2_none = { NULL, 0 };

static void main_loop_2_combine(struct main_loop_2_sums *into, const struct main_loop_2_sums *from)
{
    if (!into->none) {
        into->none = from->none;
        into->none_count = from->none_count;
    } else if (from->none) {
        for (size_t k = 0; k < from->none_count; k++)
            into->none[k] += from->none[k];
        __builtin_free(from->none);
    }
}

TWEED_REDUCE(struct main_loop_2_sums, main_loop_2, main_loop_2_none, main_loop_2_combine, main_loop_2_acc,
             i, int *, x, size_t, none_count)
{
    int *none = main_loop_2_acc->none ? main_loop_2_acc->none : main_loop_2_new(none_count);

    none[0] += x[i];
    main_loop_2_acc->none = none;
    main_loop_2_acc->none_count = none_count;
}

int main(void)
{
    enum { N = 20000 };
    int *x = malloc(N * sizeof *x), none[3] = { 1, 1, 1 };
    double *y = malloc(N * sizeof *y), low[8] = { 5, 5, 500, 500, 500, 5, 5, 5 };
    long h[10] = { 7 }, a = 0;
    int nothing = (int)a - 50;

    for (int i = 0; i < N; i++) {
        x[i] = (int)(i * 7919L % 1013);
        y[i] = x[i] * 0.5 - 3;
    }
    hist(x, N, h, 10);
    {
        const size_t bits_count = (size_t)(16);
        struct main_loop_sums main_loop_result;
        tweed_loop_options main_loop_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_options.max_workers = 2;
        main_loop_options.grain = (int64_t)(((int64_t)(N - 1) + 3) / 3) > (int64_t)(0)
            ? ((int64_t)(((int64_t)(N - 1) + 3) / 3) - (int64_t)(0)) / (4 * tweed_pool_num_workers(NULL)) + 1 : 1;
        if (main_loop_with(NULL, &main_loop_options, 0, ((int64_t)(N - 1) + 3) / 3, N - 1, x, bits_count, &main_loop_result))
            __builtin_abort(); /* an option is wrong */
        if (main_loop_result.bits) {
            for (size_t port_k = 0; port_k < bits_count; port_k++)
                bits[port_k] |= main_loop_result.bits[port_k];
            __builtin_free(main_loop_result.bits);
        }
    }
    {
        const size_t none_count = (size_t)(3);
        struct main_loop_2_sums main_loop_2_result;
        tweed_loop_options main_loop_2_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_2_options.grain = (int64_t)(nothing) > (int64_t)(0)
            ? ((int64_t)(nothing) - (int64_t)(0)) / (4 * tweed_pool_num_workers(NULL)) + 1 : 1;
        if (main_loop_2_with(NULL, &main_loop_2_options, 0, nothing, x, none_count, &main_loop_2_result))
            __builtin_abort(); /* an option is wrong */
        if (main_loop_2_result.none) {
            for (size_t port_k = 0; port_k < none_count; port_k++)
                none[port_k] += main_loop_2_result.none[port_k];
            __builtin_free(main_loop_2_result.none);
        }
    }
    for (int i = 0; i < 10; i++)
        a = a * 7 + h[i];
    for (int i = 0; i < 16; i++)
        a = a * 7 + bits[i];
    printf("%ld %.3f %g %g %g %d\n", a, sums(y, N, low), low[2], low[3], low[4], none[0]);
    free(x);
    free(y);
    return 0;
}
