/* A loop that is executed again has no counter: chunks of a dynamic schedule are dealt round. */
#include <omp.h>
#include <stdio.h>

enum { SIZE = 4000, CHUNK = 64 };

static long in[SIZE], chained[SIZE], single[SIZE];

int main(void)
{
    long own[8] = { 0 }, sum = 0;

    for (int i = 0; i < SIZE; i++)
        in[i] = i * 7919L % 1013;
#pragma omp parallel num_threads(3)
    {
        int t = omp_get_thread_num();

        for (int turn = 0; turn < 3; turn++) {
#pragma omp for schedule(dynamic, CHUNK) nowait
            for (int i = 0; i < SIZE; i++)
                chained[i] = i % CHUNK ? (chained[i - 1] * 3 + in[i]) % 1009 : in[i];
#pragma omp for schedule(dynamic, 1) nowait
            for (int i = 0; i < SIZE; i++)
                single[i] = in[i] * 3;
        }
        own[t]++;
    }
    for (int i = 0; i < SIZE; i++)
        sum = (sum * 31 + chained[i] + single[i]) % 1000003;
    printf("%ld %ld\n", sum, own[0] + own[1] + own[2]);
    return 0;
}
