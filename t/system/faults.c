/*
 * faults.c - every call of the library that can fail does, at its k-th
 * occurrence, for each k and each error.
 *
 * SPDX-License-Identifier: MIT
 *
 * The calls and their errors stand in faults.def; faults-shim.c fails them.  A
 * scenario goes through all that the library does: an own pool and the default
 * one, loops of both kinds, sleeping and waking, statistics, dumps, traces, a function
 * that is told of progress, a fork() whose child does the same, the end.  It runs in a process of its own, first to
 * count how often each call is made, then once for each fault: the k-th call
 * fails, or it and all after it.
 *
 * Where a call is made often, k goes on in strides (next_k()), shorter ones under
 * TWEED_TEST_LONG=yes, and later k take the errors in turn.  TWEED_TEST_ROUNDS=n: every
 * error for each k up to n.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "by-name.h"
#include "faults-shim.h"

#include "system/cgroup.h"
#include "system/system.h"
#include "pool/pool.h"
#include "system/topology.h"

/* A run takes 0.1 s, and has taken 9 s on a machine with six times as many threads as CPUs. */
#define CHILD_SECONDS 240
#include "child.h"
#include "meet.h"
#include "leaves.h"
#include "made-up.h"

#include <dirent.h>
#include <stdatomic.h>

#define WORKERS 3
#define MARK 4321 /* errno, to be found again */

enum { MOST_ERRORS = 12 };

static const struct {
    const char *name;
    int num_errors;
    int errors[MOST_ERRORS];
} sites[] = {
#define FAULT(site, symbols, ...)                                              \
    { #site, sizeof((int[]){ __VA_ARGS__ }) / sizeof(int), { __VA_ARGS__ } },
#define GIVE(symbol, reason)
#define FIRM(symbol, reason)
#include "faults.def"
};

static char tree[] = "/tmp/tweed-faults.XXXXXX"; /* a made-up cgroup */
static int sink;                                 /* for dumps */
static const struct fault *fault;                /* of this scenario */

/* No pool starts without. */
static bool is_needed_to_start(void)
{
    switch (fault->site) {
    case FAULT_malloc:
    case FAULT_calloc:
    case FAULT_aligned_alloc:
    case FAULT_mmap:
    case FAULT_pthread_atfork:
        return true;
    default:
        return false;
    }
}

/* What each fault may cost; all others cost nothing that is seen here. */
static bool may_have_no_pool(void)
{
    return is_needed_to_start() && fault_injected();
}

static bool may_have_fewer_workers(void)
{
    return may_have_no_pool() ||
           ((fault->site == FAULT_pthread_create ||
             fault->site == FAULT_pthread_attr_init) &&
            fault_injected());
}

/* (For sched_yield() to be called nanosleep() fails always.) */
static bool may_have_no_reporter(void)
{
    return may_have_no_pool() || fault->site == FAULT_sched_yield ||
           ((fault->site == FAULT_pthread_create || fault->site == FAULT_nanosleep) &&
            fault_injected());
}

static bool may_have_no_dump(void)
{
    return fault->site == FAULT_write && fault_injected() &&
           fault->error != 0 && fault->error != EINTR;
}

static bool may_have_no_quota(void)
{
    switch (fault->site) {
    case FAULT_malloc:
    case FAULT_fopen:
    case FAULT_getdelim:
    case FAULT_fscanf:
        return fault_injected();
    default:
        return false;
    }
}

/* ---- the scenario: NULL, or what went wrong ---- */

struct loop {
    tweed_pool *pool;
    int workers;
    atomic_int arrived;
    int dumped;
    unsigned char count[COUNT_MOST];
};

/* A body for each worker, all at the same time: each of them wakes, and comes. */
static void arrive(int64_t i, void *arg)
{
    struct loop *l = arg;

    l->count[i]++;
    for (l->arrived++; l->arrived < l->workers;)
        usleep(20);
}

/* The first block is long: the rest of the caller's share is stolen, by a
   proposal or behind a heavy fence.  And a loop within, and a dump. */
static void uneven(int64_t i, void *arg)
{
    struct loop *l = arg;

    l->count[i]++;
    if (i == 0)
        usleep(200);
    if (i == 33 && !loops_are_right(l->pool, 5))
        l->count[i]++;
    if (i == 1)
        l->dumped = tweed_pool_dump(l->pool, sink);
}

static bool each_once(const struct loop *l, int n)
{
    for (int i = 0; i < COUNT_MOST; i++)
        if (l->count[i] != (i < n))
            return false;
    return true;
}

struct take {
    tweed_scratch *scratch;
    atomic_int without; /* indices for which there was no block */
};

static void take(int64_t i, void *arg)
{
    struct take *t = arg;
    long *mine = tweed_scratch_get(t->scratch);

    (void)i;
    if (mine)
        ++*mine;
    else
        t->without++;
}

/* A block for each worker, or for those for whom there is memory. */
static const char *use_scratch(tweed_pool *pool)
{
    struct take t = { .scratch = NULL };
    long sum = 0, *p;
    int code;

    errno = MARK;
    code = tweed_scratch_create(&t.scratch, sizeof(long), NULL);
    if (code)
        return code == TWEED_ENOMEM && !t.scratch && may_have_no_pool()
                   ? NULL
                   : "a scratch";
    code = tweed_parallel_for_with(pool, NULL, 0, 500, take, &t);
    for (p = tweed_scratch_next(t.scratch, NULL); p;
         p = tweed_scratch_next(t.scratch, p))
        sum += *p;
    tweed_scratch_destroy(t.scratch);
    if (errno != MARK)
        return "a scratch has changed errno";
    if (code || sum + t.without != 500 || (t.without && !may_have_no_pool()))
        return "blocks of a scratch";
    return NULL;
}

static void stop(int64_t i, void *arg)
{
    (void)i, (void)arg;
    (void)tweed_parallel_stop();
}

/* Loops with weights, and one that is stopped: on no pool, too. */
static const char *use_options(tweed_pool *pool)
{
    static const double weights[] = { 1, 2, 0, 4, 5, 1, 1, 1 }, wrong[] = { 1, -1 };
    tweed_loop_options o = { .size = sizeof o, .weights = weights };
    struct loop l = { .pool = pool, .workers = 1 };

    if (tweed_parallel_for_with(pool, &o, 0, 8, arrive, &l) || !each_once(&l, 8))
        return "a loop with weights";
    o.weights = wrong;
    if (tweed_parallel_for_with(pool, &o, 0, 2, arrive, &l) != TWEED_EINVAL)
        return "a weight that is none";
    return tweed_parallel_for_with(pool, NULL, 0, 1000, stop, NULL) == TWEED_ESTOPPED
               ? NULL
               : "a loop that is stopped";
}

/* An array, which is written to; or none, where there is no memory. */
static const char *use_arrays(tweed_pool *pool)
{
    enum { EACH = 1 << 18, BYTES = 8 * EACH };
    static const double weights[] = { 1, 2, 0, 4, 5, 1, 1, 1 };
    tweed_loop_options o = { .size = sizeof o, .weights = weights };
    int code = 1;
    char *a;
    int64_t left;

    errno = MARK;
    a = tweed_alloc_with(pool, &o, 0, 8, EACH, &code);
    left = tweed_move_array(pool, &o, 0, 8, a ? a : (char *)&a, a ? EACH : 1);
    if (a ? a[0] != 0 : !may_have_no_pool())
        return "an array";
    if (a)
        memset(a, 1, BYTES);
    if (tweed_address_node(a) < -1)
        return "the node of an address";
    tweed_free(a);
    if (code != (a ? TWEED_OK : TWEED_ENOMEM))
        return "the code of an array";
    if (left > BYTES || (left < 0 && (left != TWEED_ENOMEM || !may_have_no_pool())))
        return "moving an array";
    return errno == MARK ? NULL : "an array has changed errno";
}

TWEED_TASK(int64_t, tree, int, lo, int, hi)
{
    int64_t b;

    if (hi - lo == 1)
        return lo;
    TWEED_SPAWN(tree, lo, lo + (hi - lo) / 2);
    b = TWEED_CALL(tree, lo + (hi - lo) / 2, hi);
    return TWEED_SYNC(tree) + b;
}

TWEED_TASK(int, executes)
{
    return tweed_worker_index();
}

/* Spawns a task again and again, until a thief executes one: a busy machine may stop the
   thieves for all of a tree.  A fault may have cost the thieves: 20 turns then.  Without
   one the watchdog tells.  Only thieves of tasks make heavy fences here: a pool with more
   workers than CPUs has its loops go by exchange. */
TWEED_TASK(void, is_stolen_from)
{
    int self = tweed_worker_index(), thief = self;

    for (int turn = 0; thief == self && (turn < 20 || !fault_injected()); turn++) {
        TWEED_SPAWN(executes);
        usleep(100);
        thief = TWEED_SYNC(executes);
    }
}

/* A tree; and, on a pool of one's own, more tasks than there is room for at first, or than
   there is on a stack. */
static const char *use_tasks(tweed_pool *pool)
{
    bool few = !pool || fault->site == FAULT_mmap || fault->site == FAULT_mprotect;
    int n = few ? 100 : 4000;

    if (TWEED_RUN_ON(pool, tree, 0, 500) != sum_below(500))
        return "a tree of tasks";
    TWEED_RUN_ON(pool, is_stolen_from);
    return TWEED_RUN_ON(pool, wide, n, NULL) == sum_below(n) ? NULL : "many tasks";
}

static _Atomic int notes;

static int note(void *arg)
{
    (void)arg;
    atomic_fetch_add(&notes, 1);
    return 0;
}

/* Where no pool can start each call tries again to start one, and looks at the machine.
   Where tasks have no memory each of them asks for some. */
static int tasks_a_group(void)
{
    bool tries = is_needed_to_start() || fault->site == FAULT_mprotect;

    return fault->for_good && tries ? 5 : 100;
}

/* Spawns, on a worker's own deque if there is a worker. */
static int spawn_more(void *arg)
{
    tweed_group g = TWEED_GROUP_INIT;

    g.pool = arg;
    for (int i = tasks_a_group(); i > 0; i--)
        if (tweed_group_spawn(&g, note, NULL) != TWEED_OK)
            return 1;
    return tweed_group_sync(&g);
}

/* A task is executed, be it at once, or given back. */
static const char *use_groups(tweed_pool *pool)
{
    tweed_group g = TWEED_GROUP_INIT;
    int each = tasks_a_group(), submitted = 0, code;

    g.pool = pool;
    atomic_store(&notes, 0);
    for (int i = 0; i < 20; i++)
        if (tweed_group_spawn(&g, spawn_more, pool) != TWEED_OK)
            return "a task of a group";
    if (tweed_group_sync(&g) != TWEED_OK || atomic_exchange(&notes, 0) != 20 * each)
        return "a group";
    for (int i = 0; i < each; i++) {
        code = tweed_pool_submit(pool, note, NULL);
        submitted += code == TWEED_OK;
        if (code && code != TWEED_ENOMEM)
            return "a submitted task";
    }
    code = tweed_pool_drain(pool);
    if (code && (code != TWEED_ENOMEM || !may_have_no_pool()))
        return "draining";
    return atomic_load(&notes) == submitted ? NULL : "submitted tasks";
}

static const char *use(tweed_pool *pool)
{
    static const tweed_loop_options single = { .size = sizeof single,
                                               .grain = 1 };
    struct loop g = { .pool = pool }, u = { .pool = pool };
    tweed_stats stats = { .size = sizeof stats };
    const char *wrong;
    int code;

    g.workers = tweed_pool_num_workers(pool);
    if (g.workers != WORKERS &&
        (g.workers < 1 || g.workers > WORKERS || !may_have_fewer_workers()))
        return "not the workers that were asked for";
    errno = MARK;
    code = tweed_parallel_for_with(pool, NULL, 0, g.workers, arrive, &g);
    if (code != TWEED_OK || !each_once(&g, g.workers))
        return "a loop of an index a worker";
    if (tweed_parallel_for_with(pool, &single, 0, 64, uneven, &u) !=
            TWEED_OK ||
        !each_once(&u, 64))
        return "an uneven loop";
    if (!loops_are_right(pool, COUNT_MOST))
        return "a long loop";
    wrong = use_tasks(pool);
    if (!wrong)
        wrong = use_groups(pool);
    if (wrong)
        return wrong;
    if (errno != MARK)
        return "a loop has changed errno";
    wrong = use_scratch(pool);
    if (!wrong)
        wrong = use_options(pool);
    if (!wrong)
        wrong = use_arrays(pool);
    if (wrong)
        return wrong;
    if (u.dumped && (u.dumped != TWEED_EINVAL || !may_have_no_dump()))
        return "a dump";
    code = tweed_stats_get(pool, -1, &stats);
    if (code && (code != TWEED_ENOMEM || !may_have_no_pool()))
        return "statistics";
    code = tweed_loop_stats_get(NULL, 0);
    if (code < 1 && (code != TWEED_ENOMEM || fault->site != FAULT_malloc ||
                     !fault_injected()))
        return "statistics of loops";
    while (awake_all()) /* all fall asleep: nobody spins on */
        usleep(50);
    return NULL;
}

/* Ends the default pool, and takes away what was recorded: the next loop starts
   another. */
static void forget_default(void)
{
    if (tweed_default_pool_shutdown() != TWEED_OK)
        abort();
    tweed__trace_free();
}

static void hear(const tweed_progress *progress, void *arg)
{
    atomic_int *calls = arg;

    if (progress->done <= progress->total && progress->total == 2)
        ++*calls;
}

/* Until something is told, or for 2 ms, where nobody may be there who tells: the reporter
   looks each tenth of a millisecond (faults-shim.c). */
static void wait_until_told(int64_t i, void *arg)
{
    atomic_int *calls = arg;

    for (int turn = 0; i == 0 && !*calls; turn++) {
        if (turn >= 20 && may_have_no_reporter())
            return;
        usleep(100);
    }
}

/* A thread of the library's own looks at loops, and calls a function. */
static const char *be_told(tweed_pool *pool)
{
    atomic_int calls = 0;
    int code;

    errno = MARK;
    if (tweed_pool_progress(pool, hear, &calls) != TWEED_OK)
        return "progress is not told";
    code = tweed_parallel_for_with(pool, NULL, 0, 2, wait_until_told, &calls);
    if (tweed_pool_progress(pool, NULL, NULL) != TWEED_OK)
        return "progress does not end";
    if (errno != MARK)
        return "progress has changed errno";
    if (code != TWEED_OK || (!calls && !may_have_no_reporter()))
        return "a loop that is told of";
    return NULL;
}

static const char *create(tweed_pool **pool)
{
    tweed_pool_options o = { .size = sizeof o,
                             .num_workers = WORKERS,
                             .stack_bytes = 1 << 20 };
    tweed_pool *untouched = (tweed_pool *)&o;
    int code;

    *pool = untouched;
    errno = MARK;
    code = tweed_pool_create(pool, &o);
    if (errno != MARK)
        return "creating a pool has changed errno";
    if (code == TWEED_OK)
        return NULL;
    if (code != TWEED_ENOMEM || *pool != untouched || !may_have_no_pool())
        return "a pool that cannot be had, for no reason";
    *pool = NULL;
    return NULL;
}

static const char *destroy(tweed_pool *pool)
{
    errno = MARK;
    if (tweed_pool_destroy(pool) != TWEED_OK)
        return "a pool cannot be destroyed";
    return errno == MARK ? NULL : "destroying a pool has changed errno";
}

static bool may_have_no_file(void)
{
    return may_have_no_dump() ||
           ((fault->site == FAULT_open || fault->site == FAULT_close) &&
            fault_injected());
}

/* The own pool (NULL: there is none) and the default one, traced. */
static const char *use_both(tweed_pool *own)
{
    const char *wrong;
    int code;

    errno = MARK;
    count_by_name();
    code = tweed_trace_start(NULL);
    if (code)
        return "a trace does not start";
    wrong = own ? use(own) : NULL;
    if (!wrong)
        wrong = use(NULL);
    if (!wrong)
        wrong = be_told(own);
    tweed_trace_stop();
    code = tweed_trace_write("/dev/null");
    if (!wrong && code && (code != TWEED_EINVAL || !may_have_no_file()))
        wrong = "a trace is not written";
    return wrong || errno == MARK ? wrong : "a trace has changed errno";
}

/* The faults are over: all must be as ever, and given back. */
static const char *afterwards(void)
{
    tweed_pool *fresh;
    const char *wrong;

    fault_disarm();
    wrong = use(NULL); /* what there is of it */
    forget_default();  /* and of the reporter */
    if (!wrong)
        wrong = fault_left();
    if (!wrong)
        wrong = create(&fresh);
    if (!wrong && (!fresh || tweed_pool_num_workers(fresh) != WORKERS))
        wrong = "a fresh pool is not complete";
    if (!wrong)
        wrong = use(fresh);
    if (!wrong)
        wrong = be_told(fresh);
    if (!wrong)
        wrong = destroy(fresh);
    if (!wrong)
        wrong = fault_left();
    return wrong;
}

static int say(const char *wrong, const char *where)
{
    size_t size;
    char *text = fault_text(&size);

    if (wrong)
        snprintf(text, size, "%s%s", where, wrong);
    return wrong != NULL;
}

/* The child has its parent's pools, and starts them anew. */
static const char *use_in_child(tweed_pool *own)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        const char *wrong;
        int code;

        killed_in(CHILD_SECONDS / 2);
        fault_forget_threads();
        wrong = use_both(own);
        if (!wrong)
            wrong = destroy(own);
        forget_default();
        code = say(wrong ? wrong : fault_left(), "in a child: ");
        fault_leave();
        _exit(code);
    }
    status = child_wait(pid);
    return child_exited(status, 0)   ? NULL
           : child_exited(status, 1) ? "" /* it has said why */
                                     : "a child hangs or dies";
}

/* The reporter ends where nanosleep() fails.  AddressSanitizer frees memory of its own when a
   thread ends, and takes no lock at a fork(): no thread of the child gets memory, if one ended
   at that moment. */
static bool breaks_fork(void)
{
    return TWEED_HAVE_TSAN || /* no threads in the child of a process with some */
           (CHILD_HAVE_ASAN &&
            (fault->site == FAULT_nanosleep || fault->site == FAULT_sched_yield));
}

/* Not for a fault that is over, but for one that only a fork() shows. */
static bool wants_child(void)
{
    return !breaks_fork() && (fault->for_good || !fault_injected() ||
                              fault->site == FAULT_pthread_atfork);
}

static int count_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

/* No memory is not mistaken for a bad form. */
static const char *make_machine_up(void)
{
    const char *bad_form;
    struct tweed__topology *t = tweed__topology_parse("nodes:2,cpus:2", &bad_form);
    bool good = !bad_form && (t || may_have_no_pool());

    tweed__topology_free(t);
    return good ? NULL : "a made-up machine";
}

static int scenario(void *arg)
{
    int files = count_files(), threads = count_threads();
    const char *wrong;
    tweed_pool *own;
    int64_t quota;

    dup2(sink, STDERR_FILENO); /* the tables of TWEED_STATS */
    fault = arg;
    fault_arm(fault);
    wrong = create(&own);
    quota = tweed__cgroup_quota(tree);
    if (!wrong && quota != 1500 && (quota || !may_have_no_quota()))
        wrong = "the quota of a cgroup";
    if (!wrong)
        wrong = make_machine_up();
    if (!wrong)
        wrong = use_both(own);
    if (!wrong && wants_child())
        wrong = use_in_child(own);
    if (!wrong)
        wrong = destroy(own);
    if (!wrong)
        wrong = afterwards();
    /* (ThreadSanitizer starts a thread of its own.)  Or the watchdog: */
    while (!wrong && !TWEED_HAVE_TSAN && count_threads() > threads)
        usleep(100);
    if (!wrong && count_files() != files)
        wrong = "a file is still open";
    fault_leave();
    return wrong && (!*wrong || say(wrong, ""));
}

/* ---- the faults ---- */

static int runs, faults, injected;

/* One run of the scenario; true if all was well. */
static bool survives(const struct fault *f)
{
    size_t size;
    char *text = fault_text(&size);
    int status;

    *text = '\0';
    status = child_run(scenario, (void *)(size_t)f);
    runs++;
    injected += fault_injected();
    if (child_exited(status, 0))
        return true;
    diag("%s, %s, call %d%s: %s (status %#x)", sites[f->site].name,
         f->error ? strerror(f->error) : "no error", f->k,
         f->for_good ? " and all after it" : "",
         *text ? text : "hangs or dies", (unsigned)status);
    return false;
}

static int next_k(int k)
{
    if (k < rounds(is_long() ? 6 : 3))
        return k + 1;
    return is_long() && k < 64 ? k + k / 3 + 1 : 4 * k;
}

/* The first call of a site fails with each error, once and for good; later ones with one or
   other. */
static bool try_site(enum site site, int calls)
{
    int n = sites[site].num_errors, turn = 0, k;
    int before = injected, tried = faults;
    bool good = true;

    for (k = 1; k <= calls && good; k = next_k(k), turn++)
        for (int e = 0; e < n && good; e++)
            for (int for_good = 0; for_good <= 1 && good; for_good++) {
                struct fault f = { site, sites[site].errors[e], k, for_good };

                if (k > rounds(1) &&
                    (e != turn % n || (!is_long() && for_good != turn / n % 2)))
                    continue;
                good = survives(&f);
                faults++;
            }
    return ok(good && injected > before,
              "%s: %d errors, %d faults among its calls 1 to %d",
              sites[site].name, n, faults - tried, calls);
}

/* Why a call may not have been made at all. */
static const char *excuse(enum site site)
{
    switch (site) {
    case FAULT_mbind:
    case FAULT_move_pages:
    case FAULT_numa_available:
    case FAULT_numa_node_of_cpu:
    case FAULT_numa_distance:
    case FAULT_getc:
        return !HAVE_LIBNUMA                 ? "built without libnuma"
               : access("/sys/devices/system/node/node0/cpumap", R_OK)
                   ? "/sys shows no nodes"
                   : NULL;
    case FAULT_fgets:
        return access("/sys/devices/system/cpu/cpu0/topology/"
                      "thread_siblings_list",
                      R_OK)
                   ? "/sys shows no threads of cores"
                   : NULL;
    case FAULT_membarrier_register:
        return TWEED_HAVE_TSAN ? "not under ThreadSanitizer" : NULL;
    case FAULT_membarrier_fence:
        return tweed__fence_register() ? "no membarrier" : NULL;
    default:
        return NULL;
    }
}

/* How often the scenario makes the call. */
static int count_calls(enum site site)
{
    struct fault none = { .site = site };
    int most = 0;

    for (int i = 0; i < 2; i++) {
        if (!survives(&none))
            return -1;
        if (fault_calls(site) > most)
            most = fault_calls(site);
    }
    return most;
}

static void test(enum site site)
{
    int calls = count_calls(site);

    if (calls == 0 && excuse(site))
        skip(1, excuse(site));
    else if (calls <= 0)
        ok(false, "%s is not called, or fails untouched", sites[site].name);
    else
        try_site(site, calls);
}

/* ---- a cgroup with a quota of 1.5 CPUs ---- */

static void grow_tree(void)
{
    if (!mkdtemp(tree))
        bail_out("no temporary directory");
    made_up_put(tree, "/proc/self/cgroup", "0::/a\n");
    made_up_put(tree, "/proc/self/mountinfo", "1 0 0:1 / /cg rw - cgroup2 none rw\n");
    made_up_put(tree, "/cg/a/cpu.max", "150000 100000\n");
}

int main(void)
{
    setenv("TWEED_NUM_WORKERS", "3", 1);
    setenv("TWEED_STATS", "1", 1);
    setenv("TWEED_TRACE_EVENTS", "256", 1); /* a trace of all takes a fifth of a run */
    setenv("TWEED_DISPLAY_ENV", "1", 1);
    setenv("TWEED_SPIN_NS", "3000", 1);
    unsetenv("TWEED_TOPOLOGY");
    fault_prepare();
    plan(NUM_SITES);
    sink = open("/dev/null", O_WRONLY);
    if (sink < 0)
        bail_out("no /dev/null");
    grow_tree();
    for (int site = 0; site < NUM_SITES; site++)
        test((enum site)site);
    diag("%d sites, %d faults in %d runs", NUM_SITES, faults, runs);
    made_up_clear(tree);
    rmdir(tree);
    return done_testing();
}
