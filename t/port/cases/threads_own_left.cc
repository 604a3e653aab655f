// threads_own_left.cc - what is called may have a variable that each thread has.
#include <cstdio>
#include <functional>

static thread_local long mine = 0;

template <class F> void each_of(int n, F f)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        f(i);
}

static void one(int i) { mine += i % 3; }
static void two(int i) { mine += i % 5; }

static long sum_of(void (*const *all)(int), const std::function<void(int)> &held)
{
    long sum = 0;

#pragma omp parallel for
    for (int i = 0; i < 1000; i++)
        all[i % 2](i);
#pragma omp parallel for
    for (int i = 0; i < 1000; i++)
        held(i);
#pragma omp parallel
    {
#pragma omp critical
        sum += mine;
    }
    return sum;
}

int main()
{
    void (*const all[])(int) = { one, two };

    each_of(1000, [](int i) { mine += i % 7; });
    std::printf("%ld\n", sum_of(all, two));
}
