/* pipes_left.c - a thread waits by a call of the kernel for what another one does. */
#include <tweed.h>
#include <stdio.h>
#include <unistd.h>
#include <omp.h>

int main(void)
{
    int fd[2], woken = 0;

    if (pipe(fd))
        return 1;
#pragma omp parallel
    {
        char c = 'x';
        int t = omp_get_thread_num(), of = omp_get_num_threads();

        if (t == of - 1) {
            for (int k = 0; k < of - 1; k++)
                if (write(fd[1], &c, 1) != 1)
                    woken = -100;
        } else if (read(fd[0], &c, 1) == 1) {
            (void)__atomic_fetch_add(&woken, 1, __ATOMIC_RELAXED);
        }
#pragma omp barrier
#pragma omp single
        woken = woken == of - 1;
    }
    printf("%d\n", woken);
    return 0;
}
