/*
 * victim.h - where a thief steals.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_VICTIM_H
#define TWEED_LIB_VICTIM_H

#include "pool/here.h"

/* Steals blocks of the loop that p has a part in, from the nearest nodes first.
   False: there was nothing to steal when the thief looked. */
bool tweed__victim_steal(struct tweed__part *p, uint32_t *begin, uint32_t *end);

/* The same of a loop that is counted by nodes: at a few places of the worker's own node;
   and on every node that has a holder. */
bool tweed__victim_steal_near(struct tweed__part *p, uint32_t *begin, uint32_t *end);
bool tweed__victim_steal_on_node(struct tweed__part *p, uint32_t *begin, uint32_t *end);

/* Calls try with all workers, near nodes first, on each node from a random worker on,
   until try returns true. */
static inline bool victim_walk(const struct tweed__worker *thief,
                               bool (*try)(struct tweed__worker *victim, void *arg),
                               void *arg)
{
    const struct tweed__team *team = thief->team;
    const int *nearest = team->nearness + thief->group * team->num_groups;

    for (int k = 0; k < team->num_groups; k++) {
        const struct tweed__group *g = &team->groups[nearest[k]];
        int n = g->end - g->begin;
        int start = (int)draw(team, (uint32_t)n);

        for (int i = 0; i < n; i++)
            if (try(team->workers[g->begin + (start + i) % n], arg))
                return true;
    }
    return false;
}

#endif
