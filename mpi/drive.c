/*
 * drive.c - a rank's part in a loop: pieces of it on the rank's own pool, until all ranks
 * are done.
 *
 * SPDX-License-Identifier: MIT
 *
 * The thread that calls drives the loop: it alone talks to MPI.  It takes pieces of what the
 * rank holds (holding.c), as many blocks as its pool executes in PIECE_NS, and runs each by
 * an ordinary loop on the pool, in which it takes part.  What is in a piece is not stolen by
 * other ranks any more, so pieces are short.
 *
 * TWO IN FLIGHT.  At the end of a piece workers would wait for the one that has its last
 * index.  So beside the piece that the driver runs there is a second one, the reserve: a task
 * of the pool.  A worker that finds nothing more to do in the first one begins it.  The
 * driver brings up another reserve as soon as one was begun: between two bodies (tend()), if
 * it executes any, else between two pieces.  There it steals, too, when its rank holds
 * nothing any more: while the last piece is executed.  So the network is not waited for.
 *
 * STEALING.  Two ranks are drawn; the one that holds more loses a quarter of that.  The
 * first draws are among the ranks of this node.  A rank whose draws find nothing waits
 * between them, longer and longer, up to PAUSE_MOST_NS.
 *
 * Tasks of the reserve are a group: at the end, and when there is nothing to steal, the
 * driver syncs it, and by that helps with what is in them.
 */
#include "config.h"

#include "atomic.h"
#include "end.h"
#include "loop.h"
#include "random.h"
#include "versioned.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#define PIECE_NS 1000000      /* what a piece shall take */
#define LOOK_NS 50000         /* the pace is measured over no less */
#define TEND_NS 20000         /* between two looks after other ranks, in bodies */
#define POLLS 16              /* of MPI, after a long body */
#define PAUSE_LEAST_NS 2000   /* between two fruitless draws */
#define PAUSE_SLEPT_NS 50000  /* those that are slept, not waited */
#define PAUSE_MOST_NS 100000
#define COUNT_NS 50000000     /* what is done is passed on so often, though there is more */
#define PROGRESS_NS 100000000 /* between two calls of progress() */
#define NEAR_DRAWS 2          /* of four draws so many are among the ranks of this node */
#define DRAWS 4               /* before the driver waits for the reserve */

enum { FREE, WAITING, RUNNING };

struct piece {
    struct tweed__drive *drive;
    struct tweed__blocks blocks;
    _Atomic int state; /* the driver: FREE to WAITING; who runs it: to RUNNING, FREE */
};

struct tweed__drive {
    struct tweed__loop *loop;
    struct tweed__ranks *ranks;
    tweed_group group;         /* of the reserve */
    bool spawned;              /* some of it, since the last sync */
    struct piece piece[2];
    _Atomic uint64_t executed; /* blocks, by this rank */
    _Atomic uint64_t indices, pieces; /* the same in these */
    _Atomic int code;          /* the first that was not 0 */
    uint64_t counted;          /* of `executed`: passed on */
    uint64_t total;            /* of rank 0: blocks that are known to be done */
    uint64_t wanted;           /* blocks of a piece */
    uint64_t paced_at, paced;  /* when that was measured, and `executed` then */
    uint64_t tended_at, stolen_at, counted_at, shown_at;
    uint64_t pause;            /* ns */
    uint64_t seed;
    uint64_t steals, tries;
    unsigned draws;            /* in vain, since something was found */
};

static _Thread_local struct tweed__drive *driving;

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

static void run(struct tweed__drive *d, struct tweed__blocks b)
{
    const struct tweed__loop *l = d->loop;
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int64_t lo = b.begin, hi = b.end; /* of a reduction: blocks */
    int code, none = TWEED_OK;

    o.name = l->options.name;
    if (l->call != TWEED__REDUCTION) {
        o.grain = l->options.grain;
        lo = (int64_t)(l->lo + indices_of(l, b.begin));
        hi = (int64_t)(l->lo + indices_of(l, b.end));
    }
    code = l->run(l->options.pool, &o, lo, hi, l->arg);
    if (code != TWEED_OK) /* relaxed, both: read after the sync */
        atomic_compare_exchange_strong_explicit(&d->code, &none, code, memory_order_relaxed,
                                                memory_order_relaxed);
    fetch_add_relaxed(&d->indices, indices_of(l, b.end) - indices_of(l, b.begin));
    fetch_add_relaxed(&d->pieces, 1); /* both: figures, read after the sync */
    /* with the load in count(): what bodies did comes before their being counted */
    fetch_add_release(&d->executed, b.end - b.begin);
}

/* A task of the pool. */
static int run_reserve(void *arg)
{
    struct piece *p = arg;

    /* relaxed: the spawn and the sync order what is in the piece; to the driver both are
       hints that another reserve is wanted */
    store_relaxed(&p->state, RUNNING);
    run(p->drive, p->blocks);
    store_release(&p->state, FREE); /* with reserve(), which writes the blocks anew */
    return TWEED_OK;
}

/* ---- taking ---- */

/* How many blocks a piece is to have. */
static uint32_t wanted(uint32_t left, const void *arg)
{
    const struct tweed__drive *d = arg;
    uint64_t least = (uint64_t)d->loop->workers, most = left / 4;
    uint64_t n = d->wanted > least ? d->wanted : least;

    if (most < least)
        most = least;
    return (uint32_t)(n < most ? n : most);
}

/* What was executed since the last look, in that time, says how much a piece is. */
static void look_at_pace(struct tweed__drive *d)
{
    uint64_t t = now(), executed = load_relaxed(&d->executed); /* a figure */
    uint64_t ns = t - d->paced_at, most = 4 * (d->wanted ? d->wanted : 1), n;

    if (ns < LOOK_NS) {
        if (executed > d->paced)
            d->wanted = most / 2;
    } else {
        n = (uint64_t)((double)(executed - d->paced) * PIECE_NS / (double)ns);
        d->wanted = n < most ? n : most;
        d->paced_at = t;
        d->paced = executed;
    }
    if (d->wanted > d->loop->blocks)
        d->wanted = d->loop->blocks;
}

static int draw(struct tweed__drive *d, bool near)
{
    struct tweed__ranks *r = d->ranks;
    int other;

    if (near)
        return r->near[random_below(&d->seed, (uint32_t)r->nears)];
    other = (int)random_below(&d->seed, (uint32_t)r->size - 1);
    return other + (other >= r->rank);
}

/* Some blocks of one of two other ranks. */
static bool steal(struct tweed__drive *d, struct tweed__blocks *b)
{
    struct tweed__ranks *r = d->ranks;
    bool near = r->nears > 0 && d->draws % 4 < NEAR_DRAWS, got;
    int victim[2] = { draw(d, near), draw(d, near) };
    uint64_t word[2];
    int richer;

    d->tries++;
    tweed__window_read_two(r, victim, TWEED__HELD, word);
    if (r->failed)
        return false;
    richer = tweed__holding_size(word[1]) > tweed__holding_size(word[0]);
    got = tweed__holding_steal(r, victim[richer], word[richer], b) ||
          tweed__holding_steal(r, victim[!richer], word[!richer], b);
    d->steals += got;
    d->draws = got ? 0 : d->draws + 1;
    return got;
}

/* Of loot a piece is kept, and the rest is held: so no two ranks can take it from each other
   for ever, without executing any. */
static void keep_piece(struct tweed__drive *d, struct tweed__blocks *b)
{
    uint32_t n = wanted(b->end - b->begin, d);
    uint32_t end = b->end;

    if (b->begin + n < end) {
        b->end = b->begin + n;
        tweed__holding_put(d->ranks, b->end, end);
    }
}

static bool take(struct tweed__drive *d, bool may_steal, struct tweed__blocks *b)
{
    look_at_pace(d);
    if (tweed__holding_claim(d->ranks, wanted, d, b))
        return true;
    if (!may_steal || d->ranks->failed || !steal(d, b))
        return false;
    keep_piece(d, b);
    return true;
}

/* ---- the reserve ---- */

static struct piece *missing_reserve(struct tweed__drive *d)
{
    struct piece *free = NULL;

    if (d->loop->workers < 2)
        return NULL;
    for (int k = 0; k < 2; k++) {
        int state = load_acquire(&d->piece[k].state); /* with run_reserve()'s release */

        if (state == WAITING)
            return NULL;
        if (state == FREE)
            free = &d->piece[k];
    }
    return free;
}

/* Brings up a reserve.  False: there is one, or nothing to be had.  The first one of a group
   is spawned outside of bodies, or the group would be inside of the body's loop. */
static bool reserve(struct tweed__drive *d, bool may_steal)
{
    struct piece *p = missing_reserve(d);

    if (!p || !take(d, may_steal, &p->blocks))
        return false;
    store_relaxed(&p->state, WAITING); /* the spawn orders it */
    d->spawned = true;
    if (tweed_spawn(&d->group, run_reserve, p) != TWEED_OK)
        (void)run_reserve(p); /* the pool is being destroyed: the run will say so */
    return true;
}

static bool in_flight(struct tweed__drive *d)
{
    /* relaxed: the sync orders */
    return d->spawned && (load_relaxed(&d->piece[0].state) != FREE ||
                          load_relaxed(&d->piece[1].state) != FREE);
}

static bool is_waiting(struct tweed__drive *d)
{
    return load_relaxed(&d->piece[0].state) == WAITING || /* as above */
           load_relaxed(&d->piece[1].state) == WAITING;
}

static void sync_reserve(struct tweed__drive *d)
{
    if (d->spawned)
        (void)tweed_sync(&d->group);
    d->spawned = false;
}

/* ---- other ranks ---- */

static void count(struct tweed__drive *d)
{
    uint64_t executed = load_acquire(&d->executed); /* with run()'s release */

    tweed__end_count(d->ranks, executed - d->counted, &d->total);
    d->counted = executed;
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

/* A body that has lasted has kept others waiting. */
static unsigned polls_after(uint64_t ns)
{
    return ns < POLLS * TEND_NS ? 1 + (unsigned)(ns / TEND_NS) : POLLS;
}

static void tend(struct tweed__drive *d)
{
    uint64_t t = now();
    bool may_steal = t - d->stolen_at >= d->pause;

    if (t - d->tended_at < TEND_NS || d->ranks->failed)
        return;
    tweed__window_serve(d->ranks, polls_after(t - d->tended_at));
    if (d->spawned && missing_reserve(d)) {
        uint64_t tries = d->tries;

        if (reserve(d, may_steal))
            d->pause = PAUSE_LEAST_NS;
        else if (d->tries != tries)
            d->pause = d->pause < PAUSE_MOST_NS ? 2 * d->pause : d->pause;
        if (d->tries != tries)
            d->stolen_at = t;
    }
    if (t - d->counted_at >= COUNT_NS) {
        d->counted_at = t;
        count(d);
    }
    show_progress(d, t);
    d->tended_at = now();
}

void tweed__loop_tend(struct tweed__loop *l)
{
    if (driving && driving == l->drive)
        tend(driving);
}

/* The system sleeps for no less than some 50 us. */
static void wait_for(uint64_t ns)
{
    struct timespec t = { 0, (long)ns };
    uint64_t start = now();

    if (ns < PAUSE_SLEPT_NS) {
        while (now() - start < ns)
            sched_yield(); /* other ranks may be on this CPU */
        return;
    }
    while (nanosleep(&t, &t) && errno == EINTR)
        ;
}

/* There is nothing to take.  False: the loop is over. */
static bool wait(struct tweed__drive *d)
{
    if (is_waiting(d)) {
        sync_reserve(d);
        return true;
    }
    tweed__window_serve(d->ranks, POLLS);
    count(d);
    if (tweed__end_is_over(d->ranks, d->total, d->loop->blocks) || d->ranks->failed)
        return false;
    show_progress(d, now());
    if (in_flight(d) && d->draws >= DRAWS) {
        sync_reserve(d);
        d->draws = 0;
        return true;
    }
    wait_for(d->pause);
    d->pause = d->pause < PAUSE_MOST_NS ? 2 * d->pause : d->pause;
    return true;
}

/* ---- the loop ---- */

static void drive(struct tweed__drive *d)
{
    struct tweed__blocks b;

    d->ranks->loops++;
    if (d->loop->share.begin < d->loop->share.end)
        tweed__holding_put(d->ranks, d->loop->share.begin, d->loop->share.end);
    do {
        while (take(d, true, &b)) {
            d->pause = PAUSE_LEAST_NS;
            (void)reserve(d, false);
            run(d, b);
        }
    } while (wait(d));
    sync_reserve(d);
    if (!d->ranks->failed)
        tweed__end_tell(d->ranks);
}

/* Each rank executes its share. */
static void drive_static(struct tweed__drive *d)
{
    if (d->loop->share.begin < d->loop->share.end)
        run(d, d->loop->share);
}

static void report(struct tweed__drive *d, uint64_t operations)
{
    tweed_mpi_stats *to = d->loop->options.stats;
    tweed_mpi_stats s = { sizeof s, load_relaxed(&d->indices), load_relaxed(&d->pieces),
                          d->steals, d->tries, operations };

    if (to)
        tweed__versioned_write(to, &s, sizeof s);
}

bool tweed__loop_is_driving(void)
{
    return driving;
}

int tweed__loop_drive(struct tweed__loop *l)
{
    struct tweed__drive d;
    uint64_t operations = l->ranks->operations;
    int saved = errno, code;

    memset(&d, 0, sizeof d);
    d.loop = l;
    d.ranks = l->ranks;
    d.group = (tweed_group)TWEED_GROUP_INIT;
    d.group.pool = l->options.pool;
    d.piece[0].drive = d.piece[1].drive = &d;
    d.seed = ((uint64_t)l->ranks->rank + 1) * UINT64_C(0x9e3779b97f4a7c15) + l->ranks->loops;
    d.pause = PAUSE_LEAST_NS;
    d.paced_at = d.counted_at = d.shown_at = now();
    l->drive = driving = &d;
    if (l->options.schedule == TWEED_SCHEDULE_STATIC || l->ranks->size == 1)
        drive_static(&d);
    else if (l->blocks)
        drive(&d);
    l->drive = driving = NULL;
    code = d.ranks->failed ? tweed__loop_failed(l, d.ranks->failed)
                           : tweed__loop_result(l, load_relaxed(&d.code));
    errno = saved;
    if (d.ranks->failed)
        return code;
    report(&d, l->ranks->operations - operations);
    if (l->ranks->rank == 0 && l->options.progress)
        l->options.progress(l->count, l->count, l->options.progress_arg);
    return code;
}
