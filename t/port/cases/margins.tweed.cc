/*
 * Pragmas at the left margin, bodies on one line, and variables that only pragmas name: what comes
 * of them has no warnings that were not there.
 */
#include <tweed.hpp>
#include <cstdio>

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

#include <vector>


static int fib(int n)
{
    tweed::task_group port_tasks;
    int x = 0, y = 0, z = 0;

    if (n < 2)
        return n;
    if (n > 0)
        port_tasks.run([=, &x] { x = fib(n - 1); });
    {
        auto port_task = [=, &y]
        {
            y = fib(n - 2);
        };

        if (n > 3)
            port_tasks.run(port_task);
        else
            port_task();
    }
    port_tasks.wait();
    if (n > 2)
        z = 1;
    {
        port_tasks.run([&] {
            z -= z;
        });
    }
    port_tasks.wait();
    port_tasks.wait();
    return x + y + z;
}

static int counted(int n)
{
    int sum = 0;

    for (int k = 0; k < 5; k++)
        tweed::parallel_for<int>(0, n, [&](int) {
            {
                pthread_mutex_lock(&port_critical);
                sum++;
                pthread_mutex_unlock(&port_critical);
            }
        });
    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        struct port_own { // what a thread has
            int mine;
        };
        std::vector<port_own> port_all((size_t)port_threads);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            int mine = 0;
            const int64_t i_count = int64_t(n);

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                mine++;
            }
            port_all[(size_t)port_thread].mine = static_cast<decltype(mine) &&>(mine);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &mine = port_all[(size_t)port_thread].mine;
            {
                pthread_mutex_lock(&port_critical);
                sum += mine;
                pthread_mutex_unlock(&port_critical);
            }
        });
    }
    return sum;
}

static int on_one_line(int n)
{
    int last = 0, k = 0, s = 0, q = 0;

    {
        const int i_last = n - 1;
        auto &last_last = last;
        auto &q_last = q;
        s += tweed::parallel_sum<int>((int)(0), (int)(n), [&](int i) -> int {
            int last{};
            int q{};
            int s{};
            do { if (i > 8) last = i; if (i > 1) s++; if (i > 20) continue; q = 1;
            } while (0);
            if (i == i_last)
                last_last = last;
            if (i == i_last)
                q_last = q;
            return s;
        });
    }
    {
        const int i_last = n - 1;
        auto &k_last = k;
        tweed::parallel_for<int>(0, n, [&](int i) {
            int k{};
            if (i > 2) k = i;
            if (i == i_last)
                k_last = k;
        });
    }
    {
        const int i_last = n - 1;
        auto &k_last = k;
        tweed::parallel_for<int>(0, n, [&](int i) {
            int k{};

            if (i > 2)
                k = i;
            if (i == i_last)
                k_last = k;
        });
    }
    s += tweed::parallel_sum<int>((int)(0), (int)(n), [&](int i) -> int {
        int s{};
        if (i > 2) s++;
        if (i > 3) s++;
        return s;
    });
    s = tweed::parallel_reduce((int)(0), (int)(n), int(s), [&](int i, int &s) { if (i > s) s = i; if (i > 30) s++; }, [](int &into, const int &from) {
        if (from > into)
            into = from;
    });
    return last + 10 * k + 100 * s + q;
}

int main()
{
    int r = 0;

    r = fib(10);
    std::printf("%d %d %d\n", r, counted(10), on_one_line(12));
    return 0;
}
