/*
 * state.c - what the tasks of one group have in common.
 *
 * SPDX-License-Identifier: MIT
 *
 * A state counts the tasks of a group that are in flight: spawned, and not over.  The
 * count is in the word `flight`, with the masks of the threads that sleep until none is
 * in flight (wait.c).
 *
 *     spawner            a task is over                     waiter
 *       flight++           old <- flight--                    flight |= its mask
 *                          none left, masks in old?           none in flight?
 *                            wakes the threads of these       else sleeps
 *
 * These are read-modify-writes of one word, so they have one order.  If the last flight--
 * comes before the waiter's mask, the waiter sees that none is in flight.  If the mask
 * comes first, the thread that has ended the last task finds it, and wakes the waiter.
 * As soon as none is in flight a waiter may go on, and the state may become another
 * group's: so the thread that has ended the last task does not look at the state again.
 *
 * A worker counts the tasks of one state that it has executed, and takes them from flight
 * together (return): before it executes a task of another state, or looks for jobs
 * elsewhere.
 *
 * Submitted tasks have a state of their own, which never ends.  Its word also says when
 * the pool is closed to tasks from outside.  A thread that submits counts its tasks by a
 * compare-and-swap of a word that does not say so, or gives the tasks back.  So no task is
 * submitted after a thread that has closed the pool, or has ended the last task of a
 * closed pool, found none in flight.
 */
#include "config.h"

#include "task/state.h"
#include "base/shield.h"
#include "base/tsan.h"
#include "pool/above.h"
#include "pool/here.h"
#include "pool/wait.h"
#include "system/lock.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SPARE 64 /* states that a worker keeps for itself */

/* ---- memory ---- */

/* The slot of the nearest loop that a task of `it` is inside of; -1: there is none. */
static int16_t nearest_slot(struct tweed__team *team, tweed__where it)
{
    if (it == 0)
        return -1;
    return where_is_slot(it) ? (int16_t)where_number(it)
                             : tweed__state_at(team, (uint32_t)it - 1)->slot;
}

/* Under the queue's lock. */
static bool add_chunk(struct tweed__group_states *fs, uint32_t index)
{
    uint32_t n = index / TWEED__CHUNK;
    struct shield shield = shield_up();
    struct tweed__group_state *chunk;

    /* a plain copy of errno would not do: to clang no allocation changes errno */
    chunk = aligned_alloc(TWEED__LINE, TWEED__CHUNK * sizeof *chunk);
    shield_down(shield);
    if (!chunk)
        return false;
    tweed__tsan_hide(chunk, TWEED__CHUNK * sizeof *chunk);
    memset(chunk, 0, TWEED__CHUNK * sizeof *chunk);
    for (uint32_t i = 0; i < TWEED__CHUNK; i++)
        chunk[i].index = n * TWEED__CHUNK + i;
    store_release(&fs->chunks[n], chunk); /* with tweed__state_at() */
    return true;
}

/* Under the queue's lock. */
static struct tweed__group_state *take_new(struct tweed__group_states *fs)
{
    struct tweed__group_state *f = fs->spare;
    uint32_t index = load_relaxed(&fs->used) + 1; /* the lock orders it */

    if (f) {
        fs->spare = f->next;
        return f;
    }
    if (index / TWEED__CHUNK >= sizeof fs->chunks / sizeof *fs->chunks)
        return NULL;
    /* relaxed: the lock orders them */
    if (!load_relaxed(&fs->chunks[index / TWEED__CHUNK]) && !add_chunk(fs, index))
        return NULL;
    /* seq_cst: before the spawner looks at closing, with tweed__state_any() */
    (void)exchange_seq_cst(&fs->used, index);
    return &load_relaxed(&fs->chunks[index / TWEED__CHUNK])[index % TWEED__CHUNK];
}

struct tweed__group_state *tweed__state_new(struct tweed__team *team, unsigned flags)
{
    struct tweed__worker *own = team_worker(team);
    struct tweed__group_state *f;
    tweed__where here = tweed__state_here(team);

    if (own && own->spare) {
        f = own->spare;
        own->spare = f->next;
        own->num_spare--;
    } else {
        lock_short(&team->queue.lock);
        f = take_new(&team->group_states);
        pthread_mutex_unlock(&team->queue.lock);
    }
    if (!f)
        return NULL;
    /* relaxed, all: no other thread has the state; released with its first task */
    store_relaxed(&f->flight, 0);
    store_relaxed(&f->uses, load_relaxed(&f->uses) + 1);
    store_release(&f->inside, here); /* the use, to next_outer() */
    store_relaxed(&f->code, 0);
    store_relaxed(&f->skips, 0);
    f->slot = nearest_slot(team, here);
    f->flags = (uint8_t)flags;
    return f;
}

void tweed__state_free(struct tweed__team *team, struct tweed__group_state *f)
{
    struct tweed__worker *own = team_worker(team);

    if (own && own->num_spare < MOST_SPARE) { /* another worker may have made it */
        f->next = own->spare;
        own->spare = f;
        own->num_spare++;
        return;
    }
    lock_short(&team->queue.lock);
    f->next = team->group_states.spare;
    team->group_states.spare = f;
    pthread_mutex_unlock(&team->queue.lock);
}

void tweed__state_end_all(struct tweed__team *team)
{
    struct tweed__group_states *fs = &team->group_states;

    for (size_t n = 0; n < sizeof fs->chunks / sizeof *fs->chunks; n++)
        free(load_relaxed(&fs->chunks[n])); /* one thread is left */
}

/* ---- tasks that are over ---- */

void tweed__state_fail(struct tweed__group_state *f, int code)
{
    int none = 0;

    /* acq_rel: the first code stays.  weaker: any order would do, also relaxed, since the
       return of the task releases the code */
    (void)cas_acq_rel(&f->code, &none, code);
    if (f->flags & TWEED_GROUP_SKIP)
        store_relaxed(&f->skips, 1); /* a wish, which may come late */
}

void tweed__state_return(struct tweed__team *team, struct tweed__group_state *f, uint64_t n,
                          struct tweed__tally *tally)
{
    uint64_t old, now;

    tweed__tsan_release(&f->flight);
    /* seq_cst: with a waiter's mask; and before the look at watched, with
       tweed_pool_run_until().  release: what the task did; acquire: so that the last
       return passes on what all did.  weaker: acq_rel would do, since the mask is in the
       same word, and a thread that waits for a condition polls it besides; release would
       do, since all returns are read-modify-writes, one release sequence */
    old = fetch_sub_seq_cst(&f->flight, n);
    now = old - n;
    if ((now & TWEED__IN_FLIGHT) == 0 && now & TWEED__MASKS) {
        /* the waiters set their masks anew, so the next end need not wake these */
        /* weaker: any order would do, since flight was acquired and released above */
        if (f == &team->group_states.submitted)
            (void)cas_seq_cst(&f->flight, &now, now & ~TWEED__MASKS);
        tweed__wait_call(team, (uint32_t)((old & TWEED__MASKS) >> TWEED__MASK_SHIFT), tally);
    }
    if (load_seq_cst(&team->watched)) /* weaker: acquire would do, as above */
        tweed__sleep_announce(&team->sleep, INT_MAX, TWEED__WAKE_UNTIL, tally);
}

bool tweed__state_any(struct tweed__team *team)
{
    /* seq_cst, both: after the pool was said to be closing: see is_busy() in pool.c */
    for (uint32_t i = 0, used = load_seq_cst(&team->group_states.used); i <= used; i++)
        if (load_seq_cst(&tweed__state_at(team, i)->flight) & TWEED__IN_FLIGHT)
            return true;
    return false;
}
