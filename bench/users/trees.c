/*
 * trees.c - the leaves of functions that call themselves: see trees.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <string.h>

#include "trees.h"

#define UTS_DEPTH 10 /* of T1 */

static inline uint32_t rotate(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static inline void sha1_round(uint32_t s[5], uint32_t f, uint32_t w)
{
    uint32_t next = rotate(s[0], 5) + f + s[4] + w;

    s[4] = s[3];
    s[3] = s[2];
    s[2] = rotate(s[1], 30);
    s[1] = s[0];
    s[0] = next;
}

/* SHA-1 of the six words' first `bytes`, which is less than a block. */
static void sha1(uint32_t digest[5], const uint32_t message[6], int bytes)
{
    static const uint32_t start[5] = { 0x67452301, 0xefcdab89, 0x98badcfe,
                                       0x10325476, 0xc3d2e1f0 };
    uint32_t w[80] = { 0 }, s[5];
    int i = 0;

    memcpy(w, message, 6 * sizeof *w);
    w[bytes / 4] = 0x80000000;
    w[15] = 8 * (uint32_t)bytes;
    for (int k = 16; k < 80; k++)
        w[k] = rotate(w[k - 3] ^ w[k - 8] ^ w[k - 14] ^ w[k - 16], 1);
    memcpy(s, start, sizeof s);
    for (; i < 20; i++)
        sha1_round(s, (s[3] ^ (s[1] & (s[2] ^ s[3]))) + 0x5a827999, w[i]);
    for (; i < 40; i++)
        sha1_round(s, (s[1] ^ s[2] ^ s[3]) + 0x6ed9eba1, w[i]);
    for (; i < 60; i++)
        sha1_round(s, ((s[1] & s[2]) | (s[3] & (s[1] | s[2]))) + 0x8f1bbcdc, w[i]);
    for (; i < 80; i++)
        sha1_round(s, (s[1] ^ s[2] ^ s[3]) + 0xca62c1d6, w[i]);
    for (int k = 0; k < 5; k++)
        digest[k] = s[k] + start[k];
}

struct user_node user_uts_root(int64_t tree)
{
    uint32_t message[6] = { 0, 0, 0, 0, tree == USER_UTS_T1 ? 19u : 42u, 0 };
    struct user_node root;

    sha1(root.digest, message, 20);
    root.tree = (uint16_t)tree;
    root.depth = 0;
    return root;
}

struct user_node user_uts_child(const struct user_node *n, int k)
{
    uint32_t message[6];
    struct user_node child;

    memcpy(message, n->digest, sizeof n->digest);
    message[5] = (uint32_t)k;
    sha1(child.digest, message, 24);
    child.tree = n->tree;
    child.depth = (uint16_t)(n->depth + 1);
    return child;
}

int user_uts_children(const struct user_node *n)
{
    double u = (double)(n->digest[4] & 0x7fffffff) / 2147483648.0;
    int children;

    if (n->tree == USER_UTS_T3)
        return n->depth == 0 ? 2000 : u < 0.124875 ? 8 : 0;
    if (n->depth >= UTS_DEPTH)
        return 0;
    children = (int)floor(log(1 - u) / log(1 - 1 / (1 + 4.0)));
    return children < 100 ? children : 100;
}

void user_merge_alone(struct user_merge m)
{
    const uint32_t *a = m.a, *b = m.b, *a_end = a + m.a_n, *b_end = b + m.b_n;
    uint32_t *out = m.out;

    while (a < a_end && b < b_end)
        *out++ = *b < *a ? *b++ : *a++;
    memcpy(out, a, (size_t)(a_end - a) * sizeof *a);
    out += a_end - a;
    memcpy(out, b, (size_t)(b_end - b) * sizeof *b);
}

void user_cilksort_alone(uint32_t *v, int64_t n)
{
    user_sort_alone(v, n);
}

void user_product_alone(struct user_product p)
{
    for (int64_t i = 0; i < p.side; i++)
        for (int64_t k = 0; k < p.side; k++) {
            double a = p.a[i * p.row + k];
            const double *b = p.b + k * p.row;
            double *c = p.c + i * p.row;

            for (int64_t j = 0; j < USER_PRODUCT_ALONE; j++)
                c[j] += a * b[j];
        }
}
