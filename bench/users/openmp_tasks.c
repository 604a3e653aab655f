/*
 * openmp_tasks.c - as OpenMP's users write functions that call themselves.
 *
 * SPDX-License-Identifier: MIT
 *
 * Built by gcc it is libgomp, by clang libomp.
 */
#include <omp.h>
#include <stdio.h>

#include "users.h"

static void sort_task(uint32_t *v, int64_t n)
{
    int64_t half;

    if (n <= USER_SORT_ALONE) {
        user_sort_alone(v, n);
        return;
    }
    half = user_partition(v, n);
#pragma omp task
    sort_task(v, half);
    sort_task(v + half, n - half);
#pragma omp taskwait
}

static void sort_tasks(uint32_t *values, int64_t n)
{
#pragma omp parallel
#pragma omp single
    sort_task(values, n);
}

static int64_t fib(int64_t n)
{
    int64_t a, b;

    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void fib_tasks(struct user_data *s, int64_t n)
{
#pragma omp parallel
#pragma omp single
    s->value = (double)fib(n);
}

static int64_t queens(struct user_board b)
{
    int64_t ways[USER_MOST_QUEENS], sum = b.columns == b.all;
    int k = 0;

    for (unsigned f = user_board_free(b); f; f &= f - 1, k++) {
#pragma omp task shared(ways)
        ways[k] = queens(user_board_put(b, f & -f));
    }
#pragma omp taskwait
    while (k > 0)
        sum += ways[--k];
    return sum;
}

static void queens_tasks(struct user_data *s, int64_t n)
{
#pragma omp parallel
#pragma omp single
    s->value = (double)queens(user_board_of(n));
}

static void leaves(struct user_data *s, int64_t begin, int64_t end)
{
    if (end - begin == 1) {
        user_spin(s->turns, &s->counts[begin]);
        return;
    }
#pragma omp task
    leaves(s, begin, begin + (end - begin) / 2);
    leaves(s, begin + (end - begin) / 2, end);
#pragma omp taskwait
}

static void tree_tasks(struct user_data *s, int64_t n)
{
#pragma omp parallel
#pragma omp single
    leaves(s, 0, n);
}

static int64_t uts(struct user_node n)
{
    int children = user_uts_children(&n);
    int64_t nodes = 1, parts[children + 1];

    for (int k = 0; k < children; k++) {
#pragma omp task shared(parts)
        parts[k] = uts(user_uts_child(&n, k));
    }
#pragma omp taskwait
    for (int k = 0; k < children; k++)
        nodes += parts[k];
    return nodes;
}

static void uts_tasks(struct user_data *s, int64_t n)
{
#pragma omp parallel
#pragma omp single
    s->value = (double)uts(user_uts_root(n));
}

static int64_t skynet(int64_t first, int64_t n)
{
    int64_t sum = 0, parts[USER_SKYNET_PARTS];

    if (n == 1)
        return first;
    n /= USER_SKYNET_PARTS;
    for (int k = 0; k < USER_SKYNET_PARTS; k++) {
#pragma omp task shared(parts)
        parts[k] = skynet(first + k * n, n);
    }
#pragma omp taskwait
    for (int k = 0; k < USER_SKYNET_PARTS; k++)
        sum += parts[k];
    return sum;
}

static void skynet_tasks(struct user_data *s, int64_t n)
{
#pragma omp parallel
#pragma omp single
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
#pragma omp task
    merge(m);
    merge(high);
#pragma omp taskwait
}

static void cilksort(uint32_t *v, uint32_t *spare, int64_t n)
{
    int64_t q[5];

    if (n <= USER_CILKSORT_ALONE) {
        user_cilksort_alone(v, n);
        return;
    }
    user_quarters(q, n);
    for (int k = 0; k < 3; k++) {
#pragma omp task shared(q)
        cilksort(v + q[k], spare + q[k], q[k + 1] - q[k]);
    }
    cilksort(v + q[3], spare + q[3], q[4] - q[3]);
#pragma omp taskwait
#pragma omp task shared(q)
    merge(user_merge_of(v, q[0], q[1], q[2], spare));
    merge(user_merge_of(v, q[2], q[3], q[4], spare));
#pragma omp taskwait
    merge(user_merge_of(spare, q[0], q[2], q[4], v));
}

static void cilksort_tasks(struct user_data *s, int64_t n)
{
#pragma omp parallel
#pragma omp single
    cilksort(s->sorted, s->spare, n);
}

static void matmul(struct user_product p)
{
    if (p.side <= USER_PRODUCT_ALONE) {
        user_product_alone(p);
        return;
    }
    for (int k = 0; k < 2; k++) {
        for (int ij = 0; ij < 3; ij++) {
#pragma omp task
            matmul(user_product_part(p, ij, k));
        }
        matmul(user_product_part(p, 3, k));
#pragma omp taskwait
    }
}

static void matmul_tasks(struct user_data *s, int64_t n)
{
    (void)n;
#pragma omp parallel
#pragma omp single
    matmul(user_product_of(s->sums, s->x, s->y, s->side));
}

/* Tasks that come from outside of a parallel region there are none. */
static void group_tasks(struct user_data *s, int64_t n)
{
#pragma omp parallel
#pragma omp single
    {
        for (int64_t i = 0; i < n; i++) {
#pragma omp task
            user_spin(s->turns, &s->counts[i]);
        }
#pragma omp taskwait
    }
}

static void version(char *text, size_t size)
{
    snprintf(text, size, "%s, OpenMP %d", USER_COMPILER, _OPENMP);
}

#define IN_TREE(name) [USER_##name] = name##_tasks,

static const struct user_way ways[] = {
    { .name = "tasks",
      .loops = { USER_TREES(IN_TREE) [USER_group] = group_tasks },
      .sort = sort_tasks },
    { 0 },
};

const struct user_runtime user_runtime = {
#ifdef __clang__
    .name = "libomp",
#else
    .name = "libgomp",
#endif
    .version = version,
    .ways = ways,
};
