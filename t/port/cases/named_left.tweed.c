/*
 * Functions of the program that are named as the system's are, and as tweed-port's own; and a
 * loop's variable that is named as the thread's.
 */
#include <tweed.h>
#include <omp.h>
#include <stdio.h>

enum { N = 300 };

struct account {
    long sum;
};

static int seen[N], told[N], x[100], last[64];
static struct account *kept[64];
static long out[64];

static void max(int n)
{
#pragma omp for
    for (int i = 0; i < n; i++)
        (void)__atomic_fetch_add(&seen[i], 1, __ATOMIC_RELAXED);
}

static void port_all(int n)
{
#pragma omp for
    for (int i = 0; i < n; i++)
        (void)__atomic_fetch_add(&told[i], 1, __ATOMIC_RELAXED);
}

static void min(struct account *a, int me)
{
    kept[me] = a;
}

static int orphans(void)
{
    int bad = 0, who[64] = { 0 };

#pragma omp parallel
    {
        int me = omp_get_thread_num();

        max(N);
        who[me] = 1;
    }
#pragma omp parallel
    {
        int me = omp_get_thread_num();

        port_all(N);
        who[me] = 1;
    }
    for (int i = 0; i < N; i++)
        bad += seen[i] != 1 || told[i] != 1;
    return bad + 10 * who[0];
}

static int pointers(void)
{
    int n = 0, bad = 0;

#pragma omp parallel
    {
        int me = omp_get_thread_num();
        struct account mine = { me };

        min(&mine, me);
        (void)__atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
#pragma omp barrier
        kept[me]->sum += 100;
        out[me] = mine.sum;
    }
    for (int i = 0; i < n; i++)
        bad += out[i] != i + 100;
    return bad;
}

static int blocks(int n)
{
    int bad = 0, all = 0;

#pragma omp parallel
    {
        int me = omp_get_thread_num(), i = 7;

#pragma omp single
        all = omp_get_num_threads();
        {
#pragma omp for nowait
            for (i = 0; i < n; i++)
                x[i]++;
            last[me] = i;
        }
    }
    for (int t = 0; t < all; t++)
        bad += last[t] != 7;
    return bad;
}

int main(void)
{
    printf("%d ", orphans());
    printf("%d ", pointers());
    printf("%d ", blocks(100));
    printf("%d\n", x[99]);
    return 0;
}
