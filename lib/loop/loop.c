/*
 * loop.c - the public calls: from an index range to a loop in a slot.
 *
 * SPDX-License-Identifier: MIT
 */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "loop/loop.h"
#include "base/check.h"
#include "base/error.h"
#include "base/number.h"
#include "log/label.h"
#include "log/trace.h"
#include "loop/cancel.h"
#include "loop/gain.h"
#include "loop/slot.h"
#include "loop/work.h"
#include "pool/here.h"
#include "pool/pool.h"
#include "range/costs.h"
#include "range/deal.h"
#include "system/system.h"

#include <errno.h>
#include <pthread.h>
#include <tweed/sized.h>

/* Runs the loop in the caller alone, which has no slot.  Worker 0 is any number of
   threads at once, so its tally outside of slots is shared. */
static void run_slotless(struct tweed__part *p)
{
    uint64_t executed = p->body->count;
    bool running BODY_GUARD = true;

    tweed__self.here = p;
    TRACE_RUN_BEGIN(p, 0);
    (void)tweed__cursor_alone(&p->walker, p->body, 0, NULL);
    tweed__self.here = p->outer;
    running = false;
    if (unlikely(p->walker.ends_early)) {
        (void)tweed__cursor_left_out(&p->walker);
        executed -= p->walker.early.unexecuted;
    }
    TRACE_RUN_END(p, 0, executed);
    if (p->worker) { /* relaxed: figures */
        struct tweed__tally *t = &p->worker->tally;

        fetch_add_relaxed(&t->loops, 1);
        fetch_add_relaxed(&t->serial, 1);
        fetch_add_relaxed(&t->indices, executed);
    }
}

struct tweed__worker *tweed__loop_worker(struct tweed__team *team)
{
    struct tweed__worker *w = team_worker(team);

    return w ? w : team->workers[0];
}

void tweed__loop_leave(struct tweed__team *team, int slot)
{
    if (slot >= 0)
        tweed__slot_release(&team->slots[slot]);
    else
        fetch_sub_acq_rel(&team->slotless, 1); /* release: with is_busy() */
}

TWEED_INLINE_ bool enter(tweed_pool *pool, struct tweed__team *team, int *slot)
{
    for (;;) {
        *slot = tweed__slot_acquire(team, tweed__self.slot);
        if (unlikely(*slot < 0))
            fetch_add_seq_cst(&team->slotless, 1);
        /* seq_cst, as `taken` and `slotless` before: see is_busy() in pool.c */
        if (likely(!load_seq_cst(&pool->closing)))
            return true;
        tweed__loop_leave(team, *slot);
        if (tweed__pool_is_closing(pool))
            return false;
    }
}

bool tweed__loop_enter(tweed_pool *pool, struct tweed__team *team, int *slot)
{
    return enter(pool, team, slot);
}

bool tweed__loop_enter_slotless(tweed_pool *pool, struct tweed__team *team)
{
    for (;;) {
        fetch_add_seq_cst(&team->slotless, 1);
        if (likely(!load_seq_cst(&pool->closing))) /* as above */
            return true;
        tweed__loop_leave(team, -1);
        if (tweed__pool_is_closing(pool))
            return false;
    }
}

/* The loop can have no worker but its caller. */
TWEED_INLINE_ bool is_alone(struct tweed__team *team, const struct tweed__part *p)
{
    return team->num_workers == 1 || p->body->blocks == 1 || p->limit == 1;
}

/* How long the caller shall walk the loop alone: see tweed__work_run().  A loop that is
   published without need can be seen. */
TWEED_INLINE_ uint64_t patience(struct tweed__team *team, struct tweed__part *p, int slot)
{
    const struct tweed__body *body = p->body;
    uint64_t guess;

    if (is_alone(team, p)) /* relaxed: a wish, which may come late */
        return likely(!load_relaxed(&tweed__slot_watched)) || p->outer ? UINT64_MAX : 0;
    if (unlikely(body->manner & (TWEED__FIXED | TWEED__WEIGHTED)))
        return 0;
    guess = tweed__costs_guess(body->cost, body->count);
    if (guess == 0)
        return 0;
    /* with other workers in the loop an index has cost twice as much, as a rule */
    if (!tweed__costs_is_pure(body->cost))
        guess /= 2;
    return gain_alone_ns(p, slot, guess);
}

__attribute__((cold, noinline)) static int fail_static(void)
{
    return tweed_fail_(TWEED_EBUSY, "%d loops run on it, and a static loop has no place",
                       TWEED__SLOTS);
}

/* Runs the loop in the slot that was taken; -1: without a slot. */
TWEED_INLINE_ int run_entered(struct tweed__part *p, int slot)
{
    struct tweed__team *team = p->team;
    int code = TWEED_OK;

    if (slot >= 0) {
        tweed__self.slot = (unsigned)slot;
        code = tweed__work_run(p, slot, patience(team, p, slot));
        return likely(code == TWEED_OK) ? code : fail_static();
    }
    if (p->body->manner & TWEED__FIXED && !is_alone(team, p))
        code = fail_static();
    else
        run_slotless(p);
    tweed__loop_leave(team, slot);
    return code;
}

TWEED_INLINE_ int run_part(struct tweed__part *p, tweed_pool *pool)
{
    int slot;

    if (!p->team) {
        run_slotless(p);
        return TWEED_OK;
    }
    return enter(pool, p->team, &slot) ? run_entered(p, slot) : tweed__fail_closed(pool);
}

/* As run_part(), with shares by weight. */
__attribute__((noinline)) static int run_weighted(struct tweed__part *p, tweed_pool *pool,
                                                  const tweed_loop_options *o)
{
    const struct tweed__team *team = p->team;
    int workers = team ? team->num_workers : 1;
    uint32_t *ends = __builtin_alloca((size_t)workers * sizeof *ends);

    return tweed__deal_by_weight(p->body, o->weights, workers, p->limit,
                                 team ? team->before : NULL, ends, &p->ends)
               ? run_part(p, pool)
               : TWEED_EINVAL; /* which has been noted */
}

/* How many workers may take part. */
static int most_workers(const struct tweed__part *p)
{
    int most = p->team ? p->team->num_workers : 1;

    return p->limit && p->limit < most ? p->limit : most;
}

__attribute__((cold, noinline)) void tweed__loop_begin_trace(struct tweed__part *p,
                                                             struct tweed__body *body)
{
    int saved = errno;

    body->mark.label = (uint16_t)tweed__label_of(p->name);
    if (load_relaxed(&tweed__tracing)) /* see trace.h */
        tweed__trace_loop_begin(body, p->team ? p->team->number : 0, p->index,
                                tweed__self.worker ? -1 : tweed__number(),
                                p->outer ? p->outer->body : NULL);
    tweed__profile_loop_begin(body, most_workers(p), &p->loop_ns);
    errno = saved;
}

__attribute__((cold, noinline)) void tweed__loop_end_trace(const struct tweed__part *p,
                                                           uint64_t executed,
                                                           bool was_run)
{
    if (was_run)
        tweed__profile_loop_end(p->body, p->index, &p->loop_ns,
                               p->walker.walk == TWEED__ALONE);
    if (p->body->mark.loop)
        tweed__trace_loop_end(p->body, p->index, executed, !p->outer);
}

static void end_early(const struct tweed__part *p, struct tweed__end *end)
{
    const struct tweed__early *e = &p->walker.early;

    end->ran -= e->unexecuted;
    end->code = (int)e->hit.code;
    if (e->hit.code)
        end->index = (int64_t)(p->body->lo + e->hit.offset);
}

TWEED_INLINE_ int run(tweed_pool *pool, const tweed_loop_options *options,
                      struct tweed__body *body, struct tweed__end *end)
{
    struct tweed__team *team = tweed__pool_team(pool);
    struct tweed__part part;
    uint64_t asked = body->grain ? body->grain : 1;
    int code;

    body->grain = partition_grain(body->count, body->grain);
    if (unlikely(body->grain > asked)) {
        body->unit = asked;
        body->manner |= TWEED__LARGE;
    }
    body->blocks = partition_blocks(body->count, body->grain);
    tweed__cursor_prepare(body);
    tweed__part_init(&part, team ? tweed__loop_worker(team) : NULL, body);
    part.name = options && options->name ? options->name : body->kind->name;
    part.limit = options ? options->max_workers : 0;
    TRACE_LOOP_BEGIN(&part, body);
    if (unlikely(body->manner & TWEED__WEIGHTED))
        code = run_weighted(&part, pool, options);
    else
        code = run_part(&part, pool);
    if (unlikely(part.walker.ends_early))
        end_early(&part, end);
    TRACE_LOOP_END(&part, code == TWEED_OK ? end->ran : 0, code == TWEED_OK);
    if (code != TWEED_OK)
        return code;
    return likely(!part.walker.ends_early) ? TWEED_OK : tweed__cancel_result(&part);
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

/* A body that was left by longjmp() has not taken its part down.  The part then lies
   below this frame (stacks grow down wherever tweed runs). */
static bool body_was_left(void)
{
    const void *here = tweed__self.here, *frame = __builtin_frame_address(0);

    return here && (uintptr_t)here < (uintptr_t)frame && is_on_stack(here) &&
           is_on_stack(frame);
}

/* Is the kind complete?  A program may have made it. */
static bool is_kind(const tweed_kind *kind)
{
    return kind && kind->work && kind->size >= sizeof *kind;
}

/* What is wrong with the options, but for `weights` and `schedule`. */
TWEED_INLINE_ int check_options(const tweed_loop_options *o)
{
    if (unlikely(o->grain < 0))
        return tweed__fail_value("tweed_loop_options.grain", o->grain, "0 or more");
    if (unlikely(o->max_workers < 0))
        return tweed__fail_value("tweed_loop_options.max_workers", o->max_workers,
                                 "0 or more");
    if (unlikely(o->timeout_ns < 0))
        return tweed__fail_value("tweed_loop_options.timeout_ns", o->timeout_ns,
                                 "0 or more");
    if (o->outcome && unlikely(!tweed_sized_fits_(o->outcome->size, sizeof *o->outcome)))
        return tweed_sized_fail_("tweed_outcome", o->outcome, sizeof *o->outcome);
    return TWEED_OK;
}

/* Are there weights, or is there a schedule? */
static bool is_arranged(const tweed_loop_options *o)
{
    return ((uintptr_t)o->weights | (unsigned)o->schedule) != 0;
}

/* What is wrong with the schedule. */
static int check_arrangement(const tweed_loop_options *o)
{
    if (o->schedule != TWEED_SCHEDULE_DEFAULT && o->schedule != TWEED_SCHEDULE_STATIC)
        return tweed__fail_value("tweed_loop_options.schedule", o->schedule,
                                 "a TWEED_SCHEDULE_...");
    return TWEED_OK;
}

/* Copies the program's options into ours, and checks them. */
TWEED_INLINE_ int read_options(tweed_loop_options *known, const tweed_loop_options *options)
{
    if (!tweed_sized_read_(known, sizeof *known, options))
        return tweed_sized_fail_("tweed_loop_options", options, sizeof *known);
    return check_options(known);
}

int tweed__loop_read(tweed_loop_options *known, const tweed_loop_options *options)
{
    int code = read_options(known, options);

    return code == TWEED_OK ? check_arrangement(known) : code;
}

/* Notes weights and schedule, unless the calling thread may not have that schedule. */
__attribute__((noinline)) static int arrange(struct tweed__body *body,
                                             const tweed_loop_options *o)
{
    int code = check_arrangement(o);

    if (code != TWEED_OK)
        return code;
    if (o->schedule == TWEED_SCHEDULE_STATIC &&
        (tweed__self.here || tweed__self.worker || tweed__self.reports))
        /* STATIC LOOPS in work.c */
        return tweed_fail_(TWEED_ENESTED, "tweed_loop_options.schedule is "
                                          "TWEED_SCHEDULE_STATIC");
    if (o->schedule == TWEED_SCHEDULE_STATIC)
        body->manner |= TWEED__FIXED;
    if (o->weights)
        body->manner |= TWEED__WEIGHTED;
    return TWEED_OK;
}

/* Notes what may stop the loop from without.  False: the token is set already. */
static bool may_begin(struct tweed__body *body, struct tweed__stops *stops,
                      const tweed_loop_options *o)
{
    *stops = (struct tweed__stops){ .poll = tweed__cancel_poll, .token = o->token };
    if (o->timeout_ns)
        stops->deadline = tweed__clock() + (uint64_t)o->timeout_ns;
    body->stops = stops;
    return !o->token || !tweed_token_is_set(o->token);
}

/* Runs a loop that is not empty. */
TWEED_INLINE_ int run_all(tweed_pool *pool, const tweed_loop_options *options,
                          struct tweed__body *body, struct tweed__end *end)
{
    struct tweed__stops stops;
    int code, cancel; /* no shield: a loop on a pool that runs keeps errno */

    body->grain = options ? (uint64_t)options->grain : 0;
    if (options && unlikely(options->token || options->timeout_ns) &&
        !may_begin(body, &stops, options))
        return TWEED_ESTOPPED;
    end->ran = body->count;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    code = run(pool, options, body, end);
    pthread_setcancelstate(cancel, NULL);
    return code;
}

/* Inline: most loops come here by tweed_loop_run(), and are short. */
TWEED_INLINE_ int run_loop(tweed_kind *kind, tweed_pool *pool,
                           const tweed_loop_options *options, int64_t lo,
                           int64_t hi, void (*fn)(void), void *arg,
                           const void *place, struct tweed__end *end)
{
    struct tweed__body body = { .kind = kind, .fn = fn, .arg = arg,
                                .place = tweed__costs_place(fn, place) };
    tweed_loop_options known;
    int code = TWEED_OK;

    if (TWEED_DEBUG && unlikely(body_was_left()))
        tweed__body_was_left();
    if (unlikely(!is_kind(kind)))
        return tweed_fail_(TWEED_EINVAL, "tweed_loop_run: kind is NULL, or has no work, or "
                                         "its size is none");
    if (options) {
        code = read_options(&known, options);
        if (unlikely(code != TWEED_OK))
            return code;
        if (unlikely(is_arranged(&known))) {
            code = arrange(&body, &known);
            if (code != TWEED_OK)
                return code;
        }
        options = &known;
    }
    pool = tweed__pool_or_default(pool);
    if (!pool_is_known(pool))
        return tweed__fail_pool(pool);
    *end = (struct tweed__end){ .index = hi };
    if (lo < hi) {
        body.lo = (uint64_t)lo;
        body.count = (uint64_t)hi - (uint64_t)lo;
        code = run_all(pool, options, &body, end);
    }
    if (options && options->outcome && loop_has_end(code))
        tweed__loop_report(options->outcome, end);
    return code;
}

int tweed__loop_run(tweed_kind *kind, tweed_pool *pool,
                    const tweed_loop_options *options, int64_t lo, int64_t hi,
                    void (*fn)(void), void *arg, const void *place,
                    struct tweed__end *end)
{
    return run_loop(kind, pool, options, lo, hi, fn, arg, place, end);
}

void tweed__loop_report(tweed_outcome *outcome, const struct tweed__end *end)
{
    const tweed_outcome all = { sizeof all, end->code, end->index, end->ran };

    tweed_sized_write_(outcome, &all, sizeof all);
}

int tweed_loop_run(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                   int64_t hi, tweed_kind *kind, void (*fn)(void), void *arg)
{
    struct tweed__end end;

    return run_loop(kind, pool, options, lo, hi, fn, arg,
                    __builtin_return_address(0), &end);
}

/* For other languages, and dlsym(): what tweed/inline.h has for C and C++.  Such a call
   may be another library's one place for all of its loops, so no place is known. */

static tweed_kind index_kind = TWEED_KIND_INIT_(0, tweed_work_index_, NULL);
static tweed_kind range_kind =
    TWEED_KIND_INIT_(TWEED_CLAIM_NS_, tweed_work_range_, NULL);

int tweed_parallel_for_with(tweed_pool *pool, const tweed_loop_options *options,
                            int64_t lo, int64_t hi, tweed_index_fn *fn,
                            void *arg)
{
    struct tweed__end end;

    return fn ? run_loop(&index_kind, pool, options, lo, hi, (void (*)(void))fn, arg,
                         NULL, &end)
              : TWEED_LACKS_("fn");
}

int tweed_parallel_for_range_with(tweed_pool *pool,
                                  const tweed_loop_options *options, int64_t lo,
                                  int64_t hi, tweed_range_fn *fn, void *arg)
{
    struct tweed__end end;

    return fn ? run_loop(&range_kind, pool, options, lo, hi, (void (*)(void))fn, arg,
                         NULL, &end)
              : TWEED_LACKS_("fn");
}

int tweed_parallel_for(int64_t lo, int64_t hi, tweed_index_fn *fn, void *arg)
{
    return tweed_parallel_for_with(NULL, NULL, lo, hi, fn, arg);
}

int tweed_parallel_for_range(int64_t lo, int64_t hi, tweed_range_fn *fn,
                             void *arg)
{
    return tweed_parallel_for_range_with(NULL, NULL, lo, hi, fn, arg);
}
