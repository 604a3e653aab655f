/*
 * Copies for each thread: of objects that a function changes though it is const, and of variables
 * that change by another name.  An object of each thread in a region with loops alone.
 */
#include <tweed.hpp>
#include <cstdio>
#include <functional>
#include <vector>

#include <pthread.h>

extern "C" {
__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;
}

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}


struct work {
    mutable std::vector<double> buf;
    explicit work(int n) : buf(n) {}
    double solve(double x) const
    {
        double s = 0;

        for (size_t k = 0; k < buf.size(); k++)
            buf[k] = x + k;
        for (double v : buf)
            s += v;
        return s;
    }
};

struct finder {
    const double *t;
    mutable int last;
    int at(double x) const
    {
        for (last = 0; t[last + 1] < x; last++)
            ;
        return last;
    }
};

struct tick {
    int *n;
    ~tick()
    {
        (void)__atomic_fetch_add(&*n, 1, __ATOMIC_RELAXED);
    }
};

struct params {
    double &dt;
    explicit params(double &d) : dt(d) {}
    void halve() { dt *= 0.5; }
};

struct counter {
    int &n;
    explicit counter(int &of) : n(of) {}
    void next() { ++n; }
};

/* Left alone. */
static double objects(int n)
{
    work w(20);
    std::vector<double> scratch(16);
    std::function<double(int)> f = [scratch](int i) mutable {
        scratch[i % 16] = i;
        return scratch[i % 16];
    };
    double total = 0, other = 0;

#pragma omp parallel firstprivate(w)
    {
        double mine = 0;
#pragma omp for
        for (int i = 0; i < n; i++)
            mine += w.solve(i % 10);
        {
            pthread_mutex_lock(&port_critical);
            total += mine;
            pthread_mutex_unlock(&port_critical);
        }
    }
#pragma omp parallel for firstprivate(w) reduction(+ : other)
    for (int i = 0; i < n; i++)
        other += w.solve(i % 10);
#pragma omp parallel for firstprivate(f) reduction(+ : other)
    for (int i = 0; i < n; i++)
        other += f(i);
    return total + other;
}

static long threads_objects(int n)
{
    std::vector<double> table(200);
    std::vector<int> y(n);
    int ended = 0;
    long sum = 0;

    for (int i = 0; i < 200; i++)
        table[i] = i * 1.5;
    const double *t = &table[0];
    {
        const int port_threads = tweed_pool_num_workers(nullptr);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            finder f = { t, 0 };
            const int64_t i_count = int64_t(n);

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index;
                y[i] = f.at(i * 7919 % 290);
            }
        });
    }
    {
        const int port_threads = 3;

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            tick t = { &ended };
            const int64_t i_count = int64_t(n);

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index;
                y[i]++;
            }
        });
    }
    for (int i = 0; i < n; i++)
        sum += y[i] * (i % 7);
    return sum * 10 + ended;
}

/* By a reference, a member that is one, a lambda. */
static double other_names(int n)
{
    int size = n, &by_reference = size, limit = 10;
    double dt = 1, sum = 0;
    params p(dt);
    auto raise = [&] { limit = 99; };
    std::vector<double> x(2 * n, 0.0);

    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        struct port_own { // what a thread has
            int size;
        };
        std::vector<port_own> port_all((size_t)port_threads);
        const auto size_first = size;

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            int size = size_first;
            if (port_thread == 0)
                by_reference = 2 * n;
            port_all[(size_t)port_thread].size = static_cast<decltype(size) &&>(size);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &size = port_all[(size_t)port_thread].size;
            const int64_t i_count = int64_t(size);

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index;
                x[i] += 1;
            }
        });
    }
    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        struct port_own { // what a thread has
            double dt;
        };
        std::vector<port_own> port_all((size_t)port_threads);
        const auto dt_first = dt;

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            double dt = dt_first;
            const int64_t i_count = int64_t(n);

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index;
                x[i] += dt;
            }
            port_all[(size_t)port_thread].dt = static_cast<decltype(dt) &&>(dt);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            if (port_thread == 0)
                p.halve();
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &dt = port_all[(size_t)port_thread].dt;
            const int64_t i_count_2 = int64_t(n);

            for (int64_t i_index_2 = port_share(i_count_2, port_thread, port_threads),
                         i_end_2 = port_share(i_count_2, port_thread + 1, port_threads);
                 i_index_2 < i_end_2; i_index_2++) {
                int i = (int)i_index_2;
                x[i] += dt;
            }
        });
    }
    {
        const int port_threads = 2;
        struct port_own { // what a thread has
            int limit;
            double mine;
        };
        std::vector<port_own> port_all((size_t)port_threads);
        const auto limit_first = limit;

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            int limit = limit_first;
            double mine = 0;
            if (port_thread == 0)
                raise();
            port_all[(size_t)port_thread].limit = static_cast<decltype(limit) &&>(limit);
            port_all[(size_t)port_thread].mine = static_cast<decltype(mine) &&>(mine);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &limit = port_all[(size_t)port_thread].limit;
            auto &mine = port_all[(size_t)port_thread].mine;
            for (int k = 0; k < limit; k++)
                mine += 0.5;
            {
                pthread_mutex_lock(&port_critical);
                sum += mine;
                pthread_mutex_unlock(&port_critical);
            }
        });
    }
    for (double v : x)
        sum += v;
    return sum + dt + size + limit;
}

/* What a template's argument makes of a variable. */
template <class C> static long distinct(int n)
{
    std::vector<int> place(n);
    std::vector<char> seen(n, 0);
    int count = 0;
    long all = 0;
    C c(count);

    tweed::parallel_for<int>(0, n, [&](int i) {
        {
            pthread_mutex_lock(&port_critical);
            place[i] = count;
            c.next();
            pthread_mutex_unlock(&port_critical);
        }
    });
    for (int i = 0; i < n; i++)
        all += !seen[place[i]]++;
    return all;
}

int main()
{
    std::printf("%g %ld %g %ld\n", objects(500), threads_objects(500), other_names(100),
                distinct<counter>(500));
    return 0;
}
