/* What a thread's constants hold on both sides of a barrier. */
#include <tweed.h>
#include <stdio.h>

static int sum[64], a[1000], out[1000];

struct main_own { /* what a thread has */
    int t;
    long lo;
    long hi;
    int before;
};

TWEED_LOOP(main_loop, port_thread, int, port_threads, struct main_own *, port_all)
{
    const int t = (int)port_thread, all = port_threads;
    const long lo = 1000 * t / all, hi = 1000 * (t + 1) / all;
    int before = 0;

    for (long i = lo; i < hi; i++)
        sum[t] += a[i];
    port_all[port_thread].t = t;
    port_all[port_thread].lo = lo;
    port_all[port_thread].hi = hi;
    port_all[port_thread].before = before;
}

TWEED_LOOP(main_loop_2, port_thread, struct main_own *, port_all)
{
    int t = port_all[port_thread].t;
    long lo = port_all[port_thread].lo;
    long hi = port_all[port_thread].hi;
    int before = port_all[port_thread].before;

    for (int k = 0; k < t; k++)
        before += sum[k];
    for (long i = lo; i < hi; i++) {
        before += a[i];
        out[i] = before;
    }
}

int main(void)
{
    int total = 0;

    for (int i = 0; i < 1000; i++)
        a[i] = i % 13;
    {
        const int port_threads = 3;
        struct main_own *port_all = __builtin_calloc((size_t)port_threads, sizeof *port_all);

        if (!port_all)
            __builtin_abort(); /* no memory */
        main_loop(0, port_threads, port_threads, port_all);
        main_loop_2(0, port_threads, port_all);
        __builtin_free(port_all);
    }
    for (int i = 0; i < 1000; i++)
        total = (total * 31 + out[i]) % 1000003;
    printf("%d\n", total);
    return 0;
}
