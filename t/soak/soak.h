/*
 * soak.h - the parts of the soak, which runs random loops and trees of tasks for as long
 * as it is told to and counts every index.
 *
 * SPDX-License-Identifier: MIT
 *
 *     soak.c      the threads, the signals, the reports
 *     loop.c      a loop chosen by its seed, and what an index of it costs
 *     arrange.c   its order, schedule and weights
 *     kinds.c     the bodies: of one, two and three dimensions, with scratch
 *     folds.c     ... of sums, reductions and scans
 *     exits.c     ... of searches and of loops that fail
 *     throw.cc    ... in C++, which throw
 *     trees.c     tasks that start tasks
 *     groups.c    ... in groups
 *     submits.c   ... that are submitted
 *     crowd.c     all of these in one another, by many callers
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

/* X(NAME, function, what it is): function runs a loop of that kind and says what came
   of it; it checks what the loop gives beside its indices. */
#if SOAK_CXX
#define SOAK_THROWN(X) X(THROWN, thrown, "C++, throws")
#else
#define SOAK_THROWN(X)
#endif
#define SOAK_KINDS(X)                                                          \
    X(INDEX, index, "by pointer")                                              \
    X(RANGE, range, "range")                                                   \
    X(LOOP, in_place, "in place")                                              \
    X(PLANE, plane, "2-D in place")                                            \
    X(PAIRS, pairs, "2-D by pointer")                                          \
    X(SPACE, space, "3-D in place")                                            \
    X(BOXES, boxes, "3-D tiles")                                               \
    X(HISTOGRAM, histogram, "histogram in scratch")                            \
    X(SUM, sum, "sum")                                                         \
    X(REDUCE, reduce, "reduction in place")                                    \
    X(FOLD, fold, "reduction by pointer")                                      \
    X(SCAN, scan, "scan in place")                                             \
    X(SWEEP, sweep, "scan by pointer")                                         \
    X(TREE, tree, "tree of tasks")                                             \
    X(GROUPS, groups, "groups of tasks")                                       \
    X(SUBMITTED, submitted, "submitted tasks")                                 \
    X(FIND, find, "search in place")                                           \
    X(SEEK, seek, "search by pointer")                                         \
    X(TRY, attempt, "fails, in place")                                         \
    X(TEST, test, "fails, by pointer")                                         \
    SOAK_THROWN(X)

enum kind {
#define SOAK_KIND(NAME, function, text) KIND_##NAME,
    SOAK_KINDS(SOAK_KIND)
#undef SOAK_KIND
    KINDS
};

#define NEVER UINT64_MAX

struct loop {
    uint64_t seed;
    enum kind kind;
    int64_t lo, hi; /* of two and three dimensions: 0, n */
    uint64_t n;     /* indices */
    int64_t base[3], past[3]; /* bounds of a loop of two or three dimensions */
    tweed_loop_options options;
    tweed_outcome outcome;
    char name[20]; /* the seed, for the dump */
    int place, outer_place;
    int depth;           /* how many levels may be nested in it */
    uint32_t nest_every; /* one in so many indices runs an inner loop; 0: no */
    uint32_t nap_every;  /* ... sleeps */
    uint32_t cost, skew; /* steps of useless work; that many times more for the
                            first eighth of the indices */
    bool uneven;         /* ... a quarter of the indices bears all of it */
    uint32_t hit_every;  /* one in so many indices fails, is found, or throws; 0: none */
    uint64_t stop_at;    /* this one stops the loop; NEVER */
    uint64_t token_at;   /* this one sets the loop's token; NEVER */
    tweed_token token;
    int refusal;         /* the code that it must get; TWEED_OK: none */
    int64_t bad_at;      /* the weight of this offset is none; -1: all are good */
    struct share *shares;    /* of a static loop: what each worker executed; or NULL */
    double *weights;
    atomic_bool stopped;     /* index stop_at has been there */
    _Atomic uint64_t lowest; /* of those that failed, or threw; NEVER */
    _Atomic uint64_t boxes;  /* how many bodies got one */
    _Atomic uint64_t tasks;  /* of TWEED_TASK that were executed */
    _Atomic uint64_t spawned, skipped_tasks; /* of groups, or submitted; of these, skipped */
    _Atomic uint64_t skipped; /* indices of these */
    _Atomic uint64_t over;    /* indices of submitted tasks that are over */
    atomic_int code;          /* the first one of groups in bodies */
    uint64_t roots;           /* trees that the library counts */
    uint64_t must;           /* all below it have to be executed */
    uint64_t counted;        /* executed, as the library counts */
    uint32_t passes;         /* loops of the library that this one is */
    struct histogram *histogram; /* or NULL */
    struct account *account;
};

void loop_run(uint64_t seed);
void loop_print(const struct loop *l);
void loop_inner(const struct loop *outer, uint64_t k);

/* What each body does with the index of offset k, or with the run of a range body. */
void loop_index(struct loop *l, uint64_t k);
void loop_range(struct loop *l, uint64_t from, uint64_t to);

static inline uint64_t offset_of(const struct loop *l, int64_t i)
{
    return (uint64_t)i - (uint64_t)l->lo;
}

/* Is k one that fails, is found, or throws? */
bool loop_hits(const struct loop *l, uint64_t k);

/* k has failed or thrown. */
void loop_failed(struct loop *l, uint64_t k);

/* Do they go over indices of two or three dimensions, or over all of them twice? */
static inline bool is_space(const struct loop *l)
{
    return l->kind >= KIND_PLANE && l->kind <= KIND_BOXES;
}

static inline bool is_scan(const struct loop *l)
{
    return l->kind == KIND_SCAN || l->kind == KIND_SWEEP;
}

/* No loop to the library: it knows no indices, no options and no end but the last task's. */
static inline bool is_tasks(const struct loop *l)
{
    return l->kind >= KIND_TREE && l->kind <= KIND_SUBMITTED;
}

/* What index k gives, or its task, if it fails. */
#define CODES 1000

static inline int loop_code(uint64_t k)
{
    return (int)(k % CODES) + 1;
}

/* ---- arrange.c ---- */

void arrange_choose(struct loop *l, uint64_t *state);
void arrange_begin(struct loop *l, int workers);
void arrange_note(struct loop *l, uint64_t from, uint64_t to);
void arrange_end(struct loop *l, int workers, int code);

/* ---- kinds.c, folds.c, exits.c, trees.c, groups.c, submits.c: a function for each kind ---- */

#define SOAK_KIND(NAME, function, text)                                        \
    int run_##function(tweed_pool *pool, struct loop *l);
SOAK_KINDS(SOAK_KIND)
#undef SOAK_KIND

/* ---- account.c ---- */

struct account;

struct account *account_new(const struct loop *l, int workers);
void account_index(struct loop *l, uint64_t k); /* by offsets */
void account_range(struct loop *l, uint64_t from, uint64_t to);
/* Says what was counted twice, and what is missing of the first `must`; true if nothing
   is wrong.  *done: how many were executed. */
bool account_check(const struct loop *l, uint64_t must, uint64_t *done);
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
void places_drain(void); /* nothing submitted is left */
void places_close(void);

/* ---- children.c ---- */

void *children_main(void *seed);
void children_fork(uint64_t seed); /* here, and waits for the child */

/* ---- crowd.c ---- */

void *crowd_main(void *seed);

/* ---- watch.c ---- */

struct watched;

void watch_start(void);
/* what: a word for what this thread now does; l: the loop, or NULL */
struct watched *watch_begin(const char *what, const struct loop *l);
void watch_end(struct watched *w);

/* ---- soak.c ---- */

struct totals {
    _Atomic uint64_t loops;    /* all that returned, inner ones too */
    _Atomic uint64_t kinds[KINDS]; /* of these, of each kind */
    _Atomic uint64_t ended;    /* of these, before all indices were executed */
    _Atomic uint64_t inner;    /* of these, inner ones */
    _Atomic uint64_t empty;    /* of these, without an index */
    _Atomic uint64_t wide;     /* of these, of 2^26 indices and more */
    _Atomic uint64_t by_index; /* indices counted one by one */
    _Atomic uint64_t by_range; /* counted by range bodies, loops below 2^40 */
    _Atomic uint64_t all;      /* executed in the library, modulo 2^64 */
    _Atomic uint64_t passes;   /* loops of the library */
    _Atomic uint64_t fixed, weighed; /* of these, so arranged */
    _Atomic uint64_t roots, tasks; /* trees with a task, and what tasks they had */
    _Atomic uint64_t spawned, skipped; /* tasks of groups, or submitted; of these, skipped */
    _Atomic uint64_t crowded;  /* what callers in a crowd have started, and all in it */
    _Atomic uint64_t executors; /* pools that were closed or abandoned */
    _Atomic uint64_t refused;  /* of these, that were refused for it */
    _Atomic uint64_t unbegun;  /* of these, perhaps not begun: their token was set */
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
const tweed_token *alarm_token(void); /* set and cleared by the signals' handler */

static inline void add(_Atomic uint64_t *total, uint64_t n)
{
    atomic_fetch_add_explicit(total, n, memory_order_relaxed); /* a figure */
}

static inline bool goes_on(void)
{
    return !atomic_load(&stopping) && !atomic_load(&failures);
}

#endif
