#include <tweed.hpp>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include <type_traits>

#include <pthread.h>

extern "C" {
__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;
}

template <class T> struct graph {
    std::vector<T> v;
    T total(T start) const {
        T sum = 0;
        {
            static_assert(std::is_integral<T>::value, "an index");
            sum += tweed::parallel_sum<T>((T)(0), (T)((T)v.size()), [&](T n) -> T {
                T sum{};
                sum += v[n];
                return sum;
            }, tweed::loop_options().grain(64));
        }
        return sum + start;
    }
    void fill() {
        tweed::parallel_for<size_t>(0, v.size(), [&](size_t n) {
            v[n] = static_cast<T>(n);
        });
    }
    void twice() {
        {
            const auto it_first = v.begin();
            static_assert(!std::is_integral<decltype(it_first)>::value, "an iterator");
            tweed::parallel_for<int64_t>(0, (v.end()) - (v.begin()), [&](int64_t it_index) {
                auto it = it_first + it_index;

                *it *= 2;
            });
        }
    }
};
int main()
{
    graph<int> g;
    double most = 0, least = 1e9; int last = 0, n = 1000, count = 0, off = 3;
    g.v.resize(1000);
    g.fill(); g.twice();
    std::printf("%d\n", g.total(3));
    most = tweed::parallel_reduce((int)(0), (int)(n), double(most), [&](int i, double &most) {
        double t;

        t = std::sin(i);
        if (t < 0) return;
        most = std::fmax(most, t);
    }, [](double &into, const double &from) {
        if (from > into)
            into = from;
    });
    {
        const auto i_first = 0;
        struct loop_sums {
            int count;
            double least;
        };
        const loop_sums loop_result = tweed::parallel_reduce((int64_t)(0), (int64_t)((int64_t(n) + 1) / 2), loop_sums{ 0, least }, [&, off](int64_t i_index, loop_sums &loop_acc) {
            int i = (int)((int64_t)i_first + i_index * 2);
            int &count = loop_acc.count;
            double &least = loop_acc.least;

            count += off;
            if (g.v[i] < least) least = g.v[i];
        }, [](loop_sums &into, const loop_sums &from) {
            into.count += from.count;
            if (from.least < into.least)
                into.least = from.least;
        });
        count += loop_result.count;
        if (loop_result.least < least)
            least = loop_result.least;
    }
    {
        const int i_last = n - 1;
        auto &last_last = last;
        tweed::parallel_for<int>(0, n, [&, off](int i) {
            int last;

            last = i + off;
            if (i == i_last)
                last_last = last;
        });
    }
    tweed::parallel_for_2d(0, 10, 0, 10, [&](int i, int j) {
            g.v[i * 10 + j] = i - j;
        }, tweed::loop_options().max_workers(2));
    std::vector<std::function<int()>> f(20);
    tweed::parallel_for<int>(0, 10, [&](int i) {
        f[i] = [=] { return i; };
    });
    {
        tweed::parallel_for<int>(10, 20, [&](int i) {
            f[i] = [=] {
                return i;
            };
        });
        count += tweed::parallel_sum<int>((int)(0), (int)(10), [&](int i) -> int {
            int count{};

            count += [&] { return i + off; }();
            return count;
        });
    }
    tweed::parallel_for<int>(10, 20, [&](int) {
        {
            pthread_mutex_lock(&port_critical);
            f[0] = [] { return 7; };
            pthread_mutex_unlock(&port_critical);
        }
    });
    std::printf("%d %d\n", f[0](), f[12]());
    std::printf("%g %g %d %d %d\n", most, least, count, last, g.total(0));
}
