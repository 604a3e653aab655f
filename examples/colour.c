/*
 * colour.c - from a number to a colour.
 *
 * SPDX-License-Identifier: MIT
 */
#include "colour.h"

struct colour colour_mix(struct colour a, struct colour b, double t)
{
    return (struct colour){a.r + t * (b.r - a.r), a.g + t * (b.g - a.g),
                           a.b + t * (b.b - a.b)};
}

struct colour colour_at(const struct colour_map *map, double t)
{
    double position = t * (double)(map->count - 1);
    size_t i;

    if (!(position > 0)) /* NaN too */
        return map->stops[0];
    if (position >= (double)(map->count - 1))
        return map->stops[map->count - 1];
    i = (size_t)position;
    return colour_mix(map->stops[i], map->stops[i + 1], position - (double)i);
}

static unsigned char byte(double value)
{
    if (!(value > 0))
        return 0;
    return value >= 1 ? 255 : (unsigned char)(value * 255 + 0.5);
}

void colour_put(unsigned char *pixel, struct colour colour)
{
    pixel[0] = byte(colour.r);
    pixel[1] = byte(colour.g);
    pixel[2] = byte(colour.b);
}
