/* What each thread has, by a reference or a pointer: it is not the caller's. */
#include <vector>
#include <cstdio>

static int out[20000];
struct pair { int x, y; };
static void step(pair &p, int i) { p.x = i; p.y = 2 * p.x; }

static int refs()
{
    int bad = 0;
#pragma omp parallel
    {
        pair mine; pair &r = mine;
#pragma omp for
        for (int i = 0; i < 20000; i++) { step(r, i); out[i] = r.y; }
    }
    for (int i = 0; i < 20000; i++) bad += out[i] != 2 * i;
    return bad;
}

static int vectors(std::vector<int> v)
{
    int bad = 0;
#pragma omp parallel firstprivate(v)
    {
        int *p = v.data();
#pragma omp for
        for (int i = 0; i < 20000; i++) { p[i % 4] = i; out[i] = p[i % 4]; }
    }
    for (int i = 0; i < 20000; i++) bad += out[i] != i;
    return bad;
}

static int vectors2(std::vector<int> v)
{
    int bad = 0;
#pragma omp parallel firstprivate(v)
    {
        int &p = v[1];
#pragma omp for
        for (int i = 0; i < 20000; i++) { p = i; out[i] = p; }
    }
    for (int i = 0; i < 20000; i++) bad += out[i] != i;
    return bad;
}

static int temp()
{
    int bad = 0;
#pragma omp parallel
    {
        int &&p = 3;
#pragma omp for
        for (int i = 0; i < 20000; i++) { p = i; out[i] = p; }
    }
    for (int i = 0; i < 20000; i++) bad += out[i] != i;
    return bad;
}

static int arrays()
{
    int bad = 0;
#pragma omp parallel
    {
        int a[3]; auto *p = a; auto &q = a;
#pragma omp for
        for (int i = 0; i < 20000; i++) { p[0] = i; q[1] = 0; out[i] = p[0]; }
    }
    for (int i = 0; i < 20000; i++) bad += out[i] != i;
    return bad;
}
int main()
{
    std::vector<int> v(4);
    std::printf("%d %d %d\n", refs(), temp(), arrays());
    std::printf("%d %d\n", vectors(v), vectors2(v));
}
