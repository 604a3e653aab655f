/*
 * median.c - takes the noise out of a picture, rows in parallel.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each pixel becomes the median of the square around it, red, green and blue
 * by themselves.  Beyond the edges the picture goes on as its outermost pixels.
 */
#include <string.h>
#include <tweed.h>

#include "compare.h"
#include "image.h"
#include "program.h"

struct filter {
    int radius; /* the square is 2 * radius + 1 pixels wide */
    struct image in, out;
};

/* How often each value occurs in the square, and where its median is: the
   largest value that at most half of the pixels are below. */
struct histogram {
    int count[256];
    int median;
    int below; /* pixels less than median */
};

static int clamp(int i, int size)
{
    return i < 0 ? 0 : i < size ? i : size - 1;
}

/* Adds (change 1) or takes away (change -1) the square's column x. */
static void change_column(struct histogram *h, const struct filter *f, int x,
                          int y, int channel, int change)
{
    size_t offset = 3 * (size_t)clamp(x, f->in.width) + (size_t)channel;

    for (int dy = -f->radius; dy <= f->radius; dy++) {
        int value = image_row(&f->in, clamp(y + dy, f->in.height))[offset];
        h->count[value] += change;
        if (value < h->median)
            h->below += change;
    }
}

/* Moves the median to where it belongs; from one pixel to the next it is not
   far. */
static void find_median(struct histogram *h, int half)
{
    while (h->below > half)
        h->below -= h->count[--h->median];
    while (h->below + h->count[h->median] <= half)
        h->below += h->count[h->median++];
}

/* The histogram slides along the row: a column comes in, a column goes out. */
static void filter_row(const struct filter *f, int y, int channel)
{
    struct histogram h = {{0}, 0, 0};
    unsigned char *out = image_row(&f->out, y) + channel;
    int r = f->radius;
    int half = (2 * r + 1) * (2 * r + 1) / 2;

    for (int x = -r; x < r; x++)
        change_column(&h, f, x, y, channel, 1);
    for (int x = 0; x < f->in.width; x++) {
        change_column(&h, f, x + r, y, channel, 1);
        find_median(&h, half);
        out[3 * (size_t)x] = (unsigned char)h.median;
        change_column(&h, f, x - r, y, channel, -1);
    }
}

/* The loop's body: one row of the picture. */
BODY row(int64_t y, void *arg)
{
    for (int channel = 0; channel < 3; channel++)
        filter_row(arg, (int)y, channel);
}

static void run(enum variant variant, void *state)
{
    struct filter *f = state;

    switch (variant) {
    case TWEED:
        tweed_parallel_for(0, f->in.height, row, f);
        break;
    case OPENMP_STATIC:
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
        for (int64_t y = 0; y < f->in.height; y++)
            row(y, f);
#endif
        break;
    case OPENMP_DYNAMIC:
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1)
        for (int64_t y = 0; y < f->in.height; y++)
            row(y, f);
#endif
        break;
    default:
        for (int64_t y = 0; y < f->in.height; y++)
            row(y, f);
    }
}

int main(int argc, char **argv)
{
    struct filter f = {.radius = 2};
    struct compare_options measure = COMPARE_DEFAULTS;
    const char *input = NULL, *output = "median.png";
    const struct option options[] = {
        {"PICTURE", 0, OPTION_OPERAND, &input, 0, 0, "a PNG or PPM file"},
        {"radius", 'r', OPTION_INTEGER, &f.radius, 0, 100,
         "2 N + 1 pixels are a square's side"},
        {"output", 'o', OPTION_TEXT, &output, 0, 0, "the filtered picture"},
        COMPARE_OPTIONS(measure),
        OPTIONS_END};

    options_read(argc, argv, "median", "Takes the noise out of a picture.",
                 options);
    FILE *report = image_prepare(output);
    image_read(&f.in, input);
    image_create(&f.out, f.in.width, f.in.height);
    struct kernel kernel = {"median", LOOPS, run, &f, f.out.rgb, image_bytes(&f.out)};
    compare(&kernel, &measure, report);
    image_write(&f.out, output, measure.row ? NULL : report);
    image_destroy(&f.in);
    image_destroy(&f.out);
    return finish();
}
