/*
 * What each thread has up to the end of the region, though a barrier stands before it: objects,
 * pointers to them, and declarations of what is no variable.
 */
#include <cstdio>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <utility>
#include <vector>

static int live;

struct member {
    member()
    {
#pragma omp atomic
        live++;
    }
    ~member()
    {
#pragma omp atomic
        live--;
    }
};

typedef int number;
enum { width = 10 };
static double half(int x) { return x / 2; }
namespace exact {
static double half(double x) { return x / 2; }
}

static int objects()
{
    int seen = 0, alive = 0;

#pragma omp parallel num_threads(2)
    {
        member m;
#pragma omp barrier
#pragma omp single
        seen = live;
    }
    std::weak_ptr<int> all[2];
    int next = 0;
#pragma omp parallel num_threads(2)
    {
        std::shared_ptr<int> mine = std::make_shared<int>(1);
#pragma omp critical
        all[next++] = mine;
#pragma omp barrier
#pragma omp single
        alive = !all[0].expired() + !all[1].expired();
    }
    return seen * 10 + alive;
}

static long pointers()
{
    const double *all[2];
    int next = 0;
    long sum = 0;

#pragma omp parallel num_threads(2)
    {
        std::vector<double> mine(100, 1.0);
#pragma omp critical
        all[next++] = mine.data();
#pragma omp barrier
#pragma omp single
        for (int k = 0; k < 100; k++)
            sum += (long)(all[0][k] + all[1][k]);
    }
#pragma omp parallel num_threads(2)
    {
        std::list<int> pool;
        std::vector<int *> order;
        for (int k = 0; k < 100; k++) {
            pool.push_back(k);
            order.push_back(&pool.back());
        }
#pragma omp barrier
        long s = 0;
        for (int *p : order)
            s += *p;
#pragma omp critical
        sum += s;
    }
#pragma omp parallel num_threads(2)
    {
        double buf[8];
        double *p = std::begin(buf);
        for (int k = 0; k < 8; k++)
            buf[k] = k;
#pragma omp barrier
        p[3] = 50;
#pragma omp critical
        sum += (long)buf[3];
    }
    return sum;
}

static long iterators()
{
    long sum = 0;

#pragma omp parallel num_threads(2)
    {
        std::vector<int> mine(100, 1);
        std::vector<int>::iterator it = mine.begin() + 5;
#pragma omp barrier
        long s = it[0] + it[1];
#pragma omp critical
        sum += s;
    }
#pragma omp parallel num_threads(2)
    {
        std::map<int, double> m;
        for (int k = 0; k < 8; k += 2) {
            auto next = m.find(k);
            if (next == m.end())
                m[k] = k;
        }
        auto it = m.find(7);
#pragma omp barrier
#pragma omp critical
        sum += it == m.end();
    }
    return sum;
}

static long buckets()
{
    long sum = 0;

#pragma omp parallel num_threads(2)
    {
        std::vector<int> bucket[4];
#pragma omp for schedule(static)
        for (int i = 0; i < 1000; i++)
            bucket[i % 4].push_back(i);
        long s = 0;
        for (int b = 0; b < 4; b++)
            for (int i : bucket[b])
                s += i * b;
#pragma omp atomic
        sum += s;
    }
    return sum;
}

static double names(int n)
{
    std::vector<double> a(n, 0), b(n, 0);
    int lo = 1, hi = 0;
    double sum = 0;

#pragma omp parallel num_threads(2)
    {
        auto [lo, hi] = std::make_pair(0, n);
#pragma omp for
        for (int i = 0; i < n; i++)
            a[i] = lo + i;
#pragma omp critical
        sum += hi;
    }
#pragma omp parallel num_threads(2)
    {
        using number = double;
#pragma omp for
        for (int i = 0; i < n; i++)
            a[i] = number(i) / 4;
#pragma omp critical
        sum += number(5) / 2;
    }
#pragma omp parallel num_threads(2)
    {
        using exact::half;
#pragma omp for
        for (int i = 0; i < n; i++)
            b[i] = half(i + 0.0);
#pragma omp critical
        sum += half(3.0);
    }
#pragma omp parallel num_threads(2)
    {
        enum { width = 20 };
#pragma omp for
        for (int i = 0; i < n; i++)
            b[i] += width;
#pragma omp critical
        sum += width;
    }
    for (int i = 0; i < n; i++)
        sum += a[i] + b[i];
    return sum + lo + hi + number(0.5) + half(1) + width;
}

int main()
{
    int seen = objects();

    std::printf("%d %ld %ld %ld %g\n", seen, pointers(), iterators(), buckets(), names(100));
    return 0;
}
