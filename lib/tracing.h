/*
 * tracing.h - traces that the environment asks for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_TRACING_H
#define TWEED_LIB_TRACING_H

#include "team.h"

/* Both under the registry's lock.  Before a team starts: begins the trace of
   TWEED_TRACE, once a process. */
void tweed__trace_as_asked(void);

/* A team has started: its workers are in the trace, whether they do anything or not. */
void tweed__trace_team(struct tweed__team *team);

#endif
