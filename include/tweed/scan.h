/*
 * tweed/scan.h - prefix sums and other scans of a loop: the same bits always.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h.
 *
 *     TWEED_SCAN()               a function that scans, out of a body in braces
 *     tweed_parallel_scan()      the same by pointer, elements of any size
 *
 * A scan is a loop that carries an element from index to index.  The body adds an index
 * to the element, and may write what the element is then (an inclusive scan) or was
 * before (an exclusive scan).
 *
 * TWO PASSES.  The indices are divided into blocks by their number alone (and the option
 * grain, if it is set).  The first pass adds up each block, from the identity on.  Then
 * the caller combines the blocks' elements from the left to the right: a block begins
 * with what all blocks before give.  The second pass goes through the blocks once more,
 * and writes.  The worker that begins with the first block knows what lies before each
 * block that it comes to: so it writes in the first pass, and the second pass begins
 * behind what it has written.  So a body is executed for each index once without writing,
 * and once with it; an argument says which.  A scan of many blocks is done in parts of 256
 * blocks, one after the other: the second pass finds in the cache what the first has read.
 *
 * THE RESULT is the same for every number of workers, every steal and every run.
 * Another compiler, other options of it or another version of tweed may give other
 * bits.
 *
 * Two passes and what lies between them: G. E. Blelloch, Prefix Sums and Their
 * Applications, CMU-CS-90-190 (1990).
 *
 * Names that end with _ are tweed's own.
 */
#ifndef TWEED_H
#include <tweed.h> /* which includes this file */
#endif
#ifndef TWEED_SCAN_H
#define TWEED_SCAN_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- by pointer ---- */

/* Adds the indices [begin, end) to *element, one after the other.  writes: *element
   began with what all lower indices give, so results are to be written; otherwise
   nothing may be.  arg is the pointer given to the call. */
typedef void tweed_scan_fn(int64_t begin, int64_t end, void *element, int writes,
                           void *arg);

/* What is to be done: a struct that begins with its size (see tweed.h). */
typedef struct tweed_scan_spec {
    size_t size;          /* sizeof(tweed_scan_spec) */
    size_t element_size;  /* bytes of an element, at most 1024 */
    size_t alignment;     /* of an element: a power of two, at most 1024 */
    const void *identity; /* the element of no index */
    tweed_scan_fn *body;
    tweed_combine_fn *combine; /* of tweed/reduce.h: *from comes from higher indices */
} tweed_scan_spec;

#define TWEED_SCAN_SPEC_INIT { sizeof(tweed_scan_spec), 0, 0, NULL, NULL, NULL }

/*
 * tweed_parallel_scan, tweed_parallel_scan_with - scan [lo, hi)
 *
 *     copy *identity to e;
 *     body(lo, hi, &e, 1, arg);
 *     copy e to *result;
 *
 * on the default pool; _with on a given pool and with options, as in
 * tweed_parallel_for_with().
 *
 * lo, hi     any values; for lo >= hi the result is the identity
 * scan       the element, the body and how elements are combined.  Elements are
 *            copied by memcpy()
 * arg        handed to body and combine as it is
 * result     receives the element after the last index; left alone on failure.  It
 *            may lie anywhere but in the identity
 *
 * The body is called for each block with writes = 0 and later with writes = 1, in this
 * order, and so results may be written over what the same index is made of.  A block is
 * at most 1,024 indices, of a loop of less than 65,536 indices a 64th of them;
 * options->grain: a multiple of so many indices.
 *
 * combine must be associative, as far as rounding lets it.  It is called on any worker of
 * the loop, for elements of the worker's own, and by the caller between the passes.
 *
 * Callers, blocking and memory ordering: as tweed_parallel_for().  No memory is
 * allocated: elements lie on the caller's stack, in up to 28 KiB, and three of them on
 * that of each worker.
 *
 * The outcome of the options is that of the last pass of a part.
 * What a scan that was stopped has written is undefined, but for its result, which is left
 * alone.
 *
 * Returns TWEED_OK; TWEED_EINVAL if a pointer but arg is NULL, element_size is 0 or more
 * than 1024, alignment not a power of two or more than that, or the options are wrong;
 * TWEED_ENOPOOL, TWEED_ECLOSED.  In these cases no index was executed, unless the pool
 * was destroyed while the scan ran.
 */
TWEED_API_ TWEED_CHECKED_ int tweed_parallel_scan(int64_t lo, int64_t hi,
                                                  const tweed_scan_spec *scan, void *arg,
                                                  void *result);
TWEED_API_ TWEED_CHECKED_ int tweed_parallel_scan_with(
    tweed_pool *pool, const tweed_loop_options *options, int64_t lo, int64_t hi,
    const tweed_scan_spec *scan, void *arg, void *result);

/* ---- what the macro is made of ---- */

/* The elements of a scan's blocks while it runs. */
struct tweed_prefixes_ {
    size_t size;          /* sizeof(struct tweed_prefixes_) */
    size_t element;       /* bytes of an element */
    size_t stride;        /* from one to the next: a multiple of the alignment */
    size_t alignment;
    const void *identity; /* the element of no index */
    void *result;         /* receives the element after the last index */
    void *arg;            /* what work() needs */
    void (*combine)(const struct tweed_prefixes_ *p, void *into, const void *from);
    /* Set by tweed_loop_run_scan_(): the element of each block.  work() makes it out of
       the identity in the first pass, and goes on with it in the second one.  Behind the
       last block's element stands the first block's prefix, until work() has written the
       last block: then the element that the last block ended with. */
    void *blocks;
    uint32_t executed; /* blocks, counted at the end of a walk; atomic */
    uint32_t written;  /* blocks, from the first one on: set by work() in pass 1 */
};

/* Runs [lo, hi) by two kinds, whose work() executes blocks; c->arg is p.  fn as in
   tweed_loop_run().  All scans come to this. */
TWEED_API_ TWEED_CHECKED_ int tweed_loop_run_scan_(
    tweed_pool *pool, const tweed_loop_options *options, int64_t lo, int64_t hi,
    tweed_kind *sum, tweed_kind *write, void (*fn)(void), struct tweed_prefixes_ *p);

#ifdef __cplusplus
}
#endif

/* Is the walk one that began with block 0, so that it knows what lies before? */
TWEED_INLINE_ int tweed_walk_leads_(const struct tweed_walk_ *w)
{
    return w->first == 0;
}

/* What the work of both passes begins with. */
#define TWEED_BEGIN_PASS_(T)                                                   \
    struct tweed_prefixes_ *const tweed_p_ =                                   \
        TWEED_TYPED_(struct tweed_prefixes_, tweed_c_->arg);                   \
    T *const tweed_e_ = TWEED_TYPED_(T, tweed_p_->blocks);                     \
    struct tweed_walk_ tweed_w_ = tweed_walk_begin_(tweed_c_);

/* Two blocks at a time, since an index waits for the element of the one before it.  Of
   the walk's next block the index, and where the block ends; and the same of the block
   behind it, which is no longer, or which is empty here since it is not claimed. */
#define TWEED_BEGIN_BLOCKS_                                                    \
    const int64_t tweed_past_ = tweed_walk_past_(&tweed_w_);                   \
    int64_t tweed_i_ = tweed_walk_first_(&tweed_w_);                           \
    int64_t tweed_j_ = tweed_past_, tweed_end_ = tweed_past_;                  \
                                                                               \
    tweed_walk_on_(&tweed_w_);                                                 \
    if (tweed_w_.next < tweed_w_.end)                                          \
        tweed_end_ = tweed_walk_past_(&tweed_w_);

/* Executes both; the element of the first is e, of the second f. */
#define TWEED_RUN_BLOCKS_(name, e, f, writes, ...)                             \
    for (; tweed_j_ < tweed_end_; tweed_i_++, tweed_j_++) {                    \
        (name##_tweed_body)(&(e), writes,                                      \
                            tweed_i_ TWEED_LOCALS_(__VA_ARGS__));              \
        (name##_tweed_body)(&(f), writes,                                      \
                            tweed_j_ TWEED_LOCALS_(__VA_ARGS__));              \
    }                                                                          \
    for (; tweed_i_ < tweed_past_; tweed_i_++)                                 \
        (name##_tweed_body)(&(e), writes,                                      \
                            tweed_i_ TWEED_LOCALS_(__VA_ARGS__));

/* A block of a walk that leads is added up and written; before: what lies before it.
   A walk that leads reaches the last block only if no other worker has claimed a block, so
   none reads what lies before the first block when that is written over. */
#define TWEED_LEAD_BLOCK_(name, T, combine, before, ...)                       \
    const int64_t tweed_past_ = tweed_walk_past_(&tweed_w_);                   \
    T tweed_sum_ = tweed_identity_, tweed_carried_ = before;                   \
                                                                               \
    for (int64_t tweed_i_ = tweed_walk_first_(&tweed_w_);                      \
         tweed_i_ < tweed_past_; tweed_i_++) {                                 \
        (name##_tweed_body)(&tweed_sum_, 0,                                    \
                            tweed_i_ TWEED_LOCALS_(__VA_ARGS__));              \
        (name##_tweed_body)(&tweed_carried_, 1,                                \
                            tweed_i_ TWEED_LOCALS_(__VA_ARGS__));              \
    }                                                                          \
    combine(&before, &tweed_sum_);                                             \
    tweed_e_[tweed_w_.next] = tweed_sum_;                                      \
    tweed_walk_on_(&tweed_w_);                                                 \
    if (tweed_w_.next == tweed_w_.blocks)                                      \
        tweed_e_[tweed_w_.next] = tweed_carried_;                              \
    tweed_written_ = tweed_w_.next;

/* The first pass: sums, and where the walk leads what is written, too.  An index is added
   up before it is written, since what is written may be written over what is read. */
#define TWEED_MAKE_SUM_(T, name, combine, ...)                                 \
    static TWEED_UNUSED_ void name##_tweed_sum(tweed_cursor *tweed_c_)         \
    {                                                                          \
        TWEED_BEGIN_PASS_(T)                                                   \
        const T tweed_identity_ = *TWEED_TYPED_(const T, tweed_p_->identity);  \
        T tweed_before_ = tweed_e_[tweed_w_.blocks];                           \
        uint32_t tweed_written_ = 0;                                           \
                                                                               \
        do {                                                                   \
            TWEED_UNPACK_(name, tweed_p_->arg, __VA_ARGS__)                    \
                                                                               \
            tweed_walk_claim_(&tweed_w_, tweed_c_);                            \
            while (tweed_walk_leads_(&tweed_w_) &&                             \
                   tweed_w_.next < tweed_w_.end) {                             \
                TWEED_LEAD_BLOCK_(name, T, combine, tweed_before_,             \
                                  __VA_ARGS__)                                 \
            }                                                                  \
            while (tweed_w_.next < tweed_w_.end) {                             \
                T *const tweed_to_ = tweed_e_ + tweed_w_.next;                 \
                T tweed_sum_ = tweed_identity_, tweed_other_ = tweed_identity_; \
                TWEED_BEGIN_BLOCKS_                                            \
                                                                               \
                TWEED_RUN_BLOCKS_(name, tweed_sum_, tweed_other_, 0,           \
                                  __VA_ARGS__)                                 \
                tweed_to_[0] = tweed_sum_;                                     \
                if (tweed_w_.next < tweed_w_.end) {                            \
                    tweed_to_[1] = tweed_other_;                               \
                    tweed_walk_on_(&tweed_w_);                                 \
                }                                                              \
            }                                                                  \
        } while (tweed_next(tweed_c_));                                        \
        if (tweed_written_)                                                    \
            tweed_p_->written = tweed_written_;                                \
        tweed_walk_end_(&tweed_w_, &tweed_p_->executed);                       \
    }                                                                          \
    static tweed_kind name##_tweed_sum_kind TWEED_UNUSED_ =                    \
        TWEED_KIND_INIT_(TWEED_CLAIM_NS_, name##_tweed_sum, #name);

/* The second pass: what is written. */
#define TWEED_MAKE_WRITE_(T, name, ...)                                        \
    static TWEED_UNUSED_ void name##_tweed_write(tweed_cursor *tweed_c_)       \
    {                                                                          \
        TWEED_BEGIN_PASS_(T)                                                   \
                                                                               \
        do {                                                                   \
            TWEED_UNPACK_(name, tweed_p_->arg, __VA_ARGS__)                    \
                                                                               \
            tweed_walk_claim_(&tweed_w_, tweed_c_);                            \
            while (tweed_w_.next < tweed_w_.end) {                             \
                T tweed_carried_ = tweed_e_[tweed_w_.next];                    \
                T tweed_other_ = tweed_e_[tweed_w_.next + 1];                  \
                TWEED_BEGIN_BLOCKS_                                            \
                                                                               \
                TWEED_RUN_BLOCKS_(name, tweed_carried_, tweed_other_, 1,       \
                                  __VA_ARGS__)                                 \
                if (tweed_w_.next < tweed_w_.end) {                            \
                    tweed_carried_ = tweed_other_;                             \
                    tweed_walk_on_(&tweed_w_);                                 \
                }                                                              \
                if (tweed_w_.next == tweed_w_.blocks)                          \
                    tweed_e_[tweed_w_.blocks] = tweed_carried_;                \
            }                                                                  \
        } while (tweed_next(tweed_c_));                                        \
        tweed_walk_end_(&tweed_w_, &tweed_p_->executed);                       \
    }                                                                          \
    static tweed_kind name##_tweed_write_kind TWEED_UNUSED_ =                  \
        TWEED_KIND_INIT_(TWEED_CLAIM_NS_, name##_tweed_write, #name);

/*
 * TWEED_SCAN - a loop that carries an element from index to index
 *
 *     TWEED_SCAN(double, add_up, 0, TWEED_PLUS, sum, writes, i,
 *                const double *, x, double *, y)
 *     {
 *         *sum += x[i];
 *         if (writes)
 *             y[i] = *sum;
 *     }
 *     ...
 *     total = add_up(0, n, x, y);
 *
 *     double e = 0; for (int64_t i = 0; i < n; i++) { the braces, given &e and 1 }
 *     total = e;
 *
 * Written so it is an inclusive scan; with the `if` before the addition, an exclusive
 * one.  y may be x.  At file scope, in C11 and C++11.  It makes two ordinary
 * static functions,
 *
 *     double add_up(int64_t lo, int64_t hi, const double *x, double *y);
 *     int add_up_with(tweed_pool *, const tweed_loop_options *, int64_t lo, int64_t hi,
 *                     const double *x, double *y, double *total);
 *
 * The first one returns the element after the last index.  It runs on the default pool
 * and does not fail.  The second one runs on a given pool and with options, and returns
 * TWEED_OK or what tweed_parallel_scan_with() returns.
 *
 * T         the element's type: trivially copyable, of at most 1 KiB
 * name      of the function; shown by tweed_pool_dump()
 * identity  an expression of type T, evaluated once a call: the element of no index.
 *           Combined with any element it must leave that as it is
 * combine   combine(T *into, const T *from) combines *from, which comes from higher
 *           indices, into *into: a function, or a macro such as TWEED_PLUS.  It must be
 *           associative, as far as rounding lets it, and need not be commutative
 * acc       the name of the pointer to the element in the braces
 * writes    the name of an int in the braces: 0 where *acc is a sum of some indices only
 *           and nothing but *acc may be written; 1 where *acc began with what all lower
 *           indices give.  It is a constant where the body is compiled in, and 1 once
 *           for each index
 * i         the name of the index in the braces, an int64_t
 * ...       up to 16 arguments, each a type and a name, as those of TWEED_LOOP()
 *
 * Callers, blocking, memory ordering: as tweed_parallel_for().  In what order
 * elements are combined depends on hi - lo and the option grain alone, so all that is
 * written has the same bits on any number of workers; the last one is what is returned.
 */
#define TWEED_SCAN(T, name, identity, combine, acc, writes, ...)               \
    TWEED_ASSERT_(sizeof(T) <= 1024, "a scan's element has at most 1024 bytes"); \
    TWEED_CHECK_LIST_(0scan_, __VA_ARGS__)                                     \
    TWEED_INLINE_ void name##_tweed_body(                                      \
        T *acc, int writes, TWEED_BODY_PARAMETERS_(__VA_ARGS__));              \
    TWEED_ARGUMENTS_(, name, __VA_ARGS__)                                      \
    TWEED_MAKE_SUM_(T, name, combine, __VA_ARGS__)                             \
    TWEED_MAKE_WRITE_(T, name, __VA_ARGS__)                                    \
    static TWEED_UNUSED_ void name##_tweed_combine(                            \
        const struct tweed_prefixes_ *tweed_p_, void *tweed_into_,             \
        const void *tweed_from_)                                               \
    {                                                                          \
        (void)tweed_p_;                                                        \
        combine(TWEED_TYPED_(T, tweed_into_),                                  \
                TWEED_TYPED_(const T, tweed_from_));                           \
    }                                                                          \
    static TWEED_UNUSED_ int name##_tweed_run(                                 \
        tweed_pool *tweed_pool_, const tweed_loop_options *tweed_options_,     \
        int64_t tweed_lo_, int64_t tweed_hi_, struct name##_tweed_args *tweed_v_, \
        const T *tweed_identity_, T *tweed_total_)                             \
    {                                                                          \
        struct tweed_prefixes_ tweed_p_ = {                                    \
            sizeof(struct tweed_prefixes_), sizeof(T), sizeof(T),              \
            TWEED_ALIGN_OF_(T), tweed_identity_, tweed_total_, tweed_v_,       \
            name##_tweed_combine, TWEED_NULL_, 0, 0                            \
        };                                                                     \
                                                                               \
        return tweed_loop_run_scan_(tweed_pool_, tweed_options_, tweed_lo_,    \
                                    tweed_hi_, &name##_tweed_sum_kind,         \
                                    &name##_tweed_write_kind, TWEED_NULL_,     \
                                    &tweed_p_);                                \
    }                                                                          \
    static TWEED_UNUSED_ TWEED_CHECKED_ int name##_with(                       \
        tweed_pool *tweed_pool_, const tweed_loop_options *tweed_options_,     \
        int64_t tweed_lo_, int64_t tweed_hi_ TWEED_PARAMETERS_(__VA_ARGS__),   \
        T *tweed_total_)                                                       \
    {                                                                          \
        TWEED_PACK_(name, __VA_ARGS__)                                         \
        const T tweed_none_ = identity;                                        \
                                                                               \
        if (!tweed_total_)                                                     \
            return TWEED_LACKS_("total");                                      \
        return name##_tweed_run(tweed_pool_, tweed_options_, tweed_lo_,        \
                                tweed_hi_, &tweed_v_, &tweed_none_,            \
                                tweed_total_);                                 \
    }                                                                          \
    static TWEED_UNUSED_ T name(                                               \
        int64_t tweed_lo_, int64_t tweed_hi_ TWEED_PARAMETERS_(__VA_ARGS__))   \
    {                                                                          \
        TWEED_PACK_(name, __VA_ARGS__)                                         \
        const T tweed_none_ = identity;                                        \
        T tweed_e_ = tweed_none_;                                              \
                                                                               \
        (void)name##_tweed_run(TWEED_NULL_, TWEED_NULL_, tweed_lo_, tweed_hi_, \
                               &tweed_v_, &tweed_none_, &tweed_e_);            \
        return tweed_e_;                                                       \
    }                                                                          \
    TWEED_INLINE_ void name##_tweed_body(                                      \
        TWEED_UNUSED_ T *acc, TWEED_UNUSED_ int writes,                        \
        TWEED_BODY_PARAMETERS_(__VA_ARGS__))

/* What most scans combine by. */
#define TWEED_PLUS(into, from) ((void)(*(into) += *(from)))

#endif /* TWEED_SCAN_H */
