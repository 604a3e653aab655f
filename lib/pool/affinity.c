/*
 * affinity.c - on which CPUs the worker threads run.
 *
 * SPDX-License-Identifier: MIT
 *
 * WHY.  Linux puts a thread that is woken near the thread that wakes it, and often on
 * the very same CPU while another is idle; its balancing mends that after
 * milliseconds, which is longer than most loops.  So where a pool has a worker for
 * each CPU that the process may use, each worker thread is bound to a CPU of its
 * own, and the one CPU that is left is the caller's.
 *
 * The caller is never bound, and may be anywhere.  When the caller shares a loop, or
 * wakes a worker for a task, it looks at the number of its CPU, which is a read of its own
 * memory.  If that is the number of last time, all is as it should be.  If not, and a
 * worker is bound there, the caller moves the worker to the CPU that is free: one system
 * call, before the worker is woken.  If the free CPU is of another node, a worker that was
 * moved to another node before comes back first, with a call more: so one worker at most
 * is not on its node, or none where there are CPUs to spare.
 *
 * SEVERAL CALLERS at a time, each on a CPU, have no place that is theirs: a worker
 * is in a caller's way wherever it is bound, and only the system sees which threads run.
 * So when several callers were seen often enough all workers are bound to the CPUs of
 * their nodes, until loops have been started alone as often.
 *
 * A CPU THAT IS TAKEN OFF LINE drives away the worker that is bound there.  The kernel
 * lets that worker run anywhere, and leaves it so when the CPU is back.
 *
 * A pool with fewer workers than CPUs leaves the choice to the system as well: two such
 * processes on one machine would both choose the same CPUs.  Its workers are bound to
 * nodes, and are not moved.
 */
#include "config.h"

#include "pool/affinity.h"
#include "base/check.h"
#include "pool/team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The `crowd` at which workers are bound to nodes.  Of two loops that run at the same time
   one was started alone, so a loop that was started among others counts twice. */
#define CROWDED 32

static void free_places(struct tweed__affinity *p)
{
    if (!p)
        return;
    free(p->cpus);
    free(p->distances);
    free(p->worker_on);
    free(p);
}

int tweed__affinity_bind(const struct tweed__topology *t, int bind, int workers)
{
    if (t->synthetic)
        return TWEED_BIND_NONE;
    if (bind == TWEED_BIND_DEFAULT)
        return workers == t->num_cpus ? TWEED_BIND_CPU : TWEED_BIND_NODE;
    if (bind == TWEED_BIND_CPU && workers > t->num_cpus)
        return TWEED_BIND_NODE; /* several a CPU: let the system balance */
    return bind;
}

cpu_set_t *tweed__affinity_mask(const struct tweed__cpu *cpus, int num_cpus,
                             const struct tweed__cpu *cpu, int bind,
                             size_t *bytes)
{
    int most = 0;
    cpu_set_t *set;

    for (int i = 0; i < num_cpus; i++)
        if (cpus[i].cpu > most)
            most = cpus[i].cpu;
    set = CPU_ALLOC((size_t)most + 1);
    if (!set)
        return NULL;
    *bytes = CPU_ALLOC_SIZE((size_t)most + 1);
    CPU_ZERO_S(*bytes, set);
    for (int i = 0; i < num_cpus; i++)
        if (bind == TWEED_BIND_NONE ||
            (bind == TWEED_BIND_NODE && cpus[i].node == cpu->node) ||
            (bind == TWEED_BIND_CPU && cpus[i].cpu == cpu->cpu))
            CPU_SET_S((size_t)cpus[i].cpu, *bytes, set);
    return set;
}

/* The machine, with no worker on any CPU.  NULL: out of memory. */
static struct tweed__affinity *new_places(const struct tweed__topology *t, int workers)
{
    size_t n = (size_t)t->num_cpus, nodes = (size_t)t->num_nodes;
    struct tweed__affinity *p = aligned_alloc(alignof(struct tweed__affinity), sizeof *p);

    if (!p)
        return NULL;
    memset(p, 0, sizeof *p);
    store_relaxed(&p->seen, -1); /* no other thread has the team yet */
    p->num_cpus = t->num_cpus;
    p->num_nodes = t->num_nodes;
    p->cpus = calloc(n, sizeof *p->cpus);
    p->distances = calloc(nodes * nodes, sizeof *p->distances);
    p->worker_on = calloc(n + (size_t)workers, sizeof *p->worker_on);
    if (!p->cpus || !p->distances || !p->worker_on) {
        free_places(p);
        return NULL;
    }
    memcpy(p->cpus, t->cpus, n * sizeof *p->cpus);
    memcpy(p->distances, t->distances, nodes * nodes * sizeof *p->distances);
    p->home = p->worker_on + n;
    return p;
}

void tweed__affinity_begin(struct tweed__team *team,
                        const struct tweed__topology *t,
                        const struct tweed__plan *plan)
{
    struct tweed__affinity *p;

    if (team->bind != TWEED_BIND_CPU || team->num_workers < 2)
        return;
    p = team->affinity = new_places(t, team->num_workers);
    if (!p)
        return;
    p->cores_do = true;
    for (int i = 0; i < t->num_cpus; i++)
        for (int w = 1; w < team->num_workers; w++)
            if (plan->workers[w].cpu == t->cpus[i].cpu) {
                p->worker_on[i] = w;
                p->home[w] = i;
                p->cores_do &= t->cpus[i].thread == 0;
            }
}

void tweed__affinity_end(struct tweed__team *team)
{
    free_places(team->affinity);
    team->affinity = NULL;
}

/* Binds worker w to the CPU of place i, or to its node.  False: the system has refused. */
static bool bind_to(struct tweed__team *team, int w, int i, int bind)
{
    struct tweed__affinity *p = team->affinity;
    size_t bytes = 0;
    cpu_set_t *set = tweed__affinity_mask(p->cpus, p->num_cpus, &p->cpus[i], bind,
                                       &bytes);
    int error = -1;

    if (set) {
        error = pthread_setaffinity_np(team->workers[w]->thread, bytes, set);
        CPU_FREE(set);
    }
    return error == 0;
}

/* The place of a CPU; -1: the CPU has none. */
static int place_of(const struct tweed__affinity *p, int cpu)
{
    for (int i = 0; i < p->num_cpus; i++)
        if (p->cpus[i].cpu == cpu)
            return i;
    return -1;
}

/* Does place a suit worker w better than place b?  A core's first hardware thread does, in
   a pool that needs no second ones, as in the plan; and then a place of a nearer node. */
static bool suits_better(const struct tweed__affinity *p, int w, int a, int b)
{
    const int *far = &p->distances[p->cpus[p->home[w]].node * p->num_nodes];

    if (p->cores_do && (p->cpus[a].thread == 0) != (p->cpus[b].thread == 0))
        return p->cpus[a].thread == 0;
    return far[p->cpus[a].node] < far[p->cpus[b].node];
}

/* The best place for worker w, of those without a worker and without the caller, which
   is on place `caller`. */
static int free_place(const struct tweed__affinity *p, int w, int caller)
{
    int best = -1;

    for (int i = 0; i < p->num_cpus; i++)
        if (p->worker_on[i] == 0 && i != caller &&
            (best < 0 || suits_better(p, w, i, best)))
            best = i;
    return best;
}

static void move(struct tweed__team *team, int from, int to)
{
    struct tweed__affinity *p = team->affinity;
    int w = p->worker_on[from];

    if (!bind_to(team, w, to, TWEED_BIND_CPU))
        return;
    p->worker_on[to] = w;
    p->worker_on[from] = 0;
    store_relaxed(&team->workers[w]->cpu, p->cpus[to].cpu); /* to be read by people */
}

/* A worker that made way before, and left its node for that, comes back if it can: else a
   caller that goes round drives one worker from each node to another. */
static void come_home(struct tweed__team *team, int caller)
{
    struct tweed__affinity *p = team->affinity;

    for (int i = 0; i < p->num_cpus; i++) {
        int w = p->worker_on[i], home = p->cpus[p->home[w]].node, to;

        if (!w || i == caller || p->cpus[i].node == home)
            continue;
        to = free_place(p, w, caller);
        if (to >= 0 && p->cpus[to].node == home && suits_better(p, w, to, i))
            move(team, i, to);
    }
}

/* The caller is on this CPU now: a worker that is bound there leaves it. */
static void make_way(struct tweed__team *team, int cpu)
{
    struct tweed__affinity *p = team->affinity;
    int here = place_of(p, cpu), w = here < 0 ? 0 : p->worker_on[here], there;

    if (here < 0)
        return;
    there = w ? free_place(p, w, here) : -1;
    check(!w || there >= 0); /* fewer workers are bound than there are CPUs */
    if (w && !suits_better(p, w, here, there)) { /* mostly: no other worker has to move */
        move(team, here, there);
        w = 0;
    }
    come_home(team, here);
    if (w)
        move(team, here, free_place(p, w, here));
}

/* Binds all workers to their nodes, or each to its CPU again. */
static void bind_all(struct tweed__team *team, bool loose)
{
    struct tweed__affinity *p = team->affinity;

    for (int i = 0; i < p->num_cpus; i++) {
        int w = p->worker_on[i], to = loose ? p->home[w] : i;

        if (w)
            (void)bind_to(team, w, to, loose ? TWEED_BIND_NODE : TWEED_BIND_CPU);
    }
    p->loose = loose;
    store_relaxed(&p->seen, -1); /* one writer: the caller may be anywhere now */
}

/* Counts one loop more, or one wake for a task, among other callers or alone. */
static void count_crowd(struct tweed__team *team, bool among_others)
{
    struct tweed__affinity *p = team->affinity;
    int crowd = load_relaxed(&p->crowd) + (among_others ? 2 : -1);

    if (crowd < 0)
        return;
    if (crowd > CROWDED)
        crowd = CROWDED;
    store_relaxed(&p->crowd, crowd); /* one writer; others read a figure */
    if (crowd == CROWDED && !p->loose)
        bind_all(team, true);
    if (crowd == 0 && p->loose)
        bind_all(team, false);
}

void tweed__affinity_caller(struct tweed__team *team, bool among_others)
{
    struct tweed__affinity *p = team->affinity;
    int cpu = sched_getcpu();

    /* relaxed, both: if they are of old a look is made in vain, or one later */
    if (likely(cpu == load_relaxed(&p->seen) && !among_others &&
               load_relaxed(&p->crowd) == 0))
        return;
    /* seq_cst: acquires; pairs with the release below.  A caller that fails leaves
       the workers to the caller that moves them now. */
    if (load_relaxed(&p->moving) || exchange_seq_cst(&p->moving, 1))
        return;
    count_crowd(team, among_others);
    if (!p->loose && cpu >= 0 && cpu != load_relaxed(&p->seen))
        make_way(team, cpu);
    store_relaxed(&p->seen, cpu); /* one writer */
    store_release(&p->moving, 0); /* pairs with the exchange above */
}
