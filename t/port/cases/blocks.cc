// Tasks in macros, beside #if, in templates, in a switch; what is thrown and caught in one.
#include <cstdio>
#include <stdexcept>

#define ADD(x) do { out[x] += (x) * scale; } while (0)
static int out[100];

static void bump(int k) { out[k] += 1; }


static void macros(int n, int scale)
{
    for (int i = 0; i < n; i++) {
        #pragma omp task
        ADD(i);
    }
    #pragma omp taskwait
    for (int i = 0; i < n; ++i)
        #pragma omp task
            bump(i), bump(i);
    #pragma omp taskwait
#ifdef NEVER
    bump(3);
#endif
    #pragma omp task
    bump(1);
#ifndef NEVER
    #pragma omp task
    bump(2);
#endif
    #pragma omp taskwait
    switch (n) {
    case 50:
        #pragma omp task
        bump(5);
        break;
    default:
        bump(6);
    }
}

static int tries(int n)
{
    int got = 0;
    #pragma omp task shared(got)
    {
        try {
            if (n > 3)
                throw std::runtime_error("x");
        } catch (const std::exception &e) {
            got = e.what()[0];
        }
    }
    #pragma omp taskwait
    return got;
}

template <class T> struct pool {
    T sum;
    T items[64];
    static T square(T x) { return x * x; }
    void all()
    {
        for (auto &x : items) {
            T *p = &x;
            #pragma omp task
            *p = square(*p);
        }
        #pragma omp taskwait
        sum = T();
        for (auto x : items)
            sum += x;
    }
};

static void mixed(int depth, int *x)
{
    if (!depth)
        return;
    for (;;) {
        if (depth > 2)
            break;
        #pragma omp task
        {
            for (int i = 0; i < 3; i++) {
                if (i == 1)
                    continue;
                #pragma omp atomic
                *x += i + 1;
            }
            auto f = [x](int k) {
                if (k > 2)
                    return 1;
                return 2;
            };
            #pragma omp atomic
            *x += f(depth);
        }
        break;
    }
    #pragma omp task
    mixed(depth - 1, x);
    mixed(depth - 1, x);
}

int main()
{
    pool<double> p;
    int x = 0, got = 0;
    for (int i = 0; i < 64; i++)
        p.items[i] = i;
    #pragma omp parallel
    #pragma omp single
    {
        macros(50, 3);
        got = tries(9);
        p.all();
        mixed(5, &x);
    }
    long h = 0;
    for (int i = 0; i < 100; i++)
        h = h * 3 % 1000007 + out[i];
    std::printf("%ld %d %g %d\n", h, got, p.sum, x);
}
