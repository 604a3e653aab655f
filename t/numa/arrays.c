/*
 * arrays.c - pages of arrays are where loops use them, by the kernel: allocated by
 * shares, on a node, on all nodes; moved there; and where placing is refused.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "tap.h"

#include "machine.h"

#if !HAVE_LIBNUMA
int main(void)
{
    skip_all("built without libnuma");
}
#else

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <numa.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PAGE 4096

static int node_of[100000];
static struct bitmask *memory; /* the nodes that the process may have memory on */

/* May what belongs to `node` lie on node `on`? */
static bool is_near(int node, int on)
{
    int least = 1 << 20;

    if (node < 0 || node >= machine.num_nodes || on < 0 || on >= machine.num_nodes)
        return false;
    for (int i = 0; i < machine.num_nodes; i++)
        if (machine.nodes[i].mib && numa_bitmask_isbitset(memory, (unsigned)i) &&
            machine.distances[node][i] < least)
            least = machine.distances[node][i];
    return machine.nodes[on].mib && machine.distances[node][on] == least;
}

static void note_node(int64_t i, void *arg)
{
    node_of[i - *(int64_t *)arg] = tweed_worker_node();
}

/* Asks a static loop. */
static void find_nodes(tweed_loop_options o, int64_t lo, int64_t hi)
{
    o.schedule = TWEED_SCHEDULE_STATIC;
    must(tweed_parallel_for_with(NULL, &o, lo, hi, note_node, &lo));
}

/* How many pages are neither near their first byte's index nor its neighbour, which the
   page begins within. */
static int wrong_pages(char *array, int64_t n, size_t each, bool own)
{
    uintptr_t at = (uintptr_t)array, p = at & ~(uintptr_t)(PAGE - 1);
    uintptr_t end = at + (uintptr_t)n * each;
    int wrong = 0;

    for (p += own || p == at ? 0 : PAGE; p < end; p += PAGE) {
        int64_t i = p < at ? 0 : (int64_t)((p - at) / each);
        int64_t next = p > at && (p - at) % each && i + 1 < n ? i + 1 : i;
        int node = tweed_address_node((void *)p);

        wrong += !is_near(node_of[i], node) && !is_near(node_of[next], node);
    }
    return wrong;
}

static double weights[50000];

static const struct shape {
    const char *name;
    int64_t lo, count;
    size_t each;
    tweed_loop_options o;
} shapes[] = {
    { "numbers", 0, 100000, 8, TWEED_LOOP_OPTIONS_INIT },
    { "rows", -3, 777, 5000, TWEED_LOOP_OPTIONS_INIT },
    { "with grain", 0, 30000, 40,
      { .size = sizeof(tweed_loop_options), .grain = 1000 } },
    { "by weight", 9, 50000, 24,
      { .size = sizeof(tweed_loop_options), .weights = weights } },
    { "for two workers", 0, 2000, 1024,
      { .size = sizeof(tweed_loop_options), .max_workers = 2 } },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void test_alloc(const struct shape *s)
{
    int64_t hi = s->lo + s->count;
    char *a = tweed_alloc_with(NULL, &s->o, s->lo, hi, s->each, NULL);
    int wrong = -1, strange = 0;

    find_nodes(s->o, s->lo, hi);
    for (int64_t k = 0; k < s->count; k += 1 + s->count / 100)
        strange += !is_near(node_of[k],
                            tweed_index_node(NULL, &s->o, s->lo, hi, s->lo + k));
    if (a)
        wrong = wrong_pages(a, s->count, s->each, true);
    ok(a && wrong == 0 && strange == 0, "%s: %d pages on wrong nodes", s->name, wrong);
    tweed_free(a);
}

static void test_move(const struct shape *s)
{
    size_t bytes = (size_t)s->count * s->each, n = bytes + 2 * PAGE;
    int64_t hi = s->lo + s->count, left;
    char *m = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *a = m + 48;
    int wrong, kept = 1, first;

    if (m == MAP_FAILED)
        return;
    memset(m, 5, bytes / 2); /* half is not there yet */
    find_nodes(s->o, s->lo, hi);
    first = tweed_address_node(m);
    left = tweed_move_array(NULL, &s->o, s->lo, hi, a, s->each);
    memset(m + bytes / 2, 5, n - bytes / 2);
    wrong = wrong_pages(a, s->count, s->each, false);
    for (size_t k = 0; k < n; k++)
        kept &= m[k] == 5;
    ok(left == 0 && wrong == 0 && kept && tweed_address_node(m) == first,
       "%s, moved: %lld bytes left, %d pages on wrong nodes", s->name, (long long)left,
       wrong);
    munmap(m, n);
}

/* ---- where the system refuses ---- */

static int refuse(int number)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog p = { sizeof program / sizeof *program, program };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
           (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &p);
}

/* Puts the caller, which is worker 0, on its node. */
static void note_cpu(int64_t i, void *arg)
{
    if (i == 0)
        *(int *)arg = tweed_worker_node();
}

static void go_home(void)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int node = 0;
    cpu_set_t set;

    o.schedule = TWEED_SCHEDULE_STATIC;
    must(tweed_parallel_for_with(NULL, &o, 0, tweed_pool_num_workers(NULL), note_cpu, &node));
    CPU_ZERO(&set);
    for (int c = 0; c < machine.num_cpus; c++)
        if (machine.cpus[c].node == node && machine.cpus[c].allowed)
            CPU_SET((size_t)c, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* Without policies each worker's touch decides. */
static int place_by_touch(void)
{
    int64_t n = 4000;
    char *a;

    if (refuse(SYS_mbind))
        return 77;
    go_home();
    find_nodes((tweed_loop_options)TWEED_LOOP_OPTIONS_INIT, 0, n);
    a = tweed_alloc(n, 1000);
    return !a || wrong_pages(a, n, 1000, true) > 0;
}

/* Without knowing anything the memory is as good. */
static int know_nothing(void)
{
    char *a = tweed_alloc(4000, 1000);
    int good, many;

    if (refuse(SYS_mbind) || refuse(SYS_move_pages))
        return 77;
    many = machine_nodes_with_cpus() > 1;
    good = a && tweed_address_node(a) == -1 &&
           tweed_move_array(NULL, NULL, 0, 4000, a, 1000) == (many ? 4000000 : 0);
    memset(a, 3, 4000000);
    tweed_free(a);
    return !good;
}

static void test_child(int (*role)(void), const char *what)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0)
        _exit(role());
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        ok(0, "%s: no child", what);
    else if (WEXITSTATUS(status) == 77)
        skip(1, "may not install a filter");
    else
        ok(WEXITSTATUS(status) == 0, "%s", what);
}

int main(void)
{
    machine_read();
    memory = numa_get_mems_allowed();
    plan(2 * SHAPES + 2);
    for (int i = 0; i < 50000; i++)
        weights[i] = i & 511;
    for (int k = 0; k < SHAPES; k++)
        test_alloc(&shapes[k]);
    for (int k = 0; k < SHAPES; k++)
        test_move(&shapes[k]);
    test_child(place_by_touch, "mbind refused: each worker's touch decides");
    test_child(know_nothing, "move_pages refused, too: nothing is known, all can be used");
    numa_bitmask_free(memory);
    return done_testing();
}
#endif
