/*
 * self.c - a thread's own things (team.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "team.h"

TWEED__TLS struct tweed__self tweed__self;
