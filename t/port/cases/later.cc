// A function that waits for the caller's tasks, called by way of a lambda.
#include <cstdio>

static long box[8];

static long waits(long n)
{
    long a = 0, b = 0;
    #pragma omp task shared(a)
    a = n;
    #pragma omp task shared(b)
    b = n + 1;
    #pragma omp taskwait
    return a * b + box[0];
}

static long later()
{
    long r = 0;
    auto g = [&] { return waits(3); };
    #pragma omp task
    {
        for (volatile int i = 0; i < 2000000; i = i + 1)
            ;
        box[0] = 5;
    }
    r = g();
    #pragma omp taskwait
    return r;
}

int main()
{
    long r = 0;
    #pragma omp parallel
    #pragma omp single
    r = later();
    std::printf("%ld\n", r);
}
