/* The reason of each that is left alone says what is so. */
#include <complex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

atomic_int counter;

/* The address of a pointer that looks like an array. */
static long pointed(const char x[], int n)
{
    long s = 0;

#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) {
        const char *const *at = &x;

        s += (*at)[i];
    }
    return s;
}

/* Blanks at the beginning of a line are a part of the string. */
static void broken(size_t *x, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        const char *s = "one \
        two";

        x[i] = strlen(s);
    }
}

/* Its memory ends with the function that calls it. */
static int taken(int n)
{
    int s = 0;

#pragma omp parallel
    {
        int *own = __builtin_alloca(sizeof *own);

        *own = n;
#pragma omp critical
        s = *own;
    }
    return s;
}

static int sections_of(int a)
{
    int s = 0, t = 0;

#pragma omp parallel sections reduction(+ : s)
    {
#pragma omp section
        s += a;
#pragma omp section
        s += 2 * a;
    }
#pragma omp parallel
    {
#pragma omp sections reduction(+ : t)
        {
#pragma omp section
            t += a;
#pragma omp section
            t += 2 * a;
        }
    }
    return s + t;
}

static double of_complex(const double complex *x, int n)
{
    double complex s = 0, z[2] = { 0 };

#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++)
        s += x[i];
#pragma omp parallel for reduction(+ : z)
    for (int i = 0; i < n; i++)
        z[i % 2] += x[i];
#pragma omp parallel reduction(+ : s)
    {
#pragma omp for
        for (int i = 0; i < n; i++)
            s += x[i];
    }
    return creal(s) + creal(z[0]);
}

static double of_rows(int n)
{
    double h[4][4] = { { 0 } };

#pragma omp parallel for reduction(+ : h)
    for (int i = 0; i < n; i++)
        h[i % 4][i % 3] += i;
#pragma omp parallel for reduction(+ : h[0 : 4][0 : 4])
    for (int i = 0; i < n; i++)
        h[i % 4][i % 3] += i;
#pragma omp parallel reduction(+ : h)
    {
#pragma omp for
        for (int i = 0; i < n; i++)
            h[i % 4][i % 3] += i;
    }
    return h[1][1];
}

static void copied(int *x, int n)
{
#pragma omp parallel for lastprivate(counter)
    for (int i = 0; i < n; i++) {
        counter = i;
        x[i] = counter;
    }
}

static void in_order(int n)
{
#pragma omp parallel for ordered
    for (int i = 0; i < n; i++) {
#pragma omp ordered
        printf("%d\n", i);
    }
#pragma omp parallel master
    printf("one\n");
}

/* It calls itself, and is declared by this alone. */
static void halves(int *x, int n)
{
    if (n < 2)
        return;
#pragma omp parallel for
    for (int i = 0; i < 2; i++)
        halves(x + i * n / 2, n / 2);
    x[0]++;
}

int main(void)
{
    double complex x[3] = { 1, 2, I };
    int y[5];
    size_t z[2];

    broken(z, 2);
    printf("%d %d\n", (int)z[1], taken(8));
    printf("%ld\n", pointed("abc", 3));
    printf("%d %g %g\n", sections_of(3), of_complex(x, 3), of_rows(10));
    copied(y, 5);
    printf("%d %d\n", counter, y[3]);
    in_order(3);
    halves(y, 4);
    return 0;
}
