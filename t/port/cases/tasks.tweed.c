/* Functions that spawn tasks: results, counters, tasks that move, several kinds, taskgroup, a
   wait before the return; and the regions that start them. */
#include <tweed.h>
#include <stdio.h>
#include <stdlib.h>

TWEED_TASK(long, fib_task, int, n)
{
    int port_spawned = 0;
    long a, b;

    if (n < 2)
        return n;
    if (n > 4) {
        TWEED_SPAWN(fib_task, n - 1);
        port_spawned++;
    } else {
        a = TWEED_CALL(fib_task, n - 1);
    }
    TWEED_SPAWN(fib_task, n - 2);
    b = TWEED_SYNC(fib_task);
    for (; port_spawned > 0; port_spawned--)
        a = TWEED_SYNC(fib_task);
    return a + b;
}

long fib(int n)
{
    return TWEED_RUN(fib_task, n);
}

static int ok(const char *board, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++)
            if (board[i] == board[k] || abs(board[i] - board[k]) == k - i)
                return 0;
    return 1;
}

TWEED_DECLARE_TASK(void, queens_task, int, n, int, row, const char *, board, int *, ways);

typedef int queens_part_parts[16];

TWEED_TASK(void, queens_part, int, row, const char *, board, int, i, int, n, queens_part_parts *, parts)
{
    char next[16];

    for (int k = 0; k < row; k++)
        next[k] = board[k];
    next[row] = (char)i;
    if (ok(next, row + 1))
        TWEED_CALL(queens_task, n, row + 1, next, &(*parts)[i]);
}

TWEED_DEFINE_TASK(void, queens_task, int, n, int, row, const char *, board, int *, ways)
{
    int port_spawned = 0;
    int parts[16] = { 0 };

    if (row == n) {
        *ways = 1;
        return;
    }
    for (int i = 0; i < n; i++) {
        TWEED_SPAWN(queens_part, row, board, i, n, &parts);
        port_spawned++;
    }
    for (; port_spawned > 0; port_spawned--)
        TWEED_SYNC(queens_part);
    *ways = 0;
    for (int i = 0; i < n; i++)
        *ways += parts[i];
}

static void queens(int n, int row, const char *board, int *ways)
{
    TWEED_RUN(queens_task, n, row, board, ways);
}

struct node { struct node *left, *right; int value, sum; };

static struct node *make(int depth)
{
    struct node *p = calloc(1, sizeof *p);

    p->value = depth;
    if (depth > 0) {
        p->left = make(depth - 1);
        if (depth % 3)
            p->right = make(depth - 1);
    }
    return p;
}

TWEED_TASK(void, walk_task, struct node *, p)
{
    int port_spawned = 0;
    if (p->left)
        {
            TWEED_SPAWN(walk_task, p->left);
            port_spawned++;
        }
    if (p->right) {
        if (p->value >= 3) {
            TWEED_SPAWN(walk_task, p->right);
            port_spawned++;
        } else {
            TWEED_CALL(walk_task, p->right);
        }
    }
    for (; port_spawned > 0; port_spawned--)
        TWEED_SYNC(walk_task);
    p->sum = p->value + (p->left ? p->left->sum : 0) + (p->right ? p->right->sum : 0);
}

static void walk(struct node *p)
{
    TWEED_RUN(walk_task, p);
}

TWEED_TASK(void, sort_task, int *, x, int, left, int, right)
{
    int port_spawned = 0;
    int i = left, j = right, pivot = x[(left + right) / 2];

    while (i <= j) {
        while (x[i] < pivot)
            i++;
        while (x[j] > pivot)
            j--;
        if (i <= j) {
            int t = x[i];

            x[i++] = x[j];
            x[j--] = t;
        }
    }
    if (right - left < 100) {
        if (left < j)
            TWEED_CALL(sort_task, x, left, j);
        if (i < right)
            TWEED_CALL(sort_task, x, i, right);
    } else {
        TWEED_SPAWN(sort_task, x, left, j);
        port_spawned++;
        /* the other half */
        TWEED_SPAWN(sort_task, x, i, right);
        port_spawned++;
    }
    for (; port_spawned > 0; port_spawned--)
        TWEED_SYNC(sort_task);
}

static void sort(int *x, int left, int right)
{
    TWEED_RUN(sort_task, x, left, right);
}

static void sort_all(int *x, int n)
{
    {
        {
            sort(x, 0, n - 1);
        }
    }
}

struct part { long lo, hi; };

static int total;

static void add(long lo, long hi, long *sum)
{
    for (long i = lo; i < hi; i++)
        *sum += i;
}

TWEED_DECLARE_TASK(long, halves_task, struct part, p, int, depth);

TWEED_TASK(void, halves_part, struct part, p, long, middle, long *, high, int, depth)
{
    p.lo = middle;
    (*high) += TWEED_CALL(halves_task, p, depth - 1);
}

TWEED_DEFINE_TASK(long, halves_task, struct part, p, int, depth)
{
    long low = 0, high = 0, middle = (p.lo + p.hi) / 2;

    if (depth == 0) {
        add(p.lo, p.hi, &low);
        return low;
    }
    TWEED_SPAWN(halves_task, (struct part){ p.lo, middle }, depth - 1);
    TWEED_SPAWN(halves_part, p, middle, &high, depth);
    TWEED_SYNC(halves_part);
    low = TWEED_SYNC(halves_task);
    return low + high;
}

long halves(struct part p, int depth)
{
    return TWEED_RUN(halves_task, p, depth);
}

TWEED_TASK(int, search_task, const int *, x, int, n, int, what)
{
    int left = -1, right = -1;

    if (n == 1)
        return *x == what ? 0 : -1;
    TWEED_SPAWN(search_task, x, n / 2, what);
    right = TWEED_CALL(search_task, x + n / 2, n - n / 2, what);
    left = TWEED_SYNC(search_task);
    if (left >= 0)
        return left;
    return right < 0 ? -1 : right + n / 2;
}

int search(const int *x, int n, int what)
{
    return TWEED_RUN(search_task, x, n, what);
}

TWEED_DECLARE_TASK(void, rounds_task, int, depth);

TWEED_TASK(void, rounds_part)
{
    (void)__atomic_fetch_add(&total, 2, __ATOMIC_RELAXED);
}

TWEED_DEFINE_TASK(void, rounds_task, int, depth)
{
    int port_spawned_3 = 0;
    if (depth == 0) {
        (void)__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
        return;
    }
    for (int k = 0; k < 3; k++) {
        TWEED_SPAWN(rounds_task, depth - 1);
        TWEED_SPAWN(rounds_part);
        TWEED_SYNC(rounds_part);
        TWEED_SYNC(rounds_task);
    }
    {
        TWEED_SPAWN(rounds_task, depth - 1);
        port_spawned_3++;
        if (depth > 2)
            {
                TWEED_SPAWN(rounds_task, depth - 2);
                port_spawned_3++;
            }
    }
    for (; port_spawned_3 > 0; port_spawned_3--)
        TWEED_SYNC(rounds_task);
}

static void rounds(int depth)
{
    TWEED_RUN(rounds_task, depth);
}

static void more(void)
{
    static int x[5000];
    long h = 0;
    int found = 0, none = 0;

    for (int i = 0; i < 5000; i++)
        x[i] = i * 3;
    {
        struct part all = { 0, 100000 };

        h = halves(all, 10);
        found = search(x, 5000, 3000);
        none = search(x, 5000, -5);
        rounds(5);
    }
    printf("%ld %d %d %d\n", h, found, none, total);
}

int main(void)
{
    enum { N = 100000 };
    static int x[N];
    long f = 0;
    int ways = 0, bad = 0;
    struct node *tree = make(12);

    f = fib(22);
    queens(8, 0, "", &ways);
    {
        walk(tree);
    }
    for (int i = 0; i < N; i++)
        x[i] = (int)(i * 7919L % 100003);
    sort_all(x, N);
    for (int i = 1; i < N; i++)
        bad += x[i - 1] > x[i];
    printf("%ld %d %d %d\n", f, ways, tree->sum, bad);
    more();
    return 0;
}
