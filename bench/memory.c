/*
 * memory.c - the kernels' memory: where there is none the program ends.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "harness.h"

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
        exit(1);
    b->bytes = (bytes + PAGE) / PAGE * PAGE;
    b->memory = mmap(NULL, b->bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (b->memory == MAP_FAILED) {
        exit(1);
    }
    b->next = blocks;
    blocks = b;
    return b->memory;
}

static void give_back(struct block **at)
{
    struct block *b = *at;

    *at = b->next;
    munmap(b->memory, b->bytes);
    free(b);
}

void bench_free(void *memory)
{
    for (struct block **at = &blocks; *at; at = &(*at)->next)
        if ((*at)->memory == memory) {
            give_back(at);
            return;
        }
}

void free_all(void)
{
    while (blocks)
        give_back(&blocks);
}
