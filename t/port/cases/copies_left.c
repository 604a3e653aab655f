/* A private variable that is not the same where it is declared anew. */
#include <stdint.h>
#include <stdio.h>

enum { N = 512, ROWS = 20 };
static double x[N], y[N];

/* The last row has no index. */
static int triangle(void)
{
    int v = -1;

#pragma omp parallel for collapse(2) lastprivate(v)
    for (int i = 0; i < ROWS; i++)
        for (int j = i + 1; j < ROWS; j++)
            v = i * 100 + j;
    return v;
}

static int aligned(void)
{
    int bad = 0;
    double out[8] __attribute__((aligned(64)));

#pragma omp parallel
    {
        double tmp[8] __attribute__((aligned(64)));
        int k __attribute__((unused));
#pragma omp for reduction(+ : bad)
        for (int i = 0; i < N; i++) {
            for (k = 0; k < 8; k++)
                tmp[k] = x[i];
            bad += (uintptr_t)tmp % 64 != 0;
            y[i] = tmp[i % 8];
        }
    }
#pragma omp parallel for private(out) reduction(+ : bad)
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 8; k++)
            out[k] = x[i];
        bad += (uintptr_t)out % 64 != 0;
        y[i] = out[i % 8];
    }
    return bad;
}

static void jump(void)
{
    double t = 1.5, u;

#pragma omp parallel firstprivate(t)
    {
#pragma omp for
        for (int i = 0; i < N; i++) {
            if (x[i] < 0)
                goto skip;
            t = x[i];
            y[i] += t;
            t = 1.5;
        skip:
            y[i] += 2 * t;
        }
    }
    /* nothing is read behind the label: ported */
#pragma omp parallel for private(u)
    for (int i = 0; i < N; i++) {
        if (x[i] < 0)
            goto next;
        u = x[i];
        y[i] += u;
    next:
        y[i] += 1;
    }
}

int main(void)
{
    double s = 0;
    int bad;

    for (int i = 0; i < N; i++)
        x[i] = i % 4 == 3 ? -i : i;
    bad = aligned();
    jump();
    for (int i = 0; i < N; i++)
        s += y[i];
    printf("%d %d %g\n", triangle(), bad, s);
    return 0;
}
