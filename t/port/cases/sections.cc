// Reductions of arrays, and of sections of them; of types that a template is given.
#include <cstdio>
#include <vector>

template <class T> static void hist(const std::vector<T> &x, T *h, int m)
{
    #pragma omp parallel for reduction(+: h[:m])
    for (size_t i = 0; i < x.size(); i++) {
        if (x[i] < 0)
            continue;
        h[(int)x[i] % m] += x[i];
    }
}

struct grid {
    int n;
    std::vector<double> v;
    double norm(int from) const
    {
        double part[4] = { 1, 2, 3, 4 }, low = 1e9;
        int seen = 0;
        #pragma omp parallel for reduction(+: part, seen) reduction(min: low) num_threads(3)
        for (int i = from; i < n; i++) {
            part[i & 3] += v[i];
            if (v[i] < low)
                low = v[i];
            seen++;
        }
        return part[0] + 2 * part[1] + 3 * part[2] + 4 * part[3] + low * seen;
    }
};

template <class T> T total(const T *x, long n)
{
    T s = T(), low = x[0];
    #pragma omp parallel for reduction(+: s) reduction(min: low)
    for (long i = 0; i < n; i++) {
        s += x[i];
        low = x[i] < low ? x[i] : low;
    }
    return s + low;
}

int main()
{
    std::vector<int> x(5000);
    int h[16] = { 3 }, top[10];
    unsigned bits[4] = { ~0u, ~0u, 0, 1 };
    grid g;
    long *far = new long[100]();
    for (int i = 0; i < 5000; i++)
        x[i] = i * 7919 % 977 - 5;
    hist(x, h, 16);
    for (int i = 0; i < 10; i++)
        top[i] = 50;
    #pragma omp parallel for reduction(max: top[2:5])
    for (int i = 0; i < 5000; i++) {
        int k = 2 + i % 5;
        if (x[i] > top[k])
            top[k] = x[i];
    }
    #pragma omp parallel for reduction(&: bits[:4])
    for (int i = 0; i < 100; i += 3)
        bits[i % 4] &= ~(1u << i % 7);
    int lo = 10;
    #pragma omp parallel for reduction(+: far[lo * 2:30]) if(lo > 5)
    for (int i = 4999; i >= 0; i--)
        far[20 + i % 30] += i;
    g.n = 4000;
    for (int i = 0; i < 4000; i++)
        g.v.push_back(i * 0.5);
    long a = 0;
    for (int i = 0; i < 16; i++)
        a = a * 3 + h[i];
    for (int i = 0; i < 10; i++)
        a = a * 3 + top[i];
    for (int i = 0; i < 100; i++)
        a = a * 3 + far[i];
    std::printf("%ld %x %x %g %g\n", a, bits[0], bits[1], g.norm(5),
                total(g.v.data(), 4000));
    delete[] far;
}
