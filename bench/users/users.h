/*
 * users.h - what a program of one runtime is to those who measure it.
 *
 * SPDX-License-Identifier: MIT
 *
 * For each runtime there is a program that has its loops in it, written as the
 * runtime's manual says (openmp.c, tbb.cc, tweed.c, ...), and compiled by one
 * command as a user would.  The rest of the program is the same for all:
 * program.c takes orders from the driver, cases.c runs the loops and reads the
 * clock, data.c makes the arrays and checks them.  The driver starts a process for
 * each column of a row and measures them in turn.
 */
#ifndef USERS_H
#define USERS_H

#include <stdbool.h>
#include <stddef.h>

#include "bodies.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void user_loop_fn(struct user_data *s, int64_t n);

/* The two-deep loop: two indices, of which one is `heavy` and runs loop spin over n
   indices; the other one nothing. */
typedef void user_nest_fn(struct user_data *s, int64_t n, int heavy);
typedef void user_sort_fn(uint32_t *values, int64_t n);

#ifdef __clang__
#define USER_COMPILER "clang " __clang_version__
#else
#define USER_COMPILER "gcc " __VERSION__
#endif

/* One way to write a loop with a runtime.  What it has nothing for is NULL. */
struct user_way {
    const char *name; /* "static" */
    user_loop_fn *loops[USER_NUM_BODIES];
    user_loop_fn *timed; /* loop cliff, which notes the longest claim as well */
    user_nest_fn *nest;
    user_sort_fn *sort;
};

/* A runtime.  Each program has one, named user_runtime. */
struct user_runtime {
    const char *name; /* "libgomp" */
    bool ours, serial;
    void (*version)(char *text, size_t size);
    /* What a program has to do before its first loop, if anything; workers 0: as
       many as the runtime likes. */
    void (*start)(int workers);
    const struct user_way *ways; /* its last one has no name */
};

extern const struct user_runtime user_runtime;

/* What is measured; see cases.c. */
enum user_case {
    USER_DESCRIBE, /* nothing: the program tells what it is */
    USER_LOOPS,    /* loops, back to back */
    USER_SILENCE,  /* one loop, after some time in which the program slept */
    USER_FIRST,    /* the first loop of a process, and what starts the runtime */
    USER_CALL,     /* the first loop of a process, the start left out */
    USER_CLAIMS,   /* loop cliff; the longest claim */
    USER_NEST,     /* a loop under one of two indices; or flat */
    USER_SORT,     /* quicksort, or loop cilksort */
    USER_GUESS,    /* long loops among short ones of the same body */
    USER_SEARCH    /* loops down and up, until a graph is searched */
};

#define USER_FLAT -1 /* instead of a heavy index: a loop that is not nested */

enum user_guess { USER_GUESS_COUNT, USER_GUESS_COST, USER_GUESS_CALLERS };
enum user_matrices { USER_BANDED, USER_GRAPH, USER_DENSE_ROW };
enum user_clusters { USER_MILD, USER_STRONG };

/* A row, as the programs are told of it. */
struct user_task {
    enum user_case what;
    enum user_body body;
    int64_t n;       /* indices of a loop */
    int64_t short_n; /* of the short ones, of which USER_GUESS has repeat to one */
    int repeat;      /* loops of a run: the clock is read for all of them */
    int callers;     /* threads that run each loop at the same time */
    int workers;     /* 0: as many as the runtime likes */
    int variant;     /* user_guess, user_matrices or user_clusters; the heavy index of
                        USER_NEST, or USER_FLAT */
    double silence;  /* seconds */
    double index, dear_index; /* seconds of one */
    double from, to; /* the dear part, in parts of the loop; of a search: the hit */
    double turn_ns;  /* of bench_spin() */
};

/* What a way has, and what a task needs: bits of the bodies, and these. */
#define USER_HAS_TIMED (UINT64_C(1) << USER_NUM_BODIES)
#define USER_HAS_NEST (UINT64_C(2) << USER_NUM_BODIES)
#define USER_HAS_SORT (UINT64_C(4) << USER_NUM_BODIES)

static inline uint64_t user_needs(const struct user_task *task)
{
    uint64_t body = UINT64_C(1) << task->body;

    switch (task->what) {
    case USER_DESCRIBE: return 0;
    case USER_CLAIMS: return body | USER_HAS_TIMED;
    case USER_NEST: return task->variant == USER_FLAT ? body : USER_HAS_NEST;
    case USER_SEARCH: return UINT64_C(1) << USER_down | UINT64_C(1) << USER_up;
    case USER_SORT: return task->body == USER_cilksort ? body : USER_HAS_SORT;
    default: return body;
    }
}

/* Of the arrays of a task's body: bytes an index, at most. */
static inline int user_data_bytes(const struct user_task *task)
{
    switch (task->body) {
    case USER_dot:
    case USER_least:
    case USER_scan:
        return 16;
    case USER_space:
        return 24;
    case USER_histogram:
    case USER_find:
        return 1;
    case USER_matmul:
        return 28;
    case USER_spmv:
    case USER_rank:
    case USER_triangles:
    case USER_down:
        return 600;
    case USER_forces:
        return 8 * (int)sizeof(struct user_particle);
    case USER_kmeans:
        return USER_AXES * (int)sizeof(float);
    case USER_cilksort:
        return 16;
    default:
        return 12;
    }
}

/* kernels.c: what struct user_data has of USER_KERNELS, triangles and kmeans. */
void user_kernel_make(struct user_data *s, const struct user_task *task);
/* So many vertices are in the frontier now. */
int64_t user_search_begin(struct user_search *s);
int64_t user_search_next(struct user_search *s);
/* The part of the vertices that are at a level where they can be. */
double user_search_check(const struct user_search *s);

/* data.c: memory that is zero, page-aligned and not touched yet; it goes away with the
   process.  Where there is none the program ends. */
void *user_alloc(size_t bytes);
/* Arrays for a task's body. */
void user_data_make(struct user_data *s, const struct user_task *task);
void user_data_reset(struct user_data *s, enum user_body body, int64_t n);
/* The part of the indices that are as they should be after so many loops. */
double user_data_check(const struct user_data *s, enum user_body body, int64_t n,
                       int64_t loops);
void user_data_unsort(struct user_data *s, int64_t n);
double user_data_sorted(const struct user_data *s, int64_t n);

/* cases.c: `times` runs of a task on data of which each caller has its own, a loop
   of each before them if `rehearse`. */
#define USER_MOST_CALLERS 8
struct user_figures {
    double seconds; /* of a run */
    double extra;   /* CPU seconds of a silence and its loop, longest claim */
    double answer;  /* 1: all is right */
};
struct user_figures user_measure(const struct user_task *task,
                                 const struct user_way *way,
                                 struct user_data *data, int times,
                                 bool rehearse);

/* A claim of a loop that is timed has ended. */
void user_claimed(struct user_data *s, double started);

#ifdef __cplusplus
}
#endif

#endif
