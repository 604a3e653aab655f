// Initialisers in lambdas' lists: what they name is changed, or is a copy of the thread's.
#include <tweed.hpp>
#include <cstdio>
#include <vector>

#include <pthread.h>

extern "C" {
__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;
}


#define CALL(f, x) f(x)

int main()
{
    int n = 0, k = 5, last = 1, p = 3, m = 2, seen = 0;
    long sum = 0;
    std::vector<long> y(100);
    auto next = [&t = n] { t++; };

    tweed::parallel_for<int>(0, 10, [&](int) {
        {
            pthread_mutex_lock(&port_critical);
            next();
            if (n > 5)
                seen++;
            pthread_mutex_unlock(&port_critical);
        }
    });
#pragma omp parallel for firstprivate(k) reduction(+ : sum)
    for (int i = 0; i < 10; i++) {
        auto f = [&t = k](int d) { t = d; return t; };
        sum += f(i);
    }
#pragma omp parallel for lastprivate(last)
    for (int i = 0; i < 100; i++)
        [&t = last](int d) { t = d; }(i);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; i++) {
        int own = i, *at = &own;
        auto f = [own, &t(*&sum)](int d) { t += d + own; };
        CALL(f, *at);
    }
#pragma omp parallel firstprivate(p)
    {
        auto f = [&t = p](int d) { t += d; return t; };

#pragma omp for
        for (int i = 0; i < 100; i++)
            y[i] = f(0);
    }
#pragma omp parallel sections firstprivate(m)
    {
#pragma omp section
        y[0] += CALL([&t = m](int d) { t = d; return t; }, 8);
#pragma omp section
        y[1] += 2;
    }
    /* what the text declares itself, and the variable of the loop */
    tweed::parallel_for<int>(0, 100, [&](int i) {
        int own = 2 * i;
        auto f = [own = own, i = i, k](int d) { return own + i + k + d; };
        y[i] += f(1);
    });
    for (long v : y)
        sum += v;
    std::printf("%d %d %d %d %d %d %ld\n", n, k, last, p, m, seen, sum);
    return 0;
}
