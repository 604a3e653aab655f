/*
 * part.c - a thread's part in a loop, in no slot yet (worker.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "pool/team.h"

void tweed__part_init(struct tweed__part *p, struct tweed__worker *w,
                      const struct tweed__body *body)
{
    tweed__cursor_init(&p->walker, body, w ? w->team->asymmetric_loops : true);
    p->team = w ? w->team : NULL;
    p->worker = w;
    p->index = w ? w->index : 0;
    p->node = w ? w->node : 0;
    p->slot = -1;
    p->of_group = 0;
    p->body = body;
    p->name = NULL;
    p->limit = 0;
    p->sampled = NULL;
    p->ends = NULL;
    p->outer = tweed__self.here;
}
