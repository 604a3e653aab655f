/*
 * main.c - measures tweed beside its peers.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

static const char usage[] =
    "usage: bench [option]... [kernel]...\n"
    "\n"
    "Measures tweed beside its peers: all kernels, or those named; a kernel, its\n"
    "group, or a pattern such as 'spmv*'.\n"
    "\n"
    "  -q, --quick           small inputs\n"
    "  -r, --rounds=N        rounds, 7 to 101 for figures that count (default 9,\n"
    "                        7 with --quick)\n"
    "  -w, --workers=N       workers of each runtime (default: a CPU each)\n"
    "  -o, --output=FILE     write the results there, as JSON lines\n"
    "  -R, --runtimes=LIST   only these peers, by commas; serial and tweed are always\n"
    "                        there\n"
    "  -l, --list            list the kernels and the runtimes, and end\n"
    "  -h, --help\n";

/* In this order in every table; the serial one gives the right answers. */
static const char *const names[] = { "serial", "tweed",       "libgomp",
                                     "libomp", "pthreadpool", "tbb" };
#define NAMES ((int)(sizeof names / sizeof *names))
#define NEEDED 2 /* the first ones */

static struct options options;
static struct machine machine;
static struct module modules[MOST_MODULES];
static int num_modules;
static struct column columns[MOST_COLUMNS];
static int num_columns;

_Noreturn static void fail(const char *what, const char *which)
{
    fprintf(stderr, "bench: %s%s\n", what, which);
    exit(2);
}

/* ---- the runtimes ---- */

static void check_runtimes(const char *list)
{
    char *copy = strdup(list), *state, *name;

    for (name = strtok_r(copy, ",", &state); name;
         name = strtok_r(NULL, ",", &state)) {
        int i = 0;

        while (i < NAMES && strcmp(names[i], name) != 0)
            i++;
        if (i == NAMES)
            fail("no such runtime: ", name);
    }
    free(copy);
}

/* The modules lie where libtool puts them, beside this program. */
static void find_modules(void)
{
    char self[PATH_MAX] = "", why[96];
    const char *directory;

    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        fail("/proc/self/exe: ", "cannot be read");
    directory = dirname(self);
    for (int i = 0; i < NAMES; i++) {
        struct module *m = &modules[num_modules];

        if (i >= NEEDED && options.runtimes && !listed(options.runtimes, names[i]))
            continue;
        memset(m, 0, sizeof *m);
        snprintf(m->path, sizeof m->path, "%.4000s/.libs/runtime_%s.so",
                 directory, names[i]);
        if (access(m->path, R_OK) != 0)
            snprintf(why, sizeof why, "not built (see ./bootstrap --peers)");
        else if (module_describe(m, machine.workers, why, sizeof why)) {
            num_modules++;
            continue;
        }
        fprintf(stderr, "bench: %s: %s\n", names[i], why);
        if (i < NEEDED)
            fail("nothing can be measured without ", names[i]);
    }
}

static void make_columns(void)
{
    for (int i = 0; i < num_modules; i++)
        for (int k = 0; k < modules[i].num_schedules; k++)
            columns[num_columns++] = (struct column){ &modules[i], k };
}

/* ---- the kernels ---- */

static bool named(const struct bench_kernel *k, const char *pattern)
{
    return fnmatch(pattern, k->name, 0) == 0 || strcmp(pattern, k->group) == 0;
}

static bool wanted(const struct bench_kernel *k)
{
    if (!options.patterns[0])
        return !machine.quick || k->quick;
    for (char **p = options.patterns; *p; p++)
        if (named(k, *p))
            return true;
    return false;
}

static void for_each_kernel(void (*f)(const struct bench_kernel *k))
{
    for (int i = 0; bench_kernels[i]; i++)
        for (const struct bench_kernel *k = bench_kernels[i]; k->name; k++)
            f(k);
}

static const char *searched;
static bool found;

static void search(const struct bench_kernel *k)
{
    found |= named(k, searched);
}

/* A name that is wrong is told before anything is measured. */
static void check_patterns(void)
{
    for (char **p = options.patterns; *p; p++) {
        searched = *p;
        found = false;
        for_each_kernel(search);
        if (!found)
            fail("no such kernel (try --list): ", *p);
    }
}

static void print_kernel(const struct bench_kernel *k)
{
    printf("%-9s %-23s %-8s %s\n", k->group, k->name, k->form, k->what);
}

static void measure_kernel(const struct bench_kernel *k)
{
    static struct row row;
    void *input;

    if (!wanted(k))
        return;
    memset(&row, 0, sizeof row);
    input = k->prepare(machine.quick ? BENCH_QUICK : BENCH_FULL, k->variant);
    if (!input) {
        table_failure(k->name, "no memory");
        free_all();
        return;
    }
    row.kernel = k;
    row.size = k->size ? k->size(input) : NULL;
    row.scale = k->scale_of ? k->scale_of(input) : k->scale;
    measure(&row, input, columns, num_columns, &machine);
    evaluate(&row, k->heaviest ? k->heaviest(input) : 0, machine.workers);
    table_row(&row);
    results_row(&row);
    free_all();
}

int main(int argc, char **argv)
{
    int failures;

    find_machine(&machine);
    read_options(argc, argv, usage, &options, &machine);
    check_patterns();
    if (options.runtimes)
        check_runtimes(options.runtimes);
    find_modules();
    if (options.list) {
        for_each_kernel(print_kernel);
        table_machine(&machine, modules, num_modules);
        return 0;
    }
    make_columns();
    if (options.output)
        results_open(options.output);
    table_machine(&machine, modules, num_modules);
    results_machine(&machine);
    for (int i = 0; i < num_modules; i++)
        results_module(&modules[i]);
    calibrate();
    for_each_kernel(measure_kernel);
    failures = table_end();
    results_close();
    return failures > 0;
}
