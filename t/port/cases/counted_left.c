/* A loop with all of its parts waits, too, if its step changes nothing that its condition has. */
#include <omp.h>
#include <stdio.h>

enum { T = 3 };

int main(void)
{
    int turn = T - 1, order = 0, all = 0;

    #pragma omp parallel num_threads(T)
    {
        int mine = omp_get_thread_num(), now = -1;

        for (int tries = 0; now != mine; tries++) {
            #pragma omp critical
            now = turn;
        }
        #pragma omp critical
        {
            order = 10 * order + mine;
            turn--;
        }
    }
    #pragma omp parallel num_threads(T)
    {
        int mine = omp_get_thread_num();

        for (int k = 0; k < mine + 2; k++) {
            #pragma omp critical
            all += k;
        }
    }
    printf("%d %d\n", order, all);
    return 0;
}
