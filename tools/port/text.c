/*
 * text.c - strings that grow.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *grow(void *old, size_t bytes)
{
    void *p = realloc(old, bytes ? bytes : 1);

    if (!p) {
        fputs("tweed-port: out of memory\n", stderr);
        exit(2);
    }
    return p;
}

void text_bytes(text *t, const char *s, size_t n)
{
    if (t->n + n + 1 > t->room) {
        t->room = (t->n + n + 1) * 2;
        t->s = grow(t->s, t->room);
    }
    memcpy(t->s + t->n, s, n);
    t->n += n;
    t->s[t->n] = 0;
}

void text_add(text *t, const char *s)
{
    text_bytes(t, s, strlen(s));
}

__attribute__((__format__(__printf__, 2, 0))) static void add_list(text *t, const char *how,
                                                                   va_list list)
{
    va_list again;
    int n;

    va_copy(again, list);
    n = vsnprintf(NULL, 0, how, again);
    va_end(again);
    text_bytes(t, "", 0);
    if (t->n + (size_t)n + 1 > t->room) {
        t->room = (t->n + (size_t)n + 1) * 2;
        t->s = grow(t->s, t->room);
    }
    vsnprintf(t->s + t->n, (size_t)n + 1, how, list);
    t->n += (size_t)n;
}

void text_format(text *t, const char *how, ...)
{
    va_list list;

    va_start(list, how);
    add_list(t, how, list);
    va_end(list);
}

char *format(const char *how, ...)
{
    text t = { 0 };
    va_list list;

    va_start(list, how);
    add_list(&t, how, list);
    va_end(list);
    return t.s;
}

char *copy_bytes(const char *s, size_t n)
{
    char *p = grow(NULL, n + 1);

    memcpy(p, s, n);
    p[n] = 0;
    return p;
}

bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n >= m && memcmp(s + n - m, end, m) == 0;
}

char *indented(const char *lines, const char *indent)
{
    text t = { 0 };

    text_add(&t, "");
    while (*lines) {
        size_t n = strcspn(lines, "\n");

        if (n)
            text_add(&t, indent);
        text_bytes(&t, lines, n);
        lines += n;
        if (*lines) {
            text_add(&t, "\n");
            lines++;
        }
    }
    return t.s;
}

bool begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}
