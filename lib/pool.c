/*
 * pool.c - handles of teams: the default pool, own pools, fork and exit.
 *
 * SPDX-License-Identifier: MIT
 *
 * All pools of the process stand in a registry under one mutex.  The mutex is
 * taken to start, to create and to destroy, and by fork(); never by a loop on a
 * pool that runs.
 *
 * FORK.  The child has none of its parent's threads, and what the parent's
 * teams' words say may be anything.  So in the child every pool loses its team,
 * and starts a new one, with a heavy fence registered anew, when it is next used.
 * The old team's memory is freed, unless the thread that called fork() did so
 * from inside a body: that body's loop still stands on its stack.
 *
 * HANDLES.  A program may use a handle after it has destroyed the pool.  So handles
 * are not given back to the heap: the memory stays a handle's, its mark says that it
 * is no pool, and it is used for another pool only after MOST_RETIRED others have been
 * destroyed.  What a program does while the pool is being destroyed is another
 * matter: the team's memory is freed.
 *
 * EXIT.  Threads are not stopped at exit: bodies may be running, and exit() may
 * have been called by one of them.  They end with the process, and dlclose() does not
 * take the code away from under them (pin.c).
 */
#include "config.h"

#include "pool.h"
#include "options.h"
#include "pin.h"
#include "print.h"
#include "shield.h"
#include "stats.h"
#include "topology.h"
#include "versioned.h"

#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static tweed_pool *pools; /* under registry, as all below */
static tweed_pool default_pool = { .mark = TWEED__POOL_MARK };

/* How many times the handlers below are in force for this thread's fork(): they
   may have been registered more than once, see lock_registry(). */
static _Thread_local int handlers;

static void before_fork(void)
{
    if (handlers++ == 0)
        pthread_mutex_lock(&registry);
}

static void after_fork_in_parent(void)
{
    if (--handlers == 0)
        pthread_mutex_unlock(&registry);
}

static void after_fork_in_child(void)
{
    bool in_body = tweed__self.here != NULL;

    if (--handlers > 0)
        return;
    store_relaxed(&tweed__awake, 0); /* one thread so far: relaxed throughout */
    for (tweed_pool *p = pools; p; p = p->next) {
        struct tweed__team *team = load_relaxed(&p->team);

        store_relaxed(&p->team, NULL);
        store_relaxed(&p->closing, 0);
        if (team && !in_body)
            tweed__team_free(team);
    }
    if (!in_body)
        tweed__self.worker = NULL; /* it was part of a team */
    pthread_mutex_unlock(&registry);
}

/* 1: fork() calls the handlers. */
static _Atomic uint32_t forks_are_followed;

/* Before the lock is taken for the first time: a fork() in between would leave
   the child with a lock that nobody opens.  (If it comes before the word is
   written the child does that again, and has the handlers twice; so has a process
   of which two threads come here at the same time.)  If there is no memory for
   it, no team starts, and the next call asks again. */
static void lock_registry(void)
{
    /* acquire, release: who sees the word has the handlers */
    if (!load_acquire(&forks_are_followed) &&
        pthread_atfork(before_fork, after_fork_in_parent,
                       after_fork_in_child) == 0)
        store_release(&forks_are_followed, 1);
    pthread_mutex_lock(&registry);
}

/* ---- handles; under the registry's lock ---- */

#define MOST_RETIRED 256

/* Of pools that were destroyed, the oldest first. */
static tweed_pool *retired, **last_retired = &retired;
static int num_retired;

/* A handle without a team; NULL: no memory.  The first ones need none. */
static tweed_pool *new_handle(void)
{
    static tweed_pool first[MOST_RETIRED];
    static int used;
    tweed_pool *pool = retired;

    if (used < MOST_RETIRED)
        return &first[used++];
    if (num_retired <= MOST_RETIRED)
        return calloc(1, sizeof *pool);
    retired = pool->next; /* there are more: last_retired stays right */
    num_retired--;
    return pool;
}

static void retire(tweed_pool *pool)
{
    store_relaxed(&pool->mark, 0); /* see pool_is_known() */
    store_relaxed(&pool->team, NULL);
    pool->next = NULL; /* closing stays, for those who are in between */
    *last_retired = pool;
    last_retired = &pool->next;
    num_retired++;
}

/* ---- settings ---- */

/* A value for the option of that name; 0 stands for none. */
static bool is_sound(enum tweed__option_id id, uint64_t value)
{
    const struct tweed__option *o = tweed__option(id);

    return value == 0 || (value >= (uint64_t)o->least &&
                          value <= (uint64_t)o->most);
}

/* Fills what is 0 from the environment, and what is not set there with its
   default.  False: a value out of range. */
static bool fill_settings(struct tweed__settings *s,
                          const tweed_pool_options *o)
{
    static const int binds[] = { TWEED_BIND_DEFAULT, TWEED_BIND_NODE,
                                 TWEED_BIND_CPU, TWEED_BIND_NONE };

    if (o->num_workers < 0 ||
        !is_sound(TWEED__NUM_WORKERS, (uint64_t)o->num_workers) ||
        !is_sound(TWEED__STACK_BYTES, o->stack_bytes) ||
        (o->spin_ns > 0 && !is_sound(TWEED__SPIN_NS, (uint64_t)o->spin_ns)) ||
        o->bind < 0 || o->bind > TWEED_BIND_NONE || o->fence < 0 ||
        o->fence > TWEED_FENCE_EXCHANGE || (o->name && !*o->name))
        return false;
    s->num_workers = o->num_workers
                         ? o->num_workers
                         : (int)tweed__option(TWEED__NUM_WORKERS)->number;
    s->bind = o->bind ? o->bind : binds[tweed__option(TWEED__BIND)->number];
    /* the words auto, membarrier and exchange stand in the order of the enum */
    s->fence = o->fence ? o->fence : (int)tweed__option(TWEED__FENCE)->number;
    s->spin_ns = o->spin_ns
                     ? (uint64_t)(o->spin_ns > 0 ? o->spin_ns : 0)
                     : (uint64_t)tweed__option(TWEED__SPIN_NS)->number;
    s->stack_bytes = o->stack_bytes
                         ? o->stack_bytes
                         : (size_t)tweed__option(TWEED__STACK_BYTES)->number;
    snprintf(s->name, sizeof s->name, "%s", o->name ? o->name : "tweed");
    return true;
}

static void display_env_once(void)
{
    static bool done;

    if (!done && tweed__option(TWEED__DISPLAY_ENV)->number) {
        tweed__print(tweed__stderr(), "tweed %s, options in force:\n",
                     tweed_version());
        tweed__options_print(tweed__stderr());
    }
    done = true;
}

/* ---- starting ---- */

/* Under the registry's lock.  Puts the pool in the registry if it starts. */
static struct tweed__team *start(tweed_pool *pool, bool is_new)
{
    struct tweed__settings settings = pool->settings;
    struct tweed__team *team = NULL;

    settings.most_workers = load_relaxed(&pool->told); /* the mutex orders it */
    /* relaxed: lock_registry() has looked.  A child of a fork() that was not
       followed would wait for threads that it does not have. */
    if (load_relaxed(&forks_are_followed))
        team = tweed__team_start(&settings);
    display_env_once(); /* now: starting may have rejected a TWEED_TOPOLOGY */
    if (team && is_new) {
        pool->next = pools;
        pools = pool;
    }
    store_release(&pool->team, team); /* pairs with tweed__pool_team() */
    return team;
}

tweed_pool *tweed__pool_or_default(tweed_pool *pool)
{
    return pool ? pool : &default_pool;
}

static struct tweed__team *start_late(tweed_pool *pool)
{
    static const tweed_pool_options none;
    static bool default_is_known;
    struct tweed__team *team;
    bool is_new = false;
    struct shield shield = shield_up();

    tweed__pin();
    lock_registry();
    team = load_relaxed(&pool->team); /* the mutex orders it */
    if (!team && pool_is_known(pool)) { /* else it has been destroyed meanwhile */
        if (pool == &default_pool && !default_is_known) {
            fill_settings(&pool->settings, &none);
            is_new = true;
        }
        team = start(pool, is_new);
        default_is_known |= is_new && team;
    }
    pthread_mutex_unlock(&registry);
    shield_down(shield);
    return team;
}

struct tweed__team *tweed__pool_team(tweed_pool *pool)
{
    /* acquire: pairs with start() */
    struct tweed__team *team = load_acquire(&pool->team);

    return team ? team : start_late(pool);
}

static int create(tweed_pool **result, const tweed_pool_options *options)
{
    struct tweed__settings settings;
    int code = TWEED_ENOMEM;
    tweed_pool *pool;

    if (!fill_settings(&settings, options))
        return TWEED_EINVAL;
    tweed__pin();
    lock_registry();
    pool = new_handle();
    if (pool) {
        pool->settings = settings;
        store_relaxed(&pool->closing, 0);
        store_relaxed(&pool->told, 0);
        if (start(pool, true)) {
            store_relaxed(&pool->mark, TWEED__POOL_MARK); /* pool_is_known() */
            *result = pool;
            code = TWEED_OK;
        } else {
            retire(pool);
        }
    }
    pthread_mutex_unlock(&registry);
    return code;
}

int tweed_pool_create(tweed_pool **pool, const tweed_pool_options *options)
{
    tweed_pool_options known = TWEED_POOL_OPTIONS_INIT;
    struct shield shield;
    int code;

    if (!pool || (options && !tweed__versioned_read(&known, sizeof known,
                                                    TWEED__FIRST_POOL_OPTIONS,
                                                    options)))
        return TWEED_EINVAL;
    shield = shield_up();
    code = create(pool, &known);
    shield_down(shield);
    return code;
}

/* ---- ending ---- */

/* True if a loop runs on the team, or this thread is in a body of one. */
static bool is_busy(struct tweed__team *team)
{
    for (struct tweed__part *c = tweed__self.here; c; c = c->outer)
        if (c->team == team)
            return true;
    for (int k = 0; k < TWEED__SLOTS; k++)
        /* seq_cst: closing was stored before; see run() in loop.c */
        if (load_seq_cst(&team->slots[k].taken))
            return true;
    return load_seq_cst(&team->slotless) != 0; /* as above */
}

/* Takes the pool out of the registry, unless it is busy. */
static int withdraw(tweed_pool *pool)
{
    tweed_pool **at = &pools;
    struct tweed__team *team;

    while (*at && *at != pool)
        at = &(*at)->next;
    if (!*at || pool == &default_pool)
        return TWEED_ENOPOOL;
    team = load_relaxed(&pool->team); /* the mutex orders it */
    (void)exchange_seq_cst(&pool->closing, 1); /* before is_busy() looks */
    if (team && is_busy(team)) {
        /* the mutex orders it: see tweed__pool_is_closing() */
        store_relaxed(&pool->closing, 0);
        return TWEED_EBUSY;
    }
    *at = pool->next;
    return TWEED_OK;
}

/* Off the way of loops: who meets a pool that is being closed waits until it is
   known whether it will be. */
bool tweed__pool_is_closing(tweed_pool *pool)
{
    bool closing;

    lock_registry();
    closing = load_relaxed(&pool->closing); /* the mutex orders it */
    pthread_mutex_unlock(&registry);
    return closing;
}

static int destroy(tweed_pool *pool)
{
    struct tweed__team *team;
    int code;

    lock_registry();
    code = withdraw(pool);
    pthread_mutex_unlock(&registry);
    if (code != TWEED_OK)
        return code;
    /* outside of the lock: the destructors of the threads' own thread-local
       objects may start loops */
    team = load_relaxed(&pool->team); /* as above */
    if (team) {
        if (tweed__option(TWEED__STATS)->number)
            tweed__stats_print(team, pool->settings.name, tweed__stderr());
        tweed__team_end(team);
    }
    lock_registry();
    retire(pool);
    pthread_mutex_unlock(&registry);
    return TWEED_OK;
}

int tweed_pool_destroy(tweed_pool *pool)
{
    struct shield shield;
    int code;

    if (!pool)
        return TWEED_OK;
    shield = shield_up();
    code = destroy(pool);
    shield_down(shield);
    return code;
}

/* How many workers the pool has.  From now on it never gets more: in the child of a
   fork() that may use more CPUs, or when there is memory again. */
static int tell(tweed_pool *pool)
{
    struct shield shield = shield_up();
    struct tweed__team *team;
    int workers;

    lock_registry();
    team = load_relaxed(&pool->team); /* the mutex orders it, and told */
    workers = team ? team->num_workers : 1;
    store_relaxed(&pool->told, workers);
    pthread_mutex_unlock(&registry);
    shield_down(shield);
    return workers;
}

int tweed_pool_num_workers(tweed_pool *pool)
{
    struct tweed__team *team;

    pool = tweed__pool_or_default(pool);
    if (!pool_is_known(pool))
        return TWEED_ENOPOOL;
    team = tweed__pool_team(pool);
    /* relaxed: it was this team's number, which does not change, or one that was
       told before, and that is not less */
    if (team && load_relaxed(&pool->told) == team->num_workers)
        return team->num_workers;
    return tell(pool);
}

int tweed_stats_get(tweed_pool *pool, int worker, tweed_stats *stats)
{
    struct tweed__team *team;
    tweed_stats sum;

    if (!stats || worker < -1 ||
        !tweed__versioned_is_size(stats->size, TWEED__FIRST_STATS))
        return TWEED_EINVAL;
    pool = tweed__pool_or_default(pool);
    if (!pool_is_known(pool))
        return TWEED_ENOPOOL;
    team = tweed__pool_team(pool);
    if (!team)
        return TWEED_ENOMEM;
    if (worker >= team->num_workers)
        return TWEED_EINVAL;
    tweed__stats_sum(team, worker, &sum);
    tweed__versioned_write(stats, &sum, sizeof sum);
    return TWEED_OK;
}

/* Prints the tables of TWEED_STATS=1.  Other threads may be anywhere, in a loop or
   starting a pool; the lock is never held for long, nor while bodies run. */
__attribute__((destructor)) static void at_exit(void)
{
    struct shield shield = shield_up();

    lock_registry();
    tweed__topology_close();
    if (pools && tweed__option(TWEED__STATS)->number)
        for (tweed_pool *p = pools; p; p = p->next) {
            struct tweed__team *team = load_relaxed(&p->team); /* the mutex */

            if (team)
                tweed__stats_print(team, p->settings.name, tweed__stderr());
        }
    pthread_mutex_unlock(&registry);
    shield_down(shield);
}
