/* One thread has all indices, in the order of the loop. */
#include <tweed.h>
#include <stdio.h>
#include <stdlib.h>
enum { ROWS = 3, COLUMNS = 70000 };

TWEED_LOOP_2D(in_order_loop, i, j, unsigned int *, a)
{
    long k = (long)(int)i * COLUMNS + j;
    a[k] = (k ? a[k - 1] : 1) * 1664525u + 1013904223u;
}

/* Rows are not parted. */
static unsigned in_order(int threads)
{
    unsigned *a = malloc(sizeof *a * ROWS * COLUMNS), bad = 0, before = 1;

    {
        tweed_loop_options in_order_loop_options = TWEED_LOOP_OPTIONS_INIT;

        in_order_loop_options.max_workers = threads;
        in_order_loop_options.tile[0] = 1;
        in_order_loop_options.tile[1] = INT64_MAX;
        if (in_order_loop_with(NULL, &in_order_loop_options, 0, ROWS, 0, COLUMNS, a))
            __builtin_abort(); /* an option is wrong */
    }
    for (long k = 0; k < (long)ROWS * COLUMNS; k++) {
        before = before * 1664525u + 1013904223u;
        bad |= before != a[k];
    }
    free(a);
    return bad;
}

struct sums_loop_sums {
    int plain;
    int least;
};

static const struct sums_loop_sums sums_loop_none = { 0, (int)((INT64_C(1) << 30) - 1 + (INT64_C(1) << 30)) };

static void sums_loop_combine(struct sums_loop_sums *into, const struct sums_loop_sums *from)
{
    into->plain += from->plain;
    if (from->least < into->least)
        into->least = from->least;
}

TWEED_REDUCE(struct sums_loop_sums, sums_loop, sums_loop_none, sums_loop_combine, sums_loop_acc,
             i, int *, prefix, int *, order)
{
    int plain = sums_loop_acc->plain;
    int least = sums_loop_acc->least;

    plain = plain + prefix[i];
    if (order[i] < least) {
        least = order[i];
    }
    sums_loop_acc->plain = plain;
    sums_loop_acc->least = least;
}

TWEED_SUM(int, sums_loop_2, i)
{
    return (int)i;
}

static long sums(int deep)
{
    int prefix[100], sum = 0, most = 0, order[100], plain = 0, least = 100;
    long all = 0;

#pragma omp parallel for reduction(+ : sum) if(deep)
    for (int i = 0; i < 100; i++) {
        sum += i;
        prefix[i] = sum;
    }
#pragma omp parallel for reduction(max : most) num_threads(1)
    for (int i = 0; i < 100; i++) {
        most = i * 7 % 100 > most ? i * 7 % 100 : most;
        order[i] = most;
    }
    /* nobody looks */
    {
        struct sums_loop_sums sums_loop_result;
        tweed_loop_options sums_loop_options = TWEED_LOOP_OPTIONS_INIT;

        sums_loop_options.max_workers = (deep) ? 0 : 1;
        if (sums_loop_with(NULL, &sums_loop_options, 0, 100, prefix, order, &sums_loop_result))
            __builtin_abort(); /* an option is wrong */
        plain += sums_loop_result.plain;
        if (sums_loop_result.least < least)
            least = sums_loop_result.least;
    }
    {
        int sums_loop_2_result;
        tweed_loop_options sums_loop_2_options = TWEED_LOOP_OPTIONS_INIT;

        sums_loop_2_options.max_workers = 1;
        if (sums_loop_2_with(NULL, &sums_loop_2_options, 0, 100, &sums_loop_2_result))
            __builtin_abort(); /* an option is wrong */
        plain += sums_loop_2_result;
    }
    for (int i = 0; i < 100; i++)
        all = all * 3 + prefix[i] + order[i];
    return all + sum + plain + least;
}

TWEED_SUM(int, heads_loop, i, int *, seen)
{
    int sum = 0;

    do
        sum += (int)i;
    while (seen[i]-- > 0);
    return sum;
}

/* In the head of a statement, and as a value, it is read. */
static int heads(void)
{
    int sum = 0, seen[100] = { 0 }, all = 0;

#pragma omp parallel for reduction(+ : sum) num_threads(1)
    for (int i = 0; i < 100; i++)
        if (sum++)
            seen[i] = 1;
#pragma omp parallel for reduction(+ : sum) num_threads(1)
    for (int i = 0; i < 100; i++)
        for (int k = 0; sum++; k++) {
            seen[i] += k;
            if (k == 3)
                break;
        }
    {
        int heads_loop_result;
        tweed_loop_options heads_loop_options = TWEED_LOOP_OPTIONS_INIT;

        heads_loop_options.max_workers = 1;
        if (heads_loop_with(NULL, &heads_loop_options, 0, 100, seen, &heads_loop_result))
            __builtin_abort(); /* an option is wrong */
        sum += heads_loop_result;
    }
#pragma omp parallel for reduction(+ : sum) num_threads(1)
    for (int i = 0; i < 100; i++)
        seen[i] += ({ sum += i; });
    for (int i = 0; i < 100; i++)
        all = (all * 3 + seen[i] % 1009) % 1009;
    return all + sum;
}

struct modular_loop_sums {
    int x;
    int product;
};

static const struct modular_loop_sums modular_loop_none = { 0, 1 };

static void modular_loop_combine(struct modular_loop_sums *into, const struct modular_loop_sums *from)
{
    into->x += from->x;
    into->product *= from->product;
}

TWEED_REDUCE(struct modular_loop_sums, modular_loop, modular_loop_none, modular_loop_combine, modular_loop_acc,
             i)
{
    int x = modular_loop_acc->x;
    int product = modular_loop_acc->product;

    x = (int)i - 3 + (x + 1);
    x -= 2;
    if ((int)i % 5 == 0)
        product *= 1;
    modular_loop_acc->x = x;
    modular_loop_acc->product = product;
}

/* Each thread's sum stays small. */
static int modular(void)
{
    const int most = 100000007;
    int sum = 0, product = 1, x = 5;

#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 5000; i++) {
        sum += i * 7919 % 1000 * 100000;
        if (sum >= most)
            sum -= most;
    }
#pragma omp parallel for reduction(* : product)
    for (int i = 0; i < 100; i++)
        product = product * (i % 3 + 1) % 1009;
    /* these are sums */
    {
        const struct modular_loop_sums modular_loop_result = modular_loop(0, 10);

        x += modular_loop_result.x;
        product *= modular_loop_result.product;
    }
    return (sum % most + product % 1009 + x) % 1009;
}

int main(void)
{
    printf("%u %ld %d\n", in_order(1), sums(0), heads());
    (void)modular();
    return 0;
}
