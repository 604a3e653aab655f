/*
 * cancel.h - a loop is cancelled while it runs, and what is left for its caller to know.
 *
 * SPDX-License-Identifier: MIT
 *
 * In cancel.c: tweed_cursor_stop(), _fail() and _found(), by which bodies cancel a loop.
 */
#ifndef TWEED_LIB_CANCEL_H
#define TWEED_LIB_CANCEL_H

#include "pool/team.h"

/* For struct tweed__stops: looks at the token and at the deadline. */
bool tweed__cancel_poll(struct tweed__walker *w, uint64_t now);

/* Before a part returns its last blocks: leaves what the caller will look for. */
void tweed__cancel_leave(struct tweed__part *p);

/* The caller's part, after a loop that was cancelled: receives what all parts left. */
void tweed__cancel_collect(struct tweed__part *p);

/* What the call of a loop that was cancelled returns. */
int tweed__cancel_result(const struct tweed__part *p);

#endif
