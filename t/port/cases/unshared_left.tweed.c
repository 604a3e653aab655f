/* A pragma that is left alone shares no variable that it does not name: a critical section in it
   has no lock. */
#include <tweed.h>
#include <stdio.h>

#include <pthread.h>

__attribute__((__weak__)) pthread_mutex_t port_critical_two = PTHREAD_MUTEX_INITIALIZER;

__attribute__((__weak__)) pthread_mutex_t port_critical_three = PTHREAD_MUTEX_INITIALIZER;


TWEED_LOOP(main_loop, i, int *, third)
{
    {
        pthread_mutex_lock(&port_critical_three);
        (*third) += (int)i;
        pthread_mutex_unlock(&port_critical_three);
    }
}

int main(void)
{
    int first = 0, second = 0, third = 0, n = 100;

#pragma omp parallel for default(none) shared(first, n) ordered
    for (int i = 0; i < n; i++) {
#pragma omp critical(one)
        first += i;
#pragma omp ordered
        first += 1;
    }
#pragma omp parallel for default(shared) ordered
    for (int i = 0; i < n; i++) {
        {
            pthread_mutex_lock(&port_critical_two);
            second += i;
            pthread_mutex_unlock(&port_critical_two);
        }
#pragma omp ordered
        (void)i;
    }
    main_loop(0, n, &third);
#pragma omp parallel default(none) shared(third) num_threads(1)
#pragma omp critical(four)
    third += 1;
    printf("%d %d %d\n", first, second, third);
    return 0;
}
