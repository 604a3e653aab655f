// Reductions that the user declares, of classes.
#include <algorithm>
#include <complex>
#include <cstdio>
#include <functional>
#include <map>
#include <vector>

typedef std::complex<double> cplx;
#pragma omp declare reduction(+ : cplx : omp_out += omp_in) initializer(omp_priv = cplx(0, 0))
#pragma omp declare reduction(plus : std::vector<double> : \
        std::transform(omp_out.begin(), omp_out.end(), omp_in.begin(), omp_out.begin(), \
                       std::plus<double>())) \
        initializer(omp_priv = decltype(omp_orig)(omp_orig.size()))

template <class V> static void add_up(V &a, const V &b)
{
    for (size_t i = 0; i < a.size(); i++)
        a[i] += b[i];
}
#pragma omp declare reduction(addup : std::vector<int> : add_up(omp_out, omp_in)) \
        initializer(omp_priv = std::vector<int>(omp_orig.size()))

namespace shop {
struct best { double v; int at; best() : v(-1), at(-1) {} };

static inline void better(best &a, const best &b)
{
    if (b.v > a.v || (b.v == a.v && b.at < a.at))
        a = b;
}

#pragma omp declare reduction(better : best : better(omp_out, omp_in))
static best find(const std::vector<double> &x)
{
    best b;
    #pragma omp parallel for reduction(better : b)
    for (int i = 0; i < (int)x.size(); i++)
        if (x[i] > b.v) {
            b.v = x[i];
            b.at = i;
        }
    return b;
}
}

static void init(std::map<int, int> *m) { m->clear(); }

static size_t width = 3;

struct table { /* of as many entries as are wanted when it is made */
    std::vector<long> of;
    table() : of(width) {}
    void add(const table &t)
    {
        for (size_t k = 0; k < of.size(); k++)
            of[k] += t.of.at(k);
    }
};

#pragma omp declare reduction(join : table : omp_out.add(omp_in))

static long by_table(int n)
{
    table t;
    long h = 0;

    #pragma omp parallel for reduction(join : t)
    for (int i = 0; i < n; i++)
        t.of.at(i % width) += i;
    for (long v : t.of)
        h = h * 7 + v;
    return h;
}

int main()
{
    std::vector<double> x(1000), sums(7);
    std::vector<int> counts(5);
    std::map<int, int> m;
    cplx z(1, 2);
    long n = 0;
    for (int i = 0; i < 1000; i++)
        x[i] = i * 37 % 101;
    #pragma omp parallel for reduction(+ : z)
    for (int i = 0; i < 1000; i++)
        z += cplx(x[i], i);
    #pragma omp parallel for reduction(plus : sums) reduction(+ : n) reduction(addup : counts)
    for (int i = 0; i < 1000; i++) {
        if (i % 3 == 0)
            continue;
        sums[i % 7] += x[i];
        counts[i % 5]++;
        n += 2;
    }
    #pragma omp declare reduction(merge : std::map<int, int> : \
        for_each(omp_in.begin(), omp_in.end(), \
                 [&](const std::pair<const int, int> &p) { omp_out[p.first] += p.second; })) \
        initializer(init(&omp_priv))
    using std::for_each;
    shop::best b = shop::find(x);
    #pragma omp parallel for reduction(merge : m) schedule(dynamic)
    for (int i = 0; i < 500; i++)
        m[i % 11] += i;
    long h = 0;
    for (auto &p : m)
        h = h * 31 + p.first * 7 + p.second;
    for (double d : sums)
        h = h * 3 + (long)d;
    for (int c : counts)
        h = h * 3 + c;
    h += by_table(100);
    width = 6;
    h += by_table(100);
    std::printf("%g %g %ld %ld %g %d\n", z.real(), z.imag(), n, h, b.v, b.at);
}
