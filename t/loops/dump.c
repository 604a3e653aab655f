/*
 * dump.c - tweed_pool_dump() shows what runs.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "pool/pool.h"
#include "meet.h"
#include "base/print.h"
#include "system/system.h"
#include "system/topology.h"

#include <fcntl.h>
#include <string.h>

static char text[65536];

/* The system refuses the heavy fence, if it is told to. */
bool __real_tweed__fence_heavy(void);
bool __wrap_tweed__fence_heavy(void);

static atomic_bool refuse;

bool __wrap_tweed__fence_heavy(void)
{
    return !atomic_load(&refuse) && __real_tweed__fence_heavy();
}

/* The machine of the next pools; NULL: this one. */
struct tweed__topology *__real_tweed__topology_get(void);
struct tweed__topology *__wrap_tweed__topology_get(void);

static const char *machine;

struct tweed__topology *__wrap_tweed__topology_get(void)
{
    const char *wrong;

    return machine ? tweed__topology_parse(machine, &wrong) : __real_tweed__topology_get();
}

/* Called once, when the first line of a dump has been written. */
bool __real_tweed__print(int fd, const char *format, ...);
__attribute__((format(printf, 2, 3))) bool
__wrap_tweed__print(int fd, const char *format, ...);

static void (*after_first_line)(void);

bool __wrap_tweed__print(int fd, const char *format, ...)
{
    void (*hook)(void) = after_first_line;
    char line[512];
    va_list args;
    bool good;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    good = __real_tweed__print(fd, "%s", line);
    if (hook && strncmp(line, "tweed: pool ", strlen("tweed: pool ")) == 0) {
        after_first_line = NULL;
        hook();
    }
    return good;
}

/* What a dump of the pool says. */
static int dump(tweed_pool *pool)
{
    FILE *f = tmpfile();
    size_t n;
    int code;

    if (!f)
        bail_out("no temporary file");
    code = tweed_pool_dump(pool, fileno(f));
    rewind(f);
    n = fread(text, 1, sizeof text - 1, f);
    text[n] = '\0';
    fclose(f);
    return code;
}

static int says(const char *what)
{
    if (strstr(text, what))
        return 1;
    diag("no '%s' in:\n%s", what, text);
    return 0;
}

/* The blocks that a seat holds, by its line. */
static long held(const char *line)
{
    unsigned first, mid, high;

    if (strncmp(line, "drained\n", strlen("drained\n")) == 0)
        return 0;
    if (sscanf(line, "unclaimed [%u, %u)", &first, &high) == 2 ||
        sscanf(line, "low %u, steal range [%u, %u)", &first, &mid, &high) ==
            3 ||
        sscanf(line, "low %u, [%u, %u) proposed by", &first, &mid, &high) == 3)
        return first < high ? (long)(high - first) : 0;
    diag("a seat: %.60s", line);
    return -1000000;
}

/* Each loop ends with the sum of what its seats hold. */
static int sums_are_right(void)
{
    long sum = 0, printed;

    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        const char *seat = strstr(at, ": ");

        if (strncmp(at, "    worker ", strlen("    worker ")) == 0 && seat) {
            sum += held(seat + 2);
        } else if (sscanf(at, "    remain: %ld held", &printed) == 1) {
            if (sum != printed) {
                diag("%ld in the lines, %ld printed", sum, printed);
                return 0;
            }
            sum = 0;
        }
    }
    return sum == 0;
}

static tweed_pool *pool;
static atomic_int begun;
static int code;

/* All three workers are inside, each with its own share of five blocks. */
static void look(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
    if (atomic_fetch_add(&begun, 1) >= 3)
        return;
    while (atomic_load(&begun) < 3)
        nap_us(50);
    if (tweed_worker_index() == 0) {
        code = dump(pool);
        atomic_fetch_add(&begun, 1);
    }
    while (atomic_load(&begun) < 4)
        nap_us(50);
}

static void inner(int64_t i, void *arg)
{
    if (i == 100) /* one of two workers, maybe at the same time */
        *(int *)arg = dump(pool);
}

static void outer(int64_t i, void *arg)
{
    tweed_loop_options o = { .size = sizeof o, .name = "inner", .grain = 2 };

    if (i == 0) {
        o.max_workers = 2;
        must(tweed_parallel_for_with(pool, &o, 7, 8, empty_body, arg));
        must(tweed_parallel_for_with(pool, &o, 100, 104, inner, arg));
    }
}

/* ---- while loops come and go ---- */

#define NAME "a loop that does not last"

static atomic_int stop, dumps, wrong_dumps;

/* Whatever a dump finds, it is a loop of this test's. */
static void *dump_for_ever(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop)) {
        const char *at = text;

        if (dump(pool) != TWEED_OK || !sums_are_right())
            atomic_fetch_add(&wrong_dumps, 1);
        while ((at = strstr(at, "  loop "))) {
            at += strlen("  loop ");
            if (strncmp(at, NAME " in slot", strlen(NAME " in slot")) != 0 ||
                !strstr(at, ": from 7, 8 indices in 4 blocks of 2")) {
                diag("a loop: %.80s", at);
                atomic_fetch_add(&wrong_dumps, 1);
            }
        }
        atomic_fetch_add(&dumps, 1);
    }
    return NULL;
}

/* So many loops and so many dumps beside each other.  Each name is gone when its
   loop has returned. */
static void short_loops(int loops, int least_dumps)
{
    pthread_t thread;
    int good = 1;

    if (pthread_create(&thread, NULL, dump_for_ever, NULL) != 0)
        bail_out("no thread");
    for (int n = 0; n < loops || atomic_load(&dumps) < least_dumps; n++) {
        tweed_loop_options o = { .size = sizeof o, .grain = 2 };
        char *name = malloc(sizeof NAME);

        if (!name)
            bail_out("no memory");
        o.name = memcpy(name, NAME, sizeof NAME);
        good &= tweed_parallel_for_with(pool, &o, 7, 15, empty_body, NULL) ==
                TWEED_OK;
        memset(name, '?', sizeof NAME - 1);
        free(name);
    }
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
    ok(good && atomic_load(&wrong_dumps) == 0,
       "dumps from another thread, while %d loops come and go", loops);
}

/* ---- what is seen seldom ---- */

static struct occupier occupier;

/* The loop that the first line has counted ends before it is looked at. */
static void let_it_end(void)
{
    occupier_end(&occupier);
}

static void ended_meanwhile(void)
{
    occupy(&occupier, pool);
    after_first_line = let_it_end;
    ok(dump(pool) == TWEED_OK && says("3 workers, 1 loops") &&
           !strstr(text, "  loop "),
       "a loop that ends during the dump: not shown");
}

/* The owner stays in its first block; the thief has done its own share, and
   stolen what was exposed, when it proposes to take more.  It cannot make sure
   of the owner, so the proposal stands. */
static void see_proposal(int64_t i, void *arg)
{
    int *seen = arg;

    while (i == 0 && tweed_worker_index() == 0 && !*seen) {
        dump(pool);
        *seen = strstr(text, "proposed by worker 1") != NULL;
    }
}

static void proposed(void)
{
    int seen = 0;

    pool = pool_with((tweed_pool_options){ .num_workers = 2,
                                           .fence = TWEED_FENCE_MEMBARRIER });
    if (!tweed__pool_team(pool)->asymmetric_loops) {
        skip(1, "no membarrier");
    } else {
        atomic_store(&refuse, 1);
        must(tweed_parallel_for_with(pool, NULL, 0, 20, see_proposal, &seen));
        atomic_store(&refuse, 0);
        ok(seen && says("worker 0: low 1, [") &&
               says(") proposed by worker 1\n") && sums_are_right(),
           "a proposal, and whose it is");
    }
    tweed_pool_destroy(pool);
}

/* ---- on two nodes ---- */

#define BLOCKS 100

static atomic_int done;

static int is_stuck_alone(void)
{
    const char *at = strstr(text, "    remain: ");
    unsigned long long holds, flies;

    return at && sscanf(at, "    remain: %llu held, %llu in flight", &holds, &flies) == 2 &&
           holds == 0 && flies == 1;
}

/* The caller's first body is the last one: others have all else, and have said so to their
   nodes' counts. */
static void stay(int64_t i, void *arg)
{
    int *seen = arg;

    for (int k = 0; i == 0 && !*seen && k < 20000; k++) {
        nap_us(500);
        if (done < BLOCKS - 1)
            continue;
        dump(pool);
        *seen = is_stuck_alone();
    }
    done++;
}

/* Fails if what was returned to nodes, and not to the loop, is in flight. */
static void one_is_stuck(void)
{
    int seen = 0;

    machine = "nodes:2,cpus:2";
    pool = pool_with((tweed_pool_options){ .num_workers = 4 });
    machine = NULL;
    must(tweed_parallel_for_with(pool, NULL, 0, BLOCKS, stay, &seen));
    if (!ok(seen && done == BLOCKS, "one body of %d does not end, on two nodes", BLOCKS))
        diag("%s", text);
    tweed_pool_destroy(pool);
}

int main(void)
{
    tweed_loop_options o = { .size = sizeof o, .name = "a loop of mine" };
    int closed, nested = -1;

    plan(19);
    watchdog();
    ok(dump(NULL) == TWEED_OK && says("(not started)") && says("0 loops"),
       "the default pool, not started");
    pool = pool_with((tweed_pool_options){ .num_workers = 3, .name = "three" });
    ok(dump(pool) == TWEED_OK && says("pool three: 3 workers, 0 loops"),
       "a pool that rests");

    must(tweed_parallel_for_with(pool, &o, -5, 10, look, NULL));
    ok(code == TWEED_OK, "a dump out of a body");
    ok(says("pool three: 3 workers, 1 loops"), "it counts the loop");
    ok(says("loop a loop of mine in slot"), "it names the loop");
    ok(says("from -5, 15 indices in 15 blocks of 1"), "it tells its bounds");
    ok(says("    remain: 12 held, 3 in flight\n") && sums_are_right(),
       "and what is left: what is held below, and three that run");
    ok(says("started by worker 0"), "and who started it");
    /* worker w: first of 5 blocks taken, of the other four the upper quarter
       exposed */

    ok(says("worker 0: low 1, steal range [4, 5)"),
       "worker 0: what it holds");
    ok(says("worker 1 (inside): low 6, steal range [9, 10)"),
       "worker 1: what it holds");
    ok(says("worker 2 (inside): low 11, steal range [14, 15)"),
       "worker 2: what it holds");

    atomic_store(&begun, 0);
    o.name = NULL;
    must(tweed_parallel_for_with(pool, &o, -5, 10, look, NULL));
    ok(says("loop (no name) in slot"), "a loop without a name");

    o.name = "outer";
    must(tweed_parallel_for_with(pool, &o, 0, 3, outer, &nested));
    ok(nested == TWEED_OK && says("2 loops") && says("loop outer in slot") &&
           says("loop inner in slot") &&
           says("from 100, 4 indices in 2 blocks of 2"), "nested loops");

    ok(tweed_pool_dump(pool, -1) == TWEED_EINVAL &&
           tweed_pool_dump(NULL, -1) == TWEED_EINVAL, "no file: an error");
    short_loops(5000, 200);
    closed = open("/dev/null", O_RDONLY);
    ok(tweed_pool_dump(pool, closed) == TWEED_EINVAL,
       "a file that is open for reading only: an error");
    close(closed);
    ended_meanwhile();
    tweed_pool_destroy(pool);
    proposed();
    one_is_stuck();
    return done_testing();
}
