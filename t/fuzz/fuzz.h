/*
 * fuzz.h - what the fuzzers of the parsers share.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each fuzzer is one source with one function.  libFuzzer calls the function with inputs that
 * it makes up (make fuzz); replay.c calls the function with each file of the corpus (make
 * check).  A fuzzer includes the source of its parser, so that what the parser reads can be
 * put in place by a macro.
 *
 * Some parsers read several files.  Their inputs are texts of sections: a line "=name" begins
 * the file of that name, up to the next such line.
 */
#ifndef TWEED_T_FUZZ_H
#define TWEED_T_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input as a string, to be freed; NULL: no memory.  A byte 0 ends it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    if (text) {
        if (size)
            memcpy(text, data, size);
        text[size] = '\0';
    }
    return text;
}

/* The section of a text with this name: where it begins, and *size; NULL: there is none. */
static inline const char *fuzz_section(const char *text, size_t length, const char *name,
                                       size_t *size)
{
    size_t n = strlen(name);
    const char *end = text ? text + length : NULL, *found = NULL;

    for (const char *at = text; at < end;) {
        const char *next = memchr(at, '\n', (size_t)(end - at));

        if (*at == '=' && found) {
            *size = (size_t)(at - found);
            return found;
        }
        if (*at == '=' && next && (size_t)(next - at) == n + 1 && memcmp(at + 1, name, n) == 0)
            found = next + 1;
        at = next ? next + 1 : end;
    }
    if (found)
        *size = (size_t)(end - found);
    return found;
}

/* What a program must not be able to see. */
static inline void fuzz_must(int good)
{
    if (!good)
        abort();
}

#endif
