/*
 * pool.c - starts, creates and destroys pools.
 *
 * SPDX-License-Identifier: MIT
 *
 * A pool is a handle (registry.c) and a team (team.c), which is started when the pool
 * is created, or in the child of a fork() when the pool is next used.
 */
#include "config.h"

#include "pool/pool.h"
#include "base/error.h"
#include "base/options.h"
#include "base/print.h"
#include "base/shield.h"
#include "base/text.h"
#include "pool/above.h"
#include "pool/here.h"
#include "system/cpus.h"
#include "system/pin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tweed/sized.h>

static tweed_pool default_pool = { .mark = TWEED__POOL_MARK };

/* ---- settings ---- */

/* Is that a value for the option?  0 stands for none. */
static bool is_sound(enum tweed__option_id id, uint64_t value)
{
    const struct tweed__option *o = tweed__option(id);

    return value == 0 || (value >= (uint64_t)o->least &&
                          value <= (uint64_t)o->most);
}

/* What is wrong with the options; TWEED_OK: nothing is. */
static int check_options(const tweed_pool_options *o)
{
    if (o->num_workers < 0 || !is_sound(TWEED__NUM_WORKERS, (uint64_t)o->num_workers))
        return tweed__fail_value("tweed_pool_options.num_workers", o->num_workers,
                                 "1 to 4094, or 0");
    if (!is_sound(TWEED__STACK_BYTES, o->stack_bytes))
        return tweed_fail_(TWEED_EINVAL, "tweed_pool_options.stack_bytes is %zu: expected "
                           "16384 to 1073741824, or 0", o->stack_bytes);
    if (o->spin_ns > 0 && !is_sound(TWEED__SPIN_NS, (uint64_t)o->spin_ns))
        return tweed__fail_value("tweed_pool_options.spin_ns", o->spin_ns,
                                 "1 to 1000000000, less than 0, or 0");
    if (o->bind < 0 || o->bind > TWEED_BIND_NONE)
        return tweed__fail_value("tweed_pool_options.bind", o->bind, "a TWEED_BIND_...");
    if (o->fence < 0 || o->fence > TWEED_FENCE_EXCHANGE)
        return tweed__fail_value("tweed_pool_options.fence", o->fence,
                                 "a TWEED_FENCE_...");
    if (o->name && !*o->name)
        return tweed__fail_text(TWEED_EINVAL, "tweed_pool_options.name", o->name,
                                "expected a name, or NULL");
    if (o->cpus && !tweed__cpus_is_list(o->cpus))
        return tweed__fail_text(TWEED_EINVAL, "tweed_pool_options.cpus", o->cpus,
                                "expected CPUs as in 0-3,8,16-30:2");
    return TWEED_OK;
}

/* Fills each setting that is 0 from the environment, or else with its default. */
static void fill_settings(struct tweed__settings *s, const tweed_pool_options *o)
{
    static const int binds[] = { TWEED_BIND_DEFAULT, TWEED_BIND_NODE,
                                 TWEED_BIND_CPU, TWEED_BIND_NONE };

    memset(s, 0, sizeof *s);
    s->num_workers = o->num_workers || o->cpus
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
    s->seed = o->seed ? o->seed : (uint64_t)tweed__option(TWEED__SEED)->number;
    snprintf(s->name, sizeof s->name, "%s", o->name ? o->name : "tweed");
    text_trim(s->name, sizeof s->name);
    s->on_start = o->on_start;
    s->on_end = o->on_end;
    s->hook_arg = o->hook_arg;
}

static int no_memory(void)
{
    return tweed_fail_(TWEED_ENOMEM, "for a pool");
}

/* Makes the pool's own copy of its list of CPUs.  The process may use all of them now. */
static int fill_cpus(struct tweed__settings *s, const char *list)
{
    struct tweed__topology *t;
    bool has;

    if (!list)
        return TWEED_OK;
    t = tweed__topology_get();
    if (!t)
        return no_memory();
    has = tweed__topology_has(t, list);
    tweed__topology_free(t);
    if (!has)
        return tweed__fail_text(TWEED_ENOCPU, "tweed_pool_options.cpus", list,
                                "see \"machine\" of tweed-info");
    s->cpus = malloc(strlen(list) + 1);
    if (!s->cpus)
        return no_memory();
    strcpy(s->cpus, list);
    return TWEED_OK;
}

/* Under the registry's lock, since the machine is looked at. */
static int settle(struct tweed__settings *s, const tweed_pool_options *o)
{
    int code = check_options(o);

    if (code != TWEED_OK)
        return code;
    fill_settings(s, o);
    return fill_cpus(s, o->cpus);
}

static void display_env_once(const tweed_pool *pool, const struct tweed__team *team)
{
    static bool done;

    if (!done && tweed__option(TWEED__DISPLAY_ENV)->number) {
        tweed__print(tweed__stderr(), "tweed %s, options in force:\n",
                     tweed_version());
        tweed__display_options(pool, team, tweed__stderr());
    }
    done = true;
}

/* ---- starting ---- */

/* Under the registry's lock.  Puts the pool in the registry if it starts. */
static struct tweed__team *start(tweed_pool *pool, bool is_new)
{
    struct tweed__settings settings = pool->settings;
    struct tweed__team *team = NULL;

    tweed__trace_as_asked();
    tweed__profile_as_asked();
    settings.most_workers = load_relaxed(&pool->told); /* the mutex orders it */
    /* without the handlers the child of a fork() would wait for threads that the child
       does not have */
    if (tweed__registry_follows_forks())
        team = tweed__team_start(&settings);
    display_env_once(pool, team); /* now: starting may have rejected a TWEED_TOPOLOGY */
    if (team && is_new)
        tweed__registry_add(pool);
    if (team)
        tweed__trace_team(team);
    store_release(&pool->team, team); /* pairs with tweed__pool_team() */
    tweed__progress_begin(pool);
    return team;
}

tweed_pool *tweed__pool_or_default(tweed_pool *pool)
{
    return pool ? pool : &default_pool;
}

static bool is_configured; /* the default pool has settings; under the registry's lock */

static int configure(const tweed_pool_options *options)
{
    struct tweed__settings settings;
    int code = settle(&settings, options);

    if (code != TWEED_OK)
        return code;
    free(default_pool.settings.cpus);
    default_pool.settings = settings;
    is_configured = true;
    return TWEED_OK;
}

struct tweed__team *tweed__pool_start_late(tweed_pool *pool)
{
    static const tweed_pool_options none;
    struct tweed__team *team;
    bool is_new;
    struct shield shield = shield_up();

    tweed__pin();
    tweed__registry_lock();
    team = load_relaxed(&pool->team); /* the mutex orders it */
    if (!team && pool_is_known(pool)) { /* else it has been destroyed meanwhile */
        is_new = pool == &default_pool && !tweed__registry_has(pool);
        if (is_new && !is_configured)
            (void)configure(&none); /* which is sound */
        team = start(pool, is_new);
    }
    tweed__registry_unlock();
    shield_down(shield);
    return team;
}

static int create(tweed_pool **result, const tweed_pool_options *options)
{
    struct tweed__settings settings;
    tweed_pool *pool = NULL;
    int code;

    tweed__pin();
    tweed__registry_lock();
    code = settle(&settings, options);
    if (code == TWEED_OK) {
        pool = tweed__handle_new();
        if (!pool)
            free(settings.cpus);
    }
    if (pool) {
        pool->settings = settings;
        store_relaxed(&pool->closing, 0);
        store_relaxed(&pool->told, 0);
        if (start(pool, true)) {
            store_relaxed(&pool->mark, TWEED__POOL_MARK); /* pool_is_known() */
            *result = pool;
        } else {
            tweed__handle_retire(pool);
            pool = NULL;
        }
    }
    tweed__registry_unlock();
    return code == TWEED_OK && !pool ? no_memory() : code;
}

/* The program's options as ours. */
static int read_options(tweed_pool_options *known, const tweed_pool_options *options)
{
    *known = (tweed_pool_options)TWEED_POOL_OPTIONS_INIT;
    return !options || tweed_sized_read_(known, sizeof *known, options)
               ? TWEED_OK
               : tweed_sized_fail_("tweed_pool_options", options, sizeof *known);
}

int tweed_pool_create(tweed_pool **pool, const tweed_pool_options *options)
{
    tweed_pool_options known;
    struct shield shield;
    int code;

    if (!pool)
        return TWEED_LACKS_("pool");
    code = read_options(&known, options);
    if (code != TWEED_OK)
        return code;
    shield = shield_up();
    code = create(pool, &known);
    shield_down(shield);
    return code;
}

int tweed_default_pool_configure(const tweed_pool_options *options)
{
    tweed_pool_options known;
    struct shield shield;
    int code = read_options(&known, options);

    if (code != TWEED_OK)
        return code;
    shield = shield_up();
    tweed__registry_lock();
    if (load_relaxed(&default_pool.team)) /* the mutex orders it */
        code = tweed_fail_(TWEED_EBUSY, "the default pool has been started");
    else
        code = configure(&known);
    tweed__registry_unlock();
    shield_down(shield);
    return code;
}

void tweed__pool_serve(tweed_pool *pool, struct tweed__team *team)
{
    struct shield shield = shield_up();

    tweed__registry_lock();
    if (!load_relaxed(&team->served)) /* the mutex orders it */
        tweed__team_serve(team, &pool->settings);
    store_relaxed(&team->served, 1); /* also if no thread was had: the pool tries once */
    tweed__registry_unlock();
    shield_down(shield);
}

/* ---- ending ---- */

static int busy(const char *why)
{
    return tweed_fail_(TWEED_EBUSY, "%s", why);
}

/* Is the calling thread one of the team's own? */
static bool is_own_thread(struct tweed__team *team)
{
    return team_worker(team) ||
           (load_relaxed(&team->has_runner) && /* the mutex orders it */
            pthread_equal(pthread_self(), team->runner));
}

/* What keeps the team from ending: a loop that runs, a task in flight, or the calling
   thread: one of the team's own, or one in a body on the team.  TWEED_OK: nothing does. */
static int is_busy(struct tweed__team *team)
{
    bool loops = false;

    if (is_own_thread(team))
        return busy("the call is made by a thread of the pool");
    for (struct tweed__part *c = tweed__self.here; c; c = c->outer)
        if (c->team == team)
            return busy("the call is made in a body on the pool");
    for (int k = 0; k < TWEED__SLOTS; k++)
        /* seq_cst: closing was stored before; see enter() in loop.c */
        loops |= load_seq_cst(&team->slots[k].taken) != 0;
    if (loops || load_seq_cst(&team->slotless) != 0) /* as above */
        return busy("a loop is running on it");
    return tweed__state_any(team) ? busy("a task is not over") : TWEED_OK; /* as above */
}

/* Keeps loops from beginning, unless the pool is busy. */
static int close_it(tweed_pool *pool)
{
    struct tweed__team *team = load_relaxed(&pool->team); /* the mutex orders it */
    int code;

    (void)exchange_seq_cst(&pool->closing, 1); /* before is_busy() looks */
    code = team ? is_busy(team) : TWEED_OK;
    if (code != TWEED_OK)
        /* the mutex orders it: see tweed__pool_is_closing() */
        store_relaxed(&pool->closing, 0);
    return code;
}

/* TWEED_EBUSY if the pool's function of progress is being called, and the calling thread
   is in a body or is a pool's: that function may wait for this thread. */
static int is_waited_for(const tweed_pool *pool)
{
    return (tweed__self.here || tweed__self.worker) && tweed__progress_calls(pool)
               ? busy("its progress function is being called")
               : TWEED_OK;
}

/* Takes the pool out of the registry, unless it is busy. */
static int withdraw(tweed_pool *pool)
{
    int code;

    if (pool == &default_pool || !tweed__registry_has(pool))
        return tweed__fail_pool(pool);
    code = is_waited_for(pool);
    if (code == TWEED_OK)
        code = close_it(pool);
    if (code != TWEED_OK)
        return code;
    tweed__registry_remove(pool);
    tweed__progress_forget(pool);
    return TWEED_OK;
}

/* Takes the team out of the pool, which may start another team; *team: the first. */
static int take_out(tweed_pool *pool, struct tweed__team **team)
{
    int code = is_waited_for(pool);

    if (code != TWEED_OK)
        return code;
    tweed__progress_wait(pool); /* its function may run loops here */
    code = close_it(pool);
    if (code != TWEED_OK)
        return code;
    *team = load_relaxed(&pool->team); /* the mutex orders all three */
    store_relaxed(&pool->team, NULL);
    store_relaxed(&pool->closing, 0);
    return TWEED_OK;
}

/* Off the way of loops: a call that meets a pool that is being destroyed waits until the
   destroying thread has withdrawn the pool, or has found it busy. */
bool tweed__pool_is_closing(tweed_pool *pool)
{
    bool closing;

    tweed__registry_lock();
    closing = load_relaxed(&pool->closing); /* the mutex orders it */
    tweed__registry_unlock();
    return closing;
}

/* Ends the team outside of the lock: destructors of its threads' thread-local objects may
   start loops. */
static void end(struct tweed__team *team, const char *name)
{
    pthread_t reporter;
    bool last;

    if (!team)
        return;
    tweed__registry_lock();
    last = tweed__progress_end(&reporter);
    tweed__registry_unlock();
    if (last)
        pthread_join(reporter, NULL);
    if (tweed__option(TWEED__STATS)->number)
        tweed__table_print(team, name, tweed__stderr());
    tweed__team_end(team);
}

static int destroy(tweed_pool *pool)
{
    int code;

    tweed__registry_lock();
    code = withdraw(pool);
    tweed__registry_unlock();
    if (code != TWEED_OK)
        return code;
    end(load_relaxed(&pool->team), pool->settings.name); /* the mutex ordered it */
    tweed__registry_lock();
    tweed__handle_retire(pool);
    tweed__registry_unlock();
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

int tweed_default_pool_shutdown(void)
{
    struct shield shield = shield_up();
    struct tweed__team *team = NULL;
    char name[sizeof default_pool.settings.name] = "";
    int code;

    tweed__registry_lock();
    code = take_out(&default_pool, &team);
    if (code == TWEED_OK)
        store_relaxed(&default_pool.told, 0); /* the mutex orders it */
    memcpy(name, default_pool.settings.name, sizeof name); /* may change soon */
    tweed__registry_unlock();
    end(team, name);
    shield_down(shield);
    return code;
}

int tweed_pool_progress(tweed_pool *pool, tweed_progress_fn *fn, void *arg)
{
    struct shield shield;

    pool = tweed__pool_or_default(pool);
    if (!pool_is_known(pool))
        return tweed__fail_pool(pool);
    shield = shield_up();
    tweed__registry_lock();
    tweed__progress_forget(pool);
    pool->progress = fn;
    pool->progress_arg = arg;
    tweed__progress_begin(pool);
    tweed__registry_unlock();
    shield_down(shield);
    return TWEED_OK;
}

/* Returns how many workers the pool has.  From now on it never gets more, neither in the
   child of a fork() that may use more CPUs, nor when there is memory again.  (The default
   pool may, after it has been shut down.) */
static int tell(tweed_pool *pool)
{
    struct shield shield = shield_up();
    struct tweed__team *team;
    int workers;

    tweed__registry_lock();
    team = load_relaxed(&pool->team); /* the mutex orders it, and told */
    workers = team ? team->num_workers : 1;
    store_relaxed(&pool->told, workers);
    tweed__registry_unlock();
    shield_down(shield);
    return workers;
}

int tweed_pool_num_workers(tweed_pool *pool)
{
    struct tweed__team *team;

    pool = tweed__pool_or_default(pool);
    if (!pool_is_known(pool))
        return tweed__fail_pool(pool);
    team = tweed__pool_team(pool);
    /* relaxed: the number of this team does not change, and a number that was returned
       before is not less */
    if (team && load_relaxed(&pool->told) == team->num_workers)
        return team->num_workers;
    return tell(pool);
}
