// Copies that the threads of a region have, of variables that change by another name.
#include <tweed.hpp>
#include <cstdio>

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}

#include <vector>


static int y[64];
static int level = 3;

static void raise_level()
{
    level = 50;
}

static int by_reference()
{
    int x = 3, &r = x, seen = 0;

    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        struct port_own { // what a thread has
            int x;
        };
        std::vector<port_own> port_all((size_t)port_threads);
        const auto x_first = x;

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            int x = x_first;
            if (port_thread == 0)
                r = 50;
            port_all[(size_t)port_thread].x = static_cast<decltype(x) &&>(x);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &x = port_all[(size_t)port_thread].x;
            const int64_t i_count = 64;

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index;
                y[i] = x;
            }
        });
    }
    seen = y[3];
    tweed::parallel_for<int>(0, 64, [&, x](int i) {
        if (i == 0)
            r = 70;
        y[i] = x;
    });
    return x * 100 + y[3] + seen;
}

static int by_lambda()
{
    int x = 3;
    auto set = [&] { x = 50; };

    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        struct port_own { // what a thread has
            int x;
        };
        std::vector<port_own> port_all((size_t)port_threads);
        const auto x_first = x;

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            int x = x_first;
            if (port_thread == 0)
                set();
            port_all[(size_t)port_thread].x = static_cast<decltype(x) &&>(x);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &x = port_all[(size_t)port_thread].x;
            const int64_t i_count = 64;

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index;
                y[i] = x;
            }
        });
    }
    return x * 100 + y[3];
}

static int by_call()
{
    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        struct port_own { // what a thread has
            int level;
        };
        std::vector<port_own> port_all((size_t)port_threads);
        const auto level_first = level;

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            int level = level_first;
            if (port_thread == 0)
                raise_level();
            port_all[(size_t)port_thread].level = static_cast<decltype(level) &&>(level);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &level = port_all[(size_t)port_thread].level;
            const int64_t i_count = 64;

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index;
                y[i] = level;
            }
        });
    }
    return level * 100 + y[3];
}

static int in_single()
{
    int rounds = 0, x = 3, seed = 42, s = 0;

    for (int i = 0; i < 5; i++) {
        {
            const int port_threads = tweed_pool_num_workers(nullptr);
            struct port_own { // what a thread has
                int seed;
            };
            std::vector<port_own> port_all((size_t)port_threads);
            const auto seed_first = seed;

            tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
                int x;
                int seed = seed_first;
                if (port_thread == 0)
                    for (x = 0, seed++; x < 64; x++)
                        s += seed;
                port_all[(size_t)port_thread].seed = static_cast<decltype(seed) &&>(seed);
            });
            tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
                const int64_t k_count = 64;

                for (int64_t k_index = port_share(k_count, port_thread, port_threads),
                             k_end = port_share(k_count, port_thread + 1, port_threads);
                     k_index < k_end; k_index++) {
                    int k = (int)k_index;
                    y[k] = s;
                }
            });
        }
        rounds++;
    }
    return rounds + x * 100 + y[3] + seed;
}

// Nothing changes it.
static int unchanged(int n)
{
    {
        y[0] = 1;
        tweed::parallel_for<int>(1, 64, [&, n](int i) {
            y[i] = n;
        });
    }
    return y[3] + n;
}

int main()
{
    std::printf("%d %d %d\n", by_reference(), by_lambda(), by_call());
    std::printf("%d %d\n", in_single(), unchanged(4));
}
