/*
 * mask.h - the signals that the library's own threads block.
 *
 * SPDX-License-Identifier: MIT
 *
 * Defined in team.c.
 */
#ifndef TWEED_LIB_MASK_H
#define TWEED_LIB_MASK_H

#include <signal.h>

/* What these threads block where the calling thread blocks `mine`: all but faults, and
   SIGPROF only if `mine` has it. */
void tweed__team_mask(const sigset_t *mine, sigset_t *mask);

#endif
