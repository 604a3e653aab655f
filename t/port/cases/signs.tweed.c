/* Bounds that are of another type than the variable of the loop, and bounds beside an operator. */
#include <tweed.h>
#include <stdint.h>
#include <stdio.h>

static int y[64];

TWEED_SUM(long, pairs_loop, i_index, int64_t, i_first)
{
    int i = (int)(i_first - i_index * 2);
    long s = 0;

    y[i & 63]++;
    s++;
    return s;
}

static long pairs(unsigned n)
{
    long s = 0;

    s += pairs_loop(0, ((int64_t)(int)(n - 1) + 2) / 2, n - 1);
    return s;
}

TWEED_SUM(long, down_loop, i)
{
    long s = 0;

    s++;
    return s;
}

static long down(unsigned n)
{
    long s = 0;

    s += down_loop(0, (int64_t)(int)(n - 1) + 1);
    return s;
}

TWEED_SUM(long, second_loop, i)
{
    long s = 0;

    s++;
    return s;
}

static long second(unsigned n)
{
    long s = 0;

    s += second_loop(0, (int64_t)(int)(n - 2) + 1);
    return s;
}

TWEED_SUM(long, up_loop, i)
{
    return i;
}

static long up(unsigned n)
{
    long s = 0;

    s += up_loop((int)(n - 5), 10);
    return s;
}

TWEED_SUM(long, all_but_one_loop, i)
{
    return i;
}

static long all_but_one(unsigned n)
{
    long s = 0;

    s += all_but_one_loop(0, (int)(n - 1));
    return s;
}

TWEED_SUM(long, touch_loop, i_index, size_t, i_first)
{
    size_t i = (size_t)(i_first + i_index);

    return 1 + (i == 4);
}

static long touch(uint32_t lo, uint32_t hi)
{
    long n = 0;

    n += touch_loop(0, (int64_t)((size_t)hi - lo), lo);
    return n;
}

TWEED_SUM(long, between_loop, i_index, uint64_t, i_first)
{
    uint64_t i = (uint64_t)(i_first + i_index * 2);

    return 1 + (i == 4);
}

static long between(int lo, uint32_t hi)
{
    long n = 0;

    n += between_loop(0, ((uint64_t)lo < hi ? ((int64_t)((uint64_t)hi - lo) + 1) / 2 : 0), lo);
    return n;
}

TWEED_SUM(long, wrapped_loop, i_index, size_t, i_first)
{
    size_t i = (size_t)(i_first + i_index);

    return i + 1;
}

TWEED_SUM(long, wrapped_loop_2, i_index, size_t, i_first)
{
    size_t i = (size_t)(i_first + i_index);

    return i + 100;
}

TWEED_SUM(long, wrapped_loop_3, i_index, size_t, i_first)
{
    size_t i = (size_t)(i_first - i_index);

    return i + 10000;
}

/* The first index is none, or the last one: there are no negative numbers. */
static long wrapped(size_t n, size_t m, int k)
{
    long s = 0;

    s += wrapped_loop(0, ((n - 1) < m ? (int64_t)(m - (n - 1)) : 0), n - 1);
    s += wrapped_loop_2(0, ((size_t)k < m ? (int64_t)(m - k) : 0), k);
    s += wrapped_loop_3(0, (m > (n - 1) ? (int64_t)(m - (n - 1)) : 0), m);
    return s;
}

TWEED_SUM(long, common_loop, i)
{
    return i;
}

TWEED_SUM(long, common_loop_2, i_index)
{
    size_t i = (size_t)i_index;

    return i;
}

TWEED_SUM(long, common_loop_3, i)
{
    return i;
}

TWEED_SUM(long, common_loop_4, i_index)
{
    unsigned int i = (unsigned int)i_index;

    return i;
}

/* What is common. */
static long common(size_t n, unsigned k, long m)
{
    long s = 0;

    s += common_loop(0, (int)n);
    s += common_loop_2(1, n);
    s += common_loop_3(k, m + 1);
    s += common_loop_4(0, k);
    return s;
}

TWEED_LOOP(last_loop, i, int64_t, i_last, int *, v_last)
{
    int v;

    v = (int)i;
    if (i == i_last)
        *v_last = v;
}

static int last(int n)
{
    int v = -1;

    last_loop(0, n >> 1, (n >> 1) - 1, &v);
    return v;
}

int main(void)
{
    printf("%ld %ld %ld %ld\n", pairs(0), pairs(1), pairs(2), pairs(63));
    printf("%ld %ld\n", down(0), down(3));
    printf("%ld %ld\n", second(1), second(5));
    printf("%ld %ld\n", up(2), up(9));
    printf("%ld %ld\n", all_but_one(0), all_but_one(4));
    printf("%ld %ld %ld\n", touch(2, 5), touch(7, 5), between(2, 5));
    printf("%ld %ld\n", wrapped(0, 5, -1), wrapped(2, 5, 3));
    printf("%ld %d\n", common(20, 30, 40), last(200));
    return 0;
}
