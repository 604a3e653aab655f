/*
 * soon.h - does a loop seem to be about to end?
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_SOON_H
#define TWEED_LIB_SOON_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A thread has drained its share, of `done` blocks that took it took_ns, and so many blocks
 * are left to `others` threads.  The end seems to be near
 *
 *  - if no more than a unit is left, which takes UNIT_NS (pace.h);
 *  - or if the others have as much left as this thread had, in the mean: they have had as
 *    long for it, but for the way of the loop to them.  Blocks are returned when a share is
 *    done, so that is what is left of a short loop when the first thread is done.  A quarter
 *    of took_ns is a long way, and if it was not the way the thread loses no more than that.
 *
 * Not where a unit is one block, which may last long.  *ns, the longest wait, is lowered to
 * what is worth it.
 */
static inline bool soon_is_end(uint32_t unit, uint32_t done, uint32_t left, uint32_t others,
                               uint64_t took_ns, uint64_t *ns)
{
    if (unit == 1)
        return false;
    if (left <= unit)
        return true;
    if (left > others * ((uint64_t)done + 1)) /* shares differ by a block */
        return false;
    if (*ns > took_ns / 4)
        *ns = took_ns / 4;
    return true;
}

#endif
