/*
 * tree.h - machines as hwloc describes them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_TREE_H
#define TWEED_LIB_TREE_H

#include "topology.h"

/* The machine that a text describes as hwloc's synthetic topologies do, or, if the text
   ends with ".xml", one that lstopo has written to the file of that name.  NULL: no such
   machine (*wrong says what is wrong then, and is NULL otherwise), or no memory. */
struct tweed__topology *tweed__tree_read(const char *text, const char **wrong);

#endif
