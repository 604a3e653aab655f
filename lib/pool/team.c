/*
 * team.c - starts and ends the workers of a pool.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "pool/team.h"
#include "base/random.h"
#include "base/tsan.h"
#include "pool/above.h"
#include "range/glance.h"
#include "system/mask.h"
#include "system/pages.h"
#include "system/system.h"
#include "system/topology.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- memory ---- */

static struct tweed__worker *map_worker(struct tweed__team *team, int index,
                                        const struct tweed__cpu *cpu, int node)
{
    struct tweed__worker *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (w == MAP_FAILED)
        return NULL;
    tweed__tsan_hide(w, sizeof *w);
    if (!team->synthetic)
        tweed__place_memory(w, sizeof *w, node, false);
    w->team = team;
    w->index = index;
    store_relaxed(&w->split, TWEED__WHOLE); /* relaxed: no other thread has the worker yet */
    w->node = node;
    w->who.team = team->number;
    w->who.index = index;
    w->who.node = node;
    store_relaxed(&w->cpu, cpu->cpu); /* relaxed: as above */
    for (int k = 0; k < TWEED__SLOTS; k++)
        tweed__range_clear(&w->seats[k].range);
    return w;
}

static void unmap_workers(struct tweed__team *team, int from)
{
    for (int i = from; i < team->num_workers; i++) {
        tweed__arena_end(&team->workers[i]->arena);
        tweed__arena_end(&team->workers[i]->job_memory);
        munmap(team->workers[i], sizeof *team->workers[i]);
    }
    team->num_workers = from;
}

static void unmap_node_counts(struct tweed__team *team)
{
    for (int i = 0; i < team->num_node_counts; i++)
        munmap(team->node_counts[i], sizeof *team->node_counts[i]);
    free(team->node_counts);
    team->node_counts = NULL;
    team->num_node_counts = 0;
}

/* The node of worker w, which is the next, in memory of its node.  False: no memory. */
static bool add_to_node(struct tweed__team *team, struct tweed__worker *w)
{
    struct tweed__node_counts *c;

    if (w->index > 0 && team->workers[w->index - 1]->node == w->node) {
        w->counts = team->workers[w->index - 1]->counts;
        return true;
    }
    c = mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (c == MAP_FAILED)
        return false;
    tweed__tsan_hide(c, sizeof *c);
    if (!team->synthetic)
        tweed__place_memory(c, sizeof *c, w->node, false);
    team->node_counts[team->num_node_counts++] = c;
    w->counts = c;
    return true;
}

/* Where workers are on several nodes.  Without memory there are none: all is counted in
   one place then. */
static void map_node_counts(struct tweed__team *team)
{
    bool are_all = true;

    if (team->workers[0]->node == team->workers[team->num_workers - 1]->node)
        return;
    team->node_counts = calloc((size_t)team->num_workers, sizeof *team->node_counts);
    for (int i = 0; team->node_counts && are_all && i < team->num_workers; i++)
        are_all = add_to_node(team, team->workers[i]);
    if (are_all)
        return;
    for (int i = 0; i < team->num_workers; i++)
        team->workers[i]->counts = NULL;
    unmap_node_counts(team);
}

void tweed__team_free(struct tweed__team *team)
{
    if (team->workers)
        unmap_workers(team, 0);
    unmap_node_counts(team);
    for (int k = 0; k < TWEED__SLOTS; k++)
        tweed__arena_end(&team->slots[k].arena);
    tweed__queue_end(team);
    tweed__state_end_all(team);
    free(team->workers);
    tweed__affinity_end(team);
    free(team->groups);
    free(team->nearness);
    free(team->before);
    free(team);
}

/* The team without threads and groups; as many workers as there is memory for. */
static struct tweed__team *allocate(const struct tweed__topology *t,
                                    const struct tweed__plan *plan)
{
    static uint32_t teams; /* one thread at a time */
    size_t n = (size_t)plan->num_workers;
    struct tweed__team *team = aligned_alloc(TWEED__LINE, sizeof *team);

    if (!team)
        return NULL;
    tweed__tsan_hide(team, sizeof *team);
    memset(team, 0, sizeof *team);
    team->number = ++teams;
    team->group_states.submitted.slot = -1;
    tweed__queue_begin(team);
    team->synthetic = t->synthetic;
    team->workers = calloc(n, sizeof(struct tweed__worker *));
    if (team->workers)
        for (; team->num_workers < plan->num_workers; team->num_workers++) {
            int i = team->num_workers;
            const struct tweed__cpu *cpu = &plan->workers[i];

            team->workers[i] =
                map_worker(team, i, cpu, t->nodes[cpu->node]);
            if (!team->workers[i])
                break;
        }
    if (team->num_workers > 0) {
        map_node_counts(team);
        return team;
    }
    tweed__team_free(team);
    return NULL;
}

/* Takes the plan's tables of which workers are near which. */
static void take_over(struct tweed__team *team, struct tweed__plan *plan)
{
    team->num_groups = plan->num_groups;
    team->groups = plan->groups;
    team->nearest = plan->num_groups > 1 ? TWEED__IN_DOMAIN : TWEED__NEAREST;
    team->nearness = plan->nearness;
    plan->groups = NULL;
    plan->nearness = NULL;
    if (plan->uneven) {
        team->before = plan->before;
        plan->before = NULL;
    }
    team->is_uneven = team->before || (team->node_counts && team->num_groups > 1);
    for (int g = 0; g < team->num_groups; g++)
        for (int i = team->groups[g].begin; i < team->groups[g].end; i++) {
            team->workers[i]->group = g;
            team->workers[i]->domain = plan->domains[i];
        }
}

/* ---- threads ---- */

/* A thread to be started, by team_mask()'s mask. */
struct start {
    void *(*main)(void *);
    void *arg;
    pthread_t *thread;
    size_t stack_bytes;
    int part; /* of tweed__awake */
};

/* One attempt; set NULL: wherever the calling thread may run. */
static int try_thread(const struct start *s, size_t stack_bytes, const cpu_set_t *set,
                      size_t bytes)
{
    pthread_attr_t attr;
    int error = pthread_attr_init(&attr);

    if (error)
        return error;
    if (stack_bytes) /* refused: the default is then as good as any */
        (void)pthread_attr_setstacksize(&attr, stack_bytes);
#ifdef HAVE_PTHREAD_ATTR_SETAFFINITY_NP
    if (set)
        (void)pthread_attr_setaffinity_np(&attr, bytes, set);
    error = pthread_create(s->thread, &attr, s->main, s->arg);
#else /* musl: the thread is bound when it runs already */
    error = pthread_create(s->thread, &attr, s->main, s->arg);
    if (!error && set)
        (void)pthread_setaffinity_np(*s->thread, bytes, set);
#endif
    pthread_attr_destroy(&attr);
    return error;
}

static int create_thread(const struct start *s, const struct tweed__topology *t,
                         const struct tweed__cpu *cpu, int bind)
{
    size_t bytes = 0, stack_bytes = s->stack_bytes;
    cpu_set_t *set =
        t->synthetic ? NULL
                     : tweed__affinity_mask(t->cpus, t->num_cpus, cpu, bind, &bytes);
    int error;

    awake_add(s->part, 1);
    for (;; stack_bytes = 0) {
        error = try_thread(s, stack_bytes, set, bytes);
        if (error && set) /* the mask may have changed, or cannot be set */
            error = try_thread(s, stack_bytes, NULL, 0);
        /* EINVAL: too small a stack for what is thread-local in this program */
        if (error != EINVAL || stack_bytes == 0)
            break;
    }
    if (set)
        CPU_FREE(set);
    if (error)
        awake_add(s->part, -1);
    return error;
}

/*
 * The signals that a worker takes; `mine` is the mask of the thread that starts the
 * pool.  All others are blocked: their handlers run on the program's own threads.
 *
 * A fault is sent to the thread that has made it.  A thread that blocks the fault's
 * signal is killed without the program's handler, and with it the process.
 *
 * SIGPROF asks which thread uses the CPU.  If workers blocked SIGPROF, a profile would
 * show the bodies of the caller only.  A program that blocks SIGPROF takes it elsewhere,
 * by sigwait() for example, so a worker then blocks it, too.
 */
void tweed__team_mask(const sigset_t *mine, sigset_t *mask)
{
    static const int faults[] = { SIGSEGV, SIGBUS,  SIGFPE,
                                  SIGILL,  SIGTRAP, SIGSYS };

    sigfillset(mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(mask, faults[i]);
    if (!sigismember(mine, SIGPROF))
        sigdelset(mask, SIGPROF);
}

/* Gives the calling thread the mask that the threads which it starts shall have. */
static void lend_mask(sigset_t *before)
{
    sigset_t mask;

    pthread_sigmask(SIG_SETMASK, NULL, before);
    tweed__team_mask(before, &mask);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* Starts the threads of workers 1 and up; stops at the first that cannot be had.
   The threads inherit the mask. */
static void create_threads(struct tweed__team *team,
                           const struct tweed__topology *t,
                           const struct tweed__plan *plan,
                           const struct tweed__settings *s)
{
    sigset_t before;
    int i;

    team->bind = tweed__affinity_bind(t, s->bind, team->num_workers);
    lend_mask(&before);
    for (i = 1; i < team->num_workers; i++) {
        struct tweed__worker *w = team->workers[i];
        struct start start = { tweed__thread_main, w, &w->thread, s->stack_bytes,
                               awake_part(w) };

        /* relaxed, both: a figure; threads that start teams have a lock */
        if (start.part >= load_relaxed(&tweed__awake_parts))
            store_relaxed(&tweed__awake_parts, start.part + 1);

        if (create_thread(&start, t, &plan->workers[i], team->bind) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    unmap_workers(team, i);
}

/* A thief fences for the range of an owner that is in a long body, or has no CPU.  Where workers
   outnumber CPUs most owners have none: each claim of a loop pays a little there, unless the user
   has said otherwise.  An owner of tasks would pay with every task. */
static void choose_fence(struct tweed__team *team, int fence, int num_cpus)
{
    if (fence == TWEED_FENCE_EXCHANGE)
        return;
    team->fence_error = tweed__fence_register();
    team->asymmetric = team->fence_error == 0;
    team->asymmetric_loops = team->asymmetric && (fence == TWEED_FENCE_MEMBARRIER ||
                                                  team->num_workers <= num_cpus);
}

/* What the workers go by, and may run on. */
static void settle(struct tweed__team *team, const struct tweed__settings *s,
                   int64_t capacity, int num_cpus)
{
    team->spin_ns = s->spin_ns;
    store_relaxed(&team->share_ns, TWEED__SHARE_NS); /* relaxed, both: before its threads */
    store_relaxed(&team->share_asleep_ns, TWEED__SHARE_ASLEEP_NS);
    team->capacity = capacity;
    team->on_start = s->on_start;
    team->on_end = s->on_end;
    team->hook_arg = s->hook_arg;
    for (int i = 0; i < team->num_workers; i++) {
        team->workers[i]->seed = random_state(s->seed, (uint64_t)i);
        memcpy(team->workers[i]->who.pool, s->name, sizeof s->name);
    }
    choose_fence(team, s->fence, num_cpus);
}

/* In a program that has the library inside of itself the variables are among the program's
   (tsan.c): those that threads look at without a lock. */
static void hide_variables(void)
{
    tweed__tsan_hide(tweed__awake, sizeof tweed__awake);
    tweed__tsan_hide(&tweed__awake_parts, sizeof tweed__awake_parts);
    tweed__tsan_hide(&tweed__watched, sizeof tweed__watched);
    tweed__tsan_hide(&tweed__tracing, sizeof tweed__tracing);
    tweed__tsan_hide(&tweed__fence_ns, sizeof tweed__fence_ns);
    tweed__tsan_hide(&tweed__fences, sizeof tweed__fences);
}

struct tweed__team *tweed__team_start(const struct tweed__settings *s)
{
    struct tweed__topology *t = tweed__topology_get();
    struct tweed__team *team = NULL;
    struct tweed__plan plan;
    int64_t capacity;
    int n = s->num_workers;

    if (!t)
        return NULL;
    hide_variables();
    capacity = tweed__topology_capacity(t);
    if (s->cpus)
        tweed__topology_keep(t, s->cpus);
    if (!n)
        n = tweed__topology_workers(t);
    if (s->most_workers && n > s->most_workers)
        n = s->most_workers;
    /* tweed__awake counts the threads of all pools, which may be on other CPUs */
    if (n > t->num_cpus)
        capacity = tweed__topology_capacity(t);
    if (tweed__plan_make(&plan, t, n)) {
        team = allocate(t, &plan);
        if (team) {
            settle(team, s, capacity, t->num_cpus);
            create_threads(team, t, &plan, s);
            tweed__affinity_begin(team, t, &plan);
            tweed__plan_arrange(&plan, t, team->num_workers,
                                team->synthetic ? TWEED_BIND_CPU : team->bind);
            take_over(team, &plan);
            tweed__tsan_release(team); /* to sit_down() in slot.h */
        }
        tweed__plan_free(&plan);
    }
    tweed__topology_free(t);
    return team;
}

/* Waits until the callers that `leaving` counts have returned: each has its result, and
   is about to return.  (If this thread only yielded, it would keep a caller of a lower
   priority from its CPU.) */
static void wait_for_callers(struct tweed__team *team)
{
    /* seq_cst, and acquire: with tweed__sync_leave().  weaker: acq_rel would do, since both
       are read-modify-writes of one word */
    uint32_t n = fetch_or_seq_cst(&team->leaving, TWEED__ENDING) | TWEED__ENDING;

    for (; n != TWEED__ENDING; n = load_acquire(&team->leaving))
        tweed__futex_wait(&team->leaving, n, UINT32_MAX);
}

/* Wherever the pool's threads may be. */
void tweed__team_serve(struct tweed__team *team, const struct tweed__settings *s)
{
    struct start start = { tweed__runner_main, team, &team->runner, s->stack_bytes, 0 };
    struct tweed__topology *t = tweed__topology_get();
    sigset_t before;

    if (!t)
        return;
    if (s->cpus)
        tweed__topology_keep(t, s->cpus);
    lend_mask(&before);
    if (create_thread(&start, t, t->cpus, TWEED_BIND_NONE) == 0)
        store_relaxed(&team->has_runner, 1); /* the mutex orders it */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    tweed__topology_free(t);
}

void tweed__team_end(struct tweed__team *team)
{
    wait_for_callers(team);
    store_release(&team->stop, 1); /* pairs with tweed__thread_main() */
    tweed__sleep_announce(&team->sleep, INT_MAX, UINT32_MAX,
                          &team->workers[0]->tally);
    for (int i = 1; i < team->num_workers; i++)
        pthread_join(team->workers[i]->thread, NULL);
    if (load_relaxed(&team->has_runner)) /* relaxed: the registry's lock ordered it */
        pthread_join(team->runner, NULL);
    tweed__trace_team_ended(team->number);
    tweed__team_free(team);
}
