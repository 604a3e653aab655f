#include <tweed.h>
/* Headers of loops: steps, directions, types, pointers; nested loops; functions of OpenMP. */
#include <stdio.h>
#include <stdlib.h>

#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */
#include <omp.h>
#endif

/* omp_get_thread_num() */
static inline int port_thread_num(void)
{
    int worker = tweed_worker_index();

#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */
    if (worker < 0)
        return omp_get_thread_num();
#endif
    return worker < 0 ? 0 : worker;
}


#define COUNT 97
#define SQUARE(x) ((x) * (x))

struct item {
    unsigned char key;
    double value[3];
};
typedef double row[5];

TWEED_LOOP(main_loop, i_index, int64_t, i_first, int64_t, i_step, int *, seen, int, argc)
{
    int i = (int)(i_first - i_index * i_step);

    seen[i] += SQUARE(i) + argc;
}

TWEED_LOOP(main_loop_2, i_index, int *, seen)
{
    int i = (int)(1 + i_index * 2);

    seen[i]--; /* odd ones */
}

TWEED_LOOP(main_loop_3, u_index, int *, seen)
{
    unsigned int u = (unsigned int)u_index;

    seen[u] += (int)(u - 11u > 5u);
}

TWEED_LOOP(main_loop_4, s_index, int *, seen)
{
    short s = (short)s_index;

    seen[s] += s % 3;
}

typedef double (*main_loop_5_grid)[4];

TWEED_LOOP(main_loop_5, k_index, size_t, k_first, row *, rows, main_loop_5_grid, grid)
{
    size_t k = (size_t)(k_first - k_index);

    rows[k - 1][2] = (double)k, grid[k - 1][1] = rows[k - 1][2];
}

TWEED_LOOP(main_loop_6, item_index, struct item *, item_first, struct item *, items)
{
    struct item *item = item_first + item_index;

    item->value[1] = (double)(item - items);
}

typedef int (*main_loop_7_compare)(const char *);

TWEED_LOOP(main_loop_7, i, struct item *, items, main_loop_7_compare, compare, int *,
           by_thread)
{
    size_t k;

    for (k = 0; k < 3; k++) {
        if (k == 1)
            continue;
        items[i].value[k] = compare("12") + (int)i;
    }
    if (i == 5)
        return;
    items[i].key = (unsigned char)(int)i;
    by_thread[port_thread_num()]++;
}

TWEED_LOOP(main_loop_8, j, int *, seen, int, i)
{
    seen[i * 9 + j] += i - (int)j;
}

TWEED_LOOP(main_loop_9, i, int *, seen)
{
    main_loop_8(0, 9, seen, (int)i);
}

typedef int main_loop_10_seen[97];

TWEED_LOOP(main_loop_10, i, const main_loop_10_seen *, seen_first, int64_t, i_last,
           int *, last_last)
{
    int seen[97];
    int last;

    __builtin_memcpy(&seen, seen_first, sizeof seen);
    last = (int)i + seen[3];
    if (i == i_last)
        *last_last = last;
}

int main(int argc, char **argv)
{
    struct item *items = calloc(COUNT, sizeof *items);
    int step = 3, i, last = 0, seen[COUNT] = { 0 };
    row *rows = calloc(COUNT, sizeof *rows);
    double (*grid)[4] = calloc(COUNT, sizeof *grid);
    int (*compare)(const char *) = atoi;
    int *by_thread = calloc((size_t)tweed_pool_num_workers(NULL), sizeof *by_thread), total = 0;

    (void)argv;
    main_loop(0, ((int64_t)(COUNT - 1) + (int64_t)step) / (int64_t)step, COUNT - 1, step, seen, argc);
    main_loop_2(0, ((int64_t)(COUNT - 1) - 1 + 2) / 2, seen);
    main_loop_3(10, COUNT, seen);
    main_loop_4(0, COUNT, seen);
    main_loop_5(0, (int64_t)(COUNT - 0), COUNT, rows, grid);
    main_loop_6(0, (items + COUNT) - items, items, items);
    main_loop_7(0, COUNT, items, compare, by_thread);
    main_loop_9(0, 10, seen);
    main_loop_10(0, COUNT, &seen, COUNT - 1, &last);
    for (i = 0; i < tweed_pool_num_workers(NULL); i++)
        total += by_thread[i];
    for (i = 0; i < COUNT; i++)
        printf("%d %g %g %d %g\n", seen[i], rows[i][2], items[i].value[0] + items[i].value[1],
               items[i].key, grid[i][1]);
    printf("%d %d\n", total, last);
    return 0;
}
