// What tasks are given: packs, constants, elements of a loop; and what is done beside them.
#include <algorithm>
#include <cstdio>
#include <vector>

static long out[64];

struct job { int id; long *to; void go() const { *to += id; } };

template <int N, class... A> static void spread(long *p, A... rest)
{
    const int width = N;
    for (int i = 0; i < 3; i++) {
        #pragma omp task
        p[i] += std::max(width, i) + (long)sizeof...(rest);
    }
    #pragma omp taskwait
}

struct counter {
    static const int limit = 5;
    int seen;
    std::vector<job> jobs;
    void all(long *to)
    {
        const int offset = 3;
        for (const auto &j : jobs) {
            #pragma omp task
            j.go();
        }
        #pragma omp taskwait
        #pragma omp task
        {
            seen = std::min(limit + offset, 100);
            to[5] += std::max(offset, 2);
        }
        #pragma omp taskwait
    }
};

static void wide(int depth, long at)
{
    if (depth == 0) {
        #pragma omp atomic
        out[at % 64] += at;
        return;
    }
    #pragma omp task
    wide(depth - 1, at * 2);
    #pragma omp task
    wide(depth - 1, at * 2 + 1);
    #pragma omp task
    wide(depth - 1, at * 3);
    if (depth > 3)
        depth--;
    else {
        #pragma omp taskwait
        at += 1;
    }
    #pragma omp atomic
    out[(at + depth) % 64] += 1;
}

static void serial_after(long *p)
{
    long a = 0, b = 0;
    int k = 1;
    #pragma omp task shared(a)
    a = 5 + k;
    k = 10;
    b = k;
    p[0] = 1;
    #pragma omp taskwait
    p[1] = a + b;
}

static void loop_pairs(long *p, int n)
{
    for (int i = 0; i < n; i++) {
        long x = 0, y = 0;
        #pragma omp task shared(x) firstprivate(i)
        x = i;
        #pragma omp task shared(y)
        y = 2 * i;
        #pragma omp taskwait
        if (i == n / 2)
            continue;
        p[i] += x * y;
    }
}

int main()
{
    long p[40] = { 0 };
    counter c;
    for (int i = 0; i < 8; i++)
        c.jobs.push_back({ i, &out[i] });
    #pragma omp parallel
    {
        #pragma omp master
        {
            spread<7>(p, 1, 2.0);
            c.all(out);
            wide(6, 1);
            serial_after(p + 10);
            loop_pairs(p + 20, 12);
        }
    }
    long h = c.seen;
    for (long v : out)
        h = h * 7 % 10000019 + v;
    for (long v : p)
        h = h * 7 % 10000019 + v;
    std::printf("%ld\n", h);
}
