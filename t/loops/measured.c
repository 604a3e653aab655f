/*
 * measured.c - shares by what earlier runs of the loop have shown.
 *
 * SPDX-License-Identifier: MIT
 *
 * No test goes by time.  What the library says of a run is compared with what bodies have
 * counted, and with times that are made up; what is learnt from a run is made up as well.
 * In static loops who has executed an index is whose share it was.
 *
 *   tweed__topology_get()   makes two nodes of two CPUs
 *   tweed__history_learn()  is told of each run
 *   tweed__clock()          is that of the measuring functions alone
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART 1
#include "config.h"

#include "learnt.h"
#include "once.h"
#include "place.h"
#include "pools.h"
#include "topology.h"
#include "tsan.h"

#include <string.h>
#include <sys/wait.h>

#define N 1200
#define WORKERS 4

static tweed_pool *pool;

/* ---- the machine ---- */

static bool is_made_up = true;

struct tweed__topology *__real_tweed__topology_get(void);
struct tweed__topology *__wrap_tweed__topology_get(void);

struct tweed__topology *__wrap_tweed__topology_get(void)
{
    const char *wrong;

    return is_made_up ? tweed__topology_parse("nodes:2,cpus:2", &wrong)
                      : __real_tweed__topology_get();
}

/* ---- what runs show ---- */

void __real_tweed__history_learn(struct tweed__history *, const struct tweed__past *,
                                 const uint32_t *, int, const uint32_t *, const double *,
                                 double);
void __wrap_tweed__history_learn(struct tweed__history *, const struct tweed__past *,
                                 const uint32_t *, int, const uint32_t *, const double *,
                                 double);

static double shown[WORKERS], block_shown;
static atomic_int told;
static bool learns; /* it is learnt from, too */

void __wrap_tweed__history_learn(struct tweed__history *h, const struct tweed__past *loop,
                                 const uint32_t *plain, int workers,
                                 const uint32_t *before, const double *speed, double block)
{
    if (workers == WORKERS && !learns)
        memcpy(shown, speed, sizeof shown);
    block_shown = block;
    told++;
    if (learns)
        __real_tweed__history_learn(h, loop, plain, workers, before, speed, block);
}

/* ---- made-up times ---- */

void __real_tweed__measure_deal(struct tweed__part *, int, uint32_t, uint32_t);
void __wrap_tweed__measure_deal(struct tweed__part *, int, uint32_t, uint32_t);
void __real_tweed__measure_time(const struct tweed__part *);
void __wrap_tweed__measure_time(const struct tweed__part *);
void __real_tweed__measure_end(struct tweed__part *);
void __wrap_tweed__measure_end(struct tweed__part *);
uint64_t __real_tweed__clock(void);
uint64_t __wrap_tweed__clock(void);

static uint64_t done_at[WORKERS]; /* each worker, ns after the shares are dealt */
static _Thread_local uint64_t now; /* for who measures; 0: the time */
static atomic_int timed;

#define DEALT_AT 1000000

uint64_t __wrap_tweed__clock(void)
{
    return now ? now : __real_tweed__clock();
}

void __wrap_tweed__measure_deal(struct tweed__part *p, int seat, uint32_t begin,
                                uint32_t end)
{
    now = DEALT_AT;
    __real_tweed__measure_deal(p, seat, begin, end);
    now = 0;
}

void __wrap_tweed__measure_time(const struct tweed__part *p)
{
    now = DEALT_AT + done_at[p->index & (WORKERS - 1)];
    __real_tweed__measure_time(p);
    now = 0;
    timed++;
}

/* By the caller, worker 0, which is done last here: see last_of_all(). */
void __wrap_tweed__measure_end(struct tweed__part *p)
{
    now = DEALT_AT + done_at[0];
    __real_tweed__measure_end(p);
    now = 0;
}

/* ---- loops ---- */

static atomic_int count[N], executed[WORKERS];
static atomic_int owner[N]; /* two loops at the same time write it: run_inside() */

static void body(int64_t i, void *arg)
{
    int w = tweed_worker_index();

    (void)arg;
    count[i]++;
    executed[w & (WORKERS - 1)]++;
    owner[i] = w;
}

/* The caller's last index ends when all others have noted their time. */
static void last_of_all(int64_t i, void *arg)
{
    const int64_t *caller_s_last = arg;

    body(i, NULL);
    while (i == *caller_s_last && atomic_load(&timed) < WORKERS - 1)
        nap_us(50);
}

static double weight_three(int64_t i, void *arg)
{
    (void)i, (void)arg;
    return 3;
}

static tweed_loop_options named(const char *name, uint64_t shares)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.name = name;
    o.shares = shares;
    return o;
}

static bool once_each_of(int64_t n)
{
    bool good = true;

    for (int64_t i = 0; i < n; i++)
        good &= atomic_load(&count[i]) == 1;
    return good;
}

static int run(tweed_loop_options o, int64_t n, tweed_index_fn *fn, void *arg)
{
    memset(count, 0, sizeof count);
    memset(executed, 0, sizeof executed);
    atomic_store(&timed, 0);
    return tweed_parallel_for_with(pool, &o, 0, n, fn, arg);
}

/* Shares of about these sizes, one after the other, by workers 0, 1 and so on: what is
   learnt is calm within a sixteenth. */
static bool shares_are(tweed_loop_options o, int64_t n, const int *sizes)
{
    int64_t at = 0;
    bool good;

    o.schedule = TWEED_SCHEDULE_STATIC;
    good = run(o, n, body, NULL) == TWEED_OK && once_each_of(n);
    for (int w = 0; w < WORKERS; w++) {
        int64_t from = at;

        while (at < n && owner[at] == w)
            at++;
        if (at - from < sizes[w] - 4 || at - from > sizes[w] + 4) {
            diag("worker %d: %d indices, not %d", w, (int)(at - from), sizes[w]);
            good = false;
        }
    }
    return good && at == n;
}

static const int plain[] = { 300, 300, 300, 300 }, learnt[] = { 200, 300, 400, 300 };
static const double rates[] = { 2, 3, 4, 3 };

static void test_shown(void)
{
    static const uint64_t times[] = { 4000, 1000, 2000, 2000 };
    tweed_loop_options o = named("shown", TWEED_SHARES_MEASURED);
    int64_t caller_s_last = N / WORKERS - 1;
    bool good = true;

    for (int k = 0; k < 20; k++) {
        told = 0;
        good &= run(o, N, body, NULL) == TWEED_OK && once_each_of(N) && told == 1;
        for (int w = 0; w < WORKERS; w++)
            good &= shown[w] == (double)executed[w] / (N / WORKERS);
    }
    ok(good && block_shown == 1.0 / N, "a run shows what each worker has executed");
    o.schedule = TWEED_SCHEDULE_STATIC;
    memcpy(done_at, times, sizeof done_at);
    good = true;
    for (int k = 0; k < 20; k++) {
        double sum = 0;

        told = 0;
        good &= run(o, N, last_of_all, &caller_s_last) == TWEED_OK && once_each_of(N) &&
                told == 1 && timed >= WORKERS - 1;
        for (int w = 0; w < WORKERS; w++) {
            double ratio = shown[w] / shown[1] * (double)times[w] / (double)times[1];

            good &= ratio > 0.99 && ratio < 1.01;
            sum += shown[w];
        }
        good &= sum > WORKERS - 0.01 && sum < WORKERS + 0.01;
    }
    ok(good, "a static one when each was done");
}

static void test_learnt(void)
{
    tweed_loop_options measured = named("loop", TWEED_SHARES_MEASURED), o;
    tweed_loop_options kept = named("loop", TWEED_SHARES_KEPT);
    bool good = true;

    ok(shares_are(kept, N, plain), "of a loop that is not known shares are plain");
    learns = true;
    learn(pool, "loop", 0, N, rates);
    learns = false;
    ok(shares_are(kept, N, learnt), "shares are as measured");
    told = 0;
    for (int k = 0; k < 10; k++)
        good &= shares_are(measured, N, learnt) && run(measured, N, body, NULL) == TWEED_OK;
    ok(good && told == 0, "they are settled: the same for each run, and nothing is measured");
    o = kept;
    o.order = TWEED_ORDER_LAST_FIRST;
    good = shares_are(o, N, learnt);
    o = kept;
    o.weight = weight_three;
    good &= shares_are(o, N, learnt);
    o.order = TWEED_ORDER_LAST_FIRST;
    good &= shares_are(o, N, learnt);
    o = kept;
    o.grain = 10;
    good &= shares_are(o, N, learnt);
    ok(good, "in either order, by weight, and by blocks");
    ok(shares_are(named("other", TWEED_SHARES_KEPT), N, plain) &&
           shares_are(named("loop", TWEED_SHARES_DEFAULT), N, plain),
       "others are dealt as before: of another name, and without the option");
    ok(shares_are(kept, N - 4, (const int[]){ 299, 299, 299, 299 }), "and of other bounds");
}

/* ---- which runs are not looked at ---- */

static void stop_at_once(int64_t i, void *arg)
{
    (void)i, (void)arg;
    (void)tweed_parallel_stop();
}

static void run_inside(int64_t i, void *arg)
{
    tweed_loop_options o = named("inside", TWEED_SHARES_MEASURED);

    (void)i, (void)arg;
    must(tweed_parallel_for_with(pool, &o, 0, N, body, NULL));
}

static struct occupier other;

/* One index begins, or ends, a loop of another caller. */
static void begins_other(int64_t i, void *arg)
{
    body(i, arg);
    if (i == 0)
        occupy(&other, pool);
}

static void ends_other(int64_t i, void *arg)
{
    body(i, arg);
    if (i == 0)
        occupier_end(&other);
}

static void test_not_shown(void)
{
    tweed_loop_options kept = named("quiet", TWEED_SHARES_KEPT), o;
    void *array;

    told = 0;
    ok(run(kept, N, body, NULL) == TWEED_OK && once_each_of(N) && told == 0,
       "a loop that keeps its shares shows nothing");
    o = named("few", TWEED_SHARES_MEASURED);
    o.max_workers = 2;
    ok(run(o, N, body, NULL) == TWEED_OK && once_each_of(N) &&
           run(named("few", TWEED_SHARES_MEASURED), WORKERS, body, NULL) == TWEED_OK &&
           once_each_of(WORKERS) &&
           run(named("few", TWEED_SHARES_MEASURED), 1, body, NULL) == TWEED_OK &&
           told == 0,
       "nor one for some of the workers, nor one of as few indices");
    ok(run(named("stop", TWEED_SHARES_MEASURED), N, stop_at_once, NULL) ==
               TWEED_ESTOPPED && told == 0,
       "nor one that was stopped");
    memset(count, 0, sizeof count);
    must(tweed_parallel_for_with(pool, NULL, 0, 2, run_inside, NULL));
    ok(told == 0 && count[0] == 2 && count[N - 1] == 2, "nor one inside another");
    o = named("beside", TWEED_SHARES_MEASURED);
    ok(run(o, N, begins_other, NULL) == TWEED_OK && once_each_of(N) &&
           run(o, N, ends_other, NULL) == TWEED_OK && once_each_of(N) && told == 0,
       "nor one beside whose end, or beginning, there is another");
    array = tweed_alloc_with(pool, &o, 0, N, 4096, NULL);
    ok(array && told == 0, "nor the one that touches an array");
    tweed_free(array);
    must(run(named("alone", TWEED_SHARES_MEASURED), N, body, NULL));
    ok(told == 1, "one alone does");
}

/* ---- who is at home ---- */

static int64_t left; /* of the indices, those that nobody has to hold */
static atomic_int begun, over;

/* All workers have their shares before anybody goes on; those of node 1 then wait until
   all the rest is done. */
static void node_1_waits(int64_t i, void *arg)
{
    static _Thread_local int last_loop;
    const int *loop = arg;

    body(i, NULL);
    if (last_loop != *loop) {
        last_loop = *loop;
        begun++;
        while (begun < WORKERS)
            nap_us(50);
        while (tweed_worker_node() == 1 && over < left)
            nap_us(50);
        if (tweed_worker_node() == 1)
            return;
    }
    over++;
}

static uint64_t away(void)
{
    tweed_stats s = TWEED_STATS_INIT;

    must(tweed_stats_get(pool, -1, &s));
    return s.indices_away;
}

static void test_home(void)
{
    tweed_loop_options o = named("loop", TWEED_SHARES_KEPT);
    int wrong = 0, loop;

    left = N - WORKERS / 2;
    for (loop = 1; loop <= 5; loop++) {
        uint64_t before = away(), counted = 0;

        begun = over = 0;
        must(run(o, N, node_1_waits, &loop));
        for (int i = 0; i < N; i++)
            counted += owner[i] / 2 != tweed_index_node(pool, &o, 0, N, i);
        wrong += away() - before != counted || counted == 0;
        if (away() - before != counted)
            diag("%d counted, %d by the library", (int)counted, (int)(away() - before));
    }
    ok(wrong == 0, "an index belongs to the node of its measured share");
}

/* ---- callers ---- */

#define LENGTH 2000

static atomic_int counts[3][LENGTH];

static void count_one(int64_t i, void *arg)
{
    atomic_int *mine = arg;

    mine[i]++;
}

struct caller {
    int which, wrong;
    pthread_t thread;
};

static void *calls(void *arg)
{
    static const char *const names[] = { "crowd 1", "crowd 2" };
    struct caller *c = arg;
    atomic_int *mine = counts[c->which];

    for (int k = 0; k < 200; k++) {
        tweed_loop_options o = named(names[k / 2 % 2], TWEED_SHARES_MEASURED);

        o.schedule = k % 2 ? TWEED_SCHEDULE_STATIC : TWEED_SCHEDULE_DEFAULT;
        must(tweed_parallel_for_with(pool, &o, 0, LENGTH, count_one, mine));
    }
    for (int i = 0; i < LENGTH; i++)
        c->wrong += mine[i] != 200;
    return NULL;
}

static void test_callers(void)
{
    struct caller callers[3] = { { .which = 0 }, { .which = 1 }, { .which = 2 } };

    learns = true;
    for (int k = 1; k < 3; k++)
        pthread_create(&callers[k].thread, NULL, calls, &callers[k]);
    calls(&callers[0]);
    for (int k = 1; k < 3; k++)
        pthread_join(callers[k].thread, NULL);
    learns = false;
    ok(callers[0].wrong + callers[1].wrong + callers[2].wrong == 0,
       "three callers of the same loops: every index once");
}

/* ---- what is forgotten ---- */

static bool is_plain_in_child(void)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(100);
        _exit(!shares_are(named("loop", TWEED_SHARES_KEPT), N, plain));
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static void test_forgotten(void)
{
    tweed_loop_options kept = named("loop", TWEED_SHARES_KEPT);
    tweed_pool *mine = pool;

    if (TWEED_HAVE_TSAN)
        skip(1, "ThreadSanitizer forbids threads in the child of a process that has some");
    else
        ok(is_plain_in_child() && shares_are(kept, N, learnt),
           "the child of a fork() has plain shares, and its parent what it had");
    pool = pool_of(WORKERS, 0);
    ok(shares_are(kept, N, plain), "so has another pool");
    tweed_pool_destroy(pool);
    pool = mine;
    tweed__history_forget(&tweed__pool_team(pool)->history);
    ok(shares_are(kept, N, plain), "and a pool whose workers are elsewhere now");
}

/* Of a pool on CPUs of the machine, if it has two. */
static void test_placed(void)
{
    struct tweed__team *team;
    uint32_t before;

    is_made_up = false;
    pool = pool_with((tweed_pool_options){ .bind = TWEED_BIND_CPU });
    team = tweed__pool_team(pool);
    before = atomic_load(&team->history.placement);
    if (team->places) {
        for (int k = 0; k < 40; k++)
            tweed__place_caller(team, true);
        ok(atomic_load(&team->history.placement) == before + 1,
           "workers that are bound to their nodes now are elsewhere");
        for (int k = 0; k < 80; k++)
            tweed__place_caller(team, false);
        ok(atomic_load(&team->history.placement) == before + 2, "so they are if that ends");
    } else {
        skip(2, "workers are not bound to CPUs here");
    }
    tweed_pool_destroy(pool);
}

static bool is_refused(tweed_loop_options o)
{
    return run(o, N, body, NULL) == TWEED_EINVAL && count[0] == 0 &&
           tweed_index_node(pool, &o, 0, N, 0) == TWEED_EINVAL;
}

int main(void)
{
    plan(24);
    watchdog();
    pool = pool_of(WORKERS, 0);
    test_shown();
    test_learnt();
    test_not_shown();
    test_home();
    test_callers();
    ok(is_refused(named(NULL, TWEED_SHARES_MEASURED)) &&
           is_refused(named("", TWEED_SHARES_KEPT)) && is_refused(named("x", 3)) &&
           is_refused(named("x", UINT64_C(1) << 32)),
       "without a name, and with values that are none: refused, nothing is run");
    ok(once_loops(pool, 40), "loops of all kinds: every index once");
    test_forgotten();
    tweed_pool_destroy(pool);
    test_placed();
    return done_testing();
}
