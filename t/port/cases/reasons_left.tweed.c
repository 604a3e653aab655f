/* The reason of each that is left alone says what is so. */
#include <stdio.h>

/* The address of a pointer that looks like an array. */
static long pointed(const char x[], int n)
{
    long s = 0;

#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < n; i++) {
        const char *const *at = &x;

        s += (*at)[i];
    }
    return s;
}

int main(void)
{
    printf("%ld\n", pointed("abc", 3));
    return 0;
}
