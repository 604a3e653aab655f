/*
 * rows.c - what is measured as users write it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "driver.h"

static struct user_row *rows;
static int num_rows, most_rows;
static const struct machine *machine;

/* What a program of this level was compiled with. */
const char *level_flags(const char *level)
{
    if (strcmp(level, "native") == 0)
        return "-O3 -march=native";
    return strcmp(level, "O3") == 0 ? "-O3" : "-O2";
}

static void row_level(struct user_row *r, const char *level)
{
    r->level = level;
    r->subject.flags = level_flags(level);
}

/* A new row, with what most of them have. */
struct user_row *row_add(const char *group, const char *name, bool quick,
                         const char *what)
{
    struct user_row *r = &rows[num_rows];

    if (num_rows + 1 < most_rows)
        num_rows++;
    memset(r, 0, sizeof *r);
    snprintf(r->name, sizeof r->name, "%s", name);
    r->ideal = true;
    r->task = (struct user_task){
        .repeat = 1, .callers = 1,
        .workers = machine->workers == machine->cpus ? 0 : machine->workers,
    };
    r->subject = (struct subject){
        .group = group, .what = what, .unit = "ms", .scale = 1e3,
    };
    r->quick = quick;
    row_level(r, "O2");
    return r;
}

/* It is about loops that take so long an index. */
void row_loop(struct user_row *r, int64_t n, double index)
{
    r->task.what = USER_LOOPS;
    r->task.body = USER_spin;
    r->task.n = n;
    r->task.index = index;
}

/* ---- loops over arrays: bodies, lengths, optimisation ---- */

static const struct {
    const char *name, *what;
    enum user_body body;
    unsigned lengths; /* bit k: 2^k indices */
    bool fast;        /* with -O3, too; one length with -march=native */
    double index;     /* seconds of one, where the body takes what it is told */
    int quick;        /* with so many bits in bench-quick, too */
} sweeps[] = {
    { "saxpy", "y[i] += a * x[i], floats", USER_saxpy, 0x1555000, true, 0, 20 },
    { "stencil", "y[i] = a * (x[i] + x[i + 1] + x[i + 2]), floats", USER_stencil,
      0x1555000, true, 0, 20 },
    { "count", "n[i]++", USER_count, 0x1111000, true, 0, 16 },
    { "1ns", "indices of 1 ns", USER_spin, 0x1111000, false, 1e-9, 16 },
    { "10ns", "indices of 10 ns", USER_spin, 0x511000, false, 1e-8, 12 },
    { "100ns", "indices of 100 ns", USER_spin, 0x111000, false, 1e-7, 12 },
    { "call", "f(i, arg) with a trivial f, in the same program", USER_call,
      0x511000, false, 0, 20 },
};

static void add_sweep(int s, int bits, const char *level)
{
    int64_t n = (int64_t)1 << bits;
    char name[48];
    struct user_row *r;

    snprintf(name, sizeof name, "%s-2^%d-%s", sweeps[s].name, bits, level);
    r = row_add(sweeps[s].body == USER_call ? "pointer" : "array", name,
                bits == sweeps[s].quick && strcmp(level, "O2") == 0, sweeps[s].what);
    row_level(r, level);
    row_loop(r, n, sweeps[s].index);
    r->task.body = sweeps[s].body;
    r->task.repeat = bits <= 12 ? 8 : 1;
    r->subject.unit = "ns an index";
    r->subject.scale = 1e9 / (double)(n * r->task.repeat);
    r->dynamic = sweeps[s].index >= 1e-7;
}

static void add_arrays(void)
{
    for (int s = 0; s < (int)(sizeof sweeps / sizeof *sweeps); s++)
        for (int bits = 0; bits < 32; bits++)
            if (sweeps[s].lengths >> bits & 1) {
                add_sweep(s, bits, "O2");
                if (sweeps[s].fast)
                    add_sweep(s, bits, "O3");
                if (sweeps[s].fast && bits == sweeps[s].quick)
                    add_sweep(s, bits, "native");
            }
}

static void add_planes(void)
{
    static const struct { const char *name, *what; enum user_body body; } planes[] = {
        { "heat", "each point of a square the mean of its neighbours, floats",
          USER_heat },
        { "transpose", "b[j][i] = a[i][j], floats", USER_transpose },
    };
    static const int sides[] = { 64, 256, 2048, 8192 };
    static const char *const levels[] = { "O2", "O3" };

    for (int k = 0; k < 2 * 4 * 2; k++) {
        int64_t side = sides[k / 2 % 4];
        char name[48];
        struct user_row *r;

        snprintf(name, sizeof name, "%s-%d^2-%s", planes[k / 8].name, (int)side,
                 levels[k % 2]);
        r = row_add("plane", name, side == 256 && k % 2 == 0, planes[k / 8].what);
        row_level(r, levels[k % 2]);
        row_loop(r, side * side, 0);
        r->task.body = planes[k / 8].body;
        r->task.repeat = side <= 256 ? 8 : 1;
        r->subject.unit = "ns an index";
        r->subject.scale = 1e9 / (double)(side * side * r->task.repeat);
    }
}

/* ---- loops in the bodies ---- */

static void add_inner(const char *name, enum user_body body, const char *level)
{
    char full[48];
    struct user_row *r;

    snprintf(full, sizeof full, "inner-%s-%s", name, level);
    r = row_add("inner", full, body == USER_known && strcmp(level, "native") == 0,
                "bodies with a loop inside, over arrays of known size");
    row_level(r, level);
    row_loop(r, USER_SHAPED, 0);
    r->task.body = body;
    r->dynamic = true;
    r->subject.unit = "us an index";
    r->subject.scale = 1e6 / USER_SHAPED;
}

static void add_space(int row, const char *level)
{
    char name[48];
    struct user_row *r;

    snprintf(name, sizeof name, "space-%d-%s", row, level);
    r = row_add("space", name, row == 16 && strcmp(level, "O3") == 0,
                "sums of neighbours in three dimensions, rows of so many doubles");
    row_level(r, level);
    row_loop(r, USER_SPACE_SIDE * USER_SPACE_SIDE * (row + 2), 0);
    r->task.body = USER_space;
    r->task.repeat = 8;
    r->subject.unit = "ns an index";
    r->subject.scale = 1e9 / (double)((USER_SPACE_SIDE - 2) * (USER_SPACE_SIDE - 2) *
                                     row * r->task.repeat);
}

static void add_inners(void)
{
    static const char *const levels[] = { "O2", "O3", "native" };

    for (int k = 0; k < 3; k++) {
#define ADD_SHAPE(name, given, statement) add_inner(#name, USER_##name, levels[k]);
        USER_SHAPES(ADD_SHAPE)
#undef ADD_SHAPE
        add_space(16, levels[k]);
        add_space(48, levels[k]);
        add_space(96, levels[k]);
    }
}

/* ---- what a whole loop finds out ---- */

static struct user_row *add_value(const char *name, enum user_body body, int64_t n,
                                  const char *level, bool quick, const char *what)
{
    struct user_row *r = row_add("value", name, quick, what);

    row_level(r, level);
    row_loop(r, n, 0);
    r->task.body = body;
    return r;
}

static void add_values(void)
{
    static const struct { const char *name, *what; enum user_body body; } values[] = {
        { "dot", "s += x[i] * y[i], doubles", USER_dot },
        { "least", "the smallest x[i], doubles", USER_least },
        { "scan", "y[i] = x[0] + ... + x[i], doubles", USER_scan },
        { "histogram", "of bytes", USER_histogram },
    };
    static const char *const levels[] = { "O2", "O3" };

    for (int k = 0; k < 4 * 4 * 2; k++) {
        int bits = 12 + 4 * (k / 2 % 4);
        int64_t n = (int64_t)1 << bits;
        char name[48];
        struct user_row *r;

        snprintf(name, sizeof name, "%s-2^%d-%s", values[k / 8].name, bits,
                 levels[k % 2]);
        r = add_value(name, values[k / 8].body, n, levels[k % 2],
                      bits == 20 && k % 2 == 0, values[k / 8].what);
        r->task.repeat = bits <= 12 ? 8 : 1;
        r->subject.unit = "ns an index";
        r->subject.scale = 1e9 / (double)(n * r->task.repeat);
    }
}

/* Not at the middle itself: there some begin, who need not look at what is below. */
#define FIND_BYTES 200000000

static void add_finds(void)
{
    static const struct { const char *name; int64_t at; int repeat; } finds[] = {
        { "find-1000", 1000, 20 }, { "find-middle", FIND_BYTES / 2 - 1000, 1 },
    };

    for (int k = 0; k < 2; k++) {
        struct user_row *r = add_value(finds[k].name, USER_find, FIND_BYTES, "O2",
                                       k == 0, "the byte of 200 million that is not 0");

        r->task.from = (double)finds[k].at / FIND_BYTES;
        r->task.repeat = finds[k].repeat;
        r->subject.unit = "us a search";
        r->subject.scale = 1e6 / r->task.repeat;
        r->ideal = false;
    }
}

/* ---- kernels of programs ---- */

static const struct {
    const char *name, *what;
    enum user_body body;
    int variant;
    int n, quick_n; /* of a plane: the side */
} kernels[] = {
    { "spmv-banded", "sparse matrix times vector: rows that cost the same", USER_spmv,
      USER_BANDED, 1 << 18, 1 << 13 },
    { "spmv-graph", "sparse matrix times vector: a power law", USER_spmv, USER_GRAPH,
      1 << 17, 1 << 12 },
    { "spmv-dense-row", "sparse matrix times vector: one index has 5 % of the work",
      USER_spmv, USER_DENSE_ROW, 1 << 18, 1 << 13 },
    { "pagerank", "a step of PageRank by falling degree: hubs side by side", USER_rank, 0,
      1 << 17, 1 << 12 },
    { "triangles", "triangles of a graph, counted at their hub: the worst skew",
      USER_triangles, 0, 1 << 14, 1 << 10 },
    { "bfs", "a breadth-first search of a graph: tiny and huge frontiers", USER_down, 0,
      1 << 17, 1 << 12 },
    { "cells-mild", "Lennard-Jones by cells, half of the particles in clusters",
      USER_forces, USER_MILD, 16 * 16 * 16, 6 * 6 * 6 },
    { "cells-strong", "the same with nearly all of them in clusters", USER_forces,
      USER_STRONG, 16 * 16 * 16, 8 * 8 * 8 },
    { "kmeans", "a step of k-means, 16 axes and 16 centres: sums of a struct", USER_kmeans,
      0, 1 << 17, 1 << 12 },
    { "mean", "5 x 5 mean of a picture's pixels", USER_mean, 0, 1024, 128 },
    { "median", "5 x 5 median: a pixel costs what its noise makes it cost", USER_median, 0,
      512, 64 },
    { "mandelbrot", "rows hundreds of times as dear as others, side by side",
      USER_mandelbrot, 0, 512, 64 },
};

static void add_kernels(void)
{
    for (int k = 0; k < (int)(sizeof kernels / sizeof *kernels); k++) {
        struct user_row *r = row_add("kernel", kernels[k].name, true, kernels[k].what);
        int64_t n = machine->quick ? kernels[k].quick_n : kernels[k].n;

        row_level(r, "O3");
        row_loop(r, kernels[k].body >= USER_mean && kernels[k].body <= USER_mandelbrot
                        ? n * n : n, 0);
        r->task.what = kernels[k].body == USER_down ? USER_SEARCH : USER_LOOPS;
        r->task.body = kernels[k].body;
        r->task.variant = kernels[k].variant;
        r->dynamic = true;
    }
}

/* ---- functions that call themselves ---- */

/* fib() calls itself so often. */
static double fib_calls(int n)
{
    double calls = 1, before = 1; /* of fib(n); of fib(n - 1) */

    for (int k = 1; k < n; k++) {
        double next = calls + before + 1;

        before = calls;
        calls = next;
    }
    return calls;
}

static const struct {
    const char *name, *what, *unit;
    double scale; /* 0: of fib */
    enum user_body body;
    int n, quick_n; /* 0: not in bench-quick */
} trees[] = {
    { "fib", "fib(n) by fib(n - 1) + fib(n - 2), a task each", "ns a call", 0, USER_fib,
      32, 22 },
    { "queens", "all ways to place queens, a task a square", "ms", 1e3, USER_queens, 12, 8 },
    { "tree-1000", "1,000 leaves of 1 us, a task a half", "us a tree", 1e6, USER_tree, 1000,
      1000 },
    { "uts-T1", "unbalanced tree search, geometric, a task a node", "ms", 1e3, USER_uts,
      USER_UTS_T1, 0 },
    { "uts-T3", "unbalanced tree search, binomial, a task a node", "ms", 1e3, USER_uts,
      USER_UTS_T3, 0 },
    { "skynet", "the sum of a million numbers, a task a number and a tenth", "ms", 1e3,
      USER_skynet, 1000000, 10000 },
    { "cilksort", "merge sort, merges by tasks too", "ms", 1e3, USER_cilksort, 1 << 22,
      1 << 16 },
    { "matmul", "matrices of 512^2 by quarters", "ms", 1e3, USER_matmul, 512 * 512, 0 },
};

/* Workers 0: as many as usual.  Else the row's name ends so. */
static void add_tree(int k, int workers)
{
    char name[48];
    struct user_row *r;

    snprintf(name, sizeof name, workers ? "%s-w%d" : "%s", trees[k].name, workers);
    r = row_add("tree", name, trees[k].quick_n && !workers, trees[k].what);
    row_loop(r, machine->quick && trees[k].quick_n ? trees[k].quick_n : trees[k].n,
             trees[k].body == USER_tree ? 1e-6 : 0);
    r->task.body = trees[k].body;
    if (trees[k].body == USER_cilksort)
        r->task.what = USER_SORT;
    if (workers)
        r->task.workers = workers;
    r->subject.unit = trees[k].unit;
    r->subject.scale = trees[k].scale > 0 ? trees[k].scale : 1e9 / fib_calls((int)r->task.n);
}

static void add_trees(void)
{
    for (int k = 0; k < (int)(sizeof trees / sizeof *trees); k++) {
        add_tree(k, 0);
        add_tree(k, 1);
        add_tree(k, 4 * machine->cpus);
    }
}

/* ---- groups of tasks, and submitted ones ---- */

static const struct {
    const char *name, *what;
    enum user_body body;
    int n;
    double index;
} jobs[] = {
    { "group-1us", "1,000 tasks of 1 us, which one caller spawns into a group", USER_group,
      1000, 1e-6 },
    { "group-0us", "10,000 tasks that do nothing, likewise", USER_group, 10000, 0 },
    { "submit-1us", "1,000 tasks of 1 us, submitted from outside one by one", USER_submit,
      1000, 1e-6 },
    { "submit-0us", "10,000 tasks that do nothing, likewise", USER_submit, 10000, 0 },
    { "batch-1us", "1,000 tasks of 1 us, submitted a hundred at a time", USER_batch, 1000,
      1e-6 },
    { "batch-0us", "10,000 tasks that do nothing, likewise", USER_batch, 10000, 0 },
};

static void add_job(int k, int workers)
{
    char name[48];
    struct user_row *r;

    snprintf(name, sizeof name, workers ? "%s-w%d" : "%s", jobs[k].name, workers);
    r = row_add("jobs", name, jobs[k].index > 0 && !workers, jobs[k].what);
    row_loop(r, jobs[k].n, jobs[k].index);
    r->task.body = jobs[k].body;
    if (workers)
        r->task.workers = workers;
    r->ideal = jobs[k].index > 0;
    r->subject.unit = "ns a task";
    r->subject.scale = 1e9 / jobs[k].n;
}

/* After the workers have been idle for so long; nobody but a worker executes it. */
static void add_reply(int pause, bool quick)
{
    char name[48];
    struct user_row *r;

    snprintf(name, sizeof name, "reply-after-%dms", pause);
    r = row_add("jobs", name, quick,
                "from the submission of one task to when the caller sees that it is over");
    row_loop(r, 1, 0);
    r->task.body = USER_reply;
    r->task.what = pause ? USER_SILENCE : USER_LOOPS;
    r->task.silence = pause * 1e-3;
    r->task.repeat = pause ? 1 : 20;
    r->ideal = false;
    r->subject.unit = "us";
    r->subject.scale = 1e6 / r->task.repeat;
    r->rounds = machine->quick ? 0 : 41; /* each is one task */
}

static void add_jobs(void)
{
    for (int k = 0; k < (int)(sizeof jobs / sizeof *jobs); k++) {
        add_job(k, 0);
        add_job(k, 1);
        add_job(k, 4 * machine->cpus);
    }
    if (machine->workers < 2) /* the caller alone */
        return;
    add_reply(0, true);
    add_reply(1, false);
    add_reply(30, false);
}

static void add_short(void)
{
    static const struct { const char *name; enum user_body body; int n; bool quick;
    } shorts[] = {
        { "empty-2", USER_empty, 2, true }, { "trivial-1", USER_count, 1, false },
        { "trivial-2", USER_count, 2, false }, { "trivial-8", USER_count, 8, false },
        { "trivial-64", USER_count, 64, true },
        { "trivial-1000", USER_count, 1000, false },
        { "call-2", USER_call, 2, false }, { "call-1000", USER_call, 1000, false },
    };

    for (int k = 0; k < (int)(sizeof shorts / sizeof *shorts); k++) {
        struct user_row *r = row_add("short", shorts[k].name, shorts[k].quick,
                                     "loops of so many indices, back to back");

        row_loop(r, shorts[k].n, 0);
        r->task.body = shorts[k].body;
        r->task.repeat = 20;
        r->subject.unit = "us a loop";
        r->subject.scale = 1e6 / r->task.repeat;
        r->dynamic = true;
        r->ideal = false;
    }
}

int rows_make(struct user_row *to, int most, const struct machine *m)
{
    rows = to;
    most_rows = most;
    machine = m;
    num_rows = 0;
    add_arrays();
    add_planes();
    add_inners();
    add_values();
    add_finds();
    add_kernels();
    add_trees();
    add_jobs();
    add_short();
    situations_add(m);
    for (int i = 0; i < num_rows; i++) /* not before: rows may have moved */
        rows[i].subject.name = rows[i].name;
    return num_rows;
}
