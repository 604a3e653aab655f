/*
 * What a thread of a region executes is not certain, or no call names it: OpenMP or the thread's
 * number may be in it.
 */
#include <tweed.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>
#include <omp.h>

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

#include <pthread.h>

extern "C" {
__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;
}


struct shape {
    virtual ~shape() {}
    virtual long run(int n) const { return n; }
    virtual int id() const { return 0; }
    virtual bool is_set(const int *at) const { return *at >= 0; }
};

struct split : shape {
    long run(int n) const override
    {
        long s = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++)
            s += i;
        return s;
    }
    int id() const override { return port_thread_num(); }
};

/* No class is derived from it: its regions are ported. */
struct line final : shape {
    long run(int n) const override { return 2 * n; }
};

static long virtually(const shape &s, int n)
{
    long total = 0;

#pragma omp parallel
    {
        long mine = s.run(n);
        {
            pthread_mutex_lock(&port_critical);
            total += mine;
            pthread_mutex_unlock(&port_critical);
        }
    }
    return total;
}

static long finally(const line &s, int n)
{
    long total = 0;

    {
        const int port_threads = tweed_pool_num_workers(nullptr);

        tweed::parallel_for<int>(0, port_threads, [&](int) {
            long mine = s.run(n) + s.shape::run(n);
            {
                pthread_mutex_lock(&port_critical);
                total += mine > 0;
                pthread_mutex_unlock(&port_critical);
            }
        });
    }
    return total;
}

static int numbered(const shape &s)
{
    int sum = 0;

#pragma omp parallel
    {
        (void)__atomic_fetch_add(&sum, s.id(), __ATOMIC_RELAXED);
    }
    return sum;
}

static int ended()
{
    int sum = 0;

#pragma omp parallel
    {
        shape *s = new split;
        (void)__atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
        delete s;
    }
    return sum;
}

/* Of a loop: what a derived class has is looked at, too. */
static int in_loop(const shape &s, int n)
{
    int sum = 0;

#pragma omp parallel for reduction(+ : sum) num_threads(2)
    for (int i = 0; i < n; i++)
        sum += s.id() < 2;
    return sum;
}

static bool is_less(int a, int b) { return a < b; }
static int next(int x) { return x + 1; }

struct each {
    int *to;
    void operator()(int) const
    {
#pragma omp for
        for (int i = 0; i < 10; i++)
            (void)__atomic_fetch_add(&*to, i, __ATOMIC_RELAXED);
    }
};

static long halves(int n)
{
    long s = 0;

#pragma omp for nowait
    for (int i = 0; i < n; i++)
        s += i;
    return s;
}

static long by_function(const std::function<long(int)> &f, int n)
{
    long total = 0;

#pragma omp parallel
    {
        long mine = f(n);
        {
            pthread_mutex_lock(&port_critical);
            total += mine;
            pthread_mutex_unlock(&port_critical);
        }
    }
    return total;
}

static int by_library(int (*f)(int))
{
    int sum = 0, count = 0;

#pragma omp parallel
    {
        std::vector<int> a(3, 1);
        std::for_each(a.begin(), a.end(), each{ &sum });
        (void)__atomic_fetch_add(&count, a[0], __ATOMIC_RELAXED);
    }
#pragma omp parallel
    {
        std::vector<int> a(3, 1);
        std::transform(a.begin(), a.end(), a.begin(), f);
        (void)__atomic_fetch_add(&count, a[0], __ATOMIC_RELAXED);
    }
    {
        const int port_threads = tweed_pool_num_workers(nullptr);

        tweed::parallel_for<int>(0, port_threads, [&](int) {
            std::vector<int> a(3, 1);
            std::transform(a.begin(), a.end(), a.begin(), std::negate<int>());
            std::sort(a.begin(), a.end(), is_less);
            std::for_each(a.begin(), a.end(), [](int &x) { x -= 1; });
            (void)__atomic_fetch_add(&count, a[0], __ATOMIC_RELAXED);
        });
    }
    return sum + 1000 * count;
}

/* An explicit specialisation of a class has a destructor of its own. */
template <typename T> struct ender {
    T *to;
    explicit ender(T *t) : to(t) {}
    ~ender() {}
};

template <> struct ender<int> {
    int *to;
    explicit ender(int *t) : to(t) {}
    ~ender()
    {
#pragma omp for
        for (int i = 0; i < 10; i++)
            (void)__atomic_fetch_add(&*to, i, __ATOMIC_RELAXED);
    }
};

static long ends()
{
    int sum = 0;
    long plain = 0;

#pragma omp parallel
    {
        ender<int> e(&sum);
        (void)__atomic_fetch_add(&*e.to, 1, __ATOMIC_RELAXED);
    }
    {
        const int port_threads = tweed_pool_num_workers(nullptr);

        tweed::parallel_for<int>(0, port_threads, [&](int) {
            ender<long> e(&plain);
            (void)__atomic_fetch_add(&*e.to, 1, __ATOMIC_RELAXED);
        });
    }
    return sum + 1000 * plain;
}

/* Constructors that nobody names. */
struct who {
    int id = port_thread_num();
};

struct made {
    int id;
    made() : id(port_thread_num()) {}
};

static int begun()
{
    int sum = 0;

#pragma omp parallel
    {
        who w;
        (void)__atomic_fetch_add(&sum, w.id, __ATOMIC_RELAXED);
    }
#pragma omp parallel
    {
        std::vector<made> w(1);
        (void)__atomic_fetch_add(&sum, w[0].id, __ATOMIC_RELAXED);
    }
#pragma omp parallel
    {
        std::pair<made, int> w;
        (void)__atomic_fetch_add(&sum, w.first.id, __ATOMIC_RELAXED);
    }
    return sum;
}

int main()
{
    split s;
    line l;

    std::printf("%ld %ld %d\n", virtually(s, 100), finally(l, 100), numbered(s));
    std::printf("%d %d\n", ended(), in_loop(s, 50));
    std::printf("%ld %d\n", by_function(halves, 100), by_library(next));
    std::printf("%ld\n", ends());
    std::printf("%d\n", begun());
    return 0;
}
