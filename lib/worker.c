/*
 * worker.c - what a thread knows of itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "team.h"

_Thread_local struct tweed__self tweed__self;

void tweed__worker_awakes(struct tweed__worker *w)
{
    if (w->dozing)
        tweed__sleep_leave(&w->team->sleep);
    w->dozing = false;
}
