/*
 * mkpicture.c - an evening by a lake: a noisy picture for median to clean.
 *
 * SPDX-License-Identifier: MIT
 *
 * Every pixel is a function of its place and of the seed alone, so the rows can
 * be made in any order, on any number of workers, and are the same each time.
 */
#include <math.h>
#include <stdint.h>
#include <tweed.h>

#include "colour.h"
#include "image.h"
#include "program.h"

struct scene {
    struct image image;
    uint32_t seed;
    double noise; /* the part of the pixels that is lost, 0 to 1 */
};

/* The picture is 1 high; the water begins here. */
static const double shore = 0.66;

/* 32 bits that look random, from two integers. */
static uint32_t hash(int64_t x, int64_t y, uint32_t seed)
{
    uint64_t h = (uint64_t)x * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 29) ^ (uint64_t)y) * 0xd1b54a32d192ed03u;
    h = (h ^ (h >> 31) ^ seed) * 0x8cb92ba72f3d8dd7u;
    return (uint32_t)(h >> 32);
}

static double hash01(int64_t x, int64_t y, uint32_t seed)
{
    return hash(x, y, seed) / 4294967296.0;
}

static double clamp01(double t)
{
    return t < 0 ? 0 : t < 1 ? t : 1;
}

/* 0 below a, 1 above b, and smooth between them. */
static double smooth(double a, double b, double t)
{
    t = clamp01((t - a) / (b - a));
    return t * t * (3 - 2 * t);
}

/* Random values at the integers, joined smoothly. */
static double noise(double x, double y, uint32_t seed)
{
    int64_t ix = (int64_t)floor(x), iy = (int64_t)floor(y);
    double tx = smooth(0, 1, x - (double)ix), ty = smooth(0, 1, y - (double)iy);
    double top = hash01(ix, iy, seed), bottom = hash01(ix, iy + 1, seed);

    top += tx * (hash01(ix + 1, iy, seed) - top);
    bottom += tx * (hash01(ix + 1, iy + 1, seed) - bottom);
    return top + ty * (bottom - top);
}

/* Noise with detail at all scales: clouds, rock, ridges. */
static double fractal(double x, double y, int octaves, uint32_t seed)
{
    double sum = 0, weight = 0.5;

    for (int i = 0; i < octaves; i++) {
        sum += weight * noise(x, y, seed + (uint32_t)i);
        x = 2.03 * x + 17;
        y = 2.03 * y + 5;
        weight /= 2;
    }
    return sum;
}

static struct colour add(struct colour a, struct colour b, double weight)
{
    return (struct colour){a.r + weight * b.r, a.g + weight * b.g,
                           a.b + weight * b.b};
}

static struct colour sky(double x, double y, uint32_t seed)
{
    static const struct colour stops[] = {{0.12, 0.20, 0.42},
                                          {0.25, 0.38, 0.62},
                                          {0.62, 0.62, 0.72},
                                          {0.98, 0.78, 0.55},
                                          {1.00, 0.66, 0.36}};
    static const struct colour_map map = {stops, sizeof stops / sizeof *stops};
    double distance = hypot(x - 0.92, y - 0.47);
    double glow = exp(-6 * distance);
    double cloud = smooth(0.46, 0.72, fractal(2.2 * x, 9 * y, 7, seed));
    double lit = fractal(2.2 * x + 0.05, 9 * y + 0.35, 6, seed);
    struct colour c = colour_at(&map, y / shore);
    struct colour white = colour_mix((struct colour){0.52, 0.46, 0.56},
                                     (struct colour){1.00, 0.86, 0.70},
                                     clamp01(2.2 - 3.2 * lit + glow));

    c = colour_mix(c, white, 0.85 * cloud);
    c = add(c, (struct colour){1.00, 0.62, 0.25}, 0.6 * glow);
    return add(c, (struct colour){1, 0.95, 0.8},
               1.2 * (1 - cloud) * smooth(0.040, 0.034, distance));
}

/* How high the ridge of the mountains number k (0: the farthest) is at x. */
static double ridge(double x, int k, uint32_t seed)
{
    static const double base[] = {0.44, 0.53, 0.60};
    static const double height[] = {0.34, 0.22, 0.13};
    static const double detail[] = {2.1, 2.6, 4.0};
    double f = fractal(detail[k] * x, 3.7 * k, 9, seed + 100 * (uint32_t)k);

    return base[k] + height[k] * (0.5 - f) * 1.3;
}

/* The mountains number k: lit from the sun's side, snow on top, and the more
   air before them the bluer. */
static struct colour mountain(double x, double y, int k, uint32_t seed)
{
    static const double air[] = {0.62, 0.38, 0.12};
    uint32_t rock_seed = seed + 50 + (uint32_t)k;
    double top = ridge(x, k, seed);
    double skew = x + 0.6 * (y - top); /* valleys run down aslant */
    double here = fractal(9 * skew, 7 * y, 7, rock_seed);
    double east = fractal(9 * skew + 0.12, 7 * y, 7, rock_seed);
    double light = clamp01(0.45 + 4.5 * (here - east));
    double below = y - top + 0.25 * (here - 0.5);
    double snow = k == 0 ? smooth(0.11, 0.02, below) : 0;
    struct colour rock = k == 2 ? (struct colour){0.13, 0.20, 0.11}
                                : (struct colour){0.34, 0.29, 0.27};
    struct colour bright = k == 2 ? (struct colour){0.42, 0.41, 0.17}
                                  : (struct colour){0.80, 0.60, 0.44};
    struct colour c = colour_mix(rock, bright, light * light);

    c = colour_mix(c,
                   colour_mix((struct colour){0.52, 0.56, 0.72},
                              (struct colour){1.00, 0.93, 0.85}, light),
                   snow);
    return colour_mix(c, (struct colour){0.74, 0.66, 0.68},
                      air[k] * (0.6 + 0.7 * smooth(top, shore, y)));
}

static struct colour land(double x, double y, uint32_t seed)
{
    for (int k = 2; k >= 0; k--)
        if (y > ridge(x, k, seed))
            return mountain(x, y, k, seed);
    return sky(x, y, seed);
}

/* The land upside down, shaken by waves that grow towards us. */
static struct colour water(double x, double y, uint32_t seed)
{
    double depth = (y - shore) / (1 - shore);
    double near = 0.02 + depth * depth;
    double wave = fractal(14 * x / (0.3 + depth), 9 / near, 4, seed + 900);
    double shake = (wave - 0.5) * (0.02 + 0.20 * depth);
    double mirrored = shore - (y - shore) * 1.25 + shake;
    struct colour c = land(x + 0.1 * shake, mirrored, seed);
    double glitter = smooth(0.58, 0.72, wave) * exp(-7 * fabs(x - 0.92));

    c = colour_mix(c, (struct colour){0.10, 0.17, 0.24}, 0.30 + 0.25 * depth);
    return add(c, (struct colour){1, 0.75, 0.45}, 0.8 * glitter);
}

/* Is there a fir before (x, y)?  They stand on both banks, about `step` apart,
   each a triangle with ragged edges. */
static bool is_fir(double x, double y, double width, uint32_t seed)
{
    const double step = 0.035;
    int64_t here = (int64_t)floor(x / step);

    for (int64_t i = here - 2; i <= here + 2; i++) {
        double middle = ((double)i + 0.8 * hash01(i, 1, seed)) * step;
        double bank = fmin(fabs(middle), fabs(width - middle)) / width;
        double size = 0.75 * smooth(0.30, 0.0, bank);
        double top = 1.02 - size * (0.6 + 0.4 * hash01(i, 2, seed));
        double down = y - top;
        double branch = down * 42 / (0.4 + size);
        double ragged = 0.55 + 0.6 * (branch - floor(branch));
        double rough = 0.6 + 0.8 * noise(330 * x, 330 * y, seed + 7);
        if (down > 0 &&
            fabs(x - middle) < 0.004 * size + 0.14 * down * ragged * rough)
            return true;
    }
    return false;
}

static struct colour photo(double x, double y, double width, uint32_t seed)
{
    if (is_fir(x, y, width, seed + 700)) {
        double needle = fractal(160 * x, 90 * y, 3, seed + 800);
        return colour_mix((struct colour){0.02, 0.035, 0.03},
                          (struct colour){0.15, 0.19, 0.09}, needle * needle);
    }
    return y < shore ? land(x, y, seed) : water(x, y, seed);
}

/* The loop's body: one row of the picture. */
static void row(int64_t y, void *arg)
{
    const struct scene *s = arg;
    unsigned char *out = image_row(&s->image, (int)y);
    double scale = 1.0 / s->image.height;

    for (int x = 0; x < s->image.width; x++) {
        double lost = hash01(x, y, s->seed + 1000);
        struct colour c = photo(x * scale, (double)y * scale,
                                s->image.width * scale, s->seed);
        if (lost < s->noise / 2)
            c = (struct colour){0, 0, 0}; /* pepper */
        else if (lost < s->noise)
            c = (struct colour){1, 1, 1}; /* salt */
        colour_put(out + 3 * (size_t)x, c);
    }
}

int main(int argc, char **argv)
{
    struct scene scene = {.noise = 0.1};
    const char *output = "picture.png";
    int width = 1600, height = 1200, seed = 1;
    const struct option options[] = {
        {"width", 'w', OPTION_INTEGER, &width, 1, 100000, "pixels in a row"},
        {"height", 'h', OPTION_INTEGER, &height, 1, 100000, "rows"},
        {"noise", 'n', OPTION_REAL, &scene.noise, 0, 1,
         "how many of the pixels are lost"},
        {"seed", 's', OPTION_INTEGER, &seed, 0, 1e9, "another picture"},
        {"output", 'o', OPTION_TEXT, &output, 0, 0, "the picture"},
        OPTIONS_END};

    options_read(argc, argv, "mkpicture",
                 "Makes a picture with salt-and-pepper noise, for median.",
                 options);
    FILE *report = image_prepare(output);
    scene.seed = hash(seed, 0, 0);
    image_create(&scene.image, width, height);
    tweed_parallel_for(0, height, row, &scene);
    image_write(&scene.image, output, report);
    image_destroy(&scene.image);
    return finish();
}
