// Names in clauses that are those of members, or of more than one variable.
#include <cstdio>
#include <vector>
struct solver {
    double energy = 0, tmp = 0;
    long hits = 0;
    int base = 7;
    double window[3];
    std::vector<double> x, y;
    std::vector<int> seen;
    void reduced()
    {
#pragma omp parallel reduction(+ : energy)
        {
            std::vector<int> mine;
#pragma omp for nowait
            for (int i = 0; i < (int)x.size(); i++) {
                energy += x[i];
                mine.push_back(i);
            }
#pragma omp critical
            seen.insert(seen.end(), mine.begin(), mine.end());
        }
    }
    void reduced_by_a_loop()
    {
#pragma omp parallel
        {
            std::vector<int> mine;
#pragma omp for reduction(+ : hits)
            for (int i = 0; i < (int)x.size(); i++) {
                hits += i;
                mine.push_back(i);
            }
#pragma omp critical
            seen.insert(seen.end(), mine.begin(), mine.end());
        }
    }
    void own()
    {
        const int n = (int)x.size();
#pragma omp parallel private(tmp)
        {
#pragma omp for
            for (int i = 0; i < n; i++) {
                tmp = x[i] * 2;
                y[i] = tmp;
            }
        }
#pragma omp parallel private(window)
        {
#pragma omp for
            for (int i = 0; i < n; i++) {
                window[i % 3] = x[i];
                y[i] += window[i % 3];
            }
        }
#pragma omp parallel
        {
#pragma omp for private(tmp)
            for (int i = 0; i < n; i++) {
                tmp = y[i];
                y[i] = tmp + 1;
            }
        }
    }
    void tasks()
    {
        for (base = 0; base < 50; base++) {
#pragma omp task firstprivate(base)
            y[base] += base;
        }
#pragma omp taskwait
    }
};
static long total = 0;
namespace sim { static double tmp = 1; }
using sim::tmp;
struct stats { static int sum; };
int stats::sum = 3;
namespace app {
static void add(const std::vector<int> &v)
{
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < (int)v.size(); i++)
        ::total += v[i];
}
}
/* each name is one variable's */
static int max(const std::vector<int> &v)
{
    int max = 0;
    struct count { int n; } count = { 0 };
#pragma omp parallel for reduction(max : max) firstprivate(count)
    for (int i = 0; i < (int)v.size(); i++) {
        struct count *at = &count;
        max = std::max<int>(max, v[i] + at->n);
    }
    return max;
}
/* the name that the shared one gets is used already */
static void twice(const std::vector<double> &x)
{
    double sum = 5, sum_all = 1000;
    std::vector<int> parts;
#pragma omp parallel reduction(+ : sum)
    {
        int mine = 0;
#pragma omp for nowait
        for (int i = 0; i < 200; i++) {
            sum += x[i] * sum_all;
            mine++;
        }
#pragma omp critical
        parts.push_back(mine);
    }
    int all = 0;
    for (int p : parts)
        all += p;
    std::printf("%.1f %.1f %d\n", sum, sum_all, all);
}
int main()
{
    solver s;
    std::vector<int> v(1000, 3);
    double sum = 0;
    s.x.assign(200, 0.5);
    s.y.assign(200, 0);
    s.reduced();
    s.reduced_by_a_loop();
    s.own();
#pragma omp parallel
#pragma omp single
    s.tasks();
    app::add(v);
#pragma omp parallel for private(tmp)
    for (int i = 0; i < 200; i++) {
        sim::tmp = i;
        s.y[i] += tmp;
    }
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 200; i++) {
        double w = stats::sum;
        sum += s.y[i] * w;
    }
    twice(s.x);
    std::printf("%.3f %ld %zu %.3f %ld %.3f %d %d\n", s.energy, s.hits, s.seen.size(), sum, total,
                sim::tmp, s.base, max(v));
}
