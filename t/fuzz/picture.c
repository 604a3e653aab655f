/*
 * picture.c - a fuzzer of the examples' pictures, PPM and PNG.
 *
 * SPDX-License-Identifier: MIT
 *
 * libpng looks at checksums, which no fuzzer guesses: here it does not.  It asks for as much
 * memory as a chunk announces, whatever the file has: no block of libpng's own is larger than
 * a row or two of the largest picture.
 */
#include "dying.h"

#define die dying_die
#define allocate dying_allocate
#define free dying_free
#define fopen(name, mode) dying_open()
#define fclose dying_close
#ifdef HAVE_LIBPNG
#include <png.h>
static png_structp png_made;
static png_infop info_made;

enum { PICTURE_WIDEST = 4096, PICTURE_BLOCK = 1 << 20 };

static png_voidp make_block(png_structp png, png_alloc_size_t size)
{
    (void)png;
    fuzz_must(size <= PICTURE_BLOCK);
    return malloc(size);
}

static void free_block(png_structp png, png_voidp block)
{
    (void)png;
    free(block);
}

static png_structp make_png(png_const_charp version, png_voidp arg, png_error_ptr wrong,
                            png_error_ptr warning)
{
    png_made = png_create_read_struct_2(version, arg, wrong, warning, NULL, make_block,
                                        free_block);
    if (png_made) {
        png_set_crc_action(png_made, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
        png_set_option(png_made, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
        png_set_user_limits(png_made, PICTURE_WIDEST, PICTURE_WIDEST);
    }
    return png_made;
}

static png_infop make_info(png_structp png)
{
    return info_made = png_create_info_struct(png);
}

static void destroy_png(void)
{
    if (png_made)
        png_destroy_read_struct(&png_made, info_made ? &info_made : NULL, NULL);
}

#define png_create_read_struct(version, arg, wrong, warning)                   \
    make_png(version, arg, wrong, warning)
#define png_create_info_struct(png) make_info(png)
#define png_destroy_read_struct(png, info, none) destroy_png()
#endif
#include "../examples/image.c"
#include "../examples/image_png.c"
#undef fclose
#undef fopen
#undef free
#undef allocate
#undef die

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct image image;

    dying_data = data;
    dying_size = size;
    if (!setjmp(dying_back)) {
        image_read(&image, "input");
        for (size_t i = 0; i < image_bytes(&image); i++) /* each byte is there */
            (void)*(const volatile unsigned char *)&image.rgb[i];
    }
#ifdef HAVE_LIBPNG
    destroy_png();
#endif
    dying_release();
    return 0;
}
