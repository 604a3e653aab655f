/* A variable that an included file makes private to each thread. */
#include <tweed.h>
#include <stdio.h>
#include "private.h"

int shared_by_none;

TWEED_LOOP(main_loop, i, int *, x)
{
    x[i] *= 2;
}

int main(void)
{
    int x[50];

    #pragma omp parallel for
    for (int i = 0; i < 50; i++) {
        shared_by_none = i;
        x[i] = shared_by_none;
    }
    main_loop(0, 50, x);
    printf("%d\n", x[7]);
    return 0;
}
