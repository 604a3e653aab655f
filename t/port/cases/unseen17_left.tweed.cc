// libclang shows nothing of the statement that a switch begins with.
#include <tweed.hpp>
#include <cstdio>
#include <vector>
static int twice(int &k, int i) { k = i; return k * 2; }
static int mode = 1;
int main()
{
    std::vector<int> a(100);
    int k = 3, mode = 2;
#pragma omp parallel for private(k)
    for (int i = 0; i < 100; i++)
        switch (a[i] = twice(k, i); i % 3) {
        case 0: a[i] += 2; break;
        default: a[i] += 3;
        }
    tweed::parallel_for<int>(0, 100, [&](int i) {
        int mode;

        mode = i * 3;
        a[i] += mode;
    });
    switch (int m = mode; a[3]) {
    default: std::printf("%d %d %d %d\n", k, m, a[50], ::mode);
    }
}
