/*
 * image.c - pictures in memory and in files; PPM is done here, PNG in
 * image_png.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include "image.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#ifdef HAVE_LIBPNG
static const bool have_png = true;
#else
static const bool have_png = false;
#endif

void image_create(struct image *image, int width, int height)
{
    image->width = width;
    image->height = height;
    image->rgb = allocate(NULL, (size_t)height, 3 * (size_t)width);
}

void image_destroy(struct image *image)
{
    free(image->rgb);
    image->rgb = NULL;
}

size_t image_bytes(const struct image *image)
{
    return (size_t)image->width * (size_t)image->height * 3;
}

/* A number of a PPM's header, the one byte after it taken too; -1: there is
   none.  White space and comments may precede it. */
static int read_ppm_number(FILE *file)
{
    int c = getc(file);
    int value = 0;

    while (isspace(c) || c == '#') {
        if (c == '#')
            while (c != '\n' && c != EOF)
                c = getc(file);
        else
            c = getc(file);
    }
    if (!isdigit(c))
        return -1;
    for (; isdigit(c); c = getc(file)) {
        if (value > 9999999)
            return -1;
        value = 10 * value + (c - '0');
    }
    return isspace(c) ? value : -1;
}

/* The rest of a PPM after its "P6". */
static void read_ppm(struct image *image, const char *name, FILE *file)
{
    int width = read_ppm_number(file);
    int height = read_ppm_number(file);
    int maximum = read_ppm_number(file);

    if (width < 0 || height < 0 || maximum < 0)
        die("%s: the header of the PPM is broken", name);
    if (width == 0 || height == 0)
        die("%s: the picture has no pixels (%dx%d)", name, width, height);
    if (maximum != 255)
        die("%s: PPM with values up to %d, not 255", name, maximum);
    image->width = width;
    image->height = height;
    image->rgb = allocate(name, (size_t)height, 3 * (size_t)width);
    if (fread(image->rgb, 1, image_bytes(image), file) != image_bytes(image))
        die("%s: %s", name,
            ferror(file) ? strerror(errno) : "the file ends too early");
}

void image_read(struct image *image, const char *name)
{
    static const unsigned char png[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
    unsigned char start[8];
    FILE *file = fopen(name, "rb");

    if (!file)
        die("%s: %s", name, strerror(errno));
    size_t length = fread(start, 1, 2, file);
    if (length == 2 && memcmp(start, "P6", 2) == 0) {
        read_ppm(image, name, file);
    } else {
        if (length == 2)
            length += fread(start + 2, 1, 6, file);
        if (ferror(file))
            die("%s: %s", name, strerror(errno));
        if (length == 0)
            die("%s: the file is empty", name);
        if (length < 8 || memcmp(start, png, 8) != 0)
            die("%s: neither a PNG nor a PPM (P6)", name);
#ifdef HAVE_LIBPNG
        image_read_png(image, name, file);
#else
        die("%s: a PNG, but this program was built without libpng", name);
#endif
    }
    fclose(file);
}

/* Where the name's extension begins: at its end if it has none. */
static size_t extension(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    const char *dot = strrchr(base, '.');
    return dot && dot > base ? (size_t)(dot - name) : strlen(name);
}

/* The name to write to: for the caller to free. */
static char *output_name(const char *name)
{
    char *result = allocate(NULL, strlen(name) + 5, 1);

    strcpy(result, name);
    if (!have_png && strncmp(name, "/dev/", 5) != 0)
        strcpy(result + extension(name), ".ppm");
    return result;
}

FILE *image_prepare(const char *name)
{
    char *real_name = output_name(name);
    FILE *report = output_prepare(real_name);

    free(real_name);
    return report;
}

void image_write(const struct image *image, const char *name, FILE *report)
{
    struct output output;
    char *real_name = output_name(name);
    bool is_ppm = strcmp(real_name + extension(real_name), ".ppm") == 0;
    bool is_as_asked = have_png || strcmp(name + extension(name), ".ppm") == 0;

    output_open(&output, real_name);
#ifdef HAVE_LIBPNG
    if (!is_ppm)
        image_write_png(image, &output);
#else
    is_ppm = true;
#endif
    if (is_ppm) {
        output_printf(&output, "P6\n%d %d\n255\n", image->width, image->height);
        output_write(&output, image->rgb, image_bytes(image));
    }
    output_close(&output);
    if (report)
        fprintf(report, "wrote %s%s\n", real_name,
                is_as_asked ? "" : " (not PNG: built without libpng)");
    free(real_name);
}
