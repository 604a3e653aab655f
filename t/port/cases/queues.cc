/*
 * A region with an object for each thread: it is flushed behind the loop.  What is called
 * stands in a header that has OpenMP elsewhere.  Atomic operations wait in loops alone.
 */
#include "queues.h"

#include <cstdio>
#include <vector>

static long step(const ring<int> &g, std::vector<int> &parent, const queue<int> &now,
                 queue<int> &next)
{
    long reached = 0;

#pragma omp parallel
    {
        buffer<int> mine(next);
#pragma omp for reduction(+ : reached) nowait
        for (size_t i = 0; i < now.size(); i++) {
            for (int v : g.of(now[i])) {
                int was = parent[v];
                if (was < 0 && compare_and_swap(parent[v], was, now[i])) {
                    mine.push_back(v);
                    reached += v;
                }
            }
        }
        mine.flush();
    }
    return reached;
}

static void odd(int n, queue<int> &to)
{
#pragma omp parallel
    {
        buffer<int> mine(to, 3);
#pragma omp for nowait
        for (int i = 0; i < n; i++)
            if (i % 2)
                mine.push_back(i);
        mine.flush();
    }
}

/* An object whose end is a barrier; a member of an object. */
static int meet(int *said)
{
    int sum = 0;

#pragma omp parallel num_threads(1)
    {
        meeting here(said);
#pragma omp atomic
        sum++;
    }
#pragma omp parallel num_threads(1)
    {
        visit here(said);
#pragma omp atomic
        sum += here.number;
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
#pragma omp atomic
        sum += mine;
    }
#pragma omp parallel num_threads(2)
    {
        int mine = 0;
#pragma omp for nowait
        for (int i = 0; i < 2; i++)
            mine += i ? wait_again(flag) : fetch_and_add(flag, 0);
#pragma omp atomic
        sum += mine;
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
#pragma omp atomic
        sum += mine;
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
