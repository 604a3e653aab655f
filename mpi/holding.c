/*
 * holding.c - the protocol between ranks: one owner, any number of thieves, one word.
 *
 * SPDX-License-Identifier: MIT
 *
 * This is the only file that changes a word HELD, or STOCK.
 *
 * THE IDEA.  A rank holds the blocks [low, high) of a loop, which no thread has begun.
 * low and high are packed into one word, which lies in the rank's window:
 *
 *        low                             high
 *         |  threads of the rank          |
 *         v  take from here       thieves v
 *     ----[~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~)----
 *
 * The word is like an unclaimed share of lib/range/range.c: all of it is public, and each thread
 * that takes blocks, one of the rank's own too, does so by a compare-and-swap of the word.
 * There is no private part, no proposal and no fence, because a thread takes blocks for some
 * 100 us at a time: what lib/range/range.c saves for each block is not felt here.
 *
 * A word STOCK is the same for the threads of one process alone, and no rank steals from
 * it.  crew.c says what it is for.
 *
 * GUARANTEES.
 *  (a) Each block is taken by exactly one thread of one rank: none lost, none twice.
 *  (b) Lock-free: a compare-and-swap that fails means that another thread's has succeeded.
 *  (c) No rank waits for another: a rank that is stopped holds up the blocks that it has
 *      taken, nothing else.  (Whether MPI itself performs an operation on the window of a
 *      stopped rank is up to MPI and the network.)
 *
 * WHICH THREAD MAY CALL WHAT.  claim: threads of the rank whose word it is, several at
 * once; where the word is reached through MPI the calling thread.  put: one thread of
 * that rank at a time.  steal: threads of the other ranks of the same loop.  What happens
 * beside what:
 *
 *              put    claim   steal
 *   put         -      none    none
 *   claim      none    CAS     CAS
 *   steal      none    CAS     CAS
 *
 *   -     one at a time (crew.c);  none: only put changes an empty word
 *   CAS   the word decides which of the two happened, the other starts over
 *
 * WHY IT IS RIGHT.
 *
 * 1. A successful compare-and-swap from {low, high} takes [low, low+n) or [high-q, high) and
 *    leaves the rest in the word.  So at each moment a block is in one word, or with one
 *    thread that has taken it: nothing is lost, nothing is there twice.  put() moves blocks
 *    from a thread's hands into its rank's word.
 *
 * 2. A compare-and-swap that succeeds late, because the word has recurred (ABA: a range
 *    that went away can come back as loot), takes what the word holds at that moment.
 *    The thread has read nothing else.
 *
 * 3. put() replaces an empty word.  An empty word is changed by put() alone: claim and steal
 *    leave it alone.  Of one word there is one put() at a time, by a thread that has seen the
 *    word empty since the last put().  So put()'s compare-and-swap fails at most because
 *    put() has expected another empty word: there are several.
 *
 * 4. No thread carries a word from one loop to the next.  A loop ends on a rank when none
 *    of its threads has an operation under way (the crew is joined), and the next one
 *    begins with a collective call of all ranks (agree.c).  A thief of the next loop that
 *    comes before its victim has put its share there finds an empty word: at the end of a
 *    loop all words are empty, since all blocks are done.
 *
 * THE ORDER OF MEMORY.  The word carries nothing but itself: blocks are numbers, and a
 * body touches the memory of the rank that executes it, which the rank's threads share
 * since they came to the loop.  So no order is needed between the word and anything else,
 * and MPI need promise none: its accumulating operations on one word by one rank are
 * ordered among themselves and atomic.  (crew.c argues that a thread which leaves has
 * seen the words that were put.)  All accesses are such operations (window.c), also those
 * of the rank itself: so both memory models of MPI are served, the separate and the
 * unified one.
 */
#include "config.h"

#include "holding.h"
#include "window.h"

/* A thief takes one part of so many, as in lib/range/range.c. */
#define STEAL_PART 4

static uint64_t pack(uint32_t low, uint32_t high)
{
    return (uint64_t)low << 32 | high;
}

static uint32_t low_of(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

static uint32_t high_of(uint64_t word)
{
    return (uint32_t)word;
}

uint32_t tweed__holding_size(uint64_t word)
{
    return high_of(word) - low_of(word);
}

void tweed__holding_put(struct tweed__ranks *r, int word, uint32_t begin, uint32_t end)
{
    uint64_t before = 0, seen;

    while ((seen = tweed__window_cas(r, r->rank, word, before, pack(begin, end))) != before &&
           !r->failed) {
        /* what is seen has no blocks, too */
        before = seen;
    }
}

bool tweed__holding_claim(struct tweed__ranks *r, int word,
                          uint32_t (*wanted)(uint32_t left, const void *arg),
                          const void *arg, struct tweed__blocks *b)
{
    uint64_t held = tweed__window_read(r, r->rank, word), seen;

    while (tweed__holding_size(held) > 0) {
        uint32_t low = low_of(held), left = tweed__holding_size(held);
        uint32_t n = wanted(left, arg);

        n = n < 1 ? 1 : n > left ? left : n;
        b->begin = low;
        b->end = low + n;
        seen = tweed__window_cas(r, r->rank, word, held, pack(low + n, high_of(held)));
        if (seen == held)
            return true;
        held = seen; /* where MPI has failed, an empty one */
    }
    return false;
}

bool tweed__holding_steal(struct tweed__ranks *r, int victim, uint64_t word,
                          struct tweed__blocks *b)
{
    uint32_t size = tweed__holding_size(word), quota = size / STEAL_PART;

    if (size == 0)
        return false;
    b->end = high_of(word);
    b->begin = b->end - (quota ? quota : 1);
    return tweed__window_cas(r, victim, TWEED__HELD, word,
                             pack(low_of(word), b->begin)) == word;
}
