/*
 * soak.h - the parts of the soak, which runs random loops for as long as it is
 * told to and counts every index.
 *
 * SPDX-License-Identifier: MIT
 *
 *     soak.c      the threads, the signals, the reports
 *     loop.c      a loop chosen by its seed, and its bodies
 *     account.c   which indices were executed: none lost, none twice
 *     places.c    the pools, which come and go while others are in use
 *     children.c  fork()
 *     watch.c     names the loop that hangs
 *
 * All that a loop does follows from its seed, and the seeds of a thread's loops
 * from the thread's number and the seed of the run.  What is not repeated is
 * which thread was faster, and so which pool stood at a place at that moment.
 */
#ifndef TWEED_T_SOAK_H
#define TWEED_T_SOAK_H

#include "sanitized.h"
#include "draw.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <tweed.h>

/* How much smaller everything is under a sanitizer. */
#define SLOWER (HAVE_RUNTIME_SANITIZER ? 20 : 1)
#define HANG_SECONDS (HAVE_RUNTIME_SANITIZER ? 60 : 20)

/* ---- loop.c ---- */

struct loop {
    uint64_t seed;
    int64_t lo, hi;
    uint64_t n; /* indices */
    tweed_loop_options options;
    char name[20]; /* the seed, for the dump */
    bool ranges;   /* a range body */
    int place, outer_place;
    int depth;           /* how many levels may be nested in it */
    uint32_t nest_every; /* one in so many indices runs an inner loop; 0: no */
    uint32_t nap_every;  /* ... sleeps */
    uint32_t cost, skew; /* steps of useless work; that many times more for the
                            first eighth of the indices */
    bool uneven;         /* ... a quarter of the indices bears all of it */
    struct account *account;
};

void loop_run(uint64_t seed);
void loop_print(const struct loop *l);

/* ---- account.c ---- */

struct account;

struct account *account_new(const struct loop *l, int workers);
void account_index(struct loop *l, int64_t i);
void account_range(struct loop *l, int64_t begin, int64_t end);
/* Says what is missing, or was counted twice; true if nothing is wrong. */
bool account_check(const struct loop *l);
void account_free(struct account *a);

/* ---- places.c ---- */

#define PLACES 8 /* 0 is the default pool; the last is oversubscribed by 16 */

void places_open(uint64_t seed);
tweed_pool *place_enter(int place); /* it stays as long as anybody is inside */
void place_leave(int place);
void place_renew(int place); /* a new pool there, unless somebody is inside */
pid_t places_fork(void);     /* the child owns all places */
void places_print(int fd);   /* the last words: takes no lock for long */
void places_total(tweed_stats *sum); /* of all pools that there were */
void places_close(void);

/* ---- children.c ---- */

void *children_main(void *seed);

/* ---- watch.c ---- */

struct watched;

void watch_start(void);
/* what: a word for what this thread now does; l: the loop, or NULL */
struct watched *watch_begin(const char *what, const struct loop *l);
void watch_end(struct watched *w);

/* ---- soak.c ---- */

struct totals {
    _Atomic uint64_t loops;    /* all that returned, inner ones too */
    _Atomic uint64_t inner;    /* of these, inner ones */
    _Atomic uint64_t empty;    /* of these, without an index */
    _Atomic uint64_t wide;     /* of these, of 2^26 indices and more */
    _Atomic uint64_t by_index; /* indices counted one by one, index bodies */
    _Atomic uint64_t by_range; /* counted by range bodies, loops below 2^40 */
    _Atomic uint64_t all;      /* indices of all loops, modulo 2^64 */
    _Atomic uint64_t forks, naps, pools, looks;
};

extern struct totals totals;
extern atomic_bool stopping;
extern _Atomic uint64_t failures;
extern uint64_t soak_seed;

/* To stderr, in one piece; what is wrong is said once and ends the run. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void fail(const struct loop *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void nap(long us);
void host_thread(void); /* signals may come to this thread from now on */

static inline void add(_Atomic uint64_t *total, uint64_t n)
{
    atomic_fetch_add_explicit(total, n, memory_order_relaxed); /* a figure */
}

static inline bool goes_on(void)
{
    return !atomic_load(&stopping) && !atomic_load(&failures);
}

#endif
