/*
 * tweed/group.h - tasks in groups: spawned by any thread, in any number, joined in any
 * order.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h.
 *
 *     tweed_group g = TWEED_GROUP_INIT;
 *
 *     for (each file)
 *         tweed_group_spawn(&g, scan, file);
 *     code = tweed_group_sync(&g);
 *
 * If each task joins the tasks that it has spawned itself, the last one first, they can be
 * tasks of tweed/task.h, which cost a twentieth of these.
 *
 * Names that end with _ are tweed's own.
 */
#ifndef TWEED_H
#include <tweed.h> /* which includes this file */
#endif
#ifndef TWEED_GROUP_H
#define TWEED_GROUP_H

#ifdef __cplusplus
extern "C" {
#endif

/* A task.  Returns 0 if it went well; else it has failed.  The program's own codes are
   positive: a negative number is a code of tweed's, which a task may hand on from a call
   that it has made.  arg is the pointer given with the task.  A task may call any tweed
   function. */
typedef int tweed_task_fn(void *arg);

/* When a task has failed, tasks of the group that have not begun are not executed. */
#define TWEED_GROUP_SKIP 1u

/* Tasks that are joined together.  A program sets pool and flags, before the first spawn,
   and nothing else. */
typedef struct tweed_group {
    tweed_pool *pool;   /* where they are executed; NULL: the default pool */
    unsigned flags;     /* TWEED_GROUP_SKIP or 0 */
    unsigned reserved_;
    uint64_t family_;
    uint64_t more_[2];
} tweed_group;

#define TWEED_GROUP_INIT { 0, 0, 0, 0, { 0, 0 } }

/*
 * tweed_group_spawn - a task that any worker may execute
 *
 *     code = fn(arg);
 *
 * before tweed_group_sync() of the group returns.  In a pool of one worker
 * tweed_group_sync() executes the task.
 *
 * group  has been initialised with TWEED_GROUP_INIT
 * fn     called once
 * arg    handed to fn; what arg points to lives until the group was synced
 *
 * Any thread may call it.  While a thread is in tweed_group_sync() of the group only tasks
 * of the group may: tweed_group_sync() may have seen the last task end.  The group is not
 * to be moved or copied between its first spawn and its sync.
 *
 * Does not block.  What the caller did before the call happens before the task.
 *
 * Without memory, or with 2^30 tasks of the group in flight, the caller executes the task
 * at once.
 *
 * Returns TWEED_OK; TWEED_EINVAL if group or fn is NULL, or a flag unknown; TWEED_ENOPOOL;
 * TWEED_ECLOSED if the pool is being destroyed: the task is not executed.
 */
TWEED_API_ int tweed_group_spawn(tweed_group *group, tweed_task_fn *fn, void *arg);

/*
 * tweed_group_sync - wait until all tasks of a group are over
 *
 *     for (each task that was spawned and not executed yet)
 *         code = fn(arg);
 *
 * group  with or without spawned tasks; it may be used anew afterwards
 *
 * Tasks of the group may spawn more tasks into it: the call waits for these, too.  One
 * thread at a time may call it for a group.  A task must not sync its own group, nor a
 * group of which a task has spawned it, at any distance.
 *
 * Blocks.  The caller executes tasks meanwhile: tasks of this group, of groups that these
 * have made, and indices of loops that these have started; never anything else (while
 * there is memory), which might need a lock that the caller holds.  So a stack holds no
 * more tasks than the longest chain of tasks that spawn tasks.
 *
 * What the tasks did happens before the return.
 *
 * Returns TWEED_OK if all tasks have returned 0; else the code of the first, in time,
 * that failed, which is positive if it is the program's; TWEED_ESTOPPED after
 * tweed_group_cancel(), if none has failed; TWEED_EINVAL if group is NULL, TWEED_EBUSY in
 * a task of the group.
 */
TWEED_API_ int tweed_group_sync(tweed_group *group);

/*
 * tweed_group_cancel - tasks that have not begun are not executed
 *
 * Tasks that run go on to their end.  Tasks that are spawned later, before the group was
 * synced, are not executed either.
 *
 * May be called by the tasks of the group; by the thread that has spawned, before the
 * thread syncs; and by any thread that knows that the group is not synced yet.  Does not
 * block.
 *
 * Returns TWEED_OK; TWEED_EINVAL if group is NULL or nothing was spawned.
 */
TWEED_API_ int tweed_group_cancel(tweed_group *group);

/* How a task is called that carries what it needs: once, with TWEED_TASK_RUN_; or once
   with TWEED_TASK_DROP_, when it is not to be executed. */
#define TWEED_TASK_RUN_ 0
#define TWEED_TASK_DROP_ 1
#define TWEED_CLOSURE_BYTES_ 48
typedef int tweed_closure_fn_(void *closure, int how);

/* tweed_group_spawn() of a task with up to 48 bytes of its own, aligned to 16, which are
   copied bytewise, perhaps several times, before the task runs. */
TWEED_API_ int tweed_group_spawn_closure_(tweed_group *group, tweed_closure_fn_ *fn,
                                   const void *closure, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* TWEED_GROUP_H */
