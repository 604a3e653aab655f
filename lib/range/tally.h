/*
 * tally.h - counters with one writer.
 *
 * SPDX-License-Identifier: MIT
 *
 * A tally is written by one thread at a time and read by any: relaxed loads and stores, no
 * read-modify-write.  They order nothing and need no partner.  A reader that wants exact
 * figures reads them after the loop's end, which orders them.
 */
#ifndef TWEED_LIB_TALLY_H
#define TWEED_LIB_TALLY_H

#include "base/atomic.h"

#include <stdint.h>
#include <tweed.h>

struct tweed__tally {
#define TWEED_TALLY_MEMBER(name, title, meaning) _Atomic uint64_t name;
    TWEED_STATS_FIELDS_(TWEED_TALLY_MEMBER)
#undef TWEED_TALLY_MEMBER
};

#define tally_add(tally, field, n) count_add(&(tally)->field, n)

#endif
