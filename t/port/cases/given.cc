// What a task has by value, and what by reference.
#include <cstdio>
#include <cstring>
#include <array>

struct big { double d[40]; int n; };

static double sums[64];

static void leaf(const big &b, int at)
{
    for (int i = 0; i < b.n; i++)
        sums[at] += b.d[i];
}

static void many(int n)
{
    const int width = 4;
    static int calls;
    enum { BASE = 2 };
    big b;
    int arr[8] = { 0 };
    std::array<int, 3> tri = {{ 1, 2, 3 }};
    memset(&b, 0, sizeof b);
    for (int k = 0; k < n; k++) {
        b.n = k % 40;
        b.d[k % 40] = k;
        arr[k % 8] = k;
        int &alias = arr[k % 8];
        #pragma omp task
        {
            b.d[0] += arr[0] + tri[k % 3] + width + BASE;
            alias = -1; /* a copy */
            leaf(b, k);
            #pragma omp atomic
            calls++;
        }
    }
    #pragma omp taskwait
    sums[63] = calls + arr[3];
}

static void by_ref(int &r, int *p)
{
    #pragma omp task shared(r)
    r += 5;
    #pragma omp taskwait
    #pragma omp task
    r = 100; /* lost */
    #pragma omp task
    *p = 7;
    #pragma omp taskwait
}

int main()
{
    int x = 1, y = 0, z = 0, count[3] = { 0, 0, 0 };
    #pragma omp parallel default(none) shared(x, y)
    #pragma omp single
    {
        many(60);
        by_ref(x, &y);
    }
    #pragma omp parallel
    #pragma omp single
    {
        int inner = 5;
        #pragma omp task
        {
            inner++; /* its own */
            z += inner;
            int deep = 1;
            #pragma omp task shared(deep)
            deep += inner;
            #pragma omp taskwait
            count[0] = deep;
        }
        #pragma omp taskwait
        count[1] = inner;
        #pragma omp task default(shared)
        { inner = 9; }
        #pragma omp taskgroup
        {
            #pragma omp task shared(inner)
            count[2] = 1;
        }
        #pragma omp taskwait
        count[1] += inner;
    }
    double h = 0;
    for (int i = 0; i < 64; i++)
        h = h * 1.5 + sums[i];
    std::printf("%d %d %d %d %d %d %.3f\n", x, y, z, count[0], count[1], count[2], h);
}
