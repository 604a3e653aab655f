/*
 * tweed_tasks.c - as tweed's users write functions that call themselves, in C.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <tweed.h>

#include "users.h"

TWEED_TASK(int64_t, fib, int64_t, n)
{
    int64_t b;

    if (n < 2)
        return n;
    TWEED_SPAWN(fib, n - 1);
    b = TWEED_CALL(fib, n - 2);
    return TWEED_SYNC(fib) + b;
}

static void fib_task(struct user_data *s, int64_t n)
{
    s->value = (double)TWEED_RUN(fib, n);
}

TWEED_TASK(int64_t, queens, struct user_board, b)
{
    int64_t ways = b.columns == b.all;
    int k = 0;

    for (unsigned f = user_board_free(b); f; f &= f - 1, k++)
        TWEED_SPAWN(queens, user_board_put(b, f & -f));
    while (k-- > 0)
        ways += TWEED_SYNC(queens);
    return ways;
}

static void queens_task(struct user_data *s, int64_t n)
{
    s->value = (double)TWEED_RUN(queens, user_board_of(n));
}

TWEED_TASK(void, leaves, struct user_data *, s, int64_t, begin, int64_t, end)
{
    if (end - begin == 1) {
        user_spin(s->turns, &s->counts[begin]);
        return;
    }
    TWEED_SPAWN(leaves, s, begin, begin + (end - begin) / 2);
    TWEED_CALL(leaves, s, begin + (end - begin) / 2, end);
    TWEED_SYNC(leaves);
}

static void tree_task(struct user_data *s, int64_t n)
{
    TWEED_RUN(leaves, s, 0, n);
}

TWEED_TASK(void, sort_part, uint32_t *, v, int64_t, n)
{
    int64_t half;

    if (n <= USER_SORT_ALONE) {
        user_sort_alone(v, n);
        return;
    }
    half = user_partition(v, n);
    TWEED_SPAWN(sort_part, v, half);
    TWEED_CALL(sort_part, v + half, n - half);
    TWEED_SYNC(sort_part);
}

static void sort_task(uint32_t *values, int64_t n)
{
    TWEED_RUN(sort_part, values, n);
}

TWEED_TASK(int64_t, uts, struct user_node, n)
{
    int children = user_uts_children(&n);
    int64_t nodes = 1;

    for (int k = 0; k < children; k++)
        TWEED_SPAWN(uts, user_uts_child(&n, k));
    for (int k = 0; k < children; k++)
        nodes += TWEED_SYNC(uts);
    return nodes;
}

static void uts_task(struct user_data *s, int64_t n)
{
    s->value = (double)TWEED_RUN(uts, user_uts_root(n));
}

TWEED_TASK(int64_t, skynet, int64_t, first, int64_t, n)
{
    int64_t sum = 0;

    if (n == 1)
        return first;
    n /= USER_SKYNET_PARTS;
    for (int k = 0; k < USER_SKYNET_PARTS; k++)
        TWEED_SPAWN(skynet, first + k * n, n);
    for (int k = 0; k < USER_SKYNET_PARTS; k++)
        sum += TWEED_SYNC(skynet);
    return sum;
}

static void skynet_task(struct user_data *s, int64_t n)
{
    s->value = (double)TWEED_RUN(skynet, 0, n);
}

TWEED_TASK(void, merge, struct user_merge, m)
{
    struct user_merge high;

    if (m.a_n + m.b_n <= USER_CILKSORT_ALONE) {
        user_merge_alone(m);
        return;
    }
    high = user_merge_split(&m);
    TWEED_SPAWN(merge, m);
    TWEED_CALL(merge, high);
    TWEED_SYNC(merge);
}

TWEED_TASK(void, cilksort, uint32_t *, v, uint32_t *, spare, int64_t, n)
{
    int64_t q[5];

    if (n <= USER_CILKSORT_ALONE) {
        user_cilksort_alone(v, n);
        return;
    }
    user_quarters(q, n);
    for (int k = 0; k < 3; k++)
        TWEED_SPAWN(cilksort, v + q[k], spare + q[k], q[k + 1] - q[k]);
    TWEED_CALL(cilksort, v + q[3], spare + q[3], q[4] - q[3]);
    for (int k = 0; k < 3; k++)
        TWEED_SYNC(cilksort);
    TWEED_SPAWN(merge, user_merge_of(v, q[0], q[1], q[2], spare));
    TWEED_CALL(merge, user_merge_of(v, q[2], q[3], q[4], spare));
    TWEED_SYNC(merge);
    TWEED_CALL(merge, user_merge_of(spare, q[0], q[2], q[4], v));
}

static void cilksort_task(struct user_data *s, int64_t n)
{
    TWEED_RUN(cilksort, s->sorted, s->spare, n);
}

TWEED_TASK(void, matmul, struct user_product, p)
{
    if (p.side <= USER_PRODUCT_ALONE) {
        user_product_alone(p);
        return;
    }
    for (int k = 0; k < 2; k++) {
        for (int ij = 0; ij < 3; ij++)
            TWEED_SPAWN(matmul, user_product_part(p, ij, k));
        TWEED_CALL(matmul, user_product_part(p, 3, k));
        for (int ij = 0; ij < 3; ij++)
            TWEED_SYNC(matmul);
    }
}

static void matmul_task(struct user_data *s, int64_t n)
{
    (void)n;
    TWEED_RUN(matmul, user_product_of(s->sums, s->x, s->y, s->side));
}

static void version(char *text, size_t size)
{
    snprintf(text, size, "%s, %s", tweed_version(), USER_COMPILER);
}

#define IN_TREE(name) [USER_##name] = name##_task,

static const struct user_way ways[] = {
    { .name = "TWEED_TASK", .loops = { USER_TREES(IN_TREE) }, .sort = sort_task },
    { 0 },
};

const struct user_runtime user_runtime = {
#ifdef __clang__
    .name = "tweed, clang",
#else
    .name = "tweed",
#endif
    .ours = true,
    .version = version,
    .ways = ways,
};
