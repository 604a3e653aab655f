/*
 * touch.c - memory that a loop touches first lies where the next loop uses it.
 *
 * SPDX-License-Identifier: MIT
 */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "tap.h"

#include "machine.h"

#include <sys/mman.h>

#define PAGES 37 /* a worker, and some */

static tweed_pool *pool;
static int num_pages;

static char *map(void)
{
    char *memory = mmap(NULL, (size_t)num_pages * MACHINE_PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        printf("Bail out! mmap: %s\n", strerror(errno));
        exit(99);
    }
    return memory;
}

static void unmap(void *memory)
{
    munmap(memory, (size_t)num_pages * MACHINE_PAGE);
}

static int run(void *memory, int64_t n, int schedule, tweed_index_fn *body)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.schedule = schedule;
    return tweed_parallel_for_with(pool, &o, 0, n, body, memory);
}

/* ---- a page an index ---- */

static int *user; /* of each page: the node of the CPU that used it last */

static void use_page(int64_t i, void *memory)
{
    unsigned node = 0;

    getcpu(NULL, &node);
    user[i] = (int)node;
    ((char *)memory)[i * MACHINE_PAGE]++;
}

/* How many pages are not where they were used last. */
static int strays(void *memory)
{
    int *nodes = calloc((size_t)num_pages, sizeof *nodes), count = 0;

    nodes_of_pages(memory, num_pages, nodes);
    for (int i = 0; i < num_pages; i++)
        count += !machine_is_near(user[i], nodes[i]);
    free(nodes);
    return count;
}

static void test_pages(void)
{
    char *memory = map();
    int first, second = 0;

    must(run(memory, num_pages, TWEED_SCHEDULE_STATIC, use_page));
    first = strays(memory);
    for (int round = 0; round < 3; round++) {
        memset(user, -1, (size_t)num_pages * sizeof *user);
        must(run(memory, num_pages, TWEED_SCHEDULE_STATIC, use_page));
        second += strays(memory);
    }
    if (!ok(first == 0, "a page lies on the node of the worker that touched it first"))
        diag("%d of %d do not", first, num_pages);
    if (!ok(second == 0, "the next loops of these bounds use it there"))
        diag("%d of %d not", second, 3 * num_pages);
    unmap(memory);
}

/* ---- a number an index ---- */

static void set_number(int64_t i, void *memory)
{
    double *x = memory;
    unsigned node = 0;

    getcpu(NULL, &node);
    x[i] = (double)node;
}

/* Each page that one share alone is in. */
static void test_numbers(void)
{
    int each = MACHINE_PAGE / (int)sizeof(double), count = 0;
    int64_t n = (int64_t)num_pages * each - 100;
    int *nodes = calloc((size_t)num_pages, sizeof *nodes);
    double *x = (double *)(void *)map();

    for (int round = 0; round < 2; round++)
        must(run(x, n, TWEED_SCHEDULE_STATIC, set_number));
    nodes_of_pages(x, num_pages, nodes);
    for (int i = 0; i < num_pages - 1; i++)
        count += x[i * each] == x[i * each + each - 1] && /* not sloppy: whole numbers */
                 !machine_is_near((int)x[i * each], nodes[i]);
    if (!ok(count == 0, "so it is of shares that end within pages"))
        diag("%d of %d", count, num_pages);
    free(nodes);
    unmap(x);
}

/* ---- a loop that may be stolen from ---- */

static int64_t first[MACHINE_CPUS];

/* All wait with their first page until all have come. */
static void use_first(int64_t i, void *memory)
{
    int w = tweed_worker_index();

    use_page(i, memory);
    if (first[w] >= 0)
        return;
    first[w] = i;
    gather();
}

/* Whoever has stolen a page has touched it; the first page of a share is its owner's
   in each loop. */
static void test_dynamic(void)
{
    char *memory = map();
    int touched = 0, good = 1;
    int *nodes = calloc((size_t)num_pages, sizeof *nodes);

    for (int round = 0; round < 3; round++) {
        memset(first, -1, sizeof first);
        gather_so_many(machine.num_allowed);
        must(run(memory, num_pages, TWEED_SCHEDULE_DEFAULT, use_first));
        if (round == 0)
            touched = strays(memory);
        nodes_of_pages(memory, num_pages, nodes);
        for (int w = 0; w < machine.num_allowed; w++)
            good &= first[w] >= 0 &&
                    machine_is_near(node_of_worker(pool, w), nodes[first[w]]);
    }
    ok(touched == 0 && good,
       "a loop that may be stolen from: where it was touched, and each share at home");
    free(nodes);
    unmap(memory);
}

int main(void)
{
    machine_read();
    pool = machine_pool();
    num_pages = PAGES * machine.num_allowed + 5;
    user = calloc((size_t)num_pages, sizeof *user);
    plan(4);
    test_pages();
    test_numbers();
    test_dynamic();
    free(user);
    tweed_pool_destroy(pool);
    return done_testing();
}
