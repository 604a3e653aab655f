/*
 * Arguments of a task that change its own variable, or have its address; atomic operations between
 * the constructs of a region.
 */
#include <stdatomic.h>
#include <stdio.h>

enum { N = 4000 };

static int hits[16], numbers[2];
static atomic_int more;
static long part[2][64];

static void visit(int at, int depth)
{
    if (depth == 0) {
#pragma omp atomic
        hits[at]++;
        return;
    }
#pragma omp task
    visit(at++, depth - 1);
#pragma omp task
    visit(at, depth - 1);
#pragma omp taskwait
}

static void walk(const int *from, int depth)
{
    int next = *from + 1;

    if (depth == 0) {
#pragma omp atomic
        hits[*from]++;
        return;
    }
#pragma omp task
    walk(&next, depth - 1);
    next = 15;
#pragma omp taskwait
    if (next != 15)
        hits[0] = -1;
}

static void start(void)
{
    int zero = 0;

#pragma omp parallel
#pragma omp single
    {
        visit(5, 3);
        walk(&zero, 3);
    }
}

static void numbered(void)
{
#pragma omp parallel
    {
        int id = __atomic_fetch_add(&numbers[0], 1, __ATOMIC_RELAXED);

#pragma omp for
        for (int i = 0; i < N; i++)
            part[0][id] += i % 3;
    }
#pragma omp parallel
    {
        int id = (int)__sync_fetch_and_add(&numbers[1], 1);

#pragma omp for
        for (int i = 0; i < N; i++)
            part[1][id] += i % 3;
    }
}

int main(void)
{
    long s = 0;

    start();
    numbered();
    for (int t = 0; t < 64; t++)
        s += part[0][t] + part[1][t];
    atomic_fetch_add(&more, 2);
    printf("%d %d %d %ld %d\n", hits[5], hits[6], hits[3], s, atomic_load(&more));
    return 0;
}
