/*
 * text.h - characters of UTF-8.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_TEXT_H
#define TWEED_LIB_TEXT_H

#include <stddef.h>

/* How many bytes a character has that begins with this one; 0: none does. */
static inline int text_length(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3
                                                           : first < 0xf5 ? 4 : 0;
}

/* How many bytes at s are one character; 0: they are none. */
static inline int text_character(const unsigned char *s)
{
    int n = text_length(*s);

    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
        (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

/* A text of at most size - 1 bytes, which may have been shortened to that: a part of a
   character at its end is taken off.  (Behind a shorter text may be anything.) */
static inline void text_trim(char *text, size_t size)
{
    size_t at = size - 1;

    if (!text[size - 2])
        return;
    while (at > 0 && size - at < 4 && ((unsigned char)text[at - 1] & 0xc0) == 0x80)
        at--;
    if (at > 0 && text_length((unsigned char)text[at - 1]) > (int)(size - at))
        text[at - 1] = '\0';
}

#endif
