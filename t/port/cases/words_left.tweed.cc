// A chunk's size is said, and its indices share a word, or what a function writes.
#include <tweed.hpp>
#include <cstdio>
#include <vector>
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
static void begin(int i, double &base)
{
    if (i % 4 == 0)
        base = i * 0.5;
}
int main()
{
    const int n = 64 * 20;
    std::vector<bool> odd(n);
    std::vector<double> y(n), sum(n / 64);
    double base = 0;
    tweed::parallel_for<int>(0, n, [&](int i) {
        odd[i] = i % 3 == 1;
    }, tweed::loop_options().grain(64));
    tweed::parallel_for<int>(0, n, [&](int i) {
        sum[i / 64] += i;
    }, tweed::loop_options().grain(64));
#pragma omp parallel for schedule(static, 4) private(base)
    for (int i = 0; i < n; i++) {
        begin(i, base);
        y[i] = base + i;
    }
    /* they only read here */
    tweed::parallel_for<int>(0, n, [&](int i) {
        y[i] += odd[i] ? sum[i / 64] : 1;
    }, tweed::loop_options().grain(64));
    for (int i = 0; i < n; i++)
        base += y[i] * (i % 5);
    std::printf("%.1f\n", base);
}
