// Copies that the threads of a region have, of variables that change by another name.
#include <cstdio>

static int y[64];
static int level = 3;

static void raise_level()
{
    level = 50;
}

static int by_reference()
{
    int x = 3, &r = x, seen = 0;

#pragma omp parallel firstprivate(x)
    {
#pragma omp barrier
#pragma omp single
        r = 50;
#pragma omp for
        for (int i = 0; i < 64; i++)
            y[i] = x;
    }
    seen = y[3];
#pragma omp parallel for firstprivate(x)
    for (int i = 0; i < 64; i++) {
        if (i == 0)
            r = 70;
        y[i] = x;
    }
    return x * 100 + y[3] + seen;
}

static int by_lambda()
{
    int x = 3;
    auto set = [&] { x = 50; };

#pragma omp parallel firstprivate(x)
    {
#pragma omp barrier
#pragma omp single
        set();
#pragma omp for
        for (int i = 0; i < 64; i++)
            y[i] = x;
    }
    return x * 100 + y[3];
}

static int by_call()
{
#pragma omp parallel firstprivate(level)
    {
#pragma omp barrier
#pragma omp single
        raise_level();
#pragma omp for
        for (int i = 0; i < 64; i++)
            y[i] = level;
    }
    return level * 100 + y[3];
}

static int in_single()
{
    int rounds = 0, x = 3, seed = 42, s = 0;

    for (int i = 0; i < 5; i++) {
#pragma omp parallel private(x) firstprivate(seed)
        {
#pragma omp single
            for (x = 0, seed++; x < 64; x++)
                s += seed;
#pragma omp for
            for (int k = 0; k < 64; k++)
                y[k] = s;
        }
        rounds++;
    }
    return rounds + x * 100 + y[3] + seed;
}

// Nothing changes it.
static int unchanged(int n)
{
#pragma omp parallel firstprivate(n)
    {
#pragma omp single
        y[0] = 1;
#pragma omp for
        for (int i = 1; i < 64; i++)
            y[i] = n;
    }
    return y[3] + n;
}

int main()
{
    std::printf("%d %d %d\n", by_reference(), by_lambda(), by_call());
    std::printf("%d %d\n", in_single(), unchanged(4));
}
