/*
 * edges.c - ThreadSanitizer is told where a loop begins and ends.
 *
 * SPDX-License-Identifier: MIT
 *
 * The ordinary library calls the sanitizer's two functions if there are any in
 * the program.  Here are some, which only take notes: for each thread that runs
 * bodies there must be an edge from the caller to its first body, and one from
 * its last body back to the caller; and from the thread that starts a pool to the first
 * body of every other caller.  That the sanitizer is then content is tested by
 * t/install/tsan.sh.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "base/tsan.h"
#include "tap.h"

#if TWEED_HAVE_TSAN
int main(void)
{
    skip_all("the sanitizer's own functions are here");
}
#else

#include "pools.h"

#include <pthread.h>

#define WORKERS 3
#define INDICES 300
#define MOST 4096

void __tsan_acquire(void *address);
void __tsan_release(void *address);

enum kind { RELEASE, ACQUIRE, BODY };

static struct note {
    enum kind kind;
    void *address;
    int thread; /* numbered as they come; main is 0 */
} notes[MOST];
static atomic_int num_notes, num_threads;
static _Thread_local int thread = -1;

static void take_note(enum kind kind, void *address)
{
    int n = atomic_fetch_add(&num_notes, 1);

    if (thread < 0)
        thread = atomic_fetch_add(&num_threads, 1);
    if (n < MOST)
        notes[n] = (struct note){ kind, address, thread };
}

void __tsan_acquire(void *address)
{
    take_note(ACQUIRE, address);
}

void __tsan_release(void *address)
{
    take_note(RELEASE, address);
}

static atomic_int inside;

static void body(int64_t i, void *arg)
{
    take_note(BODY, NULL);
    if (i % (INDICES / WORKERS) == 0) { /* the first of each share: all meet */
        atomic_fetch_add(&inside, 1);
        while (atomic_load(&inside) < WORKERS)
            nap_us(50);
    }
    ((unsigned char *)arg)[i]++;
}

/* The first, or last, note of that kind by a thread; -1: none. */
static int note_of(int by, enum kind kind, int last)
{
    int found = -1;

    for (int n = 0; n < num_notes; n++)
        if (notes[n].thread == by && notes[n].kind == kind) {
            found = n;
            if (!last)
                break;
        }
    return found;
}

/* Between the notes a and b: a release by `from`, and later an acquire of the
   same address by `to`. */
static int has_edge(int from, int to, int a, int b)
{
    for (int r = a; r < b; r++)
        for (int n = r + 1; n < b; n++)
            if (notes[r].kind == RELEASE && notes[r].thread == from &&
                notes[n].kind == ACQUIRE && notes[n].thread == to &&
                notes[n].address == notes[r].address)
                return 1;
    return 0;
}

static _Atomic(tweed_pool *) started;

static void one_body(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    take_note(BODY, NULL);
}

static void *call(void *arg)
{
    tweed_pool *pool;

    while (!(pool = started))
        nap_us(50);
    must(tweed_parallel_for_with(pool, NULL, 0, 1, one_body, NULL));
    return arg;
}

/* The other thread is there before the pool, and learns of the pool by nothing that the
   sanitizer is told of. */
static int caller_has_an_edge(void)
{
    pthread_t caller;
    int other, edge;

    if (pthread_create(&caller, NULL, call, NULL) != 0)
        bail_out("no thread");
    started = pool_of(1);
    pthread_join(caller, NULL);
    other = num_threads - 1;
    edge = other > 0 && has_edge(0, other, 0, note_of(other, BODY, 0));
    tweed_pool_destroy(started);
    num_notes = 0;
    num_threads = 1;
    return edge;
}

int main(void)
{
    unsigned char count[INDICES] = { 0 };
    int once = 1, begins = 0, ends = 0;
    tweed_pool *pool;

    plan(5);
    watchdog();
    thread = atomic_fetch_add(&num_threads, 1);
    ok(caller_has_an_edge(), "from who starts a pool to another caller's first body");
    pool = pool_of(WORKERS);
    must(tweed_parallel_for_with(pool, NULL, 0, INDICES, body, count));
    tweed_pool_destroy(pool); /* the notes are complete */
    for (int i = 0; i < INDICES; i++)
        once &= count[i] == 1;
    ok(once && num_notes <= MOST, "every index once");
    ok(num_threads == WORKERS, "all %d threads took part", WORKERS);
    for (int t = 1; t < WORKERS; t++) {
        begins += has_edge(0, t, 0, note_of(t, BODY, 0));
        ends += has_edge(t, 0, note_of(t, BODY, 1), num_notes);
    }
    ok(begins == WORKERS - 1, "from the caller to each one's first body");
    ok(ends == WORKERS - 1, "from each one's last body to the caller");
    return done_testing();
}
#endif
