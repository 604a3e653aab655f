/*
 * stop.c - loops that end early: a stop from a body, bodies that fail, searches.
 *
 * SPDX-License-Identifier: MIT
 *
 * How a loop is cancelled: cancel.c, and (6) in range.c.
 */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "loop/loop.h"
#include "pool/team.h"

int tweed_parallel_stop(void)
{
    struct tweed__part *p = tweed__self.here;

    if (!p || p->body->manner & (TWEED__TASKS | TWEED__JOBS))
        return tweed_fail_(TWEED_EINVAL, "%s: the call is made in no body of a loop",
                           __func__);
    tweed_cursor_stop(&p->walker.cursor);
    return TWEED_OK;
}

/* place: see tweed__loop_run(). */
static int find_at(const void *place, tweed_pool *pool, const tweed_loop_options *options,
                   int64_t lo, int64_t hi, tweed_kind *kind, void (*fn)(void), void *arg,
                   int64_t *found)
{
    struct tweed__end end;
    int code = tweed__loop_run(kind, pool, options, lo, hi, fn, arg, place, &end);

    if (loop_has_end(code))
        *found = end.index;
    return code;
}

int tweed_loop_run_find(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                        int64_t hi, tweed_kind *kind, void (*fn)(void), void *arg,
                        int64_t *found)
{
    return found ? find_at(__builtin_return_address(0), pool, options, lo, hi, kind, fn, arg,
                           found)
                 : TWEED_LACKS_("found");
}

/* ---- for other languages, and dlsym(): what tweed/stop.h has for C and C++ ---- */

static tweed_kind try_kind = TWEED_KIND_INIT_(0, tweed_work_try_, NULL);
static tweed_kind find_kind = TWEED_KIND_INIT_(0, tweed_work_find_, NULL);

/* No place is known, as in loop.c. */
int tweed_parallel_try_with(tweed_pool *pool, const tweed_loop_options *options,
                            int64_t lo, int64_t hi, tweed_try_fn *fn, void *arg)
{
    struct tweed__end end;

    return fn ? tweed__loop_run(&try_kind, pool, options, lo, hi, TWEED_BODY_(fn), arg, NULL,
                                &end)
              : TWEED_LACKS_("fn");
}

int tweed_parallel_try(int64_t lo, int64_t hi, tweed_try_fn *fn, void *arg,
                       tweed_outcome *outcome)
{
    const tweed_loop_options o = tweed_outcome_alone_(outcome);

    return tweed_parallel_try_with(NULL, &o, lo, hi, fn, arg);
}

int tweed_parallel_find_with(tweed_pool *pool, const tweed_loop_options *options,
                             int64_t lo, int64_t hi, tweed_try_fn *fn, void *arg,
                             int64_t *found)
{
    if (!fn)
        return TWEED_LACKS_("fn");
    return found ? find_at(NULL, pool, options, lo, hi, &find_kind, TWEED_BODY_(fn), arg,
                           found)
                 : TWEED_LACKS_("found");
}

int tweed_parallel_find(int64_t lo, int64_t hi, tweed_try_fn *fn, void *arg,
                        int64_t *found)
{
    return tweed_parallel_find_with(NULL, NULL, lo, hi, fn, arg, found);
}
