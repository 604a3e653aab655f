/*
 * Objects that a loop deletes: their destructors, which no call names, ask for the thread's
 * number.
 */
#include <tweed.hpp>
#include <cstdio>
#include <memory>
#include <omp.h>

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


static int all, odd;

struct ender {
    virtual ~ender() {}
};

struct counter : ender {
    ~counter() override
    {
        int id = port_thread_num();

        (void)__atomic_fetch_add(&all, id >= 0, __ATOMIC_RELAXED);
    }
};

struct plain {
    int k;
    ~plain()
    {
        (void)__atomic_fetch_add(&odd, k % 2, __ATOMIC_RELAXED);
    }
};

static void deleted(ender **e, int n)
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < n; i++)
        delete e[i];
}

static void owned(ender **e, int n)
{
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < n; i++)
        std::unique_ptr<ender> one(e[i]);
}

/* No thread is asked for. */
static void others(plain **e, int n)
{
    tweed::parallel_for<int>(0, n, [&, e](int i) {
        delete e[i];
    }, tweed::loop_options().max_workers(2));
}

int main()
{
    ender *e[100];
    plain *p[100];

    for (int i = 0; i < 100; i++) {
        e[i] = new counter;
        p[i] = new plain{ i };
    }
    deleted(e, 50);
    owned(e + 50, 50);
    others(p, 100);
    printf("%d %d\n", all, odd);
    return 0;
}
