/*
 * loop.c - TWEED_LOOP and TWEED_SIMD_LOOP: every index once, as the braces say.
 *
 * SPDX-License-Identifier: MIT
 *
 * A kind remembers what its indices cost.  So each loop here is run several times:
 * what it does the first time is not what it does later.
 */
#include "pools.h"
#include "sanitized.h"

#include <pthread.h>
#include <string.h>

#define MOST 1000000
#define WORKERS_MOST 16

/* ---- every index once ---- */

/* count[0] and the one behind the last index are guards. */
static unsigned char count[MOST + 2];

struct counted {
    int64_t lo;
    unsigned char *count; /* of lo */
};

TWEED_LOOP(count_cell, i, struct counted *, c)
{
    c->count[i - c->lo]++;
}

TWEED_SIMD_LOOP(count_simd, i, struct counted *, c)
{
    c->count[i - c->lo]++;
}

typedef int loop_fn(tweed_pool *pool, const tweed_loop_options *options,
                    int64_t lo, int64_t hi, struct counted *c);

static int each_with(tweed_pool *pool, const tweed_loop_options *options,
                     int64_t lo, int64_t hi, struct counted *c)
{
    return pool ? count_cell_with(pool, options, lo, hi, c)
                : count_cell(lo, hi, c);
}

static int simd_with(tweed_pool *pool, const tweed_loop_options *options,
                     int64_t lo, int64_t hi, struct counted *c)
{
    return pool ? count_simd_with(pool, options, lo, hi, c)
                : count_simd(lo, hi, c);
}

static int once(loop_fn *loop, tweed_pool *pool,
                const tweed_loop_options *options, int64_t lo, int n)
{
    struct counted c = { lo, count + 1 };

    memset(count, 0, (size_t)n + 2);
    if (loop(pool, options, lo, lo + n, &c) != TWEED_OK)
        return 0;
    for (int i = 1; i <= n; i++)
        if (count[i] != 1)
            return 0;
    return count[0] == 0 && count[n + 1] == 0;
}

static int sizes_are_right(loop_fn *loop, tweed_pool *pool)
{
    static const int sizes[] = { 1,   2,   3,   17,  127,    128,    129,
                                 255, 256, 257, 1000, 100000, MOST,  2 };
    struct counted c = { 0, NULL }; /* a body would crash */

    if (loop(pool, NULL, 7, 7, &c) != TWEED_OK ||
        loop(pool, NULL, 7, -7, &c) != TWEED_OK ||
        loop(pool, NULL, INT64_MAX, INT64_MIN, &c) != TWEED_OK)
        return 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int n = sizes[k];
        const int64_t from[] = { 0, -n / 2, INT64_MIN, INT64_MAX - n };

        for (size_t l = 0; l < sizeof from / sizeof *from; l++)
            for (int again = 0; again < (n < 1000 ? 3 : 1); again++)
                if (!once(loop, pool, NULL, from[l], n))
                    return 0;
    }
    return 1;
}

static void every_index(void)
{
    static const int workers[] = { 1, 2, 5, WORKERS_MOST };

    for (int k = 0; k < 4; k++)
        for (int fence = TWEED_FENCE_MEMBARRIER; fence <= TWEED_FENCE_EXCHANGE;
             fence++) {
            tweed_pool *pool = pool_fenced(workers[k], fence);

            ok(sizes_are_right(each_with, pool) &&
                   sizes_are_right(simd_with, pool),
               "every index once: %d workers, %s", workers[k],
               fence == TWEED_FENCE_EXCHANGE ? "exchange" : "membarrier");
            must(tweed_pool_destroy(pool));
        }
    ok(sizes_are_right(each_with, NULL) && sizes_are_right(simd_with, NULL),
       "every index once: the default pool");
}

/* ---- groups ---- */

/* Who has executed index i, and was it the thread's next one after i - 1? */
struct groups {
    int64_t lo, grain;
    short who[2000];
    unsigned char count[2000];
    atomic_int broken;
};

static _Thread_local int64_t latest;

TWEED_LOOP(note_group, i, struct groups *, g)
{
    int64_t k = i - g->lo;

    g->count[k]++;
    g->who[k] = (short)tweed_worker_index();
    if (k % g->grain && latest != i - 1)
        atomic_fetch_add(&g->broken, 1);
    latest = i;
}

static int groups_are_right(tweed_pool *pool, int64_t lo, int n, int64_t grain,
                            int max_workers)
{
    static struct groups g;
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int workers = 0, seen[WORKERS_MOST] = { 0 };

    memset(&g, 0, sizeof g);
    g.lo = lo;
    g.grain = grain;
    o.grain = grain;
    o.max_workers = max_workers;
    if (note_group_with(pool, &o, lo, lo + n, &g) != TWEED_OK || g.broken)
        return 0;
    for (int i = 0; i < n; i++) {
        if (g.count[i] != 1 || g.who[i] < 0 || g.who[i] >= WORKERS_MOST ||
            (i % grain && g.who[i] != g.who[i - 1]))
            return 0;
        workers += seen[g.who[i]]++ == 0;
    }
    return n == 2000 || (g.count[n] == 0 && workers <= max_workers);
}

static void groups(void)
{
    static const int64_t grains[] = { 1, 2, 7, 128, 1000, 1999, 2000, INT64_MAX };
    static const int64_t from[] = { 0, -1000, INT64_MIN, INT64_MAX - 2000 };
    tweed_pool *pool = pool_of(5);
    tweed_loop_options bad = TWEED_LOOP_OPTIONS_INIT;
    int good = 1;

    for (int round = 0; round < 20; round++)
        for (int k = 0; k < 8; k++)
            for (int most = 1; most <= 6; most++)
                good &= groups_are_right(pool, from[(k + most) % 4],
                                         round % 3 ? 2000 : 1 + 97 * round,
                                         grains[k], most);
    ok(good, "a group's indices: one worker, one after the other");
    bad.grain = -1;
    good = count_cell_with(pool, &bad, 0, 9, NULL) == TWEED_EINVAL;
    bad.grain = 0;
    bad.size = 1;
    good &= count_simd_with(pool, &bad, 0, 9, NULL) == TWEED_EINVAL;
    ok(good, "bad options: TWEED_EINVAL, and no body");
    must(tweed_pool_destroy(pool));
}

/* ---- what the braces may hold, and what the data may be ---- */

TWEED_LOOP(odd_ones, i, unsigned char *, mark)
{
    if (i % 2 == 0)
        return;
    for (int k = 0; k < 3; k++) {
        if (k == 1)
            continue;
        if (k == 2)
            break;
        mark[i]++;
    }
}

/* The same names as the macros' own parameters, and no data. */
static atomic_int without;

TWEED_LOOP(name, type)
{
    atomic_fetch_add(&without, (int)type);
}

TWEED_SIMD_LOOP(strip, body)
{
    atomic_fetch_add(&without, (int)body);
}

struct sums {
    const int *a, *b;
    int *c;
};

TWEED_SIMD_LOOP(add, i, const struct sums *, s)
{
    s->c[i] = s->a[i] + s->b[i];
}

TWEED_LOOP(subtract, i, const struct sums *, s)
{
    s->c[i] -= s->b[i];
}

typedef double row[4];

TWEED_LOOP(scale, k, row *, rows)
{
    for (int j = 0; j < 4; j++)
        rows[k][j] *= 2;
}

TWEED_LOOP(unused_index, i, atomic_int *, total)
{
    atomic_fetch_add(total, 1);
}

static void braces(void)
{
    enum { N = 3000 };
    static unsigned char mark[N];
    static int a[N], b[N], c[N];
    static row rows[N];
    const struct sums s = { a, b, c };
    atomic_int total = 0;
    int good = odd_ones(0, N, mark) == TWEED_OK;

    for (int i = 0; i < N; i++)
        good &= mark[i] == i % 2;
    ok(good, "return in the braces ends an index");

    good = name(0, 1000) == TWEED_OK && strip(0, 1000) == TWEED_OK;
    ok(good && without == 999 * 1000, "no data; names like the macro's own");

    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 7 * i;
        for (int j = 0; j < 4; j++)
            rows[i][j] = i + j;
    }
    good = add(0, N, &s) == TWEED_OK;
    for (int i = 0; i < N; i++)
        good &= c[i] == 8 * i;
    good &= subtract(0, N, &s) == TWEED_OK && subtract(0, N, &s) == TWEED_OK;
    for (int i = 0; i < N; i++)
        good &= c[i] == -6 * i;
    ok(good, "constant data; two loops in one function, one of them twice");

    good = scale(0, N, rows) == TWEED_OK;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < 4; j++)
            good &= rows[i][j] == 2 * (i + j);
    ok(good, "data of an array type");

    ok(unused_index(-5, N, &total) == TWEED_OK && total == N + 5,
       "an index that the braces do not use");
}

/* ---- loops in loops ---- */

struct nest {
    tweed_pool *pool;
    atomic_int cells[20][50], bad, leaves;
};

struct line {
    struct nest *nest;
    int64_t row;
    int outer; /* the worker of the outer body */
};

TWEED_LOOP(inner, k, struct line *, l)
{
    atomic_fetch_add(&l->nest->cells[l->row][k], 1);
    if (tweed_worker_index() < 0)
        atomic_fetch_add(&l->nest->bad, 1);
}

TWEED_LOOP(outer, k, struct nest *, n)
{
    struct line l = { n, k, tweed_worker_index() };

    for (int again = 0; again < 3; again++)
        if (inner_with(n->pool, NULL, 0, 50, &l) != TWEED_OK ||
            tweed_worker_index() != l.outer)
            atomic_fetch_add(&n->bad, 1);
}

/* A loop in the body of the same loop. */
TWEED_LOOP(tree, depth, struct nest *, n)
{
    if (depth >= 8)
        atomic_fetch_add(&n->leaves, 1);
    else if (tree_with(n->pool, NULL, depth + 1, depth + 3, n) != TWEED_OK)
        atomic_fetch_add(&n->bad, 1);
}

/* How many leaves a tree has: depth d has one for each of d + 1 and d + 2. */
static int leaves_of(int depth)
{
    return depth >= 8 ? 1 : leaves_of(depth + 1) + leaves_of(depth + 2);
}

static int nest_is_right(tweed_pool *pool)
{
    static struct nest n;
    int good;

    memset(&n, 0, sizeof n);
    n.pool = pool;
    good = outer_with(pool, NULL, 0, 20, &n) == TWEED_OK &&
           tree_with(pool, NULL, 0, 1, &n) == TWEED_OK;
    for (int i = 0; i < 20; i++)
        for (int k = 0; k < 50; k++)
            good &= n.cells[i][k] == 3;
    return good && n.bad == 0 && n.leaves == leaves_of(0) &&
           tweed_worker_index() == -1;
}

static void loops_in_loops(void)
{
    for (int workers = 1; workers <= 4; workers += 3) {
        tweed_pool *pool = pool_of(workers);
        int good = 1;

        for (int round = 0; round < 20; round++)
            good &= nest_is_right(pool);
        ok(good, "loops in loops, and in themselves: %d workers", workers);
        must(tweed_pool_destroy(pool));
    }
    ok(nest_is_right(NULL) && nest_is_right(NULL),
       "loops in loops, and in themselves: the default pool");
}

/* ---- who calls ---- */

#define CALLERS 8

struct caller {
    tweed_pool *pool;
    unsigned seed;
    int good;
    unsigned char count[5002];
    pthread_t thread;
};

static void *call(void *arg)
{
    struct caller *c = arg;

    c->good = 1;
    for (int round = 0; round < (HAVE_RUNTIME_SANITIZER ? 60 : 300); round++) {
        unsigned n, r = c->seed = c->seed * 1103515245 + 12345;
        struct counted counted = { 0, c->count + 1 };
        loop_fn *loop = r >> 16 & 1 ? each_with : simd_with;

        n = r >> 17 & 1 ? (r >> 18) % 200 : (r >> 18) % 5000;
        memset(c->count, 0, sizeof c->count);
        c->good &= loop(c->pool, NULL, 0, n, &counted) == TWEED_OK;
        for (unsigned i = 0; i < 5002; i++)
            c->good &= c->count[i] == (i > 0 && i <= n);
    }
    return NULL;
}

static int callers_are_right(tweed_pool *pool)
{
    static struct caller callers[CALLERS];
    int good = 1;

    for (unsigned k = 0; k < CALLERS; k++) {
        callers[k].pool = pool;
        callers[k].seed = k;
        if (pthread_create(&callers[k].thread, NULL, call, &callers[k]) != 0)
            bail_out("no thread");
    }
    for (int k = 0; k < CALLERS; k++) {
        pthread_join(callers[k].thread, NULL);
        good &= callers[k].good;
    }
    return good;
}

static void many_callers(void)
{
    for (int fence = TWEED_FENCE_MEMBARRIER; fence <= TWEED_FENCE_EXCHANGE;
         fence++) {
        tweed_pool *pool = pool_fenced(4, fence);

        ok(callers_are_right(pool), "%d callers at once, %s", CALLERS,
           fence == TWEED_FENCE_EXCHANGE ? "exchange" : "membarrier");
        must(tweed_pool_destroy(pool));
    }
    ok(callers_are_right(NULL), "%d callers at once: the default pool", CALLERS);
}

/* ---- costs that jump ---- */

struct cliff {
    int cheap, dear; /* indices of a period */
    unsigned char count[20000];
};

static void work(int n)
{
    for (volatile int k = 0; k < n; k++)
        ;
}

TWEED_LOOP(climb, i, struct cliff *, c)
{
    work(i % (c->cheap + c->dear) < c->cheap ? 3 : 3000);
    c->count[i]++;
}

static void cliffs(void)
{
    static const struct {
        int cheap, dear;
    } shapes[] = { { 10000, 1000 }, { 1, 1 }, { 500, 20 }, { 19000, 1000 } };
    tweed_pool *pool = pool_of(4);
    static struct cliff c;
    int good = 1;

    for (int k = 0; k < 8; k++) {
        memset(&c, 0, sizeof c);
        c.cheap = shapes[k % 4].cheap;
        c.dear = shapes[k % 4].dear;
        good &= climb_with(pool, NULL, 0, 20000, &c) == TWEED_OK;
        for (int i = 0; i < 20000; i++)
            good &= c.count[i] == 1;
    }
    ok(good, "indices a thousand times as dear as others");
    must(tweed_pool_destroy(pool));
}

/* ---- counters, numbers and names ---- */

TWEED_LOOP(counted_loop, i, tweed_pool *, pool)
{
    (void)pool;
}

static void counters(void)
{
    enum { ROUNDS = 200, N = 37 };
    tweed_pool *pool = pool_of(3);
    tweed_loop_options alone = TWEED_LOOP_OPTIONS_INIT;
    tweed_stats s = TWEED_STATS_INIT, before;

    alone.max_workers = 1;
    for (int k = 0; k < ROUNDS; k++)
        must(counted_loop_with(pool, NULL, 0, N, pool));
    must(tweed_stats_get(pool, -1, &s));
    ok(s.loops == ROUNDS && s.indices == ROUNDS * N && s.serial <= ROUNDS,
       "loops and indices of loops that may be walked alone");
    before = s;
    for (int k = 0; k < ROUNDS; k++) {
        must(counted_loop_with(pool, &alone, 0, N, pool));
        must(counted_loop_with(pool, NULL, 5, 6, pool));
        must(counted_loop_with(pool, NULL, 6, 5, pool));
    }
    must(tweed_stats_get(pool, -1, &s));
    ok(s.loops - before.loops == 2 * ROUNDS &&
           s.serial - before.serial == 2 * ROUNDS &&
           s.indices - before.indices == ROUNDS * (N + 1),
       "one worker, or one index: counted as serial; no index: not at all");
    must(tweed_pool_destroy(pool));
}

struct numbers {
    int workers;
    atomic_int bad;
    atomic_int inside[WORKERS_MOST];
};

TWEED_LOOP(number, i, struct numbers *, n)
{
    int me = tweed_worker_index();

    if (me < 0 || me >= n->workers || tweed_worker_node() < 0 ||
        atomic_fetch_add(&n->inside[me], 1) != 0)
        atomic_fetch_add(&n->bad, 1);
    work(i % 64 ? 0 : 2000);
    if (me != tweed_worker_index() ||
        atomic_fetch_sub(&n->inside[me], 1) != 1)
        atomic_fetch_add(&n->bad, 1);
}

static void worker_numbers(void)
{
    static struct numbers n;
    tweed_pool *pool = pool_of(5);
    int good = 1;

    n.workers = 5;
    for (int k = 0; k < 100; k++)
        good &= number_with(pool, NULL, 0, k % 2 ? 20 : 2000, &n) == TWEED_OK;
    ok(good && n.bad == 0, "a number of its own for each worker inside");
    must(tweed_pool_destroy(pool));
}

/* A loop that shows itself by what it is called. */
struct shown {
    tweed_pool *pool;
    int ends[2];
};

TWEED_LOOP(a_loop_to_look_at, i, struct shown *, s)
{
    nap_us(1000); /* so that nobody takes the loop for a short one */
    if (i == 0 && tweed_pool_dump(s->pool, s->ends[1]) != TWEED_OK)
        bail_out("no dump");
}

static int shows(struct shown *s, const tweed_loop_options *o, const char *word)
{
    char text[4096];
    ssize_t got;

    must(a_loop_to_look_at_with(s->pool, o, 0, 2, s));
    got = read(s->ends[0], text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    if (strstr(text, word))
        return 1;
    diag("%s", text);
    return 0;
}

static void names(void)
{
    struct shown s = { pool_of(2), { -1, -1 } };
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    if (pipe(s.ends) != 0)
        bail_out("no pipe");
    ok(shows(&s, NULL, "a_loop_to_look_at"), "a dump has the loop's name");
    o.name = "another name";
    ok(shows(&s, &o, "another name"), "or the one in its options");
    must(tweed_pool_destroy(s.pool));
}

int main(void)
{
    plan(9 + 2 + 5 + 3 + 3 + 1 + 3 + 2);
    watchdog();
    every_index();
    groups();
    braces();
    loops_in_loops();
    many_callers();
    cliffs();
    counters();
    worker_numbers();
    names();
    return done_testing();
}
