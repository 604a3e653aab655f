/* Waits in loops and branches, and behind them; returns and jumps with tasks that nobody waits for. */
#include <tweed.h>
#include <stdio.h>
static long out[8];

TWEED_TASK(long, twice_task, int, n, int, c)
{
    int port_spawned = 0;
    long a = 0, b = 0;

    if (n < 2)
        return n;
    TWEED_SPAWN(twice_task, n - 1, c);
    port_spawned++;
    if (c > 2) {
        for (; port_spawned > 0; port_spawned--)
            a = TWEED_SYNC(twice_task);
        b = a;
    }
    for (; port_spawned > 0; port_spawned--)
        a = TWEED_SYNC(twice_task);
    return a + b;
}

long twice(int n, int c)
{
    return TWEED_RUN(twice_task, n, c);
}

TWEED_TASK(void, many_task, int, n, long *, r)
{
    int port_spawned = 0;
    long parts[4] = { 0 }, s = 0;

    if (n == 0) {
        *r = 1;
        return;
    }
    TWEED_SPAWN(many_task, n - 1, &parts[0]);
    port_spawned++;
    for (int k = 1; k < 3; k++) {
        for (; port_spawned > 0; port_spawned--)
            TWEED_SYNC(many_task);
        s += parts[0];
    }
    do {
        TWEED_SPAWN(many_task, n - 1, parts + 1);
        port_spawned++;
        if (n % 3 == 0)
            break;
        for (; port_spawned > 0; port_spawned--)
            TWEED_SYNC(many_task);
        s += parts[1];
    } while (0);
    for (; port_spawned > 0; port_spawned--)
        TWEED_SYNC(many_task);
    *r = s + parts[1];
}

static void many(int n, long *r)
{
    TWEED_RUN(many_task, n, r);
}

TWEED_DECLARE_TASK(void, early_task, int, n, long *, r);

TWEED_TASK(void, early_part, long *, r, int, n)
{
    (void)__atomic_fetch_add(&*r, n, __ATOMIC_RELAXED);
}

TWEED_DEFINE_TASK(void, early_task, int, n, long *, r)
{
    int port_spawned = 0;
    for (int k = 0; k < 5; k++) {
        TWEED_SPAWN(early_part, r, n);
        port_spawned++;
        if (n < 3 && k == n)
            {
                for (; port_spawned > 0; port_spawned--)
                    TWEED_SYNC(early_part);
                return;
            }
        if (n > 5 && k == 2)
            continue;
        if (n > 0)
            TWEED_CALL(early_task, n - 1, r);
    }
    for (; port_spawned > 0; port_spawned--)
        TWEED_SYNC(early_part);
}

static void early(int n, long *r)
{
    TWEED_RUN(early_task, n, r);
}

int main(void)
{
    {
        out[0] = twice(12, 1);
        out[1] = twice(12, 3);
        many(7, &out[2]);
        early(5, &out[3]);
        early(6, &out[4]);
    }
    for (int i = 0; i < 6; i++)
        printf("%ld ", out[i]);
    printf("\n");
    return 0;
}
