/*
 * dozing.h - how many threads of a pool are counted as asleep, on however many nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_DOZING_H
#define TWEED_T_DOZING_H

#include "pool/team.h"

static inline uint32_t threads_dozing(struct tweed__team *team)
{
    uint32_t n = load_seq_cst(&team->sleep.waiting);

    if (!team->node_counts)
        return n + (load_seq_cst(&team->sleep.waiters) & 0xffff);
    for (int g = 0; g < team->num_node_counts; g++)
        n += load_seq_cst(&team->node_counts[g]->asleep);
    return n;
}

#endif
