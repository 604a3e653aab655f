/* One thread executes a chunk in order, and an index counts on those before it. */
#include <tweed.h>
#include <stdio.h>

enum { N = 4096, C = 16, ROWS = 64, COLUMNS = 48 };

static long in[N], out[N], part[N / C];
static double image[ROWS][COLUMNS], copy[ROWS * COLUMNS];

static void add(long *to, int i)
{
    to[i / C] = (to[i / C] * 3 + in[i]) % 1009;
}

static void (*adder)(long *, int) = add;

static long before(int i)
{
    return i % C ? out[i - 1] : 0;
}

/* Its own variables are all that it writes to. */
static double steps(int i, int j)
{
    double x = i, last[2] = { 0 };
    int k = 0;

    while (x < 100 + j) {
        last[k % 2] = x;
        x += last[k++ % 2] / 2 + 1;
    }
    return x;
}

static long seen(void)
{
    long sum = 0;

    for (int i = 0; i < N; i++)
        sum = (sum * 31 + out[i] + part[i / C]) % 1000003;
    return sum;
}

TWEED_LOOP(main_loop, i)
{
    out[i] = (int)i % C ? (out[i - 1] * 3 + in[i]) % 1009 : in[i];
}

TWEED_LOOP(main_loop_2, i)
{
    out[i] = (before((int)i) * 5 + in[i]) % 1009;
}

TWEED_LOOP(main_loop_3, i)
{
    adder(part, (int)i);
}

TWEED_LOOP(main_loop_4, i)
{
    long *to = part;
    to += (int)i / C;
    *to = (*to * 7 + in[i]) % 1009;
}

TWEED_LOOP(main_loop_5, i, int, size)
{
    out[i] = ((int)i % size ? out[i - 1] : 0) + in[i];
}

TWEED_LOOP(main_loop_6, i)
{
    out[i] += (int)i % C ? out[i - 1] / 2 : in[i];
}

TWEED_LOOP_2D(main_loop_7, i, j)
{
    copy[i * COLUMNS + j] = image[i][j] = steps((int)i, (int)j);
}

int main(void)
{
    const int size = (N + 2) / 3;

    for (int i = 0; i < N; i++)
        in[i] = i * 7919L % 1013;
    {
        tweed_loop_options main_loop_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_options.grain = C;
        if (main_loop_with(NULL, &main_loop_options, 0, N))
            __builtin_abort(); /* an option is wrong */
    }
    printf("%ld\n", seen());
    {
        {
            tweed_loop_options main_loop_2_options = TWEED_LOOP_OPTIONS_INIT;

            main_loop_2_options.grain = C;
            if (main_loop_2_with(NULL, &main_loop_2_options, 0, N))
                __builtin_abort(); /* an option is wrong */
        }
    }
    printf("%ld\n", seen());
    {
        tweed_loop_options main_loop_3_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_3_options.grain = C;
        if (main_loop_3_with(NULL, &main_loop_3_options, 0, N))
            __builtin_abort(); /* an option is wrong */
    }
    {
        tweed_loop_options main_loop_4_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_4_options.grain = C;
        if (main_loop_4_with(NULL, &main_loop_4_options, 0, N))
            __builtin_abort(); /* an option is wrong */
    }
    printf("%ld\n", seen());
    {
        tweed_loop_options main_loop_5_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_5_options.grain = size;
        if (main_loop_5_with(NULL, &main_loop_5_options, 0, N, size))
            __builtin_abort(); /* an option is wrong */
    }
    printf("%ld\n", seen());
    /* a : that is no modifier's */
    {
        tweed_loop_options main_loop_6_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_6_options.grain = size > 10 ? C : 4;
        if (main_loop_6_with(NULL, &main_loop_6_options, 0, N))
            __builtin_abort(); /* an option is wrong */
    }
    /* a chunk of one has no order */
    main_loop_7(0, ROWS, 0, COLUMNS);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        out[i] += (long)copy[i];
    printf("%ld\n", seen());
    return 0;
}
