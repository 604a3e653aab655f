/*
 * self.c - a thread's own things (team.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "team.h"

_Thread_local struct tweed__self tweed__self;
