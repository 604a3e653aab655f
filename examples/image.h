/*
 * image.h - pictures in memory, and in PNG and PPM files.
 *
 * SPDX-License-Identifier: MIT
 *
 * PNG needs libpng: compile with -DHAVE_LIBPNG and link with -lpng.  Without
 * it pictures are written as PPM, which is the same pixels without compression.
 */
#ifndef EXAMPLES_IMAGE_H
#define EXAMPLES_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "output.h"

struct image {
    int width, height;
    unsigned char *rgb; /* height rows of width pixels of 3 bytes */
};

/* A black picture; dies if there is no memory for it. */
void image_create(struct image *image, int width, int height);
void image_destroy(struct image *image);
size_t image_bytes(const struct image *image);

static inline unsigned char *image_row(const struct image *image, int y)
{
    return image->rgb + (size_t)y * (size_t)image->width * 3;
}

/* Reads a PNG of any kind (alpha: laid on white) or a binary PPM (P6); dies
   with a message "name: reason" if it is not a whole one. */
void image_read(struct image *image, const char *name);

/* output_prepare() for a picture that is to be written as `name`. */
FILE *image_prepare(const char *name);

/* Writes PNG, or PPM if the name ends in .ppm or there is no libpng; the latter
   changes the name's extension to .ppm.  Then prints a line with the name to
   report, unless that is NULL. */
void image_write(const struct image *image, const char *name, FILE *report);

/* Between image.c and image_png.c, both with HAVE_LIBPNG only: the picture in
   the rest of a PNG file, of which the 8 bytes of the signature are read. */
void image_read_png(struct image *image, const char *name, FILE *file);
void image_write_png(const struct image *image, struct output *output);

#endif /* EXAMPLES_IMAGE_H */
