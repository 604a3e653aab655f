/*
 * tweed.c - as tweed's users write it in C.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <tweed.h>

#include "users.h"

#define S(name) s->name

/* A function of an index.  What loop call has is called as it is: no function
   around it. */
#define POINTER(name, statement)                                               \
    static void name##_index(int64_t i, void *arg)                             \
    {                                                                          \
        struct user_data *s = arg;                                             \
                                                                               \
        statement;                                                             \
    }                                                                          \
    static void name##_pointer(struct user_data *s, int64_t n)                 \
    {                                                                          \
        if (USER_##name == USER_call)                                          \
            tweed_parallel_for(0, n, s->fn, s->arg);                           \
        else                                                                   \
            tweed_parallel_for(0, n, name##_index, s);                         \
    }
USER_BODIES(POINTER)

/* A function of a run of indices. */
#define RANGE(name, statement)                                                 \
    static void name##_run(int64_t begin, int64_t end, void *arg)              \
    {                                                                          \
        struct user_data *s = arg;                                             \
                                                                               \
        for (int64_t i = begin; i < end; i++)                                  \
            statement;                                                         \
    }                                                                          \
    static void name##_range(struct user_data *s, int64_t n)                   \
    {                                                                          \
        tweed_parallel_for_range(0, n, name##_run, s);                         \
    }
USER_BODIES(RANGE)

static void cliff_run_timed(int64_t begin, int64_t end, void *arg)
{
    double started = bench_now();

    cliff_run(begin, end, arg);
    user_claimed(arg, started);
}

static void timed(struct user_data *s, int64_t n)
{
    tweed_parallel_for_range(0, n, cliff_run_timed, s);
}

/* ---- a loop in a loop ---- */

struct two {
    struct user_data *s;
    int64_t n;
    int heavy;
    user_loop_fn *inner;
};

static void outer(int64_t i, void *arg)
{
    const struct two *t = arg;

    if (i == t->heavy)
        t->inner(t->s, t->n);
}

static void nest_pointer(struct user_data *s, int64_t n, int heavy)
{
    struct two t = { s, n, heavy, spin_pointer };

    tweed_parallel_for(0, 2, outer, &t);
}

static void nest_range(struct user_data *s, int64_t n, int heavy)
{
    struct two t = { s, n, heavy, spin_range };

    tweed_parallel_for(0, 2, outer, &t);
}

struct halves {
    uint32_t *values;
    int64_t half, n;
};

static void sort_pointer(uint32_t *values, int64_t n);

static void sort_half(int64_t i, void *arg)
{
    const struct halves *h = arg;

    if (i == 0)
        sort_pointer(h->values, h->half);
    else
        sort_pointer(h->values + h->half, h->n - h->half);
}

static void sort_pointer(uint32_t *values, int64_t n)
{
    struct halves h = { values, 0, n };

    if (n <= USER_SORT_ALONE) {
        user_sort_alone(values, n);
        return;
    }
    h.half = user_partition(values, n);
    tweed_parallel_for(0, 2, sort_half, &h);
}

/* ---- bodies compiled in place ---- */

#ifdef TWEED_LOOP
#define LOOP(name, statement)                                                  \
    TWEED_LOOP(name##_in_place, i, struct user_data, s)                        \
    {                                                                          \
        statement;                                                             \
    }                                                                          \
    static void name##_loop(struct user_data *s, int64_t n)                    \
    {                                                                          \
        name##_in_place(0, n, s);                                              \
    }
USER_BODIES(LOOP)

static void nest_loop(struct user_data *s, int64_t n, int heavy);

TWEED_LOOP(outer_in_place, i, struct two, t)
{
    if (i == t->heavy)
        spin_loop(t->s, t->n);
}

static void nest_loop(struct user_data *s, int64_t n, int heavy)
{
    struct two t = { s, n, heavy, NULL };

    outer_in_place(0, 2, &t);
}

static void sort_loop(uint32_t *values, int64_t n);

TWEED_LOOP(sort_halves, i, struct halves, h)
{
    if (i == 0)
        sort_loop(h->values, h->half);
    else
        sort_loop(h->values + h->half, h->n - h->half);
}

static void sort_loop(uint32_t *values, int64_t n)
{
    struct halves h = { values, 0, n };

    if (n <= USER_SORT_ALONE) {
        user_sort_alone(values, n);
        return;
    }
    h.half = user_partition(values, n);
    sort_halves(0, 2, &h);
}
#endif

#ifdef TWEED_SIMD_LOOP
#define SIMD(name, statement)                                                  \
    TWEED_SIMD_LOOP(name##_in_strips, i, struct user_data, s)                  \
    {                                                                          \
        statement;                                                             \
    }                                                                          \
    static void name##_simd(struct user_data *s, int64_t n)                    \
    {                                                                          \
        name##_in_strips(0, n, s);                                             \
    }
USER_BODIES(SIMD)
#endif

/* What tweed_parallel_for() of loop call is to be compared with: the same pointer,
   called by a loop of this program. */
static void plain_loop(struct user_data *s, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        s->fn(i, s->arg);
}

static void version(char *text, size_t size)
{
    snprintf(text, size, "%s, %s", tweed_version(), USER_COMPILER);
}

#define IN_POINTER(name, statement) [USER_##name] = name##_pointer,
#define IN_RANGE(name, statement) [USER_##name] = name##_range,
#define IN_LOOP(name, statement) [USER_##name] = name##_loop,
#define IN_SIMD(name, statement) [USER_##name] = name##_simd,

static const struct user_way ways[] = {
#ifdef TWEED_LOOP
    { .name = "TWEED_LOOP",
      .loops = { USER_BODIES(IN_LOOP) },
      .nest = nest_loop,
      .sort = sort_loop },
#endif
    { .name = "by pointer",
      .loops = { USER_BODIES(IN_POINTER) },
      .nest = nest_pointer,
      .sort = sort_pointer },
    { .name = "range",
      .loops = { USER_BODIES(IN_RANGE) },
      .timed = timed,
      .nest = nest_range },
#ifdef TWEED_SIMD_LOOP
    { .name = "TWEED_SIMD_LOOP", .loops = { USER_BODIES(IN_SIMD) } },
#endif
    { .name = "(plain loop)", .loops = { [USER_call] = plain_loop } },
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
