// Variables that only pragmas name, in C++, and indices that nothing uses.
#include <tweed.hpp>
#include <cstdio>

static double x[1000];

static void scale(int n, double by, int chunk)
{
    tweed::parallel_for<int>(0, n, [&, by](int i) {
        x[i] = x[i] * by + 1;
    }, tweed::loop_options().grain(chunk));
}

static long fib(int n)
{
    long a, b;

    if (n < 2)
        return n;
    tweed::parallel_invoke(
        [=, &a] { a = fib(n - 1); },
        [=, &b] { b = fib(n - 2); });
    return a + b;
}

int main()
{
    int chunk = 10, size = 1000, quarter = size / 4;
    (void)quarter;
    long f = 0;
    double sum = 0;

    scale(size, 2, 5);
    sum += tweed::parallel_sum<double>((int)(0), (int)(1000), [&](int i) -> double {
        double sum{};

        sum += x[i];
        return sum;
    }, tweed::loop_options().grain(chunk));
    tweed::parallel_for<int>(0, 1000, [&](int) {
        x[0] = 1;
    });
    f = fib(15);
    std::printf("%g %ld\n", sum + x[0], f);
    return 0;
}
