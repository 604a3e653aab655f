/*
 * ways.h - three ways to execute a loop on all ranks: two by hand, and tweed's.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXAMPLES_WAYS_H
#define EXAMPLES_WAYS_H

#include <stdint.h>
#include <tweed/mpi.h>

enum way {
    SPLIT,  /* rank r executes the r-th part */
    MASTER, /* rank 0 deals out `chunk` indices at a time to the others, which ask */
    TWEED,
    WAYS
};

struct loop {
    const char *name;
    int64_t n, chunk;
    tweed_index_fn *body;
    void *arg;
};

/* What one way took, so far; of all ranks, on rank 0. */
struct cost {
    double seconds, ideal; /* ideal: all bodies' time, by ranks; or the longest one's */
    uint64_t steals, messages;
};

void ways_begin(int *argc, char ***argv);
int ways_rank(void);

/* Executes the loop that way, and adds up what it took. */
void ways_run(enum way way, const struct loop *loop, struct cost *cost);

/* Prints the row of a table, on rank 0. */
void ways_header(void);
void ways_row(enum way way, const struct loop *loop, const struct cost *cost);

/* All ranks say whether the answer was right: the status of main(). */
int ways_end(int right);

#endif /* EXAMPLES_WAYS_H */
