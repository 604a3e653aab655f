/* One thread has all indices, in the order of the loop. */
#include <stdio.h>
#include <stdlib.h>
enum { ROWS = 3, COLUMNS = 70000 };

/* Rows are not parted. */
static unsigned in_order(int threads)
{
    unsigned *a = malloc(sizeof *a * ROWS * COLUMNS), bad = 0, before = 1;

#pragma omp parallel for collapse(2) num_threads(threads)
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            long k = (long)i * COLUMNS + j;
            a[k] = (k ? a[k - 1] : 1) * 1664525u + 1013904223u;
        }
    for (long k = 0; k < (long)ROWS * COLUMNS; k++) {
        before = before * 1664525u + 1013904223u;
        bad |= before != a[k];
    }
    free(a);
    return bad;
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
#pragma omp parallel for reduction(+ : plain) reduction(min : least) if(deep)
    for (int i = 0; i < 100; i++) {
        plain = plain + prefix[i];
        if (order[i] < least) {
            least = order[i];
        }
    }
#pragma omp parallel for reduction(+ : plain) num_threads(1)
    for (int i = 0; i < 100; i++)
        plain += i;
    for (int i = 0; i < 100; i++)
        all = all * 3 + prefix[i] + order[i];
    return all + sum + plain + least;
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
#pragma omp parallel for reduction(+ : sum) num_threads(1)
    for (int i = 0; i < 100; i++)
        do
            sum += i;
        while (seen[i]-- > 0);
#pragma omp parallel for reduction(+ : sum) num_threads(1)
    for (int i = 0; i < 100; i++)
        seen[i] += ({ sum += i; });
    for (int i = 0; i < 100; i++)
        all = (all * 3 + seen[i] % 1009) % 1009;
    return all + sum;
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
#pragma omp parallel for reduction(+ : x) reduction(* : product)
    for (int i = 0; i < 10; i++) {
        x = i - 3 + (x + 1);
        x -= 2;
        if (i % 5 == 0)
            product *= 1;
    }
    return (sum % most + product % 1009 + x) % 1009;
}

int main(void)
{
    printf("%u %ld %d\n", in_order(1), sums(0), heads());
    (void)modular();
    return 0;
}
