/*
 * trees.h - functions that call themselves: what is the same in every program.
 *
 * SPDX-License-Identifier: MIT
 *
 * What is left to the programs is who executes which call.  What takes the time, at the
 * leaves, is in trees.c, which one compiler has compiled for all: programs by gcc and by
 * clang are to differ by their runtimes.
 */
#ifndef USERS_TREES_H
#define USERS_TREES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- queens ---- */

struct user_board {
    unsigned all;                  /* columns */
    unsigned columns, left, right; /* that queens attack */
};

static inline struct user_board user_board_of(int64_t n)
{
    struct user_board b = { (1u << n) - 1, 0, 0, 0 };

    return b;
}

static inline unsigned user_board_free(struct user_board b)
{
    return b.all & ~(b.columns | b.left | b.right);
}

static inline struct user_board user_board_put(struct user_board b, unsigned square)
{
    b.columns |= square;
    b.left = (b.left | square) << 1;
    b.right = (b.right | square) >> 1;
    return b;
}

#define USER_MOST_QUEENS 20

/* ---- UTS, unbalanced tree search (Olivier et al., LCPC 2006) ----
 *
 * A node is a SHA-1 digest.  Its k-th child is the digest of the node's 20 bytes and of
 * k in four, high byte first; the root that of 16 zero bytes and the seed.  The last 31
 * bits, as a part of 2^31, are the chance u that tells how many children there are.
 *
 * T1  geometric, mean 4 above depth 10 and none there, seed 19
 * T3  binomial: 2,000 children of the root; 8 of each other node for which u is less
 *     than 0.124875; seed 42
 */
#define USER_UTS_T1 1
#define USER_UTS_T1_NODES 4130071
#define USER_UTS_T3 3
#define USER_UTS_T3_NODES 4112897

struct user_node {
    uint32_t digest[5];
    uint16_t tree, depth;
};

struct user_node user_uts_root(int64_t tree);
struct user_node user_uts_child(const struct user_node *n, int k);
int user_uts_children(const struct user_node *n);

/* ---- skynet: the sum of n numbers from first on, a tenth in each of ten parts ---- */

#define USER_SKYNET_PARTS 10

/* ---- quicksort ---- */

#define USER_SORT_ALONE 1000 /* so few are sorted without another loop or task */

/* Splits v[0..n), n > 1: none of the first values is larger than one of the others.
   How many these first ones are: 1 to n - 1. */
static inline int64_t user_partition(uint32_t *v, int64_t n)
{
    uint32_t pivot = v[(n - 1) / 2], t;
    int64_t i = -1, j = n;

    for (;;) {
        do
            i++;
        while (v[i] < pivot);
        do
            j--;
        while (v[j] > pivot);
        if (i >= j)
            return j + 1;
        t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
}

static inline void user_sort_alone(uint32_t *v, int64_t n)
{
    while (n > 1) {
        int64_t half = user_partition(v, n);

        user_sort_alone(v, half);
        v += half;
        n -= half;
    }
}

/* ---- cilksort: four quarters are sorted, and merged by two merges into `spare`, then
   by one back ---- */

#define USER_CILKSORT_ALONE 2048 /* of a sort, and of a merge */

struct user_merge {
    const uint32_t *a, *b; /* in order, both */
    int64_t a_n, b_n;
    uint32_t *out;
};

void user_merge_alone(struct user_merge m);
void user_cilksort_alone(uint32_t *v, int64_t n);

/* m is what is below the middle of its longer part; the rest is returned. */
static inline struct user_merge user_merge_split(struct user_merge *m)
{
    struct user_merge high = *m;
    int64_t from = 0, past;

    if (m->a_n < m->b_n) {
        m->a = high.b;
        m->a_n = high.b_n;
        m->b = high.a;
        m->b_n = high.a_n;
        high = *m;
    }
    m->a_n /= 2;
    past = m->b_n;
    while (from < past) {
        int64_t mid = from + (past - from) / 2;

        if (m->b[mid] < m->a[m->a_n])
            from = mid + 1;
        else
            past = mid;
    }
    m->b_n = from;
    high.a += m->a_n;
    high.a_n -= m->a_n;
    high.b += m->b_n;
    high.b_n -= m->b_n;
    high.out += m->a_n + m->b_n;
    return high;
}

/* Where four quarters of n values begin, and the last one ends. */
static inline void user_quarters(int64_t q[5], int64_t n)
{
    for (int k = 0; k <= 4; k++)
        q[k] = n * k / 4;
}

/* Values [from, mid) and [mid, past) of v, each in order, to be together in `to`. */
static inline struct user_merge user_merge_of(const uint32_t *v, int64_t from, int64_t mid,
                                              int64_t past, uint32_t *to)
{
    struct user_merge m = { v + from, v + mid, mid - from, past - mid, to + from };

    return m;
}

/* ---- matrix multiplication: c += a * b by eight products of quarters ---- */

#define USER_PRODUCT_ALONE 32

struct user_product {
    double *c;
    const double *a, *b;
    int64_t side; /* of these three: USER_PRODUCT_ALONE times a power of two */
    int64_t row;  /* of the whole ones */
};

void user_product_alone(struct user_product p);

static inline struct user_product user_product_of(double *c, const double *a,
                                                  const double *b, int64_t side)
{
    struct user_product p = { c, a, b, side, side };

    return p;
}

/* Adds to quarter ij of c what quarters (i, k) of a and (k, j) of b make. */
static inline struct user_product user_product_part(struct user_product p, int ij, int k)
{
    struct user_product part = p;
    int i = ij / 2, j = ij % 2;

    part.side = p.side / 2;
    part.c += i * part.side * p.row + j * part.side;
    part.a += i * part.side * p.row + k * part.side;
    part.b += k * part.side * p.row + j * part.side;
    return part;
}

#ifdef __cplusplus
}
#endif

#endif
