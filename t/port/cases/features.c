#include "found.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char buffer[100];
    int sum = 0;

#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 10; i++)
        sum += i;
    printf("%d %s\n", sum, strerror_r(EINVAL, buffer, sizeof buffer));
    return 0;
}
