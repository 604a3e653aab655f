// The variable of a loop keeps the type that it is declared with.
#include <cstdio>
#include <vector>
static long touch(int &x) { return x * 100L; }
static long touch(const int &x) { return x; }
template <class It> static long sum_of(It begin, It end)
{
    long s = 0;
#pragma omp parallel for reduction(+ : s)
    for (auto it = begin; it < end; ++it)
        s += *it;
    return s;
}
/* an index that is a template's */
template <class T> static unsigned long hash_of(T lo, T hi)
{
    unsigned long all = 0;
#pragma omp parallel for reduction(+ : all)
    for (T i = lo; i < hi; ++i)
        all += (i * 2654435761u) >> 3;
#pragma omp parallel for reduction(+ : all)
    for (auto i = lo; i < hi; ++i)
        all += (i * 2654435761u) >> 5;
    return all;
}
template <class T> static unsigned long mix(const std::vector<int> &x, T n)
{
    unsigned long all = 0;
#pragma omp parallel
    {
        unsigned long mine = 0;
#pragma omp for
        for (T i = 0; i < n; ++i)
            mine += ((i * 2654435761u) >> 5) + x[i];
#pragma omp critical
        all += mine;
    }
    return all;
}
template <class T> static void clear(std::vector<T> &v)
{
#pragma omp parallel for
    for (auto it = v.begin(); it < v.end(); ++it)
        *it = 0;
}
int main()
{
    std::vector<int> v(1000, 2);
    int *a = v.data();
    long s = touch(v[0]);
#pragma omp parallel for reduction(+ : s)
    for (std::vector<int>::const_iterator it = v.begin(); it < v.end(); ++it)
        s += touch(*it);
#pragma omp parallel for reduction(+ : s)
    for (const int *p = a; p < a + 1000; ++p)
        s += touch(*p);
#pragma omp parallel
    {
        long mine = 0;
#pragma omp for
        for (std::vector<int>::const_iterator it = v.begin(); it < v.end(); ++it)
            mine += touch(*it);
#pragma omp for
        for (const int *p = a; p < a + 1000; ++p)
            mine += touch(*p);
#pragma omp critical
        s += mine;
    }
    std::printf("%ld %ld %lu %lu\n", s, sum_of(v.begin(), v.end()), hash_of(3u, 90u),
                hash_of(50u, 40u) + mix(v, 1000u));
    clear(v);
    std::printf("%d\n", v[500]);
}
