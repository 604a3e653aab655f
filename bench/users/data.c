/*
 * data.c - the arrays that loops run over, and what should be in them afterwards.
 *
 * SPDX-License-Identifier: MIT
 *
 * What counts or adds up tells an index left out from one run twice; the stencils, the
 * transposition and the bodies with loops inside tell an index left out of all loops
 * since the reset, or computed wrong.  All numbers are exact: floats are small
 * multiples of a half.  What a whole loop has found out is that of the last loop.
 */
#include <math.h>
#include <string.h>

#include "users.h"

#define FACTOR 0.5f
#define FLOATS 8 /* in[] has this many different ones */
#define BEYOND 2 /* the stencil reads so far behind the last index */

static void count_one(int64_t i, void *arg)
{
    ((uint32_t *)arg)[i]++;
}

static bool plane(enum user_body body)
{
    return body == USER_heat || body == USER_transpose;
}

static bool floats(enum user_body body)
{
    return body == USER_saxpy || body == USER_stencil || plane(body);
}

static bool shape(enum user_body body)
{
    return body >= USER_known && body <= USER_product;
}

static bool value(enum user_body body)
{
    return body >= USER_dot && body < USER_group && body != USER_tree &&
           body != USER_matmul;
}

static bool make_floats(struct user_data *s, int64_t n)
{
    float *in = bench_alloc((size_t)(n + BEYOND) * sizeof *in);

    s->out = bench_alloc((size_t)n * sizeof *s->out);
    if (!in || !s->out)
        return false;
    for (int64_t i = 0; i < n + BEYOND; i++)
        in[i] = (float)(bench_random(5, (uint64_t)i) % FLOATS);
    s->in = in;
    s->factor = FACTOR;
    return true;
}

/* For what sorts: `expected` is in order. */
static bool make_unsorted(struct user_data *s, int64_t n)
{
    s->unsorted = bench_alloc((size_t)n * sizeof *s->unsorted);
    s->sorted = bench_alloc((size_t)n * sizeof *s->sorted);
    s->spare = bench_alloc((size_t)n * sizeof *s->spare);
    s->expected = bench_alloc((size_t)n * sizeof *s->expected);
    if (!s->unsorted || !s->sorted || !s->spare || !s->expected)
        return false;
    for (int64_t i = 0; i < n; i++)
        s->expected[i] = s->unsorted[i] = (uint32_t)bench_random(7, (uint64_t)i);
    user_sort_alone(s->expected, n);
    return true;
}

static bool make_counts(struct user_data *s, int64_t n)
{
    s->counts = bench_alloc((size_t)n * sizeof *s->counts);
    s->fn = count_one;
    s->arg = s->counts;
    return s->counts;
}

/* Whole numbers, so that a sum is the same in any order. */
static bool make_doubles(struct user_data *s, int64_t n)
{
    double *x = bench_alloc((size_t)n * sizeof *x);
    double *y = bench_alloc((size_t)n * sizeof *y);

    if (!x || !y)
        return false;
    for (int64_t i = 0; i < n; i++) {
        x[i] = (double)(1 + bench_random(5, (uint64_t)i) % FLOATS);
        y[i] = (double)(bench_random(6, (uint64_t)i) % FLOATS);
    }
    s->x = x;
    s->y = s->sums = y; /* a scan writes what a dot product reads */
    return true;
}

/* For matmul: `expected` is x * y, of whole numbers.  n: entries. */
static bool make_matrices(struct user_data *s, int64_t n)
{
    double *x = bench_alloc((size_t)n * sizeof *x);
    double *y = bench_alloc((size_t)n * sizeof *y);

    s->sums = bench_alloc((size_t)n * sizeof *s->sums);
    s->expected = bench_alloc((size_t)n * sizeof *s->expected);
    if (!x || !y || !s->sums || !s->expected)
        return false;
    memset(s->expected, 0, (size_t)n * sizeof *s->expected);
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
    return true;
}

static bool make_bytes(struct user_data *s, enum user_body body, int64_t n)
{
    uint8_t *bytes = bench_alloc((size_t)n);

    if (!bytes)
        return false;
    if (body == USER_find) {
        memset(bytes, 0, (size_t)n);
        bytes[s->from] = 1;
    }
    for (int64_t i = 0; body == USER_histogram && i < n; i++)
        bytes[i] = (uint8_t)bench_random(5, (uint64_t)i);
    s->bytes = bytes;
    return true;
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

/* Of a whole loop, by the plain loop. */
static double value_of(const struct user_data *s, enum user_body body, int64_t n)
{
    double value = body == USER_least ? s->x[0] : 0;

    if (body == USER_find)
        return (double)s->from;
    for (int64_t i = 0; i < n; i++)
        if (body == USER_dot)
            value += s->x[i] * s->y[i];
        else if (body == USER_least && s->x[i] < value)
            value = s->x[i];
    return value;
}

static bool make_values(struct user_data *s, enum user_body body, int64_t n)
{
    s->right = value_of_tree(body, n);
    if (s->right >= 0)
        return true;
    if (body == USER_histogram || body == USER_find ? !make_bytes(s, body, n)
                                                    : !make_doubles(s, n))
        return false;
    s->right = value_of(s, body, n);
    return true;
}

int user_ints[USER_LENGTH], user_places[USER_LENGTH];
float user_floats[USER_LENGTH];
double user_left[USER_SHAPED][USER_COLUMNS], user_right[USER_COLUMNS][USER_COLUMNS];
int user_length = USER_LENGTH;
struct user_shaped user_shaped;
static struct user_shaped right_shaped;

/* What user_shaped should be afterwards is what the plain loop makes of it. */
static bool make_shape(struct user_data *s, enum user_body body, int64_t n)
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
    user_data_reset(s, body, n);
    switch (body) {
#define SHAPE(name, statement)                                                 \
    case USER_##name:                                                          \
        for (int64_t i = 0; i < n; i++)                                        \
            statement;                                                         \
        break;
        USER_SHAPES(SHAPE)
    default: break;
    }
    right_shaped = user_shaped;
    return true;
}

static uint32_t turns_of(const struct user_task *task, double seconds)
{
    return (uint32_t)(seconds * 1e9 / task->turn_ns + 0.5);
}

bool user_data_make(struct user_data *s, const struct user_task *task)
{
    memset(s, 0, sizeof *s);
    s->turns = turns_of(task, task->index);
    s->dear = turns_of(task, task->dear_index);
    s->from = (int64_t)(task->from * (double)task->n);
    s->to = (int64_t)(task->to * (double)task->n);
    s->side = (int64_t)(sqrt((double)task->n) + 0.5);
    if (task->body == USER_space) {
        s->side = USER_SPACE_SIDE;
        s->row = task->n / (s->side * s->side);
        return make_doubles(s, task->n);
    }
    if (shape(task->body))
        return make_shape(s, task->body, task->n);
    if (task->what == USER_SORT)
        return make_unsorted(s, task->n);
    if (task->body == USER_matmul)
        return make_matrices(s, task->n);
    if (value(task->body))
        return make_values(s, task->body, task->n);
    if (floats(task->body))
        return make_floats(s, task->n);
    return make_counts(s, task->n);
}

void user_data_reset(struct user_data *s, enum user_body body, int64_t n)
{
    s->longest = 0;
    s->value = -1;
    if (shape(body)) {
        memset(&user_shaped, 0xff, sizeof user_shaped);
    } else if (value(body)) {
        memset(s->bins, 0, sizeof s->bins);
        for (int64_t i = 0; body == USER_scan && i < n; i++)
            s->sums[i] = -1;
    } else if (body == USER_space) {
        for (int64_t i = 0; i < n; i++)
            s->sums[i] = -1;
    } else if (body == USER_matmul) {
        memset(s->sums, 0, (size_t)n * sizeof *s->sums);
    } else if (floats(body)) {
        for (int64_t i = 0; i < n; i++)
            s->out[i] = body == USER_saxpy ? 0 : -1;
    } else {
        memset(s->counts, 0, (size_t)n * sizeof *s->counts);
    }
}

static bool heat_is_right(const struct user_data *s, int64_t i)
{
    int64_t n = s->side, row = i / n, column = i % n;

    if (row == 0 || row == n - 1 || column == 0 || column == n - 1)
        return s->out[i] == -1;
    return s->out[i] ==
           FACTOR * (s->in[i - 1] + s->in[i + 1] + s->in[i - n] + s->in[i + n]);
}

static bool space_is_right(const struct user_data *s, int64_t at)
{
    int64_t row = s->row, plane = s->side * row;
    int64_t h = at / plane, i = at / row % s->side, j = at % row;

    /* at an edge? */
    if (h % (s->side - 1) == 0 || i % (s->side - 1) == 0 || j % (row - 1) == 0)
        return s->sums[at] == -1;
    return s->sums[at] == s->x[at - plane] + s->x[at + plane] + s->x[at - row] +
                              s->x[at + row] + s->x[at - 1] + s->x[at + 1];
}

/* Is index i as it should be? */
static bool right(const struct user_data *s, enum user_body body, int64_t i,
                  int64_t loops)
{
    if (body == USER_saxpy)
        return s->out[i] == (float)loops * FACTOR * s->in[i];
    if (body == USER_stencil)
        return s->out[i] == FACTOR * (s->in[i] + s->in[i + 1] + s->in[i + 2]);
    if (body == USER_heat)
        return heat_is_right(s, i);
    if (body == USER_space)
        return space_is_right(s, i);
    if (body == USER_transpose)
        return s->out[i] == s->in[i % s->side * s->side + i / s->side];
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
        return memcmp(&user_shaped, &right_shaped, sizeof user_shaped) == 0;
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
