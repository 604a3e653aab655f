/*
 * Classes of the function that a region is in: the constructors that nobody has written stand
 * where the class does, and have none of the function's pragmas in them.
 */
#include <tweed.hpp>
#include <cstdio>
#include <vector>

int main()
{
    struct pair {
        int a = 1;
        std::vector<int> b;
    };
    struct base {
        int k;
        base() : k(3) {}
    };
    long sum = 0;

    {
        const int port_threads = 2;

        tweed::parallel_for<int>(0, port_threads, [&](int) {
            pair p;

            p.b.push_back(2);
            (void)__atomic_fetch_add(&sum, p.a - p.b[0] + 1, __ATOMIC_RELAXED);
        });
    }
    {
        const int port_threads = 2;

        tweed::parallel_for<int>(0, port_threads, [&](int) {
            struct own : base {
                std::vector<int> v;
            } o;

            (void)__atomic_fetch_add(&sum, o.k - 3 + (long)o.v.size(), __ATOMIC_RELAXED);
        });
    }
    std::printf("%ld\n", sum);
    return 0;
}
