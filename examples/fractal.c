/*
 * fractal.c - a view of the Mandelbrot set, row by row.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fractal.h"

#include <math.h>

#include "colour.h"

/* How long z = z^2 + c needs to get away from 0, with a fraction so that there
   are no steps; -1 if it has not after so many iterations. */
static double escape_time(double cx, double cy, int iterations)
{
    double x = 0, y = 0, xx = 0, yy = 0;

    for (int i = 0; i < iterations; i++) {
        y = 2 * x * y + cy;
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
        if (xx + yy > 256)
            return i + 1 - log2(log2(xx + yy) / 8);
    }
    return -1;
}

/* Night, water, ice, sand, embers, and round again: once each time that the
   escape takes 20 times as long. */
static struct colour paint(double time)
{
    static const struct colour stops[] = {
        {0.00, 0.02, 0.10}, {0.02, 0.13, 0.38}, {0.10, 0.39, 0.67},
        {0.50, 0.76, 0.89}, {0.97, 0.98, 0.94}, {1.00, 0.82, 0.38},
        {0.91, 0.49, 0.08}, {0.48, 0.15, 0.09}, {0.00, 0.02, 0.10}};
    static const struct colour_map map = {stops, sizeof stops / sizeof *stops};
    double turn = 0.23 * log2(1 + time) + 0.25;

    if (time < 0)
        return (struct colour){0, 0, 0};
    return colour_at(&map, turn - floor(turn));
}

static struct colour pixel(const struct view *v, int64_t px, int64_t py)
{
    double step = v->width / v->image.width / v->samples;
    double left = v->x - v->width / 2;
    double top = v->y + v->width / v->image.width * v->image.height / 2;
    struct colour sum = {0, 0, 0};
    double weight = 1.0 / (v->samples * v->samples);

    for (int i = 0; i < v->samples * v->samples; i++) {
        double sx = (double)(px * v->samples + i % v->samples) + 0.5;
        double sy = (double)(py * v->samples + i / v->samples) + 0.5;
        struct colour c = paint(
            escape_time(left + sx * step, top - sy * step, v->iterations));
        sum.r += weight * c.r;
        sum.g += weight * c.g;
        sum.b += weight * c.b;
    }
    return sum;
}

void fractal_row(const struct view *v, int64_t y)
{
    unsigned char *out = image_row(&v->image, (int)y);

    for (int x = 0; x < v->image.width; x++)
        colour_put(out + 3 * (size_t)x, pixel(v, x, y));
}
