/*
 * soak.c - random loops and trees of tasks for as long as it is told to, every index
 * counted.
 *
 * SPDX-License-Identifier: MIT
 *
 *     soak SECONDS [SEED]
 *
 * Some threads call loops and renew pools, one forks, one looks at statistics
 * and dumps, one has crowds of callers come, a timer sends 10,000 signals a second
 * to whoever of the program's own threads takes them (those that come while one is
 * pending are one).  Ends with 0 if nothing was wrong, 1 if something was, 130 if it
 * was told to stop before its time (SIGINT, SIGTERM) and nothing was wrong so far, 2 on
 * bad arguments; a hang aborts.
 */
#include "config.h"

#include "soak.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define CALLERS 4
#define RENEW_EVERY 500 /* loops of a caller */
#define REPORT_SECONDS 10
#define SIGNAL_US 100
#define TOKEN_SIGNALS 16 /* so often the token of the handler is set */
#define MESSAGES 20 /* of what is wrong; the rest is much the same */

struct totals totals;
atomic_bool stopping;
_Atomic uint64_t failures;
uint64_t soak_seed;

static _Thread_local volatile sig_atomic_t is_host;
static _Atomic uint64_t signals_to_hosts, signals_to_workers;
static tweed_token quit;

void say(const char *format, ...)
{
    char text[1000];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0 && write(STDERR_FILENO, text, (size_t)n < sizeof text
                                                ? (size_t)n
                                                : sizeof text - 1) < 0)
        return;
}

void fail(const struct loop *l, const char *format, ...)
{
    char text[500];
    va_list args;

    if (atomic_fetch_add(&failures, 1) >= MESSAGES)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    say("soak: WRONG, seed %" PRIu64 ": %s\n", soak_seed, text);
    if (l)
        loop_print(l);
}

void nap(long us)
{
    struct timespec t = { us / 1000000, us % 1000000 * 1000 };

    while (nanosleep(&t, &t) != 0 && errno == EINTR)
        continue;
}

/* ---- signals ---- */

/* Sets the token, and clears it some signals later. */
static void on_alarm(int signo)
{
    static atomic_uint number;
    unsigned now = atomic_fetch_add(&number, 1) % TOKEN_SIGNALS;

    (void)signo;
    add(is_host ? &signals_to_hosts : &signals_to_workers, 1);
    if (now == 0)
        tweed_token_set(&quit);
    else if (now == TOKEN_SIGNALS / 4)
        tweed_token_clear(&quit);
}

const tweed_token *alarm_token(void)
{
    return &quit;
}

void host_thread(void)
{
    sigset_t alarms;

    is_host = 1;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
}

static void set_timer(long us)
{
    struct itimerval t = { { 0, us }, { 0, us } };

    setitimer(ITIMER_REAL, &t, NULL);
}

/* All are blocked until a thread says that it is the host's; those that end the
   run are waited for. */
static sigset_t prepare_signals(void)
{
    struct sigaction action;
    sigset_t ends, blocked;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm; /* no SA_RESTART: EINTR everywhere */
    sigaction(SIGALRM, &action, NULL);
    signal(SIGINT, SIG_DFL); /* a shell's background job ignores it */
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    blocked = ends;
    sigaddset(&blocked, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    return ends;
}

/* ---- threads ---- */

static void *caller_main(void *arg)
{
    uint64_t state = *(uint64_t *)arg;

    host_thread();
    while (goes_on()) {
        loop_run(draw(&state));
        if (below(&state, RENEW_EVERY) == 0)
            place_renew((int)below(&state, PLACES));
    }
    return NULL;
}

/* No counter goes back while the pool lives, but that of indices: it is exact
   modulo 2^64, and one loop may have nearly as many. */
static void compare(const tweed_stats *old, const tweed_stats *new)
{
#define COMPARE(name, title, meaning)                                          \
    if (new->name < old->name && &new->name != &new->indices)                  \
        fail(NULL, "the counter of " title " went from %" PRIu64               \
             " to %" PRIu64, old->name, new->name);
    TWEED_STATS_FIELDS_(COMPARE)
#undef COMPARE
}

static void *observer_main(void *arg)
{
    uint64_t state = *(uint64_t *)arg;
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    host_thread();
    while (goes_on()) {
        tweed_stats old = { .size = sizeof old }, new = old;
        int place = (int)below(&state, PLACES);
        tweed_pool *pool = place_enter(place);
        int n = tweed_pool_num_workers(pool);
        int worker = (int)below(&state, (uint32_t)n + 1) - 1;

        if (tweed_stats_get(pool, worker, &old) != TWEED_OK ||
            tweed_pool_dump(pool, nowhere) != TWEED_OK ||
            tweed_stats_get(pool, worker, &new) != TWEED_OK)
            fail(NULL, "no statistics or no dump");
        compare(&old, &new);
        place_leave(place);
        add(&totals.looks, 1);
        nap(3000);
    }
    close(nowhere);
    return NULL;
}

/* ---- reports ---- */

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void report(double seconds, const tweed_stats *s)
{
    static const char *const kinds[] = {
#define SOAK_KIND(NAME, function, text) text,
        SOAK_KINDS(SOAK_KIND)
#undef SOAK_KIND
    };

    printf("%.0f s: %" PRIu64 " loops (%" PRIu64 " inner, %" PRIu64
           " empty, %" PRIu64 " of 2^26 indices and more, %" PRIu64
           " ended early)\n ", seconds, totals.loops, totals.inner, totals.empty,
           totals.wide, totals.ended);
    for (int k = 0; k < KINDS; k++)
        printf("%s %s %" PRIu64, k ? "," : "", kinds[k], totals.kinds[k]);
    printf("\n  %" PRIu64 " static, %" PRIu64 " with weights, %" PRIu64
           " of these refused", totals.fixed, totals.weighed, totals.refused);
    printf("\n  %" PRIu64 " tasks in trees; %" PRIu64 " stolen, %" PRIu64
           " by joins, %" PRIu64 " given back, %" PRIu64 " at once", totals.tasks,
           s->tasks_stolen_near + s->tasks_stolen_far, s->tasks_helped, s->tasks_returned,
           s->tasks_at_once);
    printf("\n  %" PRIu64 " tasks of groups and submitted, %" PRIu64 " of these skipped, %"
           PRIu64 " portions of the submission queue; %" PRIu64 " pools closed or abandoned\n  %" PRIu64
           " calls in crowds, each of up to five levels",
           totals.spawned, totals.skipped, s->tasks_queue, totals.executors,
           totals.crowded);
    printf("\n  indices, each once: %" PRIu64 " one by one, %" PRIu64
           " in range bodies\n"
           "    (without those of range bodies' loops of 2^40 indices and more)\n"
           "  %" PRIu64 " pools, %" PRIu64 " forks, %" PRIu64
           " signals, %" PRIu64 " on workers, %" PRIu64 " naps, %" PRIu64
           " looks\n",
           totals.by_index, totals.by_range, totals.pools, totals.forks,
           signals_to_hosts, signals_to_workers, totals.naps, totals.looks);
    printf("  %" PRIu64 " steals, %" PRIu64 " proposals, %" PRIu64
           " heavy fences, %" PRIu64 " wakes, %" PRIu64 " sleeps, %" PRIu64
           " serial\n  seed %" PRIu64 "\n",
           s->steals_near + s->steals_far, s->proposals, s->heavy_fences,
           s->wakes, s->sleeps, s->serial, soak_seed);
    fflush(stdout);
}

static bool is_anything_done(void)
{
    return totals.loops && totals.by_index && signals_to_hosts;
}

/* The library's own books against ours, when all loops have returned. */
static void audit(const tweed_stats *s)
{
    if (s->loops > totals.passes || s->loops < totals.passes - totals.unbegun)
        fail(NULL, "the library counts %" PRIu64 " loops, not %" PRIu64 " to %" PRIu64,
             s->loops, totals.passes - totals.unbegun, totals.passes);
    if (s->roots != totals.roots)
        fail(NULL, "the library counts %" PRIu64 " trees of tasks, not %" PRIu64, s->roots,
             totals.roots);
    if (s->tasks_spawned != totals.spawned || s->tasks_run != totals.spawned - totals.skipped)
        fail(NULL, "the library counts %" PRIu64 " tasks of groups and submitted, %" PRIu64
             " executed, not %" PRIu64 " and %" PRIu64, s->tasks_spawned, s->tasks_run,
             totals.spawned, totals.spawned - totals.skipped);
    if (s->indices != totals.all)
        fail(NULL, "the library counts %" PRIu64 " indices, not %" PRIu64
             " (modulo 2^64)", s->indices, totals.all);
    if (signals_to_workers)
        fail(NULL, "%" PRIu64 " signals were handled on workers",
             signals_to_workers);
    if (!is_anything_done())
        fail(NULL, "nothing was done");
}

/* Until the time is over, or something is wrong; true: a signal ended it, once anything had
   been done. */
static bool wait_for_end(double start, double seconds, const sigset_t *ends)
{
    double next = start + REPORT_SECONDS, end = start + seconds, at;
    const struct timespec step = { 0, 100000000 };
    bool told = false;

    while (goes_on() && (at = now()) < end) {
        told |= sigtimedwait(ends, NULL, &step) > 0;
        if (told && is_anything_done())
            return true;
        if (at >= next) {
            tweed_stats s;

            places_total(&s);
            report(at - start, &s);
            next += REPORT_SECONDS;
        }
    }
    return false;
}

static bool soak(double seconds)
{
    static void *(*const mains[])(void *) = { children_main, observer_main,
                                                   crowd_main };
    enum { OTHERS = sizeof mains / sizeof *mains };
    pthread_t threads[CALLERS + OTHERS];
    uint64_t seeds[CALLERS + OTHERS], state = soak_seed;
    sigset_t ends = prepare_signals();
    double start = now();
    tweed_stats s;
    bool ended;

    printf("soak: %.0f s, seed %" PRIu64 "\n", seconds, soak_seed);
    fflush(stdout); /* from here on a signal ends it in order */
    watch_start();
    set_timer(SIGNAL_US); /* the pools, too, start under fire */
    places_open(draw(&state));
    for (int k = 0; k < CALLERS + OTHERS; k++) {
        seeds[k] = draw(&state);
        if (pthread_create(&threads[k], NULL,
                           k < CALLERS ? caller_main : mains[k - CALLERS],
                           &seeds[k]) != 0)
            exit(99);
    }
    ended = wait_for_end(start, seconds, &ends);
    atomic_store(&stopping, true);
    for (int k = 0; k < CALLERS + OTHERS; k++)
        pthread_join(threads[k], NULL);
    set_timer(0);
    places_drain();
    places_total(&s);
    audit(&s);
    places_close();
    report(now() - start, &s);
    return ended;
}

/* ---- the command line ---- */

static uint64_t number(const char *what, const char *text, uint64_t least)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || value < least) {
        fprintf(stderr, "soak: %s is '%s', not a whole number from %" PRIu64
                " on\n", what, text, least);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    bool ended;
    uint64_t seconds;

    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: soak SECONDS [SEED]\n");
        return 2;
    }
    seconds = number("SOAK_SECONDS", argv[1], 1);
    soak_seed = argc > 2 && *argv[2]
                    ? number("SOAK_SEED", argv[2], 0)
                    : (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
    ended = soak((double)seconds);
    if (failures) {
        printf("soak: WRONG, %" PRIu64 " times; make soak SOAK_SEED=%" PRIu64
               " repeats it\n", failures, soak_seed);
        return 1;
    }
    printf("soak: nothing lost, nothing twice\n");
    return ended ? 130 : 0;
}
