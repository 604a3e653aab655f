/*
 * Arrays whose elements are const: parameters, types that have a name, pointers that are const.
 */
#include <tweed.h>
#include <stdio.h>

#include <pthread.h>

__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;

/* Where the share of a thread of a static loop begins. */
static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)
{
    if (count <= 0)
        return 0;
    return count / threads * thread +
           (thread < count % threads ? thread : count % threads);
}


typedef double vector[3];
typedef const double fixed[3];
typedef double (matrix)[3][3];
typedef const char *const names[2];

TWEED_SUM(double, parameter_loop, i, double *, y, const double *, x)
{
    double s = 0;

    y[i] = x[i] + 1;
    s += x[i];
    return s;
}

static double parameter(const double x[], double y[], int n)
{
    double s = 0;

    s += parameter_loop(0, n, y, x);
    return s;
}

TWEED_LOOP(sized_loop, i, long *, c, const int *, a, const unsigned long *, b)
{
    c[i] = a[i] + (long)b[i];
}

static void sized(const int a[10], const unsigned long b[static 10], long c[restrict 10])
{
    sized_loop(0, 10, c, a, b);
}

struct pair {
    int a, b;
};

TWEED_LOOP(counted_loop, i, int *, y, const struct pair *, x)
{
    y[i] = x[i].a - x[i].b;
}

static void counted(int n, const struct pair x[n], int y[restrict n])
{
    counted_loop(0, n, y, x);
}

typedef double rows_loop_e[3];
typedef const double rows_loop_a[3];

TWEED_LOOP(rows_loop, i, rows_loop_e *, e, rows_loop_a *, a, const vector *, b,
           const double *, c, const double *, d)
{
    for (int k = 0; k < 3; k++)
        e[i][k] = a[i][k] + b[i][k] + c[k] * d[k];
}

static void rows(const double a[][3], const vector *b, const vector c, const fixed d, double e[][3],
                 int n)
{
    rows_loop(0, n, e, a, b, c, d);
}

typedef double locals_loop_m[3];
typedef const double locals_loop_c[3];

TWEED_SUM(double, locals_loop, i, const double *, a, const double *, b,
          const locals_loop_m *, m, const matrix *, two, locals_loop_c *, c)
{
    return a[(int)i % 3] + b[(int)i % 3] + m[(int)i % 3][1] + two[(int)i % 2][0][0] + c[(int)i % 2][(int)i % 3];
}

static double locals(int n)
{
    const vector a = { 1, 2, 3 };
    fixed b = { 4, 5, 6 };
    const matrix m = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
    const matrix two[2] = { { { 1 } }, { { 2 } } };
    const double c[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    double s = 0;

    s += locals_loop(0, n, a, b, m, two, c);
    return s;
}

TWEED_SUM(long, letters_loop, i, char *const *, words, const char *const *, others,
          const char *const *, more, char *const *, own, char *const *, last)
{
    return words[(int)i % 2][0] + others[(int)i % 2][1] + more[(int)i % 2][0] + own[(int)i % 2][0] + last[(int)i % 2][1];
}

static long letters(char *const words[], const char *const others[2], names more, char *const *last,
                    int n)
{
    char *const own[2] = { words[0], words[1] };
    long s = 0;

    s += letters_loop(0, n, words, others, more, own, last);
    return s;
}

/* Pointers to what is const, by its tag. */
enum kind { ODD, EVEN };

TWEED_SUM(int, pointed_loop, i, const struct pair *, at, const struct pair *, p,
          const struct pair *const *, q, const enum kind *, k, struct pair *const, own,
          struct pair, one, int64_t, i_last, const double **, x_last)
{
    const struct pair *each;
    const double *x;
    int s = 0;

    each = at + i;
    s += each->a + p[i].b + q[i]->a + (int)k[i] + own->a + one.b;
    x = NULL;
    if (i == i_last)
        *x_last = x;
    return s;
}

TWEED_SUM(int, pointed_loop_2, r_index, const struct pair *, r_first)
{
    const struct pair *r = r_first + r_index;

    return r->a;
}

static int pointed(const struct pair *p, const struct pair *const *q, const enum kind *k,
                   struct pair *const own, const struct pair one, int n)
{
    const struct pair *at = p;
    const double *x = NULL;
    int s = 0;

    s += pointed_loop(0, n, at, p, q, k, own, one, n - 1, &x);
    s += pointed_loop_2(0, (p + n) - p, p);
    return x ? 0 : s;
}

typedef const vector whole_loop_v;

TWEED_SUM(double, whole_loop, i, const int *, table, const double *, x, whole_loop_v *,
          v)
{
    return table[(int)i % 3] * x[(int)i % 3] * (double)sizeof (*v) + (*v)[0];
}

/* As a whole, and a copy of it. */
static double whole(const double x[3], int n)
{
    const vector v = { 7, 8, 9 };
    static const int table[3] = { 1, 2, 3 };
    double s = 0;

    s += whole_loop(0, n, table, x, &v);
    return s;
}

struct in_region_own { /* what a thread has */
    double mine;
};

TWEED_LOOP(in_region_loop, port_thread, int, port_threads, struct in_region_own *,
           port_all, int, n, const double *, x, const double *, y)
{
    double mine = 0;
    const int64_t i_count = (int64_t)n;

    for (int64_t i_index = port_share(i_count, port_thread, port_threads),
                 i_end = port_share(i_count, port_thread + 1, port_threads);
         i_index < i_end; i_index++) {
        int i = (int)i_index;
        mine += x[i] * y[i % 3];
    }
    port_all[port_thread].mine = mine;
}

TWEED_LOOP(in_region_loop_2, port_thread, struct in_region_own *, port_all, double *, s)
{
    double mine = port_all[port_thread].mine;

    {
        pthread_mutex_lock(&port_critical);
        (*s) += mine;
        pthread_mutex_unlock(&port_critical);
    }
}

static double in_region(const double x[], const vector y, int n)
{
    double s = 0;

    {
        const int port_threads = tweed_pool_num_workers(NULL);
        struct in_region_own *port_all = __builtin_calloc((size_t)port_threads, sizeof *port_all);

        if (!port_all)
            __builtin_abort(); /* no memory */
        in_region_loop(0, port_threads, port_threads, port_all, n, x, y);
        in_region_loop_2(0, port_threads, port_all, &s);
        __builtin_free(port_all);
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
