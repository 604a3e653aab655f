// What tasks are given: packs, constants, elements of a loop; and what is done beside them.
#include <tweed.hpp>
#include <algorithm>
#include <cstdio>
#include <vector>

static long out[64];

struct job { int id; long *to; void go() const { *to += id; } };

template <int N, class... A> static void spread(long *p, A... rest)
{
    tweed::task_group port_tasks;
    const int width = N;
    for (int i = 0; i < 3; i++) {
        port_tasks.run([=]() mutable { p[i] += std::max(width, i) + (long)sizeof...(rest); });
    }
    port_tasks.wait();
}

struct counter {
    static const int limit = 5;
    int seen;
    std::vector<job> jobs;
    void all(long *to)
    {
        tweed::task_group port_tasks;
        const int offset = 3;
        for (const auto &j : jobs) {
            port_tasks.run([&, j]() mutable { j.go(); });
        }
        port_tasks.wait();
        port_tasks.run([&, offset, to] {
            seen = std::min(limit + offset, 100);
            to[5] += std::max(offset, 2);
        });
        port_tasks.wait();
    }
};

static void wide(int depth, long at)
{
    tweed::task_group port_tasks;
    if (depth == 0) {
        (void)__atomic_fetch_add(&out[at % 64], at, __ATOMIC_RELAXED);
        return;
    }
    port_tasks.run([=] { wide(depth - 1, at * 2); });
    port_tasks.run([=] { wide(depth - 1, at * 2 + 1); });
    port_tasks.run([=] { wide(depth - 1, at * 3); });
    if (depth > 3)
        depth--;
    else {
        port_tasks.wait();
        at += 1;
    }
    (void)__atomic_fetch_add(&out[(at + depth) % 64], 1, __ATOMIC_RELAXED);
}

static void serial_after(long *p)
{
    long a = 0, b = 0;
    int k = 1;
    tweed::parallel_invoke(
        [=, &a] { a = 5 + k; },
        [&] {
            k = 10;
            b = k;
            p[0] = 1;
        });
    p[1] = a + b;
}

static void loop_pairs(long *p, int n)
{
    for (int i = 0; i < n; i++) {
        long x = 0, y = 0;
        tweed::parallel_invoke(
            [=, &x] { x = i; },
            [=, &y] { y = 2 * i; });
        if (i == n / 2)
            continue;
        p[i] += x * y;
    }
}

int main()
{
    long p[40] = { 0 };
    counter c;
    for (int i = 0; i < 8; i++)
        c.jobs.push_back({ i, &out[i] });
    {
        {
            spread<7>(p, 1, 2.0);
            c.all(out);
            wide(6, 1);
            serial_after(p + 10);
            loop_pairs(p + 20, 12);
        }
    }
    long h = c.seen;
    for (long v : out)
        h = h * 7 % 10000019 + v;
    for (long v : p)
        h = h * 7 % 10000019 + v;
    std::printf("%ld\n", h);
}
