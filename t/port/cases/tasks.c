/* Functions that spawn tasks: results, counters, tasks that move, several kinds, taskgroup, a
   wait before the return; and the regions that start them. */
#include <stdio.h>
#include <stdlib.h>

long fib(int n)
{
    long a, b;

    if (n < 2)
        return n;
    #pragma omp task shared(a) if(n > 4)
    a = fib(n - 1);
    #pragma omp task shared(b)
    b = fib(n - 2);
    #pragma omp taskwait
    return a + b;
}

static int ok(const char *board, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++)
            if (board[i] == board[k] || abs(board[i] - board[k]) == k - i)
                return 0;
    return 1;
}

static void queens(int n, int row, const char *board, int *ways)
{
    int parts[16] = { 0 };

    if (row == n) {
        *ways = 1;
        return;
    }
    for (int i = 0; i < n; i++) {
        #pragma omp task shared(parts) firstprivate(i) untied
        {
            char next[16];

            for (int k = 0; k < row; k++)
                next[k] = board[k];
            next[row] = (char)i;
            if (ok(next, row + 1))
                queens(n, row + 1, next, &parts[i]);
        }
    }
    #pragma omp taskwait
    *ways = 0;
    for (int i = 0; i < n; i++)
        *ways += parts[i];
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

static void walk(struct node *p)
{
    if (p->left)
        #pragma omp task
        walk(p->left);
    if (p->right) {
        #pragma omp task if(p->value >= 3)
        walk(p->right);
    }
    #pragma omp taskwait
    p->sum = p->value + (p->left ? p->left->sum : 0) + (p->right ? p->right->sum : 0);
}

static void sort(int *x, int left, int right)
{
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
            sort(x, left, j);
        if (i < right)
            sort(x, i, right);
    } else {
        #pragma omp task
        { sort(x, left, j); }
        #pragma omp task /* the other half */
        { sort(x, i, right); }
    }
}

static void sort_all(int *x, int n)
{
    #pragma omp parallel
    {
        #pragma omp single nowait
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

long halves(struct part p, int depth)
{
    long low = 0, high = 0, middle = (p.lo + p.hi) / 2;

    if (depth == 0) {
        add(p.lo, p.hi, &low);
        return low;
    }
    #pragma omp task shared(low)
    low = halves((struct part){ p.lo, middle }, depth - 1);
    #pragma omp task shared(high) firstprivate(p)
    {
        p.lo = middle;
        high += halves(p, depth - 1);
    }
    #pragma omp taskwait
    return low + high;
}

int search(const int *x, int n, int what)
{
    int left = -1, right = -1;

    if (n == 1)
        return *x == what ? 0 : -1;
    #pragma omp task shared(left)
    left = search(x, n / 2, what);
    right = search(x + n / 2, n - n / 2, what);
    #pragma omp taskwait
    if (left >= 0)
        return left;
    return right < 0 ? -1 : right + n / 2;
}

static void rounds(int depth)
{
    if (depth == 0) {
        #pragma omp atomic
        total++;
        return;
    }
    for (int k = 0; k < 3; k++) {
        #pragma omp task
        rounds(depth - 1);
        #pragma omp task
        {
            #pragma omp atomic
            total += 2;
        }
        #pragma omp taskwait
    }
    #pragma omp taskgroup
    {
        #pragma omp task
        rounds(depth - 1);
        if (depth > 2)
            #pragma omp task
            rounds(depth - 2);
    }
}

static void more(void)
{
    static int x[5000];
    long h = 0;
    int found = 0, none = 0;

    for (int i = 0; i < 5000; i++)
        x[i] = i * 3;
    #pragma omp parallel
    #pragma omp single
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

    #pragma omp parallel
    #pragma omp single
    f = fib(22);
    #pragma omp parallel shared(ways)
    #pragma omp master
    queens(8, 0, "", &ways);
    #pragma omp parallel
    {
        #pragma omp single
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
