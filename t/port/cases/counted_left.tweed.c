/* A loop with all of its parts waits, too, if its step changes nothing that its condition has. */
#include <tweed.h>
#include <omp.h>
#include <stdio.h>

#include <pthread.h>

__attribute__((__weak__)) pthread_mutex_t port_critical = PTHREAD_MUTEX_INITIALIZER;


enum { T = 3 };

TWEED_LOOP(main_loop, port_thread, int *, all)
{
    int mine = (int)port_thread;

    for (int k = 0; k < mine + 2; k++) {
        {
            pthread_mutex_lock(&port_critical);
            (*all) += k;
            pthread_mutex_unlock(&port_critical);
        }
    }
}

int main(void)
{
    int turn = T - 1, order = 0, all = 0;

    #pragma omp parallel num_threads(T)
    {
        int mine = omp_get_thread_num(), now = -1;

        for (int tries = 0; now != mine; tries++) {
            {
                pthread_mutex_lock(&port_critical);
                now = turn;
                pthread_mutex_unlock(&port_critical);
            }
        }
        {
            pthread_mutex_lock(&port_critical);
            order = 10 * order + mine;
            turn--;
            pthread_mutex_unlock(&port_critical);
        }
    }
    {
        const int port_threads = T;

        main_loop(0, port_threads, &all);
    }
    printf("%d %d\n", order, all);
    return 0;
}
