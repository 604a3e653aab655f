/*
 * ranks.c - ranks that hold blocks of a loop, steal from each other, and come to its end.
 *
 * SPDX-License-Identifier: MIT
 *
 *   ranks=2
 *   workers=1    of each rank: the driver and members of its crew
 *   crews=4      so many ranks, the last ones, have members
 *   nodes=0      1: several, threads take of portions that the driver supplies; 0: one
 *   blocks=4     of each loop, dealt out evenly; with lopsided=1 rank 0 holds them all, with 2
 *                all but two, and executes none
 *   lopsided=0
 *   piece=1      blocks that a thread takes at a time; the driver supplies twice as many
 *   loops=1      one after the other; between two all ranks meet, as in MPI_Allreduce
 *   looks=0      how often a rank looks at other ones, in a loop; 0: until it is over.
 *                (With looks > 0 a rank may leave a loop that is not over.)
 *   victims=1    that a thief looks at; 2: at the next two ranks, of which the richer is robbed
 *   absent=0     1: with nodes=1 drivers execute nothing.  Each one waits until its crew has
 *                executed what it has supplied, before it does anything else
 *
 * Below rank k of the tree is rank k + 1.  The operations of mpi/window.c are atomics, as
 * they are where all ranks are on one node; a delay is that others come in between.
 *
 * Each block is executed once; a rank leaves a loop when all its blocks were executed; at
 * the end nobody holds anything, all is counted, each rank was told once a loop, and no crew
 * has members.
 */
#include "model.h"

#include "../../lib/base/atomic.h"

#define TWEED_MPI_WINDOW_H
#include "../../mpi/words.h"
struct tweed__ranks {
    int rank, size, failed;
    uint64_t loops;
};

#define FAN 1
#include "../../mpi/holding.c"
#include "../../mpi/crew.c"
#include "../../mpi/end.c"

#define RANKS 4
#define BLOCKS 16
#define LOOPS 3
#define PLACES 5 /* of a rank */

/* HELD, DONE, OVER; STOCK. */
static _Atomic uint64_t word[RANKS][PLACES];
static _Atomic uint64_t executed[RANKS];
static struct tweed__ranks place[RANKS];
static struct tweed__crew crew[RANKS];
static int ranks, workers, crews, nodes, blocks, lopsided, piece, loops, looks;
static int victims, absent;

static struct {
    MODEL_MARK(unsigned char) times[LOOPS][BLOCKS];
    MODEL_MARK(unsigned char) arrived[LOOPS]; /* ranks, at the beginning */
    MODEL_MARK(unsigned char) asked[RANKS], begun[RANKS], ended[RANKS]; /* tasks */
    MODEL_MARK(unsigned char) supplied[RANKS], done[RANKS]; /* blocks, where absent */
    MODEL_MARK(unsigned char) loop[RANKS];
    MODEL_MARK(unsigned char) over[RANKS]; /* all its loops */
} got;

/* ---- the operations, as window.c's on one node ---- */

static _Atomic uint64_t *reach(int rank, int k)
{
    return &word[rank][k < TWEED__STOCK ? k : k - TWEED__STOCK + TWEED__OVER + 1];
}

uint64_t tweed__window_read(struct tweed__ranks *r, int rank, int k)
{
    (void)r;
    return load_acquire(reach(rank, k));
}

/* The blocks in a word are taken off its ends: none are put into a word that has some. */
static bool takes(uint64_t before, uint64_t after)
{
    return low_of(before) <= low_of(after) && high_of(after) <= high_of(before);
}

uint64_t tweed__window_cas(struct tweed__ranks *r, int rank, int k, uint64_t expected,
                           uint64_t desired)
{
    uint64_t before = expected;

    (void)r;
    if (!cas_acq_rel(reach(rank, k), &expected, desired))
        return expected;
    model_assert(tweed__holding_size(before) == 0 || takes(before, desired));
    if (absent && k >= TWEED__STOCK && tweed__holding_size(before) == 0)
        for (uint32_t n = tweed__holding_size(desired); n > 0; n--)
            (void)mark_one_more(got.supplied[rank]);
    return expected;
}

uint64_t tweed__window_add(struct tweed__ranks *r, int rank, int k, uint64_t n)
{
    (void)r;
    return fetch_add_acq_rel(reach(rank, k), n);
}

void tweed__window_read_two(struct tweed__ranks *r, const int rank[2], int k,
                            uint64_t value[2])
{
    (void)r;
    value[0] = load_relaxed(reach(rank[0], k)); /* both: a guess */
    value[1] = rank[0] == rank[1] ? value[0] : load_relaxed(reach(rank[1], k));
}

/* ---- a rank ---- */

static bool have_arrived(void *arg)
{
    return mark_of(got.arrived[(intptr_t)arg]) == ranks;
}

static void meet(int loop)
{
    (void)mark_one_more(got.arrived[loop]);
    model_await(have_arrived, (void *)(intptr_t)loop);
}

/* Nothing that is over makes states differ. */
static void forget(struct tweed__blocks *b)
{
    b->begin = 0;
    b->end = 0;
}

static void execute(struct tweed__ranks *r, struct tweed__blocks *b)
{
    model_assert(b->begin < b->end && b->end <= (uint32_t)blocks);
    for (uint32_t i = b->begin; i < b->end; i++) {
        unsigned char before = mark_one_more(got.times[mark_of(got.loop[r->rank])][i]);

        model_assert(before == 0);
        if (absent)
            (void)mark_one_more(got.done[r->rank]);
    }
    fetch_add_release(&executed[r->rank], b->end - b->begin);
    forget(b);
}

static uint32_t wanted(uint32_t left, const void *arg)
{
    (void)left, (void)arg;
    return (uint32_t)piece;
}

static uint32_t wanted_portion(uint32_t left, const void *arg)
{
    (void)left, (void)arg;
    return 2 * (uint32_t)piece;
}

static bool steal(void *arg, struct tweed__blocks *b)
{
    struct tweed__ranks *r = arg;
    int first = 1 + (victims == 1 && ranks > 2 ? model_choose(ranks - 1) : 0);
    int victim[2] = { (r->rank + first) % ranks, (r->rank + first + victims - 1) % ranks };

    return ranks > 1 && tweed__crew_steal(&crew[r->rank], victim, b);
}

static bool take(struct tweed__ranks *r, struct tweed__blocks *b)
{
    struct tweed__demand d = { wanted, steal, r };

    return tweed__crew_take(&crew[r->rank], &d, b);
}

static bool supply(struct tweed__ranks *r)
{
    struct tweed__demand d = { wanted_portion, steal, r };

    return tweed__crew_supply(&crew[r->rank], &d);
}

/* ---- a crew ---- */

static bool ask_member(void *arg)
{
    struct tweed__ranks *r = arg;

    (void)mark_one_more(got.asked[r->rank]);
    return true;
}

static bool has_task_or_is_over(void *arg)
{
    intptr_t k = (intptr_t)arg;

    return mark_of(got.begun[k]) < mark_of(got.asked[k]) || mark_of(got.over[k]);
}

/* As serve() in mpi/drive.c. */
static void serve(struct tweed__ranks *r)
{
    struct tweed__blocks b;

    forget(&b);
    do
        while (take(r, &b))
            execute(r, &b);
    while (!tweed__crew_leave(&crew[r->rank]));
    forget(&b);
}

static void member_of(void *arg)
{
    intptr_t k = (intptr_t)arg;

    for (;;) {
        model_await(has_task_or_is_over, arg);
        if (mark_of(got.over[k]))
            return;
        (void)mark_one_more(got.begun[k]);
        serve(&place[k]);
        (void)mark_one_more(got.ended[k]);
    }
}

static bool has_left(void *arg)
{
    intptr_t k = (intptr_t)arg;

    return mark_of(got.ended[k]) == mark_of(got.asked[k]);
}

/* ---- a loop ---- */

static bool all_is_done(int loop)
{
    for (int i = 0; i < blocks; i++)
        if (mark_of(got.times[loop][i]) != 1)
            return false;
    return true;
}

/* Where its share begins; the one of the next rank is its end. */
static uint32_t share_begin(int rank)
{
    if (lopsided)
        return (uint32_t)(rank == 0 ? 0 : rank == 1 ? blocks - 2 * (lopsided - 1) : blocks);
    return (uint32_t)(blocks * rank / ranks);
}

static bool crew_is_done(void *arg)
{
    intptr_t k = (intptr_t)arg;

    return mark_of(got.done[k]) == mark_of(got.supplied[k]);
}

/* True: there was something to do for the driver. */
static bool work(struct tweed__ranks *r)
{
    struct tweed__blocks b;
    bool any = nodes && supply(r);

    forget(&b);
    if (any && absent)
        model_await(crew_is_done, (void *)(intptr_t)r->rank);
    if (absent || (lopsided == 2 && r->rank == 0) || !take(r, &b))
        return any;
    execute(r, &b);
    return true;
}

static bool is_over(struct tweed__ranks *r, uint64_t *counted, uint64_t *total)
{
    uint64_t done = load_acquire(&executed[r->rank]);

    tweed__end_count(r, done - *counted, total);
    *counted = done;
    return tweed__end_is_over(r, *total, (uint64_t)blocks);
}

/* As drive() in mpi/drive.c. */
static void drive(struct tweed__ranks *r, int loop)
{
    struct tweed__blocks share = { share_begin(r->rank), share_begin(r->rank + 1) };
    uint64_t counted = load_relaxed(&executed[r->rank]), total = 0;
    bool over = false;

    r->loops++;
    tweed__crew_begin(&crew[r->rank], &share);
    for (int n = 0; !over && (!looks || n < looks);) {
        if (work(r))
            continue;
        over = is_over(r, &counted, &total);
        n += looks > 0;
    }
    model_assert(!over || all_is_done(loop));
    model_await(has_left, (void *)(intptr_t)r->rank);
    if (over)
        tweed__end_tell(r);
}

static void rank_of(void *arg)
{
    struct tweed__ranks *r = &place[(intptr_t)arg];

    for (int loop = 0; loop < loops; loop++) {
        meet(loop);
        mark(got.loop[r->rank], (unsigned char)loop);
        drive(r, loop);
    }
    mark(got.over[r->rank], 1);
}

static void verify(void)
{
    for (int loop = 0; loop < loops && !looks; loop++)
        model_assert(all_is_done(loop));
    for (int k = 0; k < ranks && !looks; k++) {
        for (int i = 0; i < PLACES; i++)
            if (i != TWEED__DONE && i != TWEED__OVER)
                model_assert(!tweed__holding_size(load_relaxed(&word[k][i])));
        model_assert(load_relaxed(&word[k][TWEED__DONE]) == 0);
        model_assert(load_relaxed(&word[k][TWEED__OVER]) == (k ? (uint64_t)loops : 0));
        model_assert(load_relaxed(&crew[k].members) == 0);
        model_assert(load_relaxed(&crew[k].turn) == 0);
    }
}

static void make_rank(int k)
{
    static const char *const names[PLACES] = { "held", "done", "over", "stock", "stock2" };

    place[k].rank = k;
    place[k].size = ranks;
    crew[k].ranks = &place[k];
    crew[k].direct = !nodes;
    crew[k].most = k >= ranks - crews ? workers - 1 : 0;
    crew[k].ask = ask_member;
    crew[k].arg = &place[k];
    for (int i = 0; i < PLACES; i++)
        model_place(&word[k][i], sizeof word[k][i], names[i]);
    model_place(&executed[k], sizeof executed[k], "executed");
    model_place(&crew[k].members, sizeof crew[k].members, "members");
    model_place(&crew[k].turn, sizeof crew[k].turn, "turn");
    model_place(&crew[k].older, sizeof crew[k].older, "older");
    model_thread(rank_of, (void *)(intptr_t)k, false);
    for (int w = 0; w < crew[k].most; w++)
        model_thread(member_of, (void *)(intptr_t)k, false);
}

void model_setup(void)
{
    ranks = MODEL_NUMBER(ranks, 2);
    workers = MODEL_NUMBER(workers, 1);
    crews = MODEL_NUMBER(crews, 4);
    nodes = MODEL_NUMBER(nodes, 0);
    blocks = MODEL_NUMBER(blocks, 4);
    lopsided = MODEL_NUMBER(lopsided, 0);
    piece = MODEL_NUMBER(piece, 1);
    loops = MODEL_NUMBER(loops, 1);
    looks = MODEL_NUMBER(looks, 0);
    victims = MODEL_NUMBER(victims, 1);
    absent = MODEL_NUMBER(absent, 0);
    model_assert(ranks <= RANKS && blocks <= BLOCKS && loops <= LOOPS);
    for (int k = 0; k < ranks; k++)
        make_rank(k);
    model_memory(place, sizeof place);
    model_memory(&got, sizeof got);
    model_verify(verify);
}
