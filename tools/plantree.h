/*
 * plantree.h - tweed-info --plan: the machine as a tree, with its workers and their shares.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_TOOLS_PLANTREE_H
#define TWEED_TOOLS_PLANTREE_H

#include "team.h"
#include "topology.h"

struct tree {
    const struct tweed__topology *machine;
    struct tweed__team *team;
    const struct tweed__cpu **cpus; /* of each worker */
    uint32_t *ends;                 /* where the share of each worker ends */
    uint32_t indices;
};

static inline uint32_t tree_begin(const struct tree *p, int worker)
{
    return worker ? p->ends[worker - 1] : 0;
}

/* Of a team that was started on this machine, and a loop of so many indices.  svg: as a
   picture.  False: out of memory. */
bool tree_print(const struct tweed__topology *t, struct tweed__team *team,
                uint32_t indices, bool svg);

/* The picture: plansvg.c. */
void tree_draw(const struct tree *p);

#endif
