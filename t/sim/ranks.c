/*
 * ranks.c - what a loop over ranks would take: mpi/drive.c, crew.c, holding.c and end.c as
 * they ship, on made-up machines of several nodes.
 *
 * SPDX-License-Identifier: MIT
 *
 *   ranks=1024 workers=64    of each rank
 *   latency=2000             ns, there and back, of an operation on another rank's window
 *   atomic=50                ns that a window is busy with one
 *   load=uniform mean=500000 heavy=10 part=0.01 seed=1    as t/sim/load.h has them
 *   ideal=100                ms that an ideal loop takes: so many indices there are
 *   grain=0
 *
 * Each rank is a fiber, its calling thread, with a clock of its own; the one whose clock is
 * least goes on.  The other threads of its pool are played: each does what serve() in drive.c
 * does, by the functions that serve() calls, when its last piece is over.  They touch nothing
 * of other ranks.  So what a pool costs is not in it, but for PIECE_COST_NS and WAKE_NS.  The
 * loop begins and ends with an MPI_Allreduce of 2 log2(ranks) messages.
 */
#include "config.h"

#include "load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <tweed.h>
#include <ucontext.h>

static int sim_clock(int id, struct timespec *t);
static int sim_sleep(const struct timespec *t, struct timespec *left);
static int sim_yield(void);
static int sim_spawn(tweed_group *group, tweed_task_fn *fn, void *arg);
static int sim_sync(tweed_group *group);

#define clock_gettime sim_clock
#define nanosleep sim_sleep
#define sched_yield sim_yield
#define tweed_group_spawn sim_spawn
#define tweed_group_sync sim_sync
#include "../../mpi/holding.c"
#include "../../mpi/crew.c"
#include "../../mpi/end.c"
#include "../../mpi/drive.c"

#define PIECE_COST_NS 300 /* of taking it, and of a loop that a thread executes alone */
#define WAKE_NS 5000      /* until a thread that was asked for has come */
#define OWN_NS 100        /* an operation on one's own window */
#define YIELD_NS 1000
#define STACK_BYTES 65536
#define WORKERS 256

/* A thread of the pool. */
struct member {
    struct thread thread;
    struct tweed__blocks blocks; /* its piece; empty: it is coming */
    uint64_t since, end;         /* of the piece */
    bool is_there;
};

struct rank {
    struct tweed__ranks ranks;
    struct tweed__loop loop;
    tweed_mpi_stats stats;
    ucontext_t context;
    uint64_t now, over;
    struct tweed__drive *drive;
    struct member member[WORKERS]; /* 0 is the calling thread, and unused */
    int asked;              /* tasks that no thread has begun */
    bool plays;             /* a member, whose clock is: */
    uint64_t playing;
    bool is_driving;
    uint64_t word[TWEED__WORDS + TWEED__STOCKS], busy, hits;
};

static struct rank *rank, *me;
static int ranks = 1024, workers = 64;
static uint64_t latency = 2000, atomic_ns = 50;
static double *cost;
static ucontext_t scheduler;

/* ---- fibers: the one whose clock is least goes on ---- */

static int *heap, in_heap;

static bool before(int a, int b)
{
    return rank[a].now < rank[b].now || (rank[a].now == rank[b].now && a < b);
}

static void push(int k)
{
    int at = in_heap++;

    for (; at > 0 && before(k, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = k;
}

static int pop(void)
{
    int first = heap[0], k = heap[--in_heap], at = 0, child;

    while ((child = 2 * at + 1) < in_heap) {
        child += child + 1 < in_heap && before(heap[child + 1], heap[child]);
        if (!before(heap[child], k))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = k;
    return first;
}

static void leave(struct rank *self)
{
    self->is_driving = driving;
    swapcontext(&self->context, &scheduler);
    driving = self->is_driving;
}

static void advance_to(uint64_t t)
{
    struct rank *self = me;

    if (t > self->now)
        self->now = t;
    if (in_heap == 0 || before((int)(self - rank), heap[0]))
        return;
    push((int)(self - rank));
    leave(self);
}

/* ---- the pool ---- */

static uint64_t cost_of(struct tweed__blocks b)
{
    double sum = PIECE_COST_NS;

    for (uint32_t i = b.begin; i < b.end; i++)
        sum += cost[i];
    return (uint64_t)sum;
}

/* It has come, or its piece is over: it takes the next one, or leaves. */
static void play(struct member *m)
{
    me->plays = true;
    me->playing = m->since;
    if (m->blocks.begin == m->blocks.end) {
        me->playing = m->end;
        start(&m->thread, me->drive, 1);
    } else {
        execute(&m->thread, m->blocks); /* now that it is over */
    }
    do
        m->is_there = take(&m->thread, &m->blocks);
    while (!m->is_there && !tweed__crew_leave(&me->drive->crew));
    me->plays = false;
    m->since = m->end;
    m->end += cost_of(m->blocks);
}

static struct member *first_member(void)
{
    struct member *first = NULL;

    for (int w = 1; w < workers; w++)
        if (me->member[w].is_there && (!first || me->member[w].end < first->end))
            first = &me->member[w];
    return first;
}

/* Tasks that were spawned go to threads that have none. */
static void come(void)
{
    for (int w = 1; w < workers && me->asked > 0; w++) {
        struct member *m = &me->member[w];

        if (m->is_there)
            continue;
        m->blocks.begin = m->blocks.end = 0;
        m->end = me->now + WAKE_NS;
        m->is_there = true;
        me->asked--;
    }
}

static void pass_time(uint64_t t)
{
    struct member *m;

    come();
    while ((m = first_member()) && m->end <= t)
        play(m);
    advance_to(t);
}

/* A loop of all the pool's threads: each index is the next one's that is free. */
static uint64_t cost_shared(struct tweed__blocks b)
{
    uint64_t *end = calloc((size_t)workers, sizeof *end), most = 0;

    if (!end)
        exit(99);
    for (uint32_t i = b.begin; i < b.end; i++) {
        int first = 0;

        for (int w = 1; w < workers; w++)
            if (end[w] < end[first])
                first = w;
        end[first] += (uint64_t)cost[i];
        most = end[first] > most ? end[first] : most;
    }
    free(end);
    return most;
}

/* Of a piece: the calling thread's, or a member's that is over.  Or of all that a rank has. */
static int sim_run(tweed_pool *pool, const tweed_loop_options *o, int64_t lo, int64_t hi,
                   void *arg)
{
    struct tweed__blocks b = { (uint32_t)lo, (uint32_t)hi };

    (void)pool, (void)arg;
    if (me->plays)
        me->playing += cost_of(b);
    else
        pass_time(me->now + (o->max_workers ? cost_of(b) : cost_shared(b)));
    return 0;
}

static int sim_spawn(tweed_group *group, tweed_task_fn *fn, void *arg)
{
    (void)group, (void)fn;
    me->drive = arg;
    me->asked++;
    return 0;
}

static int sim_sync(tweed_group *group)
{
    struct member *m;

    (void)group;
    while (come(), (m = first_member()))
        pass_time(m->end);
    return 0;
}

/* ---- the system, and MPI ---- */

static int sim_clock(int id, struct timespec *t)
{
    uint64_t ns = me->plays ? me->playing : me->now;

    (void)id;
    *t = (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
    return 0;
}

static int sim_sleep(const struct timespec *t, struct timespec *left)
{
    (void)left;
    pass_time(me->now + (uint64_t)t->tv_nsec);
    return 0;
}

static int sim_yield(void)
{
    pass_time(me->now + YIELD_NS);
    return 0;
}

/* An MPI_Allreduce, at both ends of a loop. */
static uint64_t agreement(void)
{
    uint64_t ns = 0;

    for (int k = 1; k < ranks; k *= 2)
        ns += 2 * latency;
    return ns;
}

/* The last one has come now: all go on. */
int tweed__loop_result(struct tweed__loop *l, int code)
{
    static int waiting;
    uint64_t end = me->now + agreement();

    (void)l;
    if (++waiting < ranks) {
        leave(me);
        return code;
    }
    waiting = 0;
    for (int k = 0; k < ranks; k++)
        if (&rank[k] != me) {
            rank[k].now = end;
            push(k);
        }
    advance_to(end);
    return code;
}

bool tweed__ranks_went_well(struct tweed__ranks *r, int error)
{
    return !r->failed && !error;
}

int tweed__loop_failed(struct tweed__loop *l, int error)
{
    (void)l, (void)error;
    return TWEED_EMPI;
}

void tweed__window_serve(struct tweed__ranks *r, unsigned polls)
{
    (void)r, (void)polls;
}

/* There: when the word is touched. */
static uint64_t *reach(struct tweed__ranks *r, int k, int word)
{
    if (word >= TWEED__STOCK) /* of members, too */
        return &rank[k].word[word];
    if (k == r->rank) {
        pass_time(me->now + OWN_NS);
        return &rank[k].word[word];
    }
    r->operations++;
    rank[k].hits++;
    pass_time(me->now + latency / 2);
    if (rank[k].busy > me->now)
        pass_time(rank[k].busy);
    rank[k].busy = me->now + atomic_ns;
    return &rank[k].word[word];
}

static uint64_t back(struct tweed__ranks *r, int k, uint64_t value)
{
    if (k != r->rank)
        pass_time(me->now + latency / 2);
    return value;
}

uint64_t tweed__window_read(struct tweed__ranks *r, int k, int word)
{
    uint64_t value = *reach(r, k, word);

    return back(r, k, value);
}

uint64_t tweed__window_add(struct tweed__ranks *r, int k, int word, uint64_t n)
{
    uint64_t *place = reach(r, k, word), value = *place;

    *place = value + n;
    return back(r, k, value);
}

uint64_t tweed__window_cas(struct tweed__ranks *r, int k, int word, uint64_t expected,
                           uint64_t desired)
{
    uint64_t *place = reach(r, k, word), value = *place;

    if (value == expected)
        *place = desired;
    return back(r, k, value);
}

void tweed__window_read_two(struct tweed__ranks *r, const int k[2], int word,
                            uint64_t value[2])
{
    value[0] = *reach(r, k[0], word); /* the second one is under way meanwhile */
    rank[k[1]].hits++;
    r->operations++;
    value[1] = rank[k[1]].word[word];
    (void)back(r, k[0], 0);
}

/* ---- the loop ---- */

static void rank_main(void)
{
    int code = tweed__loop_drive(&me->loop);

    if (code)
        abort();
    me->over = me->now;
    setcontext(&scheduler);
}

static void make_rank(int k, uint32_t blocks, uint64_t start)
{
    struct rank *r = &rank[k];

    r->ranks.rank = k;
    r->ranks.size = ranks;
    r->loop.ranks = &r->ranks;
    r->loop.call = TWEED__PIECES;
    r->loop.count = r->loop.blocks = blocks;
    r->loop.grain = 1;
    r->loop.share.begin = (uint32_t)((uint64_t)blocks * (uint64_t)k / (uint64_t)ranks);
    r->loop.share.end = (uint32_t)((uint64_t)blocks * ((uint64_t)k + 1) / (uint64_t)ranks);
    r->loop.workers = workers;
    r->loop.run = sim_run;
    r->stats.size = sizeof r->stats;
    r->loop.options.stats = &r->stats;
    r->now = start;
    getcontext(&r->context);
    r->context.uc_stack.ss_size = STACK_BYTES;
    r->context.uc_stack.ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (r->context.uc_stack.ss_sp == MAP_FAILED)
        exit(99);
    makecontext(&r->context, rank_main, 0);
    push(k);
}

static void print_table(uint32_t n)
{
    double sum = 0, heaviest = 0, ideal;
    uint64_t over = 0, hottest = 0, operations = 0, steals = 0, pieces = 0, indices = 0;

    for (uint32_t i = 0; i < n; i++) {
        sum += cost[i];
        heaviest = cost[i] > heaviest ? cost[i] : heaviest;
    }
    for (int k = 0; k < ranks; k++) {
        over = rank[k].over > over ? rank[k].over : over;
        hottest = rank[k].hits > hottest ? rank[k].hits : hottest;
        operations += rank[k].stats.operations;
        steals += rank[k].stats.steals;
        pieces += rank[k].stats.pieces;
        indices += rank[k].stats.indices;
    }
    if (indices != n) {
        fprintf(stderr, "%llu indices of %u\n", (unsigned long long)indices, n);
        exit(1);
    }
    ideal = sum / ranks / workers;
    ideal = ideal > heaviest ? ideal : heaviest;
    printf("%d %d %llu %.2f %.2f %.3f %.1f %.1f %.1f %llu\n", ranks, workers,
           (unsigned long long)latency, ideal / 1e6, (double)over / 1e6, (double)over / ideal,
           (double)pieces / ranks, (double)steals / ranks, (double)operations / ranks,
           (unsigned long long)hottest);
}

static const char *argument(int argc, char **argv, const char *name, const char *standard)
{
    size_t length = strlen(name);

    for (int k = 1; k < argc; k++)
        if (strncmp(argv[k], name, length) == 0 && argv[k][length] == '=')
            return argv[k] + length + 1;
    return standard;
}

#define NUMBER(name, standard) strtod(argument(argc, argv, name, #standard), NULL)

int main(int argc, char **argv)
{
    double mean = NUMBER("mean", 500000), ideal = NUMBER("ideal", 100);
    double n;

    ranks = (int)NUMBER("ranks", 1024);
    workers = (int)NUMBER("workers", 64);
    latency = (uint64_t)NUMBER("latency", 2000);
    atomic_ns = (uint64_t)NUMBER("atomic", 50);
    n = ideal * 1e6 / mean * ranks * workers;
    if (ranks < 1 || workers < 1 || workers > WORKERS || n < 1 || n > 67108862)
        exit(2);
    cost = calloc((size_t)n, sizeof *cost);
    rank = calloc((size_t)ranks, sizeof *rank);
    heap = calloc((size_t)ranks + 1, sizeof *heap);
    if (!cost || !rank || !heap ||
        !load_fill(cost, (int64_t)n, argument(argc, argv, "load", "uniform"), mean,
                   NUMBER("heavy", 10), NUMBER("part", 0.01), (uint64_t)NUMBER("seed", 1)))
        exit(2);
    for (int k = 0; k < ranks; k++)
        make_rank(k, (uint32_t)n, agreement());
    while (in_heap) {
        me = &rank[pop()];
        driving = me->is_driving;
        swapcontext(&scheduler, &me->context);
    }
    print_table((uint32_t)n);
    return 0;
}
