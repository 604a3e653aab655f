/* The indices of a chunk write to one place, which memory says: they stay together. */
#include <tweed.h>
#include <stdio.h>

enum { ROWS = 200, EACH = 4, N = ROWS * EACH };

static int row[N], column[N];
static double value[N], x[ROWS], y[ROWS];
static struct { double *to; } entry[N];

static double checked(void)
{
    double sum = 0;

    for (int i = 0; i < ROWS; i++) {
        sum += (i % 7 + 1) * y[i];
        y[i] = 0;
    }
    return sum;
}

TWEED_LOOP(main_loop, k)
{
    y[row[k]] += value[k] * x[column[k]];
}

TWEED_LOOP(main_loop_2, k)
{
    int at = row[k], to;

    to = at;
    y[to] += value[k] * x[column[k]];
}

TWEED_LOOP(main_loop_3, k)
{
    *entry[k].to += value[k];
}

TWEED_LOOP(main_loop_4, k)
{
    y[k] = x[k] + value[row[k]];
}

int main(void)
{
    double sums[4];

    for (int k = 0; k < N; k++) {
        row[k] = k / EACH;
        column[k] = k * 7 % ROWS;
        value[k] = k % 5;
        entry[k].to = &y[k / EACH];
    }
    for (int i = 0; i < ROWS; i++)
        x[i] = i % 9;
    {
        tweed_loop_options main_loop_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_options.grain = 4;
        if (main_loop_with(NULL, &main_loop_options, 0, N))
            __builtin_abort(); /* an option is wrong */
    }
    sums[0] = checked();
    {
        tweed_loop_options main_loop_2_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_2_options.grain = EACH;
        if (main_loop_2_with(NULL, &main_loop_2_options, 0, N))
            __builtin_abort(); /* an option is wrong */
    }
    sums[1] = checked();
    {
        tweed_loop_options main_loop_3_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_3_options.grain = 4;
        if (main_loop_3_with(NULL, &main_loop_3_options, 0, N))
            __builtin_abort(); /* an option is wrong */
    }
    sums[2] = checked();
    {
        tweed_loop_options main_loop_4_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_4_options.grain = 16;
        if (main_loop_4_with(NULL, &main_loop_4_options, 0, ROWS))
            __builtin_abort(); /* an option is wrong */
    }
    sums[3] = checked();
    printf("%g %g %g %g\n", sums[0], sums[1], sums[2], sums[3]);
    return 0;
}
