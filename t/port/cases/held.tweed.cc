/* What each thread has, by a reference or a pointer: it is not the caller's. */
#include <tweed.hpp>
#include <vector>
#include <cstdio>

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}


static int out[20000];
struct pair { int x, y; };
static void step(pair &p, int i) { p.x = i; p.y = 2 * p.x; }

static int refs()
{
    int bad = 0;
    {
        const int port_threads = tweed_pool_num_workers(nullptr);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            pair mine; pair &r = mine;
            const int64_t i_count = 20000;

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index; step(r, i); out[i] = r.y; }
        });
    }
    for (int i = 0; i < 20000; i++) bad += out[i] != 2 * i;
    return bad;
}

static int vectors(std::vector<int> v)
{
    int bad = 0;
    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        const auto v_first = v;

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            std::vector<int> v = v_first;
            int *p = v.data();
            const int64_t i_count = 20000;

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index; p[i % 4] = i; out[i] = p[i % 4]; }
        });
    }
    for (int i = 0; i < 20000; i++) bad += out[i] != i;
    return bad;
}

static int vectors2(std::vector<int> v)
{
    int bad = 0;
    {
        const int port_threads = tweed_pool_num_workers(nullptr);
        const auto v_first = v;

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            std::vector<int> v = v_first;
            int &p = v[1];
            const int64_t i_count = 20000;

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index; p = i; out[i] = p; }
        });
    }
    for (int i = 0; i < 20000; i++) bad += out[i] != i;
    return bad;
}

static int temp()
{
    int bad = 0;
    {
        const int port_threads = tweed_pool_num_workers(nullptr);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            int &&p = 3;
            const int64_t i_count = 20000;

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index; p = i; out[i] = p; }
        });
    }
    for (int i = 0; i < 20000; i++) bad += out[i] != i;
    return bad;
}

static int arrays()
{
    int bad = 0;
    {
        const int port_threads = tweed_pool_num_workers(nullptr);

        tweed::parallel_for<int>(0, port_threads, [&](int port_thread) {
            int a[3]; auto *p = a; auto &q = a;
            const int64_t i_count = 20000;

            for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                         i_end = port_share(i_count, port_thread + 1, port_threads);
                 i_index < i_end; i_index++) {
                int i = (int)i_index; p[0] = i; q[1] = 0; out[i] = p[0]; }
        });
    }
    for (int i = 0; i < 20000; i++) bad += out[i] != i;
    return bad;
}
int main()
{
    std::vector<int> v(4);
    std::printf("%d %d %d\n", refs(), temp(), arrays());
    std::printf("%d %d\n", vectors(v), vectors2(v));
}
