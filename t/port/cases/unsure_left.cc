/*
 * What a thread of a region executes is not certain, or no call names it: OpenMP or the thread's
 * number may be in it.
 */
#include <cstdio>
#include <omp.h>

struct shape {
    virtual ~shape() {}
    virtual long run(int n) const { return n; }
    virtual int id() const { return 0; }
    virtual bool is_set(const int *at) const { return *at >= 0; }
};

struct split : shape {
    long run(int n) const override
    {
        long s = 0;
#pragma omp for nowait
        for (int i = 0; i < n; i++)
            s += i;
        return s;
    }
    int id() const override { return omp_get_thread_num(); }
};

/* No class is derived from it: its regions are ported. */
struct line final : shape {
    long run(int n) const override { return 2 * n; }
};

static long virtually(const shape &s, int n)
{
    long total = 0;

#pragma omp parallel
    {
        long mine = s.run(n);
#pragma omp critical
        total += mine;
    }
    return total;
}

static long finally(const line &s, int n)
{
    long total = 0;

#pragma omp parallel
    {
        long mine = s.run(n) + s.shape::run(n);
#pragma omp critical
        total += mine > 0;
    }
    return total;
}

static int numbered(const shape &s)
{
    int sum = 0;

#pragma omp parallel
    {
#pragma omp atomic
        sum += s.id();
    }
    return sum;
}

static int ended()
{
    int sum = 0;

#pragma omp parallel
    {
        shape *s = new split;
#pragma omp atomic
        sum++;
        delete s;
    }
    return sum;
}

/* Of a loop: what a derived class has is looked at, too. */
static int in_loop(const shape &s, int n)
{
    int sum = 0;

#pragma omp parallel for reduction(+ : sum) num_threads(2)
    for (int i = 0; i < n; i++)
        sum += s.id() < 2;
    return sum;
}

int main()
{
    split s;
    line l;

    std::printf("%ld %ld %d\n", virtually(s, 100), finally(l, 100), numbered(s));
    std::printf("%d %d\n", ended(), in_loop(s, 50));
    return 0;
}
