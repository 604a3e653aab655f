/* finals.c - final tasks that have no tasks. */
#include <tweed.h>
#include <stdio.h>

static long sums[40];

static long sum_of(int n)
{
    long s = 0;

    for (int i = 0; i < n; i++)
        s += i % 3;
    return s;
}

TWEED_DECLARE_TASK(void, sum_all_task, int, n);

TWEED_TASK(void, sum_all_part, int, i)
{
    sums[i] = sum_of(i * 10);
}

TWEED_DEFINE_TASK(void, sum_all_task, int, n)
{
    int port_spawned = 0;
    for (int i = 0; i < n; i++) {
        if (!(i < 10)) {
            TWEED_SPAWN(sum_all_part, i);
            port_spawned++;
        } else {
            TWEED_CALL(sum_all_part, i);
        }
    }
    for (; port_spawned > 0; port_spawned--)
        TWEED_SYNC(sum_all_part);
}

static void sum_all(int n)
{
    TWEED_RUN(sum_all_task, n);
}

int main(void)
{
    long all = 0;

    sum_all(40);
    for (int i = 0; i < 40; i++)
        all += sums[i] * i;
    printf("%ld\n", all);
    return 0;
}
