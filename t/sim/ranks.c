/*
 * ranks.c - what a loop over ranks would take: mpi/drive.c, holding.c and end.c as they
 * ship, on made-up machines.
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
 * least goes on.  The rank's pool is played: workers take indices in the order of the pieces
 * in flight, each the next one when it is free; the calling thread takes those of the piece
 * that it runs.  So what a pool itself costs is not in it, but for PIECE_COST_NS.  The loop
 * begins and ends with an MPI_Allreduce of 2 log2(ranks) messages.
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
#define tweed_spawn sim_spawn
#define tweed_sync sim_sync
#include "../../mpi/holding.c"
#include "../../mpi/end.c"
#include "../../mpi/drive.c"

#define PIECE_COST_NS 3000 /* of a loop on a pool */
#define OWN_NS 100         /* an operation on one's own window */
#define YIELD_NS 1000
#define STACK_BYTES 65536
#define PIECES 4
#define WORKERS 256

/* Indices that are being executed: [next, hi) have not begun. */
struct job {
    struct piece *piece; /* of the reserve; NULL: what the calling thread runs */
    tweed_task_fn *fn;
    int64_t next, hi;
    uint64_t end;        /* when the last of those that have begun ends */
    bool used;
};

struct rank {
    struct tweed__ranks ranks;
    struct tweed__loop loop;
    tweed_mpi_stats stats;
    ucontext_t context;
    uint64_t now, over;
    struct tweed__drive *driving;
    uint64_t free[WORKERS]; /* when a worker is; 0 is the calling thread */
    struct job job[PIECES]; /* in the order in which they came */
    bool replays;           /* what is run has been executed */
    uint64_t word[TWEED__WORDS], busy, hits;
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

static void advance_to(uint64_t t)
{
    struct rank *self = me;

    if (t > self->now)
        self->now = t;
    if (in_heap == 0 || before((int)(self - rank), heap[0]))
        return;
    self->driving = driving;
    push((int)(self - rank));
    swapcontext(&self->context, &scheduler);
    driving = self->driving;
}

/* ---- the pool ---- */

static void begin_index(struct job *j, uint64_t *worker, uint64_t t)
{
    *worker = t + (uint64_t)cost[j->next++];
    if (*worker > j->end)
        j->end = *worker;
    if (j->piece && load_relaxed(&j->piece->state) == WAITING)
        store_relaxed(&j->piece->state, RUNNING);
}

static struct job *next_job(void)
{
    for (int k = 0; k < PIECES; k++)
        if (me->job[k].used && me->job[k].next < me->job[k].hi)
            return &me->job[k];
    return NULL;
}

/* The workers, without the calling thread, begin what they can before t.  Who has been
   idle begins when there was something: not before `since`. */
static void pool_until(uint64_t since, uint64_t t)
{
    struct job *j;

    while ((j = next_job())) {
        int least = 0;

        for (int w = 1; w < workers; w++)
            if (!least || me->free[w] < me->free[least])
                least = w;
        if (!least || (me->free[least] > since ? me->free[least] : since) >= t)
            return;
        begin_index(j, &me->free[least], me->free[least] > since ? me->free[least] : since);
    }
}

static struct job *add_job(int64_t lo, int64_t hi)
{
    int k = 0;

    while (me->job[k].used)
        k++;
    me->job[k] = (struct job){ .next = lo, .hi = hi, .end = me->now, .used = true };
    return &me->job[k];
}

/* Pieces of the reserve that are over: drive.c counts them. */
static void complete(void)
{
    for (int k = 0; k < PIECES; k++) {
        struct job *j = &me->job[k];

        if (j->used && j->piece && j->next == j->hi && j->end <= me->now) {
            j->used = false;
            me->replays = true;
            (void)j->fn(j->piece);
            me->replays = false;
        }
    }
}

static void pass_time(uint64_t t)
{
    pool_until(me->now, t);
    advance_to(t);
    complete();
}

/* The calling thread executes one index of j, and looks after the rest. */
static void execute_one(struct job *j)
{
    uint64_t end;

    begin_index(j, &end, me->now);
    pass_time(end);
    tweed__loop_tend(&me->loop);
}

static int sim_run(tweed_pool *pool, const tweed_loop_options *o, int64_t lo, int64_t hi,
                   void *arg)
{
    struct job *j;

    (void)pool, (void)o, (void)arg;
    if (me->replays)
        return 0;
    pass_time(me->now + PIECE_COST_NS);
    j = add_job(lo, hi);
    while (j->next < j->hi)
        execute_one(j);
    pass_time(j->end);
    j->used = false;
    return 0;
}

static int sim_spawn(tweed_group *group, tweed_task_fn *fn, void *arg)
{
    struct piece *p = arg;
    struct job *j = add_job(p->blocks.begin, p->blocks.end);

    (void)group;
    j->piece = p;
    j->fn = fn;
    return 0;
}

static int sim_sync(tweed_group *group)
{
    (void)group;
    for (;;) {
        struct job *j = next_job();
        uint64_t end = 0;

        if (j) {
            execute_one(j);
            continue;
        }
        for (int k = 0; k < PIECES; k++)
            if (me->job[k].used && me->job[k].end > end)
                end = me->job[k].end;
        if (!end)
            return 0;
        pass_time(end);
    }
}

/* ---- the system, and MPI ---- */

static int sim_clock(int id, struct timespec *t)
{
    (void)id;
    *t = (struct timespec){ (time_t)(me->now / 1000000000), (long)(me->now % 1000000000) };
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

int tweed__loop_result(struct tweed__loop *l, int code)
{
    (void)l;
    me->now += agreement();
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
    if (ranks < 2 || workers < 1 || workers > WORKERS || n < 1 || n > 67108862)
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
        driving = me->driving;
        swapcontext(&scheduler, &me->context);
    }
    print_table((uint32_t)n);
    return 0;
}
