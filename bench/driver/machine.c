/*
 * machine.c - what is worth knowing of the machine.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"

extern char **environ;

static void find_cpu(char *name, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[512], *colon;

    snprintf(name, size, "unknown CPU");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "model name", 10) == 0 && (colon = strchr(line, ':'))) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, size, "%s", colon + 2);
            break;
        }
    if (f)
        fclose(f);
}

static int count_nodes(void)
{
    DIR *d = opendir("/sys/devices/system/node");
    struct dirent *e;
    int n = 0;

    while (d && (e = readdir(d)))
        n += strncmp(e->d_name, "node", 4) == 0 && e->d_name[4] >= '0' &&
             e->d_name[4] <= '9';
    if (d)
        closedir(d);
    return n ? n : 1;
}

/* The variables that change what a runtime does. */
static void find_environment(char *text, size_t size)
{
    static const char *const prefixes[] = { "OMP_", "GOMP_", "KMP_", "TBB_",
                                            "TWEED_", "MALLOC_" };
    size_t used = 0;

    text[0] = '\0';
    for (char **e = environ; *e; e++)
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            if (strncmp(*e, prefixes[i], strlen(prefixes[i])) == 0 &&
                used + strlen(*e) + 2 < size)
                used += (size_t)snprintf(text + used, size - used, "%s%s",
                                         used ? " " : "", *e);
}

/* That this process may use. */
static int usable_cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0
               ? CPU_COUNT(&set)
               : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

double free_memory(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    char line[128];
    double kib = 0;

    while (f && kib <= 0 && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lf", &kib) != 1)
            kib = 0;
    if (f)
        fclose(f);
    return kib > 0 ? kib * 1024
                   : (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

void find_machine(struct machine *m)
{
    struct utsname u;
    time_t now = time(NULL);

    find_cpu(m->cpu, sizeof m->cpu);
    find_environment(m->environment, sizeof m->environment);
    uname(&u);
    snprintf(m->system, sizeof m->system, "%.60s %.60s", u.sysname, u.release);
    snprintf(m->compiler, sizeof m->compiler, "%s, %s", BENCH_COMPILER,
             BENCH_CFLAGS);
    strftime(m->date, sizeof m->date, "%Y-%m-%d", gmtime(&now));
    m->cpus = usable_cpus();
    m->nodes = count_nodes();
    m->memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}
