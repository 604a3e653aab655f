// Reductions of members, by references, of types that a template is given.
#include <cstdio>
#include <vector>
#include <complex>

template <class V> typename V::value_type mean(const V &v)
{
    typename V::value_type s = typename V::value_type(), lo = v[0];
    #pragma omp parallel for reduction(+: s) reduction(min: lo)
    for (size_t i = 0; i < v.size(); i++) {
        s += v[i];
        if (v[i] < lo)
            lo = v[i];
    }
    return s + lo;
}

template <class T> struct stat {
    T sum, most;
    int n;
    void take(const T *x, int count)
    {
        T s = 0, m = x[0];
        #pragma omp parallel for reduction(+: s)
        for (int i = 0; i < count; i++)
            s += x[i];
        #pragma omp parallel for reduction(max: m)
        for (int i = 0; i < count; i++)
            m = x[i] > m ? x[i] : m;
        sum = s;
        most = m;
        #pragma omp parallel for reduction(+: n)
        for (int i = 0; i < count; i++)
            n += x[i] > 3;
        #pragma omp parallel for reduction(+: sum, n) reduction(max: most)
        for (int i = 0; i < count; i++) {
            if (!x[i])
                continue;
            sum += x[i];
            n++;
            most = x[i] + twice(i) > most ? x[i] + twice(i) : most;
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
        #pragma omp parallel for reduction(min: low)
        for (size_t i = 0; i < x.size(); i++)
            low = x[i] - 50 < low ? x[i] - 50 : low;
        #pragma omp parallel for reduction(*: times) collapse(2)
        for (int i = 0; i < 10; i++)
            for (int j = 0; j < 2; j++)
                times *= i + j > 10 ? 3 : 1;
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
    #pragma omp parallel for reduction(+: total)
    for (auto it = x.begin(); it < x.end(); ++it)
        total += *it;
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
