/*
 * drive.c - a rank's part in a loop: its threads execute blocks, until all ranks are done.
 *
 * SPDX-License-Identifier: MIT
 *
 * The calling thread, the DRIVER, drives the loop.  The driver and other threads of the
 * rank's pool take pieces of blocks (crew.c), as many as a thread executes in PIECE_NS,
 * and each thread executes its piece alone.  Between two pieces the driver looks after
 * the other ranks (tend()): it lets MPI serve them, brings up portions for its threads,
 * and passes on how many blocks are done.
 *
 * SEVERAL NODES.  The driver brings up portions of the blocks that the rank holds, as
 * many as all its threads execute in PORTION_NS.  Other ranks cannot steal from a
 * portion, so portions are short.  There are two at a time: while threads take from one
 * the driver brings up the other, and steals, if need be.  So no thread waits for the
 * network.  A driver that has nothing to take polls, since other ranks may have to be
 * served; after POLL_NS it sleeps between two polls.
 *
 * STEALING.  The thief draws two ranks, and takes a quarter of the blocks of the rank
 * that holds more.  The first draws are among the ranks of this node.  A driver whose
 * draws find nothing waits between them, longer and longer, up to PAUSE_MOST_NS.
 *
 * A STATIC LOOP, or a loop on one rank, is one ordinary loop of the pool.  If rank 0 has a
 * progress function such a loop is driven as any other, without stealing.
 */
#include "config.h"

#include "atomic.h"
#include "crew.h"
#include "end.h"
#include "loop.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tweed/sized.h>

#define PIECE_NS 50000        /* what a piece shall take, and of several threads */
#define PIECE_THREAD_NS 1000  /* so much more for each: they take from one word */
#define PIECE_KEPT 0.75       /* of what was measured, from one piece to the next */
#define PIECE_PART 16         /* near the end no less than one part of so many */
#define PORTION_NS 1000000    /* what a portion shall take */
#define LOOK_NS 500000        /* the pace of the rank is measured over no less */
#define TEND_NS 20000         /* between two looks after other ranks */
#define POLLS 16              /* of MPI, after a long body */
#define PAUSE_LEAST_NS 2000   /* between two fruitless draws */
#define PAUSE_SLEPT_NS 50000  /* those that are slept, not waited */
#define PAUSE_MOST_NS 100000
#define POLL_NS 2000000       /* for so long an idle driver polls, then it sleeps between */
#define COUNT_NS 50000000     /* what is done is passed on so often, while there is more */
#define PROGRESS_NS 100000000 /* between two calls of progress() */
#ifndef NEAR_DRAWS /* t/mpi/mpi.sh: none, and all */
#define NEAR_DRAWS 2          /* of four draws so many are among the ranks of this node */
#endif
#define MOST_DRAWS 16         /* of a member that has run out, before it leaves */

struct tweed__drive {
    struct tweed__loop *loop;
    struct tweed__ranks *ranks;
    struct tweed__crew crew;
    tweed_group group;         /* of the members */
    bool steals;               /* else each rank executes its share */
    /* of the driver */
    uint64_t counted;          /* of `executed`: passed on */
    uint64_t total;            /* of rank 0: blocks that are known to be done */
    uint64_t wanted;           /* blocks of a portion */
    uint64_t paced_at, paced;  /* when that was measured, and `executed` then */
    uint64_t busy_at, tended_at, stolen_at, counted_at, shown_at;
    uint64_t pause;            /* ns */
    /* of the thread that has the turn, or of the driver, where no other one steals */
    uint64_t seed;             /* of draw_below() */
    uint64_t steals_made, tries;
    unsigned draws;            /* in vain, since something was found */
    /* of all threads */
    char line[64];
    _Atomic uint64_t executed; /* blocks, by this rank */
    _Atomic uint64_t pieces;
    _Atomic uint64_t piece;    /* blocks of the last one that was measured: a hint */
    _Atomic bool has_last;     /* the last block, which may have less indices, is among them */
    _Atomic int code;          /* the first that was not 0 */
};

/* A thread of the rank. */
struct thread {
    struct tweed__drive *drive;
    uint64_t piece;    /* blocks of the next one */
    double blocks, ns; /* of the last ones, the older the less */
    uint64_t now;      /* when the last one was over */
    int draws;         /* at a time */
};

static _Thread_local bool driving;

bool tweed__loop_is_driving(void)
{
    return driving;
}

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- executing ---- */

static uint64_t indices_of(const struct tweed__loop *l, uint64_t blocks)
{
    return blocks < l->blocks ? blocks * l->grain : l->count;
}

/* Runs the blocks on so many workers of the pool; 0: on any. */
static void run(struct tweed__drive *d, struct tweed__blocks b, int workers)
{
    const struct tweed__loop *l = d->loop;
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int64_t lo = b.begin, hi = b.end; /* of a reduction: blocks */
    int code, none = TWEED_OK;

    o.name = l->options.name;
    o.max_workers = workers;
    if (l->call != TWEED__REDUCTION) {
        o.grain = l->options.grain;
        lo = (int64_t)(l->lo + indices_of(l, b.begin));
        hi = (int64_t)(l->lo + indices_of(l, b.end));
    }
    code = l->run(l->options.pool, &o, lo, hi, l->arg);
    if (code != TWEED_OK) /* relaxed, both: read after the sync */
        atomic_compare_exchange_strong_explicit(&d->code, &none, code, memory_order_relaxed,
                                                memory_order_relaxed);
}

static void note(struct tweed__drive *d, struct tweed__blocks b)
{
    if (b.end == d->loop->blocks)
        store_relaxed(&d->has_last, true); /* both: figures, read after the sync */
    fetch_add_relaxed(&d->pieces, 1);
    /* with the load in count(): what bodies did comes before their being counted */
    fetch_add_release(&d->executed, b.end - b.begin);
}

static uint64_t executed_indices(struct tweed__drive *d)
{
    const struct tweed__loop *l = d->loop;
    uint64_t blocks = load_relaxed(&d->executed); /* both: after the sync */

    if (!load_relaxed(&d->has_last))
        return blocks * l->grain;
    return (blocks - 1) * l->grain + (l->count - indices_of(l, l->blocks - 1));
}

static double piece_ns(const struct tweed__drive *d)
{
    return PIECE_NS + PIECE_THREAD_NS * d->loop->workers;
}

static void start(struct thread *t, struct tweed__drive *d, int draws)
{
    t->drive = d;
    t->piece = load_relaxed(&d->piece); /* a hint */
    t->blocks = (double)t->piece;
    t->ns = piece_ns(d);
    t->now = now();
    t->draws = draws;
}

/* What a block takes is a mean, in which the last piece is a quarter: after one cheap index
   there may be dear ones. */
static void look_at_piece(struct thread *t, uint64_t blocks, uint64_t ns)
{
    double n;

    t->ns = t->ns * PIECE_KEPT + (double)ns;
    t->blocks = t->blocks * PIECE_KEPT + (double)blocks;
    n = t->blocks / t->ns * piece_ns(t->drive);
    if (n < 4 * (double)t->piece)
        t->piece = n < 1 ? 1 : (uint64_t)n;
    else
        t->piece *= 4;
    store_relaxed(&t->drive->piece, t->piece); /* a hint */
}

/* A piece, which the thread executes alone. */
static void execute(struct thread *t, struct tweed__blocks b)
{
    uint64_t begin = now();

    run(t->drive, b, 1);
    t->now = now();
    look_at_piece(t, b.end - b.begin, t->now - begin);
    note(t->drive, b);
}

/* ---- stealing ---- */

static int draw_below(struct tweed__drive *d, int n)
{
    /* a linear congruence (Knuth's MMIX), of which only the high bits are good */
    d->seed = d->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((d->seed >> 32) * (uint64_t)n >> 32);
}

static int draw(struct tweed__drive *d, bool near)
{
    struct tweed__ranks *r = d->ranks;
    int other;

    if (near)
        return r->near[draw_below(d, r->nears)];
    other = draw_below(d, r->size - 1);
    return other + (other >= r->rank);
}

/* Steals some blocks of one of two other ranks. */
static bool steal(struct tweed__drive *d, struct tweed__blocks *b)
{
    bool near = d->ranks->nears > 0 && (int)(d->draws % 4) < NEAR_DRAWS, got;
    int victim[2] = { draw(d, near), draw(d, near) };

    d->tries++;
    got = tweed__crew_steal(&d->crew, victim, b);
    d->steals_made += got;
    d->draws = got ? 0 : d->draws + 1;
    return got;
}

/* ---- pieces ---- */

static uint32_t at_most(uint64_t n, uint32_t left)
{
    return (uint32_t)(n < left ? n : left);
}

/* Towards the end pieces are smaller, so that all threads are done at once. */
static uint32_t wanted_piece(uint32_t left, const void *arg)
{
    const struct thread *t = arg;
    uint64_t most = left / (4 * (uint64_t)t->drive->loop->workers);

    if (most < t->piece / PIECE_PART)
        most = t->piece / PIECE_PART;
    return at_most(t->piece < most ? t->piece : most, left);
}

static bool steal_piece(void *arg, struct tweed__blocks *b)
{
    struct thread *t = arg;

    for (int k = 0; k < t->draws; k++)
        if (steal(t->drive, b))
            return true;
    return false;
}

static bool take(struct thread *t, struct tweed__blocks *b)
{
    struct tweed__demand demand = { wanted_piece, t->drive->steals ? steal_piece : NULL, t };

    return tweed__crew_take(&t->drive->crew, &demand, b);
}

/* A member of the crew: a task of the pool. */
static int serve(void *arg)
{
    struct tweed__drive *d = arg;
    struct tweed__blocks b;
    struct thread t;

    start(&t, d, d->ranks->size < MOST_DRAWS ? d->ranks->size : MOST_DRAWS);
    do
        while (take(&t, &b))
            execute(&t, b);
    while (!tweed__crew_leave(&d->crew));
    return TWEED_OK;
}

static bool ask_member(void *arg)
{
    struct tweed__drive *d = arg;

    return tweed_group_spawn(&d->group, serve, d) == TWEED_OK; /* else the pool is being destroyed */
}

/* ---- portions, on several nodes ---- */

/* How many blocks a portion is to have: some for each thread. */
static uint32_t wanted_portion(uint32_t left, const void *arg)
{
    const struct tweed__drive *d = arg;
    uint64_t least = load_relaxed(&d->piece) * (uint64_t)d->loop->workers; /* a hint */
    uint64_t n = d->wanted > least ? d->wanted : least, most = left / 4;

    if (most < least)
        most = least;
    return at_most(n < most ? n : most, left);
}

static bool steal_portion(void *arg, struct tweed__blocks *b)
{
    return steal(arg, b);
}

/* How large a portion is follows from the blocks that were executed since the last look.
   */
static void look_at_pace(struct tweed__drive *d)
{
    uint64_t t = now(), executed = load_relaxed(&d->executed); /* a figure */
    uint64_t ns = t - d->paced_at, most = 4 * (d->wanted ? d->wanted : 1), n;

    if (ns < LOOK_NS)
        return;
    n = (uint64_t)((double)(executed - d->paced) * PORTION_NS / (double)ns);
    d->wanted = n < most ? n : most;
    d->paced_at = t;
    d->paced = executed;
}

static void longer_pause(struct tweed__drive *d)
{
    d->pause = d->pause < PAUSE_MOST_NS ? 2 * d->pause : d->pause;
}

static bool supply_stolen(struct tweed__drive *d, struct tweed__demand *demand)
{
    bool got;

    demand->steal = steal_portion;
    got = tweed__crew_supply(&d->crew, demand);
    d->stolen_at = now();
    if (!got)
        longer_pause(d);
    return got;
}

/* Brings up the portions that are missing of the two; steals once at most.  False: the
   driver could bring up none. */
static bool supply(struct tweed__drive *d, uint64_t t)
{
    struct tweed__demand demand = { wanted_portion, NULL, d };
    bool any = false;

    if (!tweed__crew_has_place(&d->crew))
        return false;
    look_at_pace(d);
    while (tweed__crew_supply(&d->crew, &demand))
        any = true;
    if (d->steals && t - d->stolen_at >= d->pause && tweed__crew_has_place(&d->crew))
        any |= supply_stolen(d, &demand);
    if (any)
        d->pause = PAUSE_LEAST_NS;
    return any;
}

/* ---- other ranks ---- */

/* Passes on how many blocks are done, once in `interval` at most. */
static void count(struct tweed__drive *d, uint64_t t, uint64_t interval_ns)
{
    uint64_t executed;

    if (t - d->counted_at < interval_ns)
        return;
    executed = load_acquire(&d->executed); /* with note()'s release */
    tweed__end_count(d->ranks, executed - d->counted, &d->total);
    d->counted = executed;
    d->counted_at = t;
}

static void show_progress(struct tweed__drive *d, uint64_t t)
{
    const struct tweed__loop *l = d->loop;

    if (d->ranks->rank != 0 || !l->options.progress || t - d->shown_at < PROGRESS_NS ||
        d->total == l->blocks)
        return;
    d->shown_at = t;
    l->options.progress(indices_of(l, d->total), l->count, l->options.progress_arg);
}

/* How many polls: a body that has lasted long has kept other ranks waiting. */
static unsigned polls_after(uint64_t ns)
{
    return ns < POLLS * TEND_NS ? 1 + (unsigned)(ns / TEND_NS) : POLLS;
}

/* Between two pieces of the driver. */
static void tend(struct tweed__drive *d, uint64_t t)
{
    if (t - d->tended_at < TEND_NS || d->ranks->failed)
        return;
    tweed__window_serve(d->ranks, polls_after(t - d->tended_at));
    (void)supply(d, t);
    count(d, t, COUNT_NS);
    show_progress(d, t);
    d->tended_at = now();
}

/* The system sleeps for no less than some 50 us. */
static void wait_for(uint64_t ns)
{
    struct timespec t = { 0, (long)ns };
    uint64_t begin = now();

    if (ns < PAUSE_SLEPT_NS) {
        while (now() - begin < ns)
            sched_yield(); /* other ranks may be on this CPU */
        return;
    }
    while (nanosleep(&t, &t) && errno == EINTR)
        ;
}

/* The driver has nothing to take.  False: the loop is over. */
static bool wait(struct tweed__drive *d)
{
    uint64_t t = now();

    tweed__window_serve(d->ranks, POLLS);
    count(d, t, TEND_NS);
    if (tweed__end_is_over(d->ranks, d->total, d->loop->blocks) || d->ranks->failed)
        return false;
    show_progress(d, t);
    if (supply(d, t))
        return true;
    if (d->crew.direct) {
        wait_for(d->pause); /* take() has looked for something to steal */
        longer_pause(d);
    } else { /* others may have to be served */
        wait_for(t - d->busy_at < POLL_NS ? PAUSE_LEAST_NS : PAUSE_SLEPT_NS);
    }
    return true;
}

/* ---- the loop ---- */

static void drive(struct tweed__drive *d)
{
    struct tweed__blocks b;
    struct thread t;

    d->ranks->loops++;
    start(&t, d, 1);
    tweed__crew_begin(&d->crew, &d->loop->share);
    (void)supply(d, t.now);
    do {
        while (take(&t, &b)) {
            d->pause = PAUSE_LEAST_NS;
            execute(&t, b);
            d->busy_at = t.now;
            tend(d, t.now);
        }
    } while (wait(d));
    (void)tweed_group_sync(&d->group);
    if (!d->ranks->failed)
        tweed__end_tell(d->ranks);
}

/* Each rank executes its share. */
static void drive_static(struct tweed__drive *d)
{
    const struct tweed__blocks b = d->loop->share;

    if (b.begin == b.end)
        return;
    run(d, b, 0);
    note(d, b);
}

static void report(struct tweed__drive *d, uint64_t operations)
{
    tweed_mpi_stats *to = d->loop->options.stats;
    tweed_mpi_stats s = { sizeof s, executed_indices(d), load_relaxed(&d->pieces),
                          d->steals_made, d->tries, operations };

    if (to)
        tweed_sized_write_(to, &s, sizeof s);
}

static void begin(struct tweed__drive *d, struct tweed__loop *l)
{
    struct tweed__ranks *r = l->ranks;

    memset(d, 0, sizeof *d);
    d->loop = l;
    d->ranks = r;
    d->steals = r->size > 1 && l->options.schedule != TWEED_SCHEDULE_STATIC;
    d->group = (tweed_group)TWEED_GROUP_INIT;
    d->group.pool = l->options.pool;
    d->crew.ranks = r;
    d->crew.direct = r->shared;
    d->crew.most = l->workers - 1;
    d->crew.ask = ask_member;
    d->crew.arg = d;
    d->seed = ((uint64_t)r->loops << 32 | (uint32_t)r->rank) * UINT64_C(0x9e3779b97f4a7c15);
    d->pause = PAUSE_LEAST_NS;
    store_relaxed(&d->piece, 1); /* nobody else knows it */
    d->busy_at = d->paced_at = d->counted_at = d->shown_at = now();
}

int tweed__loop_drive(struct tweed__loop *l)
{
    struct tweed__drive d;
    uint64_t operations = load_relaxed(&l->ranks->operations); /* both: a figure, at rest */
    int code, was_errno = errno, cancels;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancels);
    begin(&d, l);
    driving = true;
    if (l->blocks && (d.steals || l->is_shown))
        drive(&d);
    else
        drive_static(&d);
    driving = false;
    code = d.ranks->failed ? tweed__loop_failed(l, d.ranks->failed)
                           : tweed__loop_result(l, load_relaxed(&d.code));
    pthread_setcancelstate(cancels, NULL);
    errno = was_errno;
    if (d.ranks->failed)
        return code;
    report(&d, load_relaxed(&l->ranks->operations) - operations);
    if (l->ranks->rank == 0 && l->options.progress)
        l->options.progress(l->count, l->count, l->options.progress_arg);
    return code;
}
