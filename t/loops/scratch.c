/*
 * scratch.c - blocks of memory for each worker: whose they are, below inner loops too.
 *
 * SPDX-License-Identifier: MIT
 *
 * A body marks its block, and nobody else may find the mark or change what the body
 * has written: while it computes, and while the loops that it has started run, whose
 * bodies have blocks as well.  All indices are counted in the blocks.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "pools.h"
#include "self.h"
#include "base/tsan.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define BINS 257

struct block {
    long bins[BINS];
    int64_t mark; /* what the body has that has the block; 0: none */
};

static tweed_scratch *scratch;
static atomic_int wrong;

static tweed_scratch *fresh(void)
{
    tweed_scratch *s = NULL;

    must(tweed_scratch_create(&s, sizeof(struct block), NULL));
    return s;
}

static struct block *get(tweed_scratch *s)
{
    struct block *b = tweed_scratch_get(s);

    if (!b)
        bail_out("no memory");
    return b;
}

static int bin_of(int64_t i)
{
    return (int)(i % BINS);
}

static int blocks_of(tweed_scratch *s)
{
    int n = 0;

    for (void *p = tweed_scratch_next(s, NULL); p; p = tweed_scratch_next(s, p))
        n++;
    return n;
}

/* Are [0, n) counted so many times each, and is no mark left? */
static int counts_are(tweed_scratch *s, int64_t n, long times)
{
    long sum[BINS] = { 0 };
    struct block *b;

    for (b = tweed_scratch_next(s, NULL); b; b = tweed_scratch_next(s, b)) {
        if (b->mark)
            return 0;
        for (int k = 0; k < BINS; k++)
            sum[k] += b->bins[k];
    }
    for (int k = 0; k < BINS; k++)
        if (sum[k] != times * (n / BINS + (k < n % BINS)))
            return 0;
    return 1;
}

/* ---- one loop ---- */

TWEED_LOOP(count_all, i, tweed_scratch *, s)
{
    struct block *b = get(s);

    if (b->mark)
        atomic_store(&wrong, 1);
    b->mark = i + 1;
    b->bins[bin_of(i)]++;
    if (get(s) != b || b->mark != i + 1)
        atomic_store(&wrong, 1);
    b->mark = 0;
}

static void one_loop(int workers, int fence)
{
    tweed_pool *pool = pool_fenced(workers, fence);
    tweed_scratch *s = fresh();
    int first, code = TWEED_OK;

    ok(!tweed_scratch_next(s, NULL), "%d workers: no block at first", workers);
    code |= count_all_with(pool, NULL, 0, 100000, s);
    first = blocks_of(s);
    for (int k = 0; k < 20; k++)
        code |= count_all_with(pool, NULL, 0, 100000, s);
    ok(code == TWEED_OK && !atomic_load(&wrong) && counts_are(s, 100000, 21),
       "every index counted");
    ok(first >= 1 && blocks_of(s) <= workers, "one block a worker, kept");
    tweed_scratch_destroy(s);
    tweed_pool_destroy(pool);
}

/* ---- loops inside ---- */

static tweed_pool *pools[2];

/* Three deep; the loop of depth d runs on pools[d % 2]. */
static void nest(int64_t i, void *arg)
{
    int depth = *(int *)arg, inner = depth + 1;
    struct block *b = get(scratch);
    int64_t mark = i * 8 + depth + 1;

    if (b->mark)
        atomic_store(&wrong, 1);
    b->mark = mark;
    b->bins[bin_of(i)]++;
    if (inner < 3 &&
        tweed_parallel_for_with(pools[inner % 2], NULL, 0, 24, nest, &inner) !=
            TWEED_OK)
        atomic_store(&wrong, 1);
    if (get(scratch) != b || b->mark != mark)
        atomic_store(&wrong, 1);
    if (depth == 2)
        for (volatile int spin = 0; spin < 300; spin++)
            ;
    b->mark = 0;
}

static void nested(tweed_pool *a, tweed_pool *b, const char *what)
{
    long sum = 0;
    int outermost = 0, code;
    struct block *p;

    pools[0] = a;
    pools[1] = b;
    scratch = fresh();
    code = tweed_parallel_for_with(a, NULL, 0, 24, nest, &outermost);
    for (p = tweed_scratch_next(scratch, NULL); p;
         p = tweed_scratch_next(scratch, p)) {
        for (int k = 0; k < BINS; k++)
            sum += p->bins[k];
        if (p->mark)
            atomic_store(&wrong, 1);
    }
    ok(code == TWEED_OK && !atomic_load(&wrong),
       "%s: no body has the block of one outside", what);
    ok(sum == 24 + 24 * 24 + 24 * 24 * 24, "%s: every index counted", what);
    tweed_scratch_destroy(scratch);
}

/* So deep that the last loops have no slot: each body keeps its block. */
static void dig(int64_t i, void *arg)
{
    int left = *(int *)arg, deeper = left - 1;
    struct block *b = get(scratch);

    if (b->mark)
        atomic_store(&wrong, 1);
    b->mark = left;
    b->bins[bin_of(i)]++;
    if (left > 1 && tweed_parallel_for_with(pools[0], NULL, i, i + 1, dig,
                                            &deeper) != TWEED_OK)
        atomic_store(&wrong, 1);
    if (b->mark != left)
        atomic_store(&wrong, 1);
    b->mark = 0;
}

static void deep(void)
{
    int depth = 80;

    pools[0] = pool_fenced(2, TWEED_FENCE_EXCHANGE);
    scratch = fresh();
    must(tweed_parallel_for_with(pools[0], NULL, 0, 4, dig, &depth));
    ok(!atomic_load(&wrong) && counts_are(scratch, 4, 80), "80 loops deep");
    tweed_scratch_destroy(scratch);
    tweed_pool_destroy(pools[0]);
}

/* ---- outside callers ---- */

#define CALLERS 6

static void *call(void *arg)
{
    tweed_pool *pool = arg;
    int outermost = 1;

    for (int k = 0; k < 10; k++)
        if (count_all_with(pool, NULL, 0, 5000, scratch) != TWEED_OK ||
            tweed_parallel_for_with(pool, NULL, 0, 24, nest, &outermost) !=
                TWEED_OK)
            atomic_store(&wrong, 1);
    return NULL;
}

static void callers(void)
{
    tweed_pool *pool = pool_of(3);
    pthread_t threads[CALLERS];
    long sum = 0;
    struct block *b;

    pools[0] = pools[1] = pool;
    scratch = fresh();
    for (int k = 0; k < CALLERS; k++)
        must(pthread_create(&threads[k], NULL, call, pool));
    for (int k = 0; k < CALLERS; k++)
        pthread_join(threads[k], NULL);
    for (b = tweed_scratch_next(scratch, NULL); b;
         b = tweed_scratch_next(scratch, b))
        for (int k = 0; k < BINS; k++)
            sum += b->bins[k];
    ok(!atomic_load(&wrong), "callers at the same time have blocks of their own");
    ok(sum == CALLERS * 10 * (5000 + 24 + 24 * 24), "every index counted");
    tweed_scratch_destroy(scratch);
    tweed_pool_destroy(pool);
}

/* One after the other, all gone: a block is the next one's. */
static void callers_that_end(void)
{
    tweed_pool *pool = pool_of(2);
    int most = 0;

    pools[0] = pools[1] = pool;
    scratch = fresh();
    for (int k = 0; k < 100; k++) {
        pthread_t thread;

        must(pthread_create(&thread, NULL, call, pool));
        pthread_join(thread, NULL);
        if (k == 0)
            most = blocks_of(scratch);
    }
    /* each of the two threads has three at most: for bodies of depths 1 and 2, and
       the caller's of a loop that its worker runs */
    ok(!atomic_load(&wrong) && most <= 6 && blocks_of(scratch) <= 6,
       "the blocks of a thread that has ended are the next one's");
    tweed_scratch_destroy(scratch);
    tweed_pool_destroy(pool);
}

/* A hundred threads at a time have numbers in several rows. */
static pthread_barrier_t all_there;

static void *hold(void *arg)
{
    struct block *b = get(scratch);

    (void)arg;
    if (b->mark)
        atomic_store(&wrong, 1);
    b->mark = 1;
    b->bins[0]++;
    pthread_barrier_wait(&all_there);
    if (get(scratch) != b || b->bins[0] != 1)
        atomic_store(&wrong, 1);
    b->mark = 0;
    return NULL;
}

static void many_threads(void)
{
    enum { THREADS = 150 };
    pthread_t threads[THREADS];

    scratch = fresh();
    pthread_barrier_init(&all_there, NULL, THREADS);
    for (int k = 0; k < THREADS; k++)
        must(pthread_create(&threads[k], NULL, hold, NULL));
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    ok(!atomic_load(&wrong) && blocks_of(scratch) == THREADS,
       "%d threads, outside of bodies", THREADS);
    tweed_scratch_destroy(scratch);
    pthread_barrier_destroy(&all_there);
}

/* ---- fork ---- */

static atomic_int arrived;

/* Each of three workers has one. */
static void meet(int64_t i, void *arg)
{
    (void)i;
    get(arg);
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < 3)
        nap_us(20);
}

static int in_child(tweed_pool *pool, tweed_scratch *s)
{
    atomic_store(&arrived, 0);
    must(tweed_parallel_for_with(pool, NULL, 0, 3, meet, s));
    /* its workers have the numbers of the parent's, and so their blocks */
    return blocks_of(s) == 3 && counts_are(s, 20000, 1) && /* what the parent had */
           count_all_with(pool, NULL, 0, 20000, s) == TWEED_OK &&
           count_all_with(pool, NULL, 0, 20000, s) == TWEED_OK &&
           !atomic_load(&wrong) && counts_are(s, 20000, 3);
}

static void forks(void)
{
    tweed_pool *pool = pool_of(3);
    tweed_scratch *s = fresh();
    int status = -1;
    pid_t pid;

    must(count_all_with(pool, NULL, 0, 20000, s));
    must(tweed_parallel_for_with(pool, NULL, 0, 3, meet, s));
    if (TWEED_HAVE_TSAN || under_qemu()) {
        skip(2, "ThreadSanitizer's, or qemu's, child of a program with threads may start none");
        tweed_scratch_destroy(s);
        tweed_pool_destroy(pool);
        return;
    }
    pid = fork();
    if (pid == 0) {
        watchdog();
        _exit(!in_child(pool, s));
    }
    ok(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0,
       "the child of a fork() has the blocks, and uses them");
    ok(counts_are(s, 20000, 1), "its parent's are as they were");
    tweed_scratch_destroy(s);
    tweed_pool_destroy(pool);
}

/* ---- options, arguments ---- */

static atomic_int inits, finis;
static int user_data;

static void init(void *block, void *arg)
{
    struct block *b = block;

    if (arg != &user_data)
        atomic_store(&wrong, 1);
    for (int k = 0; k < BINS; k++)
        b->bins[k] += k; /* zero before */
    b->mark = tweed_worker_index() + 100;
    atomic_fetch_add(&inits, 1);
}

static void fini(void *block, void *arg)
{
    struct block *b = block;

    if (arg != &user_data || b->bins[256] != 256)
        atomic_store(&wrong, 1);
    atomic_fetch_add(&finis, 1);
}

TWEED_LOOP(see_init, i, tweed_scratch *, s)
{
    struct block *b = get(s);

    if (b->mark >= 100 && b->mark != tweed_worker_index() + 100)
        atomic_store(&wrong, 1);
    b->mark = -1;
    b->bins[0]++;
}

static void options(void)
{
    tweed_scratch_options o = TWEED_SCRATCH_OPTIONS_INIT;
    tweed_pool *pool = pool_of(4);
    tweed_scratch *s = NULL;
    int blocks;

    o.init = init;
    o.fini = fini;
    o.arg = &user_data;
    must(tweed_scratch_create(&s, sizeof(struct block), &o));
    for (int k = 0; k < 20; k++)
        must(see_init_with(pool, NULL, 0, 10000, s));
    blocks = blocks_of(s);
    ok(!atomic_load(&wrong) && atomic_load(&inits) == blocks,
       "init for each block, by its worker");
    tweed_scratch_destroy(s);
    ok(!atomic_load(&wrong) && atomic_load(&finis) == blocks,
       "fini for each block");
    tweed_pool_destroy(pool);
}

static void alignment(void)
{
    static const size_t alignments[] = { 0, 1, 64, 4096, 1 << 20 };
    tweed_scratch_options o = TWEED_SCRATCH_OPTIONS_INIT;
    int good = 1;

    for (size_t k = 0; k < sizeof alignments / sizeof *alignments; k++)
        for (size_t bytes = 1; bytes < 20000; bytes = bytes * 3 + 1) {
            tweed_scratch *s = NULL;
            unsigned char *p;

            o.alignment = alignments[k];
            must(tweed_scratch_create(&s, bytes, &o));
            p = tweed_scratch_get(s);
            good &= p && (uintptr_t)p % 64 == 0 &&
                    (!alignments[k] || (uintptr_t)p % alignments[k] == 0);
            for (size_t b = 0; p && b < bytes; b++)
                good &= p[b]++ == 0;
            good &= tweed_scratch_next(s, NULL) == p &&
                    !tweed_scratch_next(s, p);
            tweed_scratch_destroy(s);
        }
    ok(good, "aligned, zero, and all of it there");
}

/* ---- where the blocks are ---- */

#define PAGES 8
#define PLACED_WORKERS 4

static atomic_int unknown; /* pages of which the system does not tell the node */
static long page_bytes;

/* Has the node memory to give?  A machine without such files has one node. */
static int has_room(int node)
{
    char path[80], line[80];
    long kilobytes = 0;
    FILE *file;

    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/meminfo", node);
    file = fopen(path, "r");
    if (!file)
        return 1;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "Node %*d MemFree: %ld", &kilobytes) == 1)
            break;
    fclose(file);
    return kilobytes > 65536;
}

/* The node that a page is on; negative: not known. */
static int node_of(void *page)
{
    int node = -1;

    if (syscall(SYS_move_pages, 0, 1UL, &page, NULL, &node, 0) != 0)
        return -1;
    return node;
}

/* The worker's block is touched, and asked for.  Where the caller runs nobody says. */
static void look(int64_t i, void *arg)
{
    int own = tweed_worker_node();
    char *block = tweed_scratch_get(scratch);

    (void)i, (void)arg;
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < PLACED_WORKERS)
        nap_us(20);
    if (tweed_worker_index() == 0 || !has_room(own))
        return;
    for (int k = 0; block && k < PAGES; k++) {
        int node;

        block[k * page_bytes] = 1;
        node = node_of(block + k * page_bytes);
        if (node < 0)
            atomic_fetch_add(&unknown, 1);
        else if (node != own)
            atomic_fetch_add(&wrong, 1);
    }
}

static void placed(void)
{
    tweed_pool *pool = pool_of(PLACED_WORKERS);

    page_bytes = sysconf(_SC_PAGESIZE);
    atomic_store(&wrong, 0);
    atomic_store(&arrived, 0);
    must(tweed_scratch_create(&scratch, (size_t)(PAGES * page_bytes), NULL));
    must(tweed_parallel_for_with(pool, NULL, 0, PLACED_WORKERS, look, NULL));
    if (atomic_load(&unknown))
        skip(1, "the system does not say on which node a page is");
    else
        ok(!atomic_load(&wrong), "a block is on the node of its worker");
    tweed_scratch_destroy(scratch);
    tweed_pool_destroy(pool);
}

static void arguments(void)
{
    tweed_scratch_options o = TWEED_SCRATCH_OPTIONS_INIT;
    tweed_scratch *s = NULL;

    ok(tweed_scratch_create(NULL, 1, NULL) == TWEED_EINVAL, "nowhere to put it");
    ok(tweed_scratch_create(&s, 0, NULL) == TWEED_EINVAL, "no bytes");
    o.alignment = 48;
    ok(tweed_scratch_create(&s, 1, &o) == TWEED_EINVAL, "a bad alignment");
    o.alignment = (size_t)1 << 31;
    ok(tweed_scratch_create(&s, 1, &o) == TWEED_EINVAL, "one that is too large");
    o.alignment = 0;
    o.size = 0;
    ok(tweed_scratch_create(&s, 1, &o) == TWEED_EINVAL, "options without a size");
    ok(tweed_scratch_create(&s, SIZE_MAX, NULL) == TWEED_ENOMEM && !s,
       "more bytes than there are");
    must(tweed_scratch_create(&s, SIZE_MAX / 2, NULL));
    if (sizeof(size_t) < 8 && tweed_scratch_get(s))
        skip(1, "half of all addresses are free");
    else
        ok(!tweed_scratch_get(s) && !tweed_scratch_next(s, NULL), "no memory for a block");
    tweed_scratch_destroy(s);
    tweed_scratch_destroy(NULL);
    ok(!tweed_scratch_get(NULL) && !tweed_scratch_next(NULL, NULL), "none");
}

int main(void)
{
    tweed_pool *a, *b;

    plan(32);
    watchdog();
    one_loop(1, TWEED_FENCE_DEFAULT);
    one_loop(2, TWEED_FENCE_EXCHANGE);
    one_loop(5, TWEED_FENCE_MEMBARRIER);
    a = pool_of(4);
    b = pool_fenced(3, TWEED_FENCE_EXCHANGE);
    nested(a, a, "in one pool");
    nested(a, b, "in two pools");
    tweed_pool_destroy(a);
    tweed_pool_destroy(b);
    deep();
    callers();
    callers_that_end();
    many_threads();
    forks();
    options();
    alignment();
    placed();
    arguments();
    return done_testing();
}
