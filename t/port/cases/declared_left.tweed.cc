// Reductions that are left alone: what the combiner asks for, where it stands, what it is of.
#include <tweed.hpp>
#include <cstdio>
#include <vector>

#include <pthread.h>

extern "C" {
__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;
}


struct sum {
    long v;
    sum() : v(0) {}
};

#pragma omp declare reduction(typed : sum : omp_out.v += (decltype(omp_out.v))omp_in.v)
#pragma omp declare reduction(plain : sum : omp_out.v += omp_in.v)

static sum add(const std::vector<int> &x)
{
    auto port_inner = [](sum &omp_out, sum &omp_in) { omp_out.v += omp_in.v; };
    auto port_inner_start = [](sum &) {
        sum omp_priv{};
        return omp_priv;
    };
    sum s, t;

    #pragma omp parallel for reduction(typed : s)
    for (int i = 0; i < (int)x.size(); i++)
        s.v += x[i];
    {
        struct loop_sums {
            sum t;
        };
        loop_sums loop_result = tweed::parallel_reduce((int)(0), (int)((int)x.size()), loop_sums{ port_inner_start(t) }, [&](int i, loop_sums &loop_acc) {
            sum &t = loop_acc.t;

            t.v += x[i];
        }, [&](loop_sums &into, loop_sums &from) {
            port_inner(into.t, from.t);
        });
        port_inner(t, loop_result.t);
    }
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
        {
            pthread_mutex_lock(&port_critical);
            s.v += 0;
            pthread_mutex_unlock(&port_critical);
        }
    }
    std::printf("%ld %ld %ld\n", s.v, all[0].v, all[1].v);
}
