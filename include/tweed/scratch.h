/*
 * tweed/scratch.h - memory that each worker has for itself.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h.
 *
 *     tweed_scratch_create()     a scratch: blocks of so many bytes
 *     tweed_scratch_get()        in a body: the block of the worker that executes it
 *     tweed_scratch_next()       after the loop: all blocks, to merge them
 *     tweed_scratch_destroy()
 *
 * A histogram, for example: each worker counts in a block of its own, without a lock
 * and without an atomic operation, and the caller adds the blocks up.
 */
#ifndef TWEED_H
#include <tweed.h> /* which includes this file */
#endif
#ifndef TWEED_SCRATCH_H
#define TWEED_SCRATCH_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tweed_scratch tweed_scratch;

/* A function that is called once with a block; arg is that of the options. */
typedef void tweed_scratch_fn(void *block, void *arg);

/* Options of a scratch: a struct that begins with its size (see tweed.h). */
typedef struct tweed_scratch_options {
    size_t size;            /* sizeof(tweed_scratch_options) */
    size_t alignment;       /* of each block, a power of two; 64 if it is less */
    tweed_scratch_fn *init; /* called for each new block by the thread that is going
                               to use it, and must not use the scratch itself; NULL:
                               the block is zero */
    tweed_scratch_fn *fini; /* called for each block by tweed_scratch_destroy() */
    void *arg;              /* handed to both */
} tweed_scratch_options;

#define TWEED_SCRATCH_OPTIONS_INIT                                             \
    { sizeof(tweed_scratch_options), 0, NULL, NULL, NULL }

/*
 * tweed_scratch_create - make a scratch, which has no blocks yet
 *
 * scratch  receives the scratch; left alone on failure
 * bytes    of each block, at least 1
 * options  NULL: none
 *
 * A scratch belongs to no pool: bodies of any loop of any pool may use it.
 *
 * Returns TWEED_OK; TWEED_EINVAL if scratch is NULL, bytes is 0, alignment is no
 * power of two or more than 2^30, or size not set; TWEED_ENOMEM.
 */
TWEED_API_ TWEED_CHECKED_ int tweed_scratch_create(
    tweed_scratch **scratch, size_t bytes, const tweed_scratch_options *options);

/*
 * tweed_scratch_get - the block of the body that calls
 *
 * The block is the body's alone until the body ends.  Then the same thread may get it
 * in another body, and finds there what the first body has left.  All calls in one body
 * give the same block.
 *
 * The body of an inner loop never gets a block that an outer body on the same thread has,
 * whether the thread is a worker, a caller or a helper, and in whichever pools.  A thread
 * has as many blocks as its bodies, one inside the other, have asked for: one, as a
 * rule.  Outside of bodies a thread has a block, too.
 *
 * A block is made by the first call that needs it, on the NUMA node of the worker that
 * calls, in pages of its own.  All other calls take no lock and enter no system call.
 * The blocks of a thread that has ended are the next new thread's.
 *
 * Any thread may call it at any time until the scratch is destroyed.  Returns NULL if
 * there is no memory for a new block, or scratch is NULL.
 */
TWEED_API_ void *tweed_scratch_get(tweed_scratch *scratch);

/*
 * tweed_scratch_next - all blocks that were made
 *
 *     for (p = tweed_scratch_next(s, NULL); p; p = tweed_scratch_next(s, p))
 *         merge p;
 *
 * block  NULL, or a block of the scratch
 *
 * The order of the blocks is not that of the workers, and is another one in each run;
 * that, and which indices a block has met, makes sums of floating-point numbers differ
 * in their last bits.  (TWEED_SUM() and tweed_parallel_reduce() do not.)
 *
 * To be called when no loop that uses the scratch runs: what bodies left in the blocks
 * is visible then, and what the caller leaves there is seen by the bodies of loops that
 * start later.
 */
TWEED_API_ void *tweed_scratch_next(tweed_scratch *scratch, void *block);

/*
 * tweed_scratch_destroy - give all blocks back
 *
 * scratch  NULL: nothing is done.  No thread may use it, or a block of it, now or later
 */
TWEED_API_ void tweed_scratch_destroy(tweed_scratch *scratch);

#ifdef __cplusplus
}
#endif

#endif /* TWEED_SCRATCH_H */
