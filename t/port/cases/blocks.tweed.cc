// Tasks in macros, beside #if, in templates, in a switch; what is thrown and caught in one.
#include <tweed.hpp>
#include <cstdio>
#include <stdexcept>

#define ADD(x) do { out[x] += (x) * scale; } while (0)
static int out[100];

static void bump(int k) { out[k] += 1; }


static void macros(int n, int scale)
{
    tweed::task_group port_tasks;
    for (int i = 0; i < n; i++) {
        port_tasks.run([=]() mutable { ADD(i); });
    }
    port_tasks.wait();
    for (int i = 0; i < n; ++i)
            port_tasks.run([=] { bump(i), bump(i); });
    port_tasks.wait();
#ifdef NEVER
    bump(3);
#endif
    port_tasks.run([] { bump(1); });
#ifndef NEVER
    port_tasks.run([] { bump(2); });
#endif
    port_tasks.wait();
    switch (n) {
    case 50:
        port_tasks.run([] { bump(5); });
        break;
    default:
        bump(6);
    }
}

static int tries(int n)
{
    tweed::task_group port_tasks;
    int got = 0;
    port_tasks.run([=, &got] {
        try {
            if (n > 3)
                throw std::runtime_error("x");
        } catch (const std::exception &e) {
            got = e.what()[0];
        }
    });
    port_tasks.wait();
    return got;
}

template <class T> struct pool {
    T sum;
    T items[64];
    static T square(T x) { return x * x; }
    void all()
    {
        tweed::task_group port_tasks;
        for (auto &x : items) {
            T *p = &x;
            port_tasks.run([&, p]() mutable { *p = square(*p); });
        }
        port_tasks.wait();
        sum = T();
        for (auto x : items)
            sum += x;
    }
};

static void mixed(int depth, int *x)
{
    tweed::task_group port_tasks;
    if (!depth)
        return;
    for (;;) {
        if (depth > 2)
            break;
        port_tasks.run([=]() mutable {
            for (int i = 0; i < 3; i++) {
                if (i == 1)
                    continue;
                (void)__atomic_fetch_add(&*x, i + 1, __ATOMIC_RELAXED);
            }
            auto f = [x](int k) {
                if (k > 2)
                    return 1;
                return 2;
            };
            (void)__atomic_fetch_add(&*x, f(depth), __ATOMIC_RELAXED);
        });
        break;
    }
    port_tasks.run([=] { mixed(depth - 1, x); });
    mixed(depth - 1, x);
}

int main()
{
    pool<double> p;
    int x = 0, got = 0;
    for (int i = 0; i < 64; i++)
        p.items[i] = i;
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
