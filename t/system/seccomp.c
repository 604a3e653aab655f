/*
 * seccomp.c - system calls refused by a filter, as in many a container.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each call that tweed, or libnuma for it, makes and can do without is refused
 * with each of the errors that it documents, and those that filters answer with,
 * in a process that has known nothing else; calls that a program cannot even begin
 * without are refused from main() on.  The heavy fence is also refused while loops
 * run.
 */
#include "config.h"

#include "tap.h"

#include "rerun.h"
#include "once.h"
#include "pool/pool.h"
#include "system/system.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

struct refusal {
    const char *name;
    int number;
    int first_argument, last; /* of the second argument; -1: any */
    bool late;                /* from main() on */
    int workers;              /* of three that are left */
    int errors[8];
};

/* Futex: those operations that tweed alone uses.  The C library aborts the
   process if its own fail, and that is not what is tested here. */
static const struct refusal refusals[] = {
    { "mbind", SYS_mbind, -1, -1, false, 3,
      { EFAULT, EINVAL, EIO, ENOMEM, EPERM, ENOSYS } },
    { "set_mempolicy", SYS_set_mempolicy, -1, -1, false, 3,
      { EINVAL, EPERM, ENOSYS } },
    { "get_mempolicy", SYS_get_mempolicy, -1, -1, false, 3,
      { EFAULT, EINVAL, EPERM, ENOSYS } },
    { "membarrier", SYS_membarrier, -1, -1, false, 3,
      { EINVAL, EPERM, ENOSYS } },
    { "sched_setaffinity", SYS_sched_setaffinity, -1, -1, false, 3,
      { EFAULT, EINVAL, EPERM, ESRCH, ENOSYS } },
    { "sched_getaffinity", SYS_sched_getaffinity, -1, -1, true, 3,
      { EFAULT, EINVAL, EPERM, ESRCH, ENOSYS } },
    { "futex", SYS_futex, FUTEX_WAIT_BITSET_PRIVATE, FUTEX_WAKE_BITSET_PRIVATE,
      false, 3,
      { EACCES, EAGAIN, EFAULT, EINTR, EINVAL, EPERM, ENOSYS } },
    { "openat", SYS_openat, -1, -1, true, 3,
      { EACCES, EMFILE, ENFILE, ENOENT, ENOMEM, EPERM, ENOSYS } },
    { "clone3", SYS_clone3, -1, -1, true, 1, { EAGAIN, ENOMEM, EPERM } },
    { "clone3", SYS_clone3, -1, -1, true, 3, { ENOSYS } }, /* clone() then */
#ifdef SYS_mmap
    { "mmap", SYS_mmap, -1, -1, true, 1, { EACCES, EAGAIN, ENOMEM, EPERM } },
#endif
};

struct filter {
    const struct refusal *call;
    int error;
};

/* Installs the filter for this thread, or for all (SECCOMP_FILTER_FLAG_TSYNC).
   The architecture is not looked at: we make our own calls only. */
static int install(const struct filter *f, unsigned flags)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    unsigned second = offsetof(struct seccomp_data, args[1]);
#else
    unsigned second = offsetof(struct seccomp_data, args[1]) + 4;
#endif
    unsigned error = SECCOMP_RET_ERRNO | (unsigned)f->error;
    int any = f->call->first_argument < 0;
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)f->call->number, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, second),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K,
                 any ? 0 : (unsigned)f->call->first_argument, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K,
                 any ? UINT32_MAX : (unsigned)f->call->last, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog p = { sizeof program / sizeof *program, program };

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &p);
}

static int prepare(void *arg)
{
    return install(arg, 0);
}

/* ---- what the children do ---- */

static int role_loops(const struct filter *f)
{
    long word = 0;
    struct tweed__team *team;

    if (f->call->late && install(f, 0) != 0)
        return RERUN_CANNOT;
    errno = 0; /* the operation matters for futex only, and then to nobody */
    if (syscall(f->call->number, &word, FUTEX_WAKE_BITSET_PRIVATE, 0, 0, 0, 1) ==
            -1 &&
        errno == f->error)
        printf("refused\n");
    printf("%s\n", once_loops(NULL, 36) ? "loops right" : "loops wrong");
    printf("workers %d\n", tweed_pool_num_workers(NULL));
    team = tweed__pool_team(tweed__pool_or_default(NULL));
    printf("fence %d\n", team && !team->asymmetric ? team->fence_error : 0);
    return 0;
}

static atomic_int filtered, fences_early, fences_late, lies;
static atomic_int loops_wrong, enough;

bool __real_tweed__fence_heavy(void);
bool __wrap_tweed__fence_heavy(void);

/* What the library is told of a fence that the kernel has just refused. */
bool __wrap_tweed__fence_heavy(void)
{
    int late = atomic_load(&filtered);
    bool done = __real_tweed__fence_heavy();

    atomic_fetch_add(late ? &fences_late : &fences_early, 1);
    if (late && done)
        atomic_fetch_add(&lies, 1);
    return done;
}

static void *run_loops(void *pool)
{
    while (!atomic_load(&enough))
        if (!once_loops(pool, 24))
            atomic_store(&loops_wrong, 1);
    return NULL;
}

/* A pool that was promised the heavy fence, and then loses it. */
static int role_running(void)
{
    static const struct filter f = { &refusals[3], EPERM };
    tweed_pool_options o = { .size = sizeof o,
                             .num_workers = 4,
                             .fence = TWEED_FENCE_MEMBARRIER };
    tweed_pool *pool;
    pthread_t caller;

    if (tweed_pool_create(&pool, &o) != TWEED_OK ||
        !tweed__pool_team(pool)->asymmetric)
        return RERUN_CANNOT;
    pthread_create(&caller, NULL, run_loops, pool);
    while (atomic_load(&fences_early) < 3) /* or the watchdog */
        usleep(1000);
    if (install(&f, SECCOMP_FILTER_FLAG_TSYNC) != 0)
        return RERUN_CANNOT;
    atomic_store(&filtered, 1);
    while (atomic_load(&fences_late) < 20)
        usleep(1000);
    atomic_store(&enough, 1);
    pthread_join(caller, NULL);
    printf("%s\n", atomic_load(&loops_wrong) ? "loops wrong" : "loops right");
    printf("lies %d\n", atomic_load(&lies));
    printf("%s\n", once_loops(pool, 24) ? "still right" : "later wrong");
    printf("destroyed %d\n", tweed_pool_destroy(pool));
    return 0;
}

/* ---- */

static void test_refused(const struct refusal *call, int error)
{
    static const char *const env[] = { "TWEED_NUM_WORKERS=3", NULL };
    struct filter f = { call, error };
    char role[32], fence[32], workers[32];
    struct rerun c;

    /* the child must know what to expect */
    snprintf(role, sizeof role, "%d %d", (int)(call - refusals), error);
    snprintf(fence, sizeof fence, "fence %d",
             TWEED_HAVE_TSAN                  ? ENOTSUP
             : call->number == SYS_membarrier ? error
                                              : 0);
    snprintf(workers, sizeof workers, "workers %d", call->workers);
    if (call->late && (HAVE_RUNTIME_SANITIZER || getenv("TWEED_TEST_COVERAGE"))) {
        skip(1, "the sanitizer, or gcov, needs that call itself");
        return;
    }
    rerun(&c, role, env, call->late ? NULL : prepare, &f);
    if (rerun_exited(&c, RERUN_CANNOT))
        skip(1, "may not install a filter");
    else if (!ok(rerun_was_quiet(&c) && rerun_said(&c, "refused") &&
                     rerun_said(&c, "loops right") &&
                     rerun_said(&c, workers) &&
                     (call->workers == 1 || rerun_said(&c, fence)),
                 "%s refused with %s: %s, loops right", call->name,
                 strerror(error), workers))
        rerun_show(&c);
}

int main(int argc, char **argv)
{
    static const int num_refusals = sizeof refusals / sizeof *refusals;
    int tests = 1;

    if (argc > 1 && strcmp(argv[1], "running") == 0)
        return role_running();
    if (argc > 1) {
        char *error;
        long call = strtol(argv[1], &error, 10);
        struct filter f = { &refusals[call], (int)strtol(error, NULL, 10) };

        return role_loops(&f);
    }
    for (int k = 0; k < num_refusals; k++)
        for (const int *e = refusals[k].errors; *e; e++)
            tests++;
    plan(tests);
    for (int k = 0; k < num_refusals; k++)
        for (const int *e = refusals[k].errors; *e; e++)
            test_refused(&refusals[k], *e);
    if (TWEED_HAVE_TSAN) {
        skip(1, "no membarrier under ThreadSanitizer");
    } else {
        struct rerun c;

        rerun(&c, "running", NULL, NULL, NULL);
        if (rerun_exited(&c, RERUN_CANNOT))
            skip(1, "no membarrier, or may not install a filter for threads");
        else if (!ok(rerun_was_quiet(&c) && rerun_said(&c, "loops right") &&
                         rerun_said(&c, "lies 0") &&
                         rerun_said(&c, "still right") &&
                         rerun_said(&c, "destroyed 0"),
                     "membarrier refused while loops run: loops right"))
            rerun_show(&c);
    }
    return done_testing();
}
