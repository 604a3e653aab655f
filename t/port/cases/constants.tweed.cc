/*
 * Scalars and pointers that nobody changes go by value.  What is changed, by its name, by a
 * lambda or by a reference, or may be, goes by reference, and what has no first value.
 */
#include <tweed.hpp>
#include <cstdio>

static void scale(double *y, const double *x, double a, int n, int *const last)
{
    double b = 2 * a, c;
    volatile int off = 1;
    int late = 3, counted = 0, seen = 0;
    int &other = seen;
    int *at = &late;
    auto count = [&] { counted++; };

    c = a;
    tweed::parallel_for<int>(0, n, [&, y, a, x, b, at, n](int i) {
        y[i] = a * x[i] + b + c + off + *at + (n - n);
    });
    *at = 4;
    other++;
    count();
    tweed::parallel_for<int>(0, n, [&, y](int i) {
        y[i] += late + counted + seen + *last;
    });
}

int main()
{
    double x[50], y[50], sum = 0;
    int n = 50, last = 7;

    for (int i = 0; i < n; i++)
        x[i] = i;
    scale(y, x, 0.5, n, &last);
    sum += tweed::parallel_sum<double>((int)(0), (int)(n), [&](int i) -> double {
        double sum{};

        sum += y[i] * n;
        return sum;
    });
    n++;
    std::printf("%g %d\n", sum, n);
    return 0;
}
