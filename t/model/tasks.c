/*
 * tasks.c - tasks in a slot: opening it, coming and going, asleep or not.
 *
 * SPDX-License-Identifier: MIT
 *
 *   apart=0      1: each worker has a bit of its own in `visited`
 *   outside=0    1: the first run is worker 1's, in a loop whose caller, from outside,
 *                helps with it, on seat 0, and with no other.  The runs after it are of
 *                another caller, from outside, too.  With two workers and looks
 *
 * The program, and what must hold: tree.h.  This is fork.c and join.c with the slot as it
 * is, by lib/loop/slot.c, publish.c and work.c, and what these have in them.  There is one
 * slot: if a worker is in it still when another run begins, the caller is alone.  So with
 * runs there is no waiting: looks.
 */
#include "model.h"

#include <string.h>

#define ASK_NS 1 /* see vm.c on time */
#include "../../lib/range/glance.c"
#include "../../lib/range/range.c"
#define REMEMBERED 1
#include "../../lib/range/costs.c"
#include "../../lib/loop/loop.h"
#include "../../lib/range/pace.c"
#include "../../lib/range/cursor.c"
#include "../../lib/pool/team.h"
#include "selves.h"
#include "../../lib/pool/sleep.c"
#include "../../lib/base/random.h"
#define random_below(seed, n) ((void)(seed), (void)(n), UINT32_C(0))
#include "../../lib/loop/victim.c"
#undef TWEED__SLOTS
#define TWEED__SLOTS 1
static int visitors_a_bit;
static bool from_outside;
#define VISITORS visitors_a_bit
/* Nobody is bound to a CPU here. */
void tweed__affinity_caller(struct tweed__team *team, bool among_others)
{
    (void)team, (void)among_others;
}
#include "../../lib/loop/cancel.c"
#include "no-jobs.h"
#include "no-text.h"
#include "../../lib/pool/part.c"
#include "../../lib/loop/slot.c"
#include "../../lib/loop/publish.c"
#include "../../lib/loop/work.c"
/* deque.c has names of its own that stand above, too. */
#define pack pack_place
#define tid_of tid_of_word
#define propose propose_record
#define limit_of limit_of_word
#include "../../lib/range/deque.c"
#include "../../lib/base/tsan.h"
static void stolen_from(const volatile void *object);
#undef tweed__tsan_acquire
#define tweed__tsan_acquire(object) stolen_from(object)
#include "../../lib/range/fence.c"
/* No thread waits for another one's fence: fences.c has that. */
#define team_has_cpus(team) ((void)(team), false)
#define tweed__glance_fence_patience() 0
#include "../../lib/task/fork.c"
#include "../../lib/task/join.c"
#include "../../lib/loop/counts.c"
#include "../../lib/pool/wait.c"
#include "../../lib/task/within.c"
#include "../../lib/pool/thread.c"

#include "tree.h"

static struct tweed__deque apart; /* of a caller that is alone */
static struct tweed__arena memory_apart;

/* As run(), in_slot() and alone() in lib/task/task.c. */
static void run_in(struct tweed__part *p, struct tweed__deque *d, struct tweed__arena *memory)
{
    (void)tweed__fork_begin(p, d, memory);
    run_root(d);
    tweed__fork_end(d);
}

static void in_slot(struct tweed__part *p)
{
    run_in(p, &p->worker->seats[p->slot].deque, tweed__fork_memory(p));
}

static void alone(struct tweed__part *p, int k)
{
    p->walker.walk = TWEED__ALONE;
    p->walker.owner.tally = &p->worker->tally;
    tweed__self.here = p;
    run_in(p, &apart, &memory_apart);
    tweed__self.here = p->outer;
    tweed__slot_release(&team.slots[k]);
}

/* Is the run that is live, and pinned, inside of the helper's loop? */
static bool is_inside_loop(const void *unused)
{
    (void)unused;
    return team.slots[0].body.arg != NULL;
}

static void help_from_outside(void *arg)
{
    (void)arg;
    for (int n = 0; n < looks && !model_knows(mark_of(now.over)); n++)
        (void)tweed__work_help_if(&worker[0], 0, -1, is_inside_loop, NULL);
    mark_one_more(now.left);
    model_await(is_over, NULL);
}

/* As tweed_task_start_() there. */
static void start(void *arg)
{
    struct tweed__body body = { .kind = &tweed__fork_kind, .count = 1, .grain = 1,
                                .blocks = 1, .manner = TWEED__TASKS };
    struct tweed__part part;

    (void)arg;
    model_assert(runs == 1 || looks);
    tweed__cursor_prepare(&body);
    for (int n = 0; n < runs; n++) {
        int k = tweed__slot_acquire(&team, 0);

        begin_program();
        body.arg = from_outside && n == 0 ? &team : NULL;
        tweed__part_init(&part, &worker[from_outside && n == 0], &body);
        if (!tweed__work_open(&part, k, in_slot))
            alone(&part, k);
    }
    end_program();
}

static void verify(void)
{
    verify_program();
    model_assert(load_relaxed(&team.active) == 0);
    for (int i = 0; i < workers_asked; i++)
        model_assert(load_relaxed(&worker[i].seats[0].range.inside) == 0);
}

static void name_slot(struct tweed__slot *slot)
{
    static const char *const names[WORKERS] = { "inside 0", "inside 1", "inside 2" };

    for (int i = 0; i < workers_asked; i++) {
        _Atomic uint32_t *inside = &worker[i].seats[0].range.inside;

        model_place(inside, sizeof *inside, names[i]);
    }
    model_place(&slot->visited, sizeof slot->visited, "visited");
    model_place(&slot->remaining, sizeof slot->remaining, "remaining");
    model_own(&slot->taken, sizeof slot->taken);
    model_figure(&slot->readers);
    model_figure(&slot->wakes_owed);
    model_figure(&slot->publisher);
    model_figure(&slot->parent);
    model_figure(&slot->cancelled);
    model_figure(&slot->of_group);
    model_figure(&slot->uses);
    model_memory(&slot->body, sizeof slot->body);
    model_memory(&slot->window, sizeof slot->window);
}

void model_setup(void)
{
    visitors_a_bit = MODEL_NUMBER(apart, 0) ? 1 : 16;
    from_outside = MODEL_NUMBER(outside, 0);
    set_up_program();
    name_slot(&team.slots[0]);
    name_records(WORKERS, &memory_apart);
    model_place(&apart.top, sizeof apart.top, "top apart");
    model_place(&apart.ceiling, sizeof apart.ceiling, "ceiling apart");
    model_place(&apart.word, sizeof apart.word, "word apart");
    model_memory(&apart.records, (size_t)((char *)(&apart.thefts + 1) - (char *)&apart.records));
    model_figure(&apart.copied);
    model_figure(&apart.join);
    model_figure(&apart.first);
    model_place(&team.active, sizeof team.active, "active");
    model_figure(&team.fixed);
    model_figure(&team.has_jobs);
    model_figure(&tweed__fence_ns);
    model_figure(&tweed__fork_kind.cost);
    model_thread(start, NULL, false);
    for (int i = 1; i < workers_asked; i++)
        model_thread(from_outside ? help_from_outside : help_out, &worker[i], false);
    model_verify(verify);
}
