/*
 * A task starts where a std::mutex is held, which it could take.
 */
#include <tweed.hpp>
#include <cstdio>
#include <mutex>
#include <vector>

static std::vector<int> result;
static std::mutex lock;
static int sum_of;

static void later(int i)
{
#pragma omp task firstprivate(i)
    {
        (void)__atomic_fetch_add(&sum_of, 10 * i, __ATOMIC_RELAXED);
    }
}

static void add(int i)
{
    std::lock_guard<std::mutex> guard(lock);
    result.push_back(i);
    later(i);
}

static void run(int n)
{
    for (int i = 0; i < n; i++)
        add(i);
}

int main()
{
    long sum = 0;

#pragma omp parallel
#pragma omp single
    run(6);
    for (int x : result)
        sum += x;
    std::printf("%ld %d\n", sum, sum_of);
    return 0;
}
