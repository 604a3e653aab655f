// A function that waits, called where no task of the caller is pending: groups know nothing.
// What stands beside a task, and leaves a lock or errno with its thread, is no callable.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>

static long box[8];
static std::mutex guard;

static long locked(long n)
{
    long a = 0, b = 0;
    #pragma omp task shared(a)
    a = n;
    guard.lock();
    b = 1;
    #pragma omp taskwait
    a += b;
    guard.unlock();
    return a;
}

static long number(const char *text)
{
    long a = 0, b = 0;
    errno = 0;
    #pragma omp task shared(a)
    a = 1;
    b = std::strtol(text, nullptr, 10);
    #pragma omp taskwait
    return errno ? -1 : a + b;
}

static long beside(long n)
{
    long a = 0, b = 0;
    #pragma omp task shared(a)
    a = n;
    guard.lock();
    b = n;
    guard.unlock();
    #pragma omp taskwait
    return a + b;
}

static long waits(long n)
{
    long a = 0, b = 0;
    #pragma omp task shared(a)
    a = n;
    #pragma omp task shared(b)
    b = n + 1;
    #pragma omp taskwait
    return a * b;
}

int main()
{
    long r = 0;
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 8; i++) {
            #pragma omp task
            box[i] = waits(i);
        }
        #pragma omp taskwait
        for (int i = 0; i < 8; i++)
            r += box[i] + waits(i);
        for (int i = 0; i < 8; i++) {
            #pragma omp task
            box[i] += waits(i);
            #pragma omp taskwait
            r += waits(3);
        }
    }
    #pragma omp parallel
    #pragma omp single
    r += locked(1) + number("20") + beside(300);
    std::printf("%ld\n", r);
}
