/*
 * body.h - what a loop executes.
 *
 * SPDX-License-Identifier: MIT
 *
 * Below the public calls a loop is blocks 0 .. blocks-1 of grain indices each,
 * counted from lo; the last may be shorter.  All offsets are unsigned, so that
 * lo + offset is right for every int64_t lo, wrapping where it must.
 */
#ifndef TWEED_LIB_BODY_H
#define TWEED_LIB_BODY_H

#include "base/check.h"
#include "range/range.h"

#include <stdbool.h>
#include <stdint.h>
#include <tweed.h>

struct tweed__walker;

/* What may stop a loop from without. */
struct tweed__stops {
    /* Asked between two claims, at about this time: false if the loop is stopped. */
    bool (*poll)(struct tweed__walker *w, uint64_t now);
    const tweed_token *token; /* null: none */
    uint64_t deadline;        /* by tweed__clock(); 0: none */
};

/* What a trace (trace.h) and the profile (profile.h) know a loop by. */
struct tweed__mark {
    uint32_t loop;    /* no other loop has it; 0: no trace was made when the loop began */
    uint32_t team;    /* number of the team */
    uint16_t label;   /* of its name; 0: there was no trace or profile when it began */
    uint16_t caller;  /* the lane of worker 0 */
    uint16_t workers; /* that may take part; 0: the loop is not in the profile */
};

/* How a loop is gone through, by its options; 0 for most. */
enum {
    TWEED__FIXED = 1,    /* no share is stolen: work.c */
    TWEED__WEIGHTED = 2, /* shares are dealt by weight: deal.c */
    TWEED__TASKS = 4,    /* no loop: fork.c */
    TWEED__JOBS = 8,     /* no loop, and in no slot: jobs.c */
    TWEED__LARGE = 16    /* blocks have more indices than were asked for, since there
                            would be too many: cursor.c */
};

struct tweed__body {
    tweed_kind *kind;
    void (*fn)(void);      /* a body by pointer, or null */
    void *arg;
    uint64_t lo;           /* the first index, as an unsigned number */
    uint64_t count;        /* hi - lo, > 0 */
    uint64_t grain;        /* indices of a block, > 0 */
    uint32_t blocks;       /* ceil(count / grain) */
    uint64_t unit;         /* of a large loop: indices that stay together */
    /* From the kind, which is the program's, and may be gone with the loop: a helper may
       read these when the loop is over. */
    uint32_t claim_ns;     /* how long a claim may take */
    uint32_t strip;        /* blocks of the first claim; at least 1 */
    uint32_t manner;       /* TWEED__... of the above */
    bool single;           /* claims are of one block: the pace is that of looking
                              at the clock */
    enum tweed__together together; /* as far as is known from earlier loops */
    uint32_t cost;         /* what an index cost last time: costs.h; 0: not known */
    uint64_t place;        /* of a body by pointer: by what its cost is remembered;
                              0: the cost is not */
    /* What stops the loop from without, on the caller's stack; null: nothing.  Read
       while blocks are in flight. */
    const struct tweed__stops *stops;
    struct tweed__mark mark;
};

/* Most numbers that are divided here have 32 bits, and some CPUs divide those three
   times as fast. */
static inline uint64_t divide(uint64_t a, uint64_t b)
{
    return (a | b) >> 32 ? a / b : (uint32_t)a / (uint32_t)b;
}

/* Indices in front of block i of the loop; count for i == blocks, without overflow. */
static inline uint64_t body_offset(const struct tweed__body *b, uint32_t i)
{
    return i < b->blocks ? i * b->grain : b->count;
}

/* How many indices the blocks [begin, end) have. */
static inline uint64_t body_indices(const struct tweed__body *b, uint32_t begin,
                                    uint32_t end)
{
    return body_offset(b, end) - body_offset(b, begin);
}

/*
 * A frame below which bodies run holds a bool that is true meanwhile:
 *
 *     bool running BODY_GUARD = true;
 *     ...
 *     running = false;
 *
 * A thread that leaves the frame while the bool is true is unwinding: by a C++ exception,
 * or pthread_exit(), out of a body.  The thread would never return the blocks that it
 * holds, and the loop's caller would wait for them for ever: so the guard says what
 * happened, and aborts.  It costs nothing where no thread unwinds: the test is in the
 * landing pad.
 */
#define BODY_GUARD __attribute__((cleanup(body_guard)))

static inline void body_guard(const bool *running)
{
    if (unlikely(*running))
        tweed__body_was_left();
}

#endif
