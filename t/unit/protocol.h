/*
 * protocol.h - a range, its owner and its thieves in one thread.
 *
 * SPDX-License-Identifier: MIT
 *
 * lib/range/range.c is compiled into the program.  Steps that happen within another one
 * are put into its pauses and heavy fences, where the wrapped seam calls a hook,
 * and in front of its compare-and-swaps.  Its clock is one that each look at it
 * moves on.
 */
#ifndef TWEED_T_PROTOCOL_H
#define TWEED_T_PROTOCOL_H

#include "base/atomic.h"
#include "tap.h"

#include <stdint.h>

static void (*in_cas)(void);
static inline void call_once(void (**hook)(void));

#undef cas_acq_rel
#define cas_acq_rel(p, expected, v)                                            \
    (call_once(&in_cas),                                                       \
     atomic_compare_exchange_strong_explicit(                                  \
         (p), (expected), (v), memory_order_acq_rel, memory_order_acquire))
#undef cas_seq_cst
#define cas_seq_cst(p, expected, v)                                            \
    (call_once(&in_cas),                                                       \
     atomic_compare_exchange_strong_explicit(                                  \
         (p), (expected), (v), memory_order_seq_cst, memory_order_acquire))

static uint64_t propose_ns; /* 0, but in waits(): see the hooks */
#define PROPOSE_NS propose_ns
#include "../../lib/range/glance.c"
#include "../../lib/range/range.c"

#include <string.h>

#define MOST 4096

bool __real_tweed__fence_heavy(void);
bool __wrap_tweed__fence_heavy(void);
void __real_tweed__pause(void);
void __wrap_tweed__pause(void);
uint64_t __wrap_tweed__clock(void);

static void (*in_fence)(void), (*in_pause)(void);
static int fences;
static bool refuse; /* the system refuses the heavy fence */
static uint64_t now; /* ns, as all below */
static uint64_t fence_at, fence_takes;

/* Each hook runs once, and not within itself. */
static inline void call_once(void (**hook)(void))
{
    void (*f)(void) = *hook;

    *hook = NULL;
    if (f)
        f();
}

bool __wrap_tweed__fence_heavy(void)
{
    fences++;
    fence_at = now;
    now += fence_takes;
    call_once(&in_fence);
    return !refuse;
}

void __wrap_tweed__pause(void)
{
    call_once(&in_pause);
}

uint64_t __wrap_tweed__clock(void)
{
    return now += 1000;
}

/* ---- one range, its owner, and a mark for each block that was handed out ---- */

static struct tweed__range range;
static struct tweed__tally tally;
static struct tweed__owner owner;
static _Atomic uint32_t cancelled; /* where the loop is cut */
static uint32_t next;     /* the block that the owner takes next */
static uint32_t given_up; /* blocks that it had left when the loop was cut */
static unsigned char marks[MOST];
static uint32_t from, to; /* the last loot */

static inline void mark(uint32_t begin, uint32_t end)
{
    for (; begin < end; begin++)
        marks[begin]++;
}

/* True if each of the blocks [begin, end) was handed out `times` times. */
static inline bool marked(uint32_t begin, uint32_t end, int times)
{
    for (; begin < end; begin++)
        if (marks[begin] != times)
            return false;
    return true;
}

static inline void reset(bool asymmetric)
{
    memset(&tally, 0, sizeof tally);
    memset(marks, 0, sizeof marks);
    memset(&owner, 0, sizeof owner);
    owner.range = &range;
    owner.tally = &tally;
    owner.asymmetric = asymmetric;
    owner.cancelled = &cancelled;
    owner.unit = 1;
    in_fence = in_pause = in_cas = NULL;
    fences = 0;
    given_up = 0;
    store_relaxed(&cancelled, TWEED__UNCANCELLED);
    refuse = false;
    tweed__range_clear(&range);
}

/* The owner holds [begin, end) and is in its first block. */
static inline void begin_with(uint32_t begin, uint32_t end, bool asymmetric)
{
    reset(asymmetric);
    tweed__range_install(&owner, begin, end);
    mark(begin, begin + 1);
    next = begin + 1;
}

/* The owner has done what it claimed, and claims c blocks more, or else one, as a
   cursor does.  False: drained. */
static inline bool claim(uint32_t c)
{
    uint32_t end;
    bool taken;

    if (next + c <= owner.limit && tweed__range_reserve(&owner, next, c)) {
        mark(next, next + c);
        next += c;
        return true;
    }
    taken = tweed__range_take(&owner, next, &end);
    if (!taken)
        given_up += end - next;
    mark(next, taken ? next + 1 : end);
    next += taken;
    return taken;
}

static inline bool take(void)
{
    return claim(1);
}

static inline void take_in_hook(void)
{
    (void)take();
}

static inline void take_all(void)
{
    while (take())
        ;
}

static inline enum tweed__loot steal(int worker)
{
    enum tweed__loot loot = tweed__range_steal(
        &range, worker, owner.asymmetric, true, &tally, &from, &to);

    if (loot >= TWEED__LOOT)
        mark(from, to);
    return loot;
}

static inline bool stolen(int worker, uint32_t begin, uint32_t end)
{
    return steal(worker) >= TWEED__LOOT && from == begin && to == end;
}

static inline bool is(uint32_t mid, uint32_t high, uint32_t tid)
{
    return load_relaxed(&range.S) == pack(mid, high, tid);
}

static inline bool is_drained(void)
{
    return tweed__range_look(&range).drained;
}

/* What a dump would show. */
static inline bool looks(uint32_t low, uint32_t mid, uint32_t high, int thief)
{
    struct tweed__look look = tweed__range_look(&range);

    return !look.drained && look.unclaimed == (thief == UNCLAIMED - 1) &&
           (look.unclaimed || look.low == low) && look.mid == mid &&
           look.high == high && look.thief == thief;
}

/* The owner is in block 0 of 100 and [75, 100) was stolen: all is private. */
static inline void private_range(bool asymmetric)
{
    begin_with(0, 100, asymmetric);
    (void)steal(1);
}

#endif
