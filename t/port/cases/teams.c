#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <omp.h>
static double total;
void histogram(const unsigned char *img, long n, int *hist)
{
    /* one for each thread */
    #pragma omp parallel
    {
        int local[256] = {0};
        long i;

        #pragma omp for
        for (i = 0; i < n; i++)
            local[img[i]]++;
        // merge
        #pragma omp critical
        for (int b = 0; b < 256; b++)
            hist[b] += local[b];
    }
}

double pi(int steps)
{
    double step = 1.0 / steps, sum[64], pi = 0;
    int nthreads, i;
    #pragma omp parallel
    {
        int i, id = omp_get_thread_num(), nthrds = omp_get_num_threads();
        double x;
        if (id == 0) nthreads = nthrds;
        for (i = id, sum[id] = 0; i < steps; i += nthrds) {
            x = (i + 0.5) * step;
            sum[id] += 4.0 / (1.0 + x * x);
        }
    }
    for (i = 0; i < nthreads; i++) pi += sum[i] * step;
    return pi;
}

double mixed(const double *x, int n, int *where)
{
    double best = -1, norm = 0;
    int at = -1, i;
    #pragma omp parallel num_threads(4) private(i)
    {
        double mine = -1;
        int my_at = -1;
        double *buffer = malloc(16 * sizeof *buffer);

        #pragma omp for schedule(dynamic, 8) nowait
        for (i = 0; i < n; i++) {
            buffer[i % 16] = x[i];
            if (x[i] < 0) continue;
            if (buffer[i % 16] > mine) {
                mine = x[i];
                my_at = i;
            }
        }
        #pragma omp critical(best)
        {
            if (mine > best || (mine == best && my_at < at)) {
                best = mine;
                at = my_at;
            }
        }
        #pragma omp for reduction(+: norm) schedule(static, 3)
        for (i = n - 1; i >= 0; i -= 2)
            norm += x[i] * my_at - x[i] * my_at + x[i];
        free(buffer);
        #pragma omp single
        total += norm;
        #pragma omp atomic
        total += 0.5;
        #pragma omp barrier
        if (omp_get_thread_num() == omp_get_num_threads() - 1)
            total *= 2;
    }
    *where = at;
    return best + norm;
}

int reduced(int n)
{
    int sum = 0, most = 0;
    #pragma omp parallel reduction(+: sum) reduction(max: most)
    {
        int mine = 0;
        #pragma omp for nowait
        for (int i = 0; i < n; i++)
            mine += i % 7;
        sum = mine;
        most = omp_get_num_threads();
    }
    return sum * 100 + most;
}

int main(void)
{
    unsigned char *img = malloc(100000);
    int hist[256] = {0}, w;
    double x[1000];
    for (int i = 0; i < 100000; i++) img[i] = (unsigned char)(i * 37 % 251);
    for (int i = 0; i < 1000; i++) x[i] = (i * 37) % 997;
    histogram(img, 100000, hist);
    for (int i = 0; i < 256; i += 16) printf("%d ", hist[i]);
    printf("\n%.6f\n", pi(100000));
    printf("%g ", mixed(x, 1000, &w));
    printf("%d %g\n", w, total);
    printf("%d\n", reduced(1000));
    #pragma omp parallel
    printf("hello\n");
    free(img);
    return 0;
}
