/* Headers of loops: steps, directions, types, pointers; nested loops; functions of OpenMP. */
#ifdef _OPENMP
#include <omp.h>
#endif
#include <stdio.h>
#include <stdlib.h>

#define COUNT 97
#define SQUARE(x) ((x) * (x))

struct item {
    unsigned char key;
    double value[3];
};
typedef double row[5];

int main(int argc, char **argv)
{
    struct item *items = calloc(COUNT, sizeof *items), *item;
    int step = 3, i, last = 0, seen[COUNT] = { 0 };
    unsigned u;
    short s;
    size_t k;
    row *rows = calloc(COUNT, sizeof *rows);
    double (*grid)[4] = calloc(COUNT, sizeof *grid);
    int (*compare)(const char *) = atoi;
    int *by_thread = calloc((size_t)omp_get_max_threads(), sizeof *by_thread), total = 0;

    (void)argv;
    #pragma omp parallel for
    for (i = COUNT - 1; i >= 0; i -= step)
        seen[i] += SQUARE(i) + argc;
    #pragma omp parallel for
    for (i = 1; i <= COUNT - 1; i = i + 2) {
        seen[i]--; /* odd ones */
    }
    #pragma omp parallel for
    for (u = 10; COUNT > u; ++u)
        seen[u] += (int)(u - 11u > 5u);
    #pragma omp parallel for
    for (s = 0; s < COUNT; s++)
        seen[s] += s % 3;
    #pragma omp parallel for schedule(guided)
    for (k = COUNT; k > 0; k--)
        rows[k - 1][2] = (double)k, grid[k - 1][1] = rows[k - 1][2];
    #pragma omp parallel for
    for (item = items; item != items + COUNT; item++)
        item->value[1] = (double)(item - items);
    #pragma omp parallel for private(k)
    for (i = 0; i < COUNT; i++) {
        for (k = 0; k < 3; k++) {
            if (k == 1)
                continue;
            items[i].value[k] = compare("12") + i;
        }
        if (i == 5)
            continue;
        items[i].key = (unsigned char)i;
        by_thread[omp_get_thread_num()]++;
    }
    #pragma omp parallel for
    for (i = 0; i < 10; i++) {
        #pragma omp parallel for
        for (int j = 0; j < 9; j++)
            seen[i * 9 + j] += i - j;
    }
    #pragma omp parallel for lastprivate(last) firstprivate(seen)
    for (i = 0; i < COUNT; i++) {
        last = i + seen[3];
    }
    for (i = 0; i < omp_get_max_threads(); i++)
        total += by_thread[i];
    for (i = 0; i < COUNT; i++)
        printf("%d %g %g %d %g\n", seen[i], rows[i][2], items[i].value[0] + items[i].value[1],
               items[i].key, grid[i][1]);
    printf("%d %d\n", total, last);
    return 0;
}
