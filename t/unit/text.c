/*
 * text.c - what a terminal may have of a text, and where a text is cut.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "tap.h"

#include "base/print.h"
#include "base/text.h"

#include <string.h>

static int shows(const char *text, size_t size, const char *expected)
{
    char to[64];

    memset(to, '#', sizeof to);
    if (tweed__printable(to, size, text) == to && strcmp(to, expected) == 0 &&
        to[size] == '#')
        return 1;
    diag("'%s', not '%s'", to, expected);
    return 0;
}

/* In an array of 8. */
static int trims(const char *text, const char *expected)
{
    char to[8] = "";

    strncat(to, text, sizeof to - 1);
    text_trim(to, sizeof to);
    if (strcmp(to, expected) == 0)
        return 1;
    diag("'%s', not '%s'", to, expected);
    return 0;
}

int main(void)
{
    plan(9);
    ok(shows("plain \303\251 \342\202\254 \360\235\204\236", 40,
             "plain \303\251 \342\202\254 \360\235\204\236"), "UTF-8 stays");
    ok(shows("\033[31m\001\n\177", 40, "?[31m???"), "control characters");
    ok(shows("a\302\233b \302\240", 40, "a?b \302\240"), "those of two bytes; no other");
    ok(shows("\377\303 \300\257 \355\240\200 \364\220\200\200 \303", 40,
             "?? ?? ??? ???? ?"), "what is no UTF-8");
    ok(shows("ab\303\251", 5, "ab\303\251") && shows("ab\303\251", 4, "ab") &&
           shows("abc", 3, "ab") && shows("", 1, ""), "cut between characters");
    ok(trims("abcdefghi", "abcdefg") && trims("abcdef\303\251", "abcdef") &&
           trims("abcde\303\251x", "abcde\303\251"), "a text, trimmed: of two bytes");
    ok(trims("abcde\342\202\254", "abcde") && trims("abcdef\342\202\254", "abcdef") &&
           trims("abcd\342\202\254", "abcd\342\202\254"), "of three");
    ok(trims("abcdef\360\235\204\236", "abcdef") &&
           trims("abcde\360\235\204\236", "abcde") &&
           trims("abcd\360\235\204\236", "abcd") &&
           trims("abc\360\235\204\236", "abc\360\235\204\236") &&
           trims("\303", "\303") && trims("\200\200\200\200\200\200\200",
                                          "\200\200\200\200\200\200\200"),
       "of four; no other bytes");
    ok(tweed__columns("a\303\251\342\202\254\360\235\204\236") == 4 &&
           tweed__columns("") == 0, "columns");
    return done_testing();
}
