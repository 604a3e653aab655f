/*
 * learnt.h - shares of a loop as if runs had been measured, without any run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_LEARNT_H
#define TWEED_T_LEARNT_H

#include "measure.h"
#include "pool.h"

#include <stdlib.h>

/* Until the shares of the loop of this name over so many indices are settled, workers are
   as quick as these rates say. */
static inline void learn(tweed_pool *pool, const char *name, int64_t lo, uint64_t count,
                         const double *rate)
{
    struct tweed__team *team = tweed__pool_team(pool);
    const struct tweed__body body = { .lo = (uint64_t)lo, .count = count };
    size_t n = (size_t)team->num_workers;
    uint32_t *before = malloc((n + 1) * sizeof *before);
    double *speed = malloc(n * sizeof *speed), sum = 0;
    struct tweed__past loop;

    if (!before || !speed)
        abort();
    for (size_t w = 0; w < n; w++)
        sum += rate[w];
    while (tweed__measure_recall(team, &body, name, &loop, before)) {
        for (size_t w = 0; w < n; w++)
            speed[w] = rate[w] / sum * before[n] / (before[w + 1] - before[w]);
        tweed__history_learn(&team->history, &loop, team->before, (int)n, before, speed, 0);
    }
    free(before);
    free(speed);
}

#endif
