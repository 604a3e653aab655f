/* A loop that is executed again has no counter: chunks of a dynamic schedule are dealt round. */
#include <tweed.h>
#include <stdio.h>

enum { SIZE = 4000, CHUNK = 64 };

static long in[SIZE], chained[SIZE], single[SIZE];

TWEED_LOOP(main_loop, port_thread, int, port_threads, long *, own)
{
    int t = (int)port_thread;

    for (int turn = 0; turn < 3; turn++) {
        const int64_t i_count = (int64_t)SIZE;
        const int64_t i_chunk = CHUNK;

        for (int64_t i_begin = port_thread * i_chunk; i_begin < i_count; i_begin += port_threads * i_chunk)
        for (int64_t i_index = i_begin; i_index < i_begin + i_chunk && i_index < i_count; i_index++) {
            int i = (int)i_index;
            chained[i] = i % CHUNK ? (chained[i - 1] * 3 + in[i]) % 1009 : in[i];
        }
        const int64_t i_count_2 = (int64_t)SIZE;

        for (int64_t i_index_2 = port_thread; i_index_2 < i_count_2; i_index_2 += port_threads) {
            int i = (int)i_index_2;
            single[i] = in[i] * 3;
        }
    }
    own[t]++;
}

int main(void)
{
    long own[8] = { 0 }, sum = 0;

    for (int i = 0; i < SIZE; i++)
        in[i] = i * 7919L % 1013;
    {
        const int port_threads = 3;

        main_loop(0, port_threads, port_threads, own);
    }
    for (int i = 0; i < SIZE; i++)
        sum = (sum * 31 + chained[i] + single[i]) % 1000003;
    printf("%ld %ld\n", sum, own[0] + own[1] + own[2]);
    return 0;
}
