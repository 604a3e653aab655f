/*
 * cgroup.c - the CPU quota, on made-up trees and in a real cgroup.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "tap.h"

#include "system/cgroup.h"
#include "made-up.h"
#include "rerun.h"
#include "once.h"
#include "system/topology.h"

#include <stdint.h>
#include <sys/stat.h>

static char root[] = "/tmp/tweed-cgroup-XXXXXX";

/* ---- made-up trees ---- */

static void put(const char *path, const char *text)
{
    made_up_put(root, path, text);
}

/* The quota of the tree as it stands; the next test begins with none. */
static void quota_is(int64_t expected, const char *what)
{
    int64_t quota = tweed__cgroup_quota(root);

    if (!ok(quota == expected, "%s", what))
        diag("got %lld, expected %lld", (long long)quota, (long long)expected);
    made_up_clear(root);
}

#define V2_MOUNT                                                               \
    "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 "        \
    "rw,nsdelegate\n"
#define V1_MOUNT                                                               \
    "30 23 0:25 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"               \
    "31 30 0:26 / /sys/fs/cgroup/cpuset rw shared:5 - cgroup cgroup "          \
    "rw,cpuset\n"                                                              \
    "33 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:7 - cgroup cgroup "     \
    "rw,cpu,cpuacct\n"

static void v2(const char *group, const char *mounts)
{
    put("/proc/self/cgroup", group);
    put("/proc/self/mountinfo", mounts);
}

static void v1_quota(const char *directory, const char *quota,
                     const char *period)
{
    char path[256];

    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", directory);
    put(path, quota);
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", directory);
    put(path, period);
}

static void test_v2(void)
{
    v2("0::/a/b/c\n", V2_MOUNT);
    put("/sys/fs/cgroup/a/b/c/cpu.max", "150000 100000\n");
    quota_is(1500, "v2: the group's own quota");

    v2("0::/a/b/c\n", V2_MOUNT);
    put("/sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n");
    put("/sys/fs/cgroup/a/b/cpu.max", "50000 20000\n");
    put("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
    quota_is(2500, "v2: a parent grants less");

    v2("0::/a/b/c\n", V2_MOUNT);
    put("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/a/cpu.max", "300000 100000\n");
    quota_is(3000, "v2: a grandparent, over a gap and a max");

    v2("0::/a/b/c\n", V2_MOUNT);
    put("/sys/fs/cgroup/a/b/c/cpu.max", "100000 100000\n");
    put("/sys/fs/cgroup/a/cpu.max", "300000 100000\n");
    put("/sys/fs/cgroup/ab/cpu.max", "1000 100000\n");
    quota_is(1000, "v2: parents grant more, a neighbour does not count");

    v2("0::/a\n", V2_MOUNT);
    put("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
    quota_is(0, "v2: max is none");

    v2("0::/\n", V2_MOUNT);
    quota_is(0, "v2: the root group has no file");

    v2("0::/\n", V2_MOUNT);
    put("/sys/fs/cgroup/cpu.max", "250000 100000\n");
    quota_is(2500, "v2: a namespace's root has");

    v2("0::/a\n", V2_MOUNT);
    put("/sys/fs/cgroup/a/cpu.max", "1 1000000\n");
    quota_is(1, "v2: next to nothing is not none");

    v2("0::/a:b/c:d:e\n", V2_MOUNT);
    put("/sys/fs/cgroup/a:b/c:d:e/cpu.max", "400000 100000\n");
    put("/sys/fs/cgroup/a:b/cpu.max", "310000 100000\n");
    quota_is(3100, "v2: colons in the path");

    v2("0::/lxc/x/deep\n",
       "30 23 0:26 /lxc/x /sys/fs/cgroup rw - cgroup2 none rw\n");
    put("/sys/fs/cgroup/deep/cpu.max", "120000 100000\n");
    put("/sys/fs/cgroup/lxc/x/deep/cpu.max", "10000 100000\n");
    quota_is(1200, "v2: a mount that shows a part, the group within");

    v2("0::/docker/1234\n",
       "30 23 0:26 /docker/1234 /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
    put("/sys/fs/cgroup/cpu.max", "220000 100000\n");
    quota_is(2200, "v2: a container whose group is the mount's root");

    v2("0::/docker/12345\n",
       "30 23 0:26 /docker/1234 /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
    put("/sys/fs/cgroup/cpu.max", "220000 100000\n");
    put("/sys/fs/cgroup5/cpu.max", "110000 100000\n");
    quota_is(2200, "v2: a group outside of the mount: the mount's root");

    v2("0::/other\n",
       "30 23 0:26 /docker/1234 /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
    put("/sys/fs/cgroup/cpu.max", "230000 100000\n");
    put("/sys/fs/cgroup/other/cpu.max", "110000 100000\n");
    quota_is(2300, "v2: one that has nothing in common with it: the same");
}

static void test_v1(void)
{
    static const char group[] = "12:cpuset:/other\n"
                                "5:cpuacct,cpu:/a/b\n"
                                "1:name=systemd:/user\n";

    v2(group, V1_MOUNT);
    v1_quota("/sys/fs/cgroup/cpu,cpuacct/a/b", "350000\n", "100000\n");
    quota_is(3500, "v1: the group's own quota");

    v2(group, V1_MOUNT);
    v1_quota("/sys/fs/cgroup/cpu,cpuacct/a/b", "-1\n", "100000\n");
    quota_is(0, "v1: -1 is none");

    v2(group, V1_MOUNT);
    v1_quota("/sys/fs/cgroup/cpu,cpuacct/a/b", "350000\n", "100000\n");
    v1_quota("/sys/fs/cgroup/cpu,cpuacct/a", "75000\n", "50000\n");
    v1_quota("/sys/fs/cgroup/cpu,cpuacct", "-1\n", "100000\n");
    quota_is(1500, "v1: a parent grants less");

    v2("2:cpuset:/x:cpu:/y\n5:cpu,cpuacct:/a:b\n", V1_MOUNT);
    v1_quota("/sys/fs/cgroup/cpu,cpuacct/a:b", "320000\n", "100000\n");
    quota_is(3200, "v1: colons in the path");

    v2("4:cpuset,cpuacct:/a/b\n", V1_MOUNT);
    v1_quota("/sys/fs/cgroup/cpu,cpuacct/a/b", "350000\n", "100000\n");
    quota_is(0, "v1: cpuset and cpuacct are not cpu");

    v2("4:cpuset,vcpu:/a/b\n", V1_MOUNT);
    v1_quota("/sys/fs/cgroup/cpu,cpuacct/a/b", "350000\n", "100000\n");
    quota_is(0, "v1: nor is what ends in cpu");

    v2("4:cpu:/docker/77\n",
       "9 8 0:28 /docker/77 /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
    v1_quota("/sys/fs/cgroup/cpu", "50000\n", "100000\n");
    quota_is(500, "v1: a container");

    v2("4:cpu:/v1\n0::/v2\n",
       "9 8 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
       "10 8 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    v1_quota("/sys/fs/cgroup/cpu/v1", "90000\n", "100000\n");
    put("/sys/fs/cgroup/unified/v2/cpu.max", "max 100000\n");
    quota_is(900, "v1 and v2 side by side: v1 limits");

    v2("4:cpu:/v1\n0::/v2\n",
       "9 8 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
       "10 8 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    v1_quota("/sys/fs/cgroup/cpu/v1", "290000\n", "100000\n");
    put("/sys/fs/cgroup/unified/v2/cpu.max", "190000 100000\n");
    quota_is(1900, "v1 and v2 side by side: the lesser");

    v2("4:cpu:/v1\n0::/v2\n",
       "9 8 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
       "10 8 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    v1_quota("/sys/fs/cgroup/cpu/v1", "180000\n", "100000\n");
    put("/sys/fs/cgroup/unified/v2/cpu.max", "190000 100000\n");
    quota_is(1800, "v1 and v2 side by side: the lesser, if it is v1's");
}

static void test_absent_and_malformed(void)
{
    static const char *const values[] = {
        "", "\n", "garbage\n", "max\n", "100000\n", "100000 0\n",
        "100000 -5\n", "-100000 100000\n", "0 100000\n", "100000 x\n",
        "99999999999999999999999 100000\n"
    };
    static const char *const groups[] = {
        "", "\n", ":\n", "0:\n", "0::", "garbage\n", ":::::\n", "0:cpu\n"
    };
    static const char *const mounts[] = {
        "", "\n", " - \n", "30 23 - cgroup2\n", " - cgroup2 a b\n",
        "1 - cgroup2 a b\n", "30 23 0:26 / - cgroup2 cgroup2 rw\n", "garbage\n"
    };
    int good = 1;
    char *longest = malloc(20000);

    quota_is(0, "no /proc at all");
    put("/proc/self/cgroup", "0::/a\n");
    quota_is(0, "no mountinfo");
    put("/proc/self/mountinfo", V2_MOUNT);
    quota_is(0, "no /proc/self/cgroup");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        v2("0::/a\n", V2_MOUNT);
        put("/sys/fs/cgroup/a/cpu.max", values[i]);
        if (tweed__cgroup_quota(root) != 0) {
            diag("cpu.max of '%s' was taken", values[i]);
            good = 0;
        }
        made_up_clear(root);
    }
    ok(good, "malformed cpu.max: none, all %zu",
       sizeof values / sizeof *values);
    good = 1;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        v2(groups[i], V2_MOUNT);
        put("/sys/fs/cgroup/a/cpu.max", "100000 100000\n");
        good &= tweed__cgroup_quota(root) == 0;
        made_up_clear(root);
    }
    ok(good, "malformed /proc/self/cgroup: none, all %zu",
       sizeof groups / sizeof *groups);
    good = 1;
    for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++) {
        v2("0::/a\n", mounts[i]);
        put("/sys/fs/cgroup/a/cpu.max", "100000 100000\n");
        good &= tweed__cgroup_quota(root) == 0;
        made_up_clear(root);
    }
    ok(good, "malformed mountinfo: none, all %zu",
       sizeof mounts / sizeof *mounts);

    /* paths at and beyond PATH_MAX: only that nothing is overrun */
    memset(longest, 'x', 19999);
    longest[19999] = '\0';
    good = 1;
    for (int n = 4080; n < 19000; n += n < 4110 ? 1 : 4999) {
        memcpy(longest, "0::/", 4);
        longest[n] = '\0';
        v2(longest, V2_MOUNT);
        good &= tweed__cgroup_quota(root) == 0;
        memcpy(longest, "30 23 0:26 / /", 14);
        put("/proc/self/cgroup", "0::/a\n");
        put("/proc/self/mountinfo", longest);
        good &= tweed__cgroup_quota(root) == 0;
        memcpy(longest + n - 21, " - cgroup2 cgroup2 rw", 21);
        put("/proc/self/mountinfo", longest);
        good &= tweed__cgroup_quota(root) == 0;
        memset(longest, 'x', (size_t)n + 1);
        made_up_clear(root);
    }
    ok(good, "paths and lines that are too long");
    free(longest);

    v2("0::rel\n", "30 23 0:26 / fs rw - cgroup2 cgroup2 rw\n");
    quota_is(0, "no slash in any path: an end is found all the same");
}

/*
 * ---- a real one ----
 *
 * That nothing collapses under a quota is not tested here, since it is a matter of
 * time.  What it rests on is: no more workers than the quota has CPUs (below), no
 * spinning when more threads are awake than it grants (team_spin_ns() in
 * lib/pool/team.h), and shares that others steal when a worker is throttled.
 */

static char group[PATH_MAX];

static int put_real(const char *file, const char *text)
{
    char path[PATH_MAX + 64];
    int fd, good;

    snprintf(path, sizeof path, "%s/%s", group, file);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    good = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return good;
}

/* A group that grants quota_us of each 100 ms.  False: not to be had here. */
static int make_real(const char *quota_us)
{
    static const char *const tops[] = { "/sys/fs/cgroup/cpu",
                                        "/sys/fs/cgroup/cpu,cpuacct",
                                        "/sys/fs/cgroup",
                                        "/sys/fs/cgroup/unified" };
    char maximum[32];

    snprintf(maximum, sizeof maximum, "%s 100000", quota_us);
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
        snprintf(group, sizeof group, "%s/tweed-test-%d", tops[i],
                 (int)getpid());
        if (mkdir(group, 0755) != 0)
            continue;
        if (put_real("cpu.max", maximum) ||
            (put_real("cpu.cfs_period_us", "100000") &&
             put_real("cpu.cfs_quota_us", quota_us)))
            return 1;
        rmdir(group);
    }
    return 0;
}

static int enter(void *arg)
{
    (void)arg;
    return !put_real("cgroup.procs", "0");
}

static int role(void)
{
    struct tweed__topology *t = tweed__topology_get();
    int64_t cpus = t->num_cpus, due = t->quota ? (t->quota + 999) / 1000 : cpus;

    printf("quota %lld\n", (long long)t->quota);
    printf("%s\n", tweed_pool_num_workers(NULL) == (due < cpus ? due : cpus)
                       ? "workers as due"
                       : "workers not as due");
    printf("workers %d\n", tweed_pool_num_workers(NULL));
    printf("%s\n", once_loops(NULL, 12) ? "loops right" : "loops wrong");
    tweed__topology_free(t);
    return 0;
}

static void test_real(const char *quota_us, const char *quota,
                      const char *workers)
{
    struct rerun c;

    if (!make_real(quota_us)) {
        skip(1, "may not make a cgroup with a CPU quota here");
        return;
    }
    rerun(&c, "in-group", NULL, enter, NULL);
    /* the kernel lets go of the process a moment after the wait */
    for (int n = 0; rmdir(group) != 0 && n < 1000; n++)
        usleep(1000);
    if (rerun_exited(&c, RERUN_CANNOT)) {
        skip(1, "may not enter the cgroup that was made");
        return;
    }
    if (!ok(rerun_was_quiet(&c) && rerun_said(&c, quota) &&
                rerun_said(&c, "workers as due") &&
                (!workers || rerun_said(&c, workers)) &&
                rerun_said(&c, "loops right"),
            "a real cgroup: %s us of 100000", quota_us))
        rerun_show(&c);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return role();
    if (!mkdtemp(root))
        skip_all("no temporary directory");
    plan(13 + 10 + 8 + 2);
    test_v2();
    test_v1();
    test_absent_and_malformed();
    rmdir(root);
    test_real("150000", "quota 1500", NULL); /* 2, or 1 on a lone CPU */
    test_real("50000", "quota 500", "workers 1");
    return done_testing();
}
