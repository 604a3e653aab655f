/*
 * victim.h - whom to steal from.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_VICTIM_H
#define TWEED_LIB_VICTIM_H

#include "team.h"

/* Steals blocks of the loop that p has a part in, from the nearest nodes first.
   False: there was nothing to steal when it looked. */
bool tweed__victim_steal(struct tweed__part *p, uint32_t *begin, uint32_t *end);

#endif
