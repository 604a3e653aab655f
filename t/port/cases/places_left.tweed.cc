// Tasks in places where they are left alone, and with them those of the file.
#include <cstdio>

static int a[8];

static void alone(int n)
{
    #pragma omp task
    a[0] = n;
    #pragma omp taskwait
}

struct maker {
    maker()
    {
        #pragma omp task
        a[1] = 1;
        #pragma omp taskwait
    }
};

static void locked(int n)
{
    #pragma omp critical
    {
        #pragma omp task
        a[2] = n;
        #pragma omp taskwait
    }
    auto f = [](int k) {
        #pragma omp task
        a[3] = k;
        #pragma omp taskwait
    };
    f(n);
}

int main()
{
    alone(1);
    #pragma omp task
    a[4] = 1;
    #pragma omp taskwait
    #pragma omp parallel num_threads(1)
    {
        #pragma omp task
        a[5] = 1;
    }
    #pragma omp parallel
    #pragma omp single
    {
        maker m;
        locked(6);
        (void)m;
        #pragma omp task
        a[6] = 1;
    }
    for (int x : a)
        std::printf("%d ", x);
    std::printf("\n");
}
