/* Variables that a body only reads by their names, and that change while it is executed: by an
   address that a macro, an array of a struct or an initialiser has taken, by an address of another
   type, by a builtin, and by a call. */
#include <tweed.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS(v) &(v)
#define ADDRESS_OF_X &x
#define AT(p) (*(p))
#define SET(p, v) AT(p) = (v)
#define MORE(p) AT(p)++

typedef int __attribute__((__may_alias__)) word;

struct four {
    int v[4];
};

struct row {
    struct four of[2];
    int k;
};

union number {
    int i;
    float f;
};

static int out[20], deeper[4];
int outer = 3;

TWEED_LOOP(macros_loop, i, int *, p, int *, q, int *, r, const int *, x, const int *, y,
           const int *, z)
{
    *p = 6;
    SET(q, 7);
    MORE(r);
    out[0] = (*x);
    out[1] = (*y);
    out[2] = (*z);
}

static void macros(void)
{
    int x = 1, y = 2, z = 3, *p = ADDRESS_OF_X, *q = ADDRESS(y), *r = &z;

    macros_loop(0, 1, p, q, r, &x, &y, &z);
}

TWEED_LOOP(members_loop, i, int *, q, struct four *, all, struct four *, other,
           const struct row *, s, const struct four *, one)
{
    struct row t;
    struct four u;

    q[2] = 8;
    *all = other[1];
    t = (*s);
    u = (*one);
    out[3] = t.of[1].v[2];
    out[4] = u.v[0];
}

static void members(void)
{
    struct row s = { { { { 1 } } }, 2 };
    struct four other[2] = { { { 1 } } }, one = other[0], *all = &one;
    int *q = s.of[1].v;

    members_loop(0, 1, q, all, other, &s, &one);
}

TWEED_LOOP(types_loop, i, const double *, source, unsigned char *, raw,
           const unsigned char *, from, word *, words, union number *, number,
           const double *, x, const double *, y, const float *, f)
{
    for (int k = 0; k < (int)sizeof (*source); k++)
        raw[k] = from[k];
    words[0] = words[1] = 5;
    number->f = 7;
    out[5] = (*x) == 1.5;
    out[6] = (*y) == 1;
    out[7] = (int)(*f);
}

static void types(void)
{
    double x = 0, y = 1, source = 1.5;
    float f = 1;
    unsigned char *raw = (unsigned char *)&x;
    const unsigned char *from = (const unsigned char *)&source;
    word *words = (word *)&y;
    union number *number = (union number *)&f;

    types_loop(0, 1, &source, raw, from, words, number, &x, &y, &f);
}

TWEED_LOOP(builtins_loop, i, int *, p, int *, q, char *, all, const long *, x,
           unsigned int *, at, const int *, n, const int *, m, const unsigned int *,
           seed)
{
    __atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
    (void)__sync_bool_compare_and_swap(q, 1, 4);
    memset(all, 0, sizeof (*x));
    (void)rand_r(at);
    out[8] = (*n);
    out[9] = (*m);
    out[10] = (int)(*x);
    out[11] = (*seed) == 1;
}

static void builtins(void)
{
    int n = 0, m = 1, *p = &n, *q = &m;
    long x = 1;
    unsigned seed = 1, *at = &seed;
    char *all = (char *)&x;

    builtins_loop(0, 1, p, q, all, &x, at, &n, &m, &seed);
}

static void raise_it(void)
{
    outer = 9;
}

static int level(int depth);

TWEED_LOOP(level_loop, i, int, depth, const int *, deepest)
{
    level(depth + 1);
    raise_it();
    deeper[depth] = (*deepest) + outer;
}

static int level(int depth)
{
    static int deepest;
    extern int outer;

    if (depth > deepest)
        deepest = depth;
    if (depth >= 3)
        return deepest;
    level_loop(0, 1, depth, &deepest);
    return deepest;
}

TWEED_LOOP(lists_loop, i, int *const *, p, int **, all, int *, either, const int *, x,
           const int *, y, const int *, z)
{
    *(*p) = 4;
    all[0][0]++;
    (*either)--;
    out[12] = (*x);
    out[13] = (*y);
    out[14] = (*z);
}

static void lists(void)
{
    static int x = 1, *p = &x;
    int y = 1, z = 2, *all[1] = { &y }, *either = out[0] > 1000 ? &y : &z;

    lists_loop(0, 1, &p, all, either, &x, &y, &z);
}

TWEED_SUM(int, unchanged_loop, i, struct four, s, int *, y, int, first, double, half)
{
    int sum = 0;

    struct four t = s;

    y[i] += first;
    sum += y[i] + t.v[(int)i % 4] + (half < 1);
    return sum;
}

TWEED_SUM(int, unchanged_loop_2, i, int, k, int *, y)
{
    return k * y[i] - abs((int)i);
}

/* Nothing changes these. */
static int unchanged(int *y, int n)
{
    struct four s = { { 1, 2, 3, 4 } };
    int first = s.v[1], k = 5, sum = 0, *p = &k;
    double half = 0.5, *h = &half;

    *p = 6;
    *h = 0.25;
    for (int i = 0; i < n; i++)
        y[i] = i;
    sum += unchanged_loop(0, n, s, y, first, half);
    sum += unchanged_loop_2(0, n, k, y);
    return sum;
}

int main(void)
{
    int y[64];

    macros();
    members();
    types();
    builtins();
    lists();
    for (int i = 0; i < 15; i++)
        printf("%d ", out[i]);
    printf("%d\n", unchanged(y, 64));
    printf("%d: %d %d %d\n", level(0), deeper[0], deeper[1], deeper[2]);
    return 0;
}
