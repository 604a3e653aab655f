/*
 * mandelbrot.c - the Mandelbrot set as a picture, rows in parallel.
 *
 * SPDX-License-Identifier: MIT
 *
 * A row through the set costs hundreds of times what a row beside it costs, and
 * the dear ones lie together: dealt out in equal parts, one worker gets nearly
 * all of the work.
 */
#include <math.h>
#include <stdlib.h>
#include <tweed.h>

#include "colour.h"
#include "compare.h"
#include "image.h"
#include "program.h"

struct view {
    double x, y;    /* the picture's centre */
    double width;   /* how much of the plane it shows */
    int samples;    /* a pixel is the mean of samples x samples points */
    int iterations; /* a point that has not escaped by then is black */
    struct image image;
};

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

/* The loop's body: one row of the picture. */
BODY row(int64_t y, void *arg)
{
    const struct view *v = arg;
    unsigned char *out = image_row(&v->image, (int)y);

    for (int x = 0; x < v->image.width; x++)
        colour_put(out + 3 * (size_t)x, pixel(v, x, y));
}

static void run(enum variant variant, void *state)
{
    static const tweed_loop_options named = { .size = sizeof named,
                                              .name = "mandelbrot" };
    struct view *v = state;

    switch (variant) {
    case TWEED: /* the name is for traces */
        if (tweed_parallel_for_with(NULL, &named, 0, v->image.height, row, v) != TWEED_OK)
            die("the loop was refused");
        break;
    case OPENMP_STATIC:
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
        for (int64_t y = 0; y < v->image.height; y++)
            row(y, v);
#endif
        break;
    case OPENMP_DYNAMIC:
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1)
        for (int64_t y = 0; y < v->image.height; y++)
            row(y, v);
#endif
        break;
    default:
        for (int64_t y = 0; y < v->image.height; y++)
            row(y, v);
    }
}

int main(int argc, char **argv)
{
    struct view v = {-0.163, 1.0425, 0.022, 1, 300, {0}};
    struct compare_options measure = COMPARE_DEFAULTS;
    const char *name = "mandelbrot.png";
    int width = 1600, height = 1200;
    const struct option options[] = {
        {"width", 'w', OPTION_INTEGER, &width, 1, 100000, "pixels in a row"},
        {"height", 'h', OPTION_INTEGER, &height, 1, 100000, "rows"},
        {"iterations", 'i', OPTION_INTEGER, &v.iterations, 1, 1e9,
         "after so many a point is black"},
        {"samples", 's', OPTION_INTEGER, &v.samples, 1, 16,
         "N x N points a pixel"},
        {"x", 'x', OPTION_REAL, &v.x, -4, 4, "centre, real part"},
        {"y", 'y', OPTION_REAL, &v.y, -4, 4, "centre, imaginary part"},
        {"span", 0, OPTION_REAL, &v.width, 1e-12, 16, "width in the plane"},
        {"output", 'o', OPTION_TEXT, &name, 0, 0, "the picture"},
        COMPARE_OPTIONS(measure),
        OPTIONS_END};

    options_read(argc, argv, "mandelbrot", "Draws the Mandelbrot set.",
                 options);
    FILE *report = image_prepare(name);
    image_create(&v.image, width, height);
    struct kernel kernel = {"mandelbrot", LOOPS, run, &v, v.image.rgb,
                            image_bytes(&v.image)};
    compare(&kernel, &measure, report);
    image_write(&v.image, name, measure.row ? NULL : report);
    image_destroy(&v.image);
    return finish();
}
