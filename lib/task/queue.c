/*
 * queue.c - the submission queue: tasks that lie in no worker's deque.
 *
 * SPDX-License-Identifier: MIT
 *
 * Submitted tasks, tasks that threads from outside spawn into groups, and tasks that a
 * worker has spawned, and may not execute where it waits now (jobs.c).
 *
 * Each group has a list of its tasks, first in, first out.  So a thread that waits for a
 * group finds the group's tasks at once, however many others there are.  The groups
 * that have tasks stand in a ring.
 *
 * THE TURN.  A thread takes a portion from the group at the head of the ring, which goes
 * to the end: so a group does not wait for a million tasks that were submitted before.  A
 * thread that waits for a group takes from that group, which goes to the end, too.  A task
 * that is submitted to the front makes its group the head.  How many tasks are a portion:
 * take_portion() in jobs.c.  When a worker looks here before it looks at deques:
 * tweed__jobs_take().
 *
 * One lock.  A thread that takes a portion does not come back soon, and workers spawn into
 * deques of their own: so threads seldom wait for the lock.  A thread that looks for
 * something to do goes on looking elsewhere while the lock is held, since many such
 * threads would hold up the thread that brings tasks.  A thread that is about to sleep
 * waits for the lock.  Entries are used again, since most are taken by other threads than
 * have made them; some are kept, and the others freed.
 */
#include "config.h"

#include "task/queue.h"
#include "pool/above.h"
#include "system/lock.h"

#include <errno.h>
#include <stdlib.h>

#define SPARE 1024 /* entries that are kept */

static void free_list(struct tweed__entry *e)
{
    struct tweed__entry *next;

    for (; e; e = next) {
        next = e->next;
        free(e);
    }
}

void tweed__queue_begin(struct tweed__team *team)
{
    pthread_mutex_init(&team->queue.lock, NULL);
}

void tweed__queue_end(struct tweed__team *team)
{
    struct tweed__job job;

    /* in the child of a fork() a thread that is no more may hold the lock: all is left as
       it is */
    if (pthread_mutex_trylock(&team->queue.lock) != 0)
        return;
    pthread_mutex_unlock(&team->queue.lock);
    while (tweed__queue_take(team, NULL, 1, true, &job))
        ;
    free_list(team->queue.spare);
    pthread_mutex_destroy(&team->queue.lock);
}

uint64_t tweed__queue_count(struct tweed__team *team)
{
    /* seq_cst: after the caller has said that it sleeps; with put() */
    return load_seq_cst(&team->queue.count);
}

/* Threads that wait for a group look often, and the group's tasks are seldom here: such
   a look leaves the lock alone. */
static bool has_queued(struct tweed__team *team, struct tweed__group_state *f)
{
    /* seq_cst: as count() */
    return f ? load_seq_cst(&f->queued) : tweed__queue_count(team);
}

/* ---- the ring; all under the lock ---- */

static void link_last(struct tweed__queue *c, struct tweed__group_state *f)
{
    f->before = c->last;
    f->next = NULL;
    *(c->last ? &c->last->next : &c->first) = f;
    c->last = f;
}

static void link_first(struct tweed__queue *c, struct tweed__group_state *f)
{
    f->before = NULL;
    f->next = c->first;
    *(c->first ? &c->first->before : &c->last) = f;
    c->first = f;
}

static void unlink_it(struct tweed__queue *c, struct tweed__group_state *f)
{
    *(f->before ? &f->before->next : &c->first) = f->next;
    *(f->next ? &f->next->before : &c->last) = f->before;
}

/* Takes the first n tasks, or all if there are fewer, off the group's list; how many. */
static uint32_t detach(struct tweed__queue *c, struct tweed__group_state *f, uint32_t n,
                       struct tweed__job *jobs)
{
    uint32_t taken = 0;

    unlink_it(c, f);
    for (; taken < n && f->first; taken++) {
        struct tweed__entry *e = f->first;

        f->first = e->next;
        job_copy(&jobs[taken], &e->job);
        e->next = c->spare;
        c->spare = e;
    }
    c->num_spare += taken;
    if (f->first)
        link_last(c, f);
    else
        f->last = NULL;
    /* relaxed, both: a thread that is late finds less than it has hoped for */
    fetch_sub_relaxed(&c->count, taken);
    fetch_sub_relaxed(&f->queued, taken);
    return taken;
}

/* An entry that may be used again; NULL: there is none. */
static struct tweed__entry *take_spare(struct tweed__queue *c)
{
    struct tweed__entry *e = c->spare;

    if (e) {
        c->spare = e->next;
        c->num_spare--;
    }
    return e;
}

/* The entries beyond those that are kept: no more than were just taken, so no thread
   frees a million. */
static struct tweed__entry *detach_spare(struct tweed__queue *c)
{
    struct tweed__entry *all = NULL, *e;

    while (c->num_spare > SPARE) {
        e = take_spare(c);
        e->next = all;
        all = e;
    }
    return all;
}

/* ---- putting and taking ---- */

/* Under the lock. */
static void attach(struct tweed__queue *c, struct tweed__entry *first,
                   struct tweed__entry *last, uint32_t n, bool front)
{
    struct tweed__group_state *f = load_relaxed(&first->job.of_group); /* our own */

    if (f->first && front)
        unlink_it(c, f);
    if (!f->first || front)
        (front ? link_first : link_last)(c, f);
    if (!f->first)
        f->last = last;
    if (front || !f->first) {
        last->next = f->first;
        f->first = first;
    } else {
        last->next = NULL;
        f->last->next = first;
        f->last = last;
    }
    /* seq_cst, both: before the caller's look for sleepers, with count() and has_queued()
       */
    fetch_add_seq_cst(&c->count, n);
    fetch_add_seq_cst(&f->queued, n);
}

void tweed__queue_put(struct tweed__team *team, struct tweed__entry *first,
                       struct tweed__entry *last, uint32_t n, bool front)
{
    lock_short(&team->queue.lock);
    attach(&team->queue, first, last, n, front);
    pthread_mutex_unlock(&team->queue.lock);
}

struct tweed__entry *tweed__queue_entries(struct tweed__team *team, size_t n,
                                           struct tweed__entry **last)
{
    struct tweed__queue *c = &team->queue;
    struct tweed__entry *first = NULL, *e;
    int saved = errno;

    *last = NULL;
    lock_short(&c->lock);
    for (; n > 0 && (e = take_spare(c)); n--) {
        e->next = first;
        first = e;
        if (!*last)
            *last = e;
    }
    pthread_mutex_unlock(&c->lock);
    for (; n > 0; n--) {
        e = malloc(sizeof *e);
        if (!e) {
            free_list(first);
            errno = saved;
            return NULL;
        }
        e->next = first;
        first = e;
        if (!*last)
            *last = e;
    }
    return first;
}

bool tweed__queue_put_copy(struct tweed__team *team, const struct tweed__job *job,
                            bool front)
{
    struct tweed__queue *c = &team->queue;
    struct tweed__entry *e, *last;

    lock_short(&c->lock); /* mostly once */
    e = take_spare(c);
    if (e) {
        job_copy(&e->job, job);
        attach(c, e, e, 1, front);
    }
    pthread_mutex_unlock(&c->lock);
    if (e)
        return true;
    e = tweed__queue_entries(team, 1, &last);
    if (!e)
        return false;
    job_copy(&e->job, job);
    tweed__queue_put(team, e, e, 1, front);
    return true;
}

bool tweed__queue_put_copies(struct tweed__team *team, const struct tweed__job *jobs,
                              uint32_t n, bool front)
{
    struct tweed__entry *first, *last;

    first = tweed__queue_entries(team, n, &last);
    if (!first)
        return false;
    for (struct tweed__entry *e = first; e; e = e->next)
        job_copy(&e->job, jobs++);
    tweed__queue_put(team, first, last, n, front);
    return true;
}

uint32_t tweed__queue_take(struct tweed__team *team, struct tweed__group_state *f, uint32_t n,
                            bool waits, struct tweed__job *jobs)
{
    struct tweed__queue *c = &team->queue;
    struct tweed__entry *unused;
    uint32_t taken = 0;

    if (!has_queued(team, f))
        return 0;
    if (waits)
        lock_short(&c->lock);
    else if (pthread_mutex_trylock(&c->lock) != 0)
        return 0;
    if (!f)
        f = c->first;
    if (f && f->first)
        taken = detach(c, f, n, jobs);
    unused = detach_spare(c);
    pthread_mutex_unlock(&c->lock);
    free_list(unused);
    return taken;
}

struct tweed__group_state *tweed__queue_find(struct tweed__team *team, tweed__where outer)
{
    struct tweed__queue *c = &team->queue;
    struct tweed__group_state *f;

    if (!tweed__queue_count(team))
        return NULL;
    lock_short(&c->lock);
    for (f = c->first; f && !tweed__is_within(team, where_of_group(f), outer); f = f->next)
        ;
    pthread_mutex_unlock(&c->lock);
    return f;
}
