/*
 * serial.c - the loop that somebody has before there is any runtime.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "users.h"

#define S(name) name

#define LOOP(name, given, statement)                                           \
    static void name##_loop(struct user_data *s, int64_t n)                    \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        for (int64_t i = 0; i < n; i++)                                        \
            statement;                                                         \
    }
USER_BODIES(LOOP)

#define PLANE(name, given, edge, statement)                                    \
    static void name##_loop(struct user_data *s, int64_t n)                    \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        (void)n;                                                               \
        for (int64_t i = edge; i < side - edge; i++)                           \
            for (int64_t j = edge; j < side - edge; j++)                       \
                statement;                                                     \
    }
USER_PLANES(PLANE)

#define SPACE(name, given, edge, statement)                                    \
    static void name##_loop(struct user_data *s, int64_t n)                    \
    {                                                                          \
        USER_LOCALS(s)                                                         \
        (void)n;                                                               \
        for (int64_t h = edge; h < side - edge; h++)                           \
            for (int64_t i = edge; i < side - edge; i++)                       \
                for (int64_t j = edge; j < row - edge; j++)                    \
                    statement;                                                 \
    }
USER_SPACES(SPACE)

/* ---- what a whole loop finds out ---- */

static void dot_loop(struct user_data *s, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += s->x[i] * s->y[i];
    s->value = sum;
}

static void least_loop(struct user_data *s, int64_t n)
{
    double least = s->x[0];

    for (int64_t i = 0; i < n; i++)
        if (s->x[i] < least)
            least = s->x[i];
    s->value = least;
}

static void scan_loop(struct user_data *s, int64_t n)
{
    const double *x = s->x;
    double *sums = s->sums, sum = 0;

    for (int64_t i = 0; i < n; i++)
        sums[i] = sum += x[i];
}

static void histogram_loop(struct user_data *s, int64_t n)
{
    memset(s->bins, 0, sizeof s->bins);
    for (int64_t i = 0; i < n; i++)
        s->bins[s->bytes[i]]++;
}

static void find_loop(struct user_data *s, int64_t n)
{
    int64_t i = 0;

    while (i < n && !s->bytes[i])
        i++;
    s->value = (double)i;
}

static void triangles_loop(struct user_data *s, int64_t n)
{
    const struct user_matrix *matrix = s->matrix;
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++)
        count += user_triangles(matrix, i);
    s->value = (double)count;
}

static void kmeans_loop(struct user_data *s, int64_t n)
{
    memset(&s->tally, 0, sizeof s->tally);
    for (int64_t i = 0; i < n; i++)
        user_assign(s->points, i, &s->tally);
}

static int64_t fib(int64_t n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void fib_loop(struct user_data *s, int64_t n)
{
    s->value = (double)fib(n);
}

static int64_t queens(struct user_board b)
{
    int64_t ways = b.columns == b.all;

    for (unsigned f = user_board_free(b); f; f &= f - 1)
        ways += queens(user_board_put(b, f & -f));
    return ways;
}

static void queens_loop(struct user_data *s, int64_t n)
{
    s->value = (double)queens(user_board_of(n));
}

static void tree_loop(struct user_data *s, int64_t n)
{
    spin_loop(s, n);
}

#define JOBS(name)                                                             \
    static void name##_loop(struct user_data *s, int64_t n)                    \
    {                                                                          \
        spin_loop(s, n);                                                       \
    }
USER_JOBS(JOBS)

static int64_t uts(const struct user_node *n)
{
    int children = user_uts_children(n);
    int64_t nodes = 1;

    for (int k = 0; k < children; k++) {
        struct user_node child = user_uts_child(n, k);

        nodes += uts(&child);
    }
    return nodes;
}

static void uts_loop(struct user_data *s, int64_t n)
{
    struct user_node root = user_uts_root(n);

    s->value = (double)uts(&root);
}

static int64_t skynet(int64_t first, int64_t n)
{
    int64_t sum = 0;

    if (n == 1)
        return first;
    n /= USER_SKYNET_PARTS;
    for (int k = 0; k < USER_SKYNET_PARTS; k++)
        sum += skynet(first + k * n, n);
    return sum;
}

static void skynet_loop(struct user_data *s, int64_t n)
{
    s->value = (double)skynet(0, n);
}

static void merge(struct user_merge m)
{
    struct user_merge high;

    if (m.a_n + m.b_n <= USER_CILKSORT_ALONE) {
        user_merge_alone(m);
        return;
    }
    high = user_merge_split(&m);
    merge(m);
    merge(high);
}

static void cilksort(uint32_t *v, uint32_t *spare, int64_t n)
{
    int64_t q[5];

    if (n <= USER_CILKSORT_ALONE) {
        user_cilksort_alone(v, n);
        return;
    }
    user_quarters(q, n);
    for (int k = 0; k < 4; k++)
        cilksort(v + q[k], spare + q[k], q[k + 1] - q[k]);
    merge(user_merge_of(v, q[0], q[1], q[2], spare));
    merge(user_merge_of(v, q[2], q[3], q[4], spare));
    merge(user_merge_of(spare, q[0], q[2], q[4], v));
}

static void cilksort_loop(struct user_data *s, int64_t n)
{
    cilksort(s->sorted, s->spare, n);
}

static void matmul(struct user_product p)
{
    if (p.side <= USER_PRODUCT_ALONE) {
        user_product_alone(p);
        return;
    }
    for (int k = 0; k < 2; k++) /* one after the other: both add to the same */
        for (int ij = 0; ij < 4; ij++)
            matmul(user_product_part(p, ij, k));
}

static void matmul_loop(struct user_data *s, int64_t n)
{
    (void)n;
    matmul(user_product_of(s->sums, s->x, s->y, s->side));
}

static void nest(struct user_data *s, int64_t n, int heavy)
{
    for (int i = 0; i < 2; i++)
        if (i == heavy)
            spin_loop(s, n);
}

static void timed(struct user_data *s, int64_t n)
{
    double started = bench_now();

    cliff_loop(s, n);
    user_claimed(s, started);
}

static void version(char *text, size_t size)
{
    snprintf(text, size, "%s", USER_COMPILER);
}

#define IN_LOOP(name, ...) [USER_##name] = name##_loop,

static const struct user_way ways[] = {
    { .name = "loop",
      .loops = { USER_BODIES(IN_LOOP) USER_PLANES(IN_LOOP) USER_SPACES(IN_LOOP)
                 USER_VALUES(IN_LOOP) USER_TREES(IN_LOOP) USER_JOBS(IN_LOOP) },
      .timed = timed,
      .nest = nest,
      .sort = user_sort_alone },
    { 0 },
};

const struct user_runtime user_runtime = {
    .name = "serial",
    .serial = true,
    .version = version,
    .ways = ways,
};
