/* Bounds and steps that are more than a name: macros, octal numbers, products, the ends of a
   type; the variables of collapsed loops. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#define FIRST n - 10
#define STEP 1 + 1
#define GREATER(a, b) (a) > (b) ? (a) : (b)

static int a[64], b[64], c[64], four[6][6][6][6], triangle[30][30];

int main(int argc, char **argv)
{
    int n = 39 + argc, x = argc * 9, y = argc * 7, j, k, l, sum = 0;
    size_t low = (size_t)argc * 10, high = 5;
    unsigned most[8] = { 0 };
    uint64_t far = (uint64_t)INT64_MAX - 4;

    (void)argv;
    #pragma omp parallel for
    for (int i = FIRST; i < n; i += 3)
        a[i] = 1;
    #pragma omp parallel for
    for (int i = 0; i < n; i += STEP)
        b[i] = 1;
    #pragma omp parallel for
    for (int i = GREATER(x, y); i >= 0; i--)
        c[i] = 1;
    #pragma omp parallel for
    for (int i = 0; i <= 010; i++)
        a[i] += 2;
    #pragma omp parallel for
    for (int i = 0; i < n; i += argc * 2)
        b[i] += 4;
    #pragma omp parallel for
    for (size_t i = low; i < high; i += 3)
        c[i % 64] += 8;
    #pragma omp parallel for
    for (unsigned i = UINT_MAX; i > UINT_MAX - 5; i--)
        most[UINT_MAX - i] = i;
    #pragma omp parallel for
    for (uint64_t i = far; i < far + 10; i++)
        a[i - far] += 16;
    #pragma omp parallel for if(argc > 1)
    for (int i = n - 1; i >= 0; i--)
        c[i] = c[i + 1] + 1;
    #pragma omp parallel for collapse(4)
    for (int i = 0; i < 6; i++)
        for (j = 0; j < 6; j++)
            for (k = 0; k < 6; k++)
                for (l = 0; l < 6; l++)
                    four[i][j][k][l] = i * 1000 + j * 100 + k * 10 + l;
    #pragma omp parallel for collapse(2)
    for (int i = 0; i < 30; i++)
        for (j = i; j < 30; j++)
            triangle[i][j] = i + j;
    for (int i = 0; i < 64; i++)
        sum += (a[i] * 3 + b[i] * 5 + c[i] * 7) * (i + 1);
    printf("%d %u %d %d\n", sum, most[0] - most[4], four[5][4][3][2], triangle[3][7]);
    return 0;
}
