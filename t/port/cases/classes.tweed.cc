// A reduction that is false already, a class with its own +.
#include <tweed.hpp>
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
static inline void port_sum(greatest &omp_out, greatest &omp_in)
{
    omp_out.x = omp_in.x > omp_out.x ? omp_in.x : omp_out.x;
}

static inline greatest port_sum_start(greatest &)
{
    greatest omp_priv = greatest(-1);
    return omp_priv;
}

int main(int argc, char **)
{
    static int a[100], b[100];
    bool none = false, any = true;
    greatest g(-5);
    unsigned most[8] = { 0 };
    size_t low = (size_t)argc * 10, high = 5;
    int sum = 0;

    none = !!none & !!tweed::parallel_reduce((int)(0), (int)(100), bool(1), [&](int i, bool &none) {
        a[i] = i;
        none = none && a[i] >= 0;
    }, [](bool &into, const bool &from) {
        into = into && from;
    });
    any = !!any | !!tweed::parallel_reduce((int)(0), (int)(100), bool(0), [&](int i, bool &any) {
        b[i] = i;
        any = any || b[i] > 100;
    }, [](bool &into, const bool &from) {
        into = into || from;
    });
    {
        struct loop_sums {
            greatest g;
        };
        loop_sums loop_result = tweed::parallel_reduce((int)(0), (int)(100), loop_sums{ port_sum_start(g) }, [&](int i, loop_sums &loop_acc) {
            greatest &g = loop_acc.g;

            if (i % 37 > g.x)
                g.x = i % 37;
        }, [](loop_sums &into, loop_sums &from) {
            port_sum(into.g, from.g);
        });
        port_sum(g, loop_result.g);
    }
    {
        const auto i_first = UINT_MAX;
        tweed::parallel_for<int64_t>(0, int64_t(UINT_MAX) - int64_t(UINT_MAX - 5), [&](int64_t i_index) {
            unsigned int i = (unsigned int)((int64_t)i_first - i_index);

            most[UINT_MAX - i] = i;
        });
    }
    {
        const auto i_first = low;
        tweed::parallel_for<int64_t>(0, (int64_t(high) - int64_t(low) + 2) / 3, [&](int64_t i_index) {
            size_t i = (size_t)((int64_t)i_first + i_index * 3);

            a[i % 100] += 1;
        });
    }
    for (int i = 0; i < 100; i++)
        sum += a[i] + 1000 * b[i];
    std::printf("%d %d %d %d %u\n", sum, none, any, g.x, most[0] - most[4]);
}
