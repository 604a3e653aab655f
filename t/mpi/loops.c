/*
 * loops.c - loops over ranks: each index once, on one of them.
 *
 * SPDX-License-Identifier: MIT
 *
 *   loops          one node
 *   loops helped   ranks whose windows MPI serves only when they call it: less is said of
 *                  who steals from whom
 *   loops victims  one node: each rank is stolen from, and nothing else
 */
#include "ranks.h"

#include <pthread.h>
#include <string.h>

#define N 20000

static int times[N]; /* that index was executed, on this rank */
static int helped;
static tweed_pool *pool;
static tweed_mpi_options options = TWEED_MPI_OPTIONS_INIT;
static tweed_mpi_stats stats = TWEED_MPI_STATS_INIT;

/* Indices from lo on, whose times begin there. */
struct area {
    int64_t lo;
    int *times;
};

/* Was each of the first n executed once, over all ranks?  They are forgotten then. */
static int once(int64_t n)
{
    static int of_all[N];
    int good = 1;

    MPI_Allreduce(times, of_all, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int64_t i = 0; i < N; i++)
        good &= of_all[i] == (i < n);
    memset(times, 0, sizeof times);
    return good;
}

static void one(int64_t i, void *arg)
{
    struct area *a = arg;

    a->times[i - a->lo]++;
}

static void some(int64_t begin, int64_t end, void *arg)
{
    for (int64_t i = begin; i < end; i++)
        one(i, arg);
}

static int piece(tweed_pool *p, const tweed_loop_options *o, int64_t lo, int64_t hi, void *arg)
{
    return tweed_parallel_for_with(p, o, lo, hi, one, arg);
}

TWEED_MPI_LOOP(braces, i, struct area *, a) { one(i, a); }

static int call(int kind, int64_t lo, int64_t hi, struct area *a)
{
    switch (kind) {
    case 0: return tweed_mpi_parallel_for(MPI_COMM_WORLD, &options, lo, hi, one, a);
    case 1: return tweed_mpi_parallel_for_range(MPI_COMM_WORLD, &options, lo, hi, some, a);
    case 2: return tweed_mpi_run(MPI_COMM_WORLD, &options, lo, hi, piece, a);
    default: return braces(MPI_COMM_WORLD, &options, lo, hi, a);
    }
}

/* All kinds of call, loops of many lengths, at both ends of what there is. */
static void kinds(void)
{
    static const int64_t sizes[] = { 0, 1, 2, 7, 64, 1500 };
    static const int64_t firsts[] = { -5, INT64_MIN, INT64_MAX - 1500 };
    int64_t done = 0;

    for (int f = 0; f < 3; f++)
        for (int s = 0; s < 6; s++)
            for (int kind = (ranks > 2) * (s + f) % 4; kind < 4; kind += ranks > 2 ? 4 : 1) {
                struct area a = { firsts[f], times + done };

                check(call(kind, a.lo, a.lo + sizes[s], &a) == 0,
                      "call %d: %lld indices, start %d", kind, (long long)sizes[s], f);
                done += sizes[s];
            }
    check(once(done), "loops of all kinds and many lengths: each index once");
    check(call(0, 5, -5, NULL) == 0 && once(0), "reversed bounds are an empty loop");
}

static void many(void)
{
    int loops = ranks > 2 ? 30 : 150;
    int64_t done = 0;

    for (int k = 0; k < loops; k++) {
        struct area a = { 0, times + done };

        check(tweed_mpi_parallel_for(MPI_COMM_WORLD, NULL, 0, k, one, &a) == 0,
              "one loop after the other, %d", k);
        done += k;
    }
    check(once(done), "one loop after the other: each index once");
}

static void count_length(int64_t begin, int64_t end, void *arg)
{
    __atomic_fetch_add((uint64_t *)arg, (uint64_t)end - (uint64_t)begin, __ATOMIC_RELAXED);
}

static void longest(void)
{
    uint64_t length = 0;

    check(tweed_mpi_parallel_for_range(MPI_COMM_WORLD, &options, INT64_MIN, INT64_MAX,
                                       count_length, &length) == 0 &&
              sum(length) == UINT64_MAX, "2^64 - 1 indices");
}

/* ---- balance ---- */

static void dear_first(int64_t i, void *arg)
{
    one(i, arg);
    if (i < 48)
        sleep_us(4000);
}

static void dear_one(int64_t i, void *arg)
{
    one(i, arg);
    sleep_us(i == 0 ? 200000 : 1000);
}

static void uneven(void)
{
    struct area a = { 0, times };
    int64_t n = 48 * ranks;
    uint64_t indices, steals;

    options.stats = &stats;
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &options, 0, n, dear_first, &a) == 0 &&
              once(n), "dear indices on one rank: each once");
    indices = sum(stats.indices);
    steals = sum(stats.steals);
    check(indices == (uint64_t)n, "the ranks' indices are all: %llu",
          (unsigned long long)indices);
    check(ranks == 1 || helped || steals > 0, "they were taken from it");
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &options, 0, 32 * ranks, dear_one, &a) ==
              0 && once(32 * ranks), "a rank in a long body: each once");
    options.stats = NULL;
}

/* ---- a rank whose calling thread is in a long body: one node ---- */

static struct {
    uint64_t *done; /* by all ranks */
    pthread_t caller;
    uint64_t n;
    int waits, goes_on;
} longest_body;

/* The first index of rank 0's calling thread is over when all others are. */
static void behind(int64_t i, void *arg)
{
    one(i, arg);
    if (rank == 0 && pthread_equal(pthread_self(), longest_body.caller) &&
        !longest_body.waits++)
        for (int k = 0; k < 40000 && !longest_body.goes_on; k++) {
            sleep_us(500);
            longest_body.goes_on =
                __atomic_load_n(longest_body.done, __ATOMIC_RELAXED) == longest_body.n - 1;
        }
    else
        sleep_us(500);
    __atomic_fetch_add(longest_body.done, 1, __ATOMIC_RELAXED);
}

static void behind_a_long_body(void)
{
    tweed_pool_options p = TWEED_POOL_OPTIONS_INIT;
    tweed_mpi_options o = options;
    struct area a = { 0, times };
    int64_t n = 150 * ranks;
    MPI_Aint bytes;
    MPI_Win window;
    int unit;

    p.num_workers = 3;
    check(tweed_pool_create(&o.pool, &p) == TWEED_OK, "a pool of three");
    MPI_Win_allocate_shared(rank == 0 ? sizeof(uint64_t) : 0, 1, MPI_INFO_NULL,
                            MPI_COMM_WORLD, &longest_body.done, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &longest_body.done);
    if (rank == 0)
        *longest_body.done = 0;
    longest_body.n = (uint64_t)n;
    longest_body.caller = pthread_self();
    MPI_Barrier(MPI_COMM_WORLD);
    o.stats = &stats;
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, n, behind, &a) == 0 && once(n),
          "behind a long body: each once");
    check(rank != 0 || longest_body.goes_on, "all others are executed meanwhile");
    check(rank != 0 || stats.indices > 20, "also by the same rank: %llu",
          (unsigned long long)stats.indices);
    MPI_Win_free(&window);
    tweed_pool_destroy(o.pool);
}

/* ---- each rank is stolen from: one node ---- */

static struct {
    uint64_t *taken; /* indices of the victim's share, by others */
    int64_t begin, end;
    int victim, gave_up;
} plunder;

/* Whoever executes the victim's indices on the victim waits until another rank has some. */
static void be_stolen_from(int64_t i, void *arg)
{
    one(i, arg);
    if (i < plunder.begin || i >= plunder.end)
        return;
    if (rank != plunder.victim)
        __atomic_fetch_add(plunder.taken, 1, __ATOMIC_RELAXED);
    for (int k = 0; !plunder.gave_up && !__atomic_load_n(plunder.taken, __ATOMIC_RELAXED);) {
        sleep_us(500);
        if (++k == 20000)
            plunder.gave_up = 1;
    }
}

/* Fails if draw() of drive.c never yields some rank, of all or of those of the node. */
static void each_is_stolen_from(void)
{
    tweed_mpi_options o = options;
    MPI_Aint bytes;
    MPI_Win window;
    int unit;

    MPI_Win_allocate_shared(rank == 0 ? sizeof(uint64_t) : 0, 1, MPI_INFO_NULL,
                            MPI_COMM_WORLD, &plunder.taken, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &plunder.taken);
    o.weight = 1;
    for (int k = 0; k < ranks; k++) {
        struct area a = { 0, times };

        plunder.victim = k;
        plunder.begin = 40 * k;
        plunder.end = plunder.begin + 40;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            __atomic_store_n(plunder.taken, 0, __ATOMIC_RELAXED);
        MPI_Barrier(MPI_COMM_WORLD);
        check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, 40 * ranks, be_stolen_from,
                                     &a) == 0 &&
                  once(40 * ranks) && !plunder.gave_up, "rank %d is stolen from", k);
    }
    MPI_Win_free(&window);
}

/* Pareto's distribution, cut off at 300 times the shortest, which is 100 us. */
static void heavy_tail(int64_t i, void *arg)
{
    uint64_t z = ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    double factor, u;

    one(i, arg);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    u = ((double)(z >> 11) + 0.5) / 9007199254740992.0;
    factor = 1 / u;
    sleep_us((long)(100 * (factor < 300 ? factor : 300)));
}

static void heavy_tails(void)
{
    tweed_pool_options p = TWEED_POOL_OPTIONS_INIT;
    tweed_mpi_options o = options;
    struct area a = { 0, times };
    int64_t n = 400 * ranks;

    p.num_workers = 4;
    check(tweed_pool_create(&o.pool, &p) == TWEED_OK, "a pool of four");
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, n, heavy_tail, &a) == 0 && once(n),
          "heavy tails on ranks of four workers: each once");
    tweed_pool_destroy(o.pool);
}

/* ---- options ---- */

static int owner[N];

static void note_rank(int64_t i, void *arg)
{
    (void)arg;
    owner[i] = rank + 1;
}

static void find_owners(int64_t n)
{
    static int mine[N];

    memcpy(mine, owner, sizeof mine);
    memset(owner, 0, sizeof owner);
    MPI_Allreduce(mine, owner, (int)n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void grains(void)
{
    tweed_mpi_options o = options;
    uint64_t indices;
    int good = 1;

    o.grain = 16;
    o.stats = &stats;
    memset(owner, 0, sizeof owner);
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, 1000, note_rank, NULL) == 0,
          "a grain is taken");
    indices = sum(stats.indices);
    check(indices == 1000, "of which the last one is shorter: %llu indices",
          (unsigned long long)indices);
    find_owners(1000);
    for (int i = 0; i < 1000; i++)
        good &= owner[i] > 0 && owner[i] == owner[i / 16 * 16];
    check(good, "the indices of a grain are on one rank");
}

/* By weight, or by the workers of the ranks' pools, which main() has made. */
static int64_t part_of(int k, int by_weight)
{
    return by_weight ? k + 1 : 1 + k % 3;
}

static void shares(int by_weight)
{
    tweed_mpi_options o = options;
    int64_t n = 1000, before = 0, all_parts = 0;
    int good = 1;

    o.schedule = TWEED_SCHEDULE_STATIC;
    o.weight = by_weight ? rank + 1 : 0;
    o.stats = &stats;
    memset(owner, 0, sizeof owner);
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, n, note_rank, NULL) == 0 &&
              stats.steals == 0, "a static loop");
    /* loops before it had operations */
    check(stats.operations == 0, "whose operations are its own: %llu",
          (unsigned long long)stats.operations);
    find_owners(n);
    for (int k = 0; k < ranks; k++)
        all_parts += part_of(k, by_weight);
    for (int k = 0; k < ranks; k++) {
        int64_t end = before + part_of(k, by_weight);

        for (int64_t i = n * before / all_parts; i < n * end / all_parts; i++)
            good &= owner[i] == k + 1;
        before = end;
    }
    check(good, "each rank has the share of its %s", by_weight ? "weight" : "workers");
}

static void names(void)
{
    tweed_loop_stats of[4];
    tweed_mpi_options o = options;
    struct area a = { 0, times };
    uint64_t indices = 0;
    int n;

    for (int k = 0; k < 4; k++)
        of[k] = (tweed_loop_stats)TWEED_LOOP_STATS_INIT;
    o.name = "over ranks";
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, 500, one, &a) == 0 && once(500),
          "a loop with a name");
    n = tweed_loop_stats_get(of, 4);
    for (int k = 0; k < n && k < 4; k++)
        if (strcmp(of[k].name, "over ranks") == 0)
            indices += of[k].indices;
    check(sum(indices) == 500, "its indices are counted under the name: %llu",
          (unsigned long long)indices);
}

static uint64_t shown, shown_total;
static int descends, between, shows_made; /* between: calls when some were done, and not all */

static void show(uint64_t done, uint64_t total, void *arg)
{
    (void)arg;
    descends |= done < shown || done > total;
    between += done > 0 && done < total;
    shown = done;
    shown_total = total;
    shows_made++;
}

static void slow(int64_t i, void *arg)
{
    one(i, arg);
    sleep_us(4000);
}

TWEED_MPI_LOOP(slow_braces, i, struct area *, a)
{
    one(i, a);
    if (i < 240)
        sleep_us(6000);
}

static void shows(const char *what, int64_t n, const tweed_mpi_options *o,
                  int (*call)(MPI_Comm comm, const tweed_mpi_options *o, int64_t lo,
                              int64_t hi, struct area *a))
{
    struct area a = { 0, times };

    shown = shown_total = 0;
    descends = between = 0;
    check(call(MPI_COMM_WORLD, o, 0, n, &a) == 0 && once(n), "%s that is shown", what);
    check(rank != 0 || (shown == (uint64_t)n && shown_total == shown && !descends),
          "%s: rank 0 is told how far it is, and the end", what);
    check(rank != 0 || between > 0, "%s: it is told so before the end", what);
    check(rank == 0 || shown_total == 0, "%s: others are not", what);
}

static int slow_loop(MPI_Comm comm, const tweed_mpi_options *o, int64_t lo, int64_t hi,
                     struct area *a)
{
    return tweed_mpi_parallel_for(comm, o, lo, hi, slow, a);
}

static void shows_an_empty_loop(void)
{
    tweed_mpi_options o = options;

    o.progress = show;
    shown = shown_total = 77;
    shows_made = 0;
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 5, 5, one, NULL) == 0,
          "an empty loop that is shown");
    check(shows_made == (rank == 0) && (rank || (shown == 0 && shown_total == 0)),
          "rank 0 is told of its end, once");
}

/* Each loop lasts for more than 200 ms. */
static void shows_progress(void)
{
    tweed_mpi_options o = options;
    int64_t n = 240 * (ranks > 4 ? 4 : ranks);

    o.progress = show;
    o.stats = &stats;
    shows("a loop", n, &o, slow_loop);
    o.schedule = TWEED_SCHEDULE_STATIC;
    shows("a static loop", n, &o, slow_loop);
    o.schedule = TWEED_SCHEDULE_DEFAULT;
    if (ranks > 4)
        return; /* more workers, which are done with the dear indices earlier */
    shows("a loop with its body in braces", 240 * ranks, &o, slow_braces);
}

TWEED_MPI_LOOP(dear_braces, i, struct area *, a)
{
    one(i, a);
    if (i < 500)
        sleep_us(250);
}

/* Also where MPI serves thieves when the victim calls it: between pieces. */
static void steals_braces(void)
{
    tweed_mpi_options o = options;
    struct area a = { 0, times };

    o.stats = &stats;
    check(dear_braces(MPI_COMM_WORLD, &o, 0, 500 * ranks, &a) == 0 && once(500 * ranks),
          "a body in braces, dear indices on one rank: each once");
    check(ranks == 1 || sum(stats.steals) > 0, "they were taken from it between its pieces");
}

TWEED_MPI_LOOP(no_arguments, i) { times[i]++; }
TWEED_MPI_LOOP(ten_arguments, i, int *, to, char, a, short, b, int, c, long, d, float, e,
               double, f, unsigned, g, const int, h, const int *, k)
{
    to[i] += a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6 && g == 7 && h == 8 &&
             *k == 9;
}

static void arguments(void)
{
    static const int nine = 9;

    check(no_arguments(MPI_COMM_WORLD, &options, 0, 1000) == 0 && once(1000),
          "a body in braces without arguments");
    check(ten_arguments(MPI_COMM_WORLD, &options, 0, 1000, times, 1, 2, 3, 4, 5, 6, 7, 8,
                        &nine) == 0 && once(1000),
          "and with ten");
}

/* ---- what is refused ---- */

static void nested(int64_t i, void *arg)
{
    (void)i;
    if (tweed_mpi_parallel_for(MPI_COMM_WORLD, NULL, 0, 1, one, arg) == TWEED_ENESTED)
        __atomic_fetch_add((int *)arg, 1, __ATOMIC_RELAXED);
}

/* The calling thread, or a task's, which are in no body. */
static int nested_piece(tweed_pool *p, const tweed_loop_options *o, int64_t lo, int64_t hi,
                        void *arg)
{
    (void)p, (void)o;
    if (tweed_mpi_parallel_for(MPI_COMM_WORLD, NULL, 0, 1, one, arg) == TWEED_ENESTED &&
        tweed_mpi_parallel_for(MPI_COMM_SELF, NULL, 0, 1, one, arg) == TWEED_ENESTED)
        __atomic_fetch_add((int *)arg, (int)(hi - lo), __ATOMIC_RELAXED);
    return 0;
}

static void nested_progress(uint64_t done, uint64_t total, void *arg)
{
    if (done < total)
        *(int *)arg |= tweed_mpi_parallel_for(MPI_COMM_SELF, NULL, 0, 1, one, NULL) !=
                       TWEED_ENESTED;
}

static void *another_thread(void *arg)
{
    *(int *)arg = tweed_mpi_parallel_for(MPI_COMM_WORLD, NULL, 0, 1, one, arg);
    return NULL;
}

/* A struct of a later version: 8 bytes more. */
struct later_options {
    tweed_mpi_options known;
    uint64_t more;
};
struct later_stats {
    tweed_mpi_stats known;
    uint64_t more;
};

static void versions(void)
{
    struct later_options o = { options, 0 };
    struct later_stats s = { TWEED_MPI_STATS_INIT, 77 };
    struct area a = { 0, times };
    int last = rank == ranks - 1;

    o.known.size = sizeof o;
    s.known.size = sizeof s;
    o.known.stats = &s.known;
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o.known, 0, 10, one, &a) == 0 && once(10),
          "options of a later version");
    check(sum(s.known.indices) == 10 && s.known.size == sizeof s && s.more == 0,
          "results of a later version: zero behind what is known");
    o.more = (uint64_t)last << 63;
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o.known, 0, 10, one, &a) == TWEED_EINVAL &&
              once(0), "options of a later version that ask for more, on one rank");
    o.more = 0;
    s.known.size = last ? sizeof s.known - 1 : sizeof s;
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o.known, 0, 10, one, &a) == TWEED_EINVAL &&
              once(0), "results of too small a size, on one rank");
}

static void refusals(void)
{
    tweed_mpi_options o = options;
    struct area a = { 0, times };
    tweed_mpi_stats bad = TWEED_MPI_STATS_INIT;
    int level, code = 0, last = rank == ranks - 1;
    pthread_t thread;

    if (ranks > 1)
        check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &options, 0, 10 + last, one, &a) ==
                      TWEED_EDIFFER &&
                  strcmp(tweed_last_error(), "the ranks do not agree: in hi") == 0,
              "other bounds on one rank");
    if (ranks > 1)
        check((last ? tweed_mpi_parallel_for(MPI_COMM_WORLD, &options, 0, 9, one, &a)
                    : tweed_mpi_parallel_for_range(MPI_COMM_WORLD, &options, 0, 9, some,
                                                   &a)) == TWEED_EDIFFER,
              "another call on one rank");
    o.grain = last;
    if (ranks > 1)
        check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, 10, one, &a) == TWEED_EDIFFER,
              "another grain on one rank");
    o.grain = -last;
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, 10, one, &a) == TWEED_EINVAL &&
              strcmp(tweed_last_error(),
                     last ? "invalid argument: tweed_mpi_options.grain is -1: expected 0 or more"
                          : "invalid argument: on another rank") == 0,
          "an option that makes no sense, on one rank");
    o = options;
    o.schedule = last ? TWEED_SCHEDULE_STATIC : TWEED_SCHEDULE_DEFAULT;
    if (ranks > 1)
        check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, 10, one, &a) == TWEED_EDIFFER,
              "another schedule on one rank");
    o = options;
    o.weight = last;
    if (ranks > 1)
        check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, 10, one, &a) == TWEED_EDIFFER,
              "a weight on one rank only");
    o.weight = last ? (1 << 20) + 1 : 1;
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, 10, one, &a) == TWEED_EINVAL,
          "too great a weight");
    o = options;
    o.schedule = last ? 77 : 0;
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, 10, one, &a) == TWEED_EINVAL,
          "no such schedule");
    o = options;
    bad.size = 8;
    o.stats = last ? &bad : NULL;
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, 10, one, &a) == TWEED_EINVAL,
          "results of no size");
    o = options;
    o.pool = last ? (tweed_pool *)&a : options.pool;
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, 10, one, &a) == TWEED_ENOPOOL,
          "no pool");
    o = options;
    o.size = last ? 8 : sizeof o;
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, 10, one, &a) == TWEED_EINVAL,
          "options of no size, on one rank");
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, NULL, 0, 10, last ? NULL : one, &a) ==
              TWEED_EINVAL, "no body, on one rank");
    check(tweed_mpi_run(MPI_COMM_WORLD, NULL, 0, 10, last ? NULL : piece, &a) ==
              TWEED_EINVAL, "no loop, on one rank");
    check(tweed_mpi_parallel_for(MPI_COMM_NULL, NULL, 0, 10, one, &a) == TWEED_EINVAL,
          "no communicator");
    check(once(0), "none of them has executed an index");
    MPI_Query_thread(&level);
    pthread_create(&thread, NULL, another_thread, &code);
    pthread_join(thread, NULL);
    check(level > MPI_THREAD_FUNNELED || code == TWEED_ETHREAD, "another thread");
    code = 0;
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &options, 0, 64, nested, &code) == 0 &&
              sum((uint64_t)code) == 64, "within a body");
    code = 0;
    check(tweed_mpi_run(MPI_COMM_WORLD, &options, 0, 64, nested_piece, &code) == 0 &&
              sum((uint64_t)code) == 64, "within a piece");
    code = 0;
    o = options;
    o.progress = nested_progress;
    o.progress_arg = &code;
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &o, 0, 48 * ranks, dear_first, &a) == 0 &&
              code == 0 && once(48 * ranks), "while progress is shown");
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, NULL, 0, 64, one, &a) == 0 && once(64),
          "after that all is well");
}

static int on_first, elsewhere; /* what pieces return */

static int fails(tweed_pool *p, const tweed_loop_options *o, int64_t lo, int64_t hi, void *arg)
{
    int code = piece(p, o, lo, hi, arg);

    return code ? code : lo == 0 ? on_first : elsewhere;
}

static void stops(int64_t i, void *arg)
{
    (void)arg;
    if (i == 77)
        (void)tweed_parallel_stop();
}

/* All ranks return the same, whichever rank had the piece. */
static void results(void)
{
    static const int codes[][3] = { { -77, 0, -77 }, { 5, 0, 5 }, { 5, -77, -77 },
                                    { -77, -78, -78 }, { 5, 6, 6 } };
    tweed_mpi_options o = options;
    int code;

    for (int k = 0; k < 5 * 2; k++) {
        struct area a = { 0, times };

        o.schedule = k < 5 ? TWEED_SCHEDULE_DEFAULT : TWEED_SCHEDULE_STATIC;
        on_first = codes[k % 5][0];
        elsewhere = codes[k % 5][1];
        if (ranks == 1)
            elsewhere = 0; /* there may be one piece only */
        code = tweed_mpi_run(MPI_COMM_WORLD, &o, 0, 1000, fails, &a);
        check((code == (ranks > 1 ? codes[k % 5][2] : on_first) ||
               (k < 5 && code == on_first)) && /* one rank may have executed all */
                  sum((uint64_t)code + 1000) == (uint64_t)ranks * ((uint64_t)code + 1000),
              "pieces return %d and %d: the result of all ranks", on_first, elsewhere);
        check(once(1000), "the loop goes on");
    }
    check(tweed_mpi_parallel_for(MPI_COMM_WORLD, &options, 0, 1000, stops, NULL) ==
              TWEED_ESTOPPED, "a body stops its piece: all ranks return that");
}

/* ---- communicators ---- */

static void add_one(int64_t i, void *arg)
{
    (void)i;
    __atomic_fetch_add((uint64_t *)arg, 1, __ATOMIC_RELAXED);
}

static void communicators(void)
{
    for (int k = 0; k < 2; k++) {
        MPI_Comm half, bridge = MPI_COMM_NULL;
        uint64_t n = 0, total = 0;
        int size, code;

        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
        MPI_Comm_size(half, &size);
        code = tweed_mpi_parallel_for(half, &options, 0, 100 + rank % 2, add_one, &n);
        MPI_Allreduce(&n, &total, 1, MPI_UINT64_T, MPI_SUM, half);
        check(code == 0 && total == 100u + (unsigned)rank % 2, "two halves at once");
        n = 0;
        code = tweed_mpi_parallel_for(MPI_COMM_SELF, &options, 0, rank, add_one, &n);
        check(code == 0 && n == (uint64_t)rank, "each rank by itself");
        if (ranks > 1) {
            MPI_Intercomm_create(half, 0, MPI_COMM_WORLD,
                                 rank % 2 ? (ranks - 1) / 2 * 2 : (ranks - 2) / 2 * 2 + 1, 7,
                                 &bridge);
            check(tweed_mpi_parallel_for(bridge, &options, 0, 9, add_one, &n) ==
                      TWEED_EINVAL, "a communicator of two groups");
            MPI_Comm_free(&bridge);
        }
        MPI_Comm_free(&half);
    }
}

int main(int argc, char **argv)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;

    setenv("TWEED_STATS", "loops", 1); /* for names() */
    ranks_begin(&argc, &argv);
    helped = argc > 1 && strcmp(argv[1], "helped") == 0;
    o.num_workers = 1 + rank % 3;
    if (tweed_pool_create(&pool, &o) != TWEED_OK)
        return 99;
    options.pool = pool;
    if (argc > 1 && strcmp(argv[1], "victims") == 0) {
        each_is_stolen_from();
        check(tweed_pool_destroy(pool) == TWEED_OK, "the pool is not in use any more");
        return ranks_end();
    }
    kinds();
    many();
    longest();
    uneven();
    heavy_tails();
    if (!helped && ranks > 1) {
        behind_a_long_body();
        each_is_stolen_from();
    }
    grains();
    shares(0);
    shares(1);
    names();
    shows_progress();
    shows_an_empty_loop();
    steals_braces();
    arguments();
    versions();
    refusals();
    results();
    communicators();
    check(tweed_pool_destroy(pool) == TWEED_OK, "the pool is not in use any more");
    return ranks_end();
}
