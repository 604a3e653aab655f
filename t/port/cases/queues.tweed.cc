/*
 * A region with an object for each thread: it is flushed behind the loop.  What is called
 * stands in a header that has OpenMP elsewhere.  Atomic operations wait in loops alone.
 */
#include <tweed.hpp>
#include "queues.h"

#include <cstdio>
#include <vector>

#include <pthread.h>

static pthread_mutex_t port_reduction = PTHREAD_MUTEX_INITIALIZER;

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}


static long step(const ring<int> &g, std::vector<int> &parent, const queue<int> &now,
                 queue<int> &next)
{
    long reached = 0;

    {
        const int port_threads = tweed_pool_num_workers(nullptr);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            buffer<int> mine(next);
            long *reached_all = &reached;
            const int64_t i_count = int64_t(now.size());
            {
            long reached = 0;

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                size_t i = (size_t)i_index;
                for (int v : g.of(now[i])) {
                    int was = parent[v];
                    if (was < 0 && compare_and_swap(parent[v], was, now[i])) {
                        mine.push_back(v);
                        reached += v;
                    }
                }
            }
            pthread_mutex_lock(&port_reduction);
            *reached_all += reached;
            pthread_mutex_unlock(&port_reduction);
            }
            mine.flush();
        });
    }
    return reached;
}

static void odd(int n, queue<int> &to)
{
    {
        const int port_threads = tweed_pool_num_workers(nullptr);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            buffer<int> mine(to, 3);
            const int64_t i_count = int64_t(n);

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index;
                if (i % 2)
                    mine.push_back(i);
            }
            mine.flush();
        });
    }
}

/* An object whose end is a barrier; a member of an object. */
static int meet(int *said)
{
    int sum = 0;

#pragma omp parallel num_threads(1)
    {
        meeting here(said);
        (void)__atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
    }
#pragma omp parallel num_threads(1)
    {
        visit here(said);
        (void)__atomic_fetch_add(&sum, here.number, __ATOMIC_RELAXED);
    }
    return sum;
}

/* A thread that waits for another one: by a loop, and by a function that calls itself. */
static int await(int flag)
{
    int sum = 0;

#pragma omp parallel num_threads(2)
    {
        int mine = 0;
#pragma omp for nowait
        for (int i = 0; i < 2; i++)
            mine += i ? wait_for(flag) : fetch_and_add(flag, 1);
        (void)__atomic_fetch_add(&sum, mine, __ATOMIC_RELAXED);
    }
#pragma omp parallel num_threads(2)
    {
        int mine = 0;
#pragma omp for nowait
        for (int i = 0; i < 2; i++)
            mine += i ? wait_again(flag) : fetch_and_add(flag, 0);
        (void)__atomic_fetch_add(&sum, mine, __ATOMIC_RELAXED);
    }
#pragma omp parallel num_threads(2)
    {
        int mine = 0;
#pragma omp for nowait
        for (int i = 0; i < 2; i++) {
            if (i)
                while (__atomic_fetch_add(&flag, 0, __ATOMIC_ACQUIRE) != 1)
                    ;
            mine += 1;
        }
        (void)__atomic_fetch_add(&sum, mine, __ATOMIC_RELAXED);
    }
    return sum;
}

int main()
{
    const int n = 1000;
    ring<int> g(n);
    std::vector<int> parent(n, -1);
    queue<int> one(n), two(n), odds(n);
    int said = 0;
    long sum = 0, reached;

    odd(n, odds);
    for (size_t i = 0; i < odds.size(); i++)
        sum += odds[i];
    reached = step(g, parent, odds, two);
    std::printf("%zu %ld %ld %zu\n", odds.size(), sum, reached, two.size());
    std::printf("%d %d\n", meet(&said), await(0));
    std::printf("%d\n", twice(parent.data(), 0));
    return 0;
}
