// Functions and regions with tasks: a group in each, or a parallel_invoke() of some.
#include <tweed.hpp>
#include <algorithm>
#include <cstdio>
#include <cmath>
#include <vector>
#include <string>

#include <pthread.h>

extern "C" {
__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;
}


class board {
public:
    board(int size) : n(size), found(0) {}
    int solve()
    {
        std::vector<int> start;
        {
            place(start);
        }
        return found;
    }
private:
    bool fits(const std::vector<int> &rows, int r) const
    {
        for (size_t i = 0; i < rows.size(); i++)
            if (rows[i] == r || std::abs(rows[i] - r) == (int)(rows.size() - i))
                return false;
        return true;
    }
    void place(const std::vector<int> &rows)
    {
        tweed::task_group port_tasks;
        if ((int)rows.size() == n) {
            (void)__atomic_fetch_add(&found, 1, __ATOMIC_RELAXED);
            return;
        }
        for (int r = 0; r < n; r++)
            if (fits(rows, r)) {
                {
                    auto port_task = [&, rows, r]() mutable
                    {
                        std::vector<int> next(rows);
                        next.push_back(r);
                        place(next);
                    };

                    if (rows.size() <= 3)
                        port_tasks.run(port_task);
                    else
                        port_task();
                }
            }
        port_tasks.wait();
    }
    int n, found;
};

namespace deep {
struct item { int key; std::string name; };
static void touch(std::vector<item> &all, size_t lo, size_t hi)
{
    if (hi - lo < 4) {
        for (size_t i = lo; i < hi; i++)
            all[i].name = std::string(all[i].key % 7, 'x');
        return;
    }
    size_t m = (lo + hi) / 2;
    {
        tweed::parallel_invoke(
            [=, &all] { touch(all, lo, m); },
            [=, &all] { touch(all, m, hi); });
    }
    for (size_t i = lo; i + 1 < hi; i++)
        all[i].key += (int)all[i + 1].name.size();
}
}

template <typename T, typename F> T fold(const T *x, int n, F f, int cut = 16)
{
    if (n <= cut) {
        T s = x[0];
        for (int i = 1; i < n; i++)
            s = f(s, x[i]);
        return s;
    }
    T l = T(), r = T();
    tweed::parallel_invoke(
        [=, &l]() mutable { l = fold(x, n / 2, f, cut); },
        [=, &r]() mutable {
            auto g = f;
            r = fold(x + n / 2, n - n / 2, g, cut);
        });
    return f(l, r);
}

struct link { link *next; double v; };
static double walk(link *p)
{
    double out = 0;
    {
        tweed::task_group port_tasks;
        for (link *q = p; q; q = q->next)
            port_tasks.run([=] { q->v = std::sqrt(q->v); });
    }
    for (link *q = p; q; q = q->next)
        out += q->v;
    return out;
}

template <class It> static void sort_all(It b, It e)
{
    if (e - b < 32) {
        std::sort(b, e);
    } else {
        It m = b + (e - b) / 2;

        std::nth_element(b, m, e);
        tweed::parallel_invoke(
            [=]() mutable { sort_all(b, m); },
            [=]() mutable {
                sort_all(m, e);
            });
    }
}

static long sum(const int *x, int n)
{
    tweed::task_group port_tasks;
    long low = 0, high = 0;

    if (n < 100) {
        for (int i = 0; i < n; i++)
            low += x[i];
        return low;
    }
    // the first half
    port_tasks.run([=, &low] { low = sum(x, n / 2); });
    {
        auto port_task = [=, &high] { high = sum(x + n / 2, n - n / 2); };

        if (n > 300)
            port_tasks.run(port_task);
        else
            port_task();
    }
    port_tasks.wait();
    return low + high;
}

static void fill(int *x, int n)
{
    tweed::parallel_invoke(
        [=] {
            for (int i = 0; i < n / 2; i++)
                x[i] = i * 7919 % 2003;
        },
        [&] {
            for (int i = n / 2; i < n; i++)
                x[i] = i * 7919 % 2003;
        });
}

int main()
{
    int numbers[2003] = { 0 }, total = 0;
    long all = 0;
    board b(7);
    std::vector<deep::item> items;
    std::vector<double> x(1000);
    long h = 0;
    for (int i = 0; i < 50; i++)
        items.push_back({ i, "" });
    for (int i = 0; i < 1000; i++)
        x[i] = i;
    int ways = b.solve();
    deep::touch(items, 0, items.size());
    for (auto &i : items)
        h = h * 31 + i.key + (long)i.name.size();
    double s = 0;
    s = fold(x.data(), 1000, [](double a, double c) { return a + c; });
    std::vector<link> links(100);
    for (int i = 0; i < 100; i++)
        links[i] = { i < 99 ? &links[i + 1] : nullptr, i * i * 1.0 };
    {
        fill(numbers, 2003);
        {
            sort_all(numbers, numbers + 2003);
        }
        all = sum(numbers, 2003);
    }
    {
        tweed::task_group port_tasks;
    for (int i = 0; i < 4; i++)
        port_tasks.run([=, &total] {
            {
                pthread_mutex_lock(&port_critical);
                total += i;
                pthread_mutex_unlock(&port_critical);
            }
        });
    }
    std::printf("%d %ld %g %g %d %ld %d\n", ways, h, s, walk(&links[0]),
                (int)std::is_sorted(numbers, numbers + 2003), all, total);
}
