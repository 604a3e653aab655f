/*
 * bench.h - what a runtime and a kernel are to the harness.
 *
 * SPDX-License-Identifier: MIT
 *
 * The harness (bench/bench) prepares a kernel's input once and then starts a
 * process, the runner, for each schedule of each runtime: a fork that inherits
 * the input and loads the runtime as a module.  So all work on the same input,
 * on the same pages of it, and call the same machine code of the body; and no
 * two of them live in one process.  All runners but the one that is measured
 * are stopped (SIGSTOP), whatever their idle threads would like to do.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus /* a runtime's module may be written in it */
extern "C" {
#endif

typedef void bench_index_fn(int64_t i, void *arg);

/* The bodies that are also compiled into each runtime's own loop (inlined.h). */
enum bench_inlined { BENCH_NOOP, BENCH_TRIAD, BENCH_SAXPY };

/* What tweed has counted. */
struct bench_counts {
    double loops, steals, fences, proposals, returns;
};

/*
 * A runtime: a module exports one of these, named bench_runtime.
 *
 * All loops run over [lo, hi) and block.  `schedule` is an index into schedules.
 * A function that the runtime has nothing for is NULL.
 */
struct bench_runtime {
    const char *name;             /* "libgomp" */
    const char *const *schedules; /* "static", "dynamic,1", ..., NULL */
    bool nests;   /* a body may start a loop (which may run serially) */
    bool callers; /* several threads may start loops at once */
    void (*version)(char *text, size_t size);
    int (*start)(int workers); /* 0, or -1: cannot run here */
    void (*index)(int schedule, int64_t lo, int64_t hi, bench_index_fn *fn,
                  void *arg);
    void (*inlined)(int schedule, enum bench_inlined body, int64_t lo,
                    int64_t hi, void *arg);
    int (*worker)(void); /* within a body: 0 to workers - 1 */
    void (*counts)(int schedule, struct bench_counts *counts); /* since start */
};

extern const struct bench_runtime bench_runtime;

/* The loop that a kernel is given to run on. */
struct bench_loop {
    const struct bench_runtime *runtime;
    int schedule;
    int workers; /* that run it: 1 under the serial runtime */
    int shares;  /* workers of the others */
};

/* for (i = lo; i < hi; i++) fn(i, arg); on the loop's runtime. */
static inline void bench_for(const struct bench_loop *loop, int64_t lo,
                             int64_t hi, bench_index_fn *fn, void *arg)
{
    loop->runtime->index(loop->schedule, lo, hi, fn, arg);
}

/* Within a body: which of the loop's workers runs it, 0 to workers - 1. */
static inline int bench_worker(const struct bench_loop *loop)
{
    return loop->runtime->worker();
}

/* The input's size. */
enum bench_size { BENCH_QUICK, BENCH_FULL };

/* What a kernel needs of the runtime beside index(). */
enum bench_need {
    BENCH_NEED_INLINED = 1,
    BENCH_NEED_NESTING = 2,
    BENCH_NEED_CALLERS = 4
};

/*
 * A kernel.  Order of the calls:
 *
 *   prepare  in the harness, once: makes the input that all runners share, and
 *            must only read from then on (what they write is theirs alone, but
 *            costs a page fault each).  Seeds are fixed.  NULL: no memory.
 *   begin    in each runner, once: allocates the output, and what should be
 *            touched first by the loop's own workers.  May be NULL.
 *   run      in each runner, many times: the work.  Returns the seconds that
 *            count, by bench_now().  A second run starts from the same state.
 *   answer   after a run: one number that shows whether all was done right.
 *            Compared with the serial runtime's: |a - b| <= tolerance * |b|.
 *            Never NULL; its work is not timed.
 */
struct bench_kernel {
    const char *name;  /* "triad" */
    const char *group; /* "suite", "overhead", "body" or "trips" */
    const char *form;  /* "index" (through a pointer) or "inlined" */
    const char *what;  /* one line: what it is and what it separates */
    const char *unit;  /* of a figure: "ms", "us a loop", "ns an index" */
    double scale;      /* seconds of run() times this give the figure; or, where
                          it depends on the size: 0 and scale_of */
    double (*scale_of)(const void *input);
    double x;          /* of a curve (groups body and trips): the abscissa */
    double tolerance;  /* of the answer, relative; 0: exact */
    unsigned needs;    /* bench_need */
    bool quick;        /* part of bench-quick, too */
    int variant;       /* for the kernel's own use: handed to prepare */
    void *(*prepare)(enum bench_size size, int variant);
    int (*begin)(void *input, const struct bench_loop *loop); /* 0, or -1 */
    double (*run)(void *input, const struct bench_loop *loop);
    double (*answer)(void *input);
    double (*heaviest)(const void *input); /* the heaviest index's part of the
                          whole work, 0 to 1; NULL: too small to matter, or no
                          ideal is known (groups other than suite) */
    const char *(*size)(const void *input); /* "4096 x 4096"; may be NULL */
};

/* All kernels are in arrays that end with one whose name is NULL; kernels.c
   lists the arrays. */

double bench_now(void); /* seconds */

/* Memory for a kernel: zero, page-aligned, not touched yet.  It goes away with
   the kernel, what is not wanted so long by bench_free(). */
void *bench_alloc(size_t bytes);
void bench_free(void *memory);

/* How many turns of bench_spin() take this long here: calibrated once, before
   the runners start, so the same in all of them. */
uint32_t bench_turns(double ns);

/* Busy for so many turns, without touching memory. */
static inline void bench_spin(uint32_t turns)
{
    while (turns-- > 0)
        __asm__ __volatile__("" : "+r"(turns));
}

/* A random number from the position in a sequence: any order, any thread. */
static inline uint64_t bench_random(uint64_t seed, uint64_t position)
{
    uint64_t z = seed * 0xd1342543de82ef95u + position * 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* ... and as a number in [0, 1). */
static inline double bench_uniform(uint64_t seed, uint64_t position)
{
    return (double)(bench_random(seed, position) >> 11) * 0x1p-53;
}

#ifdef __cplusplus
}
#endif

#endif
