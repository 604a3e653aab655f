/* What a task is given is counted as a struct's members: 48 bytes are 12 numbers. */
#include <tweed.h>
#include <stdio.h>

TWEED_DECLARE_TASK(int, queens_task, int, n, int, row, unsigned int, columns, unsigned int, left, unsigned int, right, int, depth, int, most);

typedef int queens_part_counts[16];

TWEED_TASK(void, queens_part, queens_part_counts *, counts, int, slot, int, n, int, row, unsigned int, columns, unsigned int, one, unsigned int, left, unsigned int, right, int, depth, int, most)
{
    (*counts)[slot] = TWEED_CALL(queens_task, n, row + 1, columns | one, (left | one) << 1, (right | one) >> 1,
                      depth + 1, most);
}

TWEED_DEFINE_TASK(int, queens_task, int, n, int, row, unsigned int, columns, unsigned int, left, unsigned int, right, int, depth, int, most)
{
    int port_spawned = 0;
    unsigned free = ((1u << n) - 1) & ~(columns | left | right);
    int counts[16] = { 0 }, k = 0, sum = 0;

    if (row == n)
        return depth <= most;
    for (; free; free &= free - 1) {
        const unsigned one = free & -free;
        const int slot = k++;
        TWEED_SPAWN(queens_part, &counts, slot, n, row, columns, one, left, right, depth, most);
        port_spawned++;
    }
    for (; port_spawned > 0; port_spawned--)
        TWEED_SYNC(queens_part);
    for (int i = 0; i < k; i++)
        sum += counts[i];
    return sum;
}

static int queens(int n, int row, unsigned columns, unsigned left, unsigned right, int depth,
                  int most)
{
    return TWEED_RUN(queens_task, n, row, columns, left, right, depth, most);
}

int main(void)
{
    int all = 0;

    all = queens(8, 0, 0, 0, 0, 0, 8);
    printf("%d\n", all);
    return 0;
}
