/*
 * driver.c - measures loops as users write them, a program for each runtime.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "driver.h"

#define MOST_ROWS 320
#define MOST_PROGRAMS 48
#define FULL_SECONDS 0.05 /* what one measurement should take at least */
#define QUICK_SECONDS 0.01

static struct options options;
static struct machine machine;
static struct user_row rows[MOST_ROWS];
static int num_rows;
static struct program programs[MOST_PROGRAMS];
static int num_programs;

/* ---- which rows ---- */

static bool named(const struct user_row *u, const char *pattern)
{
    return fnmatch(pattern, u->name, 0) == 0 ||
           strcmp(pattern, u->subject.group) == 0;
}

static bool wanted(const struct user_row *u)
{
    if (!options.patterns[0])
        return !machine.quick || u->quick;
    for (char **p = options.patterns; *p; p++)
        if (named(u, *p))
            return true;
    return false;
}

/* A name that is wrong is told before anything is measured. */
static void check_patterns(void)
{
    for (char **p = options.patterns; *p; p++) {
        int i = 0;

        while (i < num_rows && !named(&rows[i], *p))
            i++;
        if (i == num_rows) {
            fprintf(stderr, "driver: no such row (try --list): %s\n", *p);
            exit(2);
        }
    }
}

/* ---- one row ---- */

/* The CPUs that the callers' loops have among them. */
static double cpus(const struct user_row *u)
{
    int workers = u->task.workers && u->task.workers < machine.workers ? u->task.workers
                                                                       : machine.workers;

    if (u->one_cpu)
        return 1;
    if (u->on_last) /* they share that CPU with one worker */
        return workers - u->hogs / (double)(1 + u->hogs);
    return workers * workers / (double)(workers + u->hogs);
}

/* In the row's unit. */
static double ideal_of(const struct user_row *u, const struct row *row)
{
    if (!u->ideal || !sound(row->serial))
        return 0;
    if (u->task.body == USER_nap)
        return USER_NAP_SECONDS * row->subject.scale;
    return row->serial->median * u->task.callers / cpus(u);
}

static void use_last_cpu(void)
{
    cpu_set_t all, last;

    sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&last);
    for (size_t cpu = CPU_SETSIZE; cpu-- > 0 && CPU_COUNT(&last) == 0;)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &last);
    sched_setaffinity(0, sizeof last, &last);
}

/* A busy process; 0: there is none. */
static pid_t start_hog(bool bound)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid != 0)
        return pid > 0 ? pid : 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (bound)
        use_last_cpu();
    for (;;)
        bench_spin(UINT32_MAX);
}

static void end_hog(pid_t pid)
{
    if (pid == 0)
        return;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* The second figures take the place of the first ones, as a row of their own: CPU
   time, with the serial loop's as 1; the longest claim's part of its loop. */
static void show_second(struct row *row, const struct user_row *u)
{
    static char name[64];
    bool cpu = u->second == CPU_TIME;

    snprintf(name, sizeof name, "%s-%s", u->name, cpu ? "cpu" : "claim");
    row->subject.name = name;
    row->subject.unit = cpu ? "CPU time / the serial loop's" : "longest claim / the loop's time";
    for (int i = 0; i < row->num_series; i++)
        for (int m = 0; m < MOST_ROUNDS; m++) {
            struct series *s = &row->series[i];

            s->samples[m] = cpu ? s->extra[m] : s->extra[m] / s->samples[m];
        }
    row->subject.scale = 1;
    evaluate(row);
    if (cpu && sound(row->serial))
        row->subject.scale = 1 / row->serial->median;
    evaluate(row);
    row->ideal = 0;
    listing_row(row, u);
    results_row(row);
}

static void show(struct row *row, const struct user_row *u)
{
    evaluate(row);
    row->ideal = ideal_of(u, row);
    if (u->relative && row->ideal > 0) {
        row->subject.scale /= row->ideal;
        evaluate(row);
        row->ideal = 1;
    }
    listing_row(row, u);
    results_row(row);
    if (u->second)
        show_second(row, u);
}

static bool has_room(const struct user_row *u, int num_columns)
{
    return user_data_bytes(&u->task) * (double)u->task.n * num_columns * u->task.callers <
           0.8 * free_memory();
}

static void measure_row(struct user_row *u)
{
    static struct row row;
    struct column columns[MOST_COLUMNS];
    int n = row_columns(u, programs, num_programs, columns);
    pid_t hogs[MOST_HOGS] = { 0 };

    if (!wanted(u))
        return;
    if (!has_room(u, n)) {
        printf("\n%s: left out, too little memory\n", u->name);
        return;
    }
    memset(&row, 0, sizeof row);
    row.subject = u->subject;
    row.rounds = u->rounds > machine.rounds ? u->rounds : machine.rounds;
    u->task.turn_ns = 1e6 / bench_turns(1e6);
    for (int k = 0; k < u->hogs; k++)
        hogs[k] = start_hog(u->on_last);
    measure(&row, u, columns, n, machine.quick ? QUICK_SECONDS : FULL_SECONDS);
    for (int k = 0; k < u->hogs; k++)
        end_hog(hogs[k]);
    show(&row, u);
}

static void print_programs(void)
{
    printf("%s, %d CPUs, %s; medians of %d rounds\n", machine.cpu, machine.cpus,
           machine.system, machine.rounds);
    if (machine.environment[0])
        printf("set in the environment: %s\n", machine.environment);
    for (int i = 0; i < num_programs; i++) {
        const struct module *m = &programs[i].module;

        if (programs[i].setting)
            continue;
        results_module(m);
        printf("  %-12s %s:", m->name, m->version);
        for (int k = 0; k < m->num_ways; k++)
            printf("%s %s", k ? "," : "", m->ways[k]);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    int failures;

    find_machine(&machine);
    read_options(argc, argv, &options, &machine);
    num_rows = rows_make(rows, MOST_ROWS, &machine);
    check_patterns();
    if (options.list) {
        for (int i = 0; i < num_rows; i++)
            printf("%-9s %-22s %s\n", rows[i].subject.group, rows[i].name,
                   rows[i].subject.what);
        return 0;
    }
    if (options.output)
        results_open(options.output);
    results_machine(&machine);
    num_programs = programs_find(programs, MOST_PROGRAMS, options.runtimes);
    print_programs();
    bench_calibrate();
    for (int i = 0; i < num_rows; i++)
        measure_row(&rows[i]);
    failures = listing_end();
    results_close();
    return failures > 0;
}
