/*
 * cost.c - who runs next is the one whose clock is behind; what things cost.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Time is counted in ps: sums of whole numbers do not depend on their order. */
typedef uint64_t ps;

#define MOST (TWEED__MAX_WORKERS + 16)
#define LINE_BYTES 64
#define NOBODY (-1)

struct costs costs = {
#define COST_STANDARD(name, standard, meaning) .name = standard,
    COSTS(COST_STANDARD)
#undef COST_STANDARD
};
struct cost_seen cost_seen;

static struct runner {
    ps clock;
    ps stored;     /* when its last store has reached its line */
    ps prefetched; /* when it can begin to fetch one line more */
    uint64_t interrupts; /* of those, how many it has paid for */
} runners[MOST];

static bool stopped;
static uint64_t interrupts;
static ps fence_free; /* when the next heavy fence can begin */
static int awake, gone;

static ps in_ps(double ns)
{
    return (ps)(ns * 1000 + 0.5);
}

static struct runner *me(void)
{
    return &runners[machine_me->number];
}

static ps later(ps a, ps b)
{
    return a > b ? a : b;
}

static bool is_alone(void)
{
    return !machine_me || stopped || machine_count() == 1; /* or at exit */
}

/* ---- where time goes ---- */

#define MOST_SITES 512

static const struct vm_site calls[] = {
    [FENCE] = { "heavy fence", 0 }, [PAUSE] = { "pause", 0 },
    [CLOCK] = { "clock", 0 },       [WAIT] = { "futex wait", 0 },
    [WAKE] = { "futex wake", 0 },   [LOCK] = { "lock", 0 },
    [UNLOCK] = { "unlock", 0 },
};

static struct place {
    const struct vm_site *site;
    uint64_t times;
    ps spent;
} places[MOST_SITES];

static void spent(const struct vm_site *site, ps since)
{
    size_t at = (uintptr_t)site / sizeof *site % MOST_SITES;

    for (size_t n = 0; n < MOST_SITES && places[at].site; n++) {
        if (places[at].site == site)
            break;
        at = (at + 1) % MOST_SITES;
    }
    places[at].site = site;
    places[at].times++;
    places[at].spent += me()->clock - since;
}

void cost_sites_forget(void)
{
    memset(places, 0, sizeof places);
}

static int dearest_first(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return (x->spent < y->spent) - (x->spent > y->spent);
}

void cost_sites_print(int most, double all_ns)
{
    qsort(places, MOST_SITES, sizeof places[0], dearest_first);
    for (int k = 0; k < most && places[k].times; k++) {
        const char *file = strrchr(places[k].site->file, '/');
        double ns = (double)places[k].spent / 1000;

        printf("        %6.2f%%  %s:%d  %llu times, mean %.1f ns\n",
               100 * ns / all_ns, file ? file + 1 : places[k].site->file,
               places[k].site->line, (unsigned long long)places[k].times,
               ns / (double)places[k].times);
    }
}

/* ---- who runs: a heap of those who are ready and do not run ---- */

static int heap[MOST], heaped;

static bool is_before(int a, int b)
{
    return runners[a].clock != runners[b].clock
               ? runners[a].clock < runners[b].clock
               : a < b;
}

static void sink(int at)
{
    for (;;) {
        int least = at, number = heap[at];

        for (int k = 2 * at + 1; k <= 2 * at + 2 && k < heaped; k++)
            if (is_before(heap[k], heap[least]))
                least = k;
        if (least == at)
            return;
        heap[at] = heap[least];
        heap[least] = number;
        at = least;
    }
}

static void push(int number)
{
    int at = heaped++;

    for (; at > 0 && is_before(number, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = number;
}

struct thread *policy_next(void)
{
    int number, now = machine_me ? machine_me->number : NOBODY;

    if (now != NOBODY && machine_me->state == READY) {
        if (heaped == 0 || is_before(now, heap[0]))
            return machine_me;
        number = heap[0];
        heap[0] = now;
        sink(0);
        return machine_thread(number);
    }
    if (now != NOBODY)
        awake--;
    if (now != NOBODY && machine_me->state == GONE)
        gone++;
    if (heaped == 0 && gone < machine_count())
        policy_failed("somebody can run", __FILE__, __LINE__);
    if (heaped == 0)
        return NULL;
    number = heap[0];
    heap[0] = heap[--heaped];
    sink(0);
    return machine_thread(number);
}

void policy_made(struct thread *t)
{
    runners[t->number] = (struct runner){ .interrupts = interrupts };
    if (machine_me)
        runners[t->number].clock = me()->clock;
    awake++;
    push(t->number);
}

void policy_woken(struct thread *t, struct thread *by)
{
    struct runner *r = &runners[t->number];

    cost_seen.woken++;
    me()->clock += in_ps(costs.rouse);
    r->clock = later(r->clock,
                     runners[by->number].clock + in_ps(costs.latency));
    r->interrupts = interrupts;
    awake++;
    push(t->number);
}

/* ---- lines ---- */

struct line {
    uintptr_t key;     /* address / LINE_BYTES; 0: free */
    int owner;         /* who wrote it last, or had it first */
    bool shared;       /* others have copies, too: see copies */
    uint64_t *copies;  /* a bit for each thread */
    ps busy;           /* until then it is on its way to the owner */
    ps arrives;        /* when the owner, who has prefetched it, has it */
};

static struct line *lines;
static size_t lines_used, lines_size;

static struct line *find(struct line *table, size_t size, uintptr_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (size - 1);

    while (table[at].key && table[at].key != key)
        at = (at + 1) & (size - 1);
    return &table[at];
}

static void *zeroed(size_t n, size_t bytes)
{
    void *p = calloc(n, bytes);

    if (!p)
        policy_failed("enough memory", __FILE__, __LINE__);
    return p;
}

static void grow(void)
{
    size_t size = lines_size ? 2 * lines_size : 1024;
    struct line *table = zeroed(size, sizeof *table);

    for (size_t i = 0; i < lines_size; i++)
        if (lines[i].key)
            *find(table, size, lines[i].key) = lines[i];
    free(lines);
    lines = table;
    lines_size = size;
}

static struct line *line_of(const volatile void *object)
{
    uintptr_t key = (uintptr_t)object / LINE_BYTES;
    struct line *l;

    if (2 * lines_used >= lines_size)
        grow();
    l = find(lines, lines_size, key);
    if (!l->key) {
        l->key = key;
        l->owner = NOBODY;
        lines_used++;
    }
    return l;
}

static bool has_copy(const struct line *l, int number)
{
    return l->shared ? l->copies[number / 64] >> number % 64 & 1
                     : l->owner == number;
}

static void add_copy(struct line *l, int number)
{
    size_t words = MOST / 64 + 1;

    if (l->owner == NOBODY) {
        l->owner = number;
        return;
    }
    if (!l->copies)
        l->copies = zeroed(words, sizeof *l->copies);
    if (!l->shared) {
        memset(l->copies, 0, words * sizeof *l->copies);
        l->copies[l->owner / 64] |= UINT64_C(1) << l->owner % 64;
        l->shared = true;
    }
    l->copies[number / 64] |= UINT64_C(1) << number % 64;
}

/* How long it takes to have the line, from whoever has it; from memory, or to
   take the others' copies away, as from the own node. */
static ps transfer(const struct line *l, int number)
{
    int from = l->owner == NOBODY ? number : l->owner;

    return in_ps(machine_node(from) == machine_node(number) ? costs.near
                                                            : costs.far);
}

static void touch(const volatile void *object, const struct vm_site *site)
{
    int number = machine_me->number;
    struct line *l = line_of(object);
    struct runner *r = me();
    ps start = r->clock;

    if (has_copy(l, number)) {
        if (l->owner == number)
            r->clock = later(r->clock, l->arrives);
        r->clock += in_ps(costs.load);
    } else {
        r->clock = later(r->clock, l->busy) + transfer(l, number);
        add_copy(l, number);
    }
    spent(site, start);
}

/* From now on the line is this thread's alone; when it has arrived. */
static ps seize(struct line *l, ps from)
{
    int number = machine_me->number;
    bool has = l->owner == number && !l->shared;

    l->busy = later(from, l->busy) + (has ? 0 : transfer(l, number));
    l->owner = number;
    l->shared = false;
    return l->busy;
}

static void write(const volatile void *object, const struct vm_site *site)
{
    struct runner *r = me();
    ps start = r->clock;

    r->stored = later(r->stored, seize(line_of(object), r->clock));
    r->clock += in_ps(costs.store);
    spent(site, start);
}

static void change(const volatile void *object, const struct vm_site *site)
{
    struct line *l = line_of(object);
    struct runner *r = me();
    ps start = r->clock;

    if (l->owner == machine_me->number)
        r->clock = later(r->clock, l->arrives);
    l->busy = seize(l, later(r->clock, r->stored)) + in_ps(costs.rmw);
    r->clock = l->busy;
    spent(site, start);
}

/* Of a line that will be read nothing is gained: the read takes as long as without. */
void policy_prefetch(const volatile void *object, int writes)
{
    struct line *l = line_of(object);
    struct runner *r = me();
    ps start = later(r->clock, r->prefetched);

    r->clock += in_ps(costs.load);
    if (!writes || is_alone() || (l->owner == machine_me->number && !l->shared))
        return;
    r->prefetched = start + (ps)((double)transfer(l, machine_me->number) /
                                 costs.fetches);
    r->clock = later(r->clock, start); /* as many are on their way as can be */
    l->arrives = seize(l, start);
}

/* ---- the system ---- */

static void fence(void)
{
    struct runner *r = me();
    double ns = costs.barrier;

    cost_seen.fences++;
    if (awake > 1)
        ns += costs.interrupt + costs.interrupt_each * (awake - 1);
    if (costs.queue > 0)
        r->clock = later(r->clock, fence_free);
    r->clock += in_ps(ns);
    fence_free = r->clock;
    interrupts++;
    r->interrupts++;
}

static void take_turn(void)
{
    struct runner *r = me();

    machine_switch();
    while (r->interrupts != interrupts) {
        r->clock += (interrupts - r->interrupts) * in_ps(costs.interrupted);
        r->interrupts = interrupts;
        machine_switch();
    }
}

void policy_turn(enum kind kind, const struct vm_site *site,
                 const volatile void *word)
{
    ps start;

    (void)site;
    cost_seen.clocks += kind == CLOCK && !stopped;
    if (is_alone()) { /* who waits for a time to pass comes to its end */
        if (machine_me && !stopped && (kind == PAUSE || kind == CLOCK))
            me()->clock += in_ps(kind == PAUSE ? costs.pause : costs.clock);
        return;
    }
    take_turn();
    start = me()->clock;
    cost_seen.wakes += kind == WAKE;
    if (kind == FENCE)
        fence();
    else if (kind == LOCK || kind == UNLOCK)
        change(word, &calls[kind]);
    else
        me()->clock += in_ps(kind == PAUSE   ? costs.pause
                             : kind == CLOCK ? costs.clock
                             : kind == WAIT  ? costs.wait
                             : kind == WAKE  ? costs.wake
                                             : 0);
    if (kind == FENCE || kind == PAUSE || kind == CLOCK || kind == WAIT ||
        kind == WAKE)
        spent(&calls[kind], start);
}

uint64_t policy_clock(void)
{
    return me()->clock / 1000;
}

void policy_failed(const char *what, const char *file, int line)
{
    fprintf(stderr, "simulate: %s:%d: violated: %s\n", file, line, what);
    exit(1);
}

/* ---- t/model/redirect.h ---- */

uint64_t vm_load(const volatile void *object, unsigned size,
                 enum vm_order order, const struct vm_site *site)
{
    uint64_t value;

    (void)order;
    if (is_alone())
        return machine_get(object, size);
    take_turn();
    value = machine_get(object, size);
    touch(object, site);
    return value;
}

void vm_store(volatile void *object, unsigned size, uint64_t value,
              enum vm_order order, const struct vm_site *site)
{
    (void)order;
    if (!is_alone()) {
        take_turn();
        write(object, site);
    }
    machine_put(object, size, value);
}

uint64_t vm_rmw(volatile void *object, unsigned size, enum vm_rmw kind,
                uint64_t operand, enum vm_order order,
                const struct vm_site *site)
{
    uint64_t old;

    (void)order;
    if (!is_alone()) {
        take_turn();
        change(object, site);
    }
    old = machine_get(object, size);
    machine_put(object, size, machine_change(kind, old, operand));
    return old;
}

bool vm_cas(volatile void *object, unsigned size, uint64_t *expected,
            uint64_t value, enum vm_order success, enum vm_order failure,
            const struct vm_site *site)
{
    uint64_t wanted = machine_cut(*expected, size);

    (void)success;
    (void)failure;
    if (!is_alone()) {
        take_turn();
        change(object, site);
    }
    *expected = machine_get(object, size);
    if (*expected == wanted)
        machine_put(object, size, value);
    return *expected == wanted;
}

void vm_fence_light(const struct vm_site *site)
{
    (void)site;
}

/* ---- for the program ---- */

void cost_init(void)
{
    machine_lock_spins = (int)costs.lock_spins;
}

void cost_spend(double ns)
{
    me()->clock += in_ps(ns);
}

double cost_clock(void)
{
    return (double)me()->clock / 1000;
}

void cost_stop(void)
{
    stopped = true;
}

void cost_go_on(void)
{
    stopped = false;
}
