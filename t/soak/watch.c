/*
 * watch.c - names the loop that hangs.
 *
 * SPDX-License-Identifier: MIT
 *
 * Everything that might not end stands in a table while it is done.  A thread
 * that uses nothing of tweed looks once a second; what it has seen for
 * HANG_SECONDS of its own looks (a machine that was stopped or is slow slows it
 * too) hangs.  Then it says all that is known, and aborts.
 */
#include "config.h"

#include "soak.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENTRIES 1024

struct watched {
    _Alignas(64) _Atomic(const char *) what; /* NULL: free */
    _Atomic(const struct loop *) loop;
    atomic_uint number; /* of the entry's use */
};

static struct watched entries[ENTRIES];
static _Thread_local unsigned hint;

struct watched *watch_begin(const char *what, const struct loop *l)
{
    if (!hint)
        hint = (unsigned)((uintptr_t)&hint >> 6);
    for (unsigned n = 0; n < ENTRIES; n++) {
        struct watched *w = &entries[(hint + n) % ENTRIES];
        const char *none = NULL;

        if (atomic_load_explicit(&w->what, memory_order_relaxed) ||
            !atomic_compare_exchange_strong(&w->what, &none, what))
            continue;
        hint += n;
        atomic_store(&w->loop, l);
        atomic_fetch_add(&w->number, 1);
        return w;
    }
    return NULL; /* so much at once is not watched */
}

void watch_end(struct watched *w)
{
    if (w)
        atomic_store(&w->what, NULL);
}

static void describe(struct watched *w, int age)
{
    const char *what = atomic_load(&w->what);
    const struct loop *l = atomic_load(&w->loop);
    uint64_t done;

    if (!what)
        return;
    say("soak: a thread %s for %d s\n", what, age);
    if (l && strcmp(what, "runs") == 0) {
        loop_print(l);
        (void)account_check(l, l->n, &done); /* which indices did not come */
    }
}

static _Noreturn void last_words(const int *ages)
{
    alarm(15); /* should even this hang; ends the timer, which is the same */
    signal(SIGALRM, SIG_IGN); /* forgets what the timer sent last */
    signal(SIGALRM, SIG_DFL);
    say("soak: HANGS, seed %" PRIu64 ", process %d\n", soak_seed,
        (int)getpid());
    for (int k = 0; k < ENTRIES; k++)
        if (ages[k] >= HANG_SECONDS / 2)
            describe(&entries[k], ages[k]);
    places_print(STDERR_FILENO);
    sleep(1);
    say("soak: a second later:\n"); /* which shows what is slow, and no more */
    places_print(STDERR_FILENO);
    say("soak: seed %" PRIu64 "\n", soak_seed);
    abort();
}

static void *watch(void *arg)
{
    static unsigned seen[ENTRIES];
    static int ages[ENTRIES];

    (void)arg;
    for (;;) {
        bool hangs = false;

        sleep(1);
        for (int k = 0; k < ENTRIES; k++) {
            unsigned number = atomic_load(&entries[k].number);
            bool same = atomic_load(&entries[k].what) && number == seen[k];

            ages[k] = same ? ages[k] + 1 : 0;
            seen[k] = number;
            hangs |= ages[k] >= HANG_SECONDS;
        }
        if (hangs)
            last_words(ages);
    }
    return NULL;
}

/* In a child, too: what its parent did is not its own. */
void watch_start(void)
{
    pthread_t thread;
    sigset_t all, before;

    for (int k = 0; k < ENTRIES; k++)
        atomic_store(&entries[k].what, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, watch, NULL) != 0)
        exit(99);
    pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
