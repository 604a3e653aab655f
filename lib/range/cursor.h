/*
 * cursor.h - what an owner walks its blocks with.
 *
 * SPDX-License-Identifier: MIT
 *
 * The fast path stands in tweed/inline.h; what is behind it in cursor.c.
 */
#ifndef TWEED_LIB_CURSOR_H
#define TWEED_LIB_CURSOR_H

#include "range/body.h"
#include "range/range.h"

/* Which blocks a cursor walks. */
enum tweed__walk {
    TWEED__LONE,  /* one block that was stolen: too little to make a range of */
    TWEED__RANGE, /* the range of a seat */
    TWEED__ALONE  /* all of a loop that no other thread knows of */
};

struct tweed__walker;

/* Gets the first block that has not begun.  Makes the rest a loop of which the walker owns
   a range, and returns true; or returns false, and is not called again. */
typedef bool tweed__share_fn(struct tweed__walker *w, uint32_t from);

/* An index at which a body has failed, or found something. */
struct tweed__hit {
    uint64_t offset; /* from lo */
    int64_t code;    /* what the body returned; 0: there is none */
};

/* What a walker knows of a loop that ends early, for the loop's caller.  All zero:
   nothing. */
struct tweed__early {
    uint64_t unexecuted;   /* indices, of blocks that were given up or left out */
    struct tweed__hit hit; /* the lowest one */
    uint32_t tail; /* blocks from the lowest that was given up to the end; 0: none was */
    bool late;     /* the loop was stopped since its time was over */
    bool broken;   /* a body has stopped the loop */
    uint32_t cancelled; /* where the loop is cancelled: of one that its caller walks alone,
                           and of any loop in the end */
};

struct tweed__walker {
    tweed_cursor cursor; /* first: the slow path is given its address */
    struct tweed__owner owner;
    enum tweed__walk walk;
    uint32_t manner;     /* of the body's */
    bool halted;         /* this walker has cancelled the loop below what it walks */
    bool ends_early;     /* given_up and early are in use */
    uint32_t given_up;   /* blocks, the loop being cancelled, that are not counted yet */
    struct tweed__early early;
    const struct tweed__stops *stops; /* null: only a body can stop the loop */
    bool single;         /* claims are of one block, whatever the pace */
    /* The pace: how many blocks take as long as a claim may. */
    uint32_t claim_ns; /* 0: each claim in a range is of one block */
    uint32_t strip;    /* so many blocks take claim_ns, as far as is known */
    uint32_t look_end; /* blocks claimed when the clock was last looked at */
    uint32_t look_at;  /* where the clock is to be looked at next */
    uint64_t look_ns;
    uint64_t ran, ran_ns; /* blocks between the last two looks, and their time */
    /* The time that a claim takes however short it is; 0: none that is felt.  Of the probe
       for that: the time of a claim, and its blocks. */
    uint64_t fixed_ns, probe_ns, probe_size;
    uint32_t probe_in; /* looks until the next probe */
    /* Blocks that were measured, and the time that they took. */
    uint64_t timed_blocks, timed_ns;
    /* A claim that is shown in pieces: what the cursor had, and where the claim ends. */
    bool in_pieces;
    uint64_t piece;    /* units of the next piece; 0: not known yet */
    uint64_t unit;     /* of a large loop: indices that stay together */
    struct tweed__claim {
        uint64_t lo, count, past;
        uint32_t begin, end, blocks, limit;
    } claim;
    /* Of the last piece: indices, those left behind it, and when it began. */
    uint64_t piece_count, piece_left, piece_ns;
    /* Alone: words in the place of low and S, and what to do when the loop lasts. */
    struct tweed_words own;
    uint64_t began_ns, patience_ns;
    tweed__share_fn *share; /* null: there is no worker to share with */
    const struct tweed__body *body; /* what learns when the loop is shared */
};

/* Where a walker puts what it knows of the early end. */
static inline struct tweed__early *early_of(struct tweed__walker *w)
{
    if (!w->ends_early) {
        w->ends_early = true;
        w->given_up = 0;
        w->early = (struct tweed__early){ .cancelled = TWEED__UNCANCELLED };
    }
    return &w->early;
}

/* Fills in the members of a body that come from its kind. */
void tweed__cursor_prepare(struct tweed__body *body);

/* A walker for the loop of this body, which has no blocks yet. */
void tweed__cursor_init(struct tweed__walker *w, const struct tweed__body *body,
                        bool asymmetric);

/* All three execute blocks until there are none left; two return how many were claimed.
   Blocks that were given up are counted in the walker.
   range  the blocks of the range that the owner has claimed or installed
   lone   one block
   alone  all of the loop.  When that has lasted for patience_ns, share() shares the rest,
          and the result is that of the range.  Without share the clock is not looked at */
uint32_t tweed__cursor_range(struct tweed__walker *w, tweed_kind *kind);
void tweed__cursor_lone(struct tweed__walker *w, tweed_kind *kind, uint32_t block);
uint32_t tweed__cursor_alone(struct tweed__walker *w, const struct tweed__body *body,
                             uint64_t patience_ns, tweed__share_fn *share);

/* The loop is cancelled: the blocks [begin, end), which are the caller's, are not to be
   executed. */
void tweed__cursor_give_up(struct tweed__walker *w, uint32_t begin, uint32_t end);

/* Lets the cursor show the whole claim of which it has shown a piece. */
void tweed__cursor_show_claim(struct tweed__walker *w);

/* The indices that the body has left out of its claims since the last call, of a loop
   that ends early. */
uint64_t tweed__cursor_left_out(struct tweed__walker *w);

/* What has been measured since the last call is remembered (costs.c). */
void tweed__cursor_learn(struct tweed__walker *w, const struct tweed__body *body);

#endif
