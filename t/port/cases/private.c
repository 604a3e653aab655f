/* A variable that an included file makes private to each thread. */
#include <stdio.h>
#include "private.h"

int shared_by_none;

int main(void)
{
    int x[50];

    #pragma omp parallel for
    for (int i = 0; i < 50; i++) {
        shared_by_none = i;
        x[i] = shared_by_none;
    }
    #pragma omp parallel for
    for (int i = 0; i < 50; i++)
        x[i] *= 2;
    printf("%d\n", x[7]);
    return 0;
}
