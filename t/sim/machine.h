/*
 * machine.h - a machine of one real thread: virtual threads, their futexes,
 * mutexes and clocks, under the library as it ships.
 *
 * SPDX-License-Identifier: MIT
 *
 * All of lib/ but system.c and check.c is compiled again for this machine, with
 * t/model/redirect.h in place of lib/base/atomic.h, and linked with its calls of
 * pthreads wrapped.  So each operation on shared memory and each call of the
 * system is a call into here or into the program, which decides who goes on:
 *
 *     machine.c     threads as fibers (t/model/fiber.h), who sleeps where, the
 *                   functions of lib/system/system.h, pthreads, a made-up topology
 *     chance.c      who runs: chance; what a store does: it waits in a buffer
 *     simulate.c    who runs: the one whose clock is behind; what it costs
 *
 * A program provides the policy_...() functions below and the vm_...() ones of
 * redirect.h.
 */
#ifndef TWEED_T_SIM_MACHINE_H
#define TWEED_T_SIM_MACHINE_H

#include "fiber.h"
#include "pool/team.h"

#include <stdbool.h>
#include <stdint.h>

enum kind { LOAD, STORE, CHANGE, FENCE, PAUSE, CLOCK, BODY,
            WAIT, WAKE, LOCK, UNLOCK, CREATE, JOIN, END };

struct thread {
    struct fiber fiber;
    struct tweed__self self; /* what is thread-local in lib/ */
    int number;              /* in the order of their making; 0: the first */
    enum { READY, ASLEEP, GONE } state;
    const volatile void *word; /* of a sleeper */
    uint32_t mask;
    struct thread *next;       /* sleeper, longest asleep first */
    void *(*run)(void *);
    void *arg;
};

/* Runs first(arg) as thread 0 until all threads have ended. */
void machine_run(void *(*first)(void *), void *arg);

/* The thread that runs; NULL outside of machine_run(). */
extern struct thread *machine_me;

/* Threads made so far in this run. */
int machine_count(void);
struct thread *machine_thread(int number);

/* From within a thread: another one, and waiting for its end. */
struct thread *machine_spawn(void *(*run)(void *), void *arg);
void machine_join(struct thread *t);

/* Whoever policy_next() names goes on; returns when it is this one's turn. */
void machine_switch(void);

/* This thread sleeps on word; wakes at most n of those who sleep there with a
   bit of mask, the longest asleep first.  May be woken for nothing. */
void machine_sleep(const volatile void *word, uint32_t mask);
int machine_wake(const volatile void *word, int n, uint32_t mask);
void machine_wake_one(struct thread *sleeper);
struct thread *machine_sleepers(void);

/* The real access, and what of a value an object of this size holds. */
uint64_t machine_cut(uint64_t value, unsigned size);
uint64_t machine_get(const volatile void *object, unsigned size);
void machine_put(volatile void *object, unsigned size, uint64_t value);
uint64_t machine_change(enum vm_rmw rmw, uint64_t old, uint64_t operand);

/* Broken on purpose, to see whether that is noticed. */
struct machine_faults {
    bool no_fence; /* the heavy fence does nothing */
    bool no_wake;  /* futex wakes get lost */
};
extern struct machine_faults machine_faults;

/* How often a thread looks at a mutex that is locked before it sleeps. */
extern int machine_lock_spins;

/* CPUs and nodes of the machine, for pools that start from now on. */
void machine_topology(int cpus, int nodes);
int machine_node(int cpu);

/* ---- what a program provides ---- */

/* Before each step of this thread: lets others run first if they are to.  site
   is NULL, and word what it is about, if it is no atomic operation. */
void policy_turn(enum kind kind, const struct vm_site *site,
                 const volatile void *word);

/* Which thread goes on; NULL when all are gone. */
struct thread *policy_next(void);

/* A thread is new; a thread was woken, by this one if that is not NULL. */
void policy_made(struct thread *t);
void policy_woken(struct thread *t, struct thread *by);

/* What this thread's clock shows, ns. */
uint64_t policy_clock(void);

/* An assertion of lib/, or of the program, does not hold. */
_Noreturn void policy_failed(const char *what, const char *file, int line);

#endif
