/*
 * tweed/partials.h - what reductions are made of: blocks, their partial results, lanes.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h, for tweed/reduce.h, tweed/scan.h and their C++ relatives.  What a
 * program calls is there; so is what the result is.
 *
 * Names that end with _ are tweed's own.
 */
#ifndef TWEED_H
#include <tweed.h> /* which includes this file */
#endif
#ifndef TWEED_PARTIALS_H
#define TWEED_PARTIALS_H

#ifdef __cplusplus
extern "C" {
#endif

/* From one element to the next; 0: no element is so large, or so aligned. */
TWEED_INLINE_ size_t tweed_element_stride_(size_t size, size_t alignment)
{
    if (size == 0 || alignment == 0 || (alignment & (alignment - 1)) ||
        size > SIZE_MAX - alignment)
        return 0;
    return (size + alignment - 1) & ~(alignment - 1);
}

/*
 * The indices of a block of a reduction of count indices, > 0, when `asked` were asked for
 * (0: none).  libtweed and libtweed-mpi have the same blocks by it, and so the same tree.
 *
 * Of blocks of less than 16 indices there are 256 at most; of longer ones 16 at most for each
 * index of a block, and half as many at least.  So a loop of few indices, which may be dear
 * ones, is divided well, and cheap ones are not divided more than is good for them: beside the
 * additions a block takes some six cycles.  There are 32,768 blocks at
 * most; of elements that take more than 8 bytes as many as fit into 256 KiB, or 64.
 */
TWEED_INLINE_ uint64_t tweed_reduction_grain_(uint64_t count, uint64_t asked, size_t stride)
{
    uint64_t fit = 262144 / stride;
    uint64_t most = fit < 64 ? 64 : fit > 32768 ? 32768 : fit;
    uint64_t unit = asked ? asked : 1;
    uint64_t units = asked ? count / asked + (count % asked != 0) : count;
    unsigned k = 0;

    for (;; k++) {
        uint64_t limit = asked ? most : k < 4 ? 256 : UINT64_C(16) << k;

        if (((units - 1) >> k) < (limit < most ? limit : most))
            return unit << k;
    }
}

/*
 * The partial results of a reduction while it runs: kept in the order of their
 * blocks.  A worker of which one walk has executed all of TWEED_GROUP_ blocks makes
 * one result of these, and notes that.  The caller does so for the other groups, and
 * then for the results of all groups.
 */
struct tweed_partials_ {
    size_t size;          /* sizeof(struct tweed_partials_) */
    size_t element;       /* bytes of a partial result */
    size_t stride;        /* from one to the next: a multiple of the alignment */
    size_t alignment;
    const void *identity; /* the result of no index */
    void *result;         /* receives the result */
    void *arg;            /* what work() needs */
    /* Combines n elements to the first of them, in the tree. */
    void (*fold)(const struct tweed_partials_ *p, void *first, uint32_t n);
    /* Set by tweed_loop_run_reduce_(): an element for each block, one for each group, and
       for each group whether its element is there. */
    void *blocks;
    void *groups;
    unsigned char *folded;
    uint32_t executed;    /* blocks, counted at the end of a walk; atomic */
    uint32_t zeroed;      /* set by the maker: elements are to be zero at first, and
                             fold() is called after a loop that was stopped, too */
    uint32_t stopped;     /* set by tweed_loop_run_reduce_() before fold() then */
    uint32_t reserved;
    uint64_t piece;       /* set by tweed_loop_run_reduce_(): a body that is called for
                             several indices is called for so many of a block */
};

/*
 * Runs [lo, hi) by a kind whose work() executes blocks into p->blocks; c->arg is p.
 * fn as in tweed_loop_run().  All reductions come to this.  Blocks are those of the
 * cursor.  If the loop is stopped the result is left alone.
 */
TWEED_API_ TWEED_CHECKED_ int tweed_loop_run_reduce_(
    tweed_pool *pool, const tweed_loop_options *options, int64_t lo, int64_t hi,
    tweed_kind *kind, void (*fn)(void), struct tweed_partials_ *p);

/* Of the block that work() executes n indices are left: how many of them work() executes
   before it asks again.  0: none, since the loop has been stopped; the block's partial
   result is not needed.  A multiple of TWEED_LANES_, or n. */
TWEED_API_ TWEED_NOTHROW_ uint64_t tweed_cursor_piece_(tweed_cursor *c, uint64_t n);

/* So few indices are executed without a question. */
#define TWEED_PIECE_ 4096

TWEED_INLINE_ uint64_t tweed_piece_(tweed_cursor *c, uint64_t n)
{
    return __builtin_expect(n <= TWEED_PIECE_, 1) ? n : tweed_cursor_piece_(c, n);
}

#ifndef TWEED_GROUP_ /* a check with few blocks takes 2 */
#define TWEED_GROUP_ UINT32_C(64)
#endif

/* A worker's walk over consecutive blocks.  What the walk needs of the cursor is copied,
   since a compiler cannot know that elements do not lie over it. */
struct tweed_walk_ {
    uint32_t first, next; /* blocks: the walk's first, and the next one */
    uint32_t end, blocks; /* of the claim; of the loop */
    uint32_t executed;
    uint64_t at;          /* where block `next` begins, an index */
    uint64_t grain, past; /* of the loop */
};

TWEED_INLINE_ struct tweed_walk_ tweed_walk_begin_(const tweed_cursor *c)
{
    struct tweed_walk_ w = { 0, 0, 0, c->blocks, 0, 0, c->grain, c->lo + c->count };

    return w;
}

/* The claim goes on where the walk is, or is the beginning of another one. */
TWEED_INLINE_ void tweed_walk_claim_(struct tweed_walk_ *w, const tweed_cursor *c)
{
    if (c->begin != w->next)
        w->first = c->begin;
    w->next = c->begin;
    w->end = c->end;
    w->executed += c->end - c->begin;
    w->at = c->lo + c->begin * c->grain;
}

/* Of the claim: the end of the blocks that are in one group with the next one, and as
   long: the loop's last block is by itself. */
TWEED_INLINE_ uint32_t tweed_walk_stop_(const struct tweed_walk_ *w)
{
    uint32_t stop = (w->next | (TWEED_GROUP_ - 1)) + 1;

    stop = stop < w->end ? stop : w->end;
    return stop - w->next > 1 && stop == w->blocks ? stop - 1 : stop;
}

/* How many indices each of these blocks has. */
TWEED_INLINE_ uint64_t tweed_walk_length_(const struct tweed_walk_ *w)
{
    return w->next + 1 < w->blocks ? w->grain : w->past - w->at;
}

/* The indices of block `next`: [first, past); then the walk goes on to the next block. */
TWEED_INLINE_ int64_t tweed_walk_first_(const struct tweed_walk_ *w)
{
    return TWEED_VALUE_(int64_t, w->at);
}

TWEED_INLINE_ int64_t tweed_walk_past_(const struct tweed_walk_ *w)
{
    return TWEED_VALUE_(int64_t,
                        w->next + 1 < w->blocks ? w->at + w->grain : w->past);
}

TWEED_INLINE_ void tweed_walk_on_(struct tweed_walk_ *w)
{
    w->next++;
    w->at += w->grain;
}

/* All blocks below `next` are done.  Are they the last ones of a group that is all
   this walk's?  *group: the group; the result: how many blocks it has, or 0. */
TWEED_INLINE_ uint32_t tweed_walk_group_(const struct tweed_walk_ *w,
                                         uint32_t *group)
{
    uint32_t first = (w->next - 1) & ~(TWEED_GROUP_ - 1);

    *group = first / TWEED_GROUP_;
    return (w->next % TWEED_GROUP_ && w->next != w->blocks) || first < w->first
               ? 0
               : w->next - first;
}

TWEED_INLINE_ void tweed_walk_end_(const struct tweed_walk_ *w, uint32_t *executed)
{
    /* relaxed: a figure that is read after the loop, whose end orders it */
    (void)__atomic_fetch_add(executed, w->executed, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#define TWEED_ALIGN_OF_(type) alignof(type)
#else
#define TWEED_ALIGN_OF_(type) _Alignof(type)
#endif

/* All of [0, n), in pieces: each is [i, stop). */
#define TWEED_PIECES_(c, i, stop, n)                                           \
    for (uint64_t i = 0, stop;                                                 \
         i < (n) && (stop = i + tweed_piece_(c, (n) - i)) > i; i = stop)

/* The same for what depends on where pieces end: all but the last one have `length`. */
#define TWEED_EQUAL_PIECES_(c, i, stop, n, length)                             \
    for (uint64_t i = 0, stop;                                                 \
         i < (n) && tweed_piece_(c, (n) - i) > 0 &&                            \
         (stop = i + tweed_least_((n) - i, length)) > i; i = stop)

/*
 * What a reduction goes over, by its dimensions: the bounds; what the partial results' arg
 * points to, with the loop's arguments; the body's indices before the last one, as it has
 * and as it is given them; and the walk through the indices of a block, `count` from
 * `first` on.  There the statement, a macro and a list of its arguments as in a walk of
 * tweed/tiles.h, is done for the tweed_n_ indices from tweed_k_ on, and goes through these
 * in pieces.  A row of a block of many rows is short: so the walk has pieces, too, of equal
 * length, since the values of a row are added up together.
 */
#define TWEED_BOUNDS_1D_ int64_t tweed_lo_, int64_t tweed_hi_
#define TWEED_VALUES_1D_ tweed_lo_, tweed_hi_
#define TWEED_OVER_1D_ void
#define TWEED_DATA_1D_(over) (over)
#define TWEED_BEFORE_1D_
#define TWEED_LEAD_1D_
#define TWEED_BLOCK_1D_(c, over, first, count, macro, list)                    \
    {                                                                          \
        const uint64_t tweed_n_ = (count);                                     \
        int64_t tweed_k_ = (first);                                            \
                                                                               \
        macro list                                                             \
    }
#define TWEED_RUN_REDUCE_1D_(kind, data)                                       \
    tweed_p_.arg = (data);                                                     \
    return tweed_loop_run_reduce_(tweed_pool_, tweed_options_, tweed_lo_,      \
                                  tweed_hi_, kind, TWEED_NULL_, &tweed_p_);

#define TWEED_BOUNDS_2D_                                                       \
    int64_t tweed_i0_, int64_t tweed_i1_, int64_t tweed_j0_, int64_t tweed_j1_
#define TWEED_VALUES_2D_ tweed_i0_, tweed_i1_, tweed_j0_, tweed_j1_
#define TWEED_OVER_2D_ const tweed_space
#define TWEED_DATA_2D_(over) ((over)->arg)
#define TWEED_BEFORE_2D_ tweed_j_,
#define TWEED_LEAD_2D_ int64_t tweed_j_,
#define TWEED_BLOCK_2D_(c, over, first, count, macro, list)                    \
    {                                                                          \
        const uint64_t tweed_from_ = TWEED_VALUE_(uint64_t, first);            \
        const uint64_t tweed_all_ = (count);                                   \
        tweed_spot_ tweed_at_ = tweed_nowhere_();                              \
                                                                               \
        TWEED_EQUAL_PIECES_(c, tweed_done_, tweed_next_, tweed_all_,           \
                            TWEED_PIECE_)                                      \
            TWEED_WALK_PIECE_(over, tweed_at_, tweed_from_ + tweed_done_,      \
                              tweed_next_ - tweed_done_, macro, list)          \
    }
#define TWEED_RUN_REDUCE_SPACE_(kind, space)                                   \
    tweed_space tweed_space_ = space;                                          \
    int64_t tweed_all_;                                                        \
    int tweed_code_ =                                                          \
        tweed_space_prepare_(&tweed_space_, tweed_options_, &tweed_all_);      \
                                                                               \
    tweed_p_.arg = &tweed_space_;                                              \
    return tweed_code_ ? tweed_code_                                           \
                       : tweed_loop_run_reduce_(tweed_pool_, tweed_options_,   \
                                                0, tweed_all_, kind,           \
                                                TWEED_NULL_, &tweed_p_);
#define TWEED_RUN_REDUCE_2D_(kind, data)                                       \
    TWEED_RUN_REDUCE_SPACE_(kind, tweed_space_2d_(TWEED_VALUES_2D_, data))

#define TWEED_BOUNDS_3D_ TWEED_BOUNDS_2D_, int64_t tweed_k0_, int64_t tweed_k1_
#define TWEED_VALUES_3D_ TWEED_VALUES_2D_, tweed_k0_, tweed_k1_
#define TWEED_OVER_3D_ TWEED_OVER_2D_
#define TWEED_DATA_3D_(over) TWEED_DATA_2D_(over)
#define TWEED_BEFORE_3D_ tweed_i_, tweed_j_,
#define TWEED_LEAD_3D_ int64_t tweed_i_, int64_t tweed_j_,
#define TWEED_BLOCK_3D_(c, over, first, count, macro, list)                    \
    TWEED_BLOCK_2D_(c, over, first, count, macro, list)
#define TWEED_RUN_REDUCE_3D_(kind, data)                                       \
    TWEED_RUN_REDUCE_SPACE_(kind, tweed_space_3d_(TWEED_VALUES_3D_, data))

/*
 * What name_tweed_block(cursor, first, count, over, args, identity, p) gives, an E for
 * each block, is combined to one by combine(into, from).  D: 1D_, 2D_ or 3D_.
 * The loop's arguments and the identity are copies of the function's own.  A compiler
 * cannot know that no element lies over what p points to, and would read it again for each
 * block.
 */
#define TWEED_MAKE_REDUCTION_(name, D, E, combine)                             \
    TWEED_ASSERT_(sizeof(E) <= 4096,                                           \
                  "larger elements: tweed_parallel_reduce(3)");                \
    TWEED_INLINE_ void name##_tweed_join(E *tweed_e_, uint32_t tweed_n_)       \
    {                                                                          \
        for (uint32_t tweed_step_ = 1; tweed_step_ < tweed_n_;                 \
             tweed_step_ *= 2)                                                 \
            for (uint32_t tweed_k_ = 0; tweed_k_ + tweed_step_ < tweed_n_;     \
                 tweed_k_ += 2 * tweed_step_)                                  \
                combine(&tweed_e_[tweed_k_],                                   \
                        &tweed_e_[tweed_k_ + tweed_step_]);                    \
    }                                                                          \
    static TWEED_UNUSED_ void name##_tweed_fold(                               \
        const struct tweed_partials_ *tweed_p_, void *tweed_first_,            \
        uint32_t tweed_n_)                                                     \
    {                                                                          \
        (void)tweed_p_;                                                        \
        name##_tweed_join(TWEED_TYPED_(E, tweed_first_), tweed_n_);            \
    }                                                                          \
    static TWEED_UNUSED_ void name##_tweed_work(tweed_cursor *tweed_c_)        \
    {                                                                          \
        struct tweed_partials_ *tweed_p_ =                                     \
            TWEED_TYPED_(struct tweed_partials_, tweed_c_->arg);               \
        E *tweed_e_ = TWEED_TYPED_(E, tweed_p_->blocks);                       \
        TWEED_OVER_##D *tweed_over_ =                                          \
            TWEED_TYPED_(TWEED_OVER_##D, tweed_p_->arg);                       \
        const E tweed_identity_ =                                              \
            *TWEED_TYPED_(const E, tweed_p_->identity);                        \
        const struct name##_tweed_args tweed_args_ =                           \
            *TWEED_TYPED_(const struct name##_tweed_args,                      \
                          TWEED_DATA_##D(tweed_over_));                        \
        struct tweed_walk_ tweed_w_ = tweed_walk_begin_(tweed_c_);             \
        uint32_t tweed_g_, tweed_n_;                                           \
                                                                               \
        do {                                                                   \
            tweed_walk_claim_(&tweed_w_, tweed_c_);                            \
            do {                                                               \
                const uint32_t tweed_stop_ = tweed_walk_stop_(&tweed_w_);      \
                const uint64_t tweed_length_ = tweed_walk_length_(&tweed_w_);  \
                                                                               \
                for (; tweed_w_.next < tweed_stop_;                            \
                     tweed_walk_on_(&tweed_w_))                                \
                    tweed_e_[tweed_w_.next] = name##_tweed_block(              \
                        tweed_c_, tweed_walk_first_(&tweed_w_), tweed_length_, \
                        tweed_over_, &tweed_args_, &tweed_identity_, tweed_p_); \
                tweed_n_ = tweed_walk_group_(&tweed_w_, &tweed_g_);            \
                if (tweed_n_) {                                                \
                    E *tweed_first_ = tweed_e_ + tweed_g_ * TWEED_GROUP_;      \
                                                                               \
                    name##_tweed_join(tweed_first_, tweed_n_);                 \
                    TWEED_TYPED_(E, tweed_p_->groups)[tweed_g_] =              \
                        *tweed_first_;                                         \
                    tweed_p_->folded[tweed_g_] = 1;                            \
                }                                                              \
            } while (tweed_w_.next < tweed_w_.end);                            \
        } while (tweed_next(tweed_c_));                                        \
        tweed_walk_end_(&tweed_w_, &tweed_p_->executed);                       \
    }                                                                          \
    static tweed_kind name##_tweed_kind TWEED_UNUSED_ =                        \
        TWEED_KIND_INIT_(TWEED_CLAIM_NS_, name##_tweed_work, #name);           \
    static TWEED_UNUSED_ int name##_tweed_run(                                 \
        tweed_pool *tweed_pool_, const tweed_loop_options *tweed_options_,     \
        TWEED_BOUNDS_##D, struct name##_tweed_args *tweed_v_,                  \
        const E *tweed_identity_, E *tweed_result_)                            \
    {                                                                          \
        struct tweed_partials_ tweed_p_ = {                                    \
            sizeof(struct tweed_partials_), sizeof(E), sizeof(E),              \
            TWEED_ALIGN_OF_(E), tweed_identity_, tweed_result_,                \
            TWEED_NULL_, name##_tweed_fold, TWEED_NULL_, TWEED_NULL_,          \
            TWEED_NULL_, 0, 0, 0, 0, 0                                         \
        };                                                                     \
                                                                               \
        TWEED_RUN_REDUCE_##D(&name##_tweed_kind, tweed_v_)                     \
    }

/* The functions of the user's: what E holds is the value T; checked: is the identity
   one that there is a result for? */
#define TWEED_MAKE_RESULT_(name, D, T, E, identity, checked, value, ...)       \
    static TWEED_UNUSED_ TWEED_CHECKED_ int name##_with(                       \
        tweed_pool *tweed_pool_, const tweed_loop_options *tweed_options_,     \
        TWEED_BOUNDS_##D TWEED_PARAMETERS_(__VA_ARGS__), T *tweed_result_)     \
    {                                                                          \
        TWEED_PACK_(name, __VA_ARGS__)                                         \
        const E tweed_identity_ = identity;                                    \
        E tweed_e_ = tweed_identity_;                                          \
        int tweed_code_;                                                       \
                                                                               \
        if (!tweed_result_)                                                    \
            return TWEED_LACKS_("result");                                     \
        if (!(checked(tweed_identity_)))                                       \
            return tweed_fail_(TWEED_EINVAL,                                   \
                               "%s: the start is not a number", __func__);     \
        tweed_code_ = name##_tweed_run(tweed_pool_, tweed_options_,            \
                                       TWEED_VALUES_##D, &tweed_v_,            \
                                       &tweed_identity_, &tweed_e_);           \
        if (tweed_code_ == TWEED_OK)                                           \
            *tweed_result_ = value(T, tweed_e_);                               \
        return tweed_code_;                                                    \
    }                                                                          \
    static TWEED_UNUSED_ T name(                                               \
        TWEED_BOUNDS_##D TWEED_PARAMETERS_(__VA_ARGS__))                       \
    {                                                                          \
        TWEED_PACK_(name, __VA_ARGS__)                                         \
        const E tweed_identity_ = identity;                                    \
        E tweed_e_ = tweed_identity_;                                          \
                                                                               \
        if (checked(tweed_identity_))                                          \
            (void)name##_tweed_run(TWEED_NULL_, TWEED_NULL_, TWEED_VALUES_##D, \
                                   &tweed_v_, &tweed_identity_, &tweed_e_);    \
        return value(T, tweed_e_);                                             \
    }

#define TWEED_ALWAYS_(e) 1
#define TWEED_SAME_(T, e) (e)
/* False of a NaN. */
#define TWEED_NUMBER_(e) ((e) <= (e))

/*
 * A block of at least so many indices is accumulated in lanes: index first + k goes to
 * lane k % 4, and what is left over is added to the sum of the lanes.  Additions that
 * do not wait for one another are what a compiler may not make of a sum by itself.
 * gcc -O2 keeps the lanes in registers only where the loop over them is unrolled.
 */
#define TWEED_LANED_ 16
#define TWEED_LANES_ 4
#ifdef __clang__
#define TWEED_UNROLL_LANES_
#else
#define TWEED_UNROLL_LANES_ _Pragma("GCC unroll 4")
#endif
/* Lanes of fewer bytes than an int are in memory before they are joined.  gcc's vectors of them
   at -O3 have wrong sums else (gcc 12). */
#define TWEED_END_LANES_(E, ...)                                               \
    do {                                                                       \
        if (sizeof(E) < sizeof(int))                                           \
            __asm__ volatile("" : : __VA_ARGS__ : "memory");                   \
    } while (0)
/* The values of `count` indices from `first` on, rows of lanes, are added to the lanes.  The
   loop over rows counts from 0, so that a compiler knows how often it goes round, and makes
   a vector of the lanes.  step(T, e, x) adds the value x to the E e. */
#define TWEED_ADD_ROWS_(name, D, T, step, lanes, first, count, ...)            \
    {                                                                          \
        const int64_t tweed_from_row_ = (first);                               \
        const int64_t tweed_fours_ =                                           \
            TWEED_VALUE_(int64_t, (count) / TWEED_LANES_);                     \
                                                                               \
        for (int64_t tweed_r_ = 0; tweed_r_ < tweed_fours_; tweed_r_++) {      \
            TWEED_UNROLL_LANES_                                                \
            for (int tweed_m_ = 0; tweed_m_ < TWEED_LANES_; tweed_m_++)        \
                step(T, (lanes)[tweed_m_],                                     \
                     (name##_tweed_body)(TWEED_BEFORE_##D(tweed_from_row_) +   \
                                         TWEED_LANES_ * tweed_r_ +             \
                                         tweed_m_ TWEED_LOCALS_(__VA_ARGS__))); \
        }                                                                      \
    }

/* The lanes of e's block are joined as the halves of vectors are, and e gets them.
   join(T, e, f) adds another E. */
#define TWEED_JOIN_LANES_(T, join, lanes, e)                                   \
    do {                                                                       \
        join(T, (lanes)[0], (lanes)[2]);                                       \
        join(T, (lanes)[1], (lanes)[3]);                                       \
        join(T, (lanes)[0], (lanes)[1]);                                       \
        join(T, e, (lanes)[0]);                                                \
    } while (0)

/* The values of `count` indices, TWEED_LANED_ at least, are added to e, which is returned. */
#define TWEED_MAKE_APART_(name, D, T, E, step, join, ...)                      \
    static TWEED_APART_ TWEED_UNUSED_ E name##_tweed_apart(                    \
        tweed_cursor *tweed_c_, TWEED_LEAD_##D int64_t tweed_first_,           \
        uint64_t tweed_count_, const struct tweed_partials_ *tweed_p_,         \
        E tweed_e_)                                                            \
    {                                                                          \
        TWEED_OVER_##D *tweed_over_ =                                          \
            TWEED_TYPED_(TWEED_OVER_##D, tweed_p_->arg);                       \
        TWEED_UNPACK_(name, TWEED_DATA_##D(tweed_over_), __VA_ARGS__)          \
        const uint64_t tweed_laned_ =                                          \
            tweed_count_ & ~(UINT64_C(0) + TWEED_LANES_ - 1);                  \
        const uint64_t tweed_left_ = tweed_count_ - tweed_laned_;              \
        E tweed_l_[TWEED_LANES_];                                              \
                                                                               \
        for (int tweed_m_ = 0; tweed_m_ < TWEED_LANES_; tweed_m_++)            \
            tweed_l_[tweed_m_] = *TWEED_TYPED_(const E, tweed_p_->identity);   \
        TWEED_PIECES_(tweed_c_, tweed_q_, tweed_stop_, tweed_laned_)           \
            TWEED_ADD_ROWS_(name, D, T, step, tweed_l_, tweed_first_ +         \
                                TWEED_VALUE_(int64_t, tweed_q_),               \
                            tweed_stop_ - tweed_q_, __VA_ARGS__)               \
        TWEED_END_LANES_(E, "r"(tweed_l_));                                    \
        TWEED_JOIN_LANES_(T, join, tweed_l_, tweed_e_);                        \
        TWEED_PIECES_(tweed_c_, tweed_q_, tweed_stop_, tweed_left_)            \
            for (; tweed_q_ < tweed_stop_; tweed_q_++)                         \
                step(T, tweed_e_,                                              \
                     (name##_tweed_body)(                                      \
                         TWEED_BEFORE_##D(tweed_first_) +                      \
                         TWEED_VALUE_(int64_t, tweed_laned_ + tweed_q_)        \
                             TWEED_LOCALS_(__VA_ARGS__)));                     \
        return tweed_e_;                                                       \
    }

/* A block like most: one number, so that a compiler asks once for all blocks of a claim. */
#define TWEED_IS_USUAL_(count)                                                 \
    (((count) - TWEED_LANED_ <= TWEED_PIECE_ - TWEED_LANED_) &                 \
     ((count) % TWEED_LANES_ == 0))

/* The values of `count` indices from i on are added to e: in place, if they are few, or a
   block like most.  Two copies of a body may round otherwise (-ffp-contract, -ffast-math,
   x87), so which one a block takes is decided by its number of indices alone. */
#define TWEED_ADD_UP_(c, name, D, T, E, step, join, identity, count, i, e, ...) \
    if (__builtin_expect(TWEED_IS_USUAL_(count), 1)) {                         \
        E tweed_l_[TWEED_LANES_];                                              \
                                                                               \
        for (int tweed_m_ = 0; tweed_m_ < TWEED_LANES_; tweed_m_++)            \
            tweed_l_[tweed_m_] = *(identity);                                  \
        TWEED_ADD_ROWS_(name, D, T, step, tweed_l_, i, count, __VA_ARGS__)     \
        TWEED_END_LANES_(E, "r"(tweed_l_));                                    \
        TWEED_JOIN_LANES_(T, join, tweed_l_, e);                               \
    } else if ((count) < TWEED_LANED_) {                                       \
        uint64_t tweed_alone_ = (count);                                       \
                                                                               \
        TWEED_EACH_LEFT_(                                                      \
            tweed_alone_, i,                                                   \
            step(T, e,                                                         \
                 (name##_tweed_body)(TWEED_BEFORE_##D(i)                       \
                                         TWEED_LOCALS_(__VA_ARGS__))))         \
    } else {                                                                   \
        (e) = name##_tweed_apart(c, TWEED_BEFORE_##D(i), count, tweed_p_, e);  \
    }

/* A block of a reduction: the statement, macro and what, adds it to tweed_e_. */
#define TWEED_MAKE_BLOCK_(name, D, E, list, macro, what)                       \
    TWEED_INLINE_ E name##_tweed_block(                                        \
        tweed_cursor *tweed_c_, int64_t tweed_first_, uint64_t tweed_size_,    \
        TWEED_UNUSED_ TWEED_OVER_##D *tweed_over_,                             \
        const struct name##_tweed_args *tweed_args_,                           \
        const E *tweed_identity_,                                              \
        TWEED_UNUSED_ const struct tweed_partials_ *tweed_p_)                  \
    {                                                                          \
        TWEED_UNPACK_(name, tweed_args_, TWEED_LIST_ list)                     \
        E tweed_e_ = *tweed_identity_;                                         \
                                                                               \
        TWEED_BLOCK_##D(tweed_c_, tweed_over_, tweed_first_, tweed_size_,      \
                        macro, what)                                           \
        return tweed_e_;                                                       \
    }

/* A reduction of values.  before: the body's indices before the last one, which the list
   begins with. */
#define TWEED_MAKE_VALUES_(name, D, T, E, step, join, identity, checked, value, \
                           before, ...)                                        \
    TWEED_INLINE_ T name##_tweed_body(                                         \
        TWEED_LIST_ before TWEED_BODY_PARAMETERS_(__VA_ARGS__));               \
    TWEED_ARGUMENTS_(, name, __VA_ARGS__)                                      \
    TWEED_MAKE_APART_(name, D, T, E, step, join, __VA_ARGS__)                  \
    TWEED_MAKE_BLOCK_(name, D, E, (__VA_ARGS__), TWEED_ADD_UP_,                \
                      (tweed_c_, name, D, T, E, step, join, tweed_identity_,   \
                       tweed_n_, tweed_k_, tweed_e_, __VA_ARGS__))             \
    TWEED_INLINE_ void name##_tweed_combine(E *tweed_into_,                    \
                                            const E *tweed_from_)              \
    {                                                                          \
        join(T, *tweed_into_, *tweed_from_);                                   \
    }                                                                          \
    TWEED_MAKE_REDUCTION_(name, D, E, name##_tweed_combine)                    \
    TWEED_MAKE_RESULT_(name, D, T, E, identity, checked, value, __VA_ARGS__)   \
    TWEED_INLINE_ T name##_tweed_body(                                         \
        TWEED_LIST_ before TWEED_BODY_PARAMETERS_(__VA_ARGS__))

#endif /* TWEED_PARTIALS_H */
