/*
 * tweed/stop.h - loops that end early: bodies that fail, searches, a stop from within
 * and from without.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h.
 *
 *     TWEED_TRY()             a loop whose body returns an error, out of a body in braces
 *     TWEED_FIND()            the lowest index at which a body says yes
 *     tweed_parallel_try(), tweed_parallel_find()    the same by pointer
 *     tweed_parallel_stop()   from a body of any loop: no more indices are begun
 *     tweed_token             from without: another thread, or a signal handler
 *
 * WHAT A STOP DOES.  From then on no worker claims another index.  Each worker finishes
 * what it has claimed: one index of a body by pointer, else about two microseconds of
 * indices.  (Of a reduction or a scan: a block of up to 4,096 indices.)  All that is not
 * executed is passed over at once, however much it is.
 *
 * Names that end with _ are tweed's own.
 */
#ifndef TWEED_H
#include <tweed.h> /* which includes this file */
#endif
#ifndef TWEED_STOP_H
#define TWEED_STOP_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- from within ---- */

/*
 * tweed_parallel_stop - from a body: stop the loop
 *
 *     break;
 *
 * The loop is the innermost one of which the calling thread executes a body, of any
 * sort.  The body goes on to its end.  The workers finish what they have claimed, the
 * caller's too; no index is claimed any more.  A loop that its caller runs alone may go
 * on for as many indices as were executed before.  The call that runs the loop returns
 * TWEED_ESTOPPED; the option `outcome` says how many indices were executed.
 *
 * Does not block.  What the body did before happens before the loop's call returns.
 *
 * Returns TWEED_OK; TWEED_EINVAL outside of bodies, and in tasks: a task is no body, also
 * where a body waits for it.
 */
TWEED_API_ int tweed_parallel_stop(void);

/* ---- from without ---- */

/*
 * tweed_token_set - stop all loops that have this token
 *
 *     static tweed_token quit = TWEED_TOKEN_INIT;
 *     ...
 *     tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
 *     o.token = &quit;
 *
 * token  of any number of loops, by the option `token`; lives until they have ended
 *
 * A loop looks at its token before it begins, and then between two claims, about every
 * two microseconds.  How many indices take as long is judged by the last ones: where
 * indices suddenly become a thousand times as dear, the next look comes that much later,
 * once.  If the token is set the loop is stopped, and its call returns TWEED_ESTOPPED.
 * The option timeout_ns is looked at in the same way; the result is TWEED_ETIMEOUT.
 *
 * A loop that is complete when it is to be stopped returns TWEED_OK: all its indices were
 * executed, or of a search all below the lowest one that was found.
 *
 * Async-signal-safe.  What the caller did before happens before the return of the loops
 * that the token has stopped.
 */
TWEED_INLINE_ void tweed_token_set(tweed_token *token)
{
    __atomic_store_n(&token->set_, 1, __ATOMIC_RELEASE);
}

/* tweed_token_clear - for loops that begin later */
TWEED_INLINE_ void tweed_token_clear(tweed_token *token)
{
    /* relaxed: says nothing of what was done before */
    __atomic_store_n(&token->set_, 0, __ATOMIC_RELAXED);
}

/* tweed_token_is_set - 1 or 0.  What was done before the token was set happens before. */
TWEED_INLINE_ int tweed_token_is_set(const tweed_token *token)
{
    return __atomic_load_n(&token->set_, __ATOMIC_ACQUIRE) != 0;
}

/* ---- bodies by pointer ---- */

/* A body that says whether to go on: 0, yes. */
typedef int tweed_try_fn(int64_t i, void *arg);

/* A body that says whether an index is one that is looked for: 0, no. */
typedef int tweed_predicate_fn(int64_t i, void *arg);

/*
 * tweed_parallel_try - run fn(i, arg) for each index of [lo, hi), until one fails
 *
 *     for (int64_t i = lo; i < hi; i++)
 *         if ((code = fn(i, arg)) != 0)
 *             break;
 *
 * on the default pool.
 *
 * lo, hi   as those of tweed_parallel_for()
 * fn, arg  the same; fn returns 0, or anything else to stop the loop
 * outcome  receives what came of the loop; its size is set (TWEED_OUTCOME_INIT).  NULL:
 *          not wanted
 *
 * If several bodies fail before the stop has reached all, outcome->index is the lowest
 * index of these, and outcome->code what its body returned.  A lower index may not have
 * been executed.  outcome->ran is how many indices were, those that failed included.  (A
 * run of a range body, or a tile, counts in whole.)
 *
 * Callers, blocking, memory ordering: as tweed_parallel_for().
 *
 * Returns TWEED_OK: all indices were executed, and all bodies returned 0.
 * TWEED_ESTOPPED: a body failed, or the loop was stopped otherwise (outcome->code is 0
 * then).  TWEED_EINVAL if fn is NULL or outcome->size is not set: no index was executed.
 */
TWEED_CALL_ int tweed_parallel_try(int64_t lo, int64_t hi, tweed_try_fn *fn, void *arg,
                                   tweed_outcome *outcome);

/* tweed_parallel_try_with - the same on a given pool and with options, of which `outcome`
   receives what came of the loop.  Returns also TWEED_ETIMEOUT if the option timeout_ns
   was given, and what tweed_parallel_for_with() returns. */
TWEED_CALL_ TWEED_CHECKED_ int tweed_parallel_try_with(
    tweed_pool *pool, const tweed_loop_options *options, int64_t lo, int64_t hi,
    tweed_try_fn *fn, void *arg);

/*
 * tweed_parallel_find - the lowest index of [lo, hi) for which fn(i, arg) is not 0
 *
 *     for (int64_t i = lo; i < hi && !fn(i, arg); i++)
 *         ;
 *     *found = i;
 *
 * on the default pool.
 *
 * found  receives the index; hi if there is none
 *
 * The result is the same for any number of workers and in every run, if fn(i, arg) is
 * the same.  All indices below it are executed; of those above it some are.
 *
 * Callers, blocking, memory ordering: as tweed_parallel_for().
 *
 * Returns TWEED_OK.  TWEED_ESTOPPED if the loop was stopped; *found is then the lowest
 * index that was found, or hi: a lower one may not have been executed.  TWEED_EINVAL if
 * fn or found is NULL: no index was executed, and *found is left alone.
 */
TWEED_CALL_ int tweed_parallel_find(int64_t lo, int64_t hi, tweed_predicate_fn *fn, void *arg,
                                    int64_t *found);

/* tweed_parallel_find_with - the same on a given pool and with options.  Returns also
   TWEED_ETIMEOUT, as TWEED_ESTOPPED, and what tweed_parallel_for_with() returns. */
TWEED_CALL_ TWEED_CHECKED_ int tweed_parallel_find_with(
    tweed_pool *pool, const tweed_loop_options *options, int64_t lo, int64_t hi,
    tweed_predicate_fn *fn, void *arg, int64_t *found);

/* ---- what these are made of ---- */

/* Index i of the claim has failed with that code, which is not 0: ends the loop as
   tweed_cursor_stop() does, and the claim's indices above i are not executed.  From
   within work() only, which leaves the claim and calls tweed_next(). */
TWEED_API_ TWEED_NOTHROW_ void tweed_cursor_fail(tweed_cursor *c, int64_t i, int code);

/* Index i of the claim is one that is looked for: the same, but blocks below the block of
   i are still claimed.  work() goes through its claims from their lowest index. */
TWEED_API_ TWEED_NOTHROW_ void tweed_cursor_found(tweed_cursor *c, int64_t i);

/* tweed_loop_run(), of a kind that calls tweed_cursor_found(): see
   tweed_parallel_find(). */
TWEED_API_ int tweed_loop_run_find(tweed_pool *pool, const tweed_loop_options *options,
                                   int64_t lo, int64_t hi, tweed_kind *kind,
                                   void (*fn)(void), void *arg, int64_t *found);

/* Of a claim: the indices up to the first that does not give 0, or that stops the loop. */
TWEED_INLINE_ int tweed_try_claim_(tweed_cursor *c, int64_t *i)
{
    tweed_try_fn *each = TWEED_FN_(tweed_try_fn *, c->fn);
    int code;

    *i = tweed_first(c);
    c->past = tweed_past(c);
    do
        code = each(*i, c->arg);
    while (code == 0 && ++*i < c->past);
    if (code == 0)
        c->left_out += tweed_span_(*i, tweed_past(c));
    return code;
}

static TWEED_APART_ TWEED_UNUSED_ void tweed_work_try_(tweed_cursor *c)
{
    int64_t i;
    int code;

    do {
        code = tweed_try_claim_(c, &i);
        if (code)
            tweed_cursor_fail(c, i, code);
    } while (tweed_next(c));
}

static TWEED_APART_ TWEED_UNUSED_ void tweed_work_find_(tweed_cursor *c)
{
    int64_t i;

    do
        if (tweed_try_claim_(c, &i))
            tweed_cursor_found(c, i);
    while (tweed_next(c));
}

/* The options of a call that has no other option than an outcome. */
TWEED_INLINE_ tweed_loop_options tweed_outcome_alone_(tweed_outcome *outcome)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.outcome = outcome;
    return o;
}

#ifndef TWEED_CALLS_APART_ /* lib/: where the functions of these names are made */

static tweed_kind tweed_try_kind_ TWEED_UNUSED_ =
    TWEED_KIND_INIT_(0, tweed_work_try_, TWEED_NULL_);
static tweed_kind tweed_find_kind_ TWEED_UNUSED_ =
    TWEED_KIND_INIT_(0, tweed_work_find_, TWEED_NULL_);

TWEED_INLINE_ TWEED_CHECKED_ int
tweed_parallel_try_with(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                        int64_t hi, tweed_try_fn *fn, void *arg)
{
    return fn ? tweed_loop_run(pool, options, lo, hi, &tweed_try_kind_, TWEED_BODY_(fn),
                               arg)
              : TWEED_LACKS_("fn");
}

TWEED_INLINE_ int tweed_parallel_try(int64_t lo, int64_t hi, tweed_try_fn *fn, void *arg,
                                     tweed_outcome *outcome)
{
    const tweed_loop_options o = tweed_outcome_alone_(outcome);

    return tweed_parallel_try_with(TWEED_NULL_, &o, lo, hi, fn, arg);
}

TWEED_INLINE_ TWEED_CHECKED_ int
tweed_parallel_find_with(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                         int64_t hi, tweed_predicate_fn *fn, void *arg, int64_t *found)
{
    return fn ? tweed_loop_run_find(pool, options, lo, hi, &tweed_find_kind_,
                                    TWEED_BODY_(fn), arg, found)
              : TWEED_LACKS_("fn");
}

TWEED_INLINE_ int tweed_parallel_find(int64_t lo, int64_t hi, tweed_predicate_fn *fn,
                                      void *arg, int64_t *found)
{
    return tweed_parallel_find_with(TWEED_NULL_, TWEED_NULL_, lo, hi, fn, arg, found);
}

#endif /* TWEED_CALLS_APART_ */

#ifdef __cplusplus
}
#endif

/*
 * A search asks TWEED_ASKED_ indices of a long claim before it looks at the answers: a loop
 * without a way out, which compilers vectorise, gcc at -O2, too.  A claim of so many
 * indices takes two microseconds, so what is asked in vain above the lowest hit is less.
 */
#define TWEED_ASKED_ 64

/* The place of the first answer that is not 0; TWEED_ASKED_: there is none. */
TWEED_INLINE_ int tweed_first_answer_(const unsigned char *answers)
{
    uint64_t eight[TWEED_ASKED_ / 8];
    uint64_t any = 0;
    int k = 0;

    __builtin_memcpy(eight, answers, sizeof eight);
    for (int n = 0; n < TWEED_ASKED_ / 8; n++)
        any |= eight[n];
    if (__builtin_expect(any == 0, 1))
        return TWEED_ASKED_;
    while (!answers[k])
        k++;
    return k;
}

/* Index i of the claim is one that is looked for; the `beyond` indices after i were asked,
   too. */
TWEED_INLINE_ void tweed_found_(tweed_cursor *c, int64_t i, int beyond)
{
    tweed_cursor_found(c, i);
    c->left_out -= TWEED_VALUE_(uint64_t, beyond);
}

/* ---- bodies in braces ---- */

/* A loop over claims, whose body returns int.  claim(name, ...) goes through a claim of
   tweed_left_ indices from tweed_i_ on. */
#define TWEED_MAKE_TRY_(name, claim, ...)                                      \
    TWEED_CHECK_LIST_(0loop_, __VA_ARGS__)                                     \
    TWEED_TRY_BODY_(name, __VA_ARGS__);                                        \
    TWEED_ARGUMENTS_(, name, __VA_ARGS__)                                      \
    static TWEED_UNUSED_ void name##_tweed_work(tweed_cursor *tweed_c_)        \
    {                                                                          \
        do {                                                                   \
            TWEED_UNPACK_(name, tweed_c_->arg, __VA_ARGS__)                    \
            int64_t tweed_i_ = tweed_first(tweed_c_);                          \
            uint64_t tweed_left_ = tweed_span_(tweed_i_, tweed_past(tweed_c_));\
                                                                               \
            claim(name, __VA_ARGS__)                                           \
        } while (tweed_next(tweed_c_));                                        \
    }                                                                          \
    static tweed_kind name##_tweed_kind TWEED_UNUSED_ =                        \
        TWEED_KIND_INIT_(TWEED_CLAIM_NS_, name##_tweed_work, #name);

/* Up to the first index whose int is not 0, for which `end` is done. */
#define TWEED_ONE_BY_ONE_(name, end, ...)                                      \
    for (; tweed_left_ > 0; tweed_left_--, tweed_i_++) {                       \
        const int tweed_code_ =                                                \
            (name##_tweed_body)(tweed_i_ TWEED_LOCALS_(__VA_ARGS__));          \
                                                                               \
        if (tweed_code_) {                                                     \
            end(tweed_c_, tweed_i_, tweed_code_);                              \
            break;                                                             \
        }                                                                      \
    }
#define TWEED_TRY_CLAIM_(name, ...)                                            \
    TWEED_ONE_BY_ONE_(name, tweed_cursor_fail, __VA_ARGS__)

/* TWEED_ASKED_ at a time, and then what is left. */
#define TWEED_FIND_CLAIM_(name, ...)                                           \
    int tweed_k_ = TWEED_ASKED_;                                               \
                                                                               \
    for (; tweed_left_ >= TWEED_ASKED_;                                        \
         tweed_left_ -= TWEED_ASKED_, tweed_i_ += TWEED_ASKED_) {              \
        unsigned char tweed_answers_[TWEED_ASKED_];                            \
                                                                               \
        for (int tweed_m_ = 0; tweed_m_ < TWEED_ASKED_; tweed_m_++)            \
            tweed_answers_[tweed_m_] = (name##_tweed_body)(                    \
                tweed_i_ + tweed_m_ TWEED_LOCALS_(__VA_ARGS__)) != 0;          \
        tweed_k_ = tweed_first_answer_(tweed_answers_);                        \
        if (tweed_k_ < TWEED_ASKED_)                                           \
            break;                                                             \
    }                                                                          \
    if (tweed_k_ < TWEED_ASKED_)                                               \
        tweed_found_(tweed_c_, tweed_i_ + tweed_k_,                            \
                     TWEED_ASKED_ - 1 - tweed_k_);                             \
    else                                                                       \
        TWEED_ONE_BY_ONE_(name, TWEED_FOUND_, __VA_ARGS__)
#define TWEED_FOUND_(c, i, code) tweed_cursor_found(c, i)
#define TWEED_TRY_BODY_(name, ...)                                             \
    TWEED_INLINE_ int name##_tweed_body(TWEED_BODY_PARAMETERS_(__VA_ARGS__))

/*
 * TWEED_TRY - a parallel loop whose body returns an error, in braces
 *
 *     TWEED_TRY(check, i, const struct record *, r)
 *     {
 *         return r[i].sum == sum_of(&r[i]) ? 0 : EBADMSG;
 *     }
 *     ...
 *     tweed_outcome o = TWEED_OUTCOME_INIT;
 *     if (check(0, n, records, &o) == TWEED_ESTOPPED)
 *         printf("record %lld: %s\n", (long long)o.index, strerror(o.code));
 *
 * At file scope, in C11 and C++11.  It makes two ordinary static functions,
 *
 *     int check(int64_t lo, int64_t hi, const struct record *r,
 *               tweed_outcome *outcome);
 *     int check_with(tweed_pool *, const tweed_loop_options *, int64_t lo, int64_t hi,
 *                    const struct record *r);
 *
 * which do what tweed_parallel_try() and tweed_parallel_try_with() do.  The index, the
 * arguments and how the body is compiled are those of TWEED_LOOP().  `return` in the
 * braces ends one index: with 0, or with an int that is not 0 and stops the loop.
 */
#define TWEED_TRY(name, ...)                                                   \
    TWEED_MAKE_TRY_(name, TWEED_TRY_CLAIM_, __VA_ARGS__)                       \
    TWEED_LOOP_WITH_(name, __VA_ARGS__)                                        \
    static TWEED_UNUSED_ int name(                                             \
        int64_t tweed_lo_, int64_t tweed_hi_ TWEED_PARAMETERS_(__VA_ARGS__),   \
        tweed_outcome *tweed_outcome_)                                         \
    {                                                                          \
        const tweed_loop_options tweed_options_ =                              \
            tweed_outcome_alone_(tweed_outcome_);                              \
                                                                               \
        return (name##_with)(TWEED_NULL_, &tweed_options_, tweed_lo_,          \
                             tweed_hi_ TWEED_PASSED_(__VA_ARGS__));            \
    }                                                                          \
    TWEED_TRY_BODY_(name, __VA_ARGS__)

/*
 * TWEED_FIND - the lowest index at which a body in braces says yes
 *
 *     TWEED_FIND(first_negative, i, const float *, x)
 *     {
 *         return x[i] < 0;
 *     }
 *     ...
 *     k = first_negative(0, n, x);
 *
 *     k = 0; while (k < n && !(the braces)) k++;
 *
 * At file scope, in C11 and C++11.  It makes two ordinary static functions,
 *
 *     int64_t first_negative(int64_t lo, int64_t hi, const float *x);
 *     int first_negative_with(tweed_pool *, const tweed_loop_options *, int64_t lo,
 *                             int64_t hi, const float *x, int64_t *found);
 *
 * The second is tweed_parallel_find_with().  The first returns the index, or hi if
 * there is none.  (If the loop was stopped, by tweed_parallel_stop(): the lowest index
 * that was found, or hi.)  The index, the arguments and how the body is compiled are those
 * of TWEED_LOOP().  `return` in the braces ends one index, with an int: 0, no; anything
 * else, yes.
 */
#define TWEED_FIND(name, ...)                                                  \
    TWEED_MAKE_TRY_(name, TWEED_FIND_CLAIM_, __VA_ARGS__)                      \
    static TWEED_UNUSED_ TWEED_CHECKED_ int name##_with(                       \
        tweed_pool *tweed_pool_, const tweed_loop_options *tweed_options_,     \
        int64_t tweed_lo_, int64_t tweed_hi_ TWEED_PARAMETERS_(__VA_ARGS__),   \
        int64_t *tweed_found_)                                                 \
    {                                                                          \
        TWEED_PACK_(name, __VA_ARGS__)                                         \
                                                                               \
        return tweed_loop_run_find(tweed_pool_, tweed_options_, tweed_lo_,     \
                                   tweed_hi_, &name##_tweed_kind, TWEED_NULL_, \
                                   &tweed_v_, tweed_found_);                   \
    }                                                                          \
    static TWEED_UNUSED_ int64_t name(                                         \
        int64_t tweed_lo_, int64_t tweed_hi_ TWEED_PARAMETERS_(__VA_ARGS__))   \
    {                                                                          \
        int64_t tweed_found_ = tweed_hi_;                                      \
                                                                               \
        (void)!(name##_with)(TWEED_NULL_, TWEED_NULL_, tweed_lo_,              \
                             tweed_hi_ TWEED_PASSED_(__VA_ARGS__),             \
                             &tweed_found_);                                   \
        return tweed_found_;                                                   \
    }                                                                          \
    TWEED_TRY_BODY_(name, __VA_ARGS__)

#endif /* TWEED_STOP_H */
