#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>
#include <omp.h>
template <class T> struct graph {
    std::vector<T> v;
    T total(T start) const {
        T sum = 0;
        #pragma omp parallel for reduction(+ : sum) schedule(dynamic, 64)
        for (T n = 0; n < (T)v.size(); n++) sum += v[n];
        return sum + start;
    }
    void fill() {
        #pragma omp parallel for
        for (size_t n = 0; n < v.size(); n++)
            v[n] = static_cast<T>(n);
    }
    void twice() {
        #pragma omp parallel for
        for (auto it = v.begin(); it < v.end(); it++)
            *it *= 2;
    }
};
int main()
{
    graph<int> g;
    double most = 0, t, least = 1e9; int last = 0, n = 1000, count = 0, off = 3;
    g.v.resize(1000);
    g.fill(); g.twice();
    std::printf("%d\n", g.total(3));
#pragma omp parallel for private(t) reduction(max:most)
    for (int i = 0; i < n; i++) {
        t = std::sin(i);
        if (t < 0) continue;
        most = std::fmax(most, t);
    }
#pragma omp parallel for reduction(min:least) reduction(+:count) firstprivate(off)
    for (int i = 0; i < n; i += 2) {
        count += off;
        if (g.v[i] < least) least = g.v[i];
    }
#pragma omp parallel for lastprivate(last) firstprivate(off)
    for (int i = 0; i < n; i++)
        last = i + off;
#pragma omp parallel for collapse(2) num_threads(2)
    for (int i = 0; i < 10; i++) {
        for (int j = 0; j < 10; j++) {
            g.v[i * 10 + j] = i - j;
        }
    }
    std::vector<std::function<int()>> f(20);
#pragma omp parallel for
    for (int i = 0; i < 10; i++)
        f[i] = [=] { return i; };
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 10; i < 20; i++)
            f[i] = [=] {
                return i;
            };
#pragma omp for reduction(+ : count)
        for (int i = 0; i < 10; i++)
            count += [&] { return i + off; }();
    }
#pragma omp parallel for
    for (int i = 10; i < 20; i++)
#pragma omp critical
        f[0] = [] { return 7; };
    std::printf("%d %d\n", f[0](), f[12]());
    std::printf("%g %g %d %d %d\n", most, least, count, last, g.total(0));
}
