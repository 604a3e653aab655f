/*
 * sysfs.c - what the kernel says of single CPUs, below /sys/devices/system/cpu.
 *
 * SPDX-License-Identifier: MIT
 *
 * Files that are absent, or say something else than they should, are as if nothing was
 * known: a machine of equal cores without common caches.
 */
#include "config.h"

#include "system/sysfs.h"
#include "base/options.h"
#include "system/cpus.h"
#include "system/topology.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LIST 4096  /* bytes: no file of /sys is longer */
#define CACHES 10  /* caches of a CPU that are looked at */

/* The only line of a file; "": it cannot be read. */
static void read_file(const char *path, char *line, int size)
{
    FILE *f = fopen(path, "re");

    line[0] = '\0';
    if (!f)
        return;
    if (!fgets(line, size, f))
        line[0] = '\0';
    fclose(f);
    line[strcspn(line, "\n")] = '\0';
}

/* The same of a file that belongs to a CPU. */
static void read_line(int cpu, const char *file, char *line, int size)
{
    char path[96];

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", cpu, file);
    read_file(path, line, size);
}

static int64_t read_number(int cpu, const char *file, int64_t most)
{
    char line[32];
    const char *end;
    int64_t n;

    read_line(cpu, file, line, sizeof line);
    return tweed__parse_number(line, &end, 0, most, &n) && *end == '\0' ? n : -1;
}

int tweed__sysfs_core(int cpu)
{
    char list[LIST];
    struct tweed__cpu_run run;
    const char *at = list;

    read_line(cpu, "topology/thread_siblings_list", list, sizeof list);
    return tweed__cpus_is_list(list) && tweed__cpus_has(list, cpu) &&
                   tweed__cpus_next(&at, &run)
               ? (int)run.first
               : cpu;
}

/* The CPUs that share the last-level cache of this one, as a list; "": not known.  The
   caches of a CPU are numbered without gaps, and in no order that is promised. */
static void read_last_level(int cpu, char *list, int size)
{
    int64_t highest = 0;
    int last = -1;
    char file[48];

    list[0] = '\0';
    for (int k = 0; k < CACHES; k++) {
        int64_t level;

        snprintf(file, sizeof file, "cache/index%d/level", k);
        level = read_number(cpu, file, CACHES);
        if (level < 0)
            break;
        if (level > highest) {
            highest = level;
            last = k;
        }
    }
    if (last < 0)
        return;
    snprintf(file, sizeof file, "cache/index%d/shared_cpu_list", last);
    read_line(cpu, file, list, size);
    if (!tweed__cpus_is_list(list) || !tweed__cpus_has(list, cpu))
        list[0] = '\0';
}

void tweed__sysfs_domains(const int *cpus, int n, int *domains)
{
    enum { UNREAD = -1 };
    char list[LIST];

    for (int i = 0; i < n; i++)
        domains[i] = UNREAD;
    for (int i = 0; i < n; i++) {
        struct tweed__cpu_run run;
        const char *at = list;

        if (domains[i] != UNREAD)
            continue;
        domains[i] = TWEED__NO_DOMAIN;
        read_last_level(cpus[i], list, sizeof list);
        if (!tweed__cpus_next(&at, &run))
            continue;
        for (int k = i; k < n; k++) /* the others need not be asked */
            if (tweed__cpus_has(list, cpus[k]))
                domains[k] = (int)run.first;
    }
}

/*
 * An x86 machine of two kinds of cores says which CPUs are the small ones, and nothing of
 * what they can do while cores have two threads.  Per clock they do 0.79 of what the large
 * ones do, at about three quarters of the clock: 0.787 x 0.75 x 1,024 is 604.
 *
 * The first factor is Linux's, by which intel_pstate scales the two kinds' performance:
 * 78,741 of 100,000 for Alder Lake and Raptor Lake (HYBRID_SCALING_FACTOR_ADL).  For later
 * machines it has 80,000 and 86,957; there the small cores do more than is said here, and
 * steals make up for it.  The second factor is from the makers' highest clocks of Alder
 * Lake, 3.9 and 5.2 GHz.  tweed itself has not been measured on such a machine.
 */
static void find_small(const int *cpus, int n, int *capacities)
{
    char list[LIST];

    read_file("/sys/devices/cpu_atom/cpus", list, sizeof list);
    if (!tweed__cpus_is_list(list))
        return;
    for (int i = 0; i < n; i++)
        if (tweed__cpus_has(list, cpus[i]))
            capacities[i] = TWEED__SMALL_CORE;
}

void tweed__sysfs_capacities(const int *cpus, int n, int *capacities)
{
    for (int i = 0; i < n; i++)
        capacities[i] = 0;
    for (int i = 0; i < n; i++) {
        int64_t c = read_number(cpus[i], "cpu_capacity", TWEED__CAPACITY);

        if (c < 1) { /* all CPUs have it, or none */
            while (i > 0)
                capacities[--i] = 0;
            find_small(cpus, n, capacities);
            return;
        }
        capacities[i] = (int)c;
    }
}
