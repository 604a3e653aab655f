/*
 * prefetch.h - what the machine has in the place of lib/base/fetch.h, whose fetches save
 * time, and of what tells threads from each other.
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
#undef fetch_to_read
#undef fetch_to_write
#define fetch_to_read(line) policy_prefetch((line), 0)
#define fetch_to_write(line) policy_prefetch((line), 1)
#undef fetch_all_to_write
#define fetch_all_to_write(first, last)                                        \
    do                                                                         \
        for (const char *at_ = (const char *)(last); at_ >= (const char *)(first); \
             at_ -= TWEED__FETCHED)                                            \
            policy_prefetch(at_, 1);                                           \
    while (0)

#endif
