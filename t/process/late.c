/*
 * late.c - a plugin runs a loop and is closed at once, while workers come late to that
 * loop.
 *
 * SPDX-License-Identifier: MIT
 *
 * The plugin uses libtweed.so, which stays.  The body, the kind and what executes them
 * are the plugin's, and unmapped as soon as the call has returned; nothing may ever
 * be mapped there again.  A worker that has joined the loop, and is late, must leave
 * them alone: what it reads would be gone.
 *
 * In the first tests the library is this program's own, and all workers are held, by
 * wrapping what they call there, at a place between joining and the first body.  They
 * go on when the plugin is gone.  The last test has libtweed.so, and workers that are
 * late by chance.
 */
/* Bodies meet here, so each loop is to be published: what is called through the library
   remembers no cost. */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "child.h"
#include "late.h"
#include "pool/pool.h"
#include "tap.h"

#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>

typedef int loop_fn(struct late_loop *l);

static char path[4096];
static const char *const loops[] = { "late_braces", "late_pointer", "late_range" };

/* ---- workers that are held ---- */

enum place { NOWHERE, INIT, CLAIM, STEAL };

static _Atomic enum place hold_at; /* where workers are held */
static atomic_int held;

void __real_tweed__cursor_init(struct tweed__walker *w,
                               const struct tweed__body *body, bool asymmetric);
void __wrap_tweed__cursor_init(struct tweed__walker *w,
                               const struct tweed__body *body, bool asymmetric);
bool __real_tweed__range_claim(struct tweed__owner *o);
bool __wrap_tweed__range_claim(struct tweed__owner *o);
bool __real_tweed__victim_steal(struct tweed__part *p, uint32_t *begin,
                                uint32_t *end);
bool __wrap_tweed__victim_steal(struct tweed__part *p, uint32_t *begin,
                                uint32_t *end);
int64_t __wrap_tweed__topology_capacity(const struct tweed__topology *t);

/* CPUs enough: workers spin, so all of them come. */
int64_t __wrap_tweed__topology_capacity(const struct tweed__topology *t)
{
    (void)t;
    return 1000000;
}

static void hold(enum place place)
{
    if (!tweed__self.worker || hold_at != place)
        return;
    held++;
    while (hold_at == place)
        sched_yield();
    held--;
}

void __wrap_tweed__cursor_init(struct tweed__walker *w,
                               const struct tweed__body *body, bool asymmetric)
{
    hold(INIT);
    __real_tweed__cursor_init(w, body, asymmetric);
}

/* A worker that is held later gets no share: another one has been faster. */
bool __wrap_tweed__range_claim(struct tweed__owner *o)
{
    if (tweed__self.worker && hold_at == STEAL)
        return false;
    hold(CLAIM);
    return __real_tweed__range_claim(o);
}

bool __wrap_tweed__victim_steal(struct tweed__part *p, uint32_t *begin,
                                uint32_t *end)
{
    hold(STEAL);
    return __real_tweed__victim_steal(p, begin, end);
}

/* ---- the plugin ---- */

/* Nothing gets the pages of that address any more. */
static int forbid(void *address)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *at = (void *)((uintptr_t)address / page * page);

    return mmap(at, page, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == at;
}

/* Opens the plugin, runs that loop, closes it; true if all went well. */
static int use(const char *name, int flags, struct late_loop *l)
{
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL | flags);
    void *symbol = plugin ? dlsym(plugin, name) : NULL;
    loop_fn *loop = NULL;
    int good;

    if (!symbol) {
        diag("%s", dlerror());
        return 0;
    }
    memcpy(&loop, &symbol, sizeof loop); /* POSIX says that it is a function */
    good = loop(l) == TWEED_OK;
    good &= dlclose(plugin) == 0;
    return good && forbid(symbol); /* which shows that it was unmapped */
}

static int once_each(struct late_loop *l)
{
    int good = 1;

    for (int i = 0; i < LATE_INDICES; i++)
        good &= atomic_exchange(&l->count[i], 0) == 1;
    return good;
}

/* ---- the tests, each in a process of its own ---- */

static struct tweed__team *team;
static int all_came = 1;

/* For a minute; a plugin that did not get this program's library fails then. */
static void wait_for_all(void)
{
    for (int k = 0; k < 60000 && held < team->num_workers - 1; k++)
        if (k < 1000)
            sched_yield();
        else
            usleep(1000);
    all_came &= held == team->num_workers - 1;
}

static void all_leave(void)
{
    hold_at = NOWHERE;
    while (held > 0)
        sched_yield();
    for (int w = 1; w < team->num_workers; w++)
        for (int k = 0; k < TWEED__SLOTS; k++)
            while (load_seq_cst(&team->workers[w]->seats[k].range.inside))
                sched_yield();
}

static void nothing(int64_t i, void *arg)
{
    (void)i;
    (void)arg;
}

static int held_at(void *arg)
{
    struct late_loop l = { .hold = wait_for_all };
    int good = 1;

    setenv("TWEED_NUM_WORKERS", "8", 1);
    setenv("TWEED_SPIN_NS", "1000000000", 1);
    if (tweed_parallel_for(0, 1, nothing, NULL) != TWEED_OK)
        return 1;
    team = tweed__pool_team(tweed__pool_or_default(NULL));
    for (int r = 0; r < rounds(30) && good; r++) {
        hold_at = *(enum place *)arg;
        good = use(loops[r % 3], 0, &l) && once_each(&l) && all_came;
        all_leave();
    }
    return good ? 0 : 1;
}

static void no_hold(void)
{
}

/* libtweed.so, with so many workers. */
static int by_chance(void *arg)
{
    struct late_loop l = { .hold = no_hold };
    int good = 1;

    setenv("TWEED_NUM_WORKERS", arg, 1);
    for (int r = 0; r < rounds(300) && good; r++)
        good = use(loops[r % 3], RTLD_DEEPBIND, &l) && once_each(&l);
    usleep(20000); /* for those who are still late */
    return good ? 0 : 1;
}

int main(void)
{
    static char workers[][2] = { "2", "3", "5", "8" };
    static enum place places[] = { INIT, CLAIM, STEAL };
    static const char *const words[] = { "its cursor is made", "it claims",
                                         "it steals" };
    const char *top = getenv("top_builddir");
    const char *flags = getenv("SANITIZER_FLAGS");
    char built[4096], library[4096];

    snprintf(built, sizeof built, "%s/t/process/.libs/late-module.so",
             top ? top : ".");
    snprintf(library, sizeof library, "%s/lib/.libs/libtweed.so", top ? top : ".");
    if (!realpath(built, path) || access(library, R_OK) != 0)
        skip_all("no shared library was built");
    plan(7);
    watchdog();
    for (int k = 0; k < 3; k++)
        ok(child_exited(child_run(held_at, &places[k]), 0),
           "the plugin is gone when a worker goes on before %s", words[k]);
    for (int k = 0; k < 4; k++)
        if (flags && *flags)
            skip(1, "a sanitizer's run time cannot be opened late");
        else
            ok(child_exited(child_run(by_chance, workers[k]), 0),
               "libtweed.so, %s workers, closed at once", workers[k]);
    return done_testing();
}
