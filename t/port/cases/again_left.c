/* What is left alone beside something that is ported stays so when the file is ported again. */
#include <stdio.h>

static int scratch[4];
#pragma omp threadprivate(scratch)

static int is_there(const int *a, int n, int key)
{
    int found = 0;

#pragma omp parallel for
    for (int i = 0; i < n; i++)
        if (a[i] == key) {
#pragma omp atomic write
            found = 1;
        }
    return found + scratch[0];
}

int main(void)
{
    const int a[] = { 3, 1, 4, 1, 5 };

    printf("%d %d\n", is_there(a, 5, 4), is_there(a, 5, 2));
    return 0;
}
