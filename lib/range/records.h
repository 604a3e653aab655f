/*
 * records.h - memory for the tasks that a thread has spawned.
 *
 * SPDX-License-Identifier: MIT
 *
 * Address space is reserved once.  The beginning of it is open, and doubled when it is
 * full:  nothing moves, so thieves need not know.
 */
#ifndef TWEED_LIB_RECORDS_H
#define TWEED_LIB_RECORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <tweed.h>

struct tweed__records {
    struct tweed_task *base; /* NULL: there is no memory yet */
    uint32_t open, most;     /* how many may be used; how many may be opened */
    uint32_t reserve;        /* of the open ones: kept back until no more can be opened */
};

/* False: there is no memory. */
bool tweed__records_begin(struct tweed__records *r);

/* Opens twice as many.  False: there is no memory, or no address space. */
bool tweed__records_grow(struct tweed__records *r);

/* No record is in use: gives back the memory beyond the first. */
void tweed__records_trim(struct tweed__records *r);

/* The same, but all that was open can still be read: it is zero there. */
void tweed__records_clean(struct tweed__records *r);

void tweed__records_end(struct tweed__records *r);

#endif
