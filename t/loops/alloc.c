/*
 * alloc.c - arrays lie where loops use them: which page is asked for on which node, who
 * touches it, what is refused, what is freed.
 *
 * SPDX-License-Identifier: MIT
 *
 * The machine is made up: tweed__topology_get() is wrapped, and the calls that place
 * memory are noted.  The nodes of indices are those that a static loop finds there.
 */
#define TWEED_CALLS_APART_ 1 /* the library's loops alone go by tweed_loop_run() */
#include "config.h"

#include "pools.h"
#include "self.h"

#include "system/pages.h"
#include "system/topology.h"
#include "base/tsan.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define HUGE_PAGE ((size_t)2 << 20)

/* ---- the machine ---- */

static const char *machine = "nodes:1,cpus:4";
static int is_real; /* to tweed: threads are bound and memory is placed */

struct tweed__topology *__wrap_tweed__topology_get(void);
int __wrap_tweed__memory_node(int node);
bool __real_tweed__place_memory(void *, size_t, int, bool);
bool __wrap_tweed__place_memory(void *, size_t, int, bool);
void __real_tweed__huge_memory(void *, size_t);
void __wrap_tweed__huge_memory(void *, size_t);
size_t __wrap_tweed__memory_elsewhere(const void *, size_t, int);
int __real_tweed_loop_run(tweed_pool *, const tweed_loop_options *, int64_t, int64_t,
                          tweed_kind *, void (*)(void), void *);
int __wrap_tweed_loop_run(tweed_pool *, const tweed_loop_options *, int64_t, int64_t,
                          tweed_kind *, void (*)(void), void *);

struct tweed__topology *__wrap_tweed__topology_get(void)
{
    const char *wrong;
    struct tweed__topology *t = tweed__topology_parse(machine, &wrong);

    if (t)
        t->synthetic = !is_real;
    return t;
}

/* Node 3 has no memory. */
int __wrap_tweed__memory_node(int node)
{
    return node == 3 ? 2 : node;
}

/* ---- what is asked for ---- */

static struct {
    uintptr_t from, to;
    int node;
    bool move;
} placed[64];
static int num_placed, notes_touch;
static bool refuses; /* policies */
static atomic_int static_loops, other_loops;
static uintptr_t huge_at;
static size_t huge_bytes, elsewhere[8]; /* what is said of a node */

static void forget(void)
{
    num_placed = 0;
    static_loops = other_loops = 0;
    huge_at = 0;
}

bool __wrap_tweed__place_memory(void *address, size_t bytes, int node, bool move)
{
    if (num_placed < 64 && is_real) {
        placed[num_placed].from = (uintptr_t)address;
        placed[num_placed].to = (uintptr_t)address + bytes;
        placed[num_placed].node = node;
        placed[num_placed].move = move;
    }
    num_placed++;
    (void)__real_tweed__place_memory(address, bytes, 0, false); /* the arguments are right */
    return !refuses;
}

void __wrap_tweed__huge_memory(void *address, size_t bytes)
{
    huge_at = (uintptr_t)address;
    huge_bytes = bytes;
    __real_tweed__huge_memory(address, bytes);
}

size_t __wrap_tweed__memory_elsewhere(const void *address, size_t bytes, int node)
{
    (void)address, (void)bytes;
    return elsewhere[node];
}

/* ---- what loops do ---- */

#define MOST 4000

static int node_of[MOST], times[MOST];
static int64_t base;

static void note_node(int64_t i, void *arg)
{
    (void)arg;
    node_of[i - base] = tweed_worker_node();
    times[i - base]++;
}

/* ---- who touches what ---- */

static tweed_range_fn *touch;
static int touched_by[MOST], times_touched[MOST];

static void note_touch(int64_t begin, int64_t end, void *arg)
{
    for (int64_t i = begin; i < end; i++) {
        touched_by[i - base] = tweed_worker_node();
        times_touched[i - base]++;
    }
    touch(begin, end, arg);
}

/* The library's own loops: those of this file are called through tweed_parallel_for(). */
int __wrap_tweed_loop_run(tweed_pool *pool, const tweed_loop_options *o, int64_t lo,
                          int64_t hi, tweed_kind *kind, void (*fn)(void), void *arg)
{
    if (o->schedule == TWEED_SCHEDULE_STATIC)
        static_loops++;
    else
        other_loops++;
    if (!notes_touch)
        return __real_tweed_loop_run(pool, o, lo, hi, kind, fn, arg);
    touch = (tweed_range_fn *)fn;
    return __real_tweed_loop_run(pool, o, lo, hi, kind, (void (*)(void))note_touch, arg);
}

/* Each by whomever; or, where there are several nodes and no policies, at home. */
static int is_touched(int64_t count, bool at_home)
{
    int right = static_loops == at_home && other_loops == !at_home;

    for (int64_t i = 0; i < count; i++)
        right &= times_touched[i] == 1 && (!at_home || touched_by[i] == node_of[i]);
    return right;
}

/* Asks a static loop where its indices are executed. */
static int find_nodes(tweed_pool *pool, tweed_loop_options o, int64_t lo, int64_t hi)
{
    int right = 1;

    memset(times, 0, sizeof times);
    base = lo;
    o.schedule = TWEED_SCHEDULE_STATIC;
    must(tweed_parallel_for_with(pool, &o, lo, hi, note_node, NULL));
    for (int64_t i = 0; i < hi - lo; i++)
        right &= times[i] == 1;
    return right;
}

static const char *const machines[] = {
    "nodes:1,cpus:1", "nodes:1,cpus:4", "nodes:2,cpus:2", "nodes:4,cpus:2",
    "nodes:3,cpus:5,threads:5", "nodes:2,cpus:4,small:2,capacity:300"
};
enum { MACHINES = sizeof machines / sizeof *machines };

/* (Made-up CPUs: nobody is bound to them, but what they can do counts.) */
static tweed_pool *pool_on(const char *text, int real)
{
    tweed_pool_options o = { .bind = real ? TWEED_BIND_NONE : TWEED_BIND_CPU };

    machine = text;
    is_real = real;
    return pool_with(o);
}

static double weights[MOST];

/* Bounds and options of all kinds. */
static const struct shape {
    int64_t lo, count;
    tweed_loop_options o;
} shapes[] = {
    { 0, 1, TWEED_LOOP_OPTIONS_INIT },
    { 0, 3, TWEED_LOOP_OPTIONS_INIT },
    { -7, 1001, TWEED_LOOP_OPTIONS_INIT },
    { INT64_MAX - 3000, 3000, TWEED_LOOP_OPTIONS_INIT },
    { INT64_MIN, 2777, { .size = sizeof(tweed_loop_options), .grain = 100 } },
    { 5, 4000, { .size = sizeof(tweed_loop_options), .grain = 199, .max_workers = 3 } },
    { 0, 4000, { .size = sizeof(tweed_loop_options), .max_workers = 2 } },
    { 0, 3900,
      { .size = sizeof(tweed_loop_options), .grain = 7 } },
    { 3, 4000, { .size = sizeof(tweed_loop_options), .weights = weights } },
    { -1, 3333, { .size = sizeof(tweed_loop_options), .weights = weights, .grain = 5 } },
    { 4, 3500,
      { .size = sizeof(tweed_loop_options), .weights = weights, .max_workers = 6 } },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- the tests ---- */

static void test_plan(const char *text)
{
    tweed_pool *pool = pool_on(text, 0);
    int right = 1;

    for (int n = 0; n < SHAPES; n++) {
        const struct shape *s = &shapes[n];
        int64_t hi = s->lo + s->count;

        right &= find_nodes(pool, s->o, s->lo, hi);
        for (int64_t k = 0; k < s->count; k += 1 + s->count / 500)
            right &= tweed_index_node(pool, &s->o, s->lo, hi, s->lo + k) == node_of[k];
        right &= tweed_index_node(pool, &s->o, s->lo, hi, hi - 1) ==
                 node_of[s->count - 1];
    }
    ok(right, "%s: each index belongs to the node where a static loop has it", text);
    must(tweed_pool_destroy(pool));
}

/* How often a page was asked for, and for which node last. */
static int asked_for(uintptr_t page, int *node, bool move)
{
    int n = 0;

    for (int k = 0; k < num_placed; k++)
        if (placed[k].from <= page && page < placed[k].to && placed[k].move == move) {
            *node = placed[k].node;
            n++;
        }
    return n;
}

/* Are the pages of an array asked for where their first bytes' indices are? */
static int is_placed(const struct shape *s, const char *array, size_t each, bool own)
{
    uintptr_t page = tweed__page_bytes(), at = (uintptr_t)array;
    uintptr_t end = at + (uintptr_t)s->count * each, p = at & ~(page - 1);
    int right = 1, node = -1;

    for (; p < end; p += page) {
        bool foreign = p < at && !own;
        int64_t i = p < at ? 0 : (int64_t)((p - at + each - 1) / each);
        int n = asked_for(p, &node, !own);

        /* a page that begins within an element: this one's, or the next one's */
        right &= foreign ? n == 0
                         : n == 1 && ((p > at && node == node_of[(p - at) / each]) ||
                                      (i < s->count && node == node_of[i]));
    }
    return right;
}

static int is_zero(const char *array, size_t bytes)
{
    for (size_t k = 0; k < bytes; k++)
        if (array[k])
            return 0;
    return 1;
}

/* Is every page there? */
static int is_there(char *array, size_t bytes)
{
    size_t page = tweed__page_bytes(), pages = bytes / page + 2;
    unsigned char *there = calloc(pages, 1);
    uintptr_t from = (uintptr_t)array & ~(page - 1);
    int right = there && mincore((void *)from, (uintptr_t)array + bytes - from, there) == 0;

    for (size_t k = 0; right && k < ((uintptr_t)array + bytes - from + page - 1) / page; k++)
        right &= there[k] & 1;
    free(there);
    return right;
}

static void test_array(const char *text)
{
    static const size_t sizes[] = { 1, 72, 4096 };
    tweed_pool *pool = pool_on(text, 1);
    int zero = 1, there = 1, aligned = 1, right = 1, touched = 1;

    for (int k = 0; k < 2 * 3 * SHAPES; k++) {
        const struct shape *s = &shapes[k % SHAPES];
        size_t each = sizes[k / SHAPES % 3];
        int64_t hi = s->lo + s->count;
        size_t bytes = (size_t)s->count * each;
        int code = 1;
        char *a;

        find_nodes(pool, s->o, s->lo, hi);
        forget();
        memset(times_touched, 0, sizeof times_touched);
        notes_touch = 1;
        refuses = k >= 3 * SHAPES;
        a = tweed_alloc_with(pool, &s->o, s->lo, hi, each, &code);
        notes_touch = 0;
        if (!a || code != TWEED_OK)
            bail_out("no memory");
        aligned &= (uintptr_t)a % 64 == 0;
        there &= is_there(a, bytes); /* before it is read */
        zero &= is_zero(a, bytes);
        right &= is_placed(s, a, each, true);
        touched &= bytes <= 65536 ||
                   is_touched(s->count, refuses && !strstr(text, "nodes:1,"));
        memset(a, 7, bytes);
        tweed_free(a);
    }
    ok(zero && there && aligned, "%s: arrays are zero, there, and aligned", text);
    ok(right, "%s: each page is asked for once, where its index is", text);
    ok(touched, "%s: all pages are touched; without policies at home", text);
    refuses = false;
    must(tweed_pool_destroy(pool));
}

static void test_move(void)
{
    tweed_pool *pool = pool_on("nodes:4,cpus:1", 1);
    char *a = malloc(1 << 20);
    int right = a != NULL;

    for (int k = 0; right && k < SHAPES; k++) {
        const struct shape *s = &shapes[k];
        int64_t hi = s->lo + s->count, left;

        find_nodes(pool, s->o, s->lo, hi);
        forget();
        memset(elsewhere, 0, sizeof elsewhere);
        memset(a, k + 1, 1 << 20);
        left = tweed_move_array(pool, &s->o, s->lo, hi, a + 40, 240);
        right &= left == 0 && is_placed(s, a + 40, 240, false) && a[40] == k + 1;
    }
    ok(right, "an array that came from elsewhere: its pages are asked for, and no others");
    elsewhere[0] = 4096;
    elsewhere[2] = 8192;
    ok(tweed_move_array(pool, NULL, 0, 100000, a, 8) == 12288,
       "what was not moved is reported");
    elsewhere[0] = 1 << 20;
    ok(tweed_move_array(pool, NULL, 0, 100000, a, 8) == 800000, "and no more than it has");
    elsewhere[0] = 0;
    elsewhere[2] = SIZE_MAX;
    ok(tweed_move_array(pool, NULL, 0, 100000, a, 8) == 800000,
       "where the system does not say: all");
    ok(tweed_move_array(pool, NULL, 0, 0, NULL, 8) == 0, "an array without elements");
    free(a);
    must(tweed_pool_destroy(pool));
    pool = pool_on("nodes:1,cpus:3", 1);
    elsewhere[0] = SIZE_MAX;
    a = tweed_alloc(1000, 8);
    ok(tweed_move_array(pool, NULL, 0, 1000, a, 8) == 0, "but on one node none");
    tweed_free(a);
    must(tweed_pool_destroy(pool));
}

static void test_made_up(void)
{
    tweed_pool *pool = pool_on("nodes:4,cpus:1", 0);
    char *a;

    forget();
    a = tweed_alloc_with(pool, NULL, 0, 1000, 1000, NULL);
    ok(a && num_placed == 0 && is_zero(a, 1000000) &&
           tweed_move_array(pool, NULL, 0, 1000, a, 1000) == 0 && num_placed == 0,
       "on a machine that is made up nothing is placed");
    tweed_free(a);
    must(tweed_pool_destroy(pool));
}

static void test_huge(void)
{
    tweed_pool *pool = pool_on("nodes:2,cpus:1", 1);
    char *small, *large;
    int right;

    forget();
    small = tweed_alloc_with(pool, NULL, 0, (1 << 20) + (1 << 19), 1, NULL);
    right = small && !huge_at;
    large = tweed_alloc_with(pool, NULL, 0, 1 << 21, 1, NULL);
    ok(right && large && huge_at % HUGE_PAGE == 0 && huge_at <= (uintptr_t)large &&
           huge_at + huge_bytes >= (uintptr_t)large + HUGE_PAGE &&
           is_zero(large, HUGE_PAGE),
       "from 2 MiB on huge pages are asked for");
    tweed_free(small);
    tweed_free(large);
    must(tweed_pool_destroy(pool));
}

/* In a body, and in a pool's thread. */
struct inner {
    tweed_pool *pool;
    atomic_int right;
};

static void alloc_in_body(int64_t i, void *arg)
{
    struct inner *in = arg;
    char *a = tweed_alloc_with(in->pool, NULL, 0, 100 + i, 4096, NULL);

    in->right += a && is_zero(a, (size_t)(100 + i) * 4096);
    tweed_free(a);
}

static void test_in_body(void)
{
    struct inner in = { .pool = pool_on("nodes:2,cpus:2", 0) };

    forget();
    must(tweed_parallel_for_with(in.pool, NULL, 0, 40, alloc_in_body, &in));
    ok(in.right == 40 && other_loops > 0, "arrays are made in bodies");
    must(tweed_pool_destroy(in.pool));
}

/* A worker is in a task until the caller has its array. */
static int until_set(void *flag)
{
    *(atomic_int *)flag += 1;
    while (*(atomic_int *)flag < 2)
        sched_yield();
    return 0;
}

static void test_beside_task(const char *text)
{
    tweed_pool *pool = pool_on(text, 1);
    atomic_int flag = 0;
    char *a;

    must(tweed_pool_submit(pool, until_set, &flag));
    while (!flag)
        sched_yield();
    a = tweed_alloc_with(pool, NULL, 0, 1000, 4096, NULL);
    flag = 2;
    must(tweed_pool_drain(pool));
    ok(a && is_zero(a, 1000 * 4096), "%s: an array that a task waits for", text);
    tweed_free(a);
    must(tweed_pool_destroy(pool));
}

static int code_of(tweed_pool *pool, const tweed_loop_options *o, int64_t lo, int64_t hi,
                   size_t each)
{
    int code = 1;
    void *a = tweed_alloc_with(pool, o, lo, hi, each, &code);
    int moved = (int)tweed_move_array(pool, o, lo, hi, NULL, each);

    if (a) {
        tweed_free(a);
        return 99;
    }
    return code == moved || code == TWEED_ENOMEM ? code : 98;
}

static void test_errors(void)
{
    static const double no_number[] = { 1, -1, 1 };
    static long no_pool[64];
    tweed_pool *pool = pool_on("nodes:2,cpus:2", 1);
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int good = 1;

    forget();
    o.grain = -1;
    good &= code_of(pool, &o, 0, 10, 8) == TWEED_EINVAL;
    o = (tweed_loop_options){ .size = 3 };
    good &= code_of(pool, &o, 0, 10, 8) == TWEED_EINVAL;
    o = (tweed_loop_options){ .size = sizeof o, .schedule = 7 };
    good &= code_of(pool, &o, 0, 10, 8) == TWEED_EINVAL;
    o = (tweed_loop_options){ .size = sizeof o, .weights = no_number };
    good &= code_of(pool, &o, 0, 3, 8) == TWEED_EINVAL;
    ok(good, "options that make no sense");
    good = code_of(pool, NULL, 0, 10, 0) == TWEED_EINVAL;
    good &= tweed_move_array(pool, NULL, 0, 1, NULL, 8) == TWEED_EINVAL;
    good &= !tweed_alloc(10, 0);
    ok(good, "elements of no size, no array");
    ok(code_of((tweed_pool *)no_pool, NULL, 0, 10, 8) == TWEED_ENOPOOL &&
           tweed_index_node((tweed_pool *)no_pool, NULL, 0, 10, 1) == TWEED_ENOPOOL,
       "no pool");
    ok(code_of(pool, NULL, 0, INT64_MAX, 8) == TWEED_ENOMEM &&
           code_of(pool, NULL, INT64_MIN, INT64_MAX, 1) == TWEED_ENOMEM &&
           code_of(pool, NULL, 0, 2, SIZE_MAX / 2 + 1) == TWEED_ENOMEM &&
           code_of(pool, NULL, 0, 1, SIZE_MAX) == TWEED_ENOMEM &&
           code_of(pool, NULL, 0, (int64_t)1 << 50, 4096) == TWEED_ENOMEM &&
           !tweed_alloc(INT64_MAX, 8),
       "more than any memory");
    ok(tweed_index_node(pool, NULL, 0, 10, 10) == TWEED_EINVAL &&
           tweed_index_node(pool, NULL, 0, 10, -1) == TWEED_EINVAL &&
           tweed_index_node(pool, NULL, 3, 3, 3) == TWEED_EINVAL,
       "an index out of bounds");
    ok(num_placed == 0 && static_loops + other_loops == 0, "and nothing was done");
    must(tweed_pool_destroy(pool));
}

static void test_empty(void)
{
    void *a = tweed_alloc(0, 8), *b = tweed_alloc(-5, 8);
    int code = 1;
    void *c = tweed_alloc_with(NULL, NULL, 10, -10, 8, &code);

    ok(a && b && c && a != b && code == TWEED_OK, "arrays without elements");
    tweed_free(a);
    tweed_free(b);
    tweed_free(c);
    tweed_free(NULL);
}

static void test_fork(void)
{
    char *a = tweed_alloc(100000, 8);
    int alone = TWEED_HAVE_TSAN || under_qemu(); /* no pool may start in the child */
    int status = -1;
    pid_t child;

    a[5] = 5;
    child = fork();
    if (child == 0) {
        char *b = alone ? NULL : tweed_alloc(1000, 8);
        int good = (b || alone) && a[5] == 5;

        a[5] = 6;
        tweed_free(a);
        tweed_free(b);
        _exit(!good);
    }
    ok(child > 0 && waitpid(child, &status, 0) == child && status == 0 && a[5] == 5,
       "the child of a fork() has its copy, and frees it");
    tweed_free(a);
}

static void test_address(void)
{
    static const int marked = 4321;
    char *a = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int local = 1;

    errno = marked;
    ok(tweed_address_node(NULL) == -1 && tweed_address_node(a) == -1 &&
           tweed_address_node(&local) >= -1 && errno == marked,
       "no page is on no node; errno stays");
    munmap(a, 4096);
}

int main(void)
{
    watchdog();
    plan(4 * MACHINES + 20);
    for (int i = 0; i < MOST; i++)
        weights[i] = i % 777;
    for (int m = 0; m < MACHINES; m++)
        test_plan(machines[m]);
    for (int m = 0; m < MACHINES; m++)
        test_array(machines[m]);
    machine = "nodes:2,cpus:2"; /* of the default pool */
    test_move();
    test_made_up();
    test_huge();
    test_in_body();
    test_beside_task("nodes:1,cpus:2");
    test_beside_task("nodes:2,cpus:1");
    test_errors();
    test_empty();
    test_fork();
    test_address();
    return done_testing();
}
