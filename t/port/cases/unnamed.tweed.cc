// The body has no use of the index: its parameter has no name, whatever the other names are.
#include <tweed.hpp>
#include <cstdio>

int main()
{
    int r = 0, n = 40, in = 3, index = 1;

    r += tweed::parallel_sum<int>((int)(0), (int)(n), [&, in](int) -> int {
        int r{};

        r += in;
        return r;
    });
    r += tweed::parallel_sum<int>((long)(0), (long)(20), [&](long) -> int {
        int index;
        int r{};

        index = 2;
        r += index;
        return r;
    });
    std::printf("%d %d\n", r, index);
    return 0;
}
