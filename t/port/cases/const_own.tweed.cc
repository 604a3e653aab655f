// What a thread's constants hold on both sides of a barrier.
#include <tweed.hpp>
#include <cstdio>
#include <vector>

int main()
{
    std::vector<int> sum(64), a(1000), out(1000);
    int total = 0;

    for (int i = 0; i < 1000; i++)
        a[i] = i % 13;
    {
        const int port_threads = 3;
        struct port_own { // what a thread has
            int t;
            int lo;
            int hi;
        };
        std::vector<port_own> port_all((size_t)port_threads);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            const int t = port_thread;
            const auto all = port_threads;
            const int lo = 1000 * t / all, hi = 1000 * (t + 1) / all;
            for (int i = lo; i < hi; i++)
                sum[t] += a[i];
            port_all[(size_t)port_thread].t = static_cast<decltype(t) &&>(t);
            port_all[(size_t)port_thread].lo = static_cast<decltype(lo) &&>(lo);
            port_all[(size_t)port_thread].hi = static_cast<decltype(hi) &&>(hi);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            const auto &t = port_all[(size_t)port_thread].t;
            const auto &lo = port_all[(size_t)port_thread].lo;
            const auto &hi = port_all[(size_t)port_thread].hi;
            int before = 0;
            for (int k = 0; k < t; k++)
                before += sum[k];
            for (int i = lo; i < hi; i++) {
                before += a[i];
                out[i] = before;
            }
        });
    }
    for (int i = 0; i < 1000; i++)
        total = (total * 31 + out[i]) % 1000003;
    std::printf("%d\n", total);
    return 0;
}
