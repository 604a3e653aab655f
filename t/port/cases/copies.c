/* Copies that the threads of a region have: of variables of the file, of variables that change by
   another name, and those that single, master and simd loops write.  Partial results of a region
   that its first phases leave as they begin. */
#include <omp.h>
#include <stdio.h>

static int y[64], z[64];
static int level = 7, all[4] = { 1, 2, 3, 4 };
static double h = 100, w[64];

struct pair {
    int a, b;
};

static void set(int *p, int v)
{
    *p = v;
}

static void raise_level(void)
{
    level = 50;
}

static int in_single(void)
{
    int i, rounds = 0, seed = 42, s = 0, v = 5, found = 0;

    for (i = 0; i < 5; i++) {
#pragma omp parallel private(i)
        {
#pragma omp single
            for (i = 0; i < 64; i++)
                y[i] += 1;
#pragma omp for
            for (int k = 0; k < 64; k++)
                y[k] *= 2;
        }
        rounds++;
    }
#pragma omp parallel firstprivate(seed) private(v)
    {
#pragma omp single
        {
            seed += 5;
            set(&v, 12);
            s = seed;
            found = v;
        }
#pragma omp for
        for (int k = 0; k < 64; k++)
            z[k] = s + found;
    }
    return rounds * 1000 + seed + z[3] + v;
}

static int in_master(void)
{
    int t[4] = { 1, 2, 3, 4 }, last = 3, sum = 0;
    struct pair s = { 1, 2 };

#pragma omp parallel private(t, last) firstprivate(s)
    {
#pragma omp master
        {
            t[0] = 50;
            s.a = t[0];
            sum += s.a;
        }
#pragma omp simd
        for (int k = 0; k < 4; k++)
            last = k;
#pragma omp barrier
#pragma omp for
        for (int k = 0; k < 64; k++)
            y[k] = s.b + last;
    }
    return t[0] + last * 10 + s.a * 100 + sum * 1000 + y[1];
}

static int only_written(void)
{
    int t[4] = { 1, 2, 3, 4 }, last = 3;

#pragma omp parallel private(t, last)
    {
        last = 5;
#pragma omp master
        t[0] = 50;
#pragma omp for
        for (int k = 0; k < 64; k++)
            y[k] = k;
    }
    return t[0] + last * 10;
}

/* Their names are the file's. */
static double of_the_file(void)
{
    int sum = 0;

#pragma omp parallel private(h)
    {
        h = 0.5;
#pragma omp for
        for (int i = 0; i < 64; i++)
            w[i] = i * h;
    }
#pragma omp parallel firstprivate(level)
    {
#pragma omp barrier
#pragma omp single
        raise_level();
#pragma omp for
        for (int i = 0; i < 64; i++)
            y[i] = level;
    }
    sum = y[5] + level;
#pragma omp parallel for private(level)
    for (int i = 0; i < 8; i++) {
        level = i;
#pragma omp parallel for
        for (int k = 0; k < 8; k++)
            z[i * 8 + k] = level;
    }
#pragma omp parallel firstprivate(all)
    {
        all[0] = 40;
#pragma omp for
        for (int i = 0; i < 64; i++)
            y[i] = all[0] + all[1];
    }
    return w[10] + h + sum + level + z[63] + y[3] + all[0];
}

static int by_another_name(int n)
{
    int v = 3, *p = &v, s = 0;

#pragma omp parallel firstprivate(v, n)
    {
#pragma omp barrier
#pragma omp single
        *p = 50;
        n = n + 1;
#pragma omp for
        for (int i = 0; i < 64; i++)
            y[i] = v + n;
    }
    v = 3;
#pragma omp parallel for firstprivate(v)
    for (int i = 0; i < 64; i++) {
        if (i == 0)
            *p = 70;
        z[i] = v;
    }
    for (int i = 0; i < 64; i++)
        s += y[i] + z[i];
    return s + v + n;
}

/* Pointers to what each thread has. */
static int pointed_at(void)
{
    int bad = 0, a[4] = { 1, 2, 3, 4 }, *p = a;

#pragma omp parallel
    {
        int buffer[64], x = 0, *b = buffer, *q = &x;
#pragma omp for
        for (int i = 0; i < 64; i++) {
            *q = i;
            for (int k = 0; k < 64; k++)
                b[k] = i + k;
            y[i] = *q != i;
            for (int k = 0; k < 64; k++)
                y[i] += b[k] != i + k;
        }
    }
#pragma omp parallel firstprivate(a)
    {
#pragma omp barrier
#pragma omp single
        p[1] = 9;
#pragma omp for
        for (int i = 0; i < 64; i++)
            z[i] = a[1] != 2;
    }
    for (int i = 0; i < 64; i++)
        bad += y[i] + z[i];
    return bad;
}

static int results(void)
{
    int top = -5, low = 9, sum = 100, every = 6, product = 2;

#pragma omp parallel reduction(max : top) reduction(min : low) reduction(+ : sum) \
        reduction(& : every) reduction(* : product)
    {
        int me = omp_get_thread_num();

        sum += 1;
#pragma omp barrier
        y[me] = me;
        if (-20 > top)
            top = -20;
        if (12 < low)
            low = 12;
        every &= 7;
        product *= 1;
#pragma omp barrier
        sum += y[me] >= 0;
    }
    return top + 10 * low + 1000 * (sum > 101) + every * 10000 + product * 100000;
}

int main(void)
{
    printf("%d %d\n", in_single(), in_master() + only_written());
    printf("%g %d %d\n", of_the_file(), by_another_name(4), pointed_at());
    printf("%d\n", results());
    return 0;
}
