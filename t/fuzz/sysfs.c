/*
 * sysfs.c - a fuzzer of what the kernel says of CPUs and nodes, below /sys.
 *
 * SPDX-License-Identifier: MIT
 *
 * The input has the files as sections, with their whole paths of one CPU, or by their last
 * parts of all: "=thread_siblings_list", "=level", "=shared_cpu_list", "=cpu_capacity",
 * "=cpus", "=cpumap".
 */
#include "config.h"

#include "files.h"
#include "system/topology.h"

#define fopen(path, mode) files_open(path)
#include "system/sysfs.c"
#include "system/topology.c"
#undef fopen

/* A machine of one node as /sys has it. */
static void make(const int *cpus, int n)
{
    struct tweed__topology *t = read_machine(cpus, n);

    if (!t)
        return;
    fuzz_must(t->num_cpus == n);
    for (int i = 0; i < n; i++) {
        const struct tweed__cpu *c = &t->cpus[i];

        fuzz_must(c->thread >= 0 && c->thread < n);
        fuzz_must(c->domain >= 0 && c->domain < n);
        fuzz_must(c->node >= 0 && c->node < t->num_nodes);
        fuzz_must(c->capacity >= 0 && c->capacity <= TWEED__CAPACITY);
    }
    tweed__topology_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int cpus[] = { 0, 1, 2, 3, 8, 9, 1023, TWEED__MOST_CPUS - 1 };

    files_input = (const char *)data;
    files_size = size;
    make(cpus, sizeof cpus / sizeof *cpus);
    make(cpus + 3, 1);
    return 0;
}
