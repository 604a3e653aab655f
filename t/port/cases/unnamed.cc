// The body has no use of the index: its parameter has no name, whatever the other names are.
#include <cstdio>

int main()
{
    int r = 0, n = 40, in = 3, index = 1;

#pragma omp parallel for reduction(+ : r)
    for (int i = 0; i < n; i++)
        r += in;
#pragma omp parallel for reduction(+ : r) private(index)
    for (long in = 0; in < 20; in++) {
        index = 2;
        r += index;
    }
    std::printf("%d %d\n", r, index);
    return 0;
}
