/*
 * colour.h - from a number to a colour.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXAMPLES_COLOUR_H
#define EXAMPLES_COLOUR_H

#include <stddef.h>

/* Red, green and blue, 0 to 1. */
struct colour {
    double r, g, b;
};

/* Colours at equal distances. */
struct colour_map {
    const struct colour *stops;
    size_t count; /* at least 2 */
};

/* The colour at t, from the first stop at 0 to the last one at 1. */
struct colour colour_at(const struct colour_map *map, double t);

/* The colour between a (t = 0) and b (t = 1). */
struct colour colour_mix(struct colour a, struct colour b, double t);

/* Writes a colour as three bytes, cut off where it is out of 0 to 1. */
void colour_put(unsigned char *pixel, struct colour colour);

#endif /* EXAMPLES_COLOUR_H */
