/*
 * number.c - a number for each thread: no two have one, and there is an end of them.
 *
 * SPDX-License-Identifier: MIT
 *
 * One thread stands for all: it forgets its number and asks for another.
 */
#include "config.h"

#include "base/number.h"
#include "pool/team.h"
#include "child.h"
#include "tap.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>

/* ---- a thread that uses its number while it ends ---- */

static pthread_key_t late_key; /* its destructor comes after that of the numbers */
static sem_t has_number, may_end;
static int first_number, late_number, others_number;

static void *other_thread(void *arg)
{
    (void)arg;
    others_number = tweed__number();
    sem_post(&has_number);
    sem_wait(&may_end);
    return NULL;
}

/* The thread's number was given back, and is another thread's by now. */
static void use_late(void *arg)
{
    pthread_t other;

    (void)arg;
    if (pthread_create(&other, NULL, other_thread, NULL) != 0)
        return;
    sem_wait(&has_number);
    late_number = tweed__number();
    sem_post(&may_end);
    pthread_join(other, NULL);
}

static void *ending_thread(void *arg)
{
    first_number = tweed__number();
    pthread_setspecific(late_key, arg);
    return NULL;
}

static int run_thread(void *(*fn)(void *))
{
    pthread_t thread;

    return pthread_create(&thread, NULL, fn, &late_key) == 0 &&
           pthread_join(thread, NULL) == 0;
}

/* Fails if give_back() leaves the thread its number.  (A number that is not given back is
   missed where all are counted.) */
static void test_late(void)
{
    tweed__number_prepare();
    sem_init(&has_number, 0, 0);
    sem_init(&may_end, 0, 0);
    pthread_key_create(&late_key, use_late);
    late_number = others_number = -1;
    ok(run_thread(ending_thread) && others_number == first_number && late_number >= 0 &&
           late_number != others_number,
       "a thread that asks when its number is another thread's has another one");
    pthread_key_delete(late_key);
}

/* ---- the child of a fork() ---- */

static void *ask(void *arg)
{
    *(int *)arg = tweed__number();
    return NULL;
}

static int number_of_another(void)
{
    pthread_t thread;
    int number = -1;

    return pthread_create(&thread, NULL, ask, &number) == 0 &&
                   pthread_join(thread, NULL) == 0
               ? number
               : -1;
}

/* The parent's threads have numbers 0 to `own`, and the last one forks. */
static int in_child(void *arg)
{
    int own = *(int *)arg, other;

    tweed__number_after_fork();
    /* ThreadSanitizer lets such a child start no thread */
    other = TWEED_HAVE_TSAN ? own == 0 : number_of_another();
    return tweed__number() == own && other == (own == 0);
}

/* Fails if number_after_fork() forgets the number of the thread itself, which another one
   then has as well, or keeps those of threads that are no more. */
static void test_fork(void)
{
    static const int last[] = { 0, 1, 63, 64, 200 };
    int good = 1, own = -1;

    for (size_t k = 0; k < sizeof last / sizeof *last; k++) {
        while (own < last[k]) { /* another thread has the one before */
            tweed__self.number = 0;
            own = tweed__number();
        }
        good &= own == last[k] && child_exited(child_run(in_child, &own), 1);
    }
    ok(good, "in the child of a fork() the thread keeps its number, and others are free");
    tweed__number_after_fork(); /* the same for the tests that follow */
}

/* ---- all numbers ---- */

static unsigned char taken[TWEED__NUMBERS];

/* The number of another thread. */
static int next_number(void)
{
    tweed__self.number = 0;
    return tweed__number();
}

int main(void)
{
    tweed_scratch *scratch = NULL;
    int number, first, n = 0, good = 1;

    plan(6);
    test_late();
    test_fork();
    first = tweed__number();
    ok(first >= 0 && tweed__number() == first, "a thread keeps its number");
    taken[first] = 1;
    while ((number = next_number()) >= 0 && n < TWEED__NUMBERS) {
        good &= number < TWEED__NUMBERS && !taken[number];
        taken[number] = 1;
        n++;
    }
    ok(good && n == TWEED__NUMBERS - 1 && !memchr(taken, 0, sizeof taken),
       "%d threads have numbers, each its own", TWEED__NUMBERS);
    ok(number == -1 && next_number() == -1, "one more has none");
    ok(tweed_scratch_create(&scratch, 8, NULL) == TWEED_OK && !tweed_scratch_get(scratch),
       "and gets no block of a scratch");
    tweed_scratch_destroy(scratch);
    return done_testing();
}
