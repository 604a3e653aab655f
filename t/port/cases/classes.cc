// A reduction that is false already, a class with its own +.
#include <climits>
#include <cstddef>
#include <cstdio>

struct greatest {
    int x;
    greatest(int a = 0) : x(a) {}
    greatest &operator+=(const greatest &o)
    {
        x += o.x;
        return *this;
    }
};
#pragma omp declare reduction(+ : greatest : omp_out.x = omp_in.x > omp_out.x ? omp_in.x \
        : omp_out.x) initializer(omp_priv = greatest(-1))

int main(int argc, char **)
{
    static int a[100], b[100];
    bool none = false, any = true;
    greatest g(-5);
    unsigned most[8] = { 0 };
    size_t low = (size_t)argc * 10, high = 5;
    int sum = 0;

    #pragma omp parallel for reduction(&&: none)
    for (int i = 0; i < 100; i++) {
        a[i] = i;
        none = none && a[i] >= 0;
    }
    #pragma omp parallel for reduction(||: any)
    for (int i = 0; i < 100; i++) {
        b[i] = i;
        any = any || b[i] > 100;
    }
    #pragma omp parallel for reduction(+: g)
    for (int i = 0; i < 100; i++)
        if (i % 37 > g.x)
            g.x = i % 37;
    #pragma omp parallel for
    for (unsigned i = UINT_MAX; i > UINT_MAX - 5; i--)
        most[UINT_MAX - i] = i;
    #pragma omp parallel for
    for (size_t i = low; i < high; i += 3)
        a[i % 100] += 1;
    for (int i = 0; i < 100; i++)
        sum += a[i] + 1000 * b[i];
    std::printf("%d %d %d %d %u\n", sum, none, any, g.x, most[0] - most[4]);
}
