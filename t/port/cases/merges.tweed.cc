/*
 * What each thread gathers in a container, or a generator of its own, goes over a barrier.
 */
#include <tweed.hpp>
#include <algorithm>
#include <array>
#include <complex>
#include <cstdio>
#include <map>
#include <random>
#include <string>
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


struct pair_of { int a; double b; };

static long lists(int n)
{
    std::vector<int> all;

    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        struct port_own { // what a thread has
            std::vector<int> mine;
        };
        std::vector<port_own> port_all((size_t)port_threads);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            std::vector<int> mine;
            const int64_t i_count = int64_t(n);

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index;
                if (i % 3 == 0)
                    mine.push_back(i);
            }
            port_all[(size_t)port_thread].mine = static_cast<decltype(mine) &&>(mine);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &mine = port_all[(size_t)port_thread].mine;
            std::sort(mine.begin(), mine.end(), [](int a, int b) { return a > b; });
            {
                pthread_mutex_lock(&port_critical);
                all.insert(all.end(), mine.begin(), mine.end());
                pthread_mutex_unlock(&port_critical);
            }
        });
    }
    std::sort(all.begin(), all.end());
    return all.size() * 1000 + all.back();
}

static long counts(int n)
{
    std::map<std::string, long> all;
    std::vector<double> sums(8);

    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        struct port_own { // what a thread has
            std::vector<double> rows;
            std::map<std::basic_string<char>, long> mine;
            std::array<int, 4> last;
        };
        std::vector<port_own> port_all((size_t)port_threads);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            std::map<std::string, long> mine;
            std::vector<double> rows(8, 0.0);
            std::array<int, 4> last = {};
            const int64_t i_count = int64_t(n);

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index;
                double &row = rows[i % 8];

                auto found = mine.find(i % 2 ? "odd" : "even");
                if (found == mine.end())
                    mine[i % 2 ? "odd" : "even"] = i;
                else
                    found->second += i;
                row += i;
                last[i % 4] = i;
            }
            port_all[(size_t)port_thread].rows = static_cast<decltype(rows) &&>(rows);
            port_all[(size_t)port_thread].mine = static_cast<decltype(mine) &&>(mine);
            port_all[(size_t)port_thread].last = static_cast<decltype(last) &&>(last);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &rows = port_all[(size_t)port_thread].rows;
            auto &mine = port_all[(size_t)port_thread].mine;
            auto &last = port_all[(size_t)port_thread].last;
            {
                pthread_mutex_lock(&port_critical);
                for (const auto &kv : mine)
                    all[kv.first] += kv.second;
                for (size_t k = 0; k < rows.size(); k++)
                    sums[k] += rows[k] + 0 * last[k % 4];
                pthread_mutex_unlock(&port_critical);
            }
        });
    }
    return all["odd"] * 3 + all["even"] + (long)sums[3];
}

static double drawn(int n)
{
    double least = 1e9;
    std::complex<double> turned = 0;
    pair_of best = { -1, 1e9 };

    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        struct port_own { // what a thread has
            std::complex<double> mine;
            pair_of low;
            double first;
        };
        std::vector<port_own> port_all((size_t)port_threads);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            std::mt19937 generator(17);
            std::uniform_real_distribution<double> of(0.0, 1.0);
            std::complex<double> mine(0, 0);
            pair_of low = { -1, 1e9 };
            double first = of(generator);
            const int64_t i_count = int64_t(n);

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index;
                double x = (i * 37 % 101) / 101.0;

                mine += std::complex<double>(0, i);
                if (x < low.b || (x == low.b && i < low.a)) {
                    low.a = i;
                    low.b = x;
                }
            }
            port_all[(size_t)port_thread].mine = static_cast<decltype(mine) &&>(mine);
            port_all[(size_t)port_thread].low = static_cast<decltype(low) &&>(low);
            port_all[(size_t)port_thread].first = static_cast<decltype(first) &&>(first);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &mine = port_all[(size_t)port_thread].mine;
            auto &low = port_all[(size_t)port_thread].low;
            auto &first = port_all[(size_t)port_thread].first;
            {
                pthread_mutex_lock(&port_critical);
                least = std::min(least, first);
                turned += mine;
                if (low.b < best.b || (low.b == best.b && low.a < best.a))
                    best = low;
                pthread_mutex_unlock(&port_critical);
            }
        });
    }
    return least + turned.imag() + best.a + best.b;
}

int main()
{
    std::printf("%ld %ld %.6f\n", lists(1000), counts(1000), drawn(100));
    return 0;
}
