// Reductions that the user declares, of classes.
#include <tweed.hpp>
#include <algorithm>
#include <complex>
#include <cstdio>
#include <functional>
#include <map>
#include <vector>

typedef std::complex<double> cplx;
static inline void port_sum(cplx &omp_out, cplx &omp_in)
{
    omp_out += omp_in;
}

static inline cplx port_sum_start(cplx &)
{
    cplx omp_priv = cplx(0, 0);
    return omp_priv;
}
static inline void port_plus(std::vector<double> &omp_out, std::vector<double> &omp_in)
{
    std::transform(omp_out.begin(), omp_out.end(), omp_in.begin(), omp_out.begin(), std::plus<double>());
}

static inline std::vector<double> port_plus_start(std::vector<double> omp_orig)
{
    std::vector<double> omp_priv = decltype(omp_orig)(omp_orig.size());
    return omp_priv;
}

template <class V> static void add_up(V &a, const V &b)
{
    for (size_t i = 0; i < a.size(); i++)
        a[i] += b[i];
}
static inline void port_addup(std::vector<int> &omp_out, std::vector<int> &omp_in)
{
    add_up(omp_out, omp_in);
}

static inline std::vector<int> port_addup_start(std::vector<int> omp_orig)
{
    std::vector<int> omp_priv = std::vector<int>(omp_orig.size());
    return omp_priv;
}

namespace shop {
struct best { double v; int at; best() : v(-1), at(-1) {} };

static inline void better(best &a, const best &b)
{
    if (b.v > a.v || (b.v == a.v && b.at < a.at))
        a = b;
}

static inline void port_better(shop::best &omp_out, shop::best &omp_in)
{
    better(omp_out, omp_in);
}

static inline shop::best port_better_start(shop::best &)
{
    shop::best omp_priv{};
    return omp_priv;
}
static best find(const std::vector<double> &x)
{
    best b;
    {
        struct loop_sums {
            shop::best b;
        };
        loop_sums loop_result = tweed::parallel_reduce((int)(0), (int)((int)x.size()), loop_sums{ port_better_start(b) }, [&](int i, loop_sums &loop_acc) {
            shop::best &b = loop_acc.b;

            if (x[i] > b.v) {
                b.v = x[i];
                b.at = i;
            }
        }, [](loop_sums &into, loop_sums &from) {
            port_better(into.b, from.b);
        });
        port_better(b, loop_result.b);
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

static inline void port_join(table &omp_out, table &omp_in)
{
    omp_out.add(omp_in);
}

static inline table port_join_start(table &)
{
    table omp_priv{};
    return omp_priv;
}

static long by_table(int n)
{
    table t;
    long h = 0;

    {
        struct loop_sums {
            table t;
        };
        loop_sums loop_result = tweed::parallel_reduce((int)(0), (int)(n), loop_sums{ port_join_start(t) }, [&](int i, loop_sums &loop_acc) {
            table &t = loop_acc.t;

            t.of.at(i % width) += i;
        }, [](loop_sums &into, loop_sums &from) {
            port_join(into.t, from.t);
        });
        port_join(t, loop_result.t);
    }
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
    {
        struct loop_sums {
            cplx z;
        };
        loop_sums loop_result = tweed::parallel_reduce((int)(0), (int)(1000), loop_sums{ port_sum_start(z) }, [&](int i, loop_sums &loop_acc) {
            cplx &z = loop_acc.z;

            z += cplx(x[i], i);
        }, [](loop_sums &into, loop_sums &from) {
            port_sum(into.z, from.z);
        });
        port_sum(z, loop_result.z);
    }
    {
        struct loop_sums {
            std::vector<double> sums;
            std::vector<int> counts;
            long n;
        };
        loop_sums loop_result = tweed::parallel_reduce((int)(0), (int)(1000), loop_sums{ port_plus_start(sums), port_addup_start(counts), 0 }, [&](int i, loop_sums &loop_acc) {
            std::vector<double> &sums = loop_acc.sums;
            std::vector<int> &counts = loop_acc.counts;
            long &n = loop_acc.n;

            if (i % 3 == 0)
                return;
            sums[i % 7] += x[i];
            counts[i % 5]++;
            n += 2;
        }, [](loop_sums &into, loop_sums &from) {
            port_plus(into.sums, from.sums);
            port_addup(into.counts, from.counts);
            into.n += from.n;
        });
        port_plus(sums, loop_result.sums);
        port_addup(counts, loop_result.counts);
        n += loop_result.n;
    }
    auto port_merge = [](std::map<int, int> &omp_out, std::map<int, int> &omp_in) { for_each(omp_in.begin(), omp_in.end(), [&](const std::pair<const int, int> &p) { omp_out[p.first] += p.second; }); };
    auto port_merge_start = [](std::map<int, int> &) {
        std::map<int, int> omp_priv;
        init(&omp_priv);
        return omp_priv;
    };
    using std::for_each;
    shop::best b = shop::find(x);
    {
        struct loop_sums {
            std::map<int, int> m;
        };
        loop_sums loop_result = tweed::parallel_reduce((int)(0), (int)(500), loop_sums{ port_merge_start(m) }, [&](int i, loop_sums &loop_acc) {
            std::map<int, int> &m = loop_acc.m;

            m[i % 11] += i;
        }, [&](loop_sums &into, loop_sums &from) {
            port_merge(into.m, from.m);
        });
        port_merge(m, loop_result.m);
    }
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
