/*
 * trace.c - tweed_trace_start() and its relatives: what a trace has, and what it says
 * that it has not.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "pools.h"
#include "log/trace.h"
#include "trace-file.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>

static char path[] = "/tmp/tweed-trace.XXXXXX";
static struct trace_file t;

static void begin(size_t events)
{
    tweed_trace_options o = TWEED_TRACE_OPTIONS_INIT;

    o.events = events;
    must(tweed_trace_start(&o));
}

/* Stops, writes, and reads it. */
static void end(void)
{
    tweed_trace_stop();
    must(tweed_trace_write(path));
    trace_forget(&t);
    if (!trace_read(path, &t))
        bail_out("no file");
}

/* The k-th call of a loop with this name; NULL: there is none. */
static const struct traced *loop_named(const char *name, int k)
{
    for (size_t i = 0; i < t.count; i++)
        if (trace_is(&t.events[i], 'X', "loop") &&
            strcmp(t.events[i].name, name) == 0 && k-- == 0)
            return &t.events[i];
    return NULL;
}

/* Each loop's spans have as many indices as ran. */
static bool all_executed(int loops)
{
    int seen = 0;

    for (size_t i = 0; i < t.count; i++) {
        const struct traced *e = &t.events[i];

        if (!trace_is(e, 'X', "loop"))
            continue;
        seen++;
        if (trace_executed(&t, e->loop) != e->ran) {
            diag("loop %lld: %lld in spans, %lld ran", (long long)e->loop,
                 (long long)trace_executed(&t, e->loop), (long long)e->ran);
            return false;
        }
    }
    if (seen != loops)
        diag("%d loops, not %d", seen, loops);
    return seen == loops;
}

static int64_t lane_of_worker(int worker, int64_t loop)
{
    for (size_t i = 0; i < t.count; i++)
        if (trace_is(&t.events[i], 'X', "run") && t.events[i].loop == loop &&
            t.events[i].worker == worker)
            return t.events[i].tid;
    return NONE;
}

static bool has_lane(int64_t tid)
{
    for (size_t i = 0; i < t.count; i++)
        if (t.events[i].ph == 'M' && t.events[i].tid == tid &&
            strcmp(t.events[i].name, "thread_name") == 0)
            return true;
    return false;
}

/* ---- a loop with steals ---- */

#define WORKERS 4

static atomic_int sink;

/* The caller's share is dear. */
static void uneven(int64_t i, void *arg)
{
    (void)arg;
    if (i < 100)
        nap_us(200);
    atomic_fetch_add_explicit(&sink, (int)i & 1, memory_order_relaxed);
}

static bool steals_are_real(int *steals)
{
    *steals = 0;
    for (size_t i = 0; i < t.count; i++) {
        const struct traced *e = &t.events[i];

        if (!trace_is(e, 'i', "steal"))
            continue;
        ++*steals;
        if (e->thief < 0 || e->thief >= WORKERS || e->victim < 0 ||
            e->victim >= WORKERS || e->thief == e->victim || e->blocks < 1 ||
            e->n != e->blocks || e->first < 0 || e->first + e->n > 400 ||
            !has_lane(e->from) || e->from == e->tid ||
            e->tid != lane_of_worker((int)e->thief, e->loop))
            return false;
    }
    return true;
}

/* Each arrow leads from one lane to another, from the victim's to the thief's. */
static bool arrows_are_whole(void)
{
    for (size_t i = 0; i < t.count; i++) {
        const struct traced *s = &t.events[i];
        bool good = !trace_is(s, 's', "steal");

        for (size_t j = 0; j < t.count && !good; j++) {
            const struct traced *f = &t.events[j];

            good = trace_is(f, 'f', "steal") && f->id == s->id && f->ts == s->ts &&
                   f->tid != s->tid;
        }
        if (!good)
            return false;
    }
    return trace_count(&t, 's', "steal") == trace_count(&t, 'f', "steal");
}

static void one_loop(void)
{
    tweed_loop_options o = { .size = sizeof o, .name = "uneven" };
    tweed_pool *pool = pool_with((tweed_pool_options){ .num_workers = WORKERS,
                                                       .name = "four" });
    const struct traced *loop;
    int steals = 0;

    begin(0);
    must(tweed_parallel_for_with(pool, &o, 0, 400, uneven, NULL));
    end();
    loop = loop_named("uneven", 0);
    ok(loop && loop->lo == 0 && loop->hi == 400 && loop->ran == 400 &&
           loop->worker == 0 && loop->in == NONE && !loop->cut && !loop->open,
       "a loop: its name, its bounds, and that all ran");
    ok(all_executed(1), "the spans of its workers have all of its indices");
    ok(trace_nests(&t), "the spans of a worker are in order");
    ok(steals_are_real(&steals) && steals > 0, "steals are of workers from workers");
    ok(arrows_are_whole() && trace_count(&t, 's', "steal") == steals,
       "and an arrow for each");
    ok(t.dropped == 0 && t.kept > 0, "nothing was dropped");
    ok(has_lane(loop ? loop->tid : 0), "the caller has a lane");
    must(tweed_pool_destroy(pool));
    end();
    ok(all_executed(1) && steals_are_real(&steals),
       "it is all there when the pool is not");
}

/* ---- sleeping ---- */

static void sleepers(void)
{
    tweed_pool *pool = pool_with((tweed_pool_options){ .num_workers = 2,
                                                       .spin_ns = -1 });
    tweed_stats s = TWEED_STATS_INIT;

    begin(0);
    do {
        must(tweed_parallel_for_with(pool, NULL, 0, 4, uneven, NULL));
        nap_us(2000);
        must(tweed_stats_get(pool, 1, &s));
    } while (s.sleeps < 3);
    tweed_trace_stop();
    must(tweed_stats_get(pool, -1, &s));
    end();
    ok(trace_count(&t, 'X', "sleep") > 0 && trace_count(&t, 'i', "wake") > 0 &&
           trace_nests(&t),
       "sleeps and wakes");
    ok(trace_count(&t, 'i', "wake") <= (int)s.wakes, "no more than were counted");
    must(tweed_pool_destroy(pool));
}

/* ---- loops in loops, and two pools ---- */

static tweed_pool *inner_pool, *slow_pool;

static void nothing(int64_t i, void *arg)
{
    (void)arg;
    atomic_fetch_add_explicit(&sink, (int)i & 1, memory_order_relaxed);
}

static void nest(int64_t i, void *arg)
{
    tweed_loop_options o = { .size = sizeof o, .name = "inner" };

    (void)arg;
    must(tweed_parallel_for_with(inner_pool, &o, i, i + 10, nothing, NULL));
}

static bool inner_are_in(const struct traced *outer)
{
    const struct traced *inner;

    for (int k = 0; k < 8; k++) {
        inner = loop_named("inner", k);
        if (!inner || !outer || inner->in != outer->loop || inner->lo < 0 ||
            inner->lo > 7 || inner->hi != inner->lo + 10)
            return false;
    }
    return !loop_named("inner", 8);
}

static void nested(bool same)
{
    tweed_loop_options o = { .size = sizeof o, .name = "outer" };
    tweed_pool *one = pool_with((tweed_pool_options){ .num_workers = 3,
                                                      .name = "one" });
    tweed_pool *two = pool_with((tweed_pool_options){ .num_workers = 2,
                                                      .name = "two" });

    inner_pool = same ? one : two;
    begin(0);
    must(tweed_parallel_for_with(one, &o, 0, 8, nest, NULL));
    end();
    ok(inner_are_in(loop_named("outer", 0)), "loops in a loop, %s",
       same ? "in one pool" : "of another pool");
    ok(all_executed(9) && trace_nests(&t), "have their indices, and nest");
    must(tweed_pool_destroy(one));
    must(tweed_pool_destroy(two));
}

/* Workers that do nothing are there, and each once. */
static void lanes(void)
{
    tweed_pool *one = pool_with((tweed_pool_options){ .num_workers = 3 }), *two;
    int names = 0, workers = 0, processes = 0;

    begin(0);
    two = pool_with((tweed_pool_options){ .num_workers = 4 });
    end();
    for (size_t i = 0; i < t.count; i++) {
        names += strcmp(t.events[i].name, "worker 1") == 0;
        workers += strcmp(t.events[i].name, "thread_name") == 0 &&
                   t.events[i].worker != NONE;
        for (size_t j = 0; j < i; j++)
            processes += t.events[i].ph == 'M' && t.events[j].ph == 'M' &&
                         t.events[i].tid == t.events[j].tid &&
                         t.events[i].pid != t.events[j].pid;
    }
    ok(workers == 2 + 3 && names == 0 && processes == 0,
       "each worker's thread has a lane, of a pool that was there and of a new one");
    must(tweed_pool_destroy(one));
    must(tweed_pool_destroy(two));
}

/* ---- one after the other ---- */

static void *call_once(void *arg)
{
    tweed_loop_options o = { .size = sizeof o, .name = arg };

    must(tweed_parallel_for_with(slow_pool, &o, 0, 10, nothing, NULL));
    return NULL;
}

static void in_thread(const char *name)
{
    char text[16];
    pthread_t thread;

    snprintf(text, sizeof text, "%s", name);
    if (pthread_create(&thread, NULL, call_once, text) != 0)
        bail_out("no thread");
    pthread_join(thread, NULL);
}

static void after_each_other(void)
{
    const struct traced *a, *b;
    tweed_pool *pool;

    slow_pool = pool_of(2);
    begin(0);
    in_thread("first");
    in_thread("second");
    end();
    a = loop_named("first", 0);
    b = loop_named("second", 0);
    ok(a && b && a->tid == b->tid && all_executed(2),
       "a thread goes on in the lane of one that has ended");
    begin(0);
    must(tweed_parallel_for_with(slow_pool, NULL, 0, 10, nothing, NULL));
    must(tweed_pool_destroy(slow_pool));
    pool = pool_of(2);
    must(tweed_parallel_for_with(pool, NULL, 0, 10, nothing, NULL));
    end();
    ok(all_executed(2), "two pools, one after the other");
    must(tweed_pool_destroy(pool));
}

/* More than half of all numbers: as one worker, in few claims. */
static void some(int64_t from, int64_t to, void *arg)
{
    (void)from, (void)to, (void)arg;
}

static void longest(void)
{
    tweed_pool *pool = pool_of(1);
    char line[1024];
    bool good = false;
    FILE *f;

    begin(0);
    must(tweed_parallel_for_range_with(pool, NULL, INT64_MIN, INT64_MAX, some, NULL));
    end();
    f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        good |= strstr(line, "\"ran\":18446744073709551615.0") != NULL;
    ok(good, "a count that is no int64_t is no integer");
    if (f)
        fclose(f);
    must(tweed_pool_destroy(pool));
}

/* ---- loops that end early ---- */

static int at_index(int64_t i, void *arg)
{
    return i == *(int64_t *)arg;
}

static void stop_at(int64_t i, void *arg)
{
    if (i == *(int64_t *)arg)
        (void)tweed_parallel_stop();
}

static void early(void)
{
    tweed_pool *pool = pool_of(3);
    int64_t at = 500, found;
    tweed_outcome outcome = TWEED_OUTCOME_INIT;
    tweed_loop_options o = { .size = sizeof o, .name = "stopped",
                             .outcome = &outcome };

    begin(0);
    if (tweed_parallel_for_with(pool, &o, 0, 100000, stop_at, &at) !=
        TWEED_ESTOPPED)
        bail_out("the loop was not stopped");
    o.name = "find";
    must(tweed_parallel_find_with(pool, &o, 0, 100000, at_index, &at, &found));
    o.name = "try";
    if (tweed_parallel_try_with(pool, &o, 0, 100000, at_index, &at) !=
        TWEED_ESTOPPED)
        bail_out("no index has failed");
    end();
    ok(all_executed(3), "loops that end early: what ran is what is in the spans");
    ok(loop_named("stopped", 0) && loop_named("try", 0) &&
           loop_named("try", 0)->ran == (int64_t)outcome.ran,
       "as their outcome says");
    must(tweed_pool_destroy(pool));
}

/* ---- what is dropped ---- */

static void dropped(void)
{
    tweed_pool *pool = pool_of(1);
    int64_t events;

    begin(256);
    for (int k = 0; k < 1000; k++)
        must(tweed_parallel_for_with(pool, NULL, k, k + 3, nothing, NULL));
    end();
    events = 4 * 1000; /* the loop and its span, each of them begins and ends */
    ok(t.kept == 256 && t.dropped == events - 256,
       "a full ring keeps the newest events, and counts the others");
    ok(loop_named("(no name)", 0) == NULL || t.events[t.count - 1].ph == 'i',
       "and says where they are missing");
    ok(trace_nests(&t), "what is kept is in order");
    must(tweed_pool_destroy(pool));
}

/* ---- beginning and ending ---- */

static void slow(int64_t i, void *arg)
{
    atomic_int *begun = arg;

    (void)i;
    atomic_store(begun, 1);
    while (atomic_load(begun) < 2)
        nap_us(100);
}

static void *run_slow(void *arg)
{
    tweed_loop_options o = { .size = sizeof o, .name = "slow" };

    must(tweed_parallel_for_with(slow_pool, &o, 0, 1, slow, arg));
    return NULL;
}

/* The loop runs from before the first trace until after the second. */
static void in_the_midst(void)
{
    atomic_int begun = 0;
    pthread_t thread;
    int lasting = 0;

    slow_pool = pool_of(2);
    begin(0);
    if (pthread_create(&thread, NULL, run_slow, &begun) != 0)
        bail_out("no thread");
    while (!atomic_load(&begun))
        nap_us(100);
    end();
    for (size_t i = 0; i < t.count; i++)
        lasting += t.events[i].open && t.events[i].ph == 'X' &&
                   strcmp(t.events[i].name, "slow") == 0;
    ok(lasting == 2 && loop_named("slow", 0), "a loop that runs is open");
    begin(0);
    end();
    ok(!loop_named("slow", 0) && trace_count(&t, 'X', "run") == 0,
       "what was recorded is gone with the next trace");
    begin(0);
    atomic_store(&begun, 2);
    pthread_join(thread, NULL);
    end();
    ok(trace_count(&t, 'X', "run") == 1 && loop_named("slow", 0) &&
           loop_named("slow", 0)->cut && loop_named("slow", 0)->ts == 0,
       "a loop that began before the trace is cut");
    must(tweed_parallel_for_with(slow_pool, NULL, 0, 100, nothing, NULL));
    end();
    ok(trace_count(&t, 'X', "loop") == 1, "nothing is recorded after the end");
    must(tweed_pool_destroy(slow_pool));
}

/* The caller is in its first index until the trace has begun; then all is stolen. */
static atomic_int stolen;

static void until_stolen(int64_t i, void *arg)
{
    (void)arg;
    if (i == 0)
        begin(0);
    while (i == 0 && atomic_load(&stolen) < 50)
        nap_us(100);
    if (i >= 400)
        while (!atomic_load_explicit(&tweed__tracing, memory_order_relaxed))
            nap_us(100);
    else
        atomic_fetch_add(&stolen, 1);
}

static void not_seen_beginning(void)
{
    tweed_pool *pool = pool_of(2);
    int steals = 0, from = 0;

    tweed_trace_stop();
    must(tweed_parallel_for_with(pool, NULL, 0, 800, until_stolen, NULL));
    end();
    for (size_t i = 0; i < t.count; i++)
        if (trace_is(&t.events[i], 'i', "steal")) {
            steals++;
            from += t.events[i].victim == 0 && t.events[i].from != NONE;
        }
    ok(steals > 0 && from == 0 && trace_count(&t, 's', "steal") == 0,
       "steals from a caller of whom the trace has no lane have no arrow");
    must(tweed_pool_destroy(pool));
}

/* ---- many threads, and a writer among them ---- */

static atomic_int stop;

static void *call(void *arg)
{
    tweed_loop_options o = { .size = sizeof o, .name = "called" };

    while (!atomic_load(&stop))
        must(tweed_parallel_for_with(arg, &o, 0, 20, nothing, NULL));
    return NULL;
}

static void while_recording(void)
{
    tweed_pool *pool = pool_of(3);
    pthread_t threads[3];
    bool good = true;

    begin(1024);
    for (int k = 0; k < 3; k++)
        if (pthread_create(&threads[k], NULL, call, pool) != 0)
            bail_out("no thread");
    for (int k = 0; k < 40; k++) {
        nap_us(1000);
        if (k % 4 == 3)
            begin(k % 8 == 3 ? 256 : 1024);
        must(tweed_trace_write(path));
        trace_forget(&t);
        good &= trace_read(path, &t) && t.dropped != NONE && trace_nests(&t) &&
                trace_in_order(&t);
        for (size_t i = 0; i < t.count; i++)
            if (t.events[i].ph == 'X' && !t.events[i].cut && !t.events[i].open &&
                trace_is(&t.events[i], 'X', "loop"))
                good &= t.events[i].lo == 0 && t.events[i].hi == 20 &&
                        t.events[i].ran == 20 &&
                        strcmp(t.events[i].name, "called") == 0;
    }
    atomic_store(&stop, 1);
    for (int k = 0; k < 3; k++)
        pthread_join(threads[k], NULL);
    ok(good, "it is written, and begun anew, while three threads run loops");
    must(tweed_pool_destroy(pool));
}

/* ---- a pipe that nobody reads from for a while ---- */

static int pipe_ends[2];

static void *write_to_pipe(void *arg)
{
    snprintf(arg, 40, "/proc/self/fd/%d", pipe_ends[1]);
    return tweed_trace_write(arg) == TWEED_OK ? arg : NULL;
}

static void *run_one(void *arg)
{
    must(tweed_parallel_for_with(arg, NULL, 0, 20, nothing, NULL));
    return NULL;
}

static bool is_full(void)
{
    struct pollfd p = { .fd = pipe_ends[1], .events = POLLOUT };

    return poll(&p, 1, 0) == 0;
}

static void slow_reader(void)
{
    tweed_pool *pool = pool_of(2);
    pthread_t writer, caller;
    char name[40], buffer[4096];
    void *written = NULL;

    begin(0);
    for (int k = 0; k < 2000; k++)
        must(tweed_parallel_for_with(pool, NULL, 0, 20, nothing, NULL));
    if (pipe(pipe_ends) != 0 ||
        pthread_create(&writer, NULL, write_to_pipe, name) != 0)
        bail_out("no pipe, or no thread");
    while (!is_full())
        nap_us(1000);
    nap_us(10000);
    if (pthread_create(&caller, NULL, run_one, pool) != 0)
        bail_out("no thread");
    pthread_join(caller, NULL);
    tweed_trace_stop();
    ok(true, "a thread's first event, and the end, do not wait for who reads the file");
    close(pipe_ends[1]);
    while (read(pipe_ends[0], buffer, sizeof buffer) > 0)
        ;
    pthread_join(writer, &written);
    ok(written == name, "which is written when it is read");
    close(pipe_ends[0]);
    must(tweed_pool_destroy(pool));
}

/* ---- names ---- */

static void names(void)
{
    static const char *const given[] = {
        "a \"name\" \\ with\tall", "Schr\303\266dinger", "\377 no UTF-8 \303",
        "of more than thirty-one bytes, this one", "<b>&amp;</b>", "",
        "\342\202\254 \360\235\204\236 \177", /* three bytes, four, and DEL */
        "\300\257 \340\200\200 \355\240\200 \364\220\200\200 \365",
        "\360\200\200\200 \342\202 \360\235\204",
        "\340\240\200 \355\237\277 \360\220\200\200 \364\217\277\277",
        "costarring", "liquid", /* which have one hash */
    };
    static const char *const expected[] = {
        "a \\u0022name\\u0022 \\u005c with\\u0009all", "Schr\303\266dinger",
        "\\ufffd no UTF-8 \\ufffd", "of more than thirty-one bytes, ",
        "<b>&amp;</b>", "(no name)",
        "\342\202\254 \360\235\204\236 \\u007f",
        ("\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd "
         "\\ufffd\\ufffd\\ufffd\\ufffd \\ufffd"),
        "\\ufffd\\ufffd\\ufffd\\ufffd \\ufffd\\ufffd \\ufffd\\ufffd\\ufffd",
        "\340\240\200 \355\237\277 \360\220\200\200 \364\217\277\277",
        "costarring", "liquid",
    };
    enum { GIVEN = sizeof given / sizeof *given };
    tweed_pool *pool = pool_of(1);
    bool good = true;

    begin(0);
    for (int twice = 0; twice < 2; twice++)
        for (int k = 0; k < GIVEN; k++) {
            tweed_loop_options o = { .size = sizeof o, .name = given[k] };

            must(tweed_parallel_for_with(pool, &o, 0, 2, nothing, NULL));
        }
    end();
    for (int k = 0; k < GIVEN; k++)
        good &= loop_named(expected[k], 1) && !loop_named(expected[k], 2);
    ok(good, "names are JSON strings");
    begin(0);
    for (int k = 0; k < 1200; k++) {
        char name[16];
        tweed_loop_options o = { .size = sizeof o, .name = name };

        snprintf(name, sizeof name, "name %d", k);
        must(tweed_parallel_for_with(pool, &o, 0, 2, nothing, NULL));
    }
    end();
    ok(loop_named("name 0", 0) && loop_named("(others)", 0) && all_executed(1200),
       "more names than there is room for");
    must(tweed_pool_destroy(pool));
}

/* ---- bounds ---- */

static void bounds(void)
{
    tweed_loop_options o = { .size = sizeof o, .name = "outer" };
    tweed_pool *pool = pool_of(2);

    begin(0);
    must(tweed_parallel_for_with(pool, &o, INT64_MIN, INT64_MIN + 3, nothing, NULL));
    must(tweed_parallel_for_with(pool, &o, INT64_MAX - 3, INT64_MAX, nothing, NULL));
    end();
    ok(loop_named("outer", 1) && loop_named("outer", 0)->lo == INT64_MIN &&
           loop_named("outer", 0)->hi == INT64_MIN + 3 &&
           loop_named("outer", 1)->hi == INT64_MAX && all_executed(2),
       "bounds at both ends of int64_t");
    must(tweed_pool_destroy(pool));
}

/* ---- what is refused ---- */

static void errors(void)
{
    tweed_trace_options o = TWEED_TRACE_OPTIONS_INIT;
    struct stat s;

    o.size = 1;
    ok(tweed_trace_start(&o) == TWEED_EINVAL, "a size that is none");
    o.size = sizeof o;
    o.events = 255;
    ok(tweed_trace_start(&o) == TWEED_EINVAL, "too few events");
    o.events = 16777217;
    ok(tweed_trace_start(&o) == TWEED_EINVAL, "too many events");
    ok(tweed_trace_write(NULL) == TWEED_EINVAL, "no path");
    errno = 4321;
    ok(tweed_trace_write("/nowhere/at/all") == TWEED_EINVAL && errno == 4321,
       "a folder that is not there");
    if (stat("/dev/full", &s) == 0)
        ok(tweed_trace_write("/dev/full") == TWEED_EINVAL && errno == 4321,
           "a disk that is full");
    else
        skip(1, "no /dev/full");
}

int main(void)
{
    plan(41);
    watchdog();
    trace_make(path);
    must(tweed_trace_write(path));
    ok(trace_read(path, &t) && t.kept == 0 && t.dropped == 0 && t.ns == 0,
       "before the first trace: an empty one");
    one_loop();
    sleepers();
    nested(true);
    nested(false);
    lanes();
    early();
    dropped();
    in_the_midst();
    not_seen_beginning();
    after_each_other();
    longest();
    while_recording();
    slow_reader();
    names();
    bounds();
    errors();
    unlink(path);
    return done_testing();
}
