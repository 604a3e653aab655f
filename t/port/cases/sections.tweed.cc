// Reductions of arrays, and of sections of them; of types that a template is given.
#include <tweed.hpp>
#include <cstdio>
#include <vector>

template <class T> static void hist(const std::vector<T> &x, T *h, int m)
{
    {
        const size_t h_count = (size_t)(m);
        struct loop_sums {
            std::vector<T> h;
        };
        const loop_sums loop_result = tweed::parallel_reduce((size_t)(0), (size_t)(x.size()), loop_sums{ std::vector<T>(h_count) }, [&, m](size_t i, loop_sums &loop_acc) {
            T *h = loop_acc.h.data();

            if (x[i] < 0)
                return;
            h[(int)x[i] % m] += x[i];
        }, [](loop_sums &into, const loop_sums &from) {
            for (size_t port_k = 0; port_k < into.h.size(); port_k++)
                into.h[port_k] += from.h[port_k];
        }, tweed::loop_options().grain((int64_t)(x.size()) > (int64_t)(0)
    ? ((int64_t)(x.size()) - (int64_t)(0)) / (4 * tweed_pool_num_workers(nullptr)) + 1 : 1));
        for (size_t port_k = 0; port_k < h_count; port_k++)
            h[port_k] += loop_result.h[port_k];
    }
}

struct grid {
    int n;
    std::vector<double> v;
    double norm(int from) const
    {
        double part[4] = { 1, 2, 3, 4 }, low = 1e9;
        int seen = 0;
        {
            const size_t part_count = (size_t)(4);
            struct loop_sums {
                std::vector<double> part;
                double low;
                int seen;
            };
            const loop_sums loop_result = tweed::parallel_reduce((int)(from), (int)(n), loop_sums{ std::vector<double>(part_count), low, 0 }, [&](int i, loop_sums &loop_acc) {
                double *part = loop_acc.part.data();
                double &low = loop_acc.low;
                int &seen = loop_acc.seen;

                part[i & 3] += v[i];
                if (v[i] < low)
                    low = v[i];
                seen++;
            }, [](loop_sums &into, const loop_sums &from) {
                for (size_t port_k = 0; port_k < into.part.size(); port_k++)
                    into.part[port_k] += from.part[port_k];
                if (from.low < into.low)
                    into.low = from.low;
                into.seen += from.seen;
            }, tweed::loop_options().max_workers(3).grain((int64_t)(n) > (int64_t)(from)
    ? ((int64_t)(n) - (int64_t)(from)) / (4 * tweed_pool_num_workers(nullptr)) + 1 : 1));
            for (size_t port_k = 0; port_k < part_count; port_k++)
                part[port_k] += loop_result.part[port_k];
            if (loop_result.low < low)
                low = loop_result.low;
            seen += loop_result.seen;
        }
        return part[0] + 2 * part[1] + 3 * part[2] + 4 * part[3] + low * seen;
    }
};

template <class T> T total(const T *x, long n)
{
    T s = T(), low = x[0];
    {
        struct loop_sums {
            T s;
            T low;
        };
        const loop_sums loop_result = tweed::parallel_reduce((long)(0), (long)(n), loop_sums{ 0, low }, [&](long i, loop_sums &loop_acc) {
            T &s = loop_acc.s;
            T &low = loop_acc.low;

            s += x[i];
            low = x[i] < low ? x[i] : low;
        }, [](loop_sums &into, const loop_sums &from) {
            into.s += from.s;
            if (from.low < into.low)
                into.low = from.low;
        });
        s += loop_result.s;
        if (loop_result.low < low)
            low = loop_result.low;
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
    {
        const size_t top_count = (size_t)(2) + (size_t)(5);
        struct loop_sums {
            std::vector<int> top;
        };
        const loop_sums loop_result = tweed::parallel_reduce((int)(0), (int)(5000), loop_sums{ std::vector<int>(top_count, (int)(int)(-(INT64_C(1) << 30) * 2)) }, [&](int i, loop_sums &loop_acc) {
            int *top = loop_acc.top.data();

            int k = 2 + i % 5;
            if (x[i] > top[k])
                top[k] = x[i];
        }, [](loop_sums &into, const loop_sums &from) {
            for (size_t port_k = 0; port_k < into.top.size(); port_k++)
                if (from.top[port_k] > into.top[port_k])
                    into.top[port_k] = from.top[port_k];
        }, tweed::loop_options().grain((int64_t)(5000) > (int64_t)(0)
    ? ((int64_t)(5000) - (int64_t)(0)) / (4 * tweed_pool_num_workers(nullptr)) + 1 : 1));
        for (size_t port_k = (size_t)(2); port_k < top_count; port_k++)
            if (loop_result.top[port_k] > top[port_k])
                top[port_k] = loop_result.top[port_k];
    }
    {
        const auto i_first = 0;
        const size_t bits_count = (size_t)(4);
        struct loop_sums {
            std::vector<unsigned int> bits;
        };
        const loop_sums loop_result = tweed::parallel_reduce((int64_t)(0), (int64_t)((100 + 2) / 3), loop_sums{ std::vector<unsigned int>(bits_count, (unsigned int)(unsigned int)-1) }, [&](int64_t i_index, loop_sums &loop_acc) {
            int i = (int)((int64_t)i_first + i_index * 3);
            unsigned int *bits = loop_acc.bits.data();

            bits[i % 4] &= ~(1u << i % 7);
        }, [](loop_sums &into, const loop_sums &from) {
            for (size_t port_k = 0; port_k < into.bits.size(); port_k++)
                into.bits[port_k] &= from.bits[port_k];
        }, tweed::loop_options().grain((int64_t)((100 + 2) / 3) > (int64_t)(0)
    ? ((int64_t)((100 + 2) / 3) - (int64_t)(0)) / (4 * tweed_pool_num_workers(nullptr)) + 1 : 1));
        for (size_t port_k = 0; port_k < bits_count; port_k++)
            bits[port_k] &= loop_result.bits[port_k];
    }
    int lo = 10;
    {
        const auto i_first = 4999;
        const size_t far_count = (size_t)(lo * 2) + (size_t)(30);
        struct loop_sums {
            std::vector<long> far;
        };
        const loop_sums loop_result = tweed::parallel_reduce((int64_t)(0), (int64_t)(4999 + 1), loop_sums{ std::vector<long>(far_count) }, [&](int64_t i_index, loop_sums &loop_acc) {
            int i = (int)((int64_t)i_first - i_index);
            long *far = loop_acc.far.data();

            far[20 + i % 30] += i;
        }, [](loop_sums &into, const loop_sums &from) {
            for (size_t port_k = 0; port_k < into.far.size(); port_k++)
                into.far[port_k] += from.far[port_k];
        }, tweed::loop_options().max_workers((lo > 5) ? 0 : 1).grain((int64_t)(4999 + 1) > (int64_t)(0)
    ? ((int64_t)(4999 + 1) - (int64_t)(0)) / (4 * tweed_pool_num_workers(nullptr)) + 1 : 1));
        for (size_t port_k = (size_t)(lo * 2); port_k < far_count; port_k++)
            far[port_k] += loop_result.far[port_k];
    }
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
