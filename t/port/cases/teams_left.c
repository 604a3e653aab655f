#include <stdio.h>
#include <omp.h>
extern void elsewhere(int) __attribute__((__weak__));
static double *shared[64];
static volatile int flag;
static int tid(void) { return omp_get_thread_num(); }
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
        #pragma omp atomic
        s += shared[0][3];
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
            #pragma omp critical
            s = 1;
        }
        while (!go) {
            #pragma omp critical
            go = s > 0;
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
        #pragma omp critical
        *sum += p[0] * p[1];
    }
}

void asked(int *sum)
{
    #pragma omp parallel num_threads(2)
    {
        #pragma omp atomic
        *sum += omp_get_num_threads();
    }
}
