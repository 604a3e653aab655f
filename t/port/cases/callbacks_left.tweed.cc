// callbacks_left.cc - calls of which it is not certain what they call: it may ask for the thread.
#include <tweed.hpp>
#include <omp.h>

#include <cstdio>
#include <functional>
#include <vector>

#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */
#include <omp.h>
#endif

/* omp_get_thread_num() */
static inline int port_thread_num(void)
{
    int worker = tweed_worker_index();

#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */
    if (worker < 0)
        return omp_get_thread_num();
#endif
    return worker < 0 ? 0 : worker;
}


template <class F> void each_of(int n, int threads, F f)
{
#pragma omp parallel for num_threads(threads)
    for (int i = 0; i < n; i++)
        f(i);
}

static void each_held(int n, int threads, const std::function<void(int)> &f)
{
#pragma omp parallel for num_threads(threads)
    for (int i = 0; i < n; i++)
        f(i);
}

template <class F> void each_fixed(int n, F f)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
        f(i);
}

template <class T> void each_member(int n, int threads, T &to)
{
#pragma omp parallel for num_threads(threads)
    for (int i = 0; i < n; i++)
        to.add(i);
}

struct table {
    std::vector<void (*)(int)> all;
    std::vector<std::function<void(int)>> held;
    void each(int n, bool many) const
    {
#pragma omp parallel for if(many)
        for (int i = 0; i < n; i++)
            all[i % 2](i);
#pragma omp parallel for if(many)
        for (int i = 0; i < n; i++)
            held[0](i);
    }
};

struct sums {
    std::vector<long> part;
    void add(int i) { part[port_thread_num()] += i; }
};

// It is certain here: a lambda of the function, and the library's.
template <class T> T plain(const std::vector<T> &x)
{
    auto twice = [](T v) { return v * 2; };
    T all = 0;

    all += tweed::parallel_sum<T>((int)(0), (int)((int)x.size()), [&](int i) -> T {
        T all{};

        all += twice(x.at(i));
        return all;
    }, tweed::loop_options().max_workers(2));
    return all;
}

static long number;

static void one(int i)
{
    (void)__atomic_fetch_add(&number, i, __ATOMIC_RELAXED);
}

static void two(int i)
{
    (void)__atomic_fetch_sub(&number, i, __ATOMIC_RELAXED);
}

int main()
{
    const int n = 64;
    sums a;
    table t;
    long all = 0;

    a.part.assign(2, 0);
    each_of(n, 2, [&](int i) { a.add(i); });
    each_held(n, 2, [&](int i) { a.add(i); });
    each_fixed(n, [&](int i) { one(i); });
    each_member(n, 2, a);
    t.all.push_back(one);
    t.all.push_back(two);
    t.held.push_back(two);
    t.each(n, true);
    for (long p : a.part)
        all += p;
    std::printf("%ld %ld %d\n", all, number, plain(std::vector<int>(n, 1)));
}
