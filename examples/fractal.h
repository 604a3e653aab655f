/*
 * fractal.h - a view of the Mandelbrot set, row by row.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXAMPLES_FRACTAL_H
#define EXAMPLES_FRACTAL_H

#include <stdint.h>

#include "image.h"

struct view {
    double x, y;    /* the picture's centre */
    double width;   /* how much of the plane it shows */
    int samples;    /* a pixel is the mean of samples x samples points */
    int iterations; /* a point that has not escaped by then is black */
    struct image image;
};

/* Paints row y of the picture. */
void fractal_row(const struct view *v, int64_t y);

#endif /* EXAMPLES_FRACTAL_H */
