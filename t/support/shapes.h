/*
 * shapes.h - elements of any size and alignment, for tests of reductions and scans by
 * pointer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_SHAPES_H
#define TWEED_T_SHAPES_H

#include <stdatomic.h>
#include <stdlib.h>
#include <tweed.h>

/* Byte b of an element is the sum over i of (i + 1) * (b + 1). */
struct shape {
    size_t size, alignment;
    atomic_int wrong; /* elements out of place, or with another content than they should */
    atomic_int ran;   /* indices that were added to what all lower ones give */
};

/* Of an element that has the indices [0, n). */
static inline unsigned char shape_byte(int64_t n, size_t b)
{
    return (unsigned char)((size_t)(n * (n + 1) / 2) * (b + 1));
}

/* whole: the element has all lower indices. */
static inline void add_to_shape(int64_t begin, int64_t end, void *element, int whole,
                                void *arg)
{
    struct shape *s = arg;
    unsigned char *e = element;

    if ((uintptr_t)element % s->alignment)
        atomic_fetch_add(&s->wrong, 1);
    for (int64_t i = begin; i < end; i++)
        for (size_t b = 0; b < s->size; b++) {
            e[b] = (unsigned char)(e[b] + (size_t)(i + 1) * (b + 1));
            if (whole && e[b] != shape_byte(i + 1, b))
                atomic_fetch_add(&s->wrong, 1);
        }
    if (whole)
        atomic_fetch_add(&s->ran, (int)(end - begin));
}

static inline void join_shape(void *into, const void *from, void *arg)
{
    struct shape *s = arg;
    unsigned char *a = into;
    const unsigned char *b = from;

    if ((uintptr_t)into % s->alignment || (uintptr_t)from % s->alignment)
        atomic_fetch_add(&s->wrong, 1);
    for (size_t k = 0; k < s->size; k++)
        a[k] = (unsigned char)(a[k] + b[k]);
}

/* Goes over [0, n) with elements of that shape, from *identity to *result. */
typedef int shape_run_fn(tweed_pool *pool, int n, struct shape *s, const void *identity,
                         void *result);

/* identity and result are as large as they are said to be, and no byte larger, where
   AddressSanitizer can see it. */
static inline int shape_is_right(shape_run_fn *run, tweed_pool *pool, size_t size,
                                 size_t alignment, int n)
{
    struct shape s = { size, alignment, 0, 0 };
    unsigned char *identity = calloc(1, size), *result = malloc(size);
    int good = run(pool, n, &s, identity, result) == TWEED_OK;

    for (size_t b = 0; b < size; b++)
        good &= result[b] == shape_byte(n, b);
    free(identity);
    free(result);
    return good && s.wrong == 0 && (s.ran == 0 || s.ran == n);
}

#endif
