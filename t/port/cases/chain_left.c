/* A task that starts the next is over then: here it would wait, and the stack grow. */
#include <stdio.h>

struct node {
    struct node *next, *other;
    long value;
};

static struct node nodes[1000];

static void follow(struct node *n, int way)
{
    n->value = n->value * 2 + 1;
    if (way && n->next) {
#pragma omp task
        follow(n->next, !way);
    } else if (n->other) {
#pragma omp task
        follow(n->other, !way);
    }
}

/* By turns. */
static void odd(struct node *n);

static void even(struct node *n)
{
    n->value += 3;
#pragma omp task
    if (n->next)
        odd(n->next);
}

static void odd(struct node *n)
{
    n->value *= 3;
#pragma omp task
    if (n->next)
        even(n->next);
}

/* By two functions between. */
static void on(struct node *n);

static void last_hop(struct node *n)
{
    n->value ^= 1;
    on(n);
}

static void hop(struct node *n)
{
    last_hop(n);
}

static void on(struct node *n)
{
#pragma omp task
    if (n->next)
        hop(n->next);
}

int main(void)
{
    long sum = 0;

    for (int i = 0; i < 1000; i++)
        nodes[i] = (struct node){ i < 999 ? &nodes[i + 1] : NULL, i < 999 ? &nodes[i + 1] : NULL, i };
#pragma omp parallel
#pragma omp single
    follow(nodes, 0);
#pragma omp parallel
#pragma omp single
    even(nodes);
#pragma omp parallel
#pragma omp single
    on(nodes);
    for (int i = 0; i < 1000; i++)
        sum += nodes[i].value;
    printf("%ld\n", sum);
    return 0;
}
