/*
 * crew.c - the threads of a rank in a loop: what they take, and which fetches more.
 *
 * SPDX-License-Identifier: MIT
 *
 * THE IDEA.  The calling thread, the DRIVER, has other threads of its pool come as tasks:
 * MEMBERS of the crew.  Each thread takes a few blocks, executes them, and takes the next
 * ones.  So no thread waits for another thread's body.  A member that finds no blocks
 * leaves.
 *
 * ON ONE NODE threads take from HELD itself.  The thread that finds HELD empty fetches:
 * it steals from another rank, keeps some blocks and puts the rest into HELD.  So a rank
 * whose driver is in a long body goes on with its other threads, as long as they find
 * something.
 *
 *     another rank's HELD ----> HELD ----> threads
 *              ^  any thread      ^  any thread
 *
 * ON SEVERAL NODES the driver alone may call MPI.  The driver takes portions from HELD and
 * puts them into words STOCK, of which the threads take.  There are two such words: while
 * threads take from the older one, the driver supplies the other.
 *
 *     another rank's HELD ----> HELD ----> STOCK ----> threads
 *              ^  the driver      ^  the driver  ^  any thread
 *
 * GUARANTEES.
 *  (a) A word is put by one thread at a time, and when it is empty: what holding.c asks for.
 *  (b) Blocks that are in a word from which members take do not wait for the driver, if the
 *      pool has a thread for them: a member is there, or was asked for, or had come to take
 *      when the blocks were put.
 *  (c) No thread waits for another thread here.
 *
 * WHY IT IS RIGHT.
 *
 * 1. The driver puts STOCK, after it has seen the word empty, and no other thread puts
 *    it.  On several nodes the driver also puts HELD.  On one node the thread that has
 *    the TURN puts HELD, and looks at HELD after it has got the turn.  If HELD is empty
 *    then, it is empty until that thread puts it, since only the thread with the turn
 *    does.  Before the loop's first look the driver is alone (begin()).
 *
 * 2. A member leaves by members--, and then looks once more at the words.  A thread that
 *    puts blocks, the PUTTER, looks at members after that, and asks for the members that
 *    are missing:
 *
 *        putter:  word <- blocks;  members += missing      a read-modify-write, also of 0
 *        member:  members--;       are there blocks?
 *
 *    Both change one word, members.  If the leaving comes first, the putter sees that a
 *    member is missing.  If the putting comes first, the leaving synchronises with it,
 *    and the member sees the blocks, or that they were taken: it comes back.
 *
 * 3. No thread waits for the turn: a thread that does not get it leaves, or has other
 *    things to do.  The thread with the turn puts what it finds, and then point 2 holds.
 *
 * 4. Of loot at least a block stays with the thief.  So two ranks cannot take the same blocks
 *    from each other for ever without executing any.
 *
 * A thread asks for members after it has given the turn back: a task for which there is no
 * memory is executed at once, by the thread that asks.
 */
#include "config.h"

#include "atomic.h"
#include "crew.h"
#include "window.h"

#include <stddef.h>

/* ---- members ---- */

/* There are `blocks` more blocks: asks for members, one for each block at most. */
static void ask(struct tweed__crew *c, uint32_t blocks)
{
    int have = load_relaxed(&c->members), missing; /* the compare-and-swap looks again */

    do {
        missing = c->most > have ? c->most - have : 0; /* a member may have come back */
        if ((uint32_t)missing > blocks)
            missing = (int)blocks;
        /* also of 0, see 2.  release: the word that was put; acquire: weaker: release
           would do, for the putter looks at nothing else */
    } while (!cas_acq_rel(&c->members, &have, have + missing));
    for (; missing > 0; missing--)
        if (!c->ask(c->arg)) {
            fetch_sub_acq_rel(&c->members, missing); /* weaker: any order would do */
            return;
        }
}

static bool is_empty(struct tweed__crew *c, int word)
{
    return tweed__holding_size(tweed__window_read(c->ranks, c->ranks->rank, word)) == 0;
}

static bool are_blocks(struct tweed__crew *c)
{
    if (c->direct)
        return !is_empty(c, TWEED__HELD);
    return !is_empty(c, TWEED__STOCK) || !is_empty(c, TWEED__STOCK + 1);
}

bool tweed__crew_leave(struct tweed__crew *c)
{
    /* acquire: the word that was put, with ask().  release: weaker: acquire would do */
    fetch_sub_acq_rel(&c->members, 1);
    if (!are_blocks(c))
        return true;
    fetch_add_relaxed(&c->members, 1); /* with ask(), which then asks for one member less */
    return false;
}

/* ---- taking and fetching ---- */

static int other_place(int place)
{
    return 2 * TWEED__STOCK + 1 - place;
}

static bool claim(struct tweed__crew *c, const struct tweed__demand *d,
                  struct tweed__blocks *b)
{
    int older = TWEED__STOCK + load_relaxed(&c->older); /* a hint */

    if (c->direct)
        return tweed__holding_claim(c->ranks, TWEED__HELD, d->wanted, d->arg, b);
    return tweed__holding_claim(c->ranks, older, d->wanted, d->arg, b) ||
           tweed__holding_claim(c->ranks, other_place(older), d->wanted, d->arg, b);
}

/* Keeps some blocks of the loot, and puts the rest into HELD; returns how many that are.
   */
static uint32_t keep(struct tweed__crew *c, const struct tweed__demand *d,
                     struct tweed__blocks *b)
{
    uint32_t size = b->end - b->begin, kept = d->wanted(size, d->arg);

    kept = kept < 1 ? 1 : kept > size ? size : kept;
    if (kept < size)
        tweed__holding_put(c->ranks, TWEED__HELD, b->begin + kept, b->end);
    b->end = b->begin + kept;
    return size - kept;
}

/* HELD was empty. */
static bool fetch(struct tweed__crew *c, const struct tweed__demand *d,
                  struct tweed__blocks *b)
{
    uint32_t more = 0;
    bool got;

    /* seq_cst: acquires what the last thread with the turn has put.  weaker: acquire
       would do */
    if (load_relaxed(&c->turn) || exchange_seq_cst(&c->turn, 1)) /* a look first */
        return false;
    got = claim(c, d, b); /* of blocks that another thread has put meanwhile */
    if (!got && d->steal(d->arg, b)) {
        got = true;
        more = keep(c, d, b);
    }
    store_release(&c->turn, 0); /* with the next thread's exchange */
    if (more)
        ask(c, more);
    return got;
}

bool tweed__crew_take(struct tweed__crew *c, const struct tweed__demand *d,
                      struct tweed__blocks *b)
{
    return claim(c, d, b) || (c->direct && d->steal && fetch(c, d, b));
}

static int find_place(struct tweed__crew *c)
{
    for (int k = 0; k < TWEED__STOCKS; k++)
        if (is_empty(c, TWEED__STOCK + k))
            return TWEED__STOCK + k;
    return -1;
}

bool tweed__crew_has_place(struct tweed__crew *c)
{
    return !c->direct && find_place(c) >= 0;
}

bool tweed__crew_supply(struct tweed__crew *c, const struct tweed__demand *d)
{
    struct tweed__blocks b;
    int place = c->direct ? -1 : find_place(c);

    if (place < 0)
        return false;
    if (!tweed__holding_claim(c->ranks, TWEED__HELD, d->wanted, d->arg, &b)) {
        if (!d->steal || !d->steal(d->arg, &b))
            return false;
        (void)keep(c, d, &b);
    }
    tweed__holding_put(c->ranks, place, b.begin, b.end);
    store_relaxed(&c->older, other_place(place) - TWEED__STOCK); /* a hint */
    ask(c, b.end - b.begin);
    return true;
}

void tweed__crew_begin(struct tweed__crew *c, const struct tweed__blocks *share)
{
    if (share->begin == share->end)
        return;
    tweed__holding_put(c->ranks, TWEED__HELD, share->begin, share->end);
    if (c->direct)
        ask(c, share->end - share->begin - 1); /* one is the driver's */
}

bool tweed__crew_steal(struct tweed__crew *c, const int victim[2], struct tweed__blocks *b)
{
    uint64_t word[2];
    int richer;

    tweed__window_read_two(c->ranks, victim, TWEED__HELD, word);
    richer = tweed__holding_size(word[1]) > tweed__holding_size(word[0]);
    return tweed__holding_steal(c->ranks, victim[richer], word[richer], b) ||
           tweed__holding_steal(c->ranks, victim[!richer], word[!richer], b);
}
