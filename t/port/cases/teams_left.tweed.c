#include <tweed.h>
#include <stdio.h>
#include <omp.h>

#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */
#include <omp.h>
#endif

/* omp_get_thread_num() */
static inline int port_thread_num(void)
{
    int worker = tweed_worker_index();

#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */
    if (worker < 0)
        return omp_get_thread_num();
#endif
    return worker < 0 ? 0 : worker;
}

#include <pthread.h>

__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;

extern void elsewhere(int) __attribute__((__weak__));
static double *shared[64];
static volatile int flag;
static int tid(void) { return port_thread_num(); }
static void orphan(double *x, int n)
{
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] = i;
}
static double all_of(double *x, int n)
{
    double s = 0;
    #pragma omp parallel
    elsewhere(omp_get_thread_num());
    #pragma omp parallel
    { orphan(x, n); }
    #pragma omp parallel
    { x[tid()] = 1; }
    #pragma omp parallel
    {
        if (omp_get_thread_num() == 0) flag = 1;
        while (!flag) ;
    }
    #pragma omp parallel
    {
        double local[4] = { 1, 2, 3, omp_get_thread_num() };
        shared[omp_get_thread_num()] = local;
        #pragma omp barrier
        {
            __typeof__(s) *port_at = &s, port_old, port_new;
            const __typeof__(shared[0][3]) port_value = shared[0][3];

            __atomic_load(port_at, &port_old, __ATOMIC_RELAXED);
            do
                port_new = port_old + port_value;
            while (!__atomic_compare_exchange(port_at, &port_old, &port_new, 1, __ATOMIC_RELAXED,
                                              __ATOMIC_RELAXED));
        }
    }
    #pragma omp parallel
    {
        for (int k = 0; k < 3; k++) {
            x[omp_get_thread_num()] += k;
            #pragma omp barrier
        }
    }
    #pragma omp parallel
    {
        int t = omp_get_thread_num(), go = 0;
        if (t == 0) {
            {
                pthread_mutex_lock(&port_critical);
                s = 1;
                pthread_mutex_unlock(&port_critical);
            }
        }
        while (!go) {
            {
                pthread_mutex_lock(&port_critical);
                go = s > 0;
                pthread_mutex_unlock(&port_critical);
            }
        }
    }
    return s;
}

int main(int argc, char **argv)
{
    double x[64] = { 0 };

    (void)argv;
    printf("%d\n", argc > 1 ? (int)all_of(x, 10) : 0);
    return 0;
}

/* Of a thread until the end of the region, which a barrier would not outlive. */
void literals(int *sum)
{
    #pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num(), *p = (int[]){ me + 1, me + 2 };

        #pragma omp barrier
        {
            pthread_mutex_lock(&port_critical);
            *sum += p[0] * p[1];
            pthread_mutex_unlock(&port_critical);
        }
    }
}

void asked(int *sum)
{
    #pragma omp parallel num_threads(2)
    {
        (void)__atomic_fetch_add(&*sum, omp_get_num_threads(), __ATOMIC_RELAXED);
    }
}
