/* Waits in loops and branches, and behind them; returns and jumps with tasks that nobody waits for. */
#include <stdio.h>
static long out[8];

long twice(int n, int c)
{
    long a = 0, b = 0;

    if (n < 2)
        return n;
    #pragma omp task shared(a)
    a = twice(n - 1, c);
    if (c > 2) {
        #pragma omp taskwait
        b = a;
    }
    #pragma omp taskwait
    return a + b;
}

static void many(int n, long *r)
{
    long parts[4] = { 0 }, s = 0;

    if (n == 0) {
        *r = 1;
        return;
    }
    #pragma omp task shared(parts)
    many(n - 1, &parts[0]);
    for (int k = 1; k < 3; k++) {
        #pragma omp taskwait
        s += parts[0];
    }
    do {
        #pragma omp task shared(parts)
        many(n - 1, parts + 1);
        if (n % 3 == 0)
            break;
        #pragma omp taskwait
        s += parts[1];
    } while (0);
    #pragma omp taskwait
    *r = s + parts[1];
}

static void early(int n, long *r)
{
    for (int k = 0; k < 5; k++) {
        #pragma omp task
        {
            #pragma omp atomic
            *r += n;
        }
        if (n < 3 && k == n)
            return;
        if (n > 5 && k == 2)
            continue;
        if (n > 0)
            early(n - 1, r);
    }
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        out[0] = twice(12, 1);
        out[1] = twice(12, 3);
        many(7, &out[2]);
        early(5, &out[3]);
        early(6, &out[4]);
    }
    for (int i = 0; i < 6; i++)
        printf("%ld ", out[i]);
    printf("\n");
    return 0;
}
