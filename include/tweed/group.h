/*
 * tweed/group.h - tasks in groups: spawned by anybody, in any number, joined in any order.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h.
 *
 *     tweed_group g = TWEED_GROUP_INIT;
 *
 *     for (each file)
 *         tweed_spawn(&g, scan, file);
 *     code = tweed_sync(&g);
 *
 * Where each task is joined by the one that has spawned it, the last one first, the
 * tasks of tweed/task.h cost a twentieth of these.
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

/* A task: 0, it went well; anything else, it has failed.  The program's own codes are
   positive: a negative number is a code of tweed's, which a task may hand on from a call
   that it has made.  arg is the pointer given with it.  It may call any tweed function. */
typedef int tweed_task_fn(void *arg);

/* A task has failed: those of the group that have not begun are not executed. */
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
 * tweed_spawn - a task that any worker may execute
 *
 *     code = fn(arg);
 *
 * before tweed_sync() of the group returns.  In a pool of one worker that call executes it.
 *
 * group  has been initialised with TWEED_GROUP_INIT
 * fn     called once
 * arg    handed to it; what it points to lives until the group was synced
 *
 * Who may call: any thread, at any time, but one that is not in a task of the group must
 * not call while another thread is in tweed_sync() of it: that may have seen the last task
 * end.  The group is not to be moved or copied between its first spawn and its sync.
 *
 * Does not block.  What the caller did before the call happens before the task.
 *
 * Without memory, or with 2^30 tasks of the group in flight, the task is executed at once,
 * by the caller.
 *
 * Returns TWEED_OK; TWEED_EINVAL if group or fn is NULL, or a flag unknown; TWEED_ENOPOOL;
 * TWEED_ECLOSED if the pool is being destroyed: the task is not executed.
 */
TWEED_API int tweed_spawn(tweed_group *group, tweed_task_fn *fn, void *arg);

/*
 * tweed_sync - wait until all tasks of a group are over
 *
 *     for (each task that was spawned and not executed yet)
 *         code = fn(arg);
 *
 * group  one whose tasks were spawned, or none; it may be used anew afterwards
 *
 * Tasks of the group may spawn more: these are waited for, too.  One thread at a time may
 * call it for a group.  A task must not sync its own group, nor one that it was spawned
 * in at any distance.
 *
 * Blocks.  The caller executes tasks meanwhile: tasks of this group, of groups that
 * these have made, and indices of loops that these have started; never anything else
 * (while there is memory), which might need a lock that the caller holds.  So a stack holds no more of them than
 * the longest chain of tasks that spawn tasks.
 *
 * What the tasks did happens before the return.
 *
 * Returns TWEED_OK if all have returned 0; else what the first has returned that failed,
 * in the order of time, which is positive if it is the program's; TWEED_ESTOPPED after tweed_group_cancel(), if none has; TWEED_EINVAL
 * if group is NULL, TWEED_EBUSY in a task of the group.
 */
TWEED_API int tweed_sync(tweed_group *group);

/*
 * tweed_group_cancel - tasks that have not begun are not executed
 *
 * Those that run go on to their end.  Tasks that are spawned before the group was synced
 * are not executed either.
 *
 * Who may call: the tasks of the group; the thread that has spawned, before it syncs; any
 * thread that knows that the group is not synced yet.  Does not block.
 *
 * Returns TWEED_OK; TWEED_EINVAL if group is NULL or nothing was spawned.
 */
TWEED_API int tweed_group_cancel(tweed_group *group);

/* How a task is called that carries what it needs: with TWEED_TASK_RUN_ once; or else
   with TWEED_TASK_DROP_, and is not to be executed. */
#define TWEED_TASK_RUN_ 0
#define TWEED_TASK_DROP_ 1
#define TWEED_CLOSURE_BYTES_ 48
typedef int tweed_closure_fn_(void *closure, int how);

/* tweed_spawn() of a task with up to 48 bytes of its own, aligned to 16, which are copied
   bytewise, and again, before it runs. */
TWEED_API int tweed_spawn_closure(tweed_group *group, tweed_closure_fn_ *fn,
                                   const void *closure, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* TWEED_GROUP_H */
