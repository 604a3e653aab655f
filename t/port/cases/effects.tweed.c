/*
 * Arguments of a task that change its own variable, or have its address; atomic operations between
 * the constructs of a region.
 */
#include <tweed.h>
#include <stdatomic.h>
#include <stdio.h>

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}


enum { N = 4000 };

static int hits[16], numbers[2];
static atomic_int more;
static long part[2][64];

TWEED_DECLARE_TASK(void, visit_task, int, at, int, depth);

TWEED_TASK(void, visit_part, int, at, int, depth)
{
    TWEED_CALL(visit_task, at++, depth - 1);
}

TWEED_DEFINE_TASK(void, visit_task, int, at, int, depth)
{
    if (depth == 0) {
        (void)__atomic_fetch_add(&hits[at], 1, __ATOMIC_RELAXED);
        return;
    }
    TWEED_SPAWN(visit_part, at, depth);
    TWEED_SPAWN(visit_task, at, depth - 1);
    TWEED_SYNC(visit_task);
    TWEED_SYNC(visit_part);
}

static void visit(int at, int depth)
{
    TWEED_RUN(visit_task, at, depth);
}

TWEED_DECLARE_TASK(void, walk_task, const int *, from, int, depth);

TWEED_TASK(void, walk_part, int, next, int, depth)
{
    TWEED_CALL(walk_task, &next, depth - 1);
}

TWEED_DEFINE_TASK(void, walk_task, const int *, from, int, depth)
{
    int next = *from + 1;

    if (depth == 0) {
        (void)__atomic_fetch_add(&hits[*from], 1, __ATOMIC_RELAXED);
        return;
    }
    TWEED_SPAWN(walk_part, next, depth);
    next = 15;
    TWEED_SYNC(walk_part);
    if (next != 15)
        hits[0] = -1;
}

static void walk(const int *from, int depth)
{
    TWEED_RUN(walk_task, from, depth);
}

static void start(void)
{
    int zero = 0;

    {
        visit(5, 3);
        walk(&zero, 3);
    }
}

TWEED_LOOP(numbered_loop, port_thread, int, port_threads)
{
    int id = __atomic_fetch_add(&numbers[0], 1, __ATOMIC_RELAXED);

    const int64_t i_count = (int64_t)N;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        part[0][id] += i % 3;
    }
}

TWEED_LOOP(numbered_loop_2, port_thread, int, port_threads)
{
    int id = (int)__sync_fetch_and_add(&numbers[1], 1);

    const int64_t i_count = (int64_t)N;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        part[1][id] += i % 3;
    }
}

static void numbered(void)
{
    {
        const int port_threads = tweed_pool_num_workers(NULL);

        numbered_loop(0, port_threads, port_threads);
    }
    {
        const int port_threads = tweed_pool_num_workers(NULL);

        numbered_loop_2(0, port_threads, port_threads);
    }
}

int main(void)
{
    long s = 0;

    start();
    numbered();
    for (int t = 0; t < 64; t++)
        s += part[0][t] + part[1][t];
    atomic_fetch_add(&more, 2);
    printf("%d %d %d %ld %d\n", hits[5], hits[6], hits[3], s, atomic_load(&more));
    return 0;
}
