// Functions between the loops of a region that write something, one way or another.
#include <tweed.hpp>
#include <cstdio>
#include <vector>

static int hits;
static int bad1(int *p) { int a; *p = 5; a = 3; return a; }
static int bad2(int x, int y = hits++) { return x + y; }
static int bad3(int *p) { int a(3); *p = 9; return a; }
static int bad4() { int s = hits = 4; return s; }
struct conv { operator int() const { hits++; return 3; } };
static int good(const std::vector<int> &v, int k) { const int n = (int)v.size(); return k < n ? v[k] : -1; }
template <class T> static T tmpl(T a) { hits++; return a; }
#define TOUCH(x) ((x)++)
static int bad5() { return TOUCH(hits); }

int main()
{
    std::vector<int> v(20, 1);
    int w = 0;
    conv c;
    #pragma omp parallel
    {
        if (bad1(&w) > 1) {
            #pragma omp for
            for (int i = 0; i < 20; i++) v[i]++;
        }
    }
    #pragma omp parallel
    {
        if (bad2(1) > -1) {
            #pragma omp for
            for (int i = 0; i < 20; i++) v[i]++;
        }
    }
    #pragma omp parallel
    {
        if (bad3(&w) > 1) {
            #pragma omp for
            for (int i = 0; i < 20; i++) v[i]++;
        }
    }
    #pragma omp parallel
    {
        if (bad4() > 1) {
            #pragma omp for
            for (int i = 0; i < 20; i++) v[i]++;
        }
    }
    #pragma omp parallel
    {
        if (bad5() > -1) {
            #pragma omp for
            for (int i = 0; i < 20; i++) v[i]++;
        }
    }
    #pragma omp parallel
    {
        if (c > 1) {
            #pragma omp for
            for (int i = 0; i < 20; i++) v[i]++;
        }
    }
    #pragma omp parallel
    {
        if (tmpl(5) > 1) {
            #pragma omp for
            for (int i = 0; i < 20; i++) v[i]++;
        }
    }
    {
        int k = good(v, 3);
        tweed::parallel_for<int>(0, 20, [&, k](int i) { v[i] += k; });
        if (good(v, 4) > 0) {
            tweed::parallel_for<int>(0, 20, [&, k](int i) { v[i] += k; });
        }
    }
    std::printf("%d %d\n", v[3], w);
}
