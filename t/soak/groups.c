/*
 * groups.c - tasks in groups.
 *
 * SPDX-License-Identifier: MIT
 *
 * To the soak the tasks of a run are one more kind of loop, from 0 to n.  Each task has some
 * of the indices, and is either executed once or skipped once: a task that is skipped is
 * told so, and both are written down.  Tasks run loops, trees and other groups, and fork.
 */
#include "config.h"

#include "soak.h"

#include <string.h>

#define GROUPS 3

/* What the tasks of one run have in common. */
struct crowd {
    struct loop *l;
    tweed_pool *pool;
    unsigned flags;
    uint64_t cancel_at;     /* this index cancels the group of its task; NEVER */
    tweed_task_fn *divides; /* what a task does with its part */
    tweed_group groups[GROUPS];
};

/* What one task has: it is copied with the task. */
struct part {
    struct crowd *c;
    tweed_group *group;
    uint64_t from, to;
};

static tweed_group group_of(const struct crowd *c)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = c->pool;
    g.flags = c->flags;
    return g;
}

/* ---- one task ---- */

/* The code of the last index that fails. */
static int execute(const struct part *p)
{
    struct loop *l = p->c->l;
    int code = 0;

    for (uint64_t k = p->from; k < p->to; k++) {
        loop_index(l, k);
        if (k == p->c->cancel_at) {
            atomic_store(&l->stopped, true);
            if (tweed_group_cancel(p->group) != TWEED_OK)
                fail(l, "a task cannot cancel its group");
        }
        if (loop_hits(l, k)) {
            loop_failed(l, k);
            code = loop_code(k);
        }
    }
    return code;
}

static void skip(const struct part *p)
{
    struct loop *l = p->c->l;

    add(&l->skipped_tasks, 1);
    add(&l->skipped, p->to - p->from);
    for (uint64_t k = p->from; k < p->to; k++)
        account_index(l, k);
}

static int run_part(void *closure, int how)
{
    struct part p;

    memcpy(&p, closure, sizeof p);
    if (how == TWEED_TASK_RUN_)
        return p.c->divides(&p);
    skip(&p);
    return 0;
}

static void spawn(struct crowd *c, tweed_group *g, uint64_t from, uint64_t to)
{
    struct part p = { c, g, from, to };
    int code;

    add(&c->l->spawned, 1);
    code = tweed_group_spawn_closure_(g, run_part, &p, sizeof p);
    if (code != TWEED_OK)
        fail(c->l, "no task: %s", tweed_strerror(code));
}

/* ---- shapes: what a task does, and what is done at first ---- */

static int has_indices(void *arg)
{
    return execute(arg);
}

/* All into one. */
static int flat(struct crowd *c)
{
    for (uint64_t k = 0; k < c->l->n; k++)
        spawn(c, &c->groups[0], k, k + 1);
    return tweed_group_sync(&c->groups[0]);
}

/* Into three by turns, which are joined in an order that is drawn. */
static int by_turns(struct crowd *c)
{
    int first = (int)(c->l->seed >> 8) & 1, code = 0;

    for (uint64_t k = 0; k < c->l->n; k++)
        spawn(c, &c->groups[k % GROUPS], k, k + 1);
    for (int i = 0; i < GROUPS; i++) {
        int one = tweed_group_sync(&c->groups[first ? GROUPS - 1 - i : i]);

        code = code ? code : one;
    }
    return code;
}

/* Each task has a group for its halves. */
static int halves(void *arg)
{
    struct part *p = arg;
    uint64_t middle = p->from + (p->to - p->from) / 2;
    tweed_group g = group_of(p->c);

    if (p->to - p->from <= 1)
        return execute(p);
    spawn(p->c, &g, p->from, middle);
    spawn(p->c, &g, middle, p->to);
    return tweed_group_sync(&g);
}

/* A task spawns one half after the other into its own group. */
static int sheds_halves(void *arg)
{
    struct part *p = arg;

    while (p->to - p->from > 1) {
        uint64_t middle = p->from + (p->to - p->from) / 2;

        spawn(p->c, p->group, middle, p->to);
        p->to = middle;
    }
    return execute(p);
}

static int from_one(struct crowd *c)
{
    spawn(c, &c->groups[0], 0, c->l->n);
    return tweed_group_sync(&c->groups[0]);
}

/* The tasks of one group spawn into another one, which is joined after it. */
static int passes_on(void *arg)
{
    struct part *p = arg;

    if (p->group != &p->c->groups[0])
        return execute(p);
    for (uint64_t k = p->from; k < p->to; k++)
        spawn(p->c, &p->c->groups[1], k, k + 1);
    return 0;
}

static int in_two_steps(struct crowd *c)
{
    uint64_t step = 1 + c->l->n / 8;
    int code, one;

    for (uint64_t k = 0; k < c->l->n; k += step)
        spawn(c, &c->groups[0], k, k + step < c->l->n ? k + step : c->l->n);
    code = tweed_group_sync(&c->groups[0]);
    one = tweed_group_sync(&c->groups[1]);
    return code ? code : one;
}

/* ---- the bodies of a loop, and tasks of TWEED_TASK, spawn ---- */

static void spawns_into_one(int64_t k, void *arg)
{
    struct crowd *c = arg;

    spawn(c, &c->groups[0], (uint64_t)k, (uint64_t)k + 1);
}

static int loop_over(struct crowd *c, tweed_index_fn *body, uint64_t n)
{
    int code = tweed_parallel_for_with(c->pool, NULL, 0, (int64_t)n, body, c);

    c->l->passes = 1;
    c->l->counted = n;
    return code;
}

/* Joined by the caller of the loop. */
static int in_bodies(struct crowd *c)
{
    int code = loop_over(c, spawns_into_one, c->l->n);
    int one = tweed_group_sync(&c->groups[0]);

    return code ? code : one;
}

#define BODIES 4

/* Every body joins what it has spawned; the first code goes where the crowd has it. */
static void has_group(int64_t i, void *arg)
{
    struct crowd *c = arg;
    tweed_group g = group_of(c);
    int none = 0, code;

    for (uint64_t k = (uint64_t)i; k < c->l->n; k += BODIES)
        spawn(c, &g, k, k + 1);
    code = tweed_group_sync(&g);
    if (code)
        atomic_compare_exchange_strong(&c->l->code, &none, code);
}

static int of_bodies(struct crowd *c)
{
    int code = loop_over(c, has_group, BODIES);

    return code ? code : atomic_load(&c->l->code);
}

TWEED_TASK(int, soak_branch, struct crowd *, c, uint64_t, from, uint64_t, to)
{
    uint64_t middle = from + (to - from) / 2;
    tweed_group g = group_of(c);
    int code, one, two = 0;

    if (to == from)
        return 0;
    spawn(c, &g, middle, middle + 1);
    if (to - from == 1)
        return tweed_group_sync(&g);
    add(&c->l->tasks, 1);
    TWEED_SPAWN(soak_branch, c, from, middle);
    one = TWEED_CALL(soak_branch, c, middle + 1, to);
    code = tweed_group_sync(&g);
    two = TWEED_SYNC(soak_branch);
    return code ? code : one ? one : two;
}

static int in_branches(struct crowd *c)
{
    c->l->roots = 1;
    return TWEED_RUN_ON(c->pool, soak_branch, c, 0, c->l->n);
}

/* ---- all ---- */

static const struct {
    int (*begin)(struct crowd *c);
    tweed_task_fn *divides;
} shapes[] = {
    { flat, has_indices },      { by_turns, has_indices },  { from_one, halves },
    { from_one, sheds_halves }, { in_two_steps, passes_on }, { in_bodies, has_indices },
    { of_bodies, has_indices }, { in_branches, has_indices },
};

#define SHAPES (sizeof shapes / sizeof *shapes)

static bool is_code_of_hit(const struct loop *l, int code)
{
    for (uint64_t k = 0; k < l->n; k++)
        if (loop_code(k) == code && loop_hits(l, k))
            return true;
    return false;
}

static void check(const struct crowd *c, int code)
{
    const struct loop *l = c->l;
    bool failed = l->lowest != NEVER, stopped = l->stopped;

    if (!failed && code != (stopped ? TWEED_ESTOPPED : TWEED_OK))
        fail(l, "no task has failed, %s, and the groups give %d",
             stopped ? "one has cancelled its group" : "none was cancelled", code);
    if (failed && !(stopped && code == TWEED_ESTOPPED) && !is_code_of_hit(l, code))
        fail(l, "a task has failed, and the groups give %d", code);
    if (l->skipped && !stopped && !(failed && c->flags))
        fail(l, "%" PRIu64 " tasks were skipped", l->skipped_tasks);
}

int run_groups(tweed_pool *pool, struct loop *l)
{
    struct crowd c = { .l = l, .pool = pool, .cancel_at = NEVER };
    uint64_t state = l->seed ^ UINT64_C(0x5851f42d4c957f2d);
    uint32_t shape = below(&state, SHAPES);
    int code;

    if (l->n == 0)
        return TWEED_OK;
    c.flags = below(&state, 2) ? TWEED_GROUP_SKIP : 0;
    if (below(&state, 8) == 0)
        c.cancel_at = draw(&state) % l->n;
    c.divides = shapes[shape].divides;
    for (int i = 0; i < GROUPS; i++)
        c.groups[i] = group_of(&c);
    code = shapes[shape].begin(&c);
    check(&c, code);
    return TWEED_OK;
}
