/*
 * dying.h - parsers that end the program when their file is wrong, without that end.
 *
 * SPDX-License-Identifier: MIT
 *
 * The examples say die().  Here a source of theirs is included that says dying_die(), which
 * goes back by longjmp(); what the source has allocated and opened is released after.
 */
#ifndef TWEED_T_FUZZ_DYING_H
#define TWEED_T_FUZZ_DYING_H

#include "fuzz.h"

#include "../examples/program.h"

#include <setjmp.h>
#include <stdarg.h>

enum { DYING_BLOCKS = 64, DYING_MOST = 64 << 20 };

static jmp_buf dying_back;
static void *dying_blocks[DYING_BLOCKS];
static size_t dying_count;
static FILE *dying_file;
static const uint8_t *dying_data;
static size_t dying_size;

__attribute__((__noreturn__, format(printf, 1, 2))) static void dying_die(const char *format,
                                                                         ...)
{
    char line[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    longjmp(dying_back, 1);
}

static void *dying_keep(void *block)
{
    if (block) {
        fuzz_must(dying_count < DYING_BLOCKS);
        dying_blocks[dying_count++] = block;
    }
    return block;
}

static void dying_forget(const void *block)
{
    for (size_t i = 0; block && i < dying_count; i++)
        if (dying_blocks[i] == block) {
            dying_blocks[i] = dying_blocks[--dying_count];
            return;
        }
}

/* As allocate() on a machine of 64 MB. */
__attribute__((unused)) static void *dying_allocate(const char *file, size_t count, size_t size)
{
    if (size && count > DYING_MOST / size)
        dying_die("%s: out of memory", file ? file : "");
    return dying_keep(calloc(count ? count : 1, size ? size : 1));
}

__attribute__((unused)) static void *dying_realloc(void *block, size_t size)
{
    void *other;

    if (size > DYING_MOST)
        return NULL;
    dying_forget(block);
    other = realloc(block, size);
    return dying_keep(other ? other : block) == other ? other : NULL;
}

__attribute__((unused)) static void dying_free(void *block)
{
    dying_forget(block);
    free(block);
}

static FILE *dying_open(void)
{
    dying_file = dying_size ? fmemopen((void *)(uintptr_t)dying_data, dying_size, "r")
                            : fopen("/dev/null", "r");
    return dying_file;
}

static int dying_close(FILE *file)
{
    if (file == dying_file)
        dying_file = NULL;
    return fclose(file);
}

static void dying_release(void)
{
    if (dying_file)
        fclose(dying_file);
    dying_file = NULL;
    while (dying_count)
        free(dying_blocks[--dying_count]);
}

#endif
