/*
 * mandelbrot.c - the Mandelbrot set by all ranks, into one picture.
 *
 * SPDX-License-Identifier: MIT
 *
 * A row is an index.  Each rank has a picture, black at first, and paints the rows that come
 * to it.  So the whole one is the sum of all.
 */
#include <stdlib.h>
#include <string.h>

#include "fractal.h"
#include "program.h"
#include "ways.h"

static void row(int64_t y, void *arg)
{
    fractal_row(arg, y);
}

/* Draws it that way: on rank 0 the whole picture. */
static void draw(enum way way, struct view *v, unsigned char *whole)
{
    struct loop loop = { "mandelbrot", v->image.height, 1, row, v };
    struct cost cost = { 0 };

    memset(v->image.rgb, 0, image_bytes(&v->image));
    ways_run(way, &loop, &cost);
    MPI_Reduce(v->image.rgb, whole, (int)image_bytes(&v->image), MPI_UNSIGNED_CHAR, MPI_SUM,
               0, MPI_COMM_WORLD);
    ways_row(way, &loop, &cost);
}

int main(int argc, char **argv)
{
    struct view v = { -0.163, 1.0425, 0.022, 1, 1000, { 0 } };
    const char *name = "mandelbrot.png";
    int width = 1600, height = 1200, same = 1;
    bool header = false;
    const struct option options[] = {
        { "width", 'w', OPTION_INTEGER, &width, 1, 10000, "pixels in a row" },
        { "height", 'h', OPTION_INTEGER, &height, 1, 10000, "rows" },
        { "iterations", 'i', OPTION_INTEGER, &v.iterations, 1, 1e9,
          "after so many a point is black" },
        { "output", 'o', OPTION_TEXT, &name, 0, 0, "the picture" },
        { "header", 0, OPTION_FLAG, &header, 0, 0, "print the table's header, too" },
        OPTIONS_END
    };
    unsigned char *whole, *first;

    ways_begin(&argc, &argv);
    options_read(argc, argv, "mandelbrot", "Draws the Mandelbrot set on all ranks.", options);
    image_create(&v.image, width, height);
    whole = allocate(NULL, image_bytes(&v.image), 1);
    first = allocate(NULL, image_bytes(&v.image), 1);
    if (header)
        ways_header();
    for (enum way way = 0; way < WAYS; way++) {
        draw(way, &v, way ? whole : first);
        same &= !way || memcmp(whole, first, image_bytes(&v.image)) == 0;
    }
    if (ways_rank() == 0) {
        memcpy(v.image.rgb, whole, image_bytes(&v.image));
        image_write(&v.image, name, NULL);
    }
    image_destroy(&v.image);
    free(whole);
    free(first);
    return ways_end(same);
}
