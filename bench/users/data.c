/*
 * data.c - the arrays that loops run over, and what should be in them afterwards.
 *
 * SPDX-License-Identifier: MIT
 *
 * What counts or adds up tells an index left out from one run twice.  What writes
 * out[], sums[] or user_shaped tells an index left out of all loops since the reset, or
 * computed wrong: the plain loop has done the same before.  Nearly all numbers are exact:
 * floats are small multiples of a half.  What a whole loop has found out is that of the
 * last loop.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "users.h"

#define FACTOR 0.5f
#define FLOATS 8 /* in[] has this many different ones */
#define BEYOND 2 /* the stencil reads so far behind the last index */

static void count_one(int64_t i, void *arg)
{
    ((uint32_t *)arg)[i]++;
}

/* ---- kinds of bodies ---- */

static bool floats(enum user_body body)
{
    return body == USER_saxpy || body == USER_stencil ||
           (body >= USER_heat && body < USER_space);
}

static bool shape(enum user_body body)
{
    return body >= USER_known && body <= USER_product;
}

static bool kernel(enum user_body body)
{
    return body >= USER_spmv && body <= USER_up;
}

/* Those that write sums[i], and nothing else. */
static bool sums(enum user_body body)
{
    return body == USER_space || (kernel(body) && body < USER_down);
}

/* What another loop makes of the arrays is the same. */
static bool repeats(enum user_body body)
{
    return sums(body) || shape(body) || (floats(body) && body != USER_saxpy);
}

static bool value(enum user_body body)
{
    return body >= USER_dot && body < USER_group && body != USER_tree &&
           body != USER_matmul;
}

/* ---- the plain loop ---- */

#define S(name) s->name
#define BODY(name, given, statement)                                           \
    case USER_##name:                                                          \
        for (int64_t i = 0; i < n; i++)                                        \
            statement;                                                         \
        break;
#define PLANE(name, given, edge, statement)                                    \
    case USER_##name:                                                          \
        for (int64_t i = edge; i < s->side - edge; i++)                        \
            for (int64_t j = edge; j < s->side - edge; j++)                    \
                statement;                                                     \
        break;
#define SPACE(name, given, edge, statement)                                    \
    case USER_##name:                                                          \
        for (int64_t h = edge; h < s->side - edge; h++)                        \
            for (int64_t i = edge; i < s->side - edge; i++)                    \
                for (int64_t j = edge; j < s->row - edge; j++)                 \
                    statement;                                                 \
        break;

static void plain_loop(struct user_data *s, enum user_body body, int64_t n)
{
    switch (body) {
        USER_BODIES(BODY)
        USER_PLANES(PLANE)
        USER_SPACES(SPACE)
    default: break;
    }
}

/* ---- making ---- */

void *user_alloc(size_t bytes)
{
    void *memory = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        exit(1);
    return memory;
}

static void make_floats(struct user_data *s, enum user_body body, int64_t n)
{
    float *in = user_alloc((size_t)(n + BEYOND) * sizeof *in);

    s->out = user_alloc((size_t)n * sizeof *s->out);
    for (int64_t i = 0; i < n + BEYOND; i++)
        in[i] = (float)(bench_random(5, (uint64_t)i) % FLOATS);
    /* a picture is smooth, with salt and pepper in its lower quarter */
    for (int64_t i = 0; body == USER_median && i < n; i++)
        if (i < n / 4 * 3 || in[i] > 2)
            in[i] = (float)(i % s->side / 16);
    s->in = in;
    s->factor = FACTOR;
}

/* For what sorts: `expected` is in order. */
static void make_unsorted(struct user_data *s, int64_t n)
{
    s->unsorted = user_alloc((size_t)n * sizeof *s->unsorted);
    s->sorted = user_alloc((size_t)n * sizeof *s->sorted);
    s->spare = user_alloc((size_t)n * sizeof *s->spare);
    s->expected = user_alloc((size_t)n * sizeof *s->expected);
    for (int64_t i = 0; i < n; i++)
        s->expected[i] = s->unsorted[i] = (uint32_t)bench_random(7, (uint64_t)i);
    user_sort_alone(s->expected, n);
}

static void make_counts(struct user_data *s, int64_t n)
{
    s->counts = user_alloc((size_t)n * sizeof *s->counts);
    s->fn = count_one;
    s->arg = s->counts;
}

/* Whole numbers and a half, so that a sum is the same in any order.  The half is the only
   least number, and the last one. */
static void make_doubles(struct user_data *s, int64_t n)
{
    double *x = user_alloc((size_t)n * sizeof *x);
    double *y = user_alloc((size_t)n * sizeof *y);

    for (int64_t i = 0; i < n; i++) {
        x[i] = (double)(1 + bench_random(5, (uint64_t)i) % FLOATS);
        y[i] = (double)(bench_random(6, (uint64_t)i) % FLOATS);
    }
    x[n - 1] = 0.5;
    s->x = x;
    s->y = s->sums = y; /* a scan writes what a dot product reads */
}

/* For matmul: `expected` is x * y, of whole numbers.  n: entries. */
static void make_matrices(struct user_data *s, int64_t n)
{
    double *x = user_alloc((size_t)n * sizeof *x);
    double *y = user_alloc((size_t)n * sizeof *y);

    s->sums = user_alloc((size_t)n * sizeof *s->sums);
    s->expected = user_alloc((size_t)n * sizeof *s->expected);
    for (int64_t i = 0; i < n; i++) {
        x[i] = (double)(bench_random(5, (uint64_t)i) % FLOATS);
        y[i] = (double)(bench_random(6, (uint64_t)i) % FLOATS);
    }
    for (int64_t ik = 0; ik < n; ik++)
        for (int64_t j = 0; j < s->side; j++)
            s->expected[ik / s->side * s->side + j] +=
                (uint32_t)(x[ik] * y[ik % s->side * s->side + j]);
    s->x = x;
    s->y = y;
}

static void make_bytes(struct user_data *s, enum user_body body, int64_t n)
{
    uint8_t *bytes = user_alloc((size_t)n);

    /* Written, so that each page has memory of its own: pages that were only read are all
       the kernel's page of zeros, which stays in the cache, and the first search faults. */
    memset(bytes, 0, (size_t)n);
    if (body == USER_find)
        bytes[s->from] = 1;
    for (int64_t i = 0; body == USER_histogram && i < n; i++)
        bytes[i] = (uint8_t)bench_random(5, (uint64_t)i);
    s->bytes = bytes;
}

static double fib(int64_t n)
{
    double a = 0, b = 1;

    for (; n > 0; n--) {
        double next = a + b;

        a = b;
        b = next;
    }
    return a;
}

static double queens(struct user_board b)
{
    double ways = b.columns == b.all;

    for (unsigned f = user_board_free(b); f; f &= f - 1)
        ways += queens(user_board_put(b, f & -f));
    return ways;
}

/* What a function that calls itself returns; -1: there is no such value. */
static double value_of_tree(enum user_body body, int64_t n)
{
    switch (body) {
    case USER_fib: return fib(n);
    case USER_queens: return queens(user_board_of(n));
    case USER_uts: return n == USER_UTS_T1 ? USER_UTS_T1_NODES : USER_UTS_T3_NODES;
    case USER_skynet: return (double)n * (double)(n - 1) / 2;
    default: return -1;
    }
}

/* Of a whole loop. */
static double value_of(struct user_data *s, enum user_body body, int64_t n)
{
    double value = body == USER_least ? s->x[0] : body == USER_find ? (double)s->from : 0;

    for (int64_t i = 0; i < n; i++)
        if (body == USER_dot)
            value += s->x[i] * s->y[i];
        else if (body == USER_least && s->x[i] < value)
            value = s->x[i];
        else if (body == USER_triangles)
            value += (double)user_triangles(s->matrix, i);
        else if (body == USER_kmeans)
            user_assign(s->points, i, s->expected_out);
    return value;
}

static void make_values(struct user_data *s, const struct user_task *task)
{
    s->right = value_of_tree(task->body, task->n);
    if (s->right >= 0)
        return;
    if (task->body == USER_triangles || task->body == USER_kmeans)
        user_kernel_make(s, task);
    else if (task->body == USER_histogram || task->body == USER_find)
        make_bytes(s, task->body, task->n);
    else
        make_doubles(s, task->n);
    s->expected_out = user_alloc(sizeof s->tally);
    s->right = value_of(s, task->body, task->n);
}

/* At the start of a page, as what user_alloc() gives: with vectors of 64 bytes a matrix
   that begins in the middle of a line costs half as much again, and where a linker puts an
   array differs from program to program. */
#define PAGE_ALIGNED _Alignas(4096)
PAGE_ALIGNED int user_ints[USER_LENGTH];
PAGE_ALIGNED int user_places[USER_LENGTH];
PAGE_ALIGNED float user_floats[USER_LENGTH];
PAGE_ALIGNED double user_left[USER_SHAPED][USER_COLUMNS];
PAGE_ALIGNED double user_right[USER_COLUMNS][USER_COLUMNS];
PAGE_ALIGNED struct user_shaped user_shaped;
int user_length = USER_LENGTH;

static void make_shape(void)
{
    for (int k = 0; k < USER_LENGTH; k++) {
        user_ints[k] = (int)(bench_random(5, (uint64_t)k) % FLOATS);
        user_floats[k] = (float)user_ints[k];
        user_places[k] = (int)(bench_random(6, (uint64_t)k) % USER_LENGTH);
    }
    for (int k = 0; k < USER_SHAPED * USER_COLUMNS; k++)
        user_left[k / USER_COLUMNS][k % USER_COLUMNS] = (double)(k % FLOATS);
    for (int k = 0; k < USER_COLUMNS * USER_COLUMNS; k++)
        user_right[k / USER_COLUMNS][k % USER_COLUMNS] = (double)(k * 3 % FLOATS);
}

/* What a body that repeats writes to, n indices of it. */
static void *written(struct user_data *s, enum user_body body, int64_t n, size_t *bytes)
{
    if (shape(body)) {
        *bytes = sizeof user_shaped;
        return &user_shaped;
    }
    *bytes = (size_t)n * (sums(body) ? sizeof *s->sums : sizeof *s->out);
    return sums(body) ? (void *)s->sums : s->out;
}

static void make_expected(struct user_data *s, enum user_body body, int64_t n)
{
    size_t bytes;
    void *from = written(s, body, n, &bytes);

    s->expected_out = user_alloc(bytes);
    user_data_reset(s, body, n);
    plain_loop(s, body, n);
    memcpy(s->expected_out, from, bytes);
}

static uint32_t turns_of(const struct user_task *task, double seconds)
{
    return (uint32_t)(seconds * 1e9 / task->turn_ns + 0.5);
}

void user_data_make(struct user_data *s, const struct user_task *task)
{
    enum user_body body = task->body;

    memset(s, 0, sizeof *s);
    s->turns = turns_of(task, task->index);
    s->dear = turns_of(task, task->dear_index);
    s->from = (int64_t)(task->from * (double)task->n);
    s->to = (int64_t)(task->to * (double)task->n);
    s->side = (int64_t)(sqrt((double)task->n) + 0.5);
    if (body == USER_space) {
        s->side = USER_SPACE_SIDE;
        s->row = task->n / (s->side * s->side);
        make_doubles(s, task->n);
    } else if (shape(body)) {
        make_shape();
    } else if (task->what == USER_SORT) {
        make_unsorted(s, task->n);
    } else if (body == USER_matmul) {
        make_matrices(s, task->n);
    } else if (value(body)) {
        make_values(s, task);
    } else if (floats(body)) {
        make_floats(s, body, task->n);
    } else if (kernel(body)) {
        s->sums = user_alloc((size_t)task->n * sizeof *s->sums);
        user_kernel_make(s, task);
    } else {
        make_counts(s, task->n);
    }
    if (repeats(body))
        make_expected(s, body, task->n);
}

void user_data_reset(struct user_data *s, enum user_body body, int64_t n)
{
    s->longest = 0;
    s->value = 0;
    if (shape(body)) {
        memset(&user_shaped, 0xff, sizeof user_shaped);
    } else if (value(body)) {
        s->value = -1;
        memset(s->bins, 0, sizeof s->bins);
        memset(&s->tally, 0, sizeof s->tally);
        for (int64_t i = 0; body == USER_scan && i < n; i++)
            s->sums[i] = -1;
    } else if (sums(body)) {
        for (int64_t i = 0; i < n; i++)
            s->sums[i] = -1e9;
    } else if (body == USER_matmul) {
        memset(s->sums, 0, (size_t)n * sizeof *s->sums);
    } else if (floats(body)) {
        for (int64_t i = 0; i < n; i++)
            s->out[i] = body == USER_saxpy ? 0 : -1;
    } else {
        memset(s->counts, 0, (size_t)n * sizeof *s->counts);
    }
}

/* ---- checking ---- */

/* Compilers may join a product and a sum, or not. */
static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (fabs(b) + 1);
}

/* Is index i as it should be? */
static bool right(const struct user_data *s, enum user_body body, int64_t i,
                  int64_t loops)
{
    if (body == USER_saxpy)
        return s->out[i] == (float)loops * FACTOR * s->in[i];
    if (floats(body))
        return s->out[i] == ((const float *)s->expected_out)[i];
    if (sums(body))
        return near(s->sums[i], ((const double *)s->expected_out)[i]);
    if (body == USER_matmul)
        return s->sums[i] == (double)loops * s->expected[i];
    return s->counts[i] == (uint32_t)loops;
}

/* The part of the bins, or of the sums, that are as they should be. */
static double check_values(const struct user_data *s, enum user_body body, int64_t n)
{
    uint64_t bins[256] = { 0 };
    int64_t good = 0;
    double sum = 0;

    if (body == USER_kmeans)
        return memcmp(&s->tally, s->expected_out, sizeof s->tally) == 0;
    if (body == USER_histogram) {
        for (int64_t i = 0; i < n; i++)
            bins[s->bytes[i]]++;
        return memcmp(bins, s->bins, sizeof bins) == 0;
    }
    if (body != USER_scan)
        return s->value == s->right;
    for (int64_t i = 0; i < n; i++)
        good += s->sums[i] == (sum += s->x[i]);
    return (double)good / (double)n;
}

double user_data_check(const struct user_data *s, enum user_body body, int64_t n,
                       int64_t loops)
{
    int64_t good = 0;

    if (shape(body))
        return memcmp(&user_shaped, s->expected_out, sizeof user_shaped) == 0;
    if (value(body))
        return check_values(s, body, n);
    for (int64_t i = 0; i < n; i++)
        good += right(s, body, i, loops);
    return (double)good / (double)n;
}

void user_data_unsort(struct user_data *s, int64_t n)
{
    memcpy(s->sorted, s->unsorted, (size_t)n * sizeof *s->sorted);
}

double user_data_sorted(const struct user_data *s, int64_t n)
{
    return memcmp(s->sorted, s->expected, (size_t)n * sizeof *s->sorted) == 0;
}
