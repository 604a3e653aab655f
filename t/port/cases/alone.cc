/* One thread has all indices, in the order of the loops: rows are not parted. */
#include <cstdio>
#include <vector>

static const int rows = 3, columns = 70000;

static unsigned in_order(int threads)
{
    std::vector<unsigned> a(rows * columns);
    unsigned bad = 0, before = 1;

#pragma omp parallel for collapse(2) num_threads(threads)
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            long k = (long)i * columns + j;
            a[k] = (k ? a[k - 1] : 1) * 1664525u + 1013904223u;
        }
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

#pragma omp parallel for collapse(3) if(shared)
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < 20000; k++) {
                long l = (i * 3L + j) * 20000 + k;
                a[l] = (l ? a[l - 1] : 1) * 1664525u + 1013904223u;
            }
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
