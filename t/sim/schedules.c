/*
 * schedules.c - the whole library under thousands of schedules: every index
 * once, under the right loop, and everybody wakes who has to.
 *
 * SPDX-License-Identifier: MIT
 *
 *     schedules.t                   each scenario, TWEED_TEST_ROUNDS schedules
 *                                   of it, seeds from TWEED_TEST_SEED (1) on
 *     schedules.t SEED SCENARIO     that schedule again, each step printed
 *
 * What a schedule is: chance.c.  Whatever a scenario leaves open (fence mode,
 * workers, bounds, grains, spinning) is drawn from the same seed.
 *
 * Threads are numbered as they are made: 0 is the first caller, a pool's
 * workers follow as it is created.
 */
/* Each loop is published: what is called through the library remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "chance.h"
#include "child.h"
#include "range/deque.h"
#include "pool/pool.h"
#include "range/glance.h"
#include "tap.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

/* ---- loops that count ---- */

#define MOST_INDICES 80
#define MOST_LOOPS 64
#define BEGIN 5 /* the first index of every loop */

struct loop {
    int count[MOST_INDICES], n, inner;
    bool open;                       /* the call has not returned */
    int begun, wanted;               /* bodies; of these, to wait for */
    int nth[MOST_INDICES];           /* index i began as the nth body */
    tweed_pool *pool;
    void (*within)(struct loop *, int i); /* what a body does; NULL: nothing */
};

static struct loop loops[MOST_LOOPS]; /* each used once a schedule */
static int loops_used;

static struct loop *loop_new(tweed_pool *pool, int n)
{
    struct loop *l = &loops[loops_used++];

    if (loops_used > MOST_LOOPS || n > MOST_INDICES)
        abort();
    memset(l, 0, sizeof *l);
    l->n = n;
    l->pool = pool;
    return l;
}

static void body(int64_t index, void *arg)
{
    struct loop *l = arg;
    int i = (int)index - BEGIN;

    if (!l->open)
        chance_failed("index %d after its loop's end", i);
    if (i < 0 || i >= l->n)
        chance_failed("index %d out of 0 to %d", i, l->n - 1);
    if (l->count[i]++)
        chance_failed("index %d twice", i);
    l->nth[i] = ++l->begun;
    machine_wake(l, INT_MAX, UINT32_MAX); /* see await() */
    chance_be_late(chance_below(4) ? 0 : 1u << chance_below(8));
    if (l->within)
        l->within(l, i);
    if (!l->open)
        chance_failed("loop ended before index %d did", i);
}

static void range_body(int64_t begin, int64_t end, void *arg)
{
    if (begin >= end)
        chance_failed("an empty run");
    for (; begin < end; begin++)
        body(begin, arg);
}

/* Runs the loop, by one call or the other, and looks at what was counted. */
static void loop_run(struct loop *l, bool by_range, int grain, int max_workers)
{
    tweed_loop_options o = { .size = sizeof o, .grain = grain,
                             .max_workers = max_workers };
    int64_t end = BEGIN + l->n;
    int code;

    l->open = true;
    code = by_range ? tweed_parallel_for_range_with(l->pool, &o, BEGIN, end,
                                                    range_body, l)
                    : tweed_parallel_for_with(l->pool, &o, BEGIN, end, body, l);
    l->open = false;
    if (code != TWEED_OK)
        chance_failed("a loop's result is %d", code);
    for (int i = 0; i < l->n; i++)
        if (l->count[i] != 1)
            chance_failed("index %d of %d lost", i, l->n);
}

/* Waits, without spinning, until as many bodies have begun as *wanted says. */
static void await(struct loop *l, const int *wanted)
{
    while (l->begun < *wanted) {
        policy_turn(WAIT, NULL, l);
        if (l->begun < *wanted)
            machine_sleep(l, UINT32_MAX);
    }
}

/* ---- pools ---- */

static int between(int least, int most)
{
    return least + (int)chance_below((unsigned)(most - least + 1));
}

static tweed_pool *pool_of(int workers, int64_t spin_ns)
{
    tweed_pool_options o = { .size = sizeof o, .num_workers = workers,
                             .spin_ns = spin_ns };
    tweed_pool *pool = NULL;

    o.fence = chance_below(2) ? TWEED_FENCE_MEMBARRIER : TWEED_FENCE_EXCHANGE;
    machine_topology(workers, between(1, 2));
    if (tweed_pool_create(&pool, &o) != TWEED_OK ||
        tweed_pool_num_workers(pool) != workers)
        chance_failed("no pool");
    return pool;
}

/* Spins for a moment before it sleeps, or not at all. */
static tweed_pool *some_pool(int least, int most)
{
    int workers = between(least, most); /* first: arguments have no order */

    return pool_of(workers, chance_below(2) ? 20000 : -1);
}

static void end_pool(tweed_pool *pool)
{
    int code = tweed_pool_destroy(pool);

    if (code != TWEED_OK)
        chance_failed("destroying the pool gives %d", code);
}

/* ---- scenarios ---- */

static void single(void)
{
    tweed_pool *pool = some_pool(2, 4);
    struct loop *l = loop_new(pool, between(1, 24));
    int grain = between(0, 3);

    loop_run(l, chance_below(2), grain, 0);
    end_pool(pool);
}

/* Of the same bounds, so that a range word that outlives its loop fits; some
   with shares of which a thief takes more than one index. */
static void again(void)
{
    tweed_pool *pool = some_pool(2, 3);
    int n = between(2, chance_below(2) ? 9 : 48), times = between(2, 4);
    bool by_range = chance_below(2);

    while (times-- > 0)
        loop_run(loop_new(pool, n), by_range, 1, 0);
    end_pool(pool);
}

static void run_inner(struct loop *l, int i)
{
    struct loop *inner = loop_new(l->pool, l->inner);

    (void)i;
    loop_run(inner, chance_below(2), 1, 0);
}

static void nested(void)
{
    tweed_pool *pool = some_pool(2, 3);
    struct loop *l = loop_new(pool, between(2, 5));

    l->inner = between(2, 5);
    l->within = run_inner;
    loop_run(l, false, 1, 0);
    end_pool(pool);
}

static void *call_twice(void *pool)
{
    for (int k = 0; k < 2; k++)
        loop_run(loop_new(pool, between(2, 8)), false, 1, 0);
    return NULL;
}

static void callers(void)
{
    tweed_pool *pool = some_pool(2, 3);
    struct thread *other = machine_spawn(call_twice, pool);

    call_twice(pool);
    machine_join(other);
    end_pool(pool);
}

static void meet(struct loop *l, int i)
{
    (void)i;
    await(l, &l->wanted);
}

/* Each worker's body waits for all others: every one of them has to wake. */
static void *call_to_meet(void *arg)
{
    tweed_pool *pool = arg;

    for (int k = 0; k < 2; k++) {
        struct loop *l = loop_new(pool, tweed_pool_num_workers(pool));

        l->wanted = l->n;
        l->within = meet;
        loop_run(l, false, 1, 0);
    }
    return NULL;
}

static void wake(void)
{
    tweed_pool *pool = pool_of(between(2, 6), -1);

    call_to_meet(pool);
    end_pool(pool);
}

/* The same while another caller's loops come and go, in slots next to it and
   before it in its own. */
static void by_nodes(void)
{
    tweed_pool *pool = some_pool(2, 4);
    struct thread *other = machine_spawn(call_to_meet, pool);

    call_twice(pool);
    machine_join(other);
    end_pool(pool);
}

/* Who has stolen an index waits until an index begins after that one, or all have
   begun: what is left must not be out of sight of those who look for work. */
static void meet_if_stolen(struct loop *l, int i)
{
    int workers = tweed_pool_num_workers(l->pool), owner = 0;
    int wanted = l->nth[i] < l->n ? l->nth[i] + 1 : l->n;

    while (i >= (int)partition_begin((uint32_t)l->n, (uint32_t)owner + 1,
                                     (uint32_t)workers))
        owner++;
    if (tweed_worker_index() != owner)
        await(l, &wanted);
}

static void hints(void)
{
    int workers = between(2, 3);
    tweed_pool *pool = pool_of(workers, chance_below(4) ? -1 : 20000);
    struct loop *l = loop_new(pool, between(3 * workers, 6 * workers));

    l->within = meet_if_stolen;
    loop_run(l, false, 1, 0);
    end_pool(pool);
}

static void windows(void)
{
    int workers = between(3, 5);
    tweed_pool *pool = pool_of(workers, chance_below(2) ? 20000 : -1);

    for (int k = 0; k < 3; k++) {
        struct loop *l = loop_new(pool, between(2, 8));
        int grain = between(1, 2);

        loop_run(l, false, grain, between(0, workers));
    }
    end_pool(pool);
}

/* Shares long enough for runs of several blocks. */
static void runs(void)
{
    tweed_pool *pool = some_pool(2, 3);

    loop_run(loop_new(pool, between(30, MOST_INDICES)), true, 1, 0);
    end_pool(pool);
}

static void *call_once(void *arg)
{
    loop_run(arg, false, 1, 0);
    return NULL;
}

/* Refused while a loop runs; later the pool ends, and one at once after its
   birth. */
static void destroy(void)
{
    tweed_pool *pool = some_pool(2, 3);
    struct loop *l = loop_new(pool, between(1, 6));
    struct thread *other;
    int one = 1;

    l->wanted = INT_MAX;
    l->within = meet; /* until told not to */
    other = machine_spawn(call_once, l);
    await(l, &one);
    if (tweed_pool_destroy(pool) != TWEED_EBUSY)
        chance_failed("a pool is destroyed while its loop runs");
    l->wanted = 0;
    machine_wake(l, INT_MAX, UINT32_MAX);
    machine_join(other);
    end_pool(pool);
    end_pool(some_pool(2, 4));
}

/* ---- tasks of groups, and submitted ones ---- */

#define MOST_TASKS 64

static struct task {
    tweed_pool *pool;
    tweed_group *in; /* NULL: it is submitted */
    int depth;       /* so many levels below it */
    int begun;
    bool over;
} tasks[MOST_TASKS];
static int tasks_used, tasks_over;

/* NULL: there were enough. */
static struct task *task_new(tweed_pool *pool, tweed_group *in, int depth)
{
    struct task *t = &tasks[tasks_used];

    if (tasks_used == MOST_TASKS)
        return NULL;
    tasks_used++;
    *t = (struct task){ .pool = pool, .in = in, .depth = depth };
    return t;
}

static int run_task(void *arg);

static void spawn_some(tweed_pool *pool, tweed_group *g, int depth)
{
    for (int n = between(1, 3); n > 0; n--) {
        struct task *t = task_new(pool, g, depth);
        int code = t ? tweed_group_spawn(g, run_task, t) : TWEED_OK;

        if (code != TWEED_OK)
            chance_failed("spawning gives %d", code);
    }
}

/* Spawns some into a group of its own, and finds them over when it has synced it. */
static void spawn_and_sync(tweed_pool *pool, int depth)
{
    tweed_group own = { .pool = pool };
    int first = tasks_used, code;

    spawn_some(pool, &own, depth);
    code = tweed_group_sync(&own);
    if (code != TWEED_OK)
        chance_failed("a sync gives %d", code);
    for (int k = first; k < tasks_used; k++)
        if (tasks[k].in == &own && !tasks[k].over)
            chance_failed("task %d is not over when its group is", k);
}

static int run_task(void *arg)
{
    struct task *t = arg;

    if (t->begun++)
        chance_failed("task %d twice", (int)(t - tasks));
    chance_be_late(chance_below(4) ? 0 : 1u << chance_below(8));
    if (t->depth && chance_below(2))
        spawn_and_sync(t->pool, t->depth - 1);
    if (t->depth && t->in && chance_below(2))
        spawn_some(t->pool, t->in, t->depth - 1);
    if (!chance_below(8) && loops_used < MOST_LOOPS - 1)
        loop_run(loop_new(t->pool, between(2, 6)), false, 1, 0);
    t->over = true;
    tasks_over++;
    return 0;
}

static void *spawn_twice(void *pool)
{
    for (int k = 0; k < 2; k++)
        spawn_and_sync(pool, 2);
    return NULL;
}

static void groups(void)
{
    tweed_pool *pool = some_pool(2, 4);
    struct thread *other = chance_below(2) ? machine_spawn(spawn_twice, pool) : NULL;

    spawn_twice(pool);
    if (other)
        machine_join(other);
    if (tasks_over != tasks_used)
        chance_failed("%d of %d tasks are over", tasks_over, tasks_used);
    end_pool(pool);
}

static int accepted;   /* tasks that were submitted */
static bool abandoned; /* some are dropped */

/* One task, somewhere, or several in a batch.  False: the pool is closed. */
static bool submit_some(tweed_pool *pool)
{
    int how = between(0, 2), n = how == 2 ? between(1, 3) : 1, code;
    void *args[3];

    for (int k = 0; k < n; k++) {
        args[k] = task_new(pool, NULL, (int)chance_below(2));
        if (!args[k])
            return false;
    }
    code = how == 2   ? tweed_pool_submit_batch(pool, run_task, args, (size_t)n)
           : how == 1 ? tweed_pool_submit_front(pool, run_task, args[0])
                      : tweed_pool_submit(pool, run_task, args[0]);
    if (code == TWEED_OK)
        accepted += n;
    else if (code != TWEED_ECLOSED)
        chance_failed("submitting gives %d", code);
    return code == TWEED_OK;
}

static void *submit_and_drain(void *pool)
{
    int first = tasks_used, code;
    bool open = true;

    for (int n = between(1, 5); n > 0 && open; n--)
        open = submit_some(pool);
    code = tweed_pool_drain(pool);
    if (code != TWEED_OK)
        chance_failed("draining gives %d", code);
    if (open && !abandoned && first < tasks_used && !tasks[first].over)
        chance_failed("a task is not over when the pool is drained");
    return NULL;
}

static int submitted_over(void)
{
    int over = 0;

    for (int k = 0; k < tasks_used; k++)
        over += !tasks[k].in && tasks[k].over;
    return over;
}

/* All that was accepted is executed, or dropped when the pool is abandoned. */
static void submit(void)
{
    tweed_pool *pool = some_pool(2, 4);
    struct thread *other = machine_spawn(submit_and_drain, pool);
    int how = between(0, 2);
    int64_t dropped = 0;

    abandoned = how == 2;
    if (how == 0)
        (void)submit_and_drain(pool);
    else if (how == 1)
        dropped = tweed_pool_close(pool);
    else
        dropped = tweed_pool_abandon(pool);
    machine_join(other);
    if (dropped < 0 || submitted_over() + dropped != accepted)
        chance_failed("of %d accepted tasks %d are over, %d dropped", accepted,
                      submitted_over(), (int)dropped);
    end_pool(pool);
}

/* ---- calls of one kind inside calls of another ---- */

/* Counts somebody who has come here, and wakes those who wait for that. */
static void arrive(int *count)
{
    ++*count;
    machine_wake(count, INT_MAX, UINT32_MAX);
}

/* Waits, without spinning, until so many have come. */
static void until(int *count, int wanted)
{
    while (*count < wanted) {
        policy_turn(WAIT, NULL, count);
        if (*count < wanted)
            machine_sleep(count, UINT32_MAX);
    }
}

/* A deque is one thread's: whatever runs in a task finds itself there. */
static void check_deque(tweed_pool *pool)
{
    struct tweed__deque *d = (struct tweed__deque *)(void *)tweed_task_deque_(pool);

    if (d && d->part != tweed__self.here)
        chance_failed("two threads share one deque");
}

#define MOST_PIECES 48
#define CHILDREN 3

/* Work of some kind, with children that are such pieces again. */
static struct piece {
    tweed_pool *pool;
    tweed_group *group;
    int depth, n, ends_at, begun[CHILDREN], over[CHILDREN], all_over;
} pieces[MOST_PIECES];
static int pieces_used;

static void run_piece(tweed_pool *pool, int depth);

static void run_child(struct piece *p, int k)
{
    check_deque(p->pool);
    p->begun[k]++;
    chance_be_late(chance_below(4) ? 0 : 1u << chance_below(8));
    if (p->depth)
        run_piece(p->pool, p->depth - 1);
    if (k == p->ends_at && p->group)
        (void)tweed_group_cancel(p->group);
    else if (k == p->ends_at)
        (void)tweed_parallel_stop();
    check_deque(p->pool);
    p->over[k]++;
    arrive(&p->all_over);
}

static void body_of_piece(int64_t i, void *arg)
{
    run_child(arg, (int)i);
}

TWEED_TASK(int, leaf_of_piece, struct piece *, p, int, k)
{
    run_child(p, k);
    return k + 1;
}

TWEED_TASK(int, root_of_piece, struct piece *, p)
{
    int sum = 0;

    for (int k = 0; k < p->n; k++)
        TWEED_SPAWN(leaf_of_piece, p, k);
    for (int k = 0; k < p->n; k++)
        sum += TWEED_SYNC(leaf_of_piece);
    return sum;
}

struct part_of_piece {
    struct piece *p;
    int k;
};

static int task_of_piece(void *arg)
{
    const struct part_of_piece *part = arg;

    run_child(part->p, part->k);
    return 0;
}

static int piece_is_over(void *arg)
{
    const struct piece *p = arg;

    return p->all_over == p->n;
}

/* As tasks of a group, or as submitted ones. */
static int run_as_tasks(struct piece *p, bool in_group)
{
    struct part_of_piece part[CHILDREN];
    tweed_group g = { .pool = p->pool };
    int code = TWEED_OK;

    p->group = in_group ? &g : NULL;
    p->ends_at = in_group ? p->ends_at : -1;
    for (int k = 0; k < p->n; k++) {
        part[k] = (struct part_of_piece){ p, k };
        code |= in_group ? tweed_group_spawn(&g, task_of_piece, &part[k])
                         : tweed_pool_submit(p->pool, task_of_piece, &part[k]);
    }
    if (code != TWEED_OK)
        chance_failed("a task of a piece gives %d", code);
    return in_group ? tweed_group_sync(&g) : tweed_pool_run_until(p->pool, piece_is_over, p);
}

static int run_as(int how, struct piece *p)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };

    if (how < 2)
        return tweed_parallel_for_with(p->pool, &o, 0, p->n, body_of_piece, p);
    if (how < 4) {
        p->ends_at = -1;
        return TWEED_RUN_ON(p->pool, root_of_piece, p) - p->n * (p->n + 1) / 2;
    }
    return run_as_tasks(p, how < 6);
}

/* At the bottom are tasks of TWEED_TASK(). */
static void run_piece(tweed_pool *pool, int depth)
{
    struct piece *p = &pieces[pieces_used];
    int how = depth ? between(0, 6) : 3, code;

    if (pieces_used == MOST_PIECES)
        return;
    pieces_used++;
    *p = (struct piece){ .pool = pool, .depth = depth, .n = between(1, CHILDREN) };
    p->ends_at = chance_below(6) ? -1 : (int)chance_below((unsigned)p->n);
    code = run_as(how, p);
    if (code != TWEED_OK && (p->ends_at < 0 || code != TWEED_ESTOPPED))
        chance_failed("a piece of kind %d gives %d", how, code);
    for (int k = 0; k < p->n; k++)
        if (p->begun[k] != p->over[k] || p->over[k] > 1 ||
            (p->over[k] == 0 && p->ends_at < 0))
            chance_failed("child %d of %d of a piece of kind %d: begun %d times, over %d", k,
                          p->n, how, p->begun[k], p->over[k]);
}

static void *run_pieces(void *pool)
{
    for (int k = 0; k < 2; k++)
        run_piece(pool, 2);
    return NULL;
}

static void run_mixed(tweed_pool *pool)
{
    struct thread *other[2] = { NULL, NULL };

    for (int k = 0; k < 2; k++)
        other[k] = chance_below(2) ? machine_spawn(run_pieces, pool) : NULL;
    run_pieces(pool);
    for (int k = 0; k < 2; k++)
        if (other[k])
            machine_join(other[k]);
}

/* Whoever waits for tasks goes on when they say that they are over, before they are. */
static void drain_and_end_pool(tweed_pool *pool)
{
    if (tweed_pool_drain(pool) != TWEED_OK)
        chance_failed("a pool is not drained");
    end_pool(pool);
}

static void mixed(void)
{
    tweed_pool *pool = some_pool(2, 4);

    run_mixed(pool);
    drain_and_end_pool(pool);
}

bool __real_tweed__arena_begin(struct tweed__arena *r);
bool __wrap_tweed__arena_begin(struct tweed__arena *r);
static bool begins_late;

/* Whoever comes to help with tasks may stop before it has a deque. */
bool __wrap_tweed__arena_begin(struct tweed__arena *r)
{
    if (begins_late && chance_below(2))
        chance_be_late(1u << chance_below(12));
    return __real_tweed__arena_begin(r);
}

TWEED_TASK(int, short_leaf, tweed_pool *, pool)
{
    check_deque(pool);
    return 1;
}

TWEED_TASK(int, long_tree, tweed_pool *, pool)
{
    int sum = 0;

    TWEED_SPAWN(short_leaf, pool);
    for (int k = 0; k < 4 && tweed_task_deque_(pool); k++) { /* in a slot */
        chance_be_late(1u << chance_below(8));
        check_deque(pool);
    }
    sum = TWEED_SYNC(short_leaf);
    check_deque(pool);
    return sum;
}

static void run_one_tree(tweed_pool *pool)
{
    if (TWEED_RUN_ON(pool, long_tree, pool) != 1)
        chance_failed("a tree gives something else");
}

static void *some_trees(void *pool)
{
    for (int k = 0; k < 40; k++)
        run_one_tree(pool);
    return NULL;
}

/* Now and then the slot is free, and the other caller gets it. */
static void trees_in_loop(int64_t i, void *pool)
{
    for (int k = 0; k < 4 && i > 0; k++) {
        run_one_tree(pool);
        chance_be_late(1u << chance_below(11));
    }
}

/* One outside caller waits for a loop, and may help the trees inside; another one has trees
   of its own. */
static void run_trees(tweed_pool *pool)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };
    struct thread *other = machine_spawn(some_trees, pool);

    if (tweed_parallel_for_with(pool, &o, 0, 2, trees_in_loop, pool) != TWEED_OK)
        chance_failed("no loop of trees");
    machine_join(other);
}

/* Where other callers, who do nothing else, have all slots but a few. */
static void taken(void)
{
    tweed_pool *pool = some_pool(2, 3);
    struct tweed__team *team = tweed__pool_team(pool);
    bool of_trees = chance_below(2);
    int from = of_trees ? 2 : between(1, 4);

    for (int k = from; k < TWEED__SLOTS; k++)
        team->slots[k].taken = 1;
    begins_late = of_trees;
    if (of_trees)
        run_trees(pool);
    else
        run_mixed(pool);
    for (int k = from; k < TWEED__SLOTS; k++)
        team->slots[k].taken = 0;
    drain_and_end_pool(pool);
}

/* ---- whoever waits helps, and again ---- */

static struct {
    tweed_pool *pool;
    int met, begun, synced, job;
    tweed_group *group;
} now;

/* Two and two begin at the same time. */
static int meet_in_pairs(void *unused)
{
    int me = now.met + 1;

    (void)unused;
    arrive(&now.met);
    until(&now.met, me + me % 2);
    return 0;
}

#define PAIRS 3

static void pairs_in_group(void)
{
    tweed_group g = { .pool = now.pool };

    for (int k = 0; k < 2 * PAIRS; k++)
        if (tweed_group_spawn(&g, meet_in_pairs, NULL) != TWEED_OK)
            chance_failed("no task");
    if (tweed_group_sync(&g) != TWEED_OK)
        chance_failed("no sync");
}

TWEED_TASK(void, begun_task)
{
    arrive(&now.begun);
}

/* Each is begun by another thread before the next is spawned. */
TWEED_TASK(void, one_by_one)
{
    for (int k = 1; k <= PAIRS; k++) {
        TWEED_SPAWN(begun_task);
        until(&now.begun, k);
        TWEED_SYNC(begun_task);
    }
}

static void pairs_in_loop(int64_t i, void *unused)
{
    (void)i, (void)unused;
    (void)meet_in_pairs(NULL);
}

/* What one thread starts, and another one has to help with. */
static void start_inner(void)
{
    int how = between(0, 2);
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };

    if (how == 0)
        pairs_in_group();
    else if (how == 1)
        TWEED_RUN_ON(now.pool, one_by_one);
    else if (tweed_parallel_for_with(now.pool, &o, 0, 2, pairs_in_loop, NULL) != TWEED_OK)
        chance_failed("no loop");
}

static void one_starts(int64_t i, void *unused)
{
    (void)unused;
    if (i == 0)
        start_inner();
}

static int task_starts(void *unused)
{
    (void)unused;
    arrive(&now.job);
    start_inner();
    return 0;
}

/* Of two workers one starts something, and the other one waits for that: so it helps. */
static void helps(void)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };
    tweed_group g = TWEED_GROUP_INIT;

    memset(&now, 0, sizeof now);
    now.pool = g.pool = pool_of(2, -1);
    if (chance_below(2)) {
        if (tweed_parallel_for_with(now.pool, &o, 0, 2, one_starts, NULL) != TWEED_OK)
            chance_failed("no loop");
    } else if (tweed_group_spawn(&g, task_starts, NULL) != TWEED_OK || tweed_group_sync(&g) != TWEED_OK) {
        chance_failed("no group");
    }
    end_pool(now.pool);
}

static int inner_task(void *unused)
{
    (void)unused;
    arrive(&now.begun);
    return 0;
}

/* Somebody else executes its task, and says so before it is about something else. */
static int syncs_inner(void *unused)
{
    tweed_group f = { .pool = now.pool };

    (void)unused;
    arrive(&now.job);
    if (tweed_group_spawn(&f, inner_task, NULL) != TWEED_OK)
        chance_failed("no inner task");
    until(&now.begun, 1);
    if (tweed_group_sync(&f) != TWEED_OK)
        chance_failed("no inner sync");
    arrive(&now.synced);
    return 0;
}

static void waits_for_inner(int64_t i, void *unused)
{
    (void)i, (void)unused;
    until(&now.synced, 1);
}

static int loop_beside(void *unused)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1 };

    (void)unused;
    until(&now.begun, 1);
    if (tweed_parallel_for_with(now.pool, &o, 0, 2, waits_for_inner, NULL) != TWEED_OK)
        chance_failed("no loop");
    return 0;
}

/* A group in a task, and a loop beside it, of which the outer group's waiter has a part. */
static void owed(void)
{
    tweed_group g = TWEED_GROUP_INIT;

    memset(&now, 0, sizeof now);
    now.pool = g.pool = pool_of(3, -1);
    if (tweed_group_spawn(&g, syncs_inner, NULL) != TWEED_OK)
        chance_failed("no task");
    until(&now.job, 1);
    if (tweed_group_spawn(&g, loop_beside, NULL) != TWEED_OK || tweed_group_sync(&g) != TWEED_OK)
        chance_failed("no group");
    end_pool(now.pool);
}

static void waits_for_job(int64_t i, void *unused)
{
    (void)i, (void)unused;
    until(&now.begun, 1);
}

/* Who was woken for a job, and finds a loop, leaves the job to somebody else. */
static void passed(void)
{
    tweed_loop_options o = { .size = sizeof o, .grain = 1, .max_workers = 2 };

    memset(&now, 0, sizeof now);
    now.pool = pool_of(3, -1);
    chance_be_late(1u << chance_below(10)); /* the workers are asleep by then */
    if (tweed_pool_submit(now.pool, inner_task, NULL) != TWEED_OK ||
        tweed_parallel_for_with(now.pool, &o, 0, 2, waits_for_job, NULL) != TWEED_OK)
        chance_failed("no task, or no loop");
    drain_and_end_pool(now.pool);
}

static const struct scenario {
    const char *name;
    void (*run)(void);
} scenarios[] = {
    { "single", single }, { "again", again },     { "nested", nested },
    { "callers", callers }, { "wake", wake },     { "hints", hints },
    { "crowded", by_nodes }, { "windows", windows }, { "runs", runs },
    { "destroy", destroy }, { "groups", groups },   { "submit", submit },
    { "mixed", mixed },     { "taken", taken },   { "helps", helps },
    { "owed", owed },       { "passed", passed },
};
#define SCENARIOS (int)(sizeof scenarios / sizeof scenarios[0])

/* ---- running them ---- */

static void *run_scenario(void *arg)
{
    const struct scenario *s = arg;

    s->run();
    return NULL;
}

static struct chance_schedule run_one(const struct scenario *s, uint64_t seed,
                                      bool trace)
{
    union {
        const struct scenario *s;
        void *arg;
    } u = { s };

    begins_late = false;
    loops_used = tasks_used = tasks_over = accepted = pieces_used = 0;
    store_relaxed(&tweed__fence_ns, 0); /* whatever came before */
    chance_scenario = s->name;
    return chance_run(seed, trace, run_scenario, u.arg);
}

#define USUAL 2000

static uint64_t first_seed = 1;
static int schedules;

static int run_many(void *arg)
{
    const struct scenario *s = arg;
    struct timespec from, to;
    uint64_t steps = 0, longest = 0;
    double seconds;

    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int k = 0; k < schedules; k++) {
        struct chance_schedule x = run_one(s, first_seed + (unsigned)k, false);

        steps += x.steps;
        longest = x.steps > longest ? x.steps : longest;
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    seconds = (double)(to.tv_sec - from.tv_sec) +
              1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    diag("%-8s %d schedules, %.0f a second; steps: mean %.0f, most %" PRIu64,
         s->name, schedules, schedules / seconds, (double)steps / schedules,
         longest);
    fflush(stdout);
    return 0;
}

/* The same seed gives the same steps, whatever came before. */
static int repeat(void *arg)
{
    uint64_t hash[50];

    (void)arg;
    for (int round = 0; round < 2; round++)
        for (int k = 0; k < 50; k++) {
            struct chance_schedule x = run_one(&scenarios[k % SCENARIOS],
                                               first_seed + (unsigned)k, false);

            if (round == 0)
                hash[k] = x.hash;
            else if (hash[k] != x.hash)
                return 1;
            if (k >= SCENARIOS && x.hash == hash[k - SCENARIOS])
                return 2; /* another seed, the same steps? */
        }
    return 0;
}

/* A machine that is broken is noticed: then so would the library be. */
static int run_without_fence(void *arg)
{
    schedules = USUAL;
    machine_faults.no_fence = true;
    return run_many(arg);
}

static int run_without_wakes(void *arg)
{
    schedules = USUAL;
    machine_faults.no_wake = true;
    return run_many(arg);
}

static void *named(const char *name)
{
    for (int k = 0; k < SCENARIOS; k++)
        if (strcmp(scenarios[k].name, name) == 0)
            return (void *)(uintptr_t)&scenarios[k];
    return NULL;
}

/* A seed, all of it, and nothing that strtoull() would bend to one. */
static bool read_seed(const char *text, uint64_t *seed)
{
    char *end;

    errno = 0;
    *seed = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

static int replay(const char *seed, const char *name)
{
    const struct scenario *s = named(name);
    uint64_t number;

    if (!read_seed(seed, &number) || !s) {
        fprintf(stderr, "usage: schedules.t [SEED SCENARIO]; scenarios:");
        for (int k = 0; k < SCENARIOS; k++)
            fprintf(stderr, " %s", scenarios[k].name);
        fprintf(stderr, "\n");
        return 2;
    }
    printf("%" PRIu64 " steps\n", run_one(s, number, true).steps);
    return 0;
}

int main(int argc, char **argv)
{
    const char *seed = getenv("TWEED_TEST_SEED");

    /* what a process does once, at its first failure, is in no schedule */
    (void)tweed_group_sync(NULL);
    if (argc > 1)
        return replay(argv[1], argc == 3 ? argv[2] : "");
    if (seed && !read_seed(seed, &first_seed)) {
        fprintf(stderr, "TWEED_TEST_SEED=%s: not a seed\n", seed);
        return 2;
    }
    plan(SCENARIOS + 3);
    schedules = rounds(USUAL);
    for (int k = 0; k < SCENARIOS; k++)
        ok(child_exited(child_run(run_many, named(scenarios[k].name)), 0),
           "%s: %d schedules from seed %" PRIu64, scenarios[k].name, schedules,
           first_seed);
    ok(child_exited(child_run(repeat, NULL), 0),
       "the same seed gives the same schedule");
    ok(child_exited(child_run(run_without_fence, named("single")), 1),
       "a heavy fence that does nothing is noticed");
    ok(child_exited(child_run(run_without_wakes, named("wake")), 1),
       "wakes that get lost are noticed");
    return done_testing();
}
