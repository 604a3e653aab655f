// Reductions of members, by references, of types that a template is given.
#include <tweed.hpp>
#include <cstdio>
#include <vector>
#include <complex>

template <class V> typename V::value_type mean(const V &v)
{
    typename V::value_type s = typename V::value_type(), lo = v[0];
    {
        struct loop_sums {
            typename V::value_type s;
            typename V::value_type lo;
        };
        const loop_sums loop_result = tweed::parallel_reduce((size_t)(0), (size_t)(v.size()), loop_sums{ 0, lo }, [&](size_t i, loop_sums &loop_acc) {
            typename V::value_type &s = loop_acc.s;
            typename V::value_type &lo = loop_acc.lo;

            s += v[i];
            if (v[i] < lo)
                lo = v[i];
        }, [](loop_sums &into, const loop_sums &from) {
            into.s += from.s;
            if (from.lo < into.lo)
                into.lo = from.lo;
        });
        s += loop_result.s;
        if (loop_result.lo < lo)
            lo = loop_result.lo;
    }
    return s + lo;
}

template <class T> struct stat {
    T sum, most;
    int n;
    void take(const T *x, int count)
    {
        T s = 0, m = x[0];
        s += tweed::parallel_sum<T>((int)(0), (int)(count), [&](int i) -> T {
            T s{};

            s += x[i];
            return s;
        });
        m = tweed::parallel_reduce((int)(0), (int)(count), T(m), [&](int i, T &m) {
            m = x[i] > m ? x[i] : m;
        }, [](T &into, const T &from) {
            if (from > into)
                into = from;
        });
        sum = s;
        most = m;
        n += tweed::parallel_sum<int>((int)(0), (int)(count), [&](int i) -> int {
            int n{};

            n += x[i] > 3;
            return n;
        });
        {
            struct loop_sums {
                T sum;
                int n;
                T most;
            };
            const loop_sums loop_result = tweed::parallel_reduce((int)(0), (int)(count), loop_sums{ 0, 0, most }, [&](int i, loop_sums &loop_acc) {
                T &sum = loop_acc.sum;
                int &n = loop_acc.n;
                T &most = loop_acc.most;

                if (!x[i])
                    return;
                sum += x[i];
                n++;
                most = x[i] + twice(i) > most ? x[i] + twice(i) : most;
            }, [](loop_sums &into, const loop_sums &from) {
                into.sum += from.sum;
                into.n += from.n;
                if (from.most > into.most)
                    into.most = from.most;
            });
            sum += loop_result.sum;
            n += loop_result.n;
            if (loop_result.most > most)
                most = loop_result.most;
        }
    }
    T twice(int i) const { return 2 * i; }
};

struct both {
    double low;
    long times;
    int a[4];
    void go(const std::vector<double> &x)
    {
        low = tweed::parallel_reduce((size_t)(0), (size_t)(x.size()), double(low), [&](size_t i, double &low) {
            low = x[i] - 50 < low ? x[i] - 50 : low;
        }, [](double &into, const double &from) {
            if (from < into)
                into = from;
        });
        times *= tweed::parallel_reduce_2d(0, 10, 0, 2, long(1), [&](int i, int j, long &times) {
                times *= i + j > 10 ? 3 : 1;
        }, [](long &into, const long &from) {
            into *= from;
        });
        #pragma omp parallel for reduction(+: times)
        for (int i = 0; i < 10; i++)
            this->times += i * 0;
        #pragma omp parallel for reduction(+: a)
        for (int i = 0; i < 10; i++)
            a[i % 4] += i;
    }
};

static void by_reference(double &total, const std::vector<double> &x)
{
    {
        const auto it_first = x.begin();
        total += tweed::parallel_sum<double>((int64_t)(0), (int64_t)((x.end()) - (x.begin())), [&](int64_t it_index) -> double {
            auto it = it_first + it_index;
            double total{};

            total += *it;
            return total;
        });
    }
}

int main()
{
    std::vector<double> x(1000);
    double all = 1;
    both b = { 1000, 2, { 1, 2, 3, 4 } };
    stat<long> s = { 0, 0, 0 };
    long y[100];
    for (int i = 0; i < 1000; i++)
        x[i] = (i * 7) % 31;
    for (int i = 0; i < 100; i++)
        y[i] = i % 9;
    by_reference(all, x);
    s.take(y, 100);
    b.times = 2;
    b.go(x);
    std::printf("%g %d ", b.low, b.a[2]);
    std::printf("%g %g %ld %ld %d\n", mean(x), all, s.sum, s.most, s.n);
}
