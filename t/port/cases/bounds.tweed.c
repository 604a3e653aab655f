/* Bounds and steps that are more than a name: macros, octal numbers, products, the ends of a
   type; the variables of collapsed loops. */
#include <tweed.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#define FIRST n - 10
#define STEP 1 + 1
#define GREATER(a, b) (a) > (b) ? (a) : (b)

static int a[64], b[64], c[64], four[6][6][6][6], triangle[30][30];

TWEED_LOOP(main_loop, i_index, int64_t, i_first)
{
    int i = (int)(i_first + i_index * 3);

    a[i] = 1;
}

TWEED_LOOP(main_loop_2, i_index, int64_t, i_step)
{
    int i = (int)(i_index * i_step);

    b[i] = 1;
}

TWEED_LOOP(main_loop_3, i)
{
    c[i] = 1;
}

TWEED_LOOP(main_loop_4, i)
{
    a[i] += 2;
}

TWEED_LOOP(main_loop_5, i_index, int64_t, i_step)
{
    int i = (int)(i_index * i_step);

    b[i] += 4;
}

TWEED_LOOP(main_loop_6, i_index, size_t, i_first)
{
    size_t i = (size_t)(i_first + i_index * 3);

    c[i % 64] += 8;
}

TWEED_LOOP(main_loop_7, i_index, unsigned int *, most)
{
    unsigned int i = (unsigned int)i_index;

    most[UINT_MAX - i] = i;
}

TWEED_LOOP(main_loop_8, i_index, uint64_t, i_first, uint64_t, far)
{
    uint64_t i = (uint64_t)(i_first + i_index);

    a[i - far] += 16;
}

TWEED_LOOP(main_loop_9, i_index, int64_t, i_first)
{
    int i = (int)(i_first - i_index);

    c[i] = c[i + 1] + 1;
}

TWEED_LOOP_3D(main_loop_10, i, j, k)
{
    int l;

    for (l = 0; l < 6; l++)
        four[i][j][k][l] = (int)i * 1000 + (int)j * 100 + (int)k * 10 + l;
}

TWEED_LOOP(main_loop_11, i)
{
    int j;

    for (j = (int)i; j < 30; j++)
        triangle[i][j] = (int)i + j;
}

int main(int argc, char **argv)
{
    int n = 39 + argc, x = argc * 9, y = argc * 7, sum = 0;
    size_t low = (size_t)argc * 10, high = 5;
    unsigned most[8] = { 0 };
    uint64_t far = (uint64_t)INT64_MAX - 4;

    (void)argv;
    main_loop(0, ((int64_t)n - (int64_t)(FIRST) + 2) / 3, FIRST);
    main_loop_2(0, ((int64_t)n + (int64_t)(STEP) - 1) / (int64_t)(STEP), STEP);
    main_loop_3(0, (int64_t)(GREATER(x, y)) + 1);
    main_loop_4(0, 9);
    main_loop_5(0, ((int64_t)n + (int64_t)(argc * 2) - 1) / (int64_t)(argc * 2), argc * 2);
    main_loop_6(0, ((int64_t)(high - low) + 2) / 3, low);
    main_loop_7((int64_t)(UINT_MAX - 5) + 1, (int64_t)(UINT_MAX) + 1, most);
    main_loop_8(0, (int64_t)((far + 10) - far), far, far);
    {
        tweed_loop_options main_loop_9_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_9_options.max_workers = (argc > 1) ? 0 : 1;
        if (main_loop_9_with(NULL, &main_loop_9_options, 0, (int64_t)(n - 1) + 1, n - 1))
            __builtin_abort(); /* an option is wrong */
    }
    main_loop_10(0, 6, 0, 6, 0, 6);
    main_loop_11(0, 30);
    for (int i = 0; i < 64; i++)
        sum += (a[i] * 3 + b[i] * 5 + c[i] * 7) * (i + 1);
    printf("%d %u %d %d\n", sum, most[0] - most[4], four[5][4][3][2], triangle[3][7]);
    return 0;
}
