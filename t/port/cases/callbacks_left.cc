// callbacks_left.cc - calls of which it is not certain what they call: it may ask for the thread.
#include <omp.h>

#include <cstdio>
#include <functional>
#include <vector>

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
    void add(int i) { part[omp_get_thread_num()] += i; }
};

// It is certain here: a lambda of the function, and the library's.
template <class T> T plain(const std::vector<T> &x)
{
    auto twice = [](T v) { return v * 2; };
    T all = 0;

#pragma omp parallel for num_threads(2) reduction(+: all)
    for (int i = 0; i < (int)x.size(); i++)
        all += twice(x.at(i));
    return all;
}

static long number;

static void one(int i)
{
#pragma omp atomic
    number += i;
}

static void two(int i)
{
#pragma omp atomic
    number -= i;
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
