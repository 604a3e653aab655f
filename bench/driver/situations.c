/*
 * situations.c - rows about when and beside what a loop runs, not about its length.
 *
 * SPDX-License-Identifier: MIT
 */
#include "driver.h"

#define MS 1e-3
#define US 1e-6
#define NS 1e-9

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const struct machine *machine;

/* Indices of so many seconds that make a loop which P CPUs could end in `length`. */
static void shared_loop(struct user_row *r, double length, double index)
{
    row_loop(r, (int64_t)(length * machine->workers / index + 0.5), index);
}

/* ---- silence: where are the threads, and who wakes them? ---- */

enum { ALONE, HOG, CALLERS, ONE_CPU };

static void add_silence(int with, double length, int pause, bool quick)
{
    static const char *const names[] = { "", "-hog", "-callers", "-one-cpu" };
    static const char *const what[] = {
        "one loop, after the program has slept",
        "the same with a busy process on one CPU",
        "the same with two callers",
        "the same, allowed on one CPU only",
    };
    char name[48];
    struct user_row *r;

    snprintf(name, sizeof name, "silence%s-%gms-after-%dms", names[with],
             length / MS, pause);
    r = row_add("silence", name, quick, what[with]);
    shared_loop(r, length, US);
    r->task.what = USER_SILENCE;
    r->task.silence = pause * MS;
    r->task.callers = with == CALLERS ? 2 : 1;
    r->subject.scale = 1;
    r->subject.unit = "time / ideal";
    r->relative = r->few = r->binds = true;
    r->second = CPU_TIME;
    r->hogs = r->on_last = with == HOG;
    r->one_cpu = with == ONE_CPU;
    r->rounds = machine->quick ? 0 : 41; /* each is one loop */
}

static void add_silences(void)
{
    static const int pauses[] = { 0, 1, 5, 15, 40, 100 }, fewer[] = { 0, 5, 40 };

    for (int k = 0; k < COUNT(pauses); k++) {
        add_silence(ALONE, 0.2 * MS, pauses[k], false);
        add_silence(ALONE, 3 * MS, pauses[k], pauses[k] == 15);
    }
    for (int with = HOG; with <= ONE_CPU; with++)
        for (int k = 0; k < COUNT(fewer); k++) {
            add_silence(with, 0.2 * MS, fewer[k], false);
            add_silence(with, 3 * MS, fewer[k], false);
        }
}

/* ---- the first loop of a process ---- */

static void add_first(const char *name, enum user_case what, double length,
                      const char *text)
{
    struct user_row *r = row_add("first", name, what == USER_CALL && length > MS,
                                 text);

    shared_loop(r, length, US);
    r->task.what = what;
    r->subject.scale = 1;
    r->subject.unit = "time / ideal";
    r->relative = r->few = r->binds = true;
    r->rounds = machine->quick ? 0 : 21;
}

static void add_firsts(void)
{
    static const char start[] = "starting the runtime and the first loop";
    static const char loop[] = "the first loop of a process";

    add_first("first-start-0.2ms", USER_FIRST, 0.2 * MS, start);
    add_first("first-start-3ms", USER_FIRST, 3 * MS, start);
    add_first("first-loop-0.2ms", USER_CALL, 0.2 * MS, loop);
    add_first("first-loop-3ms", USER_CALL, 3 * MS, loop);
}

/* ---- cliffs: one part of the loop costs a thousand times as much ---- */

static void add_cliff(int place, bool claims)
{
    static const struct { const char *name; double from; } places[] = {
        { "start", 0 }, { "quarter", 16 / 64.0 }, { "share-end", 31 / 64.0 },
        { "share-start", 32 / 64.0 }, { "end", 63 / 64.0 },
    };
    char name[48];
    struct user_row *r;

    snprintf(name, sizeof name, "%s-%s", claims ? "claims" : "cliff",
             places[place].name);
    r = row_add("cliff", name, place == 1,
                "indices of 3 ns, one in 64 of 3 us, side by side");
    row_loop(r, machine->quick ? 1 << 17 : 1 << 20, 3 * NS);
    r->task.what = claims ? USER_CLAIMS : USER_LOOPS;
    r->task.body = USER_cliff;
    r->task.dear_index = 3 * US;
    r->task.from = places[place].from;
    r->task.to = r->task.from + 1 / 64.0;
    r->subject.scale = 1;
    r->subject.unit = "time / ideal";
    r->relative = true;
    r->second = claims ? LONGEST_CLAIM : NO_SECOND;
}

static void add_cliffs(void)
{
    for (int place = 0; place < 5; place++) {
        add_cliff(place, false);
        add_cliff(place, true);
    }
}

/* ---- a loop in a loop ---- */

static void add_nest(const char *name, int heavy, bool quick, const char *what)
{
    struct user_row *r = row_add("nest", name, quick, what);

    shared_loop(r, 10 * MS, 10 * US);
    r->task.what = USER_NEST;
    r->task.variant = heavy;
    r->subject.scale = 1;
    r->subject.unit = "time / ideal";
    r->relative = r->dynamic = true;
}

static void add_nests(void)
{
    struct user_row *r;

    add_nest("nest-flat", USER_FLAT, false, "a loop that is not nested");
    add_nest("nest-0", 0, false, "the same under index 0 of 2");
    add_nest("nest-1", 1, true, "the same under index 1 of 2");
    r = row_add("nest", "quicksort", true,
                "by nested loops of two indices; or by tasks");
    r->task.what = USER_SORT;
    r->task.n = machine->quick ? 1 << 18 : 1 << 22;
    r->ideal = false;
}

/* ---- callers, busy neighbours ---- */

static void add_naps(void)
{
    struct user_row *r = row_add("callers", "naps", true,
                                 "4 callers with 4 sleeping bodies each, 16 workers");

    row_loop(r, 4, 0);
    r->task.body = USER_nap;
    r->task.callers = 4;
    r->task.workers = 16;
    r->subject.scale = 1;
    r->subject.unit = "time / one body's";
    r->relative = r->few = true;
}

static void add_hogs(void)
{
    static const double lengths[] = { 0.15, 0.5, 2, 8, 24, 50 };
    double all = machine->quick ? 30 : 150; /* ms of a run */

    for (int k = 0; k < COUNT(lengths); k++) {
        char name[48];
        struct user_row *r;

        snprintf(name, sizeof name, "hog-%gms", lengths[k]);
        r = row_add("hog", name, lengths[k] == 2,
                    "loops beside a busy process on one CPU, all of them");
        shared_loop(r, lengths[k] * MS, 10 * US);
        r->task.repeat = (int)(all / lengths[k]) + 1;
        r->subject.scale = 1;
        r->subject.unit = "time / ideal";
        r->relative = r->few = r->binds = r->on_last = true;
        r->hogs = 1;
    }
}

/* ---- busy neighbours, as many as the system likes on each CPU ---- */

static void add_busy(int hogs, double length)
{
    char name[48];
    struct user_row *r;

    snprintf(name, sizeof name, "busy-%d-%gms", hogs, length);
    r = row_add("busy", name, false, "loops beside so many busy processes, all of them");
    shared_loop(r, length * MS, 10 * US);
    r->task.repeat = (int)(30 / length) + 1;
    r->subject.scale = 1;
    r->subject.unit = "time / ideal";
    r->relative = r->few = r->binds = true;
    r->hogs = hogs;
}

static void add_neighbours(void)
{
    static const int hogs[] = { 1, 2, 4, 12, 25 };

    for (int k = 0; k < COUNT(hogs); k++) {
        add_busy(hogs[k], 0.1);
        add_busy(hogs[k], 3);
    }
}

/* ---- what a loop took last time says nothing about this time ---- */

static void add_guess(const char *name, enum user_guess guess, int64_t n,
                      double index, int64_t short_n, const char *what)
{
    struct user_row *r = row_add("guess", name, guess == USER_GUESS_COUNT, what);

    row_loop(r, n, index);
    r->task.what = USER_GUESS;
    r->task.variant = (int)guess;
    r->task.callers = guess == USER_GUESS_CALLERS ? 2 : 1;
    r->task.short_n = short_n;
    r->task.repeat = 50;
    r->dynamic = true;
    r->ideal = false;
}

static void add_guesses(void)
{
    add_guess("guess-count", USER_GUESS_COUNT, 1 << 18, 10 * NS, 64,
              "50 loops of 64 indices of 10 ns, then one of 262,144, and so on");
    add_guess("guess-cost", USER_GUESS_COST, 2, MS, 2,
              "50 loops of 2 indices that do nothing, then one of 2 that take 1 ms");
    add_guess("guess-callers", USER_GUESS_CALLERS, 1 << 18, 10 * NS, 64,
              "50 loops of 64 indices of 10 ns beside one of 262,144");
}

void situations_add(const struct machine *m)
{
    machine = m;
    add_silences();
    add_firsts();
    add_cliffs();
    add_nests();
    add_naps();
    add_hogs();
    add_neighbours();
    add_guesses();
}
