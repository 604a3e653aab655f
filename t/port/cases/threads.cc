#include <cstdio>
#include <vector>
#include <map>
#include <omp.h>
template <class T> void histogram(const std::vector<T> &img, std::vector<long> &hist)
{
    #pragma omp parallel
    {
        std::vector<long> local(hist.size(), 0);

        #pragma omp for
        for (size_t i = 0; i < img.size(); i++)
            local[img[i]]++;
        // merge
        #pragma omp critical
        for (size_t b = 0; b < hist.size(); b++)
            hist[b] += local[b];
    }
}
struct best { double x; int at; };
best find(const double *x, int n)
{
    best all = { -1, -1 };
    #pragma omp parallel
    {
        best mine = { -1, -1 };
        #pragma omp for schedule(guided) nowait
        for (int i = 0; i < n; ++i)
            if (x[i] > mine.x) { mine.x = x[i]; mine.at = i; }
        #pragma omp critical
        {
            if (mine.x > all.x || (mine.x == all.x && mine.at < all.at)) all = mine;
        }
    }
    return all;
}
double by_number(const std::vector<double> &x)
{
    std::vector<double> sums(omp_get_max_threads());
    double s = 0;
    #pragma omp parallel num_threads(3)
    {
        int t = omp_get_thread_num(), n = omp_get_num_threads();
        size_t lo = x.size() * t / n, hi = x.size() * (t + 1) / n;
        double mine = 0;
        for (size_t i = lo; i < hi; i++) mine += x[i];
        sums[t] = mine;
        #pragma omp barrier
        #pragma omp single
        for (int k = 0; k < n; k++)
            s += sums[k];
        mine += s;
        #pragma omp critical
        s += mine - s;
    }
    return s > 0;
}
double pr(std::vector<double> x)
{
    double sum = 0; int count = 0; int k = 5;
    #pragma omp parallel reduction(+: sum, count) firstprivate(k)
    {
        double part[2] = { 0, 0 };
        k++;
        #pragma omp for
        for (auto it = x.begin(); it < x.end(); ++it)
            part[*it > 3] += *it + k;
        sum += part[0] + part[1];
        #pragma omp for
        for (int i = 10; i > 0; i--) count++;
    }
    return sum + count;
}
long most(int n)
{
    std::vector<long> sums(omp_get_max_threads());
    long all = 0;
    #pragma omp parallel num_threads(omp_get_max_threads())
    {
        #pragma omp for
        for (int i = 0; i < n; i++) sums[omp_get_thread_num()] += i;
    }
    #pragma omp parallel for num_threads(omp_get_max_threads()) reduction(+: all)
    for (size_t i = 0; i < sums.size(); i++) all += sums[i];
    return all;
}
int main()
{
    std::vector<int> img(1000);
    for (int i = 0; i < 1000; i++) img[i] = i * 7 % 16;
    std::vector<long> hist(16);
    histogram(img, hist);
    for (long h : hist) std::printf("%ld ", h);
    std::vector<double> x(500);
    for (int i = 0; i < 500; i++) x[i] = i * 31 % 499;
    best b = find(x.data(), 500);
    std::printf("%g %d\n", b.x, b.at);
    std::printf("%g\n", by_number(x));
    std::map<int, int> counts;
    #pragma omp parallel
    {
        std::map<int, int> own;
        #pragma omp for
        for (int i = 0; i < 1000; i++) own[img[i] % 5]++;
        #pragma omp critical
        for (auto &p : own) counts[p.first] += p.second;
    }
    for (auto &p : counts) std::printf("%d:%d ", p.first, p.second);
    std::printf("%g %ld\n", pr(x), most(100));
}
