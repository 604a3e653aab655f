/* Variables that only pragmas name: nothing is left of them, or they are named anew. */
#include <tweed.h>
#include <stdio.h>

static double x[1000];

TWEED_LOOP(scale_loop, i, double, by)
{
    x[i] = x[i] * by + 1;
}

static void scale(int n, double by, int chunk)
{
    {
        tweed_loop_options scale_loop_options = TWEED_LOOP_OPTIONS_INIT;

        scale_loop_options.grain = chunk;
        if (scale_loop_with(NULL, &scale_loop_options, 0, n, by))
            __builtin_abort(); /* an option is wrong */
    }
}

TWEED_TASK(long, fib_task, int, n)
{
    long a, b;

    if (n < 2)
        return n;
    TWEED_SPAWN(fib_task, n - 1);
    TWEED_SPAWN(fib_task, n - 2);
    b = TWEED_SYNC(fib_task);
    a = TWEED_SYNC(fib_task);
    return a + b;
}

static long fib(int n)
{
    return TWEED_RUN(fib_task, n);
}

TWEED_SUM(double, main_loop, i)
{
    return x[i];
}

TWEED_LOOP(main_loop_2, i)
{
    x[0] = 1;
}

int main(void)
{
    int chunk = 10, size = 1000, quarter = size / 4;
    (void)quarter;
    long f = 0;
    double sum = 0;

    scale(size, 2, 5);
    {
        double main_loop_result;
        tweed_loop_options main_loop_options = TWEED_LOOP_OPTIONS_INIT;

        main_loop_options.grain = chunk;
        if (main_loop_with(NULL, &main_loop_options, 0, 1000, &main_loop_result))
            __builtin_abort(); /* an option is wrong */
        sum += main_loop_result;
    }
    main_loop_2(0, 1000);
    f = fib(15);
    printf("%g %ld\n", sum + x[0], f);
    return 0;
}
