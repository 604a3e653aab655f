/*
 * guide.c - calls each function of doc/from-openmp.md, and compares with a serial
 * loop.  guide.sh links it with OpenMP's code, and with ours.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 10000

/* Of the page; weak: one side alone has it. */
extern void scale(double *x, const double *y, double a, long n);
extern double roots(double *root, const double *x, double offset, long n);
extern void spread(double *y, const double *x, long n);
extern void fill_rows(double *x, long n);
extern void sum_rows(double *sum, double *x, long n);
extern void count_steps(int *steps, long n);
extern double dot(const double *x, const double *y, long n);
extern void count_bytes(long *count, const unsigned char *text, long n);
extern void sum_and_peak(double *sum, double *peak, const double *x, long n);
extern long place_of_peak(const double *x, long n);
extern void starts(long *begin, const long *length, long n);
extern void gather(double *sum, long *used, const int *to, const double *x,
                   long n);
extern double *relax(double *x, double *y, long n, int steps);
extern void both(double *a, long n, double *b, long m);
extern void prepare(double *grid, long n, double *table, long m);
extern void write_roots(FILE *out, const double *x, long n);
extern long paths(long *count, long n);
extern void sort(double *x, long n);
struct node {
    struct node *next;
    double x, y;
};
extern void visit_all(struct node *list);
struct tree {
    struct tree *child[2];
    long seen;
};
extern void mark_all(struct tree *t);
extern void wave(double *x, long n);
extern void medians(double *y, const double *x, long n);
extern void large_medians(double *y, const double *x, long n, int width)
    __attribute__((weak));
extern double blur(double *to, const double *from, long rows, long columns);
extern void mix(float *y, const float *x, float a, long n);

/* For the page. */
extern void fill_grid(double *grid, long n);
extern void fill_table(double *table, long m);
extern long split(double *x, long n);
extern void sort_few(double *x, long n);
extern double middle(double *x, int n);
extern double middle_of(double *x, int n);

static int wrong;

static void check(int is_right, const char *what)
{
    if (!is_right) {
        printf("wrong: %s\n", what);
        wrong = 1;
    }
}

static int is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

/* A number in [0, 1) for each k. */
static double number(long k)
{
    return (double)(k * 7919 % 10007) / 10007;
}

static double *numbers(long n)
{
    double *x = malloc((size_t)n * sizeof *x);

    if (!x)
        abort();
    for (long k = 0; k < n; k++)
        x[k] = number(k);
    return x;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void sort_few(double *x, long n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
}

/* Around the mean; each part has one at least, since no two are equal. */
long split(double *x, long n)
{
    double mean = 0;
    long m = 0;

    for (long k = 0; k < n; k++)
        mean += x[k] / (double)n;
    for (long k = 0; k < n; k++)
        if (x[k] < mean) {
            double t = x[k];

            x[k] = x[m];
            x[m++] = t;
        }
    return m;
}

double middle(double *x, int n)
{
    sort_few(x, n);
    return x[n / 2];
}

double middle_of(double *x, int n)
{
    return middle(x, n);
}

void fill_grid(double *grid, long n)
{
    for (long k = 0; k < n; k++)
        grid[k] = 1 + number(k);
}

void fill_table(double *table, long m)
{
    for (long k = 0; k < m; k++)
        table[k] = 2 + number(k);
}

/* ---- a check for each function ---- */

static void check_scale(void)
{
    double *x = numbers(N), *y = numbers(N);
    int right = 1;

    scale(x, y, 2, N);
    for (long k = 0; k < N; k++)
        right &= is_near(x[k], 3 * number(k));
    check(right, "scale");
    free(x);
    free(y);
}

static void check_roots(void)
{
    double *x = numbers(N), *root = numbers(N);
    double last = roots(root, x, 5, N);
    int right = is_near(last, sqrt(5 + number(N - 1)));

    for (long k = 0; k < N; k++)
        right &= is_near(root[k], sqrt(5 + number(k)));
    check(right, "roots");
    free(x);
    free(root);
}

static void check_spread(void)
{
    double *x = numbers(N), *y = calloc(N, sizeof *y);
    int right = 1;

    spread(y, x, N);
    for (long k = 0; k < N; k++)
        right &= is_near(y[k], exp(number(k)));
    check(right, "spread");
    free(x);
    free(y);
}

static void check_reductions(void)
{
    double *x = numbers(N), expected = 0, total = 0, sum, peak;
    unsigned char *text = malloc(N);
    long count[256] = { 1 }, serial[256] = { 1 };

    for (long k = 0; k < N; k++) {
        expected += x[k] * x[k];
        total += x[k];
        text[k] = (unsigned char)(k * 31 % 251);
        serial[text[k]]++;
    }
    check(is_near(dot(x, x, N), expected), "dot");
    count_bytes(count, text, N);
    check(memcmp(count, serial, sizeof count) == 0, "count_bytes");
    x[N / 3] = x[N / 2] = 2;
    total += 4 - number(N / 3) - number(N / 2);
    sum_and_peak(&sum, &peak, x, N);
    check(is_near(sum, total) && peak >= 2 && peak <= 2, "sum_and_peak");
    check(place_of_peak(x, N) == N / 3, "place_of_peak");
    free(x);
    free(text);
}

static void check_starts(void)
{
    static long begin[N], length[N];
    long sum = 0;
    int right = 1;

    for (int k = 0; k < N; k++)
        length[k] = k % 7;
    starts(begin, length, N);
    for (int k = 0; k < N; k++) {
        right &= begin[k] == sum;
        sum += length[k];
    }
    check(right, "starts");
}

static void check_gather(void)
{
    double *x = numbers(N), sum[7] = { 0 }, serial[7] = { 0 };
    long used[7] = { 0 };
    int *to = malloc(N * sizeof *to), right = 1;

    for (long k = 0; k < N; k++) {
        to[k] = (int)(k % 6);
        serial[to[k]] += x[k];
    }
    gather(sum, used, to, x, N);
    for (int k = 0; k < 7; k++)
        right &= is_near(sum[k], serial[k]) && used[k] == (k < 6);
    check(right, "gather");
    free(x);
    free(to);
}

static void check_relax(void)
{
    double *x = numbers(N), *y = numbers(N), *a = numbers(N), *b = numbers(N);
    double *end = relax(x, y, N, 7);
    int right = end == y;

    for (int step = 0; step < 7; step++) {
        double *swap = a;

        for (long k = 1; k < N - 1; k++)
            b[k] = (a[k - 1] + a[k] + a[k + 1]) / 3;
        a = b;
        b = swap;
    }
    for (long k = 0; k < N; k++)
        right &= is_near(end[k], a[k]);
    check(right, "relax");
    free(x);
    free(y);
    free(a);
    free(b);
}

static void check_both(void)
{
    double *a = numbers(N), *b = numbers(N / 2);
    int right = 1;

    both(a, N, b, N / 2);
    for (long k = 0; k < N; k++)
        right &= is_near(a[k], sqrt(number(k)));
    for (long k = 0; k < N / 2; k++)
        right &= is_near(b[k], exp(number(k)));
    check(right, "both");
    free(a);
    free(b);
}

static void check_prepare(void)
{
    double *grid = calloc(N, sizeof *grid), *table = calloc(N, sizeof *table);
    int right = 1;

    prepare(grid, N, table, N / 2);
    for (long k = 0; k < N; k++)
        right &= grid[k] == 1 + number(k) &&
                 table[k] == (k < N / 2 ? 2 + number(k) : 0);
    check(right, "prepare");
    free(grid);
    free(table);
}

static void check_write_roots(void)
{
    double *x = numbers(N);
    char line[32], expected[32];
    FILE *file = tmpfile();
    int right = file != NULL;

    if (file) {
        write_roots(file, x, N);
        rewind(file);
        for (long k = 0; k < N; k++) {
            snprintf(expected, sizeof expected, "%g\n", sqrt(x[k]));
            right &= fgets(line, sizeof line, file) &&
                     strcmp(line, expected) == 0;
        }
        right &= !fgets(line, sizeof line, file);
        fclose(file);
    }
    check(right, "write_roots");
    free(x);
}

static void check_paths(void)
{
    enum { SIDE = 70 };
    static long count[SIDE * SIDE], serial[SIDE * SIDE];

    for (int k = 0; k < SIDE; k++)
        count[k] = count[k * SIDE] = serial[k] = serial[k * SIDE] = 1;
    for (int i = 1; i < SIDE; i++)
        for (int j = 1; j < SIDE; j++)
            serial[i * SIDE + j] = (serial[(i - 1) * SIDE + j] +
                                    serial[i * SIDE + j - 1]) % 1000007;
    check(paths(count, SIDE) == serial[SIDE * SIDE - 1] &&
              memcmp(count, serial, sizeof count) == 0,
          "paths");
}

static void check_tasks(void)
{
    static struct node nodes[500];
    double *x = numbers(N), *y = numbers(N);
    int right = 1;

    sort(x, N);
    sort_few(y, N);
    check(memcmp(x, y, N * sizeof *x) == 0, "sort");
    for (int k = 0; k < 500; k++)
        nodes[k] = (struct node){ k < 499 ? &nodes[k + 1] : NULL, number(k), 0 };
    visit_all(nodes);
    for (int k = 0; k < 500; k++)
        right &= is_near(nodes[k].y, exp(number(k)));
    visit_all(NULL);
    check(right, "visit_all");
    free(x);
    free(y);
}

static void check_groups(void)
{
    enum { SIDE = 60, NODES = 1000 };
    static struct tree nodes[NODES];
    double *x = numbers(N), *y = numbers(N);
    int right = 1;

    for (int k = 1; k < NODES; k++)
        nodes[(k - 1) / 2].child[(k - 1) % 2] = &nodes[k];
    mark_all(&nodes[0]);
    for (int k = 0; k < NODES; k++)
        right &= nodes[k].seen == 1;
    check(right, "mark_all");
    wave(x, SIDE);
    for (int i = 1; i < SIDE; i++)
        for (int j = 1; j < SIDE; j++)
            y[i * SIDE + j] = (y[(i - 1) * SIDE + j] + y[i * SIDE + j - 1]) / 2;
    check(memcmp(x, y, SIDE * SIDE * sizeof *x) == 0, "wave");
    free(x);
    free(y);
}

static void check_medians(int width)
{
    double *x = numbers(N), *y = calloc(N, sizeof *y), window[64];
    int right = 1, half = width / 2;

    if (width == 9)
        medians(y, x, N);
    else
        large_medians(y, x, N, width);
    for (long k = 0; k < N; k++) {
        double expected = 0;

        if (k >= half && k < N - half) {
            memcpy(window, x + k - half, (size_t)width * sizeof *x);
            expected = middle(window, width);
        }
        right &= y[k] == expected;
    }
    check(right, width == 9 ? "medians" : "large_medians");
    free(x);
    free(y);
}

static void check_blur(void)
{
    double *from = numbers(N), *to = calloc(N, sizeof *to);
    int right = 1, columns = 50;
    double change = blur(to, from, N / columns, columns), most = 0;

    for (int k = 0; k < N; k++) {
        int i = k / columns, j = k % columns;
        double expected = 0;

        if (i && j && i < N / columns - 1 && j < columns - 1) {
            expected = (from[k - columns] + from[k - 1] + from[k] +
                        from[k + 1] + from[k + columns]) / 5;
            most = fmax(most, fabs(expected - from[k]));
        }
        right &= is_near(to[k], expected);
    }
    check(right && is_near(change, most), "blur");
    free(from);
    free(to);
}

static void check_mix(void)
{
    static float x[N], y[N];
    int right = 1;

    for (int k = 0; k < N; k++) {
        x[k] = (float)number(k);
        y[k] = 1;
    }
    mix(y, x, 0.25f, N);
    for (int k = 0; k < N; k++)
        right &= fabsf(y[k] - (0.25f * (float)number(k) + 0.75f)) < 1e-6f;
    check(right, "mix");
}

static void check_schedules(void)
{
    enum { ROWS = 140 };
    static double x[ROWS * (ROWS + 1) / 2], sum[ROWS];
    static int steps[N];
    int right = 1;

    fill_rows(x, ROWS);
    sum_rows(sum, x, ROWS);
    for (int i = 0; i < ROWS; i++) {
        double expected = 0;

        for (int j = 0; j <= i; j++)
            expected += sqrt((double)(i + j));
        right &= is_near(sum[i], expected);
    }
    check(right, "fill_rows, sum_rows");
    count_steps(steps, N);
    check(steps[0] == 0 && steps[5] == 8 && steps[26] == 111 && steps[N - 1] == 29,
          "count_steps");
}

int main(void)
{
    check_scale();
    check_roots();
    check_spread();
    check_schedules();
    check_reductions();
    check_starts();
    check_gather();
    check_relax();
    check_both();
    check_prepare();
    check_write_roots();
    check_paths();
    check_tasks();
    check_groups();
    check_medians(9);
    if (large_medians)
        check_medians(25);
    check_blur();
    check_mix();
    return wrong;
}
