/*
 * Classes of the function that a region is in: the constructors that nobody has written stand
 * where the class does, and have none of the function's pragmas in them.
 */
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

#pragma omp parallel num_threads(2)
    {
        pair p;

        p.b.push_back(2);
#pragma omp atomic
        sum += p.a - p.b[0] + 1;
    }
#pragma omp parallel num_threads(2)
    {
        struct own : base {
            std::vector<int> v;
        } o;

#pragma omp atomic
        sum += o.k - 3 + (long)o.v.size();
    }
    std::printf("%ld\n", sum);
    return 0;
}
