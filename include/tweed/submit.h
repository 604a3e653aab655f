/*
 * tweed/submit.h - tasks that are not waited for one by one: a pool as an executor.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h.
 *
 *     while (accept a request)
 *         if (tweed_pool_submit(pool, serve, request) == TWEED_ECLOSED)
 *             refuse(request);
 *     ...
 *     tweed_pool_close(pool);      no more from outside
 *     tweed_pool_drain(pool);      until all is done
 *     tweed_pool_destroy(pool);
 *
 * Submitted tasks lie in one queue a pool, the submission queue.  A worker looks for
 * loops, then for tasks that it has spawned itself, then in the submission queue, and then
 * for tasks of other workers (now and then for these first).  So no worker takes more
 * before the tasks that it has spawned are begun.
 *
 * Names that end with _ are tweed's own.
 */
#ifndef TWEED_H
#include <tweed.h> /* which includes this file */
#endif
#ifndef TWEED_SUBMIT_H
#define TWEED_SUBMIT_H

#include <tweed/group.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * tweed_pool_submit - a task for the pool's workers, which no thread joins
 *
 *     fn(arg);
 *
 * at some time.
 *
 * pool  NULL: the default pool, which is started if need be
 * fn    called once, if the call returns TWEED_OK
 *
 * Tasks begin about in the order in which they were submitted; workers take them from the
 * queue in portions.  The first task that is submitted to a pool of one worker starts a
 * thread of the pool's, which executes tasks, as worker 0.  If the system gives no thread
 * tweed_pool_try_one(), tweed_pool_run_until() and tweed_pool_drain() execute the tasks.
 *
 * Any thread, any task and any body may call it.  Does not block.  What the caller did
 * before the call happens before the task.
 *
 * Returns TWEED_OK; TWEED_ECLOSED after tweed_pool_close(), or while the pool is being
 * destroyed: the task was not submitted.  (A submitted task may submit more tasks even
 * then.)  TWEED_ENOMEM: the same, for want of memory.  TWEED_EINVAL if fn is NULL;
 * TWEED_ENOPOOL.
 */
TWEED_API_ TWEED_CHECKED_ int tweed_pool_submit(tweed_pool *pool, tweed_task_fn *fn, void *arg);

/* tweed_pool_submit_front - the same; the task begins before all that were submitted
   earlier and that no worker has taken from the queue yet */
TWEED_API_ TWEED_CHECKED_ int tweed_pool_submit_front(tweed_pool *pool, tweed_task_fn *fn,
                                                      void *arg);

/*
 * tweed_pool_submit_batch - n tasks fn(args[0]) to fn(args[n-1]), in this order
 *
 * All of them or, if the result is not TWEED_OK, none.  args is not used after the call.
 * Cheaper than n calls, and workers are woken once.  n 0 is right.
 */
TWEED_API_ TWEED_CHECKED_ int tweed_pool_submit_batch(tweed_pool *pool, tweed_task_fn *fn,
                                                      void *const *args, size_t n);

/* tweed_pool_submit() of a task with bytes of its own: see
   tweed_group_spawn_closure_(). */
TWEED_API_ TWEED_CHECKED_ int tweed_pool_submit_closure_(tweed_pool *pool,
                                                         tweed_closure_fn_ *fn,
                                                         const void *closure,
                                                         size_t bytes);

/*
 * tweed_pool_close - no more tasks from outside
 *
 * From now on tweed_pool_submit() returns TWEED_ECLOSED, but in submitted tasks, which may
 * still submit more.  Loops, groups and TWEED_RUN go on as before.  The call cannot be
 * taken back.  Does not block.
 *
 * Returns TWEED_OK, also the second time; TWEED_ENOPOOL; TWEED_ENOMEM if the default pool
 * cannot be had.
 */
TWEED_API_ int tweed_pool_close(tweed_pool *pool);

/*
 * tweed_pool_drain - wait until no submitted task is left, waiting or running
 *
 * The caller executes submitted tasks meanwhile, and what these have made.  Tasks that
 * are submitted meanwhile are waited for, too: after tweed_pool_close() that ends.
 *
 * Blocks.  What the tasks did happens before the return.
 *
 * Returns the code of the first task that failed since the last drain, which is positive
 * if it is the program's own; else TWEED_OK.  TWEED_EBUSY in a submitted task, or in a
 * task or loop that such a task has made: the call would wait for itself.  TWEED_ENOPOOL;
 * TWEED_ENOMEM.
 */
TWEED_API_ int tweed_pool_drain(tweed_pool *pool);

/*
 * tweed_pool_abandon - close, drop the tasks that have not begun, wait for the others
 *
 * Blocks until the tasks that run are over.  Tasks that they submit are dropped.
 *
 * Returns how many tasks were dropped, by all calls so far; a negative result as
 * tweed_pool_drain().
 */
TWEED_API_ int64_t tweed_pool_abandon(tweed_pool *pool);

/*
 * tweed_pool_try_one - execute one task of the pool, if there is one that has not begun
 *
 * It may be any task: submitted, or of any group.  So the caller must not hold a lock
 * that a task needs.  For threads that have something to wait for, and for pools without
 * threads.
 *
 * Returns 1 if it has executed a task, 0 if there was none; TWEED_ENOPOOL.
 */
TWEED_API_ int tweed_pool_try_one(tweed_pool *pool);

/*
 * tweed_pool_run_until - execute tasks of the pool until condition(arg) is not 0
 *
 *     while (!condition(arg))
 *         tweed_pool_try_one(pool);
 *
 * without using a CPU while there is nothing to do.  The condition is called between any
 * two tasks; when there are no tasks, after each task that ends on the pool, and once in
 * a millisecond.
 *
 * Returns TWEED_OK; TWEED_EINVAL if condition is NULL; TWEED_ENOPOOL; TWEED_ENOMEM.
 */
TWEED_API_ int tweed_pool_run_until(tweed_pool *pool, int (*condition)(void *arg), void *arg);

#ifdef __cplusplus
}
#endif

#endif /* TWEED_SUBMIT_H */
