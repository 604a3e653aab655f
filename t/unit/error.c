/*
 * error.c - each call that fails says which argument or option was wrong.
 *
 * SPDX-License-Identifier: MIT
 *
 * The calls are those of the library, and those that are compiled into this program.
 */
#include "config.h"

#include "child.h"
#include "tap.h"
#include "base/tsan.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <tweed.h>

/* Fails, with this code and this text behind that of the code. */
static void says(int64_t got, int code, const char *text)
{
    const char *last = tweed_last_error(), *kind = tweed_strerror(code);
    size_t n = strlen(kind);

    if (!ok(got == code && strncmp(last, kind, n) == 0 && strncmp(last + n, ": ", 2) == 0 &&
                strcmp(last + n + 2, text) == 0,
            "%s", text))
        printf("# got %lld, %s\n", (long long)got, last);
}

/* Of a struct of that type and size. */
#define says_size(got, type, wrong)                                            \
    do {                                                                       \
        char text_[128];                                                       \
                                                                               \
        snprintf(text_, sizeof text_,                                          \
                 #type ".size is " #wrong ": expected sizeof(" #type "), %zu", \
                 sizeof(type));                                                \
        says(got, TWEED_EINVAL, text_);                                        \
    } while (0)

static void body(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
}

static void range_body(int64_t begin, int64_t end, void *arg)
{
    (void)begin;
    (void)end;
    (void)arg;
}

static void space_body(int64_t i, int64_t j, int64_t k, void *arg)
{
    (void)i;
    (void)j;
    (void)k;
    (void)arg;
}

static int task(void *arg)
{
    (void)arg;
    return 0;
}

static int never(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    return 0;
}

static void of_pools(void)
{
    tweed_pool *pool = NULL;

#define POOL(member, value, code, text)                                        \
    do {                                                                       \
        tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;                        \
                                                                               \
        o.member = value;                                                      \
        says(tweed_pool_create(&pool, &o), code, "tweed_pool_options." text);  \
    } while (0)

    says(tweed_pool_create(NULL, NULL), TWEED_EINVAL, "tweed_pool_create: pool is NULL");
    POOL(num_workers, -1, TWEED_EINVAL, "num_workers is -1: expected 1 to 4094, or 0");
    POOL(num_workers, 5000, TWEED_EINVAL, "num_workers is 5000: expected 1 to 4094, or 0");
    POOL(bind, 4, TWEED_EINVAL, "bind is 4: expected a TWEED_BIND_...");
    POOL(fence, -7, TWEED_EINVAL, "fence is -7: expected a TWEED_FENCE_...");
    POOL(name, "", TWEED_EINVAL, "name is '': expected a name, or NULL");
    POOL(stack_bytes, 100, TWEED_EINVAL,
         "stack_bytes is 100: expected 16384 to 1073741824, or 0");
    POOL(spin_ns, 2000000000, TWEED_EINVAL,
         "spin_ns is 2000000000: expected 1 to 1000000000, less than 0, or 0");
    POOL(cpus, "0-", TWEED_EINVAL, "cpus is '0-': expected CPUs as in 0-3,8,16-30:2");
    POOL(cpus, "7\n", TWEED_EINVAL, "cpus is '7?': expected CPUs as in 0-3,8,16-30:2");
    POOL(cpus, "1000000", TWEED_ENOCPU, "cpus is '1000000': see \"machine\" of tweed-info");
#undef POOL
    ok(!pool, "and no pool is made");
}

static void of_sizes(void)
{
    tweed_pool_options pools = { .size = 3 };
    tweed_loop_options loop = { .size = 0 };
    tweed_outcome outcome = { .size = 1 };
    tweed_loop_options with_outcome = TWEED_LOOP_OPTIONS_INIT;
    tweed_reduction reduction = { .size = 1 };
    tweed_scan_spec scan = { .size = 2000 };
    tweed_scratch_options scratch = { .size = 7 };
    tweed_stats stats = { .size = 9 };
    tweed_loop_stats loops = { .size = 8 };
    tweed_trace_options trace = { .size = 1 };
    tweed_space plane = tweed_space_2d(0, 4, 0, 4);
    tweed_scratch *s;
    tweed_pool *pool;
    int64_t result;

    with_outcome.outcome = &outcome;
    says_size(tweed_pool_create(&pool, &pools), tweed_pool_options, 3);
    says_size(tweed_default_pool_configure(&pools), tweed_pool_options, 3);
    says_size(tweed_parallel_for_with(NULL, &loop, 0, 3, body, NULL), tweed_loop_options, 0);
    says_size(tweed_parallel_for_with(NULL, &with_outcome, 0, 3, body, NULL), tweed_outcome,
              1);
    says_size(tweed_parallel_for_space(NULL, &loop, &plane, space_body, NULL),
              tweed_loop_options, 0);
    says_size(tweed_index_node(NULL, &loop, 0, 3, 0), tweed_loop_options, 0);
    says_size(tweed_parallel_reduce(0, 1, &reduction, NULL, &result), tweed_reduction, 1);
    says_size(tweed_parallel_scan(0, 1, &scan, NULL, &result), tweed_scan_spec, 2000);
    says_size(tweed_scratch_create(&s, 8, &scratch), tweed_scratch_options, 7);
    says_size(tweed_stats_get(NULL, 0, &stats), tweed_stats, 9);
    says_size(tweed_loop_stats_get(&loops, 1), tweed_loop_stats, 8);
    says_size(tweed_trace_start(&trace), tweed_trace_options, 1);
}

static void of_later_structs(void)
{
    struct {
        tweed_pool_options o;
        int more;
    } later = { TWEED_POOL_OPTIONS_INIT, 1 };
    tweed_pool *pool = NULL;

    later.o.size = sizeof later;
    says(tweed_pool_create(&pool, &later.o), TWEED_EINVAL,
         "tweed_pool_options asks for something that tweed " TWEED_VERSION
         " does not know");
}

static void of_handles(void)
{
    static char none[4096];
    char text[64];
    tweed_pool *pool = (tweed_pool *)(void *)none;

    snprintf(text, sizeof text, "%p is none, or has been destroyed", (void *)none);
    says(tweed_pool_destroy(pool), TWEED_ENOPOOL, text);
    says(tweed_pool_num_workers(pool), TWEED_ENOPOOL, text);
    says(tweed_pool_progress(pool, NULL, NULL), TWEED_ENOPOOL, text);
    says(tweed_pool_dump(pool, 1), TWEED_ENOPOOL, text);
    says(tweed_parallel_for_with(pool, NULL, 0, 1, body, NULL), TWEED_ENOPOOL, text);
    says(tweed_pool_submit(pool, task, NULL), TWEED_ENOPOOL, text);
    says(tweed_pool_submit_batch(pool, task, NULL, 0), TWEED_ENOPOOL, text);
    says(tweed_pool_drain(pool), TWEED_ENOPOOL, text);
    says(tweed_index_node(pool, NULL, 0, 1, 0), TWEED_ENOPOOL, text);
}

static void of_loops(void)
{
    double weights[3] = { 1, 1, -2.5 }, nan[1] = { NAN };
    int64_t found;

#define LOOP(member, value, text)                                              \
    do {                                                                       \
        tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;                        \
                                                                               \
        o.member = value;                                                      \
        says(tweed_parallel_for_with(NULL, &o, 0, 3, body, NULL), TWEED_EINVAL, text); \
    } while (0)

    LOOP(grain, -1, "tweed_loop_options.grain is -1: expected 0 or more");
    LOOP(max_workers, -2, "tweed_loop_options.max_workers is -2: expected 0 or more");
    LOOP(timeout_ns, -3, "tweed_loop_options.timeout_ns is -3: expected 0 or more");
    LOOP(schedule, 9, "tweed_loop_options.schedule is 9: expected a TWEED_SCHEDULE_...");
    LOOP(weights, weights,
         "tweed_loop_options.weights[2] is -2.5: expected 0 or more");
#undef LOOP
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.weights = nan;
    says(tweed_parallel_for_with(NULL, &o, 5, 6, body, NULL), TWEED_EINVAL,
         signbit(NAN) ? "tweed_loop_options.weights[0] is -nan: expected 0 or more"
                      : "tweed_loop_options.weights[0] is nan: expected 0 or more");
    says(tweed_parallel_for(0, 1, NULL, NULL), TWEED_EINVAL, "tweed_parallel_for: fn is NULL");
    says(tweed_parallel_for_range(0, 1, NULL, NULL), TWEED_EINVAL,
         "tweed_parallel_for_range: fn is NULL");
    says(tweed_parallel_try(0, 1, NULL, NULL, NULL), TWEED_EINVAL,
         "tweed_parallel_try_with: fn is NULL");
    says(tweed_parallel_find(0, 1, NULL, NULL, &found), TWEED_EINVAL,
         "tweed_parallel_find_with: fn is NULL");
    says(tweed_parallel_find(0, 1, never, NULL, NULL), TWEED_EINVAL,
         "tweed_loop_run_find: found is NULL");
    says(tweed_loop_run(NULL, NULL, 0, 1, NULL, NULL, NULL), TWEED_EINVAL,
         "tweed_loop_run: kind is NULL, or has no work, or its size is none");
    says(tweed_parallel_stop(), TWEED_EINVAL,
         "tweed_parallel_stop: the call is made in no body of a loop");
}

static void static_inside(int64_t i, void *arg)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    (void)arg;
    o.schedule = TWEED_SCHEDULE_STATIC;
    if (i == 0)
        says(tweed_parallel_for_with(NULL, &o, 0, 1, body, NULL), TWEED_ENESTED,
             "tweed_loop_options.schedule is TWEED_SCHEDULE_STATIC");
    if (i == 0)
        says(tweed_default_pool_shutdown(), TWEED_EBUSY,
             "the call is made in a body on the pool");
}

static void of_spaces(void)
{
    tweed_space plane = tweed_space_2d(0, 4, 0, 4), large = tweed_space_2d(0, INT64_MAX, 0, 4);
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    double weight = 1;

    says(tweed_parallel_for_space(NULL, NULL, &plane, NULL, NULL), TWEED_EINVAL,
         "tweed_space_call_: fn is NULL");
    says(tweed_parallel_for_tiles(NULL, NULL, &plane, NULL, NULL), TWEED_EINVAL,
         "tweed_parallel_for_tiles: fn is NULL");
    says(tweed_parallel_for_space(NULL, NULL, &large, space_body, NULL), TWEED_ERANGE,
         "1 times 9223372036854775807 times 4 indices");
    o.weights = &weight;
    says(tweed_parallel_for_space(NULL, &o, &plane, space_body, NULL), TWEED_EINVAL,
         "tweed_loop_options.weights are set: expected NULL in two and three dimensions");
    o.weights = NULL;
    o.tile[0] = 2;
    says(tweed_parallel_for_space(NULL, &o, &plane, space_body, NULL), TWEED_EINVAL,
         "tweed_loop_options.tile[1] is 0: expected 1 or more, as the others are");
    o.tile[1] = -2;
    says(tweed_parallel_for_space(NULL, &o, &plane, space_body, NULL), TWEED_EINVAL,
         "tweed_loop_options.tile[1] is -2: expected 0 or more");
}

static void reduce(int64_t begin, int64_t end, void *acc, void *arg)
{
    range_body(begin, end, acc);
    (void)arg;
}

static void combine(void *into, const void *from, void *arg)
{
    (void)into;
    (void)from;
    (void)arg;
}

static void scan_block(int64_t begin, int64_t end, void *acc, int writes, void *arg)
{
    range_body(begin, end, acc);
    (void)writes;
    (void)arg;
}

static void of_reductions(void)
{
    const tweed_reduction good = { .size = sizeof good, .element_size = 8, .alignment = 8,
                                   .identity = &good, .body = reduce, .combine = combine };
    int64_t result;

#define REDUCTION(member, value, text)                                         \
    do {                                                                       \
        tweed_reduction r = good;                                              \
                                                                               \
        r.member = value;                                                      \
        says(tweed_parallel_reduce(0, 1, &r, NULL, &result), TWEED_EINVAL,     \
             "tweed_reduction." text);                                         \
    } while (0)

    says(tweed_parallel_reduce(0, 1, NULL, NULL, &result), TWEED_EINVAL,
         "tweed_parallel_reduce_with: reduction is NULL");
    says(tweed_parallel_reduce(0, 1, &good, NULL, NULL), TWEED_EINVAL,
         "tweed_parallel_reduce_with: result is NULL");
    REDUCTION(identity, NULL, "identity is NULL");
    REDUCTION(body, NULL, "body is NULL");
    REDUCTION(combine, NULL, "combine is NULL");
    REDUCTION(element_size, 0, "element_size is 0 and alignment 8");
    REDUCTION(alignment, 3, "element_size is 8 and alignment 3");
#undef REDUCTION
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.grain = -5;
    says(tweed_parallel_reduce_with(NULL, &o, 0, 1, &good, NULL, &result), TWEED_EINVAL,
         "tweed_loop_options.grain is -5: expected 0 or more");
}

TWEED_MAX(double, highest, -NAN, i, const double *, x)
{
    return x[i];
}

TWEED_SUM(double, total, i, const double *, x)
{
    return x[i];
}

static void of_made_functions(void)
{
    double x[1] = { 1 }, y;

    says(total_with(NULL, NULL, 0, 1, x, NULL), TWEED_EINVAL, "total_with: result is NULL");
    says(highest_with(NULL, NULL, 0, 1, x, &y), TWEED_EINVAL,
         "highest_with: the start is not a number");
}

static void of_scans(void)
{
    const tweed_scan_spec good = { .size = sizeof good, .element_size = 8, .alignment = 8,
                                   .identity = &good, .body = scan_block,
                                   .combine = combine };
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    double weight = 1;
    int64_t result;

#define SCAN(member, value, text)                                              \
    do {                                                                       \
        tweed_scan_spec s = good;                                              \
                                                                               \
        s.member = value;                                                      \
        says(tweed_parallel_scan(0, 1, &s, NULL, &result), TWEED_EINVAL,       \
             "tweed_scan_spec." text);                                         \
    } while (0)

    says(tweed_parallel_scan(0, 1, NULL, NULL, &result), TWEED_EINVAL,
         "tweed_parallel_scan_with: scan is NULL");
    says(tweed_parallel_scan(0, 1, &good, NULL, NULL), TWEED_EINVAL,
         "tweed_parallel_scan_with: result is NULL");
    SCAN(identity, NULL, "identity is NULL");
    SCAN(body, NULL, "body is NULL");
    SCAN(combine, NULL, "combine is NULL");
    SCAN(element_size, 4096, "element_size is 4096 and alignment 8");
    SCAN(alignment, 0, "element_size is 8 and alignment 0");
#undef SCAN
    o.weights = &weight;
    says(tweed_parallel_scan_with(NULL, &o, 0, 1, &good, NULL, &result), TWEED_EINVAL,
         "tweed_loop_options.weights are set: expected NULL in a scan");
}

static void of_tasks(void)
{
    tweed_group g = TWEED_GROUP_INIT;

    says(tweed_group_spawn(NULL, task, NULL), TWEED_EINVAL, "tweed_group_spawn: group is NULL");
    says(tweed_group_spawn(&g, NULL, NULL), TWEED_EINVAL, "tweed_group_spawn: fn is NULL");
    says(tweed_group_sync(NULL), TWEED_EINVAL, "tweed_group_sync: group is NULL");
    says(tweed_group_cancel(NULL), TWEED_EINVAL, "tweed_group_cancel: group is NULL");
    says(tweed_group_cancel(&g), TWEED_EINVAL, "tweed_group_cancel: nothing was spawned");
    g.flags = 6;
    says(tweed_group_spawn(&g, task, NULL), TWEED_EINVAL,
         "tweed_group.flags is 6: expected 0 or TWEED_GROUP_SKIP");
    says(tweed_pool_submit(NULL, NULL, NULL), TWEED_EINVAL, "tweed_pool_submit: fn is NULL");
    says(tweed_pool_submit_batch(NULL, task, NULL, 2), TWEED_EINVAL,
         "tweed_pool_submit_batch: args is NULL");
    says(tweed_pool_run_until(NULL, NULL, NULL), TWEED_EINVAL,
         "tweed_pool_run_until: condition is NULL");
}

static void of_closed_pools(void)
{
    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;
    tweed_pool *pool;

    o.num_workers = 2;
    must(tweed_pool_create(&pool, &o));
    must(tweed_pool_close(pool));
    says(tweed_pool_submit(pool, task, NULL), TWEED_ECLOSED, "tweed_pool_submit");
    must(tweed_pool_destroy(pool));
}

static void of_memory(void)
{
    tweed_scratch_options o = TWEED_SCRATCH_OPTIONS_INIT;
    tweed_scratch *scratch;
    int64_t x;
    int code;

    says(tweed_scratch_create(NULL, 8, NULL), TWEED_EINVAL,
         "tweed_scratch_create: scratch is NULL");
    says(tweed_scratch_create(&scratch, 0, NULL), TWEED_EINVAL,
         "tweed_scratch_create: bytes is 0");
    o.alignment = 24;
    says(tweed_scratch_create(&scratch, 8, &o), TWEED_EINVAL,
         "tweed_scratch_options.alignment is 24: expected a power of two up to 2^30, or 0");
    ok(!tweed_alloc(1, 0), "no array of no elements");
    says(TWEED_EINVAL, TWEED_EINVAL, "each is 0: expected the size of an element");
    (void)tweed_alloc_with(NULL, NULL, 0, INT64_MAX, 1000, &code);
    says(code, TWEED_ENOMEM, "for an array of elements of 1000 bytes");
    says(tweed_move_array(NULL, NULL, 0, 4, NULL, 8), TWEED_EINVAL,
         "tweed_move_array: array is NULL");
    says(tweed_move_array(NULL, NULL, 0, 4, &x, 0), TWEED_EINVAL,
         "each is 0: expected the size of an element");
    says(tweed_index_node(NULL, NULL, 0, 4, 4), TWEED_EINVAL,
         "tweed_index_node: i is 4: expected lo to hi - 1");
}

static void of_views(void)
{
    tweed_trace_options trace = TWEED_TRACE_OPTIONS_INIT;
    tweed_loop_stats loops = TWEED_LOOP_STATS_INIT;
    tweed_stats stats = TWEED_STATS_INIT;
    char text[64];

    says(tweed_stats_get(NULL, 0, NULL), TWEED_EINVAL, "tweed_stats_get: stats is NULL");
    snprintf(text, sizeof text, "tweed_stats_get: worker is 4094: expected -1 to %d",
             tweed_pool_num_workers(NULL) - 1);
    says(tweed_stats_get(NULL, 4094, &stats), TWEED_EINVAL, text);
    says(tweed_loop_stats_get(&loops, -1), TWEED_EINVAL,
         "tweed_loop_stats_get: count is -1: expected 0 or more");
    says(tweed_loop_stats_get(NULL, 1), TWEED_EINVAL, "tweed_loop_stats_get: stats is NULL");
    trace.events = 1;
    says(tweed_trace_start(&trace), TWEED_EINVAL,
         "tweed_trace_options.events is 1: expected 256 to 16777216, or 0");
    says(tweed_trace_write(NULL), TWEED_EINVAL, "tweed_trace_write: path is NULL");
    says(tweed_trace_write("/nowhere/at all"), TWEED_EINVAL,
         "tweed_trace_write: path is '/nowhere/at all': No such file or directory");
    says(tweed_pool_dump(NULL, -1), TWEED_EINVAL,
         "tweed_pool_dump: fd is -1: Bad file descriptor");
}

static void *fresh(void *arg)
{
    int *good = arg;
    tweed_pool *pool;

    *good = !*tweed_last_error();
    must(tweed_pool_create(&pool, NULL));
    must(tweed_pool_destroy(pool));
    *good &= !*tweed_last_error();
    *good &= tweed_group_sync(NULL) == TWEED_EINVAL && *tweed_last_error();
    return NULL;
}

static int in_child(void *arg)
{
    return strcmp(tweed_last_error(), arg) != 0 || tweed_group_cancel(NULL) != TWEED_EINVAL ||
           strcmp(tweed_last_error(), arg) == 0;
}

static void of_whom(void)
{
    char before[256], name[300];
    pthread_t thread;
    int good = 0;

    errno = EPIPE;
    ok(tweed_trace_write("") == TWEED_EINVAL && errno == EPIPE, "errno is left alone");
    snprintf(before, sizeof before, "%s", tweed_last_error());
    must(pthread_create(&thread, NULL, fresh, &good));
    must(pthread_join(thread, NULL));
    ok(good, "a thread that has made no mistake has no text, and then its own");
    must(tweed_parallel_for(0, 100, body, NULL));
    ok(strcmp(before, tweed_last_error()) == 0, "which calls that succeed leave alone");
    if (TWEED_HAVE_TSAN)
        skip(1, "ThreadSanitizer forbids calls in a child");
    else
        ok(child_exited(child_run(in_child, before), 0),
           "the child of a fork() has its own");
    memset(name, 'x', sizeof name - 1);
    memcpy(name + 58, "\xc3\xa4\xc3\xa4", 4);
    name[sizeof name - 1] = '\0';
    {
        tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;
        tweed_pool *pool;

        o.cpus = name;
        says(tweed_pool_create(&pool, &o), TWEED_EINVAL,
             "tweed_pool_options.cpus is 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
             "\xc3\xa4': expected CPUs as in 0-3,8,16-30:2");
    }
}

int main(void)
{
    plan(106);
    ok(!*tweed_last_error(), "nothing at first");
    of_pools();
    of_sizes();
    of_later_structs();
    of_handles();
    of_loops();
    must(tweed_parallel_for(0, 4, static_inside, NULL));
    of_spaces();
    of_reductions();
    of_made_functions();
    of_scans();
    of_tasks();
    of_closed_pools();
    of_memory();
    of_views();
    of_whom();
    return done_testing();
}
