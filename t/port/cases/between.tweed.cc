// A function that waits, called where no task of the caller is pending: groups know nothing.
// What stands beside a task, and leaves a lock or errno with its thread, is no callable.
#include <tweed.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>

static long box[8];
static std::mutex guard;

static long locked(long n)
{
    tweed::task_group port_tasks;
    long a = 0, b = 0;
    port_tasks.run([=, &a] { a = n; });
    guard.lock();
    b = 1;
    port_tasks.wait();
    a += b;
    guard.unlock();
    return a;
}

static long number(const char *text)
{
    tweed::task_group port_tasks;
    long a = 0, b = 0;
    errno = 0;
    port_tasks.run([&] { a = 1; });
    b = std::strtol(text, nullptr, 10);
    port_tasks.wait();
    return errno ? -1 : a + b;
}

static long beside(long n)
{
    long a = 0, b = 0;
    tweed::parallel_invoke(
        [=, &a] { a = n; },
        [&] {
            guard.lock();
            b = n;
            guard.unlock();
        });
    return a + b;
}

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
    r += locked(1) + number("20") + beside(300);
    std::printf("%ld\n", r);
}
