/* Copies of variables of the file, which a loop inside changes. */
#include <tweed.h>
#include <stdio.h>

static int level = 7;
static struct pair {
    int a, b;
} both = { 1, 2 };

static int by_a_statement(void)
{
    int s = 0;

#pragma omp parallel for private(level) reduction(+ : s)
    for (int i = 0; i < 8; i++) {
        level = 0;
#pragma omp parallel for
        for (int k = 0; k < 8; k++) {
            (void)__atomic_fetch_add(&level, k, __ATOMIC_RELAXED);
        }
        s += level;
    }
    return level * 1000 + s;
}

static int by_an_address(void)
{
    int s = 0;

#pragma omp parallel for private(both) reduction(+ : s)
    for (int i = 0; i < 8; i++) {
        int out[8], *p = &both.a;

        both.b = i;
#pragma omp parallel for
        for (int k = 0; k < 8; k++) {
            if (k == 3)
                *p = k;
            out[k] = both.b;
        }
        s += both.a + out[5];
    }
    return both.b * 1000 + s;
}

int main(void)
{
    printf("%d %d\n", by_a_statement(), by_an_address());
    return 0;
}
