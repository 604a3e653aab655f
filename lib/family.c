/*
 * family.c - what the tasks of one group have in common.
 *
 * SPDX-License-Identifier: MIT
 *
 * A family counts the tasks of a group that are in flight: spawned, and not over.
 *
 *     spawn:   flight++                      sync:  flight |= its bit of the masks
 *     a task   old <- flight--                      none in flight?  else sleeps
 *     is over  none left, masks in old?
 *                announces it to these
 *
 * Read-modify-writes of one word: the last task comes before the bit, and the one who syncs
 * sees that none is left, or after, and wakes it.  Whoever syncs may have gone on when
 * flight has become 0, and the family may be another group's: so the last one does not
 * look at it again.
 *
 * Submitted tasks have a family of their own, which never ends.  Its word also says that
 * they come from outside no more: whoever submits adds 1 to a word that does not say so,
 * by compare-and-swap, or gives the task back.  So nothing is submitted after the thread
 * that has closed it, or has ended the last task, found nothing in flight.
 */
#include "config.h"

#include "family.h"
#include "here.h"
#include "lock.h"
#include "shield.h"
#include "tsan.h"
#include "wait.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SPARE 64 /* families that a worker keeps for itself */

/* ---- memory ---- */

/* The slot of the nearest loop; -1: there is none. */
static int16_t nearest_slot(struct tweed__team *team, tweed__where it)
{
    if (it == 0)
        return -1;
    return where_is_slot(it) ? (int16_t)where_number(it)
                             : tweed__family_at(team, (uint32_t)it - 1)->slot;
}

/* Under the queue's lock. */
static bool add_chunk(struct tweed__families *fs, uint32_t index)
{
    uint32_t n = index / TWEED__CHUNK;
    struct shield shield = shield_up();
    struct tweed__family *chunk;

    /* a plain copy of errno would not do: to clang no allocation changes errno */
    chunk = aligned_alloc(TWEED__LINE, TWEED__CHUNK * sizeof *chunk);
    shield_down(shield);
    if (!chunk)
        return false;
    memset(chunk, 0, TWEED__CHUNK * sizeof *chunk);
    for (uint32_t i = 0; i < TWEED__CHUNK; i++)
        chunk[i].index = n * TWEED__CHUNK + i;
    store_release(&fs->chunks[n], chunk); /* with tweed__family_at() */
    return true;
}

/* Under the queue's lock. */
static struct tweed__family *take_new(struct tweed__families *fs)
{
    struct tweed__family *f = fs->spare;
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
    /* seq_cst: before the spawner looks at closing, with tweed__family_any() */
    (void)exchange_seq_cst(&fs->used, index);
    return &load_relaxed(&fs->chunks[index / TWEED__CHUNK])[index % TWEED__CHUNK];
}

struct tweed__family *tweed__family_new(struct tweed__team *team, unsigned flags)
{
    struct tweed__worker *own = team_worker(team);
    struct tweed__family *f;
    tweed__where here = tweed__family_here(team);

    if (own && own->spare) {
        f = own->spare;
        own->spare = f->next;
        own->num_spare--;
    } else {
        lock_short(&team->common.lock);
        f = take_new(&team->families);
        pthread_mutex_unlock(&team->common.lock);
    }
    if (!f)
        return NULL;
    /* relaxed, all: nobody else has it; released with its first task */
    store_relaxed(&f->flight, 0);
    store_relaxed(&f->uses, load_relaxed(&f->uses) + 1);
    store_release(&f->inside, here); /* the use, to next_outer() */
    store_relaxed(&f->code, 0);
    store_relaxed(&f->skips, 0);
    f->slot = nearest_slot(team, here);
    f->flags = (uint8_t)flags;
    return f;
}

void tweed__family_free(struct tweed__team *team, struct tweed__family *f)
{
    struct tweed__worker *own = team_worker(team);

    if (own && own->num_spare < MOST_SPARE) { /* others may have made it */
        f->next = own->spare;
        own->spare = f;
        own->num_spare++;
        return;
    }
    lock_short(&team->common.lock);
    f->next = team->families.spare;
    team->families.spare = f;
    pthread_mutex_unlock(&team->common.lock);
}

void tweed__family_end_all(struct tweed__team *team)
{
    struct tweed__families *fs = &team->families;

    for (size_t n = 0; n < sizeof fs->chunks / sizeof *fs->chunks; n++)
        free(load_relaxed(&fs->chunks[n])); /* one thread is left */
}

/* ---- tasks that are over ---- */

void tweed__family_fail(struct tweed__family *f, int code)
{
    int none = 0;

    /* acq_rel: the first one stays.  weaker: any order would do, also relaxed, since the
       return of the task releases it */
    (void)cas_acq_rel(&f->code, &none, code);
    if (f->flags & TWEED_GROUP_SKIP)
        store_relaxed(&f->skips, 1); /* a wish, which may come late */
}

void tweed__family_return(struct tweed__team *team, struct tweed__family *f, uint64_t n,
                          struct tweed__tally *tally)
{
    uint64_t old, now;

    tweed__tsan_release(&f->flight);
    /* seq_cst: with the bit of whoever waits; and before the look at watched, with
       tweed_run_until().  release: what the task did; acquire: so that the last one passes
       that on.  weaker: acq_rel would do, since the bit is in the same word, and a thread
       that waits for a condition polls it besides; release would do, since all that return
       are read-modify-writes, one release sequence */
    old = fetch_sub_seq_cst(&f->flight, n);
    now = old - n;
    if ((now & TWEED__IN_FLIGHT) == 0 && now & TWEED__MASKS) {
        /* those who wait set their bits anew, and the next end need not wake them */
        /* weaker: any order would do, since flight was acquired and released above */
        if (f == &team->families.submitted)
            (void)cas_seq_cst(&f->flight, &now, now & ~TWEED__MASKS);
        tweed__wait_call(team, (uint32_t)((old & TWEED__MASKS) >> TWEED__MASK_SHIFT), tally);
    }
    if (load_seq_cst(&team->watched)) /* weaker: acquire would do, as above */
        tweed__sleep_announce(&team->sleep, INT_MAX, TWEED__WAKE_UNTIL, tally);
}

bool tweed__family_any(struct tweed__team *team)
{
    /* seq_cst, both: after the pool was said to be closing: see is_busy() in pool.c */
    for (uint32_t i = 0, used = load_seq_cst(&team->families.used); i <= used; i++)
        if (load_seq_cst(&tweed__family_at(team, i)->flight) & TWEED__IN_FLIGHT)
            return true;
    return false;
}
