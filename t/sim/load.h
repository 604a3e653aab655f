/*
 * load.h - how long each body of a simulated loop takes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_SIM_LOAD_H
#define TWEED_T_SIM_LOAD_H

#include <stdint.h>

#define LOADS                                                                  \
    "constant|uniform|exponential|pareto|bimodal|rising|falling|first|last|"   \
    "block|file:PATH"

/*
 * Fills ns[0 .. n-1].  False, with a word on stderr: there is no such load.
 *
 * constant     mean
 * uniform      between 0 and twice the mean
 * exponential  about the mean
 * pareto       a heavy tail of exponent 1.5, about the mean
 * bimodal      one in ten takes ten times as long as the others
 * rising       from 0 to twice the mean along the loop; falling: back
 * first, last  mean, but that one `heavy` times that
 * block        mean, but one in `part`, next to each other, `heavy` times that
 * file:PATH    one number a line, ns; over again if the file is too short
 */
_Bool load_fill(double *ns, int64_t n, const char *load, double mean,
                double heavy, double part, uint64_t seed);

#endif
