/*
 * plantree.h - tweed-info --plan: the machine as a tree, with its workers and their shares.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_TOOLS_PLANTREE_H
#define TWEED_TOOLS_PLANTREE_H

#include "pool/team.h"
#include "system/topology.h"

/* Of a team that was started on this machine, and a loop of so many indices.  False: out
   of memory. */
bool tree_print(const struct tweed__topology *t, struct tweed__team *team,
                uint32_t indices);

#endif
