/*
 * no-jobs.h - a team that has never had a task in a group: in place of lib/task/jobs.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_MODEL_NO_JOBS_H
#define TWEED_T_MODEL_NO_JOBS_H

#include "../../lib/pool/above.h"
#include "../../lib/task/jobs.h"

bool tweed__jobs_help(struct tweed__team *team, tweed__where outer)
{
    (void)team, (void)outer;
    return false;
}

bool tweed__jobs_look(struct tweed__worker *w)
{
    (void)w;
    return false;
}

void tweed__jobs_awake(struct tweed__team *team)
{
    (void)team;
}

#endif
