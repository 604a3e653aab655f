/* Variables that are atomic by their type: of the file, of a function, members, elements. */
#include <stdatomic.h>
#include <stdio.h>

struct counts {
    atomic_int all;
    int other;
};

static _Atomic int counter;
static _Atomic(long) total;

static int count(int n)
{
    _Atomic int mine = 0;
    _Atomic(long) two[2] = { 0, 0 };
    struct counts members = { 0, 1 };

#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        counter++;
        total += i;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        mine++;
        two[i % 2] += i;
        atomic_fetch_add(&members.all, 2);
    }
#pragma omp parallel for
    for (int i = 0; i < mine; i++)
        two[1] += members.other;
    return mine + members.all + (int)two[0] + (int)two[1];
}

int main(void)
{
    int all = count(100);

    printf("%d %d %ld\n", all, counter, total);
    return 0;
}
