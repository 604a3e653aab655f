/*
 * self.c - a thread's own things (self.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "base/self.h"

TWEED__TLS struct tweed__self tweed__self;
