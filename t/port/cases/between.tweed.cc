// A function that waits, called where no task of the caller is pending: groups know nothing.
#include <tweed.hpp>
#include <cstdio>

static long box[8];

static long waits(long n)
{
    long a = 0, b = 0;
    tweed::parallel_invoke(
        [=, &a] { a = n; },
        [=, &b] { b = n + 1; });
    return a * b;
}

int main()
{
    long r = 0;
    {
        tweed::task_group port_tasks;
        for (int i = 0; i < 8; i++) {
            port_tasks.run([=] { box[i] = waits(i); });
        }
        port_tasks.wait();
        for (int i = 0; i < 8; i++)
            r += box[i] + waits(i);
        for (int i = 0; i < 8; i++) {
            port_tasks.run([=] { box[i] += waits(i); });
            port_tasks.wait();
            r += waits(3);
        }
    }
    std::printf("%ld\n", r);
}
