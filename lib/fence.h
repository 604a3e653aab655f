/*
 * fence.h - makes the heavy fence usable in this process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_FENCE_H
#define TWEED_LIB_FENCE_H

/* Registers for membarrier(2); again and again does no harm, and a child of
   fork() has to.  0, or the errno that says why the exchange mode must do. */
int tweed__fence_register(void);

#endif
