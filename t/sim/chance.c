/*
 * chance.c - who runs next is drawn; stores become visible late.
 *
 * SPDX-License-Identifier: MIT
 *
 * WHO RUNS.  Before every atomic operation and every call of the system.  A
 * schedule is, as its seed has it, one of two kinds:
 *
 *   uniform   each thread that can run is as likely as any other
 *   priority  the thread of the highest priority runs.  Priorities are drawn;
 *             at d steps, drawn as well (d = 1 to 5), whoever runs falls below
 *             all others.  A bug that needs few threads to be late at few
 *             places, and then very late, is found like this and hardly ever by
 *             the other (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A
 *             randomized scheduler with probabilistic guarantees of finding
 *             bugs", ASPLOS 2010).
 *
 * In both a body may be long, and in every other schedule a thread may stop for
 * a while anywhere: others then do a number of steps without it.
 *
 * WHAT A STORE DOES.  It waits in a queue of its thread, of which the thread's
 * own loads know, until chance lets it out, at a rate that is the schedule's.
 * A read-modify-write, a call of the system, and for all threads the heavy
 * fence, empty the queue.  A sequentially consistent load does not: on x86 it
 * is a load.  That is total store order; what weaker machines do besides is for
 * t/model.
 *
 * TIME.  Each thread has a clock of its own that its own steps move: the waits
 * that look at a clock end, and how long a thing takes does not depend on
 * others (so nothing is carried from one schedule into the next).
 *
 * A futex wait may end for no reason, in one schedule of four: in the others a
 * wake that is lost is not made good by chance.
 */
#include "config.h"

#include "chance.h"
#include "draw.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 16
#define STORES 32
#define DEPTH 5
#define MOST_STEPS 200000 /* a schedule has hundreds, up to some thousands */

struct store {
    volatile void *object;
    unsigned size;
    uint64_t value;
    const struct vm_site *site;
};

struct queue {
    struct store store[STORES];
    unsigned first, count;
};

const char *chance_scenario = "";
static struct chance_schedule now;
static uint64_t state;
static bool tracing;

static bool by_priority;
static int depth, priority[THREADS];
static uint64_t decisions, change_at[DEPTH];
static uint64_t late_until[THREADS];
static unsigned stop_rate;

static struct queue queues[THREADS];
static unsigned queued, drain_rate; /* of 65536 */
static unsigned spurious_rate;
static uint64_t clocks[THREADS];

/* ---- numbers ---- */

unsigned chance_below(unsigned n)
{
    return (unsigned)((draw(&state) >> 32) * n >> 32);
}

/* ---- words ---- */

/* Until there is a second thread nothing is worth a step. */
static bool is_alone(void)
{
    return machine_count() == 1;
}

static const char *const kinds[] = {
    "load", "store", "change", "heavy fence", "pause", "clock", "body",
    "wait", "wake", "lock", "unlock", "create", "join", "end"
};

static void say(const struct vm_site *site, const char *what, uint64_t a,
                uint64_t b)
{
    const char *file = site ? strrchr(site->file, '/') : NULL;

    if (tracing && !is_alone())
        printf("%6" PRIu64 "  thread %d  %s:%d  %s %" PRIx64 " %" PRIx64 "\n",
               now.steps, machine_me->number,
               file ? file + 1 : site ? site->file : "-",
               site ? site->line : 0, what, a, b);
}

static _Noreturn void give_up(void)
{
    printf("# repeat: TWEED_TEST_SEED=%" PRIu64 " (schedules.t %" PRIu64
           " %s), failed after %" PRIu64 " steps\n",
           now.seed, now.seed, chance_scenario, now.steps);
    fflush(stdout);
    _exit(1);
}

void chance_failed(const char *format, ...)
{
    va_list args;

    printf("# scenario %s: ", chance_scenario);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    give_up();
}

void policy_failed(const char *what, const char *file, int line)
{
    chance_failed("%s:%d: violated: %s", file, line, what);
}

/* ---- stores on their way ---- */

static void drain_one(int number)
{
    struct queue *q = &queues[number];
    struct store *s = &q->store[q->first];

    if (tracing)
        printf("%6s  thread %d's store of line %d becomes visible\n", "",
               number, s->site->line);
    machine_put(s->object, s->size, s->value);
    q->first = (q->first + 1) % STORES;
    q->count--;
    queued--;
}

static void drain(int number)
{
    while (queues[number].count)
        drain_one(number);
}

static void drain_some(void)
{
    unsigned n = 0;

    if (!queued || chance_below(65536) >= drain_rate)
        return;
    n = chance_below(queued); /* the more it holds, the likelier */
    for (int i = 0; i < machine_count(); i++) {
        if (n < queues[i].count) {
            drain_one(i);
            return;
        }
        n -= queues[i].count;
    }
}

/* ---- who runs ---- */

void policy_made(struct thread *t)
{
    if (t->number >= THREADS)
        abort();
    clocks[t->number] = late_until[t->number] = 0;
    queues[t->number].first = queues[t->number].count = 0;
    priority[t->number] = DEPTH + (int)chance_below(1 << 24);
}

void policy_woken(struct thread *t, struct thread *by)
{
    (void)t;
    (void)by;
}

uint64_t policy_clock(void)
{
    return clocks[machine_me->number];
}

static void wake_for_nothing(void)
{
    unsigned n = 0;
    struct thread *t;

    if (!spurious_rate || chance_below(65536) >= spurious_rate)
        return;
    for (t = machine_sleepers(); t; t = t->next)
        n++;
    if (n == 0)
        return;
    n = chance_below(n);
    for (t = machine_sleepers(); n > 0; n--)
        t = t->next;
    machine_wake_one(t);
}

static _Noreturn void nobody_can_run(void)
{
    for (int i = 0; i < machine_count(); i++)
        printf("# thread %d %s\n", i,
               machine_thread(i)->state == GONE ? "has ended" : "sleeps");
    chance_failed("nobody can run");
}

void chance_be_late(unsigned steps)
{
    late_until[machine_me->number] = now.steps + steps;
    policy_turn(BODY, NULL, NULL);
}

/* Who can run: those who are late if there is nobody else.  -1: all gone. */
static int find_ready(struct thread **ready)
{
    int n = 0, late = 0, gone = 0, count = machine_count();

    for (int i = 0; i < count; i++) {
        struct thread *t = machine_thread(i);

        gone += t->state == GONE;
        if (t->state == READY && late_until[i] <= now.steps)
            ready[n++] = t;
        else if (t->state == READY)
            late++;
    }
    if (n == 0 && late)
        for (int i = 0; i < count; i++)
            if (machine_thread(i)->state == READY)
                ready[n++] = machine_thread(i);
    return gone == count ? -1 : n;
}

struct thread *policy_next(void)
{
    struct thread *ready[THREADS];
    int n = find_ready(ready), best = 0;

    if (n < 0)
        return NULL;
    if (n == 0)
        nobody_can_run();
    if (n == 1)
        return ready[0];
    if (!by_priority)
        return ready[chance_below((unsigned)n)];
    decisions++;
    for (int i = 0; i < depth && machine_me; i++)
        if (decisions == change_at[i])
            priority[machine_me->number] = i;
    for (int i = 1; i < n; i++)
        if (priority[ready[i]->number] > priority[ready[best]->number])
            best = i;
    return ready[best];
}

void policy_turn(enum kind kind, const struct vm_site *site,
                 const volatile void *word)
{
    int me = machine_me->number;

    if (is_alone())
        return;
    if (++now.steps > MOST_STEPS)
        chance_failed("no end");
    if (stop_rate && chance_below(65536) < stop_rate)
        late_until[me] = now.steps + (1u << chance_below(10));
    drain_some();
    wake_for_nothing();
    machine_switch();
    clocks[me] += kind == PAUSE ? 2000 : 10;
    now.hash = (now.hash ^ (uint64_t)(me * 32 + (int)kind) ^
                (site ? (uint64_t)site->line << 16 : 0)) *
               UINT64_C(0x100000001b3);
    if (!site)
        say(site, kinds[kind], VM_BITS(word), 0);
    if (kind >= WAIT)
        drain(me);
    if (kind == FENCE && !machine_faults.no_fence)
        for (int i = 0; i < machine_count(); i++)
            drain(i);
}

/* ---- t/model/redirect.h ---- */

uint64_t vm_load(const volatile void *object, unsigned size,
                 enum vm_order order, const struct vm_site *site)
{
    const struct queue *q;
    uint64_t value;

    (void)order;
    if (!machine_me) /* at exit, when all has run */
        return machine_get(object, size);
    q = &queues[machine_me->number];
    policy_turn(LOAD, site, object);
    value = machine_get(object, size);
    for (unsigned i = 0; i < q->count; i++) { /* the newest counts */
        const struct store *s = &q->store[(q->first + i) % STORES];

        if (s->object == object)
            value = s->value;
    }
    say(site, "load", value, 0);
    return value;
}

/* On the stack of the thread that runs: nobody else's business, and gone when the
   queue is drained. */
static bool is_on_stack(const volatile void *object)
{
    const struct fiber *f = &machine_me->fiber;

    return (uintptr_t)object - (uintptr_t)f->stack < f->bytes;
}

void vm_store(volatile void *object, unsigned size, uint64_t value,
              enum vm_order order, const struct vm_site *site)
{
    struct queue *q;

    (void)order;
    if (!machine_me || is_alone() || is_on_stack(object)) {
        machine_put(object, size, value);
        return;
    }
    q = &queues[machine_me->number];
    policy_turn(STORE, site, object);
    say(site, "store", value, 0);
    if (q->count == STORES)
        drain_one(machine_me->number);
    q->store[(q->first + q->count++) % STORES] =
        (struct store){ object, size, machine_cut(value, size), site };
    queued++;
}

uint64_t vm_rmw(volatile void *object, unsigned size, enum vm_rmw kind,
                uint64_t operand, enum vm_order order,
                const struct vm_site *site)
{
    uint64_t old;

    (void)order;
    policy_turn(CHANGE, site, object);
    drain(machine_me->number);
    old = machine_get(object, size);
    machine_put(object, size, machine_change(kind, old, operand));
    say(site, "change", old, machine_get(object, size));
    return old;
}

bool vm_cas(volatile void *object, unsigned size, uint64_t *expected,
            uint64_t value, enum vm_order success, enum vm_order failure,
            const struct vm_site *site)
{
    uint64_t old;
    bool same;

    (void)success;
    (void)failure;
    policy_turn(CHANGE, site, object);
    drain(machine_me->number);
    old = machine_get(object, size);
    same = old == machine_cut(*expected, size);
    if (same)
        machine_put(object, size, value);
    *expected = old;
    say(site, same ? "cas" : "cas fails", old, value);
    return same;
}

void vm_fence_light(const struct vm_site *site)
{
    (void)site; /* keeps the compiler in order; nothing happens */
}

void policy_prefetch(const volatile void *object, int writes)
{
    (void)object; /* saves time only */
    (void)writes;
}

/* ---- a schedule ---- */

struct chance_schedule chance_run(uint64_t seed, bool trace,
                                  void *(*first)(void *), void *arg)
{
    now = (struct chance_schedule){ .seed = seed };
    state = seed;
    tracing = trace;
    queued = 0;
    decisions = 0;
    by_priority = chance_below(2);
    depth = by_priority ? 1 + (int)chance_below(DEPTH) : 0;
    for (int i = 0; i < DEPTH; i++) /* schedules differ in length */
        change_at[i] = 1 + chance_below(1u << (6 + chance_below(7)));
    stop_rate = chance_below(2) ? 0 : 65536u >> (4 + chance_below(6));
    drain_rate = 65536u >> chance_below(10);
    spurious_rate = chance_below(4) ? 0 : 65536 / 64;
    machine_run(first, arg);
    return now;
}
