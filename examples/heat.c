/*
 * heat.c - how heat spreads in a plate, as a picture; rows in parallel.
 *
 * SPDX-License-Identifier: MIT
 *
 * A hot wire and a cold pipe lie on a plate that is cooled by the air.  In each
 * sweep every cell beside them becomes the mean of its four neighbours and a
 * little air (Jacobi's method), until no cell changes by more than the
 * tolerance.  The loop is short and is run a thousand times: what counts is how
 * fast it starts and ends.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tweed.h>

#include "colour.h"
#include "compare.h"
#include "image.h"
#include "program.h"

/* Degrees; mild is the air, and the plate's edges. */
static const double cold = 0, mild = 20, hot = 100;

struct plate {
    int width, height;
    double cooling; /* the weight of the air, that of a neighbour being 1 */
    double tolerance;
    int max_sweeps, sweeps;
    double change;       /* the largest one, in the last sweep */
    unsigned char *held; /* cells whose temperature is given, not computed */
    double *initial;
    double *now, *next; /* of the sweep that runs */
    double *residual;   /* of each row, in that sweep */
    double *result;
};

/* The loop's body: one row of a sweep.  Its largest change goes to a place of
   its own, so that the maximum over all is the same whoever computes what. */
BODY row(int64_t y, void *arg)
{
    const struct plate *p = arg;
    ptrdiff_t width = p->width;
    const double *now = p->now + y * width;
    double *next = p->next + y * width;
    const unsigned char *held = p->held + y * width;
    double share = 1 / (4 + p->cooling);
    double air = share * p->cooling * mild;
    double largest = 0;

    for (ptrdiff_t x = 1; x < width - 1; x++) {
        double sum = now[x - 1] + now[x + 1] + now[x - width] + now[x + width];
        double value = held[x] ? now[x] : share * sum + air;
        double change = fabs(value - now[x]);
        next[x] = value;
        largest = change > largest ? change : largest;
    }
    p->residual[y] = largest;
}

TWEED_LOOP(all_rows, y, struct plate *, p)
{
    row(y, p);
}

/* All rows but the first and the last, which are edges. */
static void sweep(enum variant variant, struct plate *p)
{
    switch (variant) {
    case TWEED:
        all_rows(1, p->height - 1, p);
        break;
    case OPENMP_STATIC:
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
        for (int64_t y = 1; y < p->height - 1; y++)
            row(y, p);
#endif
        break;
    case OPENMP_DYNAMIC:
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1)
        for (int64_t y = 1; y < p->height - 1; y++)
            row(y, p);
#endif
        break;
    default:
        for (int64_t y = 1; y < p->height - 1; y++)
            row(y, p);
    }
}

static size_t cells(const struct plate *p)
{
    return (size_t)p->width * (size_t)p->height;
}

static double largest_residual(const struct plate *p)
{
    double largest = 0;

    for (int y = 1; y < p->height - 1; y++)
        largest = fmax(largest, p->residual[y]);
    return largest;
}

static void run(enum variant variant, void *state)
{
    struct plate *p = state;

    memcpy(p->now, p->initial, cells(p) * sizeof *p->now);
    memcpy(p->next, p->initial, cells(p) * sizeof *p->next);
    p->sweeps = 0;
    do {
        sweep(variant, p);
        p->sweeps++;
        p->change = largest_residual(p);
        double *swap = p->now;
        p->now = p->next;
        p->next = swap;
    } while (p->change > p->tolerance && p->sweeps < p->max_sweeps);
    memcpy(p->result, p->now, cells(p) * sizeof *p->result);
}

/* A line on the plate: x and y in units of a small letter's height. */
struct point {
    double x, y;
    int pen; /* 0: the line begins anew here */
};

/* The word that the library is called. */
static const struct point wire[] = {
    {0.40, 1.50, 0}, {0.40, 0.30, 1}, {0.46, 0.10, 1}, {0.60, 0.00, 1},
    {0.80, 0.05, 1}, {0.05, 1.00, 0}, {0.78, 1.00, 1}, /* t */
    {1.15, 1.00, 0}, {1.42, 0.00, 1}, {1.72, 0.80, 1}, {2.02, 0.00, 1},
    {2.29, 1.00, 1}, /* w */
    {2.70, 0.52, 0}, {3.58, 0.52, 1}, {3.53, 0.76, 1}, {3.36, 0.94, 1},
    {3.14, 1.00, 1}, {2.92, 0.94, 1}, {2.75, 0.76, 1}, {2.68, 0.50, 1},
    {2.75, 0.24, 1}, {2.92, 0.06, 1}, {3.16, 0.00, 1}, {3.40, 0.05, 1},
    {3.54, 0.18, 1}, /* e */
    {4.00, 0.52, 0}, {4.88, 0.52, 1}, {4.83, 0.76, 1}, {4.66, 0.94, 1},
    {4.44, 1.00, 1}, {4.22, 0.94, 1}, {4.05, 0.76, 1}, {3.98, 0.50, 1},
    {4.05, 0.24, 1}, {4.22, 0.06, 1}, {4.46, 0.00, 1}, {4.70, 0.05, 1},
    {4.84, 0.18, 1}, /* e */
    {6.18, 1.55, 0}, {6.18, 0.00, 1}, {6.18, 0.50, 0}, {6.11, 0.76, 1},
    {5.94, 0.94, 1}, {5.72, 1.00, 1}, {5.50, 0.94, 1}, {5.33, 0.76, 1},
    {5.26, 0.50, 1}, {5.33, 0.24, 1}, {5.50, 0.06, 1}, {5.72, 0.00, 1},
    {5.94, 0.06, 1}, {6.11, 0.24, 1}, {6.18, 0.50, 1} /* d */
};

/* How far (x, y) is from the line between a and b. */
static double distance(double x, double y, struct point a, struct point b)
{
    double dx = b.x - a.x, dy = b.y - a.y;
    double t = ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy);

    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypot(x - a.x - t * dx, y - a.y - t * dy);
}

static bool is_on_wire(double x, double y)
{
    for (size_t i = 1; i < sizeof wire / sizeof *wire; i++)
        if (wire[i].pen && distance(x, y, wire[i - 1], wire[i]) < 0.055)
            return true;
    return false;
}

/* The pipe is a wave under the word. */
static bool is_on_pipe(double x, double y)
{
    double nearest = x < 0 ? 0 : x > 6.22 ? 6.22 : x;
    double down = y + 0.60 - 0.15 * sin(4.1 * nearest);

    return hypot(x - nearest, down) < 0.065;
}

/* What is held at which temperature. */
static void lay_out(struct plate *p)
{
    double unit = fmin(p->width / 7.2, p->height / 3.6);

    for (int y = 0; y < p->height; y++) {
        for (int x = 0; x < p->width; x++) {
            size_t i = (size_t)y * (size_t)p->width + (size_t)x;
            double px = (x - p->width / 2) / unit + 3.12;
            double py = (p->height / 2 - y) / unit + 0.38;
            bool is_hot = is_on_wire(px, py), is_cold = is_on_pipe(px, py);
            p->held[i] = is_hot || is_cold;
            p->initial[i] = is_hot ? hot : is_cold ? cold : mild;
        }
    }
}

/* Blue at 0 degrees, black at 20, and on to white heat; a dark line at every
   tenth degree. */
static struct colour paint(double degrees)
{
    static const struct colour stops[] = {
        {0.55, 0.85, 1.00}, {0.10, 0.35, 0.75}, {0.03, 0.02, 0.12},
        {0.20, 0.04, 0.32}, {0.42, 0.07, 0.42}, {0.64, 0.13, 0.36},
        {0.83, 0.25, 0.22}, {0.95, 0.45, 0.08}, {0.99, 0.65, 0.10},
        {0.98, 0.86, 0.40}, {1.00, 1.00, 0.90}};
    static const struct colour_map map = {stops, sizeof stops / sizeof *stops};
    return colour_at(&map, degrees / hot);
}

/* The field at a place between its cells. */
static double between(const struct plate *p, double x, double y)
{
    int ix = (int)fmin(x, p->width - 2), iy = (int)fmin(y, p->height - 2);
    const double *t = p->result + (ptrdiff_t)iy * p->width + ix;
    double fx = x - ix, fy = y - iy;
    double top = t[0] + fx * (t[1] - t[0]);
    double bottom = t[p->width] + fx * (t[p->width + 1] - t[p->width]);

    return top + fy * (bottom - top);
}

struct painting {
    const struct plate *plate;
    struct image image;
};

/* Another loop's body: one row of the picture. */
static void paint_row(int64_t row_y, void *arg)
{
    const struct painting *w = arg;
    double sx = (w->plate->width - 1.0) / w->image.width;
    double sy = (w->plate->height - 1.0) / w->image.height;
    double y = ((double)row_y + 0.5) * sy;

    for (int column = 0; column < w->image.width; column++) {
        double x = (column + 0.5) * sx;
        double t = between(w->plate, x, y);
        double slope = hypot(between(w->plate, x + sx, y) - t,
                             between(w->plate, x, y + sy) - t);
        double line = 10 * round(t / 10);
        double pixels = fabs(t - line) / slope; /* from here to there */
        struct colour c = paint(t);
        if (pixels < 1 && line > cold && line < hot)
            c = colour_mix(c, (struct colour){0, 0, 0}, 0.5 * (1 - pixels));
        colour_put(image_row(&w->image, (int)row_y) + 3 * (size_t)column, c);
    }
}

static void write_picture(const struct plate *p, int scale, const char *name,
                          FILE *report)
{
    struct painting w = {.plate = p};

    image_create(&w.image, scale * p->width, scale * p->height);
    tweed_parallel_for(0, w.image.height, paint_row, &w);
    image_write(&w.image, name, report);
    image_destroy(&w.image);
}

static void allocate_fields(struct plate *p)
{
    p->held = allocate(NULL, cells(p), 1);
    p->initial = allocate(NULL, cells(p), sizeof(double));
    p->now = allocate(NULL, cells(p), sizeof(double));
    p->next = allocate(NULL, cells(p), sizeof(double));
    p->result = allocate(NULL, cells(p), sizeof(double));
    p->residual = allocate(NULL, (size_t)p->height, sizeof(double));
}

static void free_fields(struct plate *p)
{
    free(p->held);
    free(p->initial);
    free(p->now);
    free(p->next);
    free(p->result);
    free(p->residual);
}

int main(int argc, char **argv)
{
    struct plate p = {.width = 640,
                      .height = 320,
                      .cooling = 0.01,
                      .tolerance = 1e-3,
                      .max_sweeps = 100000};
    struct compare_options measure = COMPARE_DEFAULTS;
    const char *output = "heat.png";
    int scale = 3;
    const struct option options[] = {
        {"width", 'w', OPTION_INTEGER, &p.width, 3, 100000, "cells in a row"},
        {"height", 'h', OPTION_INTEGER, &p.height, 3, 100000, "rows of cells"},
        {"cooling", 'c', OPTION_REAL, &p.cooling, 0, 4,
         "weight of the air, of a neighbour: 1"},
        {"tolerance", 't', OPTION_REAL, &p.tolerance, 0, 100,
         "changes that count as none, degrees"},
        {"sweeps", 'm', OPTION_INTEGER, &p.max_sweeps, 1, 1e9,
         "give up after so many"},
        {"scale", 's', OPTION_INTEGER, &scale, 1, 16, "pixels a cell"},
        {"output", 'o', OPTION_TEXT, &output, 0, 0, "the picture"},
        COMPARE_OPTIONS(measure),
        OPTIONS_END};

    options_read(argc, argv, "heat", "Computes how heat spreads in a plate.",
                 options);
    FILE *report = image_prepare(output);
    allocate_fields(&p);
    lay_out(&p);
    struct kernel kernel = {"heat", LOOPS, run, &p, p.result,
                            cells(&p) * sizeof(double)};
    compare(&kernel, &measure, report);
    if (!measure.row)
        fprintf(report, "%d sweeps; the last changed no cell by more than %g\n",
                p.sweeps, p.change);
    write_picture(&p, scale, output, measure.row ? NULL : report);
    free_fields(&p);
    return finish();
}
