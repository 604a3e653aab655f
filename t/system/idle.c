/*
 * idle.c - after loops, an idle second costs no CPU time and wakes nobody.
 *
 * SPDX-License-Identifier: MIT
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART 1
#include "config.h"

#include "pool.h"
#include "pools.h"
#include "tsan.h"

#include <dirent.h>
#include <string.h>

#define SECOND 1000000000u
#define LITTLE 10000000u /* 10 ms of CPU time in a second */

static uint64_t cpu_of(clockid_t clock)
{
    struct timespec t;

    if (clock_gettime(clock, &t) != 0)
        bail_out("no CPU clock");
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static uint64_t cpu_of_threads(struct tweed__team *team)
{
    uint64_t sum = 0;

    for (int i = 1; i < team->num_workers; i++) {
        clockid_t clock;

        if (pthread_getcpuclockid(team->workers[i]->thread, &clock) != 0)
            bail_out("no CPU clock of a thread");
        sum += cpu_of(clock);
    }
    return sum;
}

/* Who is on its way into the kernel counts as asleep, and on a busy machine may
   need long for the last steps: until no thread has used any CPU time for a
   while. */
static void wait_until_asleep(struct tweed__team *team)
{
    uint32_t all = (uint32_t)team->num_workers - 1;
    uint64_t before;

    while ((load_seq_cst(&team->sleep.waiters) & 0xffff) != all)
        nap_us(1000);
    do {
        before = cpu_of_threads(team);
        nap_us(200000);
    } while (cpu_of_threads(team) != before);
}

/* How often one thread has given up the CPU; 0 if it is none of the pool's. */
static long switches_of(const char *task)
{
    char path[300], line[128];
    long n = 0;
    int ours = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        ours |= strncmp(line, "Name:\tidle-", 11) == 0;
        (void)sscanf(line, "voluntary_ctxt_switches: %ld", &n);
    }
    if (f)
        fclose(f);
    return ours ? n : 0;
}

static long switches(void)
{
    DIR *d = opendir("/proc/self/task");
    struct dirent *e;
    long sum = 0;

    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.')
            sum += switches_of(e->d_name);
    if (d)
        closedir(d);
    return sum;
}

static unsigned char count[1000];

static void one(int64_t i, void *arg)
{
    (void)arg;
    count[i]++;
}

static void idle_second(const char *what, tweed_pool *pool)
{
    struct tweed__team *team = tweed__pool_team(pool);
    struct timespec second = { 1, 0 };
    tweed_stats before = { .size = sizeof before }, after = before;
    uint64_t process, threads;
    long switched;
    int good = 1;

    for (int n = 0; n < 300; n++)
        must(tweed_parallel_for_with(pool, NULL, 0, 1000, one, NULL));
    for (int i = 0; i < 1000; i++) {
        good &= count[i] == 300 % 256;
        count[i] = 0;
    }
    ok(good, "%s: 300 loops, each index once", what);
    wait_until_asleep(team);
    must(tweed_stats_get(pool, -1, &before));
    switched = switches();
    process = cpu_of(CLOCK_PROCESS_CPUTIME_ID);
    threads = cpu_of_threads(team);
    nanosleep(&second, NULL);
    threads = cpu_of_threads(team) - threads;
    process = cpu_of(CLOCK_PROCESS_CPUTIME_ID) - process;
    must(tweed_stats_get(pool, -1, &after));
    switched = switched > 0 ? switches() - switched : -1;
    /* not a nanosecond: a thread that stays asleep gains nothing */
    ok(threads == 0, "%s: its threads used %llu ns in a second", what,
       (unsigned long long)threads);
    if (TWEED_HAVE_TSAN)
        skip(1, "ThreadSanitizer has a thread of its own that does not rest");
    else
        ok(process < LITTLE, "%s: the process used %llu ns in a second", what,
           (unsigned long long)process);
    ok(after.sleeps == before.sleeps && after.wakes == before.wakes,
       "%s: nobody was woken, nobody went to sleep again", what);
    if (switched < 0)
        skip(1, "no /proc to read the context switches from");
    else
        ok(switched == 0, "%s: %ld context switches in a second", what,
           switched);
}

int main(void)
{
    static const struct {
        const char *what;
        tweed_pool_options o;
    } pools[] = {
        { "defaults", { .name = "idle" } },
        { "5 workers, exchange",
          { .name = "idle", .num_workers = 5, .fence = TWEED_FENCE_EXCHANGE } },
        { "2 workers, a spin of 0.1 s",
          { .name = "idle", .num_workers = 2, .spin_ns = SECOND / 10 } },
    };

    plan(3 * 5);
    watchdog();
    for (int k = 0; k < 3; k++) {
        tweed_pool *pool = pool_with(pools[k].o);

        idle_second(pools[k].what, pool);
        tweed_pool_destroy(pool);
    }
    return done_testing();
}
