#include "found.h"
#include <tweed.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

TWEED_SUM(int, main_loop, i)
{
    return (int)i;
}

int main(void)
{
    char buffer[100];
    int sum = 0;

    sum += main_loop(0, 10);
    printf("%d %s\n", sum, strerror_r(EINVAL, buffer, sizeof buffer));
    return 0;
}
