/* finals_left.c - the tasks of a final task come one after the other: they have one list. */
#include <stdio.h>

static int list[4][2000], used[4];

static void visit(int n, int k)
{
    list[k][used[k]++] = n;
    if (n > 1) {
        #pragma omp task
        visit(n - 1, k);
        #pragma omp task
        visit(n - 2, k);
        #pragma omp taskwait
    }
}

static void start(int k)
{
    #pragma omp task final(1)
    visit(8 + k, k);
    #pragma omp taskwait
}

int main(void)
{
    long c = 0;

    #pragma omp parallel
    #pragma omp single
    for (int k = 0; k < 4; k++)
        start(k);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < used[k]; i++)
            c = (c * 31 + list[k][i]) % 1000003;
    printf("%ld\n", c);
    return 0;
}
