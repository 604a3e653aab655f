/*
 * tweed/reduce.h - sums, minima and other reductions of a loop: the same bits always.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h.
 *
 *     TWEED_SUM(), TWEED_COMPENSATED_SUM(), TWEED_MIN(), TWEED_MAX(), TWEED_REDUCE()
 *                                a function that returns a value, out of a body in
 *                                braces
 *     tweed_parallel_reduce()    the same by pointer, elements of any size
 *
 * THE RESULT is the same for every number of workers, every steal and every run.
 * The indices are divided into blocks by their number alone (and the option grain, if
 * it is set).  Any worker may execute any block, from its lowest index to its
 * highest; what comes out is the block's partial result.  The partial results are
 * combined in a fixed pairwise tree: 0 with 1, 2 with 3, and so on; then 0,1 with
 * 2,3; a block without a partner waits for the next level.  The left one has the
 * lower indices, so that combining need not be commutative.
 *
 * Another compiler, other options of it or another version of tweed may give other
 * bits: they may round elsewhere, or divide the loop elsewhere.  Each operation must be
 * rounded to its type, FLT_EVAL_METHOD being 0: on 32-bit x86 that is so with -msse2
 * -mfpmath=sse.
 *
 * Names that end with _ are tweed's own.
 */
#ifndef TWEED_H
#include <tweed.h> /* which includes this file */
#endif
#ifndef TWEED_REDUCE_H
#define TWEED_REDUCE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- by pointer ---- */

/* Adds the indices [begin, end) to *element.  arg is the pointer given to the call. */
typedef void tweed_reduce_fn(int64_t begin, int64_t end, void *element, void *arg);

/* Combines *from, which comes from higher indices, into *into. */
typedef void tweed_combine_fn(void *into, const void *from, void *arg);

/* What is to be done: a struct that begins with its size (see tweed.h). */
typedef struct tweed_reduction {
    size_t size;               /* sizeof(tweed_reduction) */
    size_t element_size;       /* bytes of a partial result, and of the result */
    size_t alignment;          /* of an element: a power of two */
    const void *identity;      /* the element that a block begins with */
    tweed_reduce_fn *body;
    tweed_combine_fn *combine;
} tweed_reduction;

#define TWEED_REDUCTION_INIT { sizeof(tweed_reduction), 0, 0, NULL, NULL, NULL }

/*
 * tweed_parallel_reduce, tweed_parallel_reduce_with - reduce [lo, hi) to one element
 *
 *     copy *identity to e;
 *     body(lo, hi, &e, arg);
 *     copy e to *result;
 *
 * on the default pool; _with on a given pool and with options, as in
 * tweed_parallel_for_with().
 *
 * lo, hi     any values; for lo >= hi the result is the identity
 * reduction  the element, the body and how elements are combined.  The body is
 *            called for each block once, with an element that is a copy of
 *            *identity; the blocks do not overlap and cover [lo, hi).  For a block of
 *            more than 4,096 indices (the multiple of the option grain that is no
 *            less) it is called for so many of them at a time, from the lowest on, and
 *            goes on with the same element.  Elements are copied by memcpy().
 * arg        handed to body and combine as it is
 * result     receives the result; left alone on failure.  It may lie anywhere but in
 *            the identity
 *
 * options->grain: a block is a multiple of so many indices.  The number of blocks
 * depends on hi - lo, grain and element_size.  It is at most 32,768; of elements of
 * more than 8 bytes at most 256 KiB of elements, but at least 64 may be needed.
 *
 * Callers, blocking and memory ordering: as tweed_parallel_for().  combine is
 * called on any worker of the loop, at the same time for different elements, and
 * must not wait for a body.
 *
 * Up to 16 KiB of partial results lie on the caller's stack, and for more memory is
 * allocated.  If there is none the loop runs in parts that need less, in the same tree.
 *
 * Returns TWEED_OK; TWEED_EINVAL if a pointer but arg is NULL, element_size is 0 or
 * alignment not a power of two, or the options are wrong; TWEED_ENOMEM for elements of
 * more than 4 KiB; TWEED_ENOPOOL, TWEED_ECLOSED.  In these cases no index was executed.
 */
TWEED_API_ TWEED_CHECKED_ int tweed_parallel_reduce(
    int64_t lo, int64_t hi, const tweed_reduction *reduction, void *arg,
    void *result);
TWEED_API_ TWEED_CHECKED_ int tweed_parallel_reduce_with(
    tweed_pool *pool, const tweed_loop_options *options, int64_t lo, int64_t hi,
    const tweed_reduction *reduction, void *arg, void *result);

#ifdef __cplusplus
}
#endif

/* ---- in braces ---- */

#define TWEED_ADD_(T, e, x) (e) = TWEED_VALUE_(T, (e) + (x))
#define TWEED_LESSER_(T, e, x)                                                 \
    do {                                                                       \
        const T tweed_x_ = (x);                                                \
                                                                               \
        (e) = tweed_x_ < (e) ? tweed_x_ : (e);                                 \
    } while (0)
#define TWEED_GREATER_(T, e, x)                                                \
    do {                                                                       \
        const T tweed_x_ = (x);                                                \
                                                                               \
        (e) = tweed_x_ > (e) ? tweed_x_ : (e);                                 \
    } while (0)

/*
 * TWEED_SUM - the sum of what the body in braces returns for each index
 *
 *     TWEED_SUM(double, dot, i, const double *, x, const double *, y)
 *     {
 *         return x[i] * y[i];
 *     }
 *     ...
 *     d = dot(0, n, x, y);  d = 0; for (int64_t i = 0; i < n; i++) d += the braces;
 *
 * At file scope, in C11 and C++11.  It makes two ordinary static functions,
 *
 *     double dot(int64_t lo, int64_t hi, const double *x, const double *y);
 *     int dot_with(tweed_pool *, const tweed_loop_options *, int64_t lo, int64_t hi,
 *                  const double *x, const double *y, double *result);
 *
 * The first one returns the sum.  It runs on the default pool and does not fail.  The
 * second one runs on a given pool and with options, returns TWEED_OK or what
 * tweed_parallel_for_with() returns, TWEED_EINVAL if result is NULL, too, and writes
 * the sum to *result, which it leaves alone on failure.
 *
 * T        the type of the values and of the sum: a number, of at most 4 KiB
 * name     of the function; shown by tweed_pool_dump()
 * i        the name of the index in the braces, an int64_t
 * ...      up to 16 arguments, each a type and a name, as those of TWEED_LOOP()
 *
 * The body is called once for each index, may write as that of TWEED_LOOP() may, is
 * compiled in place, and ends by return.
 * In what order the values are added depends on hi - lo and the option grain alone
 * (the top of this file), so the sum has the same bits on any number of workers.
 * Callers, blocking, memory ordering: as tweed_parallel_for().  What a body
 * must not wait for, and short loops: as TWEED_LOOP().
 *
 * Integers wrap or overflow as they do in C.  Sums of few bits (T short) are
 * converted to T after each addition.
 */
#define TWEED_SUM(T, name, ...) TWEED_MAKE_SUM_OF_(T, name, 1D_, (), __VA_ARGS__)
#define TWEED_MAKE_SUM_OF_(T, name, D, before, ...)                            \
    TWEED_CHECK_LIST_(0sum_, __VA_ARGS__)                                      \
    TWEED_MAKE_VALUES_(name, D, T, T, TWEED_ADD_, TWEED_ADD_, TWEED_VALUE_(T, 0), \
                       TWEED_ALWAYS_, TWEED_SAME_, before, __VA_ARGS__)

/*
 * TWEED_MIN, TWEED_MAX - the smallest, the largest of start and of what the body
 * returns for each index
 *
 *     TWEED_MAX(float, peak, -INFINITY, i, const float *, x) { return x[i]; }
 *     ...
 *     p = peak(0, n, x);
 *
 * As TWEED_SUM(), with the value that comes out if there is no index.  start may be
 * any expression of type T that is valid in a function, and may name the loop's arguments;
 * it is evaluated once a call.
 *
 * A value that is not a number (NaN) is passed over.  A start that is not a number is
 * TWEED_EINVAL of name_with(), and no body is called; name() returns it as it is.  Of
 * 0.0 and -0.0 the result is either, but always the same one.
 */
#define TWEED_MIN(T, name, start, ...)                                         \
    TWEED_MAKE_BEST_(T, name, 1D_, start, TWEED_LESSER_, (), __VA_ARGS__)
#define TWEED_MAX(T, name, start, ...)                                         \
    TWEED_MAKE_BEST_(T, name, 1D_, start, TWEED_GREATER_, (), __VA_ARGS__)
#define TWEED_MAKE_BEST_(T, name, D, start, better, before, ...)               \
    TWEED_CHECK_LIST_(0best_, __VA_ARGS__)                                     \
    TWEED_MAKE_VALUES_(name, D, T, T, better, better, start, TWEED_NUMBER_,    \
                       TWEED_SAME_, before, __VA_ARGS__)

/*
 * The sum, and what rounding has taken from it: the sum of the two is right to about
 * twice the precision.  What an addition loses is computed without a comparison: D. E.
 * Knuth, The Art of Computer Programming 2, 4.2.2, theorem B; summed up as by T. Ogita,
 * S. M. Rump, S. Oishi, Accurate Sum and Dot Product, SIAM J. Sci. Comput. 26 (2005).
 */
#define TWEED_ADD_PAIR_(T, e, x)                                               \
    do {                                                                       \
        const T tweed_x_ = (x), tweed_y_ = (e).sum + tweed_x_,                 \
                tweed_z_ = tweed_y_ - (e).sum;                                 \
                                                                               \
        (e).lost += ((e).sum - (tweed_y_ - tweed_z_)) + (tweed_x_ - tweed_z_); \
        (e).sum = tweed_y_;                                                    \
    } while (0)
#define TWEED_JOIN_PAIR_(T, e, f)                                              \
    do {                                                                       \
        const T tweed_lost_ = (f).lost;                                        \
                                                                               \
        TWEED_ADD_PAIR_(T, e, (f).sum);                                        \
        (e).lost += tweed_lost_;                                               \
    } while (0)
/* A sum that is infinite has lost all, and then it is no number what it has lost. */
#define TWEED_PAIR_SUM_(T, e)                                                  \
    ((e).sum + (e).lost <= (e).sum || (e).sum + (e).lost >= (e).sum            \
         ? (e).sum + (e).lost                                                  \
         : (e).sum)

/*
 * TWEED_COMPENSATED_SUM - TWEED_SUM() with about twice the precision of T
 *
 * T is float, double or long double.  What each addition rounds away is added up too,
 * and added to the sum at the end.  It takes four to ten times the additions.  The
 * file must not be compiled with -ffast-math or -fassociative-math, nor for the x87
 * (FLT_EVAL_METHOD is 2).
 */
#define TWEED_COMPENSATED_SUM(T, name, ...)                                    \
    TWEED_CHECK_LIST_(0sum_, __VA_ARGS__)                                      \
    TWEED_STRUCT_(, name##_tweed_pair, T sum, lost;)                           \
    static const struct name##_tweed_pair name##_tweed_none = { 0, 0 };        \
    TWEED_MAKE_VALUES_(name, 1D_, T, struct name##_tweed_pair, TWEED_ADD_PAIR_, \
                       TWEED_JOIN_PAIR_, name##_tweed_none, TWEED_ALWAYS_,     \
                       TWEED_PAIR_SUM_, (), __VA_ARGS__)

/*
 * TWEED_REDUCE - a loop whose body accumulates into an element of any type
 *
 *     static void widen(struct extent *into, const struct extent *from) { ... }
 *
 *     TWEED_REDUCE(struct extent, extent_of, no_extent, widen, e, i, const float *, x)
 *     {
 *         e->least = x[i] < e->least ? x[i] : e->least;
 *         e->most = x[i] > e->most ? x[i] : e->most;
 *     }
 *     ...
 *     e = extent_of(0, n, x);
 *
 *     e = no_extent; for (int64_t i = 0; i < n; i++) { the braces, given &e }
 *
 * As TWEED_SUM(), but for:
 *
 * T         any type that can be assigned, of at most 4 KiB
 * identity  an expression of type T, evaluated once a call: the element that a block
 *           begins with.  Combined with any element it must leave that as it is
 * combine   combine(T *into, const T *from) combines *from, which comes from higher
 *           indices, into *into: a function, or a macro.  It must be associative, as
 *           far as rounding lets it, and need not be commutative
 * acc       the name of the pointer to the element in the braces
 */
#define TWEED_REDUCE(T, name, identity, combine, acc, ...)                     \
    TWEED_MAKE_ANY_(T, name, 1D_, identity, combine, (TWEED_ACC_(T, acc), ),   \
                    __VA_ARGS__)
#define TWEED_ACC_(T, acc) TWEED_UNUSED_ T *acc
#define TWEED_MAKE_ANY_(T, name, D, identity, combine, before, ...)            \
    TWEED_CHECK_LIST_(0any_, __VA_ARGS__)                                      \
    TWEED_INLINE_ void name##_tweed_body(                                      \
        TWEED_LIST_ before TWEED_BODY_PARAMETERS_(__VA_ARGS__));               \
    TWEED_ARGUMENTS_(, name, __VA_ARGS__)                                      \
    TWEED_MAKE_BLOCK_(                                                         \
        name, D, T, (__VA_ARGS__), TWEED_LIST_,                                \
        (TWEED_PIECES_(tweed_c_, tweed_q_, tweed_stop_, tweed_n_)              \
            TWEED_EACH_(8, tweed_stop_ - tweed_q_, tweed_k_,                   \
                        (name##_tweed_body)(&tweed_e_, TWEED_BEFORE_##D        \
                                                tweed_k_ TWEED_LOCALS_(        \
                                                    __VA_ARGS__)))))           \
    TWEED_MAKE_REDUCTION_(name, D, T, combine)                                 \
    TWEED_MAKE_RESULT_(name, D, T, T, identity, TWEED_ALWAYS_, TWEED_SAME_,    \
                       __VA_ARGS__)                                            \
    TWEED_INLINE_ void name##_tweed_body(                                      \
        TWEED_LIST_ before TWEED_BODY_PARAMETERS_(__VA_ARGS__))

/*
 * TWEED_SUM_2D, TWEED_MIN_2D, TWEED_MAX_2D, TWEED_REDUCE_2D, and the same with 3D -
 * reductions over two and three dimensions
 *
 *     TWEED_MAX_2D(double, change, 0, i, j, const double *, now, const double *, next,
 *                  int64_t, width)
 *     {
 *         return fabs(next[i * width + j] - now[i * width + j]);
 *     }
 *     ...
 *     m = change(1, height - 1, 1, width - 1, now, next, width);
 *
 *     m = 0; for (int64_t i = 1; i < height - 1; i++)
 *                for (int64_t j = 1; j < width - 1; j++)
 *                    m = fmax(m, the braces);
 *
 * They make the functions of TWEED_SUM() and so on, with the bounds of TWEED_LOOP_2D()
 * or TWEED_LOOP_3D() (tweed/tiles.h).  Indices are taken in the order of the walk that
 * is described there, which the option tile may change; so this may change the bits of
 * the result, and the number of workers may not.
 *
 * name_with() returns also TWEED_ERANGE if there are more than INT64_MAX indices, and
 * TWEED_EINVAL for a tile that is none.  name() returns then what it does for no index.
 */
#define TWEED_SUM_2D(T, name, i, ...)                                          \
    TWEED_MAKE_SUM_OF_(T, name, 2D_, (TWEED_INDEX_(i), ), __VA_ARGS__)
#define TWEED_SUM_3D(T, name, i, j, ...)                                       \
    TWEED_MAKE_SUM_OF_(T, name, 3D_, (TWEED_INDEX_(i), TWEED_INDEX_(j), ),     \
                       __VA_ARGS__)
#define TWEED_MIN_2D(T, name, start, i, ...)                                   \
    TWEED_MAKE_BEST_(T, name, 2D_, start, TWEED_LESSER_, (TWEED_INDEX_(i), ),  \
                     __VA_ARGS__)
#define TWEED_MIN_3D(T, name, start, i, j, ...)                                \
    TWEED_MAKE_BEST_(T, name, 3D_, start, TWEED_LESSER_,                       \
                     (TWEED_INDEX_(i), TWEED_INDEX_(j), ), __VA_ARGS__)
#define TWEED_MAX_2D(T, name, start, i, ...)                                   \
    TWEED_MAKE_BEST_(T, name, 2D_, start, TWEED_GREATER_, (TWEED_INDEX_(i), ), \
                     __VA_ARGS__)
#define TWEED_MAX_3D(T, name, start, i, j, ...)                                \
    TWEED_MAKE_BEST_(T, name, 3D_, start, TWEED_GREATER_,                      \
                     (TWEED_INDEX_(i), TWEED_INDEX_(j), ), __VA_ARGS__)
#define TWEED_REDUCE_2D(T, name, identity, combine, acc, i, ...)               \
    TWEED_MAKE_ANY_(T, name, 2D_, identity, combine,                           \
                    (TWEED_ACC_(T, acc), TWEED_INDEX_(i), ), __VA_ARGS__)
#define TWEED_REDUCE_3D(T, name, identity, combine, acc, i, j, ...)            \
    TWEED_MAKE_ANY_(T, name, 3D_, identity, combine,                           \
                    (TWEED_ACC_(T, acc), TWEED_INDEX_(i), TWEED_INDEX_(j), ),  \
                    __VA_ARGS__)

#endif /* TWEED_REDUCE_H */
