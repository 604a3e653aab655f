/*
 * memory.c - the kernels' memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "harness.h"

/* Large enough that small arrays do not share a line, small enough for many. */
#define PAGE 4096

static struct block {
    struct block *next;
    void *memory;
    size_t bytes;
} *blocks;

void *bench_alloc(size_t bytes)
{
    struct block *b = malloc(sizeof *b);

    if (!b)
        return NULL;
    b->bytes = (bytes + PAGE) / PAGE * PAGE;
    b->memory = mmap(NULL, b->bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b->memory == MAP_FAILED) {
        free(b);
        return NULL;
    }
    b->next = blocks;
    blocks = b;
    return b->memory;
}

void free_all(void)
{
    while (blocks) {
        struct block *b = blocks;

        blocks = b->next;
        munmap(b->memory, b->bytes);
        free(b);
    }
}
