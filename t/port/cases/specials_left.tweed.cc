/*
 * Specialisations of a template that do what the template does not: ask for the thread, wait, have
 * a pragma.  In a template each of them may be called.
 */
#include <tweed.hpp>
#include <cstdio>
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


static volatile int flag = 1;

template <class T> static int id(T) { return 0; }
template <> int id(int) { return port_thread_num(); }
template <> int id<long>(long x) { return x < 0; }

template <class T> static void stay(T) {}
template <> void stay(int)
{
    while (!flag)
        ;
}

template <class T> struct box {
    T v;
    int get() const { return 0; }
    template <class U> int as(U) const { return 0; }
};
template <> int box<int>::get() const { return port_thread_num(); }
template <> template <> int box<long>::as(int) const { return port_thread_num(); }

template <class T> static void share(T, int *sum)
{
    (void)__atomic_fetch_add(&*sum, 1, __ATOMIC_RELAXED);
}
template <> void share(int n, int *sum)
{
#pragma omp for
    for (int i = 0; i < n; i++)
        (void)__atomic_fetch_add(&*sum, 1, __ATOMIC_RELAXED);
}

static int ask(int n)
{
    int s = 0;
    box<int> b = { 1 };
    box<long> c = { 1 };

    /* these ask */
#pragma omp parallel for reduction(+ : s) num_threads(2)
    for (int i = 0; i < n; i++)
        s += id(i) < 2;
#pragma omp parallel for reduction(+ : s) num_threads(2)
    for (int i = 0; i < n; i++)
        s += b.get() < 2;
#pragma omp parallel for reduction(+ : s) num_threads(2)
    for (int i = 0; i < n; i++)
        s += c.as(2) < 2;
    /* and these do not */
    s += tweed::parallel_sum<int>((int)(0), (int)(n), [&](int i) -> int {
        int s{};

        s += id((long)i) + 1 + id(1.0);
        return s;
    }, tweed::loop_options().max_workers(2));
    s += tweed::parallel_sum<int>((int)(0), (int)(n), [&](int) -> int {
        int s{};

        s += c.get() + c.as(2L) + 1;
        return s;
    }, tweed::loop_options().max_workers(2));
    return s;
}

static int waits(int n)
{
    int s = 0;

#pragma omp parallel for
    for (int i = 0; i < n; i++)
        stay(i);
    s += tweed::parallel_sum<int>((int)(0), (int)(n), [&](int i) -> int {
        int s{};

        stay((long)i);
        s++;
        return s;
    });
    return s;
}

struct asker {
    int number() const { return port_thread_num(); }
    void pause() const { stay(1); }
    template <class U> int add(U u) const { return (int)u; }
};

/* Members of what is not known yet. */
template <class A> static int members(const A &a, int n)
{
    int s = 0;

#pragma omp parallel for reduction(+ : s) num_threads(2)
    for (int i = 0; i < n; i++)
        s += a.number() < 2;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a.pause();
#pragma omp parallel for reduction(+ : s) num_threads(2)
    for (int i = 0; i < n; i++)
        s += a.template add<int>(i);
    return s;
}

template <class T> static int any(T n)
{
    int s = 0;
    box<T> b = { 0 };

#pragma omp parallel for reduction(+ : s) num_threads(2)
    for (T i = 0; i < n; i++)
        s += b.get() < 2;

#pragma omp parallel for reduction(+ : s) num_threads(2)
    for (T i = 0; i < n; i++)
        s += id(i) < 2;
#pragma omp parallel for reduction(+ : s) num_threads(2)
    for (T i = 0; i < n; i++)
        s += id<T>(i) < 2;
#pragma omp parallel for
    for (T i = 0; i < n; i++)
        stay(i);
    return s;
}

static int regions(int n)
{
    int s = 0, t = 0;

#pragma omp parallel
    share(n, &s);
    {
        const int port_threads = 2;

        tweed::parallel_for<int>(0, port_threads, [&](int) {
            share(1.0, &t);
        });
    }
    return s + t;
}

int main()
{
    std::printf("%d %d %d %d %d\n", ask(10), waits(10), any(10), any(10L), regions(3));
    std::printf("%d\n", members(asker(), 10));
    return 0;
}
