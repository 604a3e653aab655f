// A pragma stands before the body of the loop: the braces are not the loop's.
#include <tweed.hpp>
#include <cstdio>

#include <pthread.h>

extern "C" {
__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;
}

extern "C" {
__attribute__((__weak__)) pthread_mutex_t port_critical_named = PTHREAD_MUTEX_INITIALIZER;
}


int main()
{
    int sum = 0, n = 40, last = -1;
    long sums = 0, count = 0, most = 0, bins[5] = { 0 };

    sum += tweed::parallel_sum<int>((int)(0), (int)(n), [&](int k) -> int {
        int sum{};

    {
        pthread_mutex_lock(&port_critical);
        sum += k;
        count++;
        pthread_mutex_unlock(&port_critical);
    }
        return sum;
    });
    tweed::parallel_for<int>(0, n, [&](int k) {
        (void)__atomic_fetch_add(&bins[k % 5], k, __ATOMIC_RELAXED);
    });
    {
        struct loop_sums {
            long sums;
            long most;
        };
        const loop_sums loop_result = tweed::parallel_reduce_2d(0, n, 0, 3, loop_sums{ 0, most }, [&](int k, int j, loop_sums &loop_acc) {
        long &sums = loop_acc.sums;
        long &most = loop_acc.most;
        // a comment
        {
            pthread_mutex_lock(&port_critical);
            sums += k * j;
            most = most < k ? k : most;
            count++;
            pthread_mutex_unlock(&port_critical);
        }
        }, [](loop_sums &into, const loop_sums &from) {
            into.sums += from.sums;
            if (from.most > into.most)
                into.most = from.most;
        });
        sums += loop_result.sums;
        if (loop_result.most > most)
            most = loop_result.most;
    }
    {
        const auto k_first = 0;
        sums += tweed::parallel_sum<long>((int64_t)(0), (int64_t)((int64_t(n) + 3) / 4), [&](int64_t k_index) -> long {
        int k = (int)((int64_t)k_first + k_index * 4);
        int last;
        long sums{};

    {
        pthread_mutex_lock(&port_critical_named);
        last = k;
        sums += last;
        pthread_mutex_unlock(&port_critical_named);
    }
        return sums;
        });
    }
    std::printf("%d %ld %ld %ld %ld %d\n", sum, sums, count, most, bins[3], last);
    return 0;
}
