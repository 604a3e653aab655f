/* Variables that are atomic by their type: of the file, of a function, members, elements. */
#include <tweed.h>
#include <stdatomic.h>
#include <stdio.h>

struct counts {
    atomic_int all;
    int other;
};

static _Atomic int counter;
static _Atomic(long) total;

TWEED_LOOP(count_loop, i)
{
    counter++;
    total += i;
}

TWEED_LOOP(count_loop_2, i, _Atomic(int) *, mine, _Atomic(long) *, two, struct counts *,
           members)
{
    (*mine)++;
    two[(int)i % 2] += i;
    atomic_fetch_add(&(*members).all, 2);
}

TWEED_LOOP(count_loop_3, i, _Atomic(long) *, two, const struct counts *, members)
{
    two[1] += (*members).other;
}

static int count(int n)
{
    _Atomic int mine = 0;
    _Atomic(long) two[2] = { 0, 0 };
    struct counts members = { 0, 1 };

    count_loop(0, n);
    count_loop_2(0, n, &mine, two, &members);
    count_loop_3(0, mine, two, &members);
    return mine + members.all + (int)two[0] + (int)two[1];
}

int main(void)
{
    int all = count(100);

    printf("%d %d %ld\n", all, counter, total);
    return 0;
}
