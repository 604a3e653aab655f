/*
 * image_png.c - the PNG half of image.c; nothing without HAVE_LIBPNG.
 *
 * SPDX-License-Identifier: MIT
 *
 * libpng wants to be left by longjmp() when something is wrong.  These programs
 * end then anyway, so its error handlers do not return for another reason: they
 * die() with the file's name, before libpng can print anything of its own.
 */
#include "image.h"

#ifdef HAVE_LIBPNG

#include <errno.h>
#include <png.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

struct input {
    const char *name;
    FILE *file;
};

static void ignore_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void read_error(png_structp png, png_const_charp text)
{
    const struct input *input = png_get_error_ptr(png);
    die("%s: %s", input->name, text);
}

static void read_data(png_structp png, png_bytep data, size_t length)
{
    const struct input *input = png_get_io_ptr(png);
    if (fread(data, 1, length, input->file) != length)
        png_error(png, ferror(input->file) ? strerror(errno)
                                           : "the file ends too early");
}

/* Texts, profiles and other chunks that change no pixel are passed over: libpng
   would ask for as much memory as such a chunk announces. */
static void pass_over_chunks(png_structp png)
{
#ifdef PNG_HANDLE_AS_UNKNOWN_SUPPORTED
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
#else
    (void)png;
#endif
}

/* Whatever kind of PNG it is, have libpng make 8-bit RGBA of it. */
static void convert_to_rgba(png_structp png)
{
    png_set_expand(png);      /* palette, 1 to 4 bits, transparent colour */
    png_set_scale_16(png);    /* 16 bits: rounded, not cut off */
    png_set_gray_to_rgb(png); /* grey */
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
}

/* RGBA to RGB in place, the picture laid on white paper. */
static void flatten(unsigned char *pixels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned char *from = pixels + 4 * i;
        unsigned alpha = from[3];
        unsigned paper = 255 * (255 - alpha);
        for (size_t c = 0; c < 3; c++) /* never ahead of what is still read */
            pixels[3 * i + c] =
                (unsigned char)((from[c] * alpha + paper + 127) / 255);
    }
}

/* All rows, into image->rgb as RGBA: flatten() makes RGB of it. */
static void read_rows(png_structp png, struct image *image, const char *name)
{
    size_t height = (size_t)image->height;
    size_t stride = (size_t)image->width * 4;
    png_bytepp rows = allocate(name, height, sizeof *rows);

    image->rgb = allocate(name, height, stride);
    for (size_t y = 0; y < height; y++)
        rows[y] = image->rgb + y * stride;
    png_read_image(png, rows); /* whole, since it may be interlaced */
    free(rows);
}

void image_read_png(struct image *image, const char *name, FILE *file)
{
    struct input input = {name, file};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &input,
                                             read_error, ignore_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;

    if (!info)
        die("%s: libpng cannot be started", name);
    png_set_read_fn(png, &input, read_data);
    png_set_sig_bytes(png, 8);
    pass_over_chunks(png);
    png_read_info(png, info);
    image->width = (int)png_get_image_width(png, info);
    image->height = (int)png_get_image_height(png, info);
    convert_to_rgba(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    read_rows(png, image, name);
    png_read_end(png, NULL); /* a file that is cut off later is broken too */
    png_destroy_read_struct(&png, &info, NULL);
    flatten(image->rgb, (size_t)image->width * (size_t)image->height);
}

static void write_error(png_structp png, png_const_charp text)
{
    output_fail(png_get_error_ptr(png), text);
}

static void write_data(png_structp png, png_bytep data, size_t length)
{
    output_write(png_get_io_ptr(png), data, length);
}

static void flush_data(png_structp png)
{
    (void)png; /* output_close() does */
}

void image_write_png(const struct image *image, struct output *output)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, output,
                                              write_error, ignore_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;

    if (!info)
        output_fail(output, "libpng cannot be started");
    png_set_write_fn(png, output, write_data, flush_data);
    png_set_IHDR(png, info, (png_uint_32)image->width,
                 (png_uint_32)image->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int y = 0; y < image->height; y++)
        png_write_row(png, image_row(image, y));
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
}

#else

/* ISO C wants something in every file. */
typedef int image_png_is_empty;

#endif
