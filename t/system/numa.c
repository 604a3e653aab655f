/*
 * numa.c - a machine of several nodes, as libnuma and /sys would show it.
 *
 * SPDX-License-Identifier: MIT
 *
 * Shims play libnuma and the files below /sys: node 0 with CPUs 0 to 3, node 5
 * with CPUs 4 to 11 and without memory, nodes 2 and 3 with memory and no CPUs.
 */
#include "config.h"

#include "tap.h"

#if !HAVE_LIBNUMA
int main(void)
{
    skip_all("built without libnuma");
}
#else

#include "system/pages.h"
#include "system/topology.h"

#include <errno.h>
#include <numa.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CPUS 12

/* What the shims answer. */
static bool available = true;
static const char *cpumap = "0f\n";
static size_t cpumap_size = 3;
static const char *const siblings[CPUS] = {
    "0,2\n", "1,3\n", "0,2\n", "1,3\n", /* cores of two threads, as "a,b" */
    "4-5\n", "4-5\n",                   /* as a range */
    "6-x\n", NULL,                      /* not a list; no file */
    "8,9,10,11\n", "8,9,10,11\n",       /* cores of four threads */
    "8-9,10,11\n", "8,9-10,11\n"
};
/* Caches are index0, index1 and so on of a CPU: levels, and who shares the last level.
   CPUs 0 to 11 in turn; NULL: no file. */
static const char *const levels[CPUS][4] = {
    { "1\n", "3\n", "2\n" }, { "" }, { "1\n", "2\n" }, { "x\n" },
    { "1\n", "2\n" }, { "1\n", "2\n" }, { "1\n", "1\n", "2\n", "3\n" }, { NULL },
    { NULL }, { NULL }, { "1\n", "2x\n", "3\n" }, { "1\n", "2\n" }
};
static const char *const shared[CPUS] = {
    "0-1,3,12-99\n", NULL, "2\n", NULL, /* more than there is here */
    "4-5\n", "4-5\n",             /* one core */
    "6-9\n", NULL, NULL, NULL,    /* read once for all four */
    "10-11\n", "3-5\n"           /* of level 1; without itself */
};
static const int last_index[CPUS] = { 1, 0, 1, 0, 1, 1, 3, 0, 0, 0, 0, 1 };
static const char *capacities[CPUS]; /* cpu_capacity; NULL: no file */
static const char *small;           /* the list of small cores; NULL: no file */
static struct {
    int calls;
    unsigned long mask;
} bound;

int __wrap_sched_getaffinity(pid_t, size_t, cpu_set_t *);
int __wrap_numa_available(void);
int __wrap_numa_max_node(void);
int __wrap_numa_node_of_cpu(int);
int __wrap_numa_distance(int, int);
long __wrap_mbind(void *, unsigned long, int, const unsigned long *,
                  unsigned long, unsigned);
long __wrap_move_pages(int, unsigned long, void **, const int *, int *, int);
FILE *__real_fopen(const char *, const char *);
FILE *__wrap_fopen(const char *, const char *);

int __wrap_sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
    (void)pid;
    CPU_ZERO_S(bytes, set);
    for (size_t c = 0; c < CPUS; c++)
        CPU_SET_S(c, bytes, set);
    return 0;
}

int __wrap_numa_available(void)
{
    return available ? 0 : -1;
}

int __wrap_numa_max_node(void)
{
    return 5;
}

int __wrap_numa_node_of_cpu(int cpu)
{
    return cpu < 4 ? 0 : 5;
}

/* 0 is what libnuma says where it does not know. */
int __wrap_numa_distance(int from, int to)
{
    if (from == 5 && to == 2)
        return 15;
    if (from == 5 && to == 3)
        return 30;
    return 0;
}

long __wrap_mbind(void *address, unsigned long bytes, int mode,
                  const unsigned long *mask, unsigned long bits, unsigned flags)
{
    (void)address, (void)bytes, (void)mode, (void)bits, (void)flags;
    bound.calls++;
    bound.mask = mask[0];
    return 0;
}

/* Of the caches of CPU n. */
static const char *cache_file(int n, const char *path)
{
    const char *file = strstr(path, "/cache/index") + strlen("/cache/index");
    int k = *file - '0';

    if (k > 3)
        return NULL;
    if (strcmp(file + 1, "/level") == 0)
        return levels[n][k];
    return strcmp(file + 1, "/shared_cpu_list") == 0 && k == last_index[n] ? shared[n]
                                                                           : NULL;
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    const char *text;
    int n;

    if (sscanf(path, "/sys/devices/system/node/node%d/", &n) == 1)
        return fmemopen((void *)(size_t)cpumap, cpumap_size, "r");
    if (strcmp(path, "/sys/devices/cpu_atom/cpus") == 0)
        text = small;
    else if (sscanf(path, "/sys/devices/system/cpu/cpu%d/", &n) == 1)
        text = strstr(path, "/cache/")         ? cache_file(n, path)
               : strstr(path, "/cpu_capacity") ? capacities[n]
                                               : siblings[n];
    else
        return __real_fopen(path, mode);
    return text && *text ? fmemopen((void *)(size_t)text, strlen(text), "r") : NULL;
}

static struct bitmask *bits(unsigned a, unsigned b, unsigned c)
{
    struct bitmask *m = numa_bitmask_alloc(64);

    numa_bitmask_setbit(m, a);
    numa_bitmask_setbit(m, b);
    numa_bitmask_setbit(m, c);
    return m;
}

/* The hardware threads of all CPUs, or their domains, as text. */
static const char *text_of(const struct tweed__topology *t, bool domains)
{
    static char text[CPUS + 1];

    memset(text, '?', CPUS);
    for (int i = 0; i < t->num_cpus; i++)
        if (t->cpus[i].cpu < CPUS)
            text[t->cpus[i].cpu] =
                (char)('0' + (domains ? t->cpus[i].domain : t->cpus[i].thread));
    return text;
}

/* A cpumap that is none. */
static void test_cpumap(const char *map, size_t size)
{
    const char *before = cpumap;
    struct tweed__topology *t;

    cpumap = map;
    cpumap_size = size;
    t = tweed__topology_get();
    ok(t && t->num_nodes == 1 && t->num_cpus == CPUS &&
           strcmp(t->source, "libnuma") != 0,
       "a cpumap of %zu bytes that is none: one flat node", size);
    tweed__topology_free(t);
    cpumap = before;
    cpumap_size = 3;
}

static void test_machine(void)
{
    struct tweed__topology *t = tweed__topology_get();
    int good = 1;

    if (!t)
        return;
    ok(t->num_cpus == CPUS && t->num_nodes == 2 && t->nodes[0] == 0 &&
           t->nodes[1] == 5 && strcmp(t->source, "libnuma") == 0,
       "two nodes, 0 and 5");
    for (int i = 0; i < t->num_cpus; i++)
        good &= t->nodes[t->cpus[i].node] == (t->cpus[i].cpu < 4 ? 0 : 5);
    ok(good, "each CPU on its node");
    ok(tweed__topology_distance(t, 0, 0) == 10 &&
           tweed__topology_distance(t, 0, 5) == 20 &&
           tweed__topology_distance(t, 5, 0) == 20,
       "distances that are not known: 10 at home, else 20");
    if (!ok(strcmp(text_of(t, false), "001101000123") == 0, "hardware threads"))
        diag("%s", text_of(t, false));
    if (!ok(strcmp(text_of(t, true), "001033222233") == 0, "domains"))
        diag("%s", text_of(t, true));
    tweed__topology_free(t);
}

/* The capacity of each CPU, as text. */
static int capacities_are(const char *expected)
{
    struct tweed__topology *t = tweed__topology_get();
    char text[CPUS * 8] = "";

    for (int cpu = 0; t && cpu < CPUS; cpu++)
        for (int i = 0; i < t->num_cpus; i++)
            if (t->cpus[i].cpu == cpu)
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d",
                         cpu ? " " : "", t->cpus[i].capacity);
    tweed__topology_free(t);
    if (strcmp(text, expected) == 0)
        return 1;
    diag("capacities %s", text);
    return 0;
}

static void test_capacities(void)
{
    ok(capacities_are("0 0 0 0 0 0 0 0 0 0 0 0"), "nothing is said of what CPUs can do");
    small = "2-3,11\n";
    ok(capacities_are("0 0 604 604 0 0 0 0 0 0 0 604"), "a list of small cores");
    small = "2-x\n";
    ok(capacities_are("0 0 0 0 0 0 0 0 0 0 0 0"), "no list");
    small = NULL;
    for (int i = 0; i < CPUS; i++)
        capacities[i] = i < 8 ? "1024\n" : "446\n";
    ok(capacities_are("1024 1024 1024 1024 1024 1024 1024 1024 446 446 446 446"),
       "capacities");
    capacities[0] = "1025\n";
    ok(capacities_are("0 0 0 0 0 0 0 0 0 0 0 0"), "a capacity that cannot be");
    memset(capacities, 0, sizeof capacities);
    capacities[0] = "512\n";
    ok(capacities_are("0 0 0 0 0 0 0 0 0 0 0 0"), "that of the first CPU alone is none");
    memset(capacities, 0, sizeof capacities);
}

/* ---- where pages are ---- */

#define PAGES 1000 /* which are never touched */

static char *array;
static unsigned char asked_about[PAGES + 1]; /* the last: what is no page of it */
static size_t refused_from = PAGES + 1;      /* the system does not tell of these */

/* Every third one is on node 5, every fifth one nowhere, the others on node 0. */
long __wrap_move_pages(int pid, unsigned long n, void **pages, const int *nodes,
                       int *status, int flags)
{
    for (unsigned long i = 0; i < n; i++) {
        size_t offset = (size_t)((char *)pages[i] - array), k = offset / tweed__page_bytes();

        if (k >= refused_from)
            return -1;
        asked_about[offset % tweed__page_bytes() || k > PAGES ? PAGES : k]++;
        status[i] = k % 3 == 0 ? 5 : k % 5 == 0 ? -ENOENT : 0;
    }
    return pid || nodes || flags ? -1 : 0;
}

/* The bytes of so many pages that are not on node 0. */
static int elsewhere_is_right(size_t pages, size_t less)
{
    size_t page = tweed__page_bytes(), due = (pages + 2) / 3 * page;
    size_t bytes = pages * page - less, got;
    int good = 1;

    memset(asked_about, 0, sizeof asked_about);
    got = tweed__memory_elsewhere(array, bytes, 0);
    for (size_t k = 0; k <= PAGES; k++)
        good &= asked_about[k] == (k < pages);
    if (!good || got != (due < bytes ? due : bytes))
        diag("%zu pages: %zu bytes, %zu are right", pages, got, due);
    return good && got == (due < bytes ? due : bytes);
}

/* Fails if elsewhere() asks about the first 256 only, or again. */
static void test_elsewhere(void)
{
    static const size_t sizes[] = { 1, 2, 255, 256, 257, 511, 512, 513, PAGES };
    int good = 1;

    array = mmap(NULL, PAGES * tweed__page_bytes(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
                 -1, 0);
    if (array == MAP_FAILED) {
        skip(2, "no memory");
        return;
    }
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        good &= elsewhere_is_right(sizes[k], 0) && elsewhere_is_right(sizes[k], 100);
    ok(good, "each page of an array is asked about once, and those elsewhere counted");
    refused_from = 600;
    ok(tweed__memory_elsewhere(array, PAGES * tweed__page_bytes(), 0) == SIZE_MAX &&
           elsewhere_is_right(600, 0),
       "pages that the system does not tell of");
    munmap(array, PAGES * tweed__page_bytes());
}

static void test_memory(void)
{
    static char page[4096];

    ok(tweed__memory_node(0) == 0, "a node that has memory: itself");
    ok(tweed__memory_node(5) == 2, "one that has none: the nearest");
    tweed__place_memory(page, sizeof page, 5, false);
    ok(bound.calls == 1 && bound.mask == 1ul << 2, "that is where it is asked for");
    ok(tweed__memory_node(-1) == 0, "a node that cannot be: any with memory");
    available = false;
    tweed__place_memory(page, sizeof page, -1, false);
    tweed__place_memory(page, sizeof page, 1 << 20, false);
    ok(bound.calls == 1, "no such node: nothing is asked for");
    available = true;
}

int main(void)
{
    struct bitmask *nodes = numa_nodes_ptr, *memory = numa_all_nodes_ptr;

    unsetenv("TWEED_TOPOLOGY");
    alarm(60);
    plan(20);
    numa_nodes_ptr = bits(0, 2, 5);
    numa_all_nodes_ptr = bits(0, 2, 3);
    test_machine();
    test_cpumap("0g\n", 3);
    test_cpumap("0f\0\n", 4);
    test_capacities();
    test_memory();
    test_elsewhere();
    numa_bitmask_free(numa_nodes_ptr);
    numa_bitmask_free(numa_all_nodes_ptr);
    numa_nodes_ptr = nodes; /* libnuma frees them */
    numa_all_nodes_ptr = memory;
    return done_testing();
}
#endif
