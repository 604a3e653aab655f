#include <tweed.hpp>
#include <cstdio>
#include <vector>
#include <map>

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

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}

/* The next index of a chunk, or the first of the chunk that is next. */
static inline int port_next(int64_t *next, int64_t chunk, int64_t count, int64_t *index,
                            int64_t *end)
{
    if (*index < *end)
        return 1;
    *index = __atomic_fetch_add(next, chunk, __ATOMIC_RELAXED);
    *end = *index < count - chunk ? *index + chunk : count;
    return *index < count;
}

static pthread_mutex_t port_reduction = PTHREAD_MUTEX_INITIALIZER;

template <class T> void histogram(const std::vector<T> &img, std::vector<long> &hist)
{
    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        struct port_own { // what a thread has
            std::vector<long> local;
        };
        std::vector<port_own> port_all((size_t)port_threads);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            std::vector<long> local(hist.size(), 0);

            const int64_t i_count = int64_t(img.size());

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                size_t i = (size_t)i_index;
                local[img[i]]++;
            }
            port_all[(size_t)port_thread].local = static_cast<decltype(local) &&>(local);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &local = port_all[(size_t)port_thread].local;
            // merge
            {
                pthread_mutex_lock(&port_critical);
                for (size_t b = 0; b < hist.size(); b++)
                    hist[b] += local[b];
                pthread_mutex_unlock(&port_critical);
            }
        });
    }
}
struct best { double x; int at; };
best find(const double *x, int n)
{
    best all = { -1, -1 };
    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        int64_t i_next = 0;

        tweed::parallel_for<int>(0, port_threads, [&](int) {
            best mine = { -1, -1 };
            const int64_t i_count = int64_t(n);
            const int64_t i_chunk = i_count / (8 * port_threads) + 1;

            for (int64_t i_index = 0, i_end = 0;
                 port_next(&i_next, i_chunk, i_count, &i_index, &i_end); i_index++) {
                int i = (int)i_index;
                if (x[i] > mine.x) { mine.x = x[i]; mine.at = i; }
            }
            {
                pthread_mutex_lock(&port_critical);
                if (mine.x > all.x || (mine.x == all.x && mine.at < all.at)) all = mine;
                pthread_mutex_unlock(&port_critical);
            }
        });
    }
    return all;
}
double by_number(const std::vector<double> &x)
{
    std::vector<double> sums(tweed_pool_num_workers(NULL));
    double s = 0;
    {
        const int port_threads = 3;
        struct port_own { // what a thread has
            int n;
            double mine;
        };
        std::vector<port_own> port_all((size_t)port_threads);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            int t = port_thread, n = port_threads;
            size_t lo = x.size() * t / n, hi = x.size() * (t + 1) / n;
            double mine = 0;
            for (size_t i = lo; i < hi; i++) mine += x[i];
            sums[t] = mine;
            port_all[(size_t)port_thread].n = static_cast<decltype(n) &&>(n);
            port_all[(size_t)port_thread].mine = static_cast<decltype(mine) &&>(mine);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &n = port_all[(size_t)port_thread].n;
            if (port_thread == 0)
                for (int k = 0; k < n; k++)
                    s += sums[k];
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &mine = port_all[(size_t)port_thread].mine;
            mine += s;
            {
                pthread_mutex_lock(&port_critical);
                s += mine - s;
                pthread_mutex_unlock(&port_critical);
            }
        });
    }
    return s > 0;
}
double pr(std::vector<double> x)
{
    double sum = 0; int count = 0; int k = 5;
    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        struct port_own { // what a thread has
            int k;
            double part[2];
            double sum;
            int count;
        };
        std::vector<port_own> port_all((size_t)port_threads);
        const auto k_first = k;
        auto &sum_all = sum;
        auto &count_all = count;

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            int k = k_first;
            double sum = 0;
            int count = 0;
            double part[2] = { 0, 0 };
            k++;
            const auto it_first = x.begin();
            const int64_t it_count = (x.end()) - (x.begin());

            for (int64_t it_index = port_share(it_count, port_thread, port_threads),
                         it_end = port_share(it_count, port_thread + 1, port_threads);
                 it_index < it_end; it_index++) {
                auto it = it_first + it_index;
                part[*it > 3] += *it + k;
            }
            port_all[(size_t)port_thread].k = static_cast<decltype(k) &&>(k);
            __builtin_memcpy(&port_all[(size_t)port_thread].part, &part, sizeof part);
            port_all[(size_t)port_thread].sum = static_cast<decltype(sum) &&>(sum);
            port_all[(size_t)port_thread].count = static_cast<decltype(count) &&>(count);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &part = port_all[(size_t)port_thread].part;
            auto &sum = port_all[(size_t)port_thread].sum;
            auto &count = port_all[(size_t)port_thread].count;
            sum += part[0] + part[1];
            const int64_t i_count = 10;

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) { count++;
            }
            pthread_mutex_lock(&port_reduction);
            sum_all += sum;
            count_all += count;
            pthread_mutex_unlock(&port_reduction);
        });
    }
    return sum + count;
}
long most(int n)
{
    std::vector<long> sums(tweed_pool_num_workers(NULL));
    long all = 0;
    {
        tweed::parallel_for<int>(0, n, [&](int i) { sums[port_thread_num()] += i; });
    }
    all += tweed::parallel_sum<long>((size_t)(0), (size_t)(sums.size()), [&](size_t i) -> long {
        long all{};
        all += sums[i];
        return all;
    });
    return all;
}
int main()
{
    std::vector<int> img(1000);
    for (int i = 0; i < 1000; i++) img[i] = i * 7 % 16;
    std::vector<long> hist(16);
    histogram(img, hist);
    for (long h : hist) std::printf("%ld ", h);
    std::vector<double> x(500);
    for (int i = 0; i < 500; i++) x[i] = i * 31 % 499;
    best b = find(x.data(), 500);
    std::printf("%g %d\n", b.x, b.at);
    std::printf("%g\n", by_number(x));
    std::map<int, int> counts;
    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        struct port_own { // what a thread has
            std::map<int, int> own;
        };
        std::vector<port_own> port_all((size_t)port_threads);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            std::map<int, int> own;
            const int64_t i_count = 1000;

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index; own[img[i] % 5]++;
            }
            port_all[(size_t)port_thread].own = static_cast<decltype(own) &&>(own);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &own = port_all[(size_t)port_thread].own;
            {
                pthread_mutex_lock(&port_critical);
                for (auto &p : own) counts[p.first] += p.second;
                pthread_mutex_unlock(&port_critical);
            }
        });
    }
    for (auto &p : counts) std::printf("%d:%d ", p.first, p.second);
    std::printf("%g %ld\n", pr(x), most(100));
}
