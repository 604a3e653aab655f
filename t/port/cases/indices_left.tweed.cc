// The variable of a loop keeps the type that it is declared with.
#include <tweed.hpp>
#include <cstdio>
#include <vector>

#include <type_traits>

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

static long touch(int &x) { return x * 100L; }
static long touch(const int &x) { return x; }
template <class It> static long sum_of(It begin, It end)
{
    long s = 0;
#pragma omp parallel for reduction(+ : s)
    for (auto it = begin; it < end; ++it)
        s += *it;
    return s;
}
/* an index that is a template's */
template <class T> static unsigned long hash_of(T lo, T hi)
{
    unsigned long all = 0;
    {
        static_assert(std::is_integral<T>::value, "an index");
        all += tweed::parallel_sum<unsigned long>((T)(lo), (T)(hi), [&](T i) -> unsigned long {
            unsigned long all{};

            all += (i * 2654435761u) >> 3;
            return all;
        });
    }
#pragma omp parallel for reduction(+ : all)
    for (auto i = lo; i < hi; ++i)
        all += (i * 2654435761u) >> 5;
    return all;
}
template <class T> static unsigned long mix(const std::vector<int> &x, T n)
{
    unsigned long all = 0;
#pragma omp parallel
    {
        unsigned long mine = 0;
#pragma omp for
        for (T i = 0; i < n; ++i)
            mine += ((i * 2654435761u) >> 5) + x[i];
        {
            pthread_mutex_lock(&port_critical);
            all += mine;
            pthread_mutex_unlock(&port_critical);
        }
    }
    return all;
}
template <class T> static void clear(std::vector<T> &v)
{
    {
        const auto it_first = v.begin();
        static_assert(!std::is_integral<decltype(it_first)>::value, "an iterator");
        tweed::parallel_for<int64_t>(0, (v.end()) - (v.begin()), [&](int64_t it_index) {
            auto it = it_first + it_index;

            *it = 0;
        });
    }
}
int main()
{
    std::vector<int> v(1000, 2);
    int *a = v.data();
    long s = touch(v[0]);
    {
        const std::vector<int>::const_iterator it_first = v.begin();
        s += tweed::parallel_sum<long>((int64_t)(0), (int64_t)((v.end()) - (v.begin())), [&](int64_t it_index) -> long {
            std::vector<int>::const_iterator it = it_first + it_index;
            long s{};

            s += touch(*it);
            return s;
        });
    }
    {
        const int *const p_first = a;
        s += tweed::parallel_sum<long>((int64_t)(0), (int64_t)((a + 1000) - a), [&](int64_t p_index) -> long {
            const int *p = p_first + p_index;
            long s{};

            s += touch(*p);
            return s;
        });
    }
    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        struct port_own { // what a thread has
            long mine;
        };
        std::vector<port_own> port_all((size_t)port_threads);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            long mine = 0;
            const std::vector<int>::const_iterator it_first = v.begin();
            const int64_t it_count = (v.end()) - (v.begin());

            for (int64_t it_index = port_share(it_count, port_thread, port_threads),
                         it_end = port_share(it_count, port_thread + 1, port_threads);
                 it_index < it_end; it_index++) {
                std::vector<int>::const_iterator it = it_first + it_index;
                mine += touch(*it);
            }
            port_all[(size_t)port_thread].mine = static_cast<decltype(mine) &&>(mine);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &mine = port_all[(size_t)port_thread].mine;
            const int *const p_first = a;
            const int64_t p_count = (a + 1000) - a;

            for (int64_t p_index = port_share(p_count, port_thread, port_threads),
                         p_end = port_share(p_count, port_thread + 1, port_threads);
                 p_index < p_end; p_index++) {
                const int *p = p_first + p_index;
                mine += touch(*p);
            }
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &mine = port_all[(size_t)port_thread].mine;
            {
                pthread_mutex_lock(&port_critical);
                s += mine;
                pthread_mutex_unlock(&port_critical);
            }
        });
    }
    std::printf("%ld %ld %lu %lu\n", s, sum_of(v.begin(), v.end()), hash_of(3u, 90u),
                hash_of(50u, 40u) + mix(v, 1000u));
    clear(v);
    std::printf("%d\n", v[500]);
}
