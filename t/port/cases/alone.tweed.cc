/* One thread has all indices, in the order of the loops: rows are not parted. */
#include <tweed.hpp>
#include <cstdio>
#include <vector>

static const int rows = 3, columns = 70000;

static unsigned in_order(int threads)
{
    std::vector<unsigned> a(rows * columns);
    unsigned bad = 0, before = 1;

    tweed::parallel_for_2d(0, rows, 0, columns, [&](int i, int j) {
            long k = (long)i * columns + j;
            a[k] = (k ? a[k - 1] : 1) * 1664525u + 1013904223u;
        }, tweed::loop_options().max_workers(threads).tile(1, INT64_MAX));
    for (long k = 0; k < (long)rows * columns; k++) {
        before = before * 1664525u + 1013904223u;
        bad |= before != a[k];
    }
    return bad;
}

static unsigned in_planes(bool shared, int n)
{
    std::vector<unsigned> a(2 * 3 * 20000 + 1);
    unsigned bad = 0, before = 1;

    tweed::parallel_for_3d(0, 2, 0, n, 0, 20000, [&](int i, int j, int k) {
                long l = (i * 3L + j) * 20000 + k;
                a[l] = (l ? a[l - 1] : 1) * 1664525u + 1013904223u;
            }, tweed::loop_options().max_workers((shared) ? 0 : 1).tile(1, INT64_MAX, INT64_MAX));
    for (long k = 0; k < 2L * n * 20000; k++) {
        before = before * 1664525u + 1013904223u;
        bad |= before != a[k];
    }
    return bad;
}

int main()
{
    std::printf("%u %u %u\n", in_order(1), in_planes(false, 3), in_planes(false, 0));
    return 0;
}
