/*
 * self.h - a thread's own things.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_SELF_H
#define TWEED_LIB_SELF_H

#include <stdbool.h>
#include <stdint.h>

struct tweed__deque;
struct tweed__part;
struct tweed__team;
struct tweed__wait;
struct tweed__worker;

/* A thread's own things.  Reached once a loop, not once an index. */
struct tweed__self {
    struct tweed__part *here;     /* the loop whose body runs; NULL: none */
    struct tweed__worker *worker; /* of a pool's thread; NULL: an outside thread */
    struct tweed__deque *alone;   /* of the innermost task that the thread executes without
                                     others; NULL: it is in none */
    uint64_t seed;
    unsigned slot;                /* the slot that the thread used last */
    int number;                   /* 1 + the number of number.h; 0: the thread has none */
    int calls;                    /* how many functions of the program, which are no
                                     bodies, the thread is in: here.h */
    bool reports;                 /* the thread calls the functions of pools that report
                                     progress: other threads wait for such a call */
    bool locks;                   /* the thread has the lock of all pools */
    void (*woken)(struct tweed__team *team); /* set: the thread was woken for a job, and
                                                has not looked yet; if it does something
                                                else woken() wakes another thread */
    unsigned quiet;               /* spawns that have left waking to others: waking.c */
    struct tweed__wait *dozes;    /* the wait in which the thread has said that it sleeps;
                                     NULL: it has not */
};
/* glibc keeps room in each thread's first block for libraries that are loaded later: there
   no call is needed for the address. */
#ifdef TWEED__TLS /* the explorer's */
#elif defined __GLIBC__
#define TWEED__TLS __attribute__((tls_model("initial-exec"))) _Thread_local
#else
#define TWEED__TLS _Thread_local
#endif
extern TWEED__TLS struct tweed__self tweed__self;

/* Names the calling thread after its pool, and after its task there; NULL: after its number
   there.  Debuggers and ps show the name. */
void tweed__self_name(const char *pool, int number, const char *task);

/* What no other thread has.  (t/sim has one tweed__self for many threads.) */
#ifndef TWEED__THREAD_ID
#define TWEED__THREAD_ID ((uintptr_t)&tweed__self)
#endif

#endif
