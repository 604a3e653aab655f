// What a task has by value, and what by reference.
#include <tweed.hpp>
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
    tweed::task_group port_tasks;
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
        port_tasks.run([=]() mutable {
            b.d[0] += arr[0] + tri[k % 3] + width + BASE;
            alias = -1; /* a copy */
            leaf(b, k);
            (void)__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
        });
    }
    port_tasks.wait();
    sums[63] = calls + arr[3];
}

static void by_ref(int &r, int *p)
{
    tweed::task_group port_tasks;
    port_tasks.run([&] { r += 5; });
    port_tasks.wait();
    tweed::parallel_invoke(
        [=]() mutable { r = 100; }, /* lost */
        [=] { *p = 7; });
    port_tasks.wait();
}

int main()
{
    int x = 1, y = 0, z = 0, count[3] = { 0, 0, 0 };
    {
        many(60);
        by_ref(x, &y);
    }
    {
        tweed::task_group port_tasks;
        int inner = 5;
        port_tasks.run([=, &z, &count]() mutable {
            tweed::task_group port_tasks_2;
            inner++; /* its own */
            z += inner;
            int deep = 1;
            port_tasks_2.run([=, &deep] { deep += inner; });
            port_tasks_2.wait();
            count[0] = deep;
        });
        port_tasks.wait();
        count[1] = inner;
        port_tasks.run([&] { inner = 9; });
        {
            port_tasks.run([&] { count[2] = 1; });
        }
        port_tasks.wait();
        port_tasks.wait();
        count[1] += inner;
    }
    double h = 0;
    for (int i = 0; i < 64; i++)
        h = h * 1.5 + sums[i];
    std::printf("%d %d %d %d %d %d %.3f\n", x, y, z, count[0], count[1], count[2], h);
}
