/*
 * affinity.c - to which CPU a worker goes that makes way.
 *
 * SPDX-License-Identifier: MIT
 *
 * Four nodes of two CPUs, made up: the wrapped calls say where a thread is, and
 * note what it is bound to.  No thread is started.  (t/numa has both with threads.)
 */
#include "config.h"

#include "tap.h"

#include "pool/affinity.h"
#include "pool/team.h"

#include <stdlib.h>
#include <string.h>

#define WORKERS 4

int __wrap_sched_getcpu(void);
int __wrap_pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *set);

static int here;          /* the CPU of whoever asks */
static unsigned bound;    /* what a worker was bound to last, a bit a CPU */
static int times;         /* how often one was */

int __wrap_sched_getcpu(void)
{
    return here;
}

int __wrap_pthread_setaffinity_np(pthread_t thread, size_t bytes, const cpu_set_t *set)
{
    (void)thread;
    bound = 0;
    for (unsigned c = 0; c < 8; c++)
        bound |= CPU_ISSET_S((size_t)c, bytes, set) ? 1u << c : 0;
    times++;
    return 0;
}

/* Of node 2 node 3 is the nearest, and it of node 3 the farthest. */
static const int distances[4][4] = {
    { 10, 20, 30, 40 }, { 20, 10, 12, 40 }, { 30, 25, 10, 15 }, { 12, 25, 40, 10 }
};
static const int planned_on[WORKERS] = { 0, 1, 4, 5 };
static struct tweed__team *team;

static void begin(int bind)
{
    const char *wrong;
    struct tweed__topology *t = tweed__topology_parse("nodes:4,cpus:2", &wrong);
    struct tweed__plan plan;

    team = aligned_alloc(TWEED__LINE, sizeof *team);
    if (!t || !team || !tweed__plan_make(&plan, t, WORKERS))
        abort();
    memset(team, 0, sizeof *team);
    memcpy(t->distances, distances, sizeof distances);
    team->bind = bind;
    team->num_workers = WORKERS;
    team->workers = calloc(WORKERS, sizeof *team->workers);
    for (int w = 0; team->workers && w < WORKERS; w++) {
        plan.workers[w] = t->cpus[planned_on[w]];
        team->workers[w] = aligned_alloc(TWEED__LINE, sizeof **team->workers);
        if (!team->workers[w])
            abort();
        memset(team->workers[w], 0, sizeof **team->workers);
        team->workers[w]->team = team;
        team->workers[w]->index = w;
    }
    tweed__affinity_begin(team, t, &plan);
    tweed__plan_free(&plan);
    tweed__topology_free(t);
    times = 0;
}

static void end(void)
{
    tweed__affinity_end(team);
    for (int w = 0; w < WORKERS; w++)
        free(team->workers[w]);
    free(team->workers);
    free(team);
}

/* The caller is seen on a CPU: so many are bound anew, the last one to that. */
static bool moves(int caller, int so_many, unsigned to)
{
    times = 0;
    here = caller;
    tweed__affinity_caller(team, false);
    if (times != so_many || (so_many && bound != to))
        diag("caller on CPU %d: %d bound, the last one to %#x", caller, times, bound);
    return times == so_many && (!so_many || bound == to);
}

static void test_nearest(void)
{
    begin(TWEED_BIND_CPU);
    ok(moves(0, 0, 0), "the caller is where worker 0 was planned: nobody moves");
    ok(moves(4, 1, 1u << 6), "a worker makes way: to the nearest node that has room");
    ok(moves(5, 1, 1u << 4), "the next one goes to what the caller has left, on its node");
    ok(moves(1, 2, 1u << 5), "the first one comes back when there is room");
    end();
}

static void test_nobody(void)
{
    begin(TWEED_BIND_NODE);
    ok(!team->affinity, "workers that are bound to nodes make way for nobody");
    end();
    begin(TWEED_BIND_NONE);
    ok(!team->affinity, "nor do those that are bound to nothing");
    end();
}

int main(void)
{
    plan(6);
    test_nearest();
    test_nobody();
    return done_testing();
}
