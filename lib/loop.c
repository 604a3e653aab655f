/*
 * loop.c - the public calls: from an index range to a loop in a slot.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "check.h"
#include "partition.h"
#include "pool.h"
#include "slot.h"
#include "versioned.h"

#include <pthread.h>

/* Counts a loop that the caller runs alone.  Worker 0 is any number of threads
   at once, so its tally outside of slots is shared; the others' is their own. */
static void count_serial(struct tweed__worker *w, uint64_t indices)
{
    struct tweed__tally *t = &w->tally;

    if (w->index == 0) { /* relaxed: figures */
        fetch_add_relaxed(&t->loops, 1);
        fetch_add_relaxed(&t->serial, 1);
        fetch_add_relaxed(&t->indices, indices);
    } else {
        tally_add(t, loops, 1);
        tally_add(t, serial, 1);
        tally_add(t, indices, indices);
    }
}

/* All in one piece, on this thread.  w is NULL if there is no team. */
static void run_serially(struct tweed__worker *w, struct tweed__body body)
{
    struct tweed__context here = { NULL, 0, 0, tweed__self.here };
    bool running BODY_GUARD = true;

    if (w) {
        here.team = w->team;
        here.index = w->index;
        here.node = w->node;
        count_serial(w, body.count);
    }
    body.grain = body.count;
    body.blocks = 1;
    body.single = false;
    tweed__self.here = &here;
    body_run(&body, 0, 1);
    running = false;
    tweed__self.here = here.outer;
}

/* Who the calling thread is in the team: its worker, or the outside caller. */
static struct tweed__worker *worker_in(struct tweed__team *team)
{
    struct tweed__worker *w = tweed__self.worker;

    return w && w->team == team ? w : team->workers[0];
}

/* Takes a slot for the loop, or else counts the caller as running alone: either
   way the pool is seen to be busy.  False: the pool is being destroyed. */
static bool enter(tweed_pool *pool, struct tweed__team *team,
                  struct tweed__window window, int *slot)
{
    for (;;) {
        *slot = -1;
        if (window.count > 1)
            *slot = tweed__slot_acquire(team, tweed__self.slot, window);
        if (*slot < 0)
            fetch_add_seq_cst(&team->alone, 1);
        /* seq_cst, as `taken` and `alone` before: see is_busy() in pool.c */
        if (likely(!load_seq_cst(&pool->closing)))
            return true;
        if (*slot < 0)
            fetch_sub_acq_rel(&team->alone, 1); /* release: with is_busy() */
        else
            tweed__slot_release(&team->slots[*slot]);
        if (tweed__pool_is_closing(pool))
            return false;
    }
}

/* Cuts the loop into blocks for so many workers; body->grain is what was asked
   for. */
static void cut(struct tweed__body *body, int workers)
{
    if (!body->grain && body->range)
        body->grain = partition_range_grain(body->count, workers);
    body->grain = partition_grain(body->count, body->grain);
    body->blocks = partition_blocks(body->count, body->grain);
    body->single = body->each && body->grain == 1;
}

static int run(tweed_pool *pool, const tweed_loop_options *options,
               struct tweed__body *body)
{
    struct tweed__team *team = tweed__pool_team(pool);
    int limit = options ? options->max_workers : 0, slot;
    struct tweed__window window;
    struct tweed__worker *w;

    if (!team) {
        run_serially(NULL, *body);
        return TWEED_OK;
    }
    w = worker_in(team);
    cut(body, limit > 0 && limit < team->num_workers ? limit
                                                     : team->num_workers);
    window = partition_window(team->num_workers, w->index, body->blocks, limit);
    if (!enter(pool, team, window, &slot))
        return TWEED_ECLOSED;
    if (slot >= 0) {
        tweed__self.slot = (unsigned)slot;
        tweed__slot_run(w, (unsigned)slot, body, options ? options->name : NULL,
                        window);
    } else {
        run_serially(w, *body);
        fetch_sub_acq_rel(&team->alone, 1); /* release: with is_busy() */
    }
    return TWEED_OK;
}

/* On the stack that the system gave this thread, and not on one of the program's
   own, or of a sanitizer's? */
static bool is_on_stack(const void *p)
{
    pthread_attr_t attr;
    void *lowest = NULL;
    size_t size = 0;

    if (pthread_getattr_np(pthread_self(), &attr) != 0)
        return false;
    pthread_attr_getstack(&attr, &lowest, &size);
    pthread_attr_destroy(&attr);
    return (uintptr_t)p - (uintptr_t)lowest < size;
}

/* A body that was left by longjmp() has not taken its context down: that one
   then lies below this frame (stacks grow down wherever tweed runs). */
static bool body_was_left(void)
{
    const void *here = tweed__self.here, *frame = __builtin_frame_address(0);

    return here && (uintptr_t)here < (uintptr_t)frame && is_on_stack(here) &&
           is_on_stack(frame);
}

/* One lowering for all calls; each and range are not both set. */
static int lower(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                 int64_t hi, tweed_index_fn *each, tweed_range_fn *range,
                 void *arg)
{
    struct tweed__body body = { .each = each, .range = range, .arg = arg };
    tweed_loop_options known;
    int code, cancel; /* no shield: a loop on a pool that runs keeps errno */

    if (TWEED_DEBUG && unlikely(body_was_left()))
        tweed__body_was_left();
    if (!each && !range)
        return TWEED_EINVAL;
    if (options) {
        if (!tweed__versioned_read(&known, sizeof known,
                                   TWEED__FIRST_LOOP_OPTIONS, options) ||
            known.grain < 0 || known.max_workers < 0)
            return TWEED_EINVAL;
        options = &known;
    }
    pool = tweed__pool_or_default(pool);
    if (!pool_is_known(pool))
        return TWEED_ENOPOOL;
    if (lo >= hi)
        return TWEED_OK;
    body.lo = (uint64_t)lo;
    body.count = (uint64_t)hi - (uint64_t)lo;
    body.grain = options ? (uint64_t)options->grain : 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    code = run(pool, options, &body);
    pthread_setcancelstate(cancel, NULL);
    return code;
}

int tweed_parallel_for(int64_t lo, int64_t hi, tweed_index_fn *fn, void *arg)
{
    return lower(NULL, NULL, lo, hi, fn, NULL, arg);
}

int tweed_parallel_for_range(int64_t lo, int64_t hi, tweed_range_fn *fn,
                             void *arg)
{
    return lower(NULL, NULL, lo, hi, NULL, fn, arg);
}

int tweed_parallel_for_with(tweed_pool *pool, const tweed_loop_options *options,
                            int64_t lo, int64_t hi, tweed_index_fn *fn,
                            void *arg)
{
    return lower(pool, options, lo, hi, fn, NULL, arg);
}

int tweed_parallel_for_range_with(tweed_pool *pool,
                                  const tweed_loop_options *options, int64_t lo,
                                  int64_t hi, tweed_range_fn *fn, void *arg)
{
    return lower(pool, options, lo, hi, NULL, fn, arg);
}

int tweed_worker_index(void)
{
    return tweed__self.here ? tweed__self.here->index : -1;
}

int tweed_worker_node(void)
{
    return tweed__self.here ? tweed__self.here->node : -1;
}
