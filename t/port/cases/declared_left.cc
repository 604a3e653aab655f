// Reductions that are left alone: what the combiner asks for, where it stands, what it is of.
#include <cstdio>
#include <vector>

struct sum {
    long v;
    sum() : v(0) {}
};

#pragma omp declare reduction(typed : sum : omp_out.v += (decltype(omp_out.v))omp_in.v)
#pragma omp declare reduction(plain : sum : omp_out.v += omp_in.v)

static sum add(const std::vector<int> &x)
{
    #pragma omp declare reduction(inner : sum : omp_out.v += omp_in.v)
    sum s, t;

    #pragma omp parallel for reduction(typed : s)
    for (int i = 0; i < (int)x.size(); i++)
        s.v += x[i];
    #pragma omp parallel for reduction(inner : t)
    for (int i = 0; i < (int)x.size(); i++)
        t.v += x[i];
    s.v += t.v;
    return s;
}

int main()
{
    std::vector<int> x(100, 3);
    sum all[2], s = add(x);

    #pragma omp parallel for reduction(plain : all)
    for (int i = 0; i < 100; i++)
        all[i % 2].v += x[i];
    #pragma omp parallel
    {
        #pragma omp for reduction(plain : s)
        for (int i = 0; i < 100; i++)
            s.v += x[i];
        #pragma omp critical
        s.v += 0;
    }
    std::printf("%ld %ld %ld\n", s.v, all[0].v, all[1].v);
}
