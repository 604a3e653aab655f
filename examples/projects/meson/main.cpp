#include <cstdio>
#include <tweed.hpp>
#include <vector>

int main()
{
    std::vector<double> x(1000);

    tweed::parallel_for(0, 1000, [&](int64_t i) { x[i] = double(i) * double(i); });
    std::printf("%.0f\n", x[999]); // 998001
    return 0;
}
