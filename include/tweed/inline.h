/*
 * tweed/inline.h - the part of tweed that is compiled into the program.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h.
 *
 * A call through a pointer from a library into the program costs more than the body
 * of many a loop.  So the core loop stands here, and the compiler sees it next to
 * the body.
 *
 *     cursor        what an owner walks its blocks with
 *     kind          how the blocks of a loop are executed
 *     TWEED_LOOP()  makes a kind, and a function that runs it, out of a body in
 *                   braces
 *
 * A cursor points to two words, low and S.  This file only knows that the owner
 * stores low and compares S; what the two mean stands in lib/range/range.c of the source.
 *
 * Names that end with _ are tweed's own.
 */
#ifndef TWEED_H
#include <tweed.h> /* which includes this file */
#endif
#ifndef TWEED_INLINE_H
#define TWEED_INLINE_H

#ifdef __cplusplus
extern "C" {
#endif

#define TWEED_UNUSED_ __attribute__((__unused__))
#define TWEED_INLINE_ static inline __attribute__((__always_inline__, __unused__))
#define TWEED_APART_ __attribute__((__noinline__))

/* Casts, and a null pointer, that C++ compilers do not warn of. */
#ifdef __cplusplus
#define TWEED_NULL_ nullptr
#define TWEED_VALUE_(type, value) static_cast<type>(value)
#define TWEED_FN_(type, fn) reinterpret_cast<type>(fn)
#define TWEED_TYPED_(type, p) static_cast<type *>(p)
#else
#define TWEED_NULL_ NULL
#define TWEED_VALUE_(type, value) ((type)(value))
#define TWEED_FN_(type, fn) ((type)(fn))
#define TWEED_TYPED_(type, p) ((type *)(p))
#endif
#define TWEED_BODY_(fn) TWEED_FN_(void (*)(void), fn)

/* What a call returns that needs the argument of this name and was given none. */
#define TWEED_LACKS_(argument)                                                 \
    tweed_fail_(TWEED_EINVAL, "%s: " argument " is NULL", __func__)

/* The two words of a range, on lines of their own. */
struct tweed_words {
    uint32_t low;       /* every block below it is claimed; the owner's */
    uint32_t apart[31];
    uint64_t S;         /* the word that thieves change */
};

/* Blocks are counted from 0.  Index i is in block (i - lo) / grain.  A kind of the
   user's reads fn and arg; all else is for tweed's own headers. */
struct tweed_cursor {
    struct tweed_words *words;
    uint64_t seen;      /* S when it was last looked at */
    uint32_t limit;     /* claims may end here while S == seen */
    uint32_t strip;     /* the length of the next claim, in blocks */
    uint32_t begin;     /* the blocks [begin, end) are claimed, and are executed */
    uint32_t end;       /* before the next claim; end: the first that is not claimed */
    uint32_t blocks;    /* of the whole loop */
    uint32_t exchange;  /* 1: the fence mode in which owners pay */
    uint64_t lo;        /* the first index, as an unsigned number */
    uint64_t count;     /* indices of the whole loop */
    uint64_t grain;     /* indices of a block */
    void (*fn)(void);   /* a body by pointer; else null */
    void *arg;          /* what the call was given */
    int64_t past;       /* of a claim of many indices by pointer: where it ends,
                           lowered when the body stops the loop */
    uint64_t left_out;  /* indices that were claimed, and were not executed */
};
typedef struct tweed_cursor tweed_cursor;

/*
 * How the blocks of a loop are executed; tweed_loop_run(3) describes it.  work() is
 * called with a cursor that holds claimed blocks.  It executes these, and what
 * tweed_next() gives, until tweed_next() is 0:
 *
 *     do
 *         for (i = tweed_first(c), past = tweed_past(c); i < past; i++)
 *             ...;
 *     while (tweed_next(c));
 *
 * A kind has static storage.  Its maker sets size, claim_ns, work and name; the
 * rest is zero.  The library keeps in the kind what an index cost last time.
 */
struct tweed_kind {
    uint32_t size;                    /* sizeof(struct tweed_kind) */
    uint32_t claim_ns;                /* how long a claim may take; 0: each claim
                                         of a loop that is shared is of one block */
    void (*work)(tweed_cursor *c);
    const char *name;                 /* of the loop, where none is given */
    uint32_t cost;                    /* of an index, 1/1024 ns; 0: not known.
                                         Written by the library */
    uint32_t reserved[3];
};
typedef struct tweed_kind tweed_kind;

/* Runs [lo, hi) by a kind, with the results of tweed_parallel_for_with().  All
   loops come to this.  fn: the body, if it is called by pointer; the library then keeps
   the cost of an index by the place of the call.  NULL: the body is inside kind->work,
   and the cost is kept in the kind.
   TWEED_EINVAL also if kind is NULL, has no work, or its size is not set. */
TWEED_API_ int tweed_loop_run(tweed_pool *pool, const tweed_loop_options *options,
                              int64_t lo, int64_t hi, tweed_kind *kind, void (*fn)(void),
                              void *arg);

/* tweed_next() off its fast path. */
TWEED_API_ TWEED_NOTHROW_ int tweed_next_slow_(tweed_cursor *c);

/* Ends the loop that the cursor walks: no worker claims another block.  Workers
   finish what they have claimed.  From within work() only, which still calls
   tweed_next(): that gives 0. */
TWEED_API_ TWEED_NOTHROW_ void tweed_cursor_stop(tweed_cursor *c);

/* ---- the owner's fast path ---- */

#ifndef TWEED_CURSOR_ATOMICS_ /* a checker has its own */
/* relaxed: ordered by the heavy fence of a thief.  Store and light fence are the owner's
   half of the store-buffering pair that lib/range/range.c explains */
#define TWEED_LOW_STORE_(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define TWEED_LIGHT_FENCE_() __atomic_signal_fence(__ATOMIC_SEQ_CST)
/* relaxed: another value than seen leads to tweed_next_slow_(), which acquires */
#define TWEED_S_LOAD_(p) __atomic_load_n((p), __ATOMIC_RELAXED)
/* sequentially consistent, both: the same pair in exchange mode */
#define TWEED_LOW_EXCHANGE_(p, v)                                              \
    TWEED_VALUE_(void, __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST))
#define TWEED_S_LOAD_SEQ_CST_(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)
#endif

/* Reserves every block below low, then looks whether a thief has been here. */
TWEED_INLINE_ uint64_t tweed_reserve_(struct tweed_words *w, uint32_t low,
                                      uint32_t exchange)
{
    if (exchange) {
        TWEED_LOW_EXCHANGE_(&w->low, low);
        return TWEED_S_LOAD_SEQ_CST_(&w->S);
    }
    TWEED_LOW_STORE_(&w->low, low);
    TWEED_LIGHT_FENCE_();
    return TWEED_S_LOAD_(&w->S);
}

/* The next claim: 1, and the claim is [begin, end).  0: there is nothing left here. */
TWEED_INLINE_ int tweed_next(tweed_cursor *c)
{
    uint32_t end = c->end, low = end + c->strip;

    if (__builtin_expect(low > c->limit, 0) ||
        __builtin_expect(
            tweed_reserve_(c->words, low, c->exchange) != c->seen, 0))
        return tweed_next_slow_(c);
    c->begin = end;
    c->end = low;
    return 1;
}

/* The indices that are claimed: [first, past). */
TWEED_INLINE_ int64_t tweed_first(const tweed_cursor *c)
{
    return TWEED_VALUE_(int64_t, c->lo + c->begin * c->grain);
}

TWEED_INLINE_ int64_t tweed_past(const tweed_cursor *c)
{
    return TWEED_VALUE_(int64_t, c->lo + (c->end < c->blocks
                                              ? c->end * c->grain
                                              : c->count));
}

/* How many indices that are. */
TWEED_INLINE_ uint64_t tweed_span_(int64_t first, int64_t past)
{
    return TWEED_VALUE_(uint64_t, past) - TWEED_VALUE_(uint64_t, first);
}

/* ---- bodies by pointer ---- */

/* One index a claim.  What the owner knows of its range is in registers, and only
   tweed_next_slow_() changes it. */
TWEED_INLINE_ void tweed_each_(tweed_cursor *c, const uint32_t exchange)
{
    tweed_index_fn *each = TWEED_FN_(tweed_index_fn *, c->fn);
    void *arg = c->arg;
    struct tweed_words *words = c->words;
    uint64_t before = c->lo - 1; /* before + low: the index of block low - 1 */
    uint64_t low = c->begin + UINT64_C(1); /* 64 bits: no extending */

    for (;;) {
        uint64_t seen = c->seen, limit = c->limit, s;

        do {
            each(TWEED_VALUE_(int64_t, before + low), arg);
            s = tweed_reserve_(words, TWEED_VALUE_(uint32_t, ++low), exchange);
            /* one branch for both conditions: two are three instructions less
               and, by make bench KERNELS=noop, a cycle or two slower */
        } while (__builtin_expect(((s ^ seen) | (low > limit)) == 0, 1));
        c->end = TWEED_VALUE_(uint32_t, low) - 1;
        if (!tweed_next_slow_(c))
            return;
        words = c->words;
        low = c->begin + UINT64_C(1);
    }
}

/* Claims of many indices: of a loop that its caller runs alone.  1: the next claim is of
   one index. */
static TWEED_APART_ TWEED_UNUSED_ int tweed_work_alone_(tweed_cursor *c)
{
    tweed_index_fn *each = TWEED_FN_(tweed_index_fn *, c->fn);

    do {
        int64_t i = tweed_first(c);

        c->past = tweed_past(c);
        do
            each(i, c->arg);
        while (++i < c->past);
        c->left_out += tweed_span_(i, tweed_past(c));
        if (!tweed_next(c))
            return 0;
    } while (c->end - c->begin > 1);
    return 1;
}

static TWEED_APART_ TWEED_UNUSED_ void tweed_work_index_(tweed_cursor *c)
{
    tweed_index_fn *each = TWEED_FN_(tweed_index_fn *, c->fn);

    if (c->grain == 1) {
        if (c->end - c->begin > 1 && !tweed_work_alone_(c))
            return;
        if (c->exchange)
            tweed_each_(c, 1);
        else
            tweed_each_(c, 0);
        return;
    }
    do {
        int64_t i = tweed_first(c), past = tweed_past(c);

        do
            each(i, c->arg);
        while (++i < past);
    } while (tweed_next(c));
}

static TWEED_APART_ TWEED_UNUSED_ void tweed_work_range_(tweed_cursor *c)
{
    tweed_range_fn *range = TWEED_FN_(tweed_range_fn *, c->fn);

    do
        range(tweed_first(c), tweed_past(c), c->arg);
    while (tweed_next(c));
}

/* How long a claim may take: a run of a range body, a strip of a body that is compiled
   in. */
#define TWEED_CLAIM_NS_ 2000

/* A kind's members in their order, the rest zero; without warnings. */
#define TWEED_KIND_INIT_(claim_ns, work, name)                                 \
    {                                                                          \
        TWEED_VALUE_(uint32_t, sizeof(tweed_kind)), (claim_ns), (work),        \
            (name), 0,                                                         \
        {                                                                      \
            0, 0, 0                                                            \
        }                                                                      \
    }

#ifndef TWEED_CALLS_APART_ /* lib/: where the functions of these names are made */

static tweed_kind tweed_index_kind_ TWEED_UNUSED_ =
    TWEED_KIND_INIT_(0, tweed_work_index_, TWEED_NULL_);
static tweed_kind tweed_range_kind_ TWEED_UNUSED_ =
    TWEED_KIND_INIT_(TWEED_CLAIM_NS_, tweed_work_range_, TWEED_NULL_);

TWEED_INLINE_ int tweed_parallel_for(int64_t lo, int64_t hi, tweed_index_fn *fn,
                                     void *arg)
{
    return fn ? tweed_loop_run(TWEED_NULL_, TWEED_NULL_, lo, hi, &tweed_index_kind_,
                               TWEED_BODY_(fn), arg)
              : TWEED_LACKS_("fn");
}

TWEED_INLINE_ int tweed_parallel_for_range(int64_t lo, int64_t hi,
                                           tweed_range_fn *fn, void *arg)
{
    return fn ? tweed_loop_run(TWEED_NULL_, TWEED_NULL_, lo, hi, &tweed_range_kind_,
                               TWEED_BODY_(fn), arg)
              : TWEED_LACKS_("fn");
}

TWEED_INLINE_ TWEED_CHECKED_ int
tweed_parallel_for_with(tweed_pool *pool, const tweed_loop_options *options,
                        int64_t lo, int64_t hi, tweed_index_fn *fn, void *arg)
{
    return fn ? tweed_loop_run(pool, options, lo, hi, &tweed_index_kind_, TWEED_BODY_(fn),
                               arg)
              : TWEED_LACKS_("fn");
}

TWEED_INLINE_ TWEED_CHECKED_ int
tweed_parallel_for_range_with(tweed_pool *pool, const tweed_loop_options *options,
                              int64_t lo, int64_t hi, tweed_range_fn *fn,
                              void *arg)
{
    return fn ? tweed_loop_run(pool, options, lo, hi, &tweed_range_kind_, TWEED_BODY_(fn),
                               arg)
              : TWEED_LACKS_("fn");
}

#endif /* TWEED_CALLS_APART_ */

#ifdef __cplusplus
}
#endif

/* ---- bodies in braces ---- */

/*
 * TWEED_EACH_ - in the place of a loop: a statement for `count` indices from i on
 *
 * gcc -O3 may vectorise a loop across its indices although the body has a loop of its
 * own.  What is left over, fewer indices than a vector has, is then executed without
 * vectors, the loop inside it too: up to 16 times slower, and a dear body is claimed one
 * index at a time.  So there are two loops.  The first one has a multiple of 8 indices,
 * or of as many as are given: of that nothing is left over.  In the second one each index
 * (of 16: see below) is executed as if it were the only one: a volatile asm keeps compilers
 * from vectorising across it.  Rows of two or three dimensions are short, and what is left
 * of each counts: in TWEED_LOOP_2D, and the like, the first loop has a multiple of
 * TWEED_ROW_.
 *
 * A multiple of 16 or 64 comes with leave to execute several indices at a time, which gcc
 * takes at -O2 where it sees that none is left over.  16 is for rows, 64 for strips, whose
 * rest counts once a claim.  Of what is left of 16 gcc executes four indices at a time, and
 * up to 3 alone: a loop of four becomes a vector, where the body can, if gcc may not unroll
 * the loop before.  (With clang fours are no gain.)  The branch around that code keeps it
 * away from rows that leave nothing, of 16 indices for example, which are slower else.
 *
 * The asm of TWEED_EACH_, and that of TWEED_LEFT_16_, keep what is known of a number next
 * to the loop: gcc forgets it where it computes the number for all rows at once.
 */
#define TWEED_EACH_(multiple, count, i, statement)                             \
    {                                                                          \
        uint64_t tweed_count_ = (count);                                       \
        uint64_t tweed_even_;                                                  \
                                                                               \
        __asm__("" : "+r"(tweed_count_)); /* in its place: see above */        \
        tweed_even_ = tweed_count_ & (UINT64_MAX - (multiple - 1));            \
        TWEED_TOGETHER_##multiple##_ for (uint64_t tweed_m_ = 0;               \
                                          tweed_m_ < tweed_even_;              \
                                          tweed_m_++, ++(i)) statement;        \
        TWEED_LEFT_##multiple##_(tweed_count_ - tweed_even_, i, statement)     \
    }
#define TWEED_EACH_LEFT_(count, i, statement)                                  \
    for (uint64_t tweed_left_ = (count); tweed_left_ > 0;                      \
         tweed_left_--, ++(i)) {                                               \
        __asm__ __volatile__("");                                              \
        statement;                                                             \
    }

#define TWEED_TOGETHER_4_
#define TWEED_LEFT_4_ TWEED_EACH_LEFT_
#define TWEED_TOGETHER_8_
#define TWEED_LEFT_8_ TWEED_EACH_LEFT_
#ifdef __clang__
/* A body that cannot be vectorised is no mistake: one with a call, for example, or with
   a loop of its own.  clang warns behind its front end, and looks the warning up where
   the loop's macro stands in the program: a pragma inside of the macro comes too late for
   it.  So the warning is off from here on. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define TWEED_TOGETHER_16_ _Pragma("clang loop vectorize(assume_safety)")
#define TWEED_LEFT_16_ TWEED_EACH_LEFT_
#else
#define TWEED_TOGETHER_16_ _Pragma("GCC ivdep")
#define TWEED_LEFT_16_(count, i, statement)                                    \
    if (__builtin_expect((count) > 0, 0)) {                                    \
        uint64_t tweed_rest_ = (count);                                        \
                                                                               \
        __asm__("" : "+r"(tweed_rest_)); /* in its place, too */               \
        for (; tweed_rest_ >= 4; tweed_rest_ -= 4)                             \
            _Pragma("GCC ivdep") _Pragma("GCC unroll 1") for (                 \
                int tweed_q_ = 0; tweed_q_ < 4; tweed_q_++, ++(i)) statement;  \
        TWEED_EACH_LEFT_(tweed_rest_, i, statement)                            \
    }
#endif
#define TWEED_TOGETHER_64_ TWEED_TOGETHER_16_
#define TWEED_LEFT_64_ TWEED_EACH_LEFT_

/* The work of a loop, and its kind. */
#define TWEED_MAKE_KIND_(name, multiple, ...)                                  \
    TWEED_CHECK_LIST_(0loop_, __VA_ARGS__)                                     \
    TWEED_LOOP_BODY_(name, __VA_ARGS__);                                       \
    TWEED_ARGUMENTS_(, name, __VA_ARGS__)                                      \
    static TWEED_UNUSED_ void name##_tweed_work(tweed_cursor *tweed_c_)        \
    {                                                                          \
        do {                                                                   \
            TWEED_UNPACK_(name, tweed_c_->arg, __VA_ARGS__)                    \
            int64_t tweed_i_ = tweed_first(tweed_c_);                          \
                                                                               \
            TWEED_EACH_(                                                       \
                multiple, tweed_span_(tweed_i_, tweed_past(tweed_c_)),         \
                tweed_i_,                                                      \
                (name##_tweed_body)(tweed_i_ TWEED_LOCALS_(__VA_ARGS__)))      \
        } while (tweed_next(tweed_c_));                                        \
    }                                                                          \
    static tweed_kind name##_tweed_kind TWEED_UNUSED_ =                        \
        TWEED_KIND_INIT_(TWEED_CLAIM_NS_, name##_tweed_work, #name);

/* What stands before the braces. */
#define TWEED_LOOP_BODY_(name, ...)                                            \
    TWEED_INLINE_ void name##_tweed_body(TWEED_READ_PARAMETERS_(__VA_ARGS__))

/* name_with(), of the kind of that name. */
#define TWEED_LOOP_WITH_(name, ...)                                            \
    static TWEED_UNUSED_ TWEED_CHECKED_ int name##_with(                       \
        tweed_pool *tweed_pool_, const tweed_loop_options *tweed_options_,     \
        int64_t tweed_lo_, int64_t tweed_hi_ TWEED_PARAMETERS_(__VA_ARGS__))   \
    {                                                                          \
        TWEED_PACK_(name, __VA_ARGS__)                                         \
                                                                               \
        return tweed_loop_run(tweed_pool_, tweed_options_, tweed_lo_,          \
                              tweed_hi_, &name##_tweed_kind, TWEED_NULL_,      \
                              &tweed_v_);                                      \
    }

#define TWEED_MAKE_LOOP_(name, multiple, ...)                                  \
    TWEED_MAKE_KIND_(name, multiple, __VA_ARGS__)                              \
    TWEED_LOOP_WITH_(name, __VA_ARGS__)                                        \
    static TWEED_UNUSED_ int name(                                             \
        int64_t tweed_lo_, int64_t tweed_hi_ TWEED_PARAMETERS_(__VA_ARGS__))   \
    {                                                                          \
        return (name##_with)(TWEED_NULL_, TWEED_NULL_, tweed_lo_,              \
                             tweed_hi_ TWEED_PASSED_(__VA_ARGS__));            \
    }                                                                          \
    TWEED_LOOP_BODY_(name, __VA_ARGS__)

/*
 * TWEED_LOOP - a parallel loop with its body in braces
 *
 *     TWEED_LOOP(saxpy, i, float *, y, const float *, x, float, a)
 *     {
 *         y[i] += a * x[i];
 *     }
 *     ...
 *     saxpy(0, n, y, x, a);     for (int64_t i = 0; i < n; i++) { the braces }
 *
 * At file scope, in C11 and C++11.  It makes two ordinary static functions,
 *
 *     int saxpy(int64_t lo, int64_t hi, float *y, const float *x, float a);
 *     int saxpy_with(tweed_pool *, const tweed_loop_options *,
 *                    int64_t lo, int64_t hi, float *y, const float *x, float a);
 *
 * which do what tweed_parallel_for() and tweed_parallel_for_with() do.  The body is
 * compiled in place: inlined into a loop over a strip of indices, and vectorised
 * where the compiler would vectorise such a loop.
 *
 * name     of the function; shown by tweed_pool_dump()
 * i        the name of the index in the braces, an int64_t
 * ...      up to 16 arguments, each a type and a name.  A type is what can stand before a
 *          name: a pointer to a function, or to an array, needs a typedef, or is passed as
 *          void * and gets its type in the braces: double (*to)[n].  Each strip has
 *          copies of the arguments, in registers where they fit: what the braces assign to
 *          one of them is seen by no other index.  What all indices are to write is
 *          reached by a pointer
 *
 * `return` in the braces ends one index.  Callers, blocking, memory ordering, results: as
 * tweed_parallel_for().
 *
 * Bodies must not wait for one another.  A short loop may be run by its caller
 * alone: a body that waits there for another index to begin may wait for ever.
 *
 * A worker claims a strip of consecutive indices at a time, as many as take about
 * two microseconds.  A loop remembers what an index cost last time.  If the loop should
 * be over before others could begin, the caller begins it alone, and shares it if it
 * lasts.
 *
 * TWEED_SIMD_LOOP is the same with a promise of the user's: the body is right when
 * several indices are executed together, one operation of all after the other.
 * That is what `#pragma omp for simd` asks.  gcc vectorises such a loop at -O2.
 */
#define TWEED_LOOP(name, ...) TWEED_MAKE_LOOP_(name, 8, __VA_ARGS__)
#define TWEED_SIMD_LOOP(name, ...) TWEED_MAKE_LOOP_(name, 64, __VA_ARGS__)

#endif /* TWEED_INLINE_H */
