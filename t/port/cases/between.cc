// A function that waits, called where no task of the caller is pending: groups know nothing.
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
    return a * b;
}

int main()
{
    long r = 0;
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 8; i++) {
            #pragma omp task
            box[i] = waits(i);
        }
        #pragma omp taskwait
        for (int i = 0; i < 8; i++)
            r += box[i] + waits(i);
        for (int i = 0; i < 8; i++) {
            #pragma omp task
            box[i] += waits(i);
            #pragma omp taskwait
            r += waits(3);
        }
    }
    std::printf("%ld\n", r);
}
