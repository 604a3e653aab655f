// ranges17_left.cc - what a loop over a range calls, and what one or a switch begins with.
#include <tweed.hpp>
#include <omp.h>

#include <cstdio>
#include <vector>

#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */
#include <omp.h>
#endif

/* omp_get_thread_num() */
static inline int port_thread_num(void)
{
    int worker = tweed_worker_index();

#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */
    if (worker < 0)
        return omp_get_thread_num();
#endif
    return worker < 0 ? 0 : worker;
}

/* omp_get_num_threads() */
static inline int port_num_threads(void)
{
#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */
    if (tweed_worker_index() < 0)
        return omp_get_num_threads();
#endif
    return tweed_worker_index() < 0 ? 1 : tweed_pool_num_workers(NULL);
}


struct number {
    int i;
    int operator*() const { return i; }
    number &operator++() { ++i; return *this; }
    bool operator!=(const number &o) const { return i != o.i; }
};

struct share {
    int n;
    number begin() const { return { n * port_thread_num() / port_num_threads() }; }
    number end() const { return { n * (port_thread_num() + 1) / port_num_threads() }; }
};

static void shares(std::vector<int> &a)
{
#pragma omp parallel
    {
        for (int i : share{ (int)a.size() })
            a[i] += 1;
    }
}

static int twice(int &k, int i)
{
    k = i;
    return k * 2;
}

static void begins(std::vector<int> &a)
{
    const int n = (int)a.size();
    int k = 3;

#pragma omp parallel for private(k)
    for (int i = 0; i < n; i++) {
        switch (a[i] += twice(k, i); i % 3) {
        case 0: a[i] += 2; break;
        default: a[i] += 3; break;
        }
    }
}

struct work {
    int mode = 1;
    std::vector<int> out = std::vector<int>(100, 0);
    void go()
    {
        for (int i = 0; i < 100; i++) {
#pragma omp task
            {
                switch (int k = i; mode) {
                case 1: out[k] = k + 1; break;
                default: out[k] = -1;
                }
            }
        }
#pragma omp taskwait
    }
};

static int mode = 1;

// The variable stays: the switch names it.
static long stays(std::vector<int> &a)
{
    int mode = 2;
    long c = ::mode;

    tweed::parallel_for<int>(0, 100, [&](int i) {
        int mode;

        mode = i * 3;
        a[i] += mode + 1;
    });
    switch (int m = mode; a[3]) {
    default: c += 100 * m;
    }
    return c;
}

int main()
{
    std::vector<int> a(100, 0);
    work w;
    long c = 0;

    shares(a);
    begins(a);
    c = stays(a);
#pragma omp parallel
#pragma omp single
    w.go();
    for (int i = 0; i < 100; i++)
        c = (c * 31 + a[i] + w.out[i]) % 1000003;
    std::printf("%ld\n", c);
}
