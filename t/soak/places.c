/*
 * places.c - the pools, which come and go while others are in use.
 *
 * SPDX-License-Identifier: MIT
 *
 * A pool must not be destroyed while anybody may begin a loop on it, so places
 * count who is inside.  Whoever comes while a pool is changed waits; who
 * changes it waits for nothing but its threads, so this ends.
 */
#include "config.h"

#include "soak.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define OVERSUBSCRIBED 16
#define WORKERS_MOST 256

static struct place {
    tweed_pool *pool;
    tweed_pool_options options;
    unsigned generation; /* one more with each pool */
    int inside;
    bool changing;
} places[PLACES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* all of the above */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static tweed_stats gone; /* of pools that were destroyed */
static uint64_t pools_seed;

static int crowd(void)
{
    cpu_set_t set;
    int n = 1;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        n = CPU_COUNT(&set);
    n *= OVERSUBSCRIBED;
    return n < WORKERS_MOST ? n : WORKERS_MOST;
}

static void choose(int k, struct place *p)
{
    static const int64_t spins[] = { 0, -1, 1000, 100000 };
    uint64_t state = pools_seed + (uint64_t)k * 1000003 + p->generation;

    p->options = (tweed_pool_options){
        .size = sizeof p->options,
        .num_workers = k == PLACES - 1 ? crowd() : 1 + (int)below(&state, 9),
        .bind = (int)below(&state, 4),
        .fence = ((unsigned)k + p->generation) % 2 ? TWEED_FENCE_MEMBARRIER
                                                   : TWEED_FENCE_EXCHANGE,
        .spin_ns = spins[below(&state, 4)],
        .name = "soak"
    };
}

/* Outside of the lock: the place is marked as changing. */
static void start(int k)
{
    struct place *p = &places[k];
    struct watched *w = watch_begin("creates a pool", NULL);
    int code;

    p->generation++;
    choose(k, p);
    code = tweed_pool_create(&p->pool, &p->options);
    if (code != TWEED_OK) {
        say("soak: no pool: %s\n", tweed_strerror(code));
        exit(99);
    }
    watch_end(w);
    add(&totals.pools, 1);
}

static void add_stats(tweed_stats *sum, tweed_pool *pool)
{
    tweed_stats s = { .size = sizeof s };

    if (tweed_stats_get(pool, -1, &s) != TWEED_OK)
        fail(NULL, "no statistics");
#define ADD(name, title, meaning) sum->name += s.name;
    TWEED_STATS_FIELDS_(ADD)
#undef ADD
}

/* The last task counts its indices first, and is over then. */
static void drain(tweed_pool *pool)
{
    int code = tweed_pool_drain(pool);

    if (code < 0 || code > CODES)
        fail(NULL, "draining a pool: %s", tweed_strerror(code));
}

static void end(struct place *p)
{
    struct watched *w = watch_begin("destroys a pool", NULL);
    int code;

    drain(p->pool);
    pthread_mutex_lock(&lock);
    add_stats(&gone, p->pool);
    pthread_mutex_unlock(&lock);
    code = tweed_pool_destroy(p->pool);
    if (code != TWEED_OK)
        fail(NULL, "destroying a pool: %s", tweed_strerror(code));
    p->pool = NULL;
    watch_end(w);
}

void places_open(uint64_t seed)
{
    pools_seed = seed;
    for (int k = 1; k < PLACES; k++)
        start(k);
}

tweed_pool *place_enter(int k)
{
    tweed_pool *pool;

    pthread_mutex_lock(&lock);
    while (places[k].changing)
        pthread_cond_wait(&changed, &lock);
    places[k].inside++;
    pool = places[k].pool;
    pthread_mutex_unlock(&lock);
    return pool;
}

void place_leave(int k)
{
    pthread_mutex_lock(&lock);
    places[k].inside--;
    pthread_mutex_unlock(&lock);
}

void place_renew(int k)
{
    static bool somebody_does;
    bool mine;

    pthread_mutex_lock(&lock);
    mine = k > 0 && !places[k].inside && !places[k].changing && !somebody_does;
    if (mine)
        places[k].changing = somebody_does = true;
    pthread_mutex_unlock(&lock);
    if (!mine)
        return;
    end(&places[k]);
    start(k);
    pthread_mutex_lock(&lock);
    places[k].changing = somebody_does = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* A pool that was being changed is the child's default pool for ever. */
pid_t places_fork(void)
{
    pid_t pid;

    pthread_mutex_lock(&lock);
    pid = fork();
    for (int k = 0; pid == 0 && k < PLACES; k++) {
        places[k].inside = 0;
        if (places[k].changing)
            places[k].pool = NULL;
        places[k].changing = false;
    }
    pthread_mutex_unlock(&lock);
    return pid;
}

void places_print(int fd)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    if (pthread_mutex_timedlock(&lock, &until) != 0)
        say("  (the places are locked, and what follows may be wrong)\n");
    for (int k = 0; k < PLACES; k++) {
        struct place *p = &places[k];

        say("  pool %d: generation %u, %d workers, fence %s, %d inside%s\n", k,
            p->generation, p->options.num_workers,
            p->options.fence == TWEED_FENCE_EXCHANGE ? "exchange"
                                                     : "membarrier",
            p->inside, p->changing ? ", being changed" : "");
        if (!p->changing && (k == 0 || p->pool))
            tweed_pool_dump(p->pool, fd);
    }
    pthread_mutex_unlock(&lock);
}

void places_total(tweed_stats *sum)
{
    pthread_mutex_lock(&lock);
    *sum = gone; /* a pool that is renewed from here on may be missed */
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < PLACES; k++) {
        tweed_pool *pool = place_enter(k);

        add_stats(sum, pool);
        place_leave(k);
    }
}

void places_drain(void)
{
    for (int k = 0; k < PLACES; k++) {
        drain(place_enter(k));
        place_leave(k);
    }
}

void places_close(void)
{
    for (int k = 1; k < PLACES; k++)
        end(&places[k]);
}
