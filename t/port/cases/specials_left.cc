/*
 * Specialisations of a template that do what the template does not: ask for the thread, wait, have
 * a pragma.  In a template each of them may be called.
 */
#include <cstdio>
#include <omp.h>

static volatile int flag = 1;

template <class T> static int id(T) { return 0; }
template <> int id(int) { return omp_get_thread_num(); }
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
template <> int box<int>::get() const { return omp_get_thread_num(); }
template <> template <> int box<long>::as(int) const { return omp_get_thread_num(); }

template <class T> static void share(T, int *sum)
{
#pragma omp atomic
    ++*sum;
}
template <> void share(int n, int *sum)
{
#pragma omp for
    for (int i = 0; i < n; i++)
#pragma omp atomic
        ++*sum;
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
#pragma omp parallel for reduction(+ : s) num_threads(2)
    for (int i = 0; i < n; i++)
        s += id((long)i) + 1 + id(1.0);
#pragma omp parallel for reduction(+ : s) num_threads(2)
    for (int i = 0; i < n; i++)
        s += c.get() + c.as(2L) + 1;
    return s;
}

static int waits(int n)
{
    int s = 0;

#pragma omp parallel for
    for (int i = 0; i < n; i++)
        stay(i);
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) {
        stay((long)i);
        s++;
    }
    return s;
}

struct asker {
    int number() const { return omp_get_thread_num(); }
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
#pragma omp parallel num_threads(2)
    share(1.0, &t);
    return s + t;
}

int main()
{
    std::printf("%d %d %d %d %d\n", ask(10), waits(10), any(10), any(10L), regions(3));
    std::printf("%d\n", members(asker(), 10));
    return 0;
}
