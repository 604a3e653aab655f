/*
 * Arrays whose elements are const: parameters, types that have a name, pointers that are const.
 */
#include <stdio.h>

typedef double vector[3];
typedef const double fixed[3];
typedef double (matrix)[3][3];
typedef const char *const names[2];

static double parameter(const double x[], double y[], int n)
{
    double s = 0;

#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) {
        y[i] = x[i] + 1;
        s += x[i];
    }
    return s;
}

static void sized(const int a[10], const unsigned long b[static 10], long c[restrict 10])
{
#pragma omp parallel for
    for (int i = 0; i < 10; i++)
        c[i] = a[i] + (long)b[i];
}

struct pair {
    int a, b;
};

static void counted(int n, const struct pair x[n], int y[restrict n])
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        y[i] = x[i].a - x[i].b;
}

static void rows(const double a[][3], const vector *b, const vector c, const fixed d, double e[][3],
                 int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = a[i][k] + b[i][k] + c[k] * d[k];
}

static double locals(int n)
{
    const vector a = { 1, 2, 3 };
    fixed b = { 4, 5, 6 };
    const matrix m = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
    const matrix two[2] = { { { 1 } }, { { 2 } } };
    const double c[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    double s = 0;

#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++)
        s += a[i % 3] + b[i % 3] + m[i % 3][1] + two[i % 2][0][0] + c[i % 2][i % 3];
    return s;
}

static long letters(char *const words[], const char *const others[2], names more, char *const *last,
                    int n)
{
    char *const own[2] = { words[0], words[1] };
    long s = 0;

#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++)
        s += words[i % 2][0] + others[i % 2][1] + more[i % 2][0] + own[i % 2][0] + last[i % 2][1];
    return s;
}

/* Pointers to what is const, by its tag. */
enum kind { ODD, EVEN };

static int pointed(const struct pair *p, const struct pair *const *q, const enum kind *k,
                   struct pair *const own, const struct pair one, int n)
{
    const struct pair *at = p, *each;
    const double *x = NULL;
    int s = 0;

#pragma omp parallel for reduction(+ : s) private(each) firstprivate(at) lastprivate(x)
    for (int i = 0; i < n; i++) {
        each = at + i;
        s += each->a + p[i].b + q[i]->a + (int)k[i] + own->a + one.b;
        x = NULL;
    }
#pragma omp parallel for reduction(+ : s)
    for (const struct pair *r = p; r < p + n; r++)
        s += r->a;
    return x ? 0 : s;
}

/* As a whole, and a copy of it. */
static double whole(const double x[3], int n)
{
    const vector v = { 7, 8, 9 };
    static const int table[3] = { 1, 2, 3 };
    double s = 0;

#pragma omp parallel for reduction(+ : s) firstprivate(x, table)
    for (int i = 0; i < n; i++)
        s += table[i % 3] * x[i % 3] * (double)sizeof v + v[0];
    return s;
}

static double in_region(const double x[], const vector y, int n)
{
    double s = 0;

#pragma omp parallel
    {
        double mine = 0;
#pragma omp for
        for (int i = 0; i < n; i++)
            mine += x[i] * y[i % 3];
#pragma omp critical
        s += mine;
    }
    return s;
}

int main(void)
{
    double x[6] = { 1, 2, 3, 4, 5, 6 }, y[6], e[2][3];
    const double a[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    int ten[10] = { 1, 2, 3 };
    unsigned long more[10] = { 4, 5 };
    long sums[10], sum = 0;
    const struct pair pairs[2] = { { 4, 1 }, { 9, 2 } };
    int differences[2];
    char ab[] = "ab", cd[] = "cd", *words[] = { ab, cd };
    const char *const others[2] = { ab, cd };

    printf("%g\n", parameter(x, y, 6));
    sized(ten, more, sums);
    for (int i = 0; i < 10; i++)
        sum += sums[i];
    counted(2, pairs, differences);
    rows(a, (const vector *)a, x, x, e, 2);
    printf("%g %ld %g %g\n", y[5], sum, e[0][0], e[1][2]);
    printf("%g %ld\n", locals(100), letters(words, others, others, words, 10));
    printf("%d %d\n", differences[0], differences[1]);
    printf("%d\n", pointed(pairs, (const struct pair *const[]){ pairs, pairs }, (enum kind[]){ ODD, EVEN },
                           (struct pair[]){ { 7, 8 } }, pairs[1], 2));
    printf("%g %g\n", whole(x, 10), in_region(x, x, 6));
    return 0;
}
