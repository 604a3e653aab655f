// configured.cc - regions with code that this configuration leaves out.
#include <tweed.hpp>
#include <cstdio>
#include <vector>

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}


#if defined TWEED_VERSION
#endif

static void least_of(const std::vector<double> &of, int *where, double *least)
{
#if defined TWEED_VERSION
    const int threads = tweed_pool_num_workers(NULL);
#else
    const int threads = 1;
#endif
    std::vector<double> lows(threads, 1e9);
    std::vector<int> places(threads, -1);

    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        struct port_own { // what a thread has
            int number;
            double low;
            int place;
        };
        std::vector<port_own> port_all((size_t)port_threads);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            double low = 1e9;
            int place = -1;
    #if defined TWEED_VERSION
            int number = port_thread;
    #else
            int number = 0;
    #endif

            const int64_t i_count = int64_t((int)of.size());

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index;
                if (of[i] < low) {
                    low = of[i];
                    place = i;
                }
            }
            port_all[(size_t)port_thread].number = static_cast<decltype(number) &&>(number);
            port_all[(size_t)port_thread].low = static_cast<decltype(low) &&>(low);
            port_all[(size_t)port_thread].place = static_cast<decltype(place) &&>(place);
        });
        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            auto &number = port_all[(size_t)port_thread].number;
            auto &low = port_all[(size_t)port_thread].low;
            auto &place = port_all[(size_t)port_thread].place;
            lows[number] = low;
            places[number] = place;
        });
    }

    *where = -1;
    *least = 1e9;
    for (int t = 0; t < threads; t++)
        if (lows[t] < *least) {
            *least = lows[t];
            *where = places[t];
        }
}

int main()
{
    std::vector<double> of(1000);
    double least;
    int where;

    for (int i = 0; i < (int)of.size(); i++)
        of[i] = (i * 37 + 11) % 1009;
    least_of(of, &where, &least);
    std::printf("%d %g\n", where, least);
}
