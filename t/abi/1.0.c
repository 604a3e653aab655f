/*
 * 1.0.c - a program that was compiled with the headers of 1.0.
 *
 * SPDX-License-Identifier: MIT
 *
 * It includes no header of tweed's.  What the headers of 1.0 put into a program is written
 * out here, as much of it as the library looks at: structs, types of functions, and the
 * inline code of loops, reductions, scans and tasks at its shortest.  abi.sh links it with the
 * symbols that 1.0 exported, and runs it with the library of today.  It does not follow
 * changes of the headers: doc/abi.md says what it relies on.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- structs of 1.0 ---- */

typedef struct pool pool;

struct token {
    uint32_t set;
};

struct outcome {
    size_t size;
    int code;
    int64_t index;
    uint64_t ran;
};

struct loop_options {
    size_t size;
    int64_t grain, tile[3];
    int max_workers, schedule;
    const double *weights;
    const struct token *token;
    int64_t timeout_ns;
    struct outcome *outcome;
    const char *name;
};

struct pool_options {
    size_t size;
    int num_workers, bind;
    const char *cpus, *name;
    size_t stack_bytes;
    void (*on_start)(int, void *), (*on_end)(int, void *);
    void *hook_arg;
    int fence;
    int64_t spin_ns;
    uint64_t seed;
};

struct words {
    uint32_t low, apart[31];
    uint64_t S;
};

struct cursor {
    struct words *words;
    uint64_t seen;
    uint32_t limit, strip, begin, end, blocks, exchange;
    uint64_t lo, count, grain;
    void (*fn)(void);
    void *arg;
    int64_t past;
    uint64_t left_out;
};

struct kind {
    uint32_t size, claim_ns;
    void (*work)(struct cursor *);
    const char *name;
    uint32_t cost, reserved[3];
};

struct space {
    uint32_t size, dimensions;
    int64_t lo[3], hi[3];
    void *arg;
    uint64_t count[3], tile[3];
};

struct partials {
    size_t size, element, stride, alignment;
    const void *identity;
    void *result, *arg;
    void (*fold)(const struct partials *, void *, uint32_t);
    void *blocks, *groups;
    unsigned char *folded;
    uint32_t executed, zeroed, stopped, reserved;
    uint64_t piece;
};

struct prefixes {
    size_t size, element, stride, alignment;
    const void *identity;
    void *result, *arg;
    void (*combine)(const struct prefixes *, void *, const void *);
    void *blocks;
    uint32_t executed, written;
};

struct deque;

struct task {
    void (*run)(struct deque *, struct task *top, struct task *);
    uint32_t state, reserved;
    __attribute__((__aligned__(16))) char data[48];
};

struct deque {
    uint32_t top, ceiling;
    struct task *records;
    char apart[128 - 2 * sizeof(uint32_t) - sizeof(struct task *)];
    uint64_t word;
};

struct group {
    pool *pool;
    unsigned flags, reserved;
    uint64_t family, more[2];
};

struct reduction {
    size_t size, element_size, alignment;
    const void *identity;
    void (*body)(int64_t, int64_t, void *, void *);
    void (*combine)(void *, const void *, void *);
};

/* ---- functions of 1.0 that are called here ---- */

typedef int closure_fn(void *closure, int how);

int tweed_pool_create(pool **, const struct pool_options *);
int tweed_pool_destroy(pool *);
int tweed_pool_drain(pool *);
int tweed_pool_submit_closure_(pool *, closure_fn *, const void *, size_t);
int tweed_loop_run(pool *, const struct loop_options *, int64_t, int64_t, struct kind *,
                   void (*)(void), void *);
int tweed_loop_run_find(pool *, const struct loop_options *, int64_t, int64_t, struct kind *,
                        void (*)(void), void *, int64_t *);
int tweed_loop_run_space(pool *, const struct loop_options *, struct space *, struct kind *,
                         void (*)(void));
int tweed_space_prepare_(struct space *, const struct loop_options *, int64_t *);
int tweed_loop_run_reduce_(pool *, const struct loop_options *, int64_t, int64_t, struct kind *,
                           void (*)(void), struct partials *);
int tweed_loop_run_scan_(pool *, const struct loop_options *, int64_t, int64_t, struct kind *,
                         struct kind *, void (*)(void), struct prefixes *);
int tweed_parallel_reduce_with(pool *, const struct loop_options *, int64_t, int64_t,
                               const struct reduction *, void *, void *);
int tweed_parallel_for(int64_t, int64_t, void (*)(int64_t, void *), void *);
int tweed_next_slow_(struct cursor *);
uint64_t tweed_cursor_piece_(struct cursor *, uint64_t);
void tweed_cursor_fail(struct cursor *, int64_t, int);
void tweed_cursor_found(struct cursor *, int64_t);
void tweed_task_start_(pool *, const char *, struct task *);
struct deque *tweed_task_deque_(pool *);
void tweed_task_spawn_slow_(struct deque *);
int tweed_task_sync_slow_(struct deque *, struct task *);
int tweed_group_spawn_closure_(struct group *, closure_fn *, const void *, size_t);
int tweed_group_sync(struct group *);
int tweed_fail_(int, const char *, ...);
const char *tweed_last_error(void);

/* ---- tests ---- */

static int number, failures;

static void ok(int good, const char *what)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++number, what);
    failures += !good;
}

#define N 300000
static unsigned char counts[N];

static int each_once(int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (counts[i] != 1)
            return 0;
    return 1;
}

static void clear(void)
{
    memset(counts, 0, sizeof counts);
}

/* ---- a claim ---- */

static int next(struct cursor *c)
{
    uint32_t end = c->end, low = end + c->strip;
    uint64_t s;

    if (low > c->limit)
        return tweed_next_slow_(c);
    if (c->exchange) {
        (void)__atomic_exchange_n(&c->words->low, low, __ATOMIC_SEQ_CST);
        s = __atomic_load_n(&c->words->S, __ATOMIC_SEQ_CST);
    } else {
        __atomic_store_n(&c->words->low, low, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        s = __atomic_load_n(&c->words->S, __ATOMIC_RELAXED);
    }
    if (s != c->seen)
        return tweed_next_slow_(c);
    c->begin = end;
    c->end = low;
    return 1;
}

static int64_t block(const struct cursor *c, uint32_t b)
{
    return (int64_t)(c->lo + (b < c->blocks ? b * c->grain : c->count));
}

#define FOR_CLAIMED(c, i)                                                      \
    for (int64_t i = block(c, c->begin), past_ = block(c, c->end); i < past_; i++)

static void count_work(struct cursor *c)
{
    do
        FOR_CLAIMED(c, i)
            ((unsigned char *)c->arg)[i]++;
    while (next(c));
}

/* A body by pointer, each index a claim. */
static void pointer_work(struct cursor *c)
{
    void (*each)(int64_t, void *) = (void (*)(int64_t, void *))c->fn;

    do
        FOR_CLAIMED(c, i)
            each(i, c->arg);
    while (next(c));
}

static void count_one(int64_t i, void *arg)
{
    ((unsigned char *)arg)[i]++;
}

#define KIND(claim_ns, work) { sizeof(struct kind), claim_ns, work, "old", 0, { 0 } }

static void loops(pool *p)
{
    static struct kind kind = KIND(2000, count_work), by_pointer = KIND(0, pointer_work);
    struct outcome outcome = { .size = sizeof outcome };
    struct loop_options o = { .size = sizeof o, .grain = 7, .outcome = &outcome };
    int good = 1;

    for (int k = 0; k < 20; k++) {
        clear();
        good &= tweed_loop_run(p, NULL, 0, N, &kind, NULL, counts) == 0 && each_once(N);
    }
    ok(good, "a loop in braces");
    clear();
    good = tweed_loop_run(p, &o, 0, N, &kind, NULL, counts) == 0 && each_once(N);
    ok(good && outcome.ran == N && outcome.code == 0, "with a grain, and an outcome");
    for (int k = 0; k < 5; k++) {
        clear();
        good &= tweed_loop_run(p, NULL, 0, N, &by_pointer, (void (*)(void))count_one,
                               counts) == 0 && each_once(N);
    }
    ok(good, "a loop by pointer");
}

static void fail_work(struct cursor *c)
{
    do
        FOR_CLAIMED(c, i)
            if (i >= 1000) {
                tweed_cursor_fail(c, i, 5);
                break;
            }
    while (next(c));
}

static void find_work(struct cursor *c)
{
    do
        FOR_CLAIMED(c, i)
            if (i % 100000 == 99999) {
                tweed_cursor_found(c, i);
                break;
            }
    while (next(c));
}

static void early_ends(pool *p)
{
    static struct kind fail = KIND(2000, fail_work), find = KIND(2000, find_work);
    static struct kind count = KIND(2000, count_work);
    struct token token = { 1 };
    struct outcome outcome = { .size = sizeof outcome };
    struct loop_options o = { .size = sizeof o, .outcome = &outcome };
    int64_t found = 0;
    int code = tweed_loop_run(p, &o, 0, N, &fail, NULL, NULL);

    ok(code == -7 && outcome.code == 5 && outcome.index >= 1000, "a body that fails");
    code = tweed_loop_run_find(p, NULL, 0, N, &find, NULL, NULL, &found);
    ok(code == 0 && found == 99999, "a search");
    o.token = &token;
    ok(tweed_loop_run(p, &o, 0, N, &count, NULL, counts) == -7, "a token");
}

/* ---- two dimensions ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void space_work(struct cursor *c)
{
    const struct space *s = c->arg;

    do
        FOR_CLAIMED(c, n) {
            uint64_t x = (uint64_t)n, row = s->tile[1] * s->count[2];
            uint64_t j = x / row * s->tile[1], height = least(s->tile[1], s->count[1] - j);
            uint64_t k = x % row / (height * s->tile[2]) * s->tile[2];
            uint64_t width = least(s->tile[2], s->count[2] - k);

            x = x % row % (height * s->tile[2]);
            ((unsigned char *)s->arg)[(j + x / width) * s->count[2] + k + x % width]++;
        }
    while (next(c));
}

static void spaces(pool *p)
{
    static struct kind kind = KIND(2000, space_work);
    struct loop_options o = { .size = sizeof o, .tile = { 7, 30 } };
    struct space s = { sizeof s, 2, { 0, 0, 0 }, { 1, 300, 1000 }, counts, { 0 }, { 0 } };
    int64_t all = 0;

    clear();
    ok(tweed_loop_run_space(p, NULL, &s, &kind, NULL) == 0 && each_once(N), "a loop of 2 dimensions");
    clear();
    ok(tweed_loop_run_space(p, &o, &s, &kind, NULL) == 0 && each_once(N), "in tiles");
    ok(tweed_space_prepare_(&s, &o, &all) == 0 && all == N && s.tile[1] == 7 && s.tile[2] == 30 &&
           s.count[1] == 300 && s.count[2] == 1000,
       "its indices are counted");
}

/* ---- reductions and scans ---- */

static void fold(const struct partials *p, void *first, uint32_t n)
{
    int64_t *e = first;

    (void)p;
    for (uint32_t k = 1; k < n; k++)
        e[0] += e[k];
}

static void sum_block(struct cursor *c, int64_t *to, uint32_t b)
{
    int64_t i = block(c, b), past = block(c, b + 1);

    *to = 0;
    while (i < past) {
        uint64_t n = (uint64_t)(past - i);

        if (n > 4096)
            n = tweed_cursor_piece_(c, n);
        if (n == 0)
            break;
        while (n-- > 0)
            *to += i++;
    }
}

/* Groups of 64 blocks that one claim has become one element; the library folds the others. */
static void sum_work(struct cursor *c)
{
    struct partials *p = c->arg;
    int64_t *e = p->blocks, *groups = p->groups;
    uint32_t executed = 0;

    do {
        for (uint32_t b = c->begin; b < c->end; b++) {
            sum_block(c, &e[b], b);
            if (b % 64 == 63 && b - 63 >= c->begin) {
                fold(p, &e[b - 63], 64);
                groups[b / 64] = e[b - 63];
                p->folded[b / 64] = 1;
            }
        }
        executed += c->end - c->begin;
    } while (next(c));
    (void)__atomic_fetch_add(&p->executed, executed, __ATOMIC_RELAXED);
}

static void add(const struct prefixes *p, void *into, const void *from)
{
    (void)p;
    *(int64_t *)into += *(const int64_t *)from;
}

static void scan_sum_work(struct cursor *c)
{
    struct prefixes *p = c->arg;
    uint32_t executed = 0;

    do {
        for (uint32_t b = c->begin; b < c->end; b++)
            sum_block(c, (int64_t *)p->blocks + b, b);
        executed += c->end - c->begin;
    } while (next(c));
    (void)__atomic_fetch_add(&p->executed, executed, __ATOMIC_RELAXED);
}

static void scan_write_work(struct cursor *c)
{
    struct prefixes *p = c->arg;
    int64_t *e = p->blocks, *y = p->arg;
    uint32_t executed = 0;

    do {
        for (uint32_t b = c->begin; b < c->end; b++) {
            int64_t sum = e[b];

            for (int64_t i = block(c, b); i < block(c, b + 1); i++)
                y[i] = sum += i;
            if (b + 1 == c->blocks)
                e[b + 1] = sum;
        }
        executed += c->end - c->begin;
    } while (next(c));
    (void)__atomic_fetch_add(&p->executed, executed, __ATOMIC_RELAXED);
}

static void sum_range(int64_t begin, int64_t end, void *element, void *arg)
{
    (void)arg;
    while (begin < end)
        *(int64_t *)element += begin++;
}

static void add_element(void *into, const void *from, void *arg)
{
    (void)arg;
    *(int64_t *)into += *(const int64_t *)from;
}

static void sums(pool *p)
{
    static struct kind sum = KIND(2000, sum_work), first = KIND(2000, scan_sum_work);
    static struct kind second = KIND(2000, scan_write_work);
    static int64_t y[N];
    const int64_t zero = 0, all = (int64_t)N * (N - 1) / 2, most = 40000000;
    int64_t result = -1, sum_of_y = -1;
    struct partials e = { sizeof e, 8, 8, 8, &zero, &result, NULL, fold, .blocks = NULL };
    struct prefixes x = { sizeof x, 8, 8, 8, &zero, &sum_of_y, y, add, NULL, 0, 0 };
    const struct reduction r = { sizeof r, 8, 8, &zero, sum_range, add_element };
    int good = tweed_loop_run_reduce_(p, NULL, 0, N, &sum, NULL, &e) == 0 && result == all;

    good &= tweed_loop_run_reduce_(p, NULL, 0, most, &sum, NULL, &e) == 0 &&
            result == most / 2 * (most - 1);
    ok(good, "a reduction in braces");
    result = -1;
    ok(tweed_parallel_reduce_with(p, NULL, 0, N, &r, NULL, &result) == 0 && result == all,
       "a reduction by pointer");
    good = tweed_loop_run_scan_(p, NULL, 0, N, &first, &second, NULL, &x) == 0 && sum_of_y == all;
    for (int64_t i = 0; i < N; i++)
        good &= y[i] == i * (i + 1) / 2;
    ok(good, "a scan in braces");
}

/* ---- tasks ---- */

static uint32_t low_half(const struct task *t)
{
    return (uint32_t)(uintptr_t)t;
}

static void fib_run(struct deque *d, struct task *top, struct task *t);

static int64_t fib(struct deque *d, struct task *top, int64_t n)
{
    int64_t a, b;

    if (n < 2)
        return n;
    /* TWEED_SPAWN */
    n--;
    memcpy(top->data, &n, sizeof n);
    top->run = fib_run;
    top++;
    __atomic_store_n(&d->top, low_half(top), __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (low_half(top) >= __atomic_load_n(&d->ceiling, __ATOMIC_RELAXED))
        tweed_task_spawn_slow_(d);
    b = fib(d, top, n - 1);
    /* TWEED_SYNC */
    top--;
    __atomic_store_n(&d->top, low_half(top), __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (((uint64_t)(uintptr_t)top << 34) + (UINT64_C(1) << 40) <=
            __atomic_load_n(&d->word, __ATOMIC_RELAXED) &&
        !tweed_task_sync_slow_(d, top)) {
        memcpy(&a, top->data, sizeof a);
        return a + b;
    }
    memcpy(&n, top->data, sizeof n);
    return fib(d, top, n) + b;
}

static void fib_run(struct deque *d, struct task *top, struct task *t)
{
    int64_t n;

    memcpy(&n, t->data, sizeof n);
    n = fib(d, top, n);
    memcpy(t->data, &n, sizeof n);
}

static uint32_t done;

static int closure(void *data, int how)
{
    uint32_t n;

    memcpy(&n, data, sizeof n);
    if (how == 0)
        (void)__atomic_fetch_add(&done, n, __ATOMIC_RELAXED);
    return 0;
}

static void tasks(pool *p)
{
    struct group g = { p, 0, 0, 0, { 0, 0 } };
    uint32_t data[12] = { 3 };
    int64_t n = 27;
    struct task t;
    int good = 1;

    memcpy(t.data, &n, sizeof n);
    t.run = fib_run;
    tweed_task_start_(p, "fib", &t);
    memcpy(&n, t.data, sizeof n);
    ok(n == 196418, "tasks");
    ok(tweed_task_deque_(p) == NULL, "outside there is no deque");
    for (int k = 0; k < 1000; k++)
        good &= tweed_group_spawn_closure_(&g, closure, data, sizeof data) == 0;
    ok(tweed_group_sync(&g) == 0 && good && done == 3000, "tasks of a group with bytes of their own");
    for (int k = 0; k < 1000; k++)
        good &= tweed_pool_submit_closure_(p, closure, data, sizeof data) == 0;
    ok(tweed_pool_drain(p) == 0 && good && done == 6000, "submitted ones");
}

/* ---- the rest ---- */

static void words(void)
{
    ok(tweed_fail_(-1, "%s: fn is NULL", "old") == -1 &&
           strcmp(tweed_last_error(), "invalid argument: old: fn is NULL") == 0,
       "what was wrong is noted");
}

static void all(int fence, const char *what)
{
    struct pool_options o = { .size = sizeof o, .num_workers = 4, .name = "old", .fence = fence };
    pool *p = NULL;

    ok(tweed_pool_create(&p, &o) == 0 && p, what);
    loops(p);
    early_ends(p);
    spaces(p);
    sums(p);
    done = 0;
    tasks(p);
    ok(tweed_pool_destroy(p) == 0, "the pool ends");
}

int main(void)
{
    printf("1..38\n");
    all(0, "a pool");
    all(2, "a pool whose owners pay for the fence");
    clear();
    ok(tweed_parallel_for(0, N, count_one, counts) == 0 && each_once(N),
       "the function that the library has");
    words();
    return failures != 0;
}
