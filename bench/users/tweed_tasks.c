/*
 * tweed_tasks.c - as tweed's users write functions that call themselves, in C.
 *
 * SPDX-License-Identifier: MIT
 */
#include <sched.h>
#include <stdatomic.h>
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

/* ---- groups ---- */

struct part {
    struct user_data *s;
    int64_t begin, end;
};

static int leaves_part(void *arg)
{
    const struct part *p = arg;
    struct part low = *p, high = *p;
    tweed_group g = TWEED_GROUP_INIT;

    if (p->end - p->begin == 1) {
        user_spin(p->s->turns, &p->s->counts[p->begin]);
        return 0;
    }
    low.end = high.begin = p->begin + (p->end - p->begin) / 2;
    tweed_group_spawn(&g, leaves_part, &low);
    leaves_part(&high);
    return tweed_group_sync(&g);
}

static void tree_group(struct user_data *s, int64_t n)
{
    struct part all = { s, 0, n };

    leaves_part(&all);
}

static uint32_t turns; /* of each of these tasks */

static int spin_one(void *count)
{
    user_spin(turns, count);
    return 0;
}

static void group_group(struct user_data *s, int64_t n)
{
    tweed_group g = TWEED_GROUP_INIT;

    turns = s->turns;
    for (int64_t i = 0; i < n; i++)
        tweed_group_spawn(&g, spin_one, &s->counts[i]);
    tweed_group_sync(&g);
}

/* ---- the pool as an executor ---- */

static void submit_submit(struct user_data *s, int64_t n)
{
    turns = s->turns;
    for (int64_t i = 0; i < n; i++)
        if (tweed_pool_submit(NULL, spin_one, &s->counts[i]) != 0)
            spin_one(&s->counts[i]);
    tweed_pool_drain(NULL);
}

static void batch_submit(struct user_data *s, int64_t n)
{
    void *counts[USER_BATCH];

    turns = s->turns;
    for (int64_t i = 0; i < n;) {
        size_t some = 0;

        while (some < USER_BATCH && i < n)
            counts[some++] = &s->counts[i++];
        if (tweed_pool_submit_batch(NULL, spin_one, counts, some) != 0)
            for (size_t k = 0; k < some; k++)
                spin_one(counts[k]);
    }
    tweed_pool_drain(NULL);
}

static atomic_bool over;

static int spin_and_say(void *count)
{
    user_spin(turns, count);
    atomic_store_explicit(&over, true, memory_order_release);
    return 0;
}

static void reply_submit(struct user_data *s, int64_t n)
{
    turns = s->turns;
    for (int64_t i = 0; i < n; i++) {
        atomic_store_explicit(&over, false, memory_order_relaxed);
        if (tweed_pool_submit(NULL, spin_and_say, &s->counts[i]) != 0)
            spin_and_say(&s->counts[i]);
        while (!atomic_load_explicit(&over, memory_order_acquire))
            sched_yield();
    }
    tweed_pool_drain(NULL);
}

static void version(char *text, size_t size)
{
    snprintf(text, size, "%s, %s", tweed_version(), USER_COMPILER);
}

#define IN_TREE(name) [USER_##name] = name##_task,

static const struct user_way ways[] = {
    { .name = "TWEED_TASK", .loops = { USER_TREES(IN_TREE) }, .sort = sort_task },
    { .name = "tweed_group",
      .loops = { [USER_tree] = tree_group, [USER_group] = group_group } },
    { .name = "tweed_pool_submit",
      .loops = { [USER_submit] = submit_submit, [USER_batch] = batch_submit,
                 [USER_reply] = reply_submit } },
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
