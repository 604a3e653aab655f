/*
 * mandelbrot.c - the Mandelbrot set as a picture, rows in parallel.
 *
 * SPDX-License-Identifier: MIT
 *
 * A row through the set costs hundreds of times what a row beside it costs, and
 * the dear ones lie together: dealt out in equal parts, one worker gets nearly
 * all of the work.
 */
#include <stdlib.h>
#include <tweed.h>

#include "compare.h"
#include "fractal.h"
#include "image.h"
#include "program.h"

/* The loop's body: one row of the picture. */
BODY row(int64_t y, void *arg)
{
    fractal_row(arg, y);
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
