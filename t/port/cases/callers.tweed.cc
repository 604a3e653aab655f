// A function waits for the tasks of the one that calls it, too.
#include <tweed.hpp>
#include <cstdio>
#include <vector>

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


static int box[4];
static int late()
{
    port_group port_tasks;
    int mine = 0;
    port_tasks.run([&] { mine = 3; });
    port_tasks.wait();
    return box[0] + box[1] + mine; /* and what the caller spawned */
}

static void spin(int k)
{
    volatile int x = 0;
    for (int i = 0; i < k; i++)
        x = x + 1;
}

static void join()
{
    port_group port_tasks;
    port_tasks.wait();
}

static int outer()
{
    port_group port_tasks;
    port_tasks.run([] {
        spin(3000000);
        box[0] = 10;
    });
    port_tasks.run([] {
        spin(2000000);
        box[1] = 20;
    });
    int r = late();
    port_tasks.run([] {
        spin(2000000);
        box[2] = 5;
    });
    join();
    r += box[2];
    return r;
}

struct acc {
    std::vector<long> v;
    template <class I> void add(I from, I to)
    {
        port_group port_tasks;
        if (to - from < 8) {
            for (I i = from; i < to; ++i)
                v[i] += i;
        } else {
            I m = from + (to - from) / 2;
            {
                auto port_task = [&, from, m]() mutable
                {
                    add(from, m);
                };

                if (to - from > 100)
                    port_tasks.run(port_task);
                else
                    port_task();
            }
            add(m, to);
            port_tasks.wait();
            v[from] += v[to - 1];
        }
    }
};
static int search(const int *x, int n, int what)
{
    port_group port_tasks;
    int left = -1, right = -1;

    if (n == 1)
        return *x == what ? 0 : -1;
    port_tasks.run([=, &left] { left = search(x, n / 2, what); });
    right = search(x + n / 2, n - n / 2, what);
    port_tasks.wait();
    return left >= 0 ? left : right < 0 ? -1 : right + n / 2;
}

int main()
{
    int r = 0, x[500], found = 0;
    acc a;

    for (int i = 0; i < 500; i++)
        x[i] = i * 3;
    a.v.assign(1000, 1);
    {
        r = outer();
        found = search(x, 500, 33);
        a.add(0, 1000);
    }
    long h = 0;
    for (long x : a.v)
        h = (h * 131 + x) % 1000003;
    std::printf("%d %ld %d\n", r, h, found);
}
