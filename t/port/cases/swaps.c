/*
 * Loops with atomic operations and locks that end by themselves: they are ported.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

struct node {
    struct node *next;
    int key;
};

static struct node *list;
static int most, tail, taken, low[10], queue[N];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void insert(struct node *n)
{
#pragma omp critical
    {
        n->next = list;
        list = n;
    }
}

static void raise_to(int *x, int v)
{
    int old = *x;

    while (old < v &&
           !__atomic_compare_exchange_n(x, &old, v, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static int swap_int(int *x, int old, int now)
{
    return __sync_bool_compare_and_swap(x, old, now);
}

static void lists(struct node *all)
{
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int k = i % 10;

        while (k > 0) {
            if (k % 4 == 1) {
#pragma omp critical
                queue[tail++ % N] = k;
            }
            k /= 2;
        }
        do {
            insert(&all[i]);
            pthread_mutex_lock(&lock);
            most += k;
            pthread_mutex_unlock(&lock);
        } while (k++ < 0);
    }
}

static void swaps(void)
{
    for (int i = 0; i < 10; i++)
        low[i] = N;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int old, now, mine = N - i, k;

        raise_to(&most, i);
        do {
            old = tail;
            now = old + 2;
        } while (!__sync_bool_compare_and_swap(&tail, old, now));
        old = low[i % 10];
        while (mine < old) {
            if (swap_int(&low[i % 10], old, mine))
                break;
            old = low[i % 10];
        }
        while ((k = __sync_fetch_and_add(&taken, 1)) < N)
            queue[k] = k;
    }
}

int main(void)
{
    struct node *all = calloc(N, sizeof *all);
    int length = 0, sum = 0;

    if (!all)
        return 1;
    lists(all);
    swaps();
    for (struct node *n = list; n; n = n->next)
        length++;
    for (int i = 0; i < 10; i++)
        sum += low[i];
    printf("%d %d %d %d %d\n", length, tail, most, sum, queue[N - 1]);
    free(all);
    return 0;
}
