/*
 * records.h - memory for the tasks that a thread has spawned.
 *
 * SPDX-License-Identifier: MIT
 *
 * Address space is reserved once.  Of it a beginning is open, and doubled when it is
 * full: nothing moves, so thieves need not know.
 */
#ifndef TWEED_LIB_RECORDS_H
#define TWEED_LIB_RECORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <tweed.h>

struct tweed__records {
    struct tweed_task *base; /* NULL: there is no memory yet */
    uint32_t open, most;     /* how many may be used; how many may be opened */
    uint32_t reserve;        /* of those that may be used: for when no more can be opened */
};

/* False: there is no memory. */
bool tweed__records_begin(struct tweed__records *r);

/* Opens twice as many.  False: there is no memory, or no address space. */
bool tweed__records_grow(struct tweed__records *r);

/* Nothing is in use: gives back what is more than there was at first. */
void tweed__records_trim(struct tweed__records *r);

/* The same, and what was open can be read as before: it is zero. */
void tweed__records_clean(struct tweed__records *r);

void tweed__records_end(struct tweed__records *r);

#endif
