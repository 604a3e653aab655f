/*
 * memory.c - the memory of the programs that are measured.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "bench.h"

void *bench_alloc(size_t bytes)
{
    void *memory = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        exit(1);
    return memory;
}
