// A function that waits for the caller's tasks, called by way of a lambda.
#include <tweed.hpp>
#include <cstdio>

/* The tasks of a function.  taskwait waits for those of its callers, too, up to the
   task that it is a part of. */
class port_group {
public:
    port_group() : outer(innermost()), tasks() { innermost() = this; }
    port_group(const port_group &) = delete;
    port_group &operator=(const port_group &) = delete;
    ~port_group() { innermost() = outer; }
    template <class F> void run(F f)
    {
        tasks.run([f]() mutable {
            entered e;
            f();
        });
    }
    void wait()
    {
        for (port_group *g = this; g; g = g->outer)
            g->tasks.wait();
    }

private:
    static port_group *&innermost()
    {
        static thread_local port_group *one;
        return one;
    }
    struct entered {
        entered() : was(innermost()) { innermost() = nullptr; }
        entered(const entered &) = delete;
        entered &operator=(const entered &) = delete;
        ~entered() { innermost() = was; }
        port_group *was;
    };
    port_group *outer;
    tweed::task_group tasks;
};


static long box[8];

static long waits(long n)
{
    port_group port_tasks;
    long a = 0, b = 0;
    port_tasks.run([=, &a] { a = n; });
    port_tasks.run([=, &b] { b = n + 1; });
    port_tasks.wait();
    return a * b + box[0];
}

static long later()
{
    port_group port_tasks;
    long r = 0;
    auto g = [&] { return waits(3); };
    port_tasks.run([] {
        for (volatile int i = 0; i < 2000000; i = i + 1)
            ;
        box[0] = 5;
    });
    r = g();
    port_tasks.wait();
    return r;
}

int main()
{
    long r = 0;
    r = later();
    std::printf("%ld\n", r);
}
