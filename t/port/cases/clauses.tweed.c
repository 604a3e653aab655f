/* A file. */
#include <tweed.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000
#define AT(a, i) a[i]
static double global[N];
struct point { double x, y; };

TWEED_LOOP(scale_loop, i, const double *, x, int, k, double *, y, double, a)
{
    double t;

    if (x[i] < 0)
        return;
    t = x[i] * k;
    y[i] += a * t + global[i];
}

/* Scales. */
static void scale(double *y, const double *x, double a, int n)
{
    int k = 3;

    /* before */
    // why
    scale_loop(0, n, x, k, y, a);
}

TWEED_SUM(double, dot_loop, i_index, const double *, x, const double *, y)
{
    unsigned long i = (unsigned long)i_index;

    return x[i] * y[i];
}

static double dot(const double *x, const double *y, unsigned long n)
{
    double s = 1;
    s += dot_loop(0, n, x, y);
    return s;
}

TWEED_LOOP(main_loop, i, double *, x, double *, y, struct point, here)
{
    x[i] = sin((int)i), y[i] = here.x + cos((int)i) + 0 * printf("%s", i == 3 ? "three\n" : "");
}

struct main_loop_2_sums {
    double most;
    double least;
    int count;
};

static const struct main_loop_2_sums main_loop_2_none = { -__builtin_inf(), __builtin_inf(), 0 };

static void main_loop_2_combine(struct main_loop_2_sums *into, const struct main_loop_2_sums *from)
{
    if (from->most > into->most)
        into->most = from->most;
    if (from->least < into->least)
        into->least = from->least;
    into->count += from->count;
}

TWEED_REDUCE(struct main_loop_2_sums, main_loop_2, main_loop_2_none, main_loop_2_combine, main_loop_2_acc,
             i, double *, y)
{
    double most = main_loop_2_acc->most;
    double least = main_loop_2_acc->least;
    int count = main_loop_2_acc->count;

    do {
        if (y[i] < 0) continue;
        if (y[i] > most) most = y[i];
        if (y[i] < least) least = y[i];
        count++;
    } while (0);
    main_loop_2_acc->most = most;
    main_loop_2_acc->least = least;
    main_loop_2_acc->count = count;
}

TWEED_LOOP(main_loop_3, i_index, int *, flag, int64_t, i_last, int *, last_last)
{
    int i = (int)(i_index * 3);
    int last;

    last = i;
    if (i == 999) (*flag) = 1;
    if (i_index == i_last)
        *last_last = last;
}

TWEED_MAX(double, main_loop_4, most, i, double *, x, double, most)
{
    if (AT(x, i) > most)
        most = AT(x, i);
    return most;
}

typedef double main_loop_5_m[20];

TWEED_LOOP_2D(main_loop_5, i, j, main_loop_5_m *, m)
{
    m[i][j] = (int)i * (int)j + (int)i / 2;
}

typedef double main_loop_6_m[20];
struct main_loop_6_sums {
    double p;
    int flag;
};

static const struct main_loop_6_sums main_loop_6_none = { 1, 0 };

static void main_loop_6_combine(struct main_loop_6_sums *into, const struct main_loop_6_sums *from)
{
    into->p *= from->p;
    into->flag = into->flag || from->flag;
}

TWEED_REDUCE(struct main_loop_6_sums, main_loop_6, main_loop_6_none, main_loop_6_combine, main_loop_6_acc,
             i, main_loop_6_m *, m)
{
    double p = main_loop_6_acc->p;
    int flag = main_loop_6_acc->flag;

    p *= (int)i;
    flag = flag || m[i][3] > 20;
    main_loop_6_acc->p = p;
    main_loop_6_acc->flag = flag;
}

TWEED_SUM(long, main_loop_7, q_index, double *, q_first)
{
    double *q = q_first + q_index;
    long odd = 0;

    if (*q > 0.5) { odd += 1; return odd; } else odd += 2;
    return odd;
}

TWEED_LOOP(main_loop_8, i, double *, x)
{
    if (x[i] > 5) exit(1);
}

int main(void)
{
    double x[N], y[N], most = -1, least = 5, p = 1, m[10][20];
    int n = N, count = 0, last = -1, flag = 0;
    long odd = 0;
    struct point here = { 1, 2 };

    main_loop(0, n, x, y, here);
    scale(y, x, 2, n);
    printf("%.10g\n", dot(x, y, N));
    {
        const struct main_loop_2_sums main_loop_2_result = main_loop_2(0, n, y);

        if (main_loop_2_result.most > most)
            most = main_loop_2_result.most;
        if (main_loop_2_result.least < least)
            least = main_loop_2_result.least;
        count += main_loop_2_result.count;
    }
    printf("%g %g %d\n", most, least, count);
    {
        tweed_loop_options main_loop_3_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_3_options.max_workers = (n > 10) ? (2) : 1;
        if (main_loop_3_with(NULL, &main_loop_3_options, 0, ((int64_t)n + 2) / 3, &flag, ((int64_t)n + 2) / 3 - 1, &last))
            __builtin_abort(); /* an option is wrong */
    }
    printf("%d %d\n", last, flag);
    most = main_loop_4(0, n, x, most);
    main_loop_5(0, 10, 0, 20, m);
    {
        const struct main_loop_6_sums main_loop_6_result = main_loop_6(1, 10, m);

        p *= main_loop_6_result.p;
        flag = flag || main_loop_6_result.flag;
    }
    printf("%g %g %g %d\n", most, m[3][4], p, flag);
    {
        long main_loop_7_result;
        tweed_loop_options main_loop_7_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_7_options.grain = 4;
        if (main_loop_7_with(NULL, &main_loop_7_options, 0, (x + n) - x, x, &main_loop_7_result))
            __builtin_abort(); /* an option is wrong */
        odd += main_loop_7_result;
    }
    printf("%ld\n", odd);
    main_loop_8(0, n, x);
    return 0;
}
