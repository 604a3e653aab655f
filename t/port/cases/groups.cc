// Functions and regions with tasks: a group in each, or a parallel_invoke() of some.
#include <algorithm>
#include <cstdio>
#include <cmath>
#include <vector>
#include <string>

class board {
public:
    board(int size) : n(size), found(0) {}
    int solve()
    {
        std::vector<int> start;
        #pragma omp parallel shared(start)
        {
            #pragma omp single
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
        if ((int)rows.size() == n) {
            #pragma omp atomic
            found++;
            return;
        }
        for (int r = 0; r < n; r++)
            if (fits(rows, r)) {
                #pragma omp task firstprivate(r) if(rows.size() <= 3) mergeable
                {
                    std::vector<int> next(rows);
                    next.push_back(r);
                    place(next);
                }
            }
        #pragma omp taskwait
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
    #pragma omp taskgroup
    {
        #pragma omp task shared(all) priority(3)
        touch(all, lo, m);
        #pragma omp task shared(all) untied
        touch(all, m, hi);
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
    #pragma omp task shared(l) firstprivate(f, x)
    l = fold(x, n / 2, f, cut);
    #pragma omp task shared(r)
    {
        auto g = f;
        r = fold(x + n / 2, n - n / 2, g, cut);
    }
    #pragma omp taskwait
    return f(l, r);
}

struct link { link *next; double v; };
static double walk(link *p)
{
    double out = 0;
    #pragma omp parallel
    #pragma omp single nowait
    {
        for (link *q = p; q; q = q->next)
            #pragma omp task firstprivate(q)
            q->v = std::sqrt(q->v);
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
        #pragma omp task
        sort_all(b, m);
        #pragma omp task
        {
            sort_all(m, e);
        }
    }
}

static long sum(const int *x, int n)
{
    long low = 0, high = 0;

    if (n < 100) {
        for (int i = 0; i < n; i++)
            low += x[i];
        return low;
    }
    #pragma omp task shared(low) // the first half
    low = sum(x, n / 2);
    #pragma omp task shared(high) if(n > 300)
    high = sum(x + n / 2, n - n / 2);
    #pragma omp taskwait
    return low + high;
}

static void fill(int *x, int n)
{
    #pragma omp task
    for (int i = 0; i < n / 2; i++)
        x[i] = i * 7919 % 2003;
    for (int i = n / 2; i < n; i++)
        x[i] = i * 7919 % 2003;
    #pragma omp taskwait
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
    #pragma omp parallel
    #pragma omp master
    deep::touch(items, 0, items.size());
    for (auto &i : items)
        h = h * 31 + i.key + (long)i.name.size();
    double s = 0;
    #pragma omp parallel num_threads(3)
    #pragma omp single
    s = fold(x.data(), 1000, [](double a, double c) { return a + c; });
    std::vector<link> links(100);
    for (int i = 0; i < 100; i++)
        links[i] = { i < 99 ? &links[i + 1] : nullptr, i * i * 1.0 };
    #pragma omp parallel
    #pragma omp single
    {
        fill(numbers, 2003);
        #pragma omp taskgroup
        {
            sort_all(numbers, numbers + 2003);
        }
        all = sum(numbers, 2003);
    }
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 4; i++)
        #pragma omp task
        {
            #pragma omp critical
            total += i;
        }
    std::printf("%d %ld %g %g %d %ld %d\n", ways, h, s, walk(&links[0]),
                (int)std::is_sorted(numbers, numbers + 2003), all, total);
}
