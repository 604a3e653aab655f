/*
 * programs.c - finds the programs, and starts them for a row.
 *
 * SPDX-License-Identifier: MIT
 *
 * A column's program is executed as a shell would: nothing is set that its user has
 * not.
 */
#define _GNU_SOURCE
#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

/* In this order in every listing, each in the order of its levels: how it was compiled,
   the last part of a program's name.  Tasks are there with -O2 only. */
static const char *const names[] = {
    "serial", "libgomp", "libomp", "tbb", "pthreadpool", "tweedxx", "tweed-clang",
    "tweed", "libgomp-tasks", "libomp-tasks", "tbb-tasks", "taskflow",
    "tweedxx-tasks", "tweed-clang-tasks", "tweed-tasks",
};
static const char *const levels[] = { "O2", "O3", "native" };
#define NAMES ((int)(sizeof names / sizeof *names))
#define LEVELS ((int)(sizeof levels / sizeof *levels))

/* tweed's, where a row has few ways. */
#define BOUND "tweed-O2"

/* Programs that are there once more with a setting: tweed's in rows with `binds`, OpenMP's
   in those of them that have busy neighbours. */
static const struct {
    const char *program, *setting;
} settings[] = {
    { "libgomp-O2", "OMP_WAIT_POLICY=passive" },
    { "libomp-O2", "OMP_WAIT_POLICY=passive" },
    { BOUND, "TWEED_BIND=node" },
    { BOUND, "TWEED_BIND=cpu" },
    { BOUND, "TWEED_BIND=none" },
};
#define SETTINGS ((int)(sizeof settings / sizeof *settings))

/* Of the CPUs that the process may use, the first one only. */
static void use_one_cpu(void)
{
    cpu_set_t all, one;

    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

/* As a user would: OpenMP and tweed by their variables, others by a call. */
static void ask_for_workers(int workers)
{
    char number[16];

    if (workers == 0)
        return;
    snprintf(number, sizeof number, "%d", workers);
    setenv("OMP_NUM_THREADS", number, 1);
    setenv("TWEED_NUM_WORKERS", number, 1);
}

/* OpenMP has a loop end early only where its user has set this. */
static void allow_cancelling(const struct user_task *task)
{
    if (task->body == USER_find)
        setenv("OMP_CANCELLATION", "true", 1);
}

_Noreturn static void become(const struct program *p, int fd,
                             const struct user_task *task, bool one_cpu)
{
    user_hand_over(fd);
    ask_for_workers(task->workers);
    allow_cancelling(task);
    if (p->setting)
        putenv((char *)p->setting);
    if (one_cpu)
        use_one_cpu();
    execl(p->module.path, p->module.path, (char *)NULL);
    _exit(127);
}

/* Until it has said that it is ready. */
static bool begin(struct runner *r, const struct program *p,
                  const struct user_task *task, bool one_cpu, char *why,
                  size_t size)
{
    bool ready;

    if (!process_start(r, why, size))
        return false;
    if (r->pid == 0)
        become(p, r->fd, task, one_cpu);
    r->module = &p->module;
    process_send(r->fd, task, sizeof *task);
    return process_hear(r, &ready, sizeof ready, why, size);
}

bool program_start(struct runner *r, const struct module *m, const struct user_row *row,
                   char *why, size_t size)
{
    return begin(r, (const struct program *)m, &row->task, row->one_cpu, why, size) &&
           process_stop(r, why, size);
}

static bool describe(struct program *p, char *why, size_t size)
{
    struct user_task task = { .what = USER_DESCRIBE };
    struct user_description d;
    struct runner r;

    if (!begin(&r, p, &task, false, why, size) ||
        !process_hear(&r, &d, sizeof d, why, size))
        return false;
    runner_end(&r);
    snprintf(d.module.version + strlen(d.module.version),
             sizeof d.module.version - strlen(d.module.version), ", %s",
             level_flags(p->level));
    memcpy(d.module.path, p->module.path, sizeof d.module.path);
    p->module = d.module;
    memcpy(p->offers, d.offers, sizeof p->offers);
    return true;
}

/* The same program once more, under another name. */
static void add_setting(struct program *to, const struct program *from,
                        const char *setting)
{
    size_t length = strlen(from->module.name);

    *to = *from;
    to->setting = setting;
    snprintf(to->module.name + length, sizeof to->module.name - length, " %.8s",
             strchr(setting, '=') + 1);
}

/* Is name one of the list's, which are parted by commas? */
static bool listed(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *p = list; p; p = strchr(p, ',')) {
        p += *p == ',';
        if (strncmp(p, name, length) == 0 &&
            (p[length] == '\0' || p[length] == ','))
            return true;
    }
    return false;
}

/* The programs lie beside this one. */
int programs_find(struct program *programs, int most, const char *only)
{
    char self[PATH_MAX] = "", why[96], name[48];
    const char *directory;
    int n = 0;

    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 0;
    directory = dirname(self);
    for (int i = 0; i < NAMES * LEVELS && n + SETTINGS < most; i++) {
        struct program *p = &programs[n];

        memset(p, 0, sizeof *p);
        snprintf(name, sizeof name, "%s-%s", names[i / LEVELS], levels[i % LEVELS]);
        snprintf(p->module.path, sizeof p->module.path, "%.4000s/%s", directory, name);
        snprintf(p->level, sizeof p->level, "%s", levels[i % LEVELS]);
        if (access(p->module.path, X_OK) != 0)
            continue; /* a peer that is not installed */
        if (!describe(p, why, sizeof why)) {
            listing_failure(name, why);
            continue;
        }
        p->binds = strcmp(name, BOUND) == 0;
        if (only && !p->module.serial && !p->module.ours &&
            !listed(only, p->module.name))
            continue;
        n++;
        for (int k = 0; k < SETTINGS; k++)
            if (strcmp(name, settings[k].program) == 0)
                add_setting(&programs[n++], p, settings[k].setting);
    }
    return n;
}

/* Of a row with few ways: the first of each runtime, and guided, which has fewer
   claims than dynamic,1 and balances. */
static bool among_few(const struct program *p, int way)
{
    return (way == 0 || strcmp(p->module.ways[way], "guided") == 0) &&
           (!p->module.ours || p->binds);
}

/* Is a way of this program a column of the row? */
static bool belongs(const struct user_row *row, const struct program *p, int way)
{
    uint64_t needs = user_needs(&row->task);

    if (p->setting && (!row->binds || (!p->module.ours && !row->hogs)))
        return false;
    return strcmp(p->level, row->level) == 0 &&
           (!row->few || among_few(p, way)) &&
           (p->offers[way] & needs) == needs &&
           (row->dynamic ||
            strcmp(p->module.ways[way], "dynamic,1") != 0);
}

int row_columns(const struct user_row *row, struct program *programs,
                int num_programs, struct column *columns)
{
    int n = 0;

    for (int i = 0; i < num_programs; i++)
        for (int k = 0; k < programs[i].module.num_ways; k++)
            if (belongs(row, &programs[i], k))
                columns[n++] = (struct column){ &programs[i].module, k };
    return n;
}
