/*
 * prefetch.h - what the machine has in the place of things of lib/ that are no calls:
 * prefetches, which save time, and what tells threads from each other.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included before everything else (-include), as t/model/redirect.h is.
 */
#ifndef TWEED_T_SIM_PREFETCH_H
#define TWEED_T_SIM_PREFETCH_H

/* The line of this object will soon be read, or written. */
void policy_prefetch(const volatile void *object, int writes);

/* All virtual threads have one tweed__self: see lib/pool/team.h. */
uintptr_t machine_id(void);

#define TWEED__THREAD_ID machine_id()
#define __builtin_prefetch(object, writes) policy_prefetch(object, writes)

#endif
