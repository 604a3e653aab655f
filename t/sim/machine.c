/*
 * machine.c - virtual threads, and the system as they see it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "machine.h"
#include "system/system.h"
#include "system/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MOST_THREADS (TWEED__MAX_WORKERS + 16)
#define STACK_BYTES (256 * 1024) /* tasks execute tasks on them */

/* ---- threads ---- */

static struct thread *threads[MOST_THREADS]; /* kept, with their stacks */
static int count;
static struct thread *chosen;
struct thread *machine_me;
struct machine_faults machine_faults;
int machine_lock_spins;

int machine_count(void)
{
    return count;
}

struct thread *machine_thread(int number)
{
    return threads[number];
}

uintptr_t machine_id(void)
{
    return machine_me ? (uintptr_t)machine_me : 1; /* at exit */
}

void machine_switch(void)
{
    chosen = policy_next();
    if (chosen != machine_me)
        fiber_leave();
}

/* One life after another. */
static void live(void *arg)
{
    struct thread *t = arg;

    for (;;) {
        t->run(t->arg);
        policy_turn(END, NULL, t);
        t->state = GONE;
        machine_wake(t, 1, UINT32_MAX);
        machine_switch();
    }
}

struct thread *machine_spawn(void *(*run)(void *), void *arg)
{
    struct thread *t = threads[count];

    if (!t) {
        t = threads[count] = calloc(1, sizeof *t);
        if (!t)
            abort();
        fiber_make(&t->fiber, STACK_BYTES, live, t);
    }
    t->self = (struct tweed__self){ .here = NULL };
    t->number = count++;
    t->state = READY;
    t->run = run;
    t->arg = arg;
    policy_made(t);
    return t;
}

void machine_join(struct thread *t)
{
    policy_turn(JOIN, NULL, t);
    while (t->state != GONE)
        machine_sleep(t, UINT32_MAX);
}

void machine_run(void *(*first)(void *), void *arg)
{
    count = 0;
    machine_spawn(first, arg);
    for (chosen = policy_next(); chosen;) {
        machine_me = chosen;
        tweed__self = machine_me->self;
        fiber_enter(&machine_me->fiber);
        machine_me->self = tweed__self;
    }
    machine_me = NULL;
}

/* ---- sleeping ---- */

static struct thread *sleepers, **last = &sleepers;

struct thread *machine_sleepers(void)
{
    return sleepers;
}

void machine_sleep(const volatile void *word, uint32_t mask)
{
    machine_me->state = ASLEEP;
    machine_me->word = word;
    machine_me->mask = mask;
    machine_me->next = NULL;
    *last = machine_me;
    last = &machine_me->next;
    machine_switch();
}

static void wake_at(struct thread **at, struct thread *by)
{
    struct thread *t = *at;

    *at = t->next;
    if (!*at)
        last = at;
    t->state = READY;
    policy_woken(t, by);
}

int machine_wake(const volatile void *word, int n, uint32_t mask)
{
    struct thread **at = &sleepers;
    int woken = 0;

    while (*at && woken < n) {
        if ((*at)->word == word && ((*at)->mask & mask)) {
            wake_at(at, machine_me);
            woken++;
        } else {
            at = &(*at)->next;
        }
    }
    return woken;
}

void machine_wake_one(struct thread *sleeper)
{
    struct thread **at = &sleepers;

    while (*at != sleeper)
        at = &(*at)->next;
    wake_at(at, NULL);
}

/* ---- memory ---- */

uint64_t machine_cut(uint64_t value, unsigned size)
{
    return size < 8 ? value & ((UINT64_C(1) << 8 * size) - 1) : value;
}

uint64_t machine_get(const volatile void *object, unsigned size)
{
    switch (size) {
    case 1: return *(const volatile uint8_t *)object;
    case 2: return *(const volatile uint16_t *)object;
    case 4: return *(const volatile uint32_t *)object;
    case 8: return *(const volatile uint64_t *)object;
    default: abort();
    }
}

void machine_put(volatile void *object, unsigned size, uint64_t value)
{
    switch (size) {
    case 1: *(volatile uint8_t *)object = (uint8_t)value; break;
    case 2: *(volatile uint16_t *)object = (uint16_t)value; break;
    case 4: *(volatile uint32_t *)object = (uint32_t)value; break;
    case 8: *(volatile uint64_t *)object = value; break;
    default: abort();
    }
}

uint64_t machine_change(enum vm_rmw rmw, uint64_t old, uint64_t operand)
{
    switch (rmw) {
    case VM_EXCHANGE: return operand;
    case VM_ADD: return old + operand;
    case VM_SUB: return old - operand;
    case VM_AND: return old & operand;
    case VM_OR: return old | operand;
    default: abort();
    }
}

/* ---- lib/system/system.h and lib/base/check.h ---- */

void tweed__futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t mask)
{
    policy_turn(WAIT, NULL, word);
    if (machine_get(word, sizeof *word) == value)
        machine_sleep(word, mask);
}

void tweed__futex_wait_for(_Atomic uint32_t *word, uint32_t value, uint32_t mask,
                           uint64_t ns)
{
    (void)ns; /* nothing waits so there */
    tweed__futex_wait(word, value, mask);
}

int tweed__futex_wake(_Atomic uint32_t *word, int n, uint32_t mask)
{
    policy_turn(WAKE, NULL, word);
    return machine_faults.no_wake ? 0 : machine_wake(word, n, mask);
}

int tweed__fence_register(void)
{
    return 0;
}

bool tweed__fence_heavy(void)
{
    policy_turn(FENCE, NULL, NULL);
    return true;
}

void tweed__pause(void)
{
    policy_turn(PAUSE, NULL, NULL);
}

void tweed__yield(void)
{
    policy_turn(PAUSE, NULL, NULL);
}

uint64_t tweed__clock(void)
{
    policy_turn(CLOCK, NULL, NULL);
    return policy_clock();
}

void tweed__check_failed(const char *what, const char *file, int line)
{
    policy_failed(what, file, line);
}

void tweed__body_was_left(void)
{
    policy_failed("a body returns", __FILE__, __LINE__);
}

void tweed__handler_called(void)
{
    policy_failed("no signal handler calls tweed", __FILE__, __LINE__);
}

/* ---- what is wrapped: see sim_link_flags in Makefile.am ---- */

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr,
                          void *(*run)(void *), void *arg);
int __wrap_pthread_join(pthread_t id, void **result);
int __wrap_pthread_setname_np(pthread_t id, const char *name);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
struct tweed__topology *__wrap_tweed__topology_get(void);
int64_t __wrap_tweed__topology_capacity(const struct tweed__topology *t);
void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int file,
                  off_t offset);
int __wrap_munmap(void *at, size_t bytes);
int __real_munmap(void *at, size_t bytes);
void *__real_mmap(void *at, size_t bytes, int prot, int flags, int file,
                  off_t offset);

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attr,
                          void *(*run)(void *), void *arg)
{
    (void)attr;
    policy_turn(CREATE, NULL, NULL);
    *id = (pthread_t)(uintptr_t)machine_spawn(run, arg);
    return 0;
}

int __wrap_pthread_join(pthread_t id, void **result)
{
    (void)result;
    machine_join((struct thread *)(uintptr_t)id);
    return 0;
}

int __wrap_pthread_setname_np(pthread_t id, const char *name)
{
    (void)id;
    (void)name;
    return 0;
}

/* A mutex is the first byte of one: 0 when PTHREAD_MUTEX_INITIALIZER was put
   there.  Outside of threads (a destructor, at exit) nobody else runs. */
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    unsigned char *locked = (unsigned char *)mutex;

    if (machine_me) {
        policy_turn(LOCK, NULL, mutex);
        while (*locked) {
            for (int n = 0; *locked && n < machine_lock_spins; n++)
                policy_turn(PAUSE, NULL, mutex);
            if (*locked)
                machine_sleep(mutex, UINT32_MAX);
            policy_turn(LOCK, NULL, mutex);
        }
    }
    *locked = 1;
    return 0;
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    unsigned char *locked = (unsigned char *)mutex;

    if (machine_me)
        policy_turn(LOCK, NULL, mutex);
    if (*locked)
        return EBUSY;
    *locked = 1;
    return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (machine_me)
        policy_turn(UNLOCK, NULL, mutex);
    *(unsigned char *)mutex = 0;
    machine_wake(mutex, 1, UINT32_MAX);
    return 0;
}

/* What a team maps is kept for the next one: thousands are started a second.  Not so what
   is reserved for tasks (lib/range/arena.c), most of which cannot be written. */
struct reservation {
    struct reservation *next;
    char *from;
    size_t bytes, left; /* left: not given back */
};
static struct reservation *reservations;

static void reserve(void *from, size_t bytes)
{
    struct reservation *r = malloc(sizeof *r);

    if (!r)
        abort();
    *r = (struct reservation){ reservations, from, bytes, bytes };
    reservations = r;
}

/* False: it was not reserved. */
static bool give_back(void *from, size_t bytes)
{
    for (struct reservation **r = &reservations; *r; r = &(*r)->next)
        if ((char *)from >= (*r)->from && (char *)from < (*r)->from + (*r)->bytes) {
            struct reservation *found = *r;

            found->left -= bytes;
            if (!found->left) {
                *r = found->next;
                free(found);
            }
            return true;
        }
    return false;
}

struct kept {
    struct kept *next;
    size_t bytes;
};
static struct kept *kept;

/* Where the next mapping is to be, the same in each run: a deque whose top, half of an
   address, is 0 has less to do when it begins.  So each reservation is in a GiB of its own.  A
   hint that the system need not follow. */
#define GIB (UINT64_C(1) << 30)
#define APART (UINT64_C(1) << 21) /* what the system aligns by itself */
static uint64_t place = UINT64_C(0x100000000000) + APART, reserved = UINT64_C(0x200000000000) + APART;

void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int file,
                  off_t offset)
{
    bool reserves = prot == PROT_NONE;
    uint64_t *next = reserves ? &reserved : &place;

    for (struct kept **k = &kept; *k && !reserves; k = &(*k)->next)
        if ((*k)->bytes == bytes) {
            struct kept *found = *k;

            *k = found->next;
            return memset(found, 0, bytes);
        }
    if (!at) {
        at = (void *)(uintptr_t)*next;
        *next += reserves ? GIB : (bytes + APART - 1) / APART * APART;
    }
    at = __real_mmap(at, bytes, prot, flags, file, offset);
    if (reserves && at != MAP_FAILED)
        reserve(at, bytes);
    return at;
}

int __wrap_munmap(void *at, size_t bytes)
{
    struct kept *k = at;

    if (give_back(at, bytes))
        return __real_munmap(at, bytes);
    k->next = kept;
    k->bytes = bytes;
    kept = k;
    return 0;
}

/* ---- the machine's shape ---- */

static int num_cpus = 1, num_nodes = 1;

void machine_topology(int cpus, int nodes)
{
    num_cpus = cpus;
    num_nodes = nodes;
}

int machine_node(int cpu)
{
    return (int)((int64_t)cpu * num_nodes / num_cpus);
}

struct tweed__topology *__wrap_tweed__topology_get(void)
{
    size_t nodes = (size_t)num_nodes;
    struct tweed__topology *t = calloc(1, sizeof *t);

    if (!t)
        abort();
    t->num_cpus = num_cpus;
    t->num_nodes = num_nodes;
    t->cpus = calloc((size_t)num_cpus, sizeof *t->cpus);
    t->nodes = calloc(nodes, sizeof *t->nodes);
    t->distances = calloc(nodes * nodes, sizeof *t->distances);
    if (!t->cpus || !t->nodes || !t->distances)
        abort();
    for (int c = 0; c < num_cpus; c++)
        t->cpus[c] = (struct tweed__cpu){ .cpu = c, .node = machine_node(c), .core = c };
    for (int a = 0; a < num_nodes; a++) {
        t->nodes[a] = a;
        for (int b = 0; b < num_nodes; b++)
            t->distances[a * num_nodes + b] = a == b ? 10 : 20;
    }
    t->synthetic = true;
    t->source = "the simulator";
    return t;
}

/* As many as there are: whether to spin does not depend on the real machine. */
int64_t __wrap_tweed__topology_capacity(const struct tweed__topology *t)
{
    return (int64_t)t->num_cpus * 1000;
}
