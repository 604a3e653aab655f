/*
 * no-sys.c - /sys and /proc absent, or not what they should be.
 *
 * SPDX-License-Identifier: MIT
 *
 * In a mount namespace of its own a child has its /sys or /proc covered, and
 * starts this program again: libnuma looks round before main().  Expected is
 * one flat node, and not a word on stderr.
 */
#include "config.h"

#include "tap.h"

#include "rerun.h"
#include "once.h"
#include "system/topology.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

static int cover(const char *directory)
{
    return mount("none", directory, "tmpfs", 0, NULL);
}

static int own_namespace(void)
{
    return unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE,
                                         NULL);
}

static int write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    int good = f && fputs(text, f) >= 0;

    return f && fclose(f) == 0 && good ? 0 : -1;
}

/* Covers an existing file by one that says something else. */
static int replace(const char *path, const char *text)
{
    char name[] = "/tmp/tweed-sys-XXXXXX";
    int fd = mkstemp(name), failed;

    if (fd < 0)
        return -1;
    failed = write(fd, text, strlen(text)) != (ssize_t)strlen(text);
    close(fd);
    failed = failed || mount(name, path, NULL, MS_BIND, NULL);
    unlink(name); /* the mount keeps it */
    return failed;
}

static int without_sys(void *arg)
{
    (void)arg;
    return own_namespace() || cover("/sys");
}

static int without_proc(void *arg)
{
    (void)arg;
    return own_namespace() || cover("/proc");
}

static int without_both(void *arg)
{
    return without_sys(arg) || cover("/proc");
}

#define NODES "/sys/devices/system/node"

/* node0 with a cpumap that says arg; NULL: without any. */
static int with_cpumap(void *arg)
{
    if (own_namespace() || cover(NODES) || mkdir(NODES "/node0", 0755))
        return -1;
    write_file(NODES "/online", "0\n");
    write_file(NODES "/possible", "0\n");
    return arg ? write_file(NODES "/node0/cpumap", arg) : 0;
}

static int with_siblings(void *arg)
{
    static const char format[] =
        "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list";
    char path[128];
    int *cpus, n = tweed__topology_mask(0, &cpus), failed;

    failed = n < 1 || own_namespace();
    for (int i = 0; !failed && i < n; i++) {
        snprintf(path, sizeof path, format, cpus[i]);
        failed = replace(path, arg);
    }
    return failed;
}

/* A /proc whose files are all there, and all rubbish. */
static int with_proc_of_rubbish(void *arg)
{
    static const char *const files[] = { "/proc/self/cgroup",
                                         "/proc/self/mountinfo",
                                         "/proc/self/status", "/proc/cpuinfo",
                                         "/proc/meminfo" };

    if (own_namespace() || cover("/proc") || mkdir("/proc/self", 0755))
        return -1;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (write_file(files[i], arg) != 0)
            return -1;
    return 0;
}

/* Whether a program that does nothing gets by without /proc: the sanitizers
   need it, or complain. */
static int proc_is_needed(void)
{
    struct rerun c;

    rerun(&c, "nothing", NULL, without_proc, NULL);
    return !rerun_was_quiet(&c) && !rerun_exited(&c, RERUN_CANNOT);
}

static int role(void)
{
    struct tweed__topology *t = tweed__topology_get();
    int *cpus, n = tweed__topology_mask(0, &cpus), cores = 1;

    printf("nodes %d, the first %d\n", t->num_nodes, t->nodes[0]);
    printf("%s\n", t->num_cpus == n ? "all CPUs" : "other CPUs");
    for (int i = 0; i < t->num_cpus; i++)
        cores &= t->cpus[i].thread == 0;
    printf("%s\n", cores ? "cores" : "threads");
    printf("quota %d\n", (int)t->quota);
    printf("%s\n", once_loops(NULL, 24) ? "loops right" : "loops wrong");
    printf("workers %d\n", tweed_pool_num_workers(NULL));
    tweed__topology_free(t);
    if (n > 0)
        free(cpus);
    return 0;
}

static void test(const char *what, int (*prepare)(void *), const char *text,
                 const char *also)
{
    static const char *const env[] = { "TWEED_NUM_WORKERS=3", NULL };
    struct rerun c;

    rerun(&c, "look", env, prepare, (void *)(size_t)text);
    if (rerun_exited(&c, RERUN_CANNOT))
        skip(1, "may not mount, or there is no such thing to cover");
    else if (!ok(rerun_was_quiet(&c) &&
                     rerun_said(&c, "nodes 1, the first 0") &&
                     rerun_said(&c, "all CPUs") && rerun_said(&c, "workers 3") &&
                     rerun_said(&c, "loops right") &&
                     (!also || rerun_said(&c, also)),
                 "%s", what))
        rerun_show(&c);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return strcmp(argv[1], "nothing") == 0 ? 0 : role();
    if (geteuid() != 0)
        skip_all("not root: may not mount");
    plan(14);
    test("no /sys", without_sys, NULL, "cores");
    test("a node without a cpumap", with_cpumap, NULL, NULL);
    test("an empty cpumap", with_cpumap, "", NULL);
    test("a cpumap of garbage", with_cpumap, "garbage\n", NULL);
    test("a cpumap with more than hexadecimal digits", with_cpumap,
         "00000003,xyz\n", NULL);
    test("empty lists of siblings", with_siblings, "", "cores");
    test("lists of siblings of garbage", with_siblings, "garbage\n", "cores");
    test("siblings that end in the middle", with_siblings, "0-", NULL);
    test("siblings beyond all numbers", with_siblings,
         "99999999999999999999\n", "cores");
    if (proc_is_needed()) {
        skip(5, "no program starts quietly without /proc, as with sanitizers");
    } else {
        test("no /proc", without_proc, NULL, "quota 0");
        test("neither /sys nor /proc", without_both, NULL, "quota 0");
        test("a /proc of empty files", with_proc_of_rubbish, "", "quota 0");
        test("a /proc of garbage", with_proc_of_rubbish, "garbage\n",
             "quota 0");
        test("a /proc of colons and dashes", with_proc_of_rubbish,
             "0::\n1:cpu:\n - cgroup2 - \nCpus_allowed:\t,\n", "quota 0");
    }
    return done_testing();
}
