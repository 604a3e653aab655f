/*
 * vm.c - threads of a driver as fibers that stop before each step.
 *
 * SPDX-License-Identifier: MIT
 *
 * Every access to an atomic, and every call through lib/system/system.h, is written down
 * as the thread's next step, and the fiber leaves; the search does the step when
 * it thinks fit, and lets the fiber run to the next one.
 *
 * Time: every look at the clock finds that a second has passed, or, since the
 * next one shows the first value again, that there is nothing left until the clock
 * wraps round.  So each wait that is bounded by time is over when the clock is read
 * for the second time.  Nothing is lost by
 * that: to look again and see the same is the same as to look later, and the
 * search tries every "later".
 */
#include "vm.h"
#include "model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tweed.h>

#include "../../lib/base/check.h"
#include "../../lib/system/system.h"

#define STACK_BYTES (64 << 10)
#define SCRUBBED 2048
#define ARGUMENTS 32
#define A_SECOND UINT64_C(1000000000)

struct vm vm;

static int argument_count;
static char **arguments;
static bool asked[ARGUMENTS];

/* ---- what a driver says ---- */

const char *vm_argument(const char *name)
{
    size_t n = strlen(name);

    for (int i = 1; i < argument_count; i++)
        if (strncmp(arguments[i], name, n) == 0 && arguments[i][n] == '=') {
            asked[i] = true;
            return arguments[i] + n + 1;
        }
    return NULL;
}

int model_number(const char *name, int standard)
{
    const char *text = vm_argument(name);
    char *end;
    long value = text ? strtol(text, &end, 10) : standard;

    if (text && (!*text || *end || value < 0 || value > 1000)) {
        fprintf(stderr, "%s=%s: not a number from 0 to 1000\n", name, text);
        exit(2);
    }
    return (int)value;
}

bool vm_arguments_are_known(void)
{
    for (int i = 1; i < argument_count; i++)
        if (!asked[i]) {
            fprintf(stderr, "%s: this driver knows no such argument\n",
                    arguments[i]);
            return false;
        }
    return true;
}

static uint64_t read_object(const volatile void *object, unsigned size)
{
    uint64_t value = 0;

    memcpy(&value, (const void *)object, size); /* little endian */
    return value;
}

static void write_object(volatile void *object, unsigned size, uint64_t value)
{
    memcpy((void *)object, &value, size);
}

static void add_place(volatile void *object, size_t bytes, const char *name,
                      enum vm_sort sort)
{
    if (vm.places == MODEL_PLACES)
        memory_overflow("places");
    vm.place[vm.places] = object;
    vm.size[vm.places] = (unsigned)bytes;
    vm.name[vm.places] = name;
    vm.sort[vm.places++] = sort;
}

void model_place(volatile void *object, size_t bytes, const char *name)
{
    add_place(object, bytes, name, PLACE_SHARED);
}

void model_figure(volatile void *object)
{
    add_place(object, 0, "", PLACE_FIGURE);
}

void model_own(volatile void *object, size_t bytes)
{
    add_place(object, bytes, "", PLACE_OWN);
    model_memory((void *)object, bytes);
}

void model_plain(volatile void *object, size_t bytes, const char *name)
{
    add_place(object, bytes, name, PLACE_PLAIN);
}

static void add_region(struct region *list, int *n, void *bytes, size_t size)
{
    if (*n == VM_REGIONS)
        memory_overflow("regions");
    list[(*n)++] = (struct region){ bytes, size };
}

void model_memory(void *bytes, size_t n)
{
    add_region(vm.region, &vm.regions, bytes, n);
}

void model_self(void *bytes, size_t n)
{
    add_region(vm.self, &vm.selves, bytes, n);
}

void model_verify(void (*verify)(void))
{
    vm.verify = verify;
}

struct start {
    void (*run)(void *);
    void *arg;
};

static struct step *next_step(enum step_kind kind, const struct vm_site *site);
static uint64_t done(void);

static void run_thread(void *arg)
{
    const struct start *s = arg;

    s->run(s->arg);
    for (;;) {
        next_step(STEP_END, NULL);
        done();
    }
}

void model_thread(void (*run)(void *), void *arg, bool mortal)
{
    static struct start starts[MODEL_THREADS];
    int t = vm.threads++;

    if (t == MODEL_THREADS)
        memory_overflow("threads");
    starts[t] = (struct start){ run, arg };
    vm.thread[t].mortal = mortal;
    fiber_make(&vm.thread[t].fiber, STACK_BYTES, run_thread, &starts[t]);
}

/* ---- steps ---- */

/* The step that the running thread is about to do, to be filled in.  Nothing of
   it is on the stack, which is part of the state. */
static struct step *next_step(enum step_kind kind, const struct vm_site *site)
{
    vm.running->life.step = (struct step){ .kind = kind, .site = site };
    return &vm.running->life.step;
}

/* It has been filled in: returns when it has been done, with its result. */
static uint64_t done(void)
{
    fiber_leave();
    return vm.running->result;
}

void vm_resume(int t, uint64_t result)
{
    vm.running = &vm.thread[t];
    vm.running->result = result;
    fiber_enter(&vm.running->fiber);
    vm.running = NULL;
}

/* On the stack of the thread that runs: its own, as what is not atomic there. */
static bool is_on_stack(const volatile void *object)
{
    const struct fiber *f = vm.running ? &vm.running->fiber : NULL;

    return f && (uintptr_t)object - (uintptr_t)f->stack < f->bytes;
}

/* The place of an object, for a step; else -1, for the object itself. */
static int place_of(const volatile void *object, const struct vm_site *site,
                    bool *writable)
{
    *writable = !vm.running;
    for (int p = 0; p < vm.places; p++)
        if (vm.place[p] == object) {
            *writable |= vm.sort[p] == PLACE_OWN;
            return vm.running && vm.sort[p] <= PLACE_PLAIN ? p : -1;
        }
    if (is_on_stack(object))
        *writable = true;
    if (*writable)
        return -1;
    fprintf(stderr, "%s:%d: this object was not named in model_setup()\n",
            site->file, site->line);
    exit(2);
}

static int place_in_step(const volatile void *object,
                         const struct vm_site *site)
{
    bool writable;

    return place_of(object, site, &writable);
}

static uint64_t mask_of(unsigned size)
{
    return size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static struct access *access_to(int place, enum access_kind kind, unsigned size,
                                enum vm_order order, const struct vm_site *site)
{
    struct access *a = &next_step(STEP_ACCESS, site)->access;

    a->kind = kind;
    a->place = place;
    a->order = order;
    a->mask = mask_of(size);
    return a;
}

uint64_t vm_load(const volatile void *object, unsigned size, enum vm_order order,
                 const struct vm_site *site)
{
    bool writable;
    int p = place_of(object, site, &writable);

    if (p < 0)
        return read_object(object, size);
    access_to(p, ACCESS_LOAD, size, order, site);
    return done();
}

void vm_store(volatile void *object, unsigned size, uint64_t value,
              enum vm_order order, const struct vm_site *site)
{
    bool writable;
    int p = place_of(object, site, &writable);

    if (p >= 0) {
        access_to(p, ACCESS_STORE, size, order, site)->value =
            value & mask_of(size);
        (void)done();
    } else if (writable) {
        write_object(object, size, value);
    }
}

uint64_t vm_rmw(volatile void *object, unsigned size, enum vm_rmw kind,
                uint64_t operand, enum vm_order order,
                const struct vm_site *site)
{
    bool writable;
    int p = place_of(object, site, &writable);

    if (p >= 0) {
        struct access *a = access_to(p, ACCESS_RMW, size, order, site);

        a->rmw = kind;
        a->value = operand & a->mask;
        return done();
    }

    struct access direct = { .kind = ACCESS_RMW, .rmw = kind,
                             .value = operand, .mask = mask_of(size) };
    uint64_t old = read_object(object, size);

    if (writable)
        write_object(object, size, memory_modified(&direct, old));
    return old;
}

bool vm_cas(volatile void *object, unsigned size, uint64_t *expected,
            uint64_t value, enum vm_order success, enum vm_order failure,
            const struct vm_site *site)
{
    bool writable;
    int p = place_of(object, site, &writable);
    uint64_t hoped = *expected & mask_of(size);

    if (p >= 0) {
        struct access *a = access_to(p, ACCESS_CAS, size, success, site);

        a->failure = failure;
        a->value = value & a->mask;
        a->expected = hoped;
        *expected = done();
    } else {
        *expected = read_object(object, size);
        if (*expected == hoped && writable)
            write_object(object, size, value);
    }
    return *expected == hoped;
}

/* A matter of the compiler: which leaves the driver's steps in their order. */
void vm_fence_light(const struct vm_site *site)
{
    (void)site;
}

/* ---- the system ---- */

static const struct vm_site system_site = { "system", 0 };

/* The kernel looks at the word after a full barrier, under the lock that a wake
   takes, too. */
void tweed__futex_wait_for(_Atomic uint32_t *word, uint32_t value, uint32_t mask,
                           uint64_t ns)
{
    (void)ns; /* no case waits so */
    tweed__futex_wait(word, value, mask);
}

void tweed__futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t mask)
{
    struct step *s = next_step(STEP_WAIT, &system_site);

    s->access = (struct access){ .kind = ACCESS_LOAD,
                                 .place = place_in_step(word, &system_site),
                                 .order = VM_SEQ_CST,
                                 .expected = value,
                                 .mask = UINT32_MAX };
    s->mask = mask;
    (void)done();
}

int tweed__futex_wake(_Atomic uint32_t *word, int n, uint32_t mask)
{
    struct step *s = next_step(STEP_WAKE, &system_site);

    s->access.place = place_in_step(word, &system_site);
    s->n = n;
    s->mask = mask;
    return (int)done();
}

bool tweed__fence_heavy(void)
{
    next_step(STEP_FENCE, &system_site);
    return done();
}

void tweed__pause(void)
{
}

void tweed__yield(void)
{
}

uint64_t tweed__clock(void)
{
    if (!vm.running)
        return 0;
    vm.running->life.later = !vm.running->life.later;
    return vm.running->life.later ? A_SECOND : 0;
}

/* ---- what a thread of a driver does ---- */

static const struct vm_site driver = { "driver", 0 };

__attribute__((noinline)) static void scrub_below(void)
{
    char calls[SCRUBBED];

    memset(calls, 0, sizeof calls);
    __asm__ volatile("" : : "r"(calls) : "memory"); /* they are looked at */
}

uint64_t model_newest(const volatile void *place)
{
    return vm_newest(place_in_step(place, &driver));
}

void model_forget(void)
{
    vm.running->life.later = false;
    scrub_below();
}

void model_touch(volatile void *plain, bool writes)
{
    struct step *s = next_step(STEP_TOUCH, &driver);

    s->access.kind = ACCESS_STORE;
    s->access.place = place_in_step(plain, &driver);
    s->writes = writes;
    (void)done();
}

int model_choose(int n)
{
    next_step(STEP_CHOOSE, &driver)->n = n;
    return (int)done();
}

void model_await(bool (*condition)(void *), void *arg)
{
    struct step *s = next_step(STEP_AWAIT, &driver);

    s->condition = condition;
    s->arg = arg;
    (void)done();
}

void model_fail(const char *what, const char *file, int line)
{
    char text[256];
    const char *base = strrchr(file, '/');

    snprintf(text, sizeof text, "%s:%d: does not hold: %s",
             base ? base + 1 : file, line, what);
    vm_failed(text);
}

void tweed__check_failed(const char *what, const char *file, int line)
{
    model_fail(what, file, line);
}

void tweed__body_was_left(void)
{
    model_fail("a body returns", __FILE__, __LINE__);
}

/* ---- beginning and end ---- */

void vm_setup(int argc, char **argv)
{
    argument_count = argc;
    arguments = argv;
    if (argc > ARGUMENTS) {
        fprintf(stderr, "%s: too many arguments\n", argv[0]);
        exit(2);
    }
    model_setup();
    for (int p = 0; p < vm.places; p++)
        vm.value[p] = vm.sort[p] == PLACE_SHARED
                          ? read_object(vm.place[p], vm.size[p])
                          : 0;
}

/* With the values in the objects, as a thread would find them that comes when all
   is over. */
void vm_run_directly(const uint64_t *values, void (*function)(void))
{
    for (int p = 0; p < vm.places; p++)
        if (vm.sort[p] == PLACE_SHARED)
            write_object(vm.place[p], vm.size[p], values[p]);
    function();
    for (int p = 0; p < vm.places; p++)
        if (vm.sort[p] == PLACE_SHARED)
            write_object(vm.place[p], vm.size[p], vm.value[p]);
}

/* ---- at -O0 ---- */

/* A compiler keeps there what tweed.h has inline.  A driver without cursor.c or cancel.c
   calls none of it. */
__attribute__((__weak__)) int tweed_next_slow_(tweed_cursor *c)
{
    (void)c;
    abort();
}

__attribute__((__weak__)) void tweed_cursor_fail(tweed_cursor *c, int64_t i, int code)
{
    (void)c, (void)i, (void)code;
    abort();
}

__attribute__((__weak__)) void tweed_cursor_found(tweed_cursor *c, int64_t i)
{
    (void)c, (void)i;
    abort();
}
