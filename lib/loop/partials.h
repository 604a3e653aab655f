/*
 * partials.h - how a loop with a partial result for each block is divided, memory for the
 * results, and what such a call begins with.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_PARTIALS_H
#define TWEED_LIB_PARTIALS_H

#include "loop/loop.h"
#include "system/system.h"

#include <stdint.h>
#include <tweed/sized.h>

/* How many bytes of elements lie on a stack: in general, and where malloc() has failed.
   The latter are enough for two dozen elements of 4 KiB. */
#define TWEED__STACK_BYTES 16384
#define TWEED__SPARE_BYTES 98304

static inline uint32_t partials_blocks(uint64_t count, uint64_t grain)
{
    return (uint32_t)(count / grain + (count % grain != 0));
}

/* Bytes that hold n elements, wherever they begin; SIZE_MAX: too many. */
static inline size_t partials_bytes(size_t n, size_t stride, size_t alignment)
{
    size_t bytes;

    if (__builtin_mul_overflow(n, stride, &bytes) ||
        __builtin_add_overflow(bytes, alignment, &bytes))
        return SIZE_MAX;
    return bytes;
}

static inline void *partials_align(void *memory, size_t alignment)
{
    size_t beyond = (uintptr_t)memory & (alignment - 1);

    return (char *)memory + (beyond ? alignment - beyond : 0);
}

/* Reads the options of a call into *known, which has the defaults so far.  The loop reads
   *known, too, after its grain was chosen. */
static inline int partials_options(tweed_loop_options *known,
                                   const tweed_loop_options *options)
{
    int code = options ? tweed__loop_read(known, options) : TWEED_OK;

    known->size = sizeof *known; /* no more than that can be read of *known */
    return code;
}

/* What a call returns whose description, of this type, lacks a member. */
static inline int partials_lack(const char *type, bool identity, bool body)
{
    return tweed_fail_(TWEED_EINVAL, "%s.%s is NULL", type,
                       identity ? body ? "combine" : "body" : "identity");
}

/* What a call returns for a size or an alignment that elements cannot have. */
static inline int partials_no_element(const char *type, size_t size, size_t alignment)
{
    return tweed_fail_(TWEED_EINVAL, "%s.element_size is %zu and alignment %zu", type, size,
                       alignment);
}

/* A loop that is run in parts has one time limit: when that is over; 0: there is none. */
static inline uint64_t partials_deadline(const tweed_loop_options *o)
{
    return o->timeout_ns ? tweed__clock() + (uint64_t)o->timeout_ns : 0;
}

/* Gives the next part the time that is left; or 1 ns, which ends the loop. */
static inline void partials_limit(tweed_loop_options *o, uint64_t deadline)
{
    uint64_t now = deadline ? tweed__clock() : 0;

    if (deadline)
        o->timeout_ns = deadline > now ? (int64_t)(deadline - now) : 1;
}

/* Runs one loop of a call that may need several: the indices [lo, hi).  `begun`: another
   one has been run.  Only the first loop of a static call may be refused because no slot
   is free: a refusal says that no index was executed.  A later loop, which finds no slot,
   is shared as any other loop is. */
static inline int partials_run(tweed_kind *kind, tweed_pool *pool,
                               const tweed_loop_options *options, bool begun, uint64_t lo,
                               uint64_t hi, void (*fn)(void), void *arg)
{
    tweed_loop_options shared;
    struct tweed__end end;
    int code = tweed__loop_run(kind, pool, options, (int64_t)lo, (int64_t)hi, fn, arg, NULL,
                               &end);

    if (code != TWEED_EBUSY || !begun)
        return code;
    shared = *options;
    shared.schedule = TWEED_SCHEDULE_DEFAULT;
    return tweed__loop_run(kind, pool, &shared, (int64_t)lo, (int64_t)hi, fn, arg, NULL,
                           &end);
}

/* A call over no index: the result is the identity. */
static inline int partials_of_none(tweed_kind *kind, tweed_pool *pool,
                                   const tweed_loop_options *options, int64_t lo,
                                   int64_t hi, void (*fn)(void), const void *identity,
                                   size_t element, void *result)
{
    int code = tweed_loop_run(pool, options, lo, hi, kind, fn, NULL);

    if (code == TWEED_OK)
        memcpy(result, identity, element);
    return code;
}

#endif
