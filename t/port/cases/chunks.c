/* One thread executes a chunk in order, and an index counts on those before it. */
#include <stdio.h>

enum { N = 4096, C = 16, ROWS = 64, COLUMNS = 48 };

static long in[N], out[N], part[N / C];
static double image[ROWS][COLUMNS], copy[ROWS * COLUMNS];

static void add(long *to, int i)
{
    to[i / C] = (to[i / C] * 3 + in[i]) % 1009;
}

static void (*adder)(long *, int) = add;

static long before(int i)
{
    return i % C ? out[i - 1] : 0;
}

/* Its own variables are all that it writes to. */
static double steps(int i, int j)
{
    double x = i, last[2] = { 0 };
    int k = 0;

    while (x < 100 + j) {
        last[k % 2] = x;
        x += last[k++ % 2] / 2 + 1;
    }
    return x;
}

static long seen(void)
{
    long sum = 0;

    for (int i = 0; i < N; i++)
        sum = (sum * 31 + out[i] + part[i / C]) % 1000003;
    return sum;
}

int main(void)
{
    const int size = (N + 2) / 3;

    for (int i = 0; i < N; i++)
        in[i] = i * 7919L % 1013;
#pragma omp parallel for schedule(static, C)
    for (int i = 0; i < N; i++)
        out[i] = i % C ? (out[i - 1] * 3 + in[i]) % 1009 : in[i];
    printf("%ld\n", seen());
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, C)
        for (int i = 0; i < N; i++)
            out[i] = (before(i) * 5 + in[i]) % 1009;
    }
    printf("%ld\n", seen());
#pragma omp parallel for schedule(dynamic, C)
    for (int i = 0; i < N; i++)
        adder(part, i);
#pragma omp parallel for schedule(static, C)
    for (int i = 0; i < N; i++) {
        long *to = part;
        to += i / C;
        *to = (*to * 7 + in[i]) % 1009;
    }
    printf("%ld\n", seen());
#pragma omp parallel for schedule(static, size)
    for (int i = 0; i < N; i++)
        out[i] = (i % size ? out[i - 1] : 0) + in[i];
    printf("%ld\n", seen());
    /* a : that is no modifier's */
#pragma omp parallel for schedule(monotonic : static, size > 10 ? C : 4)
    for (int i = 0; i < N; i++)
        out[i] += i % C ? out[i - 1] / 2 : in[i];
    /* a chunk of one has no order */
#pragma omp parallel for collapse(2) schedule(dynamic, 1)
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            copy[i * COLUMNS + j] = image[i][j] = steps(i, j);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        out[i] += (long)copy[i];
    printf("%ld\n", seen());
    return 0;
}
