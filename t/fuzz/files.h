/*
 * files.h - the sections of an input as the files that a parser opens.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_FUZZ_FILES_H
#define TWEED_T_FUZZ_FILES_H

#include "fuzz.h"

static const char *files_input;
static size_t files_size;

/* As fopen() to read: the section with this path, or with its last part. */
static FILE *files_open(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t size = 0;
    const char *section = fuzz_section(files_input, files_size, path, &size);

    if (!section && slash)
        section = fuzz_section(files_input, files_size, slash + 1, &size);
    if (!section || !size)
        return NULL;
    return fmemopen((void *)(uintptr_t)section, size, "r");
}

#endif
