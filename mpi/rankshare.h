/*
 * rankshare.h - how a loop is dealt out to ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_MPI_RANKSHARE_H
#define TWEED_MPI_RANKSHARE_H

#include <stdint.h>

/* Where the share of a rank begins: of the blocks as many come before it as the ranks before
   it have of the weight of all.  No overflow: there are less than 2^26 blocks, and the weight
   is less than 2^37 in all, of 2^17 ranks. */
static inline uint32_t rankshare_begin(uint32_t blocks, uint64_t before, uint64_t all)
{
    return (uint32_t)(blocks * before / all);
}

#endif
