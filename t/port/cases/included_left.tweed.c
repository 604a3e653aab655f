/* A header that is included twice has a pragma, though the compiler leaves it out at first. */
#include <stdio.h>

#define INCLUDED_NAME add_alone
#include "included_left.h"
#undef INCLUDED_NAME
#define INCLUDED_SHARES
#define INCLUDED_NAME add_shared
#include "included_left.h"

enum { N = 100 };

int main(void)
{
    double x[N] = { 0 }, sum = 0;

    add_alone(x, N);
    #pragma omp parallel
    {
        add_shared(x, N);
    }
    for (int i = 0; i < N; i++)
        sum += x[i];
    printf("%g\n", sum);
    return 0;
}
