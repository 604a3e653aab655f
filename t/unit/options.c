/*
 * options.c - the table of options, and what its parsers take.
 *
 * SPDX-License-Identifier: MIT
 *
 * What the environment does is the subject of environment.c.
 */
#include "config.h"

#include "tap.h"

#include "child.h"
#include "base/options.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static int number_is(const char *text, int64_t least, int64_t most,
                     int64_t expected)
{
    int64_t n = -77;

    return tweed__parse_number(text, NULL, least, most, &n) && n == expected;
}

static int no_number(const char *text, int64_t least, int64_t most)
{
    int64_t n = -77;

    return !tweed__parse_number(text, NULL, least, most, &n) && n == -77;
}

static void test_numbers(void)
{
    const char *end = NULL;
    int64_t n = 0;

    ok(number_is("0", 0, 9, 0) && number_is("9", 0, 9, 9) &&
           number_is("007", 0, 9, 7) && number_is("-3", -3, 9, -3),
       "decimal numbers, both bounds included");
    ok(no_number("10", 0, 9) && no_number("-1", 0, 9), "out of bounds");
    ok(number_is("9223372036854775807", 0, INT64_MAX, INT64_MAX) &&
           number_is("-9223372036854775808", INT64_MIN, 0, INT64_MIN) &&
           no_number("9223372036854775808", INT64_MIN, INT64_MAX) &&
           no_number("-9223372036854775809", INT64_MIN, INT64_MAX) &&
           no_number("99999999999999999999999999", INT64_MIN, INT64_MAX),
       "the ends of int64_t, and beyond");
    ok(no_number("", 0, 9) && no_number(" 1", 0, 9) && no_number("1 ", 0, 9) &&
           no_number("+1", 0, 9) && no_number("-", -9, 9) &&
           no_number("--1", -9, 9) && no_number("1x", 0, 9) &&
           no_number("0x1", 0, 9) && no_number("1.0", 0, 9) &&
           no_number("x", 0, 9) && no_number("\t1", 0, 9),
       "no blanks, signs, letters, fractions");
    ok(tweed__parse_number("12,5", &end, 0, 99, &n) && n == 12 && *end == ',',
       "a number may be followed by other things if the caller says so");
    errno = EPIPE;
    (void)no_number("99999999999999999999999999", 0, 9);
    ok(errno == EPIPE, "errno is left alone");
}

static void test_words(void)
{
    ok(tweed__parse_word("a|bc|d", "a") == 0 &&
           tweed__parse_word("a|bc|d", "bc") == 1 &&
           tweed__parse_word("a|bc|d", "d") == 2,
       "words have the place in the list");
    ok(tweed__parse_word("a|bc|d", "b") == -1 &&
           tweed__parse_word("a|bc|d", "bcd") == -1 &&
           tweed__parse_word("a|bc|d", "") == -1 &&
           tweed__parse_word("a|bc|d", "a|bc") == -1 &&
           tweed__parse_word("a|bc|d", "A") == -1 &&
           tweed__parse_word("a|bc|d", "bc|") == -1,
       "parts, sums and other cases of words are none");
}

/* Of TWEED_TRACE, a text: `length` bytes of it are the value, or it is refused; in a
   process that has not read the environment yet. */
static int text_in_child(void *arg)
{
    int length = *(int *)arg;
    const struct tweed__option *o;
    char value[1024];

    memset(value, 'x', sizeof value);
    value[length] = '\0';
    setenv("TWEED_TRACE", value, 1);
    o = tweed__option(TWEED__TRACE);
    if (o->origin)
        return strcmp(o->text, value) == 0 && !o->refused[0] ? 1 : 2;
    return !o->text[0] && o->refused[0] ? 3 : 4;
}

static int text_of(int length)
{
    char said[1024];
    int status = child_run_text(text_in_child, &length, said, sizeof said);

    return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Fails if parse() has > for >=: the end of the text lies behind it. */
static void test_texts(void)
{
    int room = (int)sizeof tweed__option(TWEED__TRACE)->text;

    ok(text_of(room - 1) == 1, "a text of %d bytes is taken whole", room - 1);
    ok(text_of(room) == 3 && text_of(room + 1) == 3, "one of %d bytes is refused", room);
}

static void test_table(void)
{
    static char seen[TWEED__NUM_OPTIONS + 1][32];
    bool named = true, defaults = true, distinct = true;

    for (int i = 0; i < TWEED__NUM_OPTIONS; i++) {
        const struct tweed__option *o =
            tweed__option((enum tweed__option_id)i);

        named &= strncmp(o->name, "TWEED_", 6) == 0 && *o->standard &&
                 *o->values && *o->meaning && strlen(o->name) < 32;
        defaults &= !o->origin && !o->text[0] &&
                    o->number == (i == TWEED__SPIN_NS         ? 20000
                                  : i == TWEED__TRACE_EVENTS ? 65536
                                                             : 0);
        for (int k = 0; k < i; k++)
            distinct &= strcmp(seen[k], o->name) != 0;
        snprintf(seen[i], sizeof seen[i], "%.31s", o->name);
    }
    ok(named, "each option has a name, a default, values and a meaning");
    ok(distinct, "no name stands there twice");
    ok(defaults, "nothing set: all defaults");
}

int main(void)
{
    /* every variable that the table knows */
    unsetenv("OMP_NUM_THREADS");
#define TWEED_OPTION(name, kind, least, most, standard, values, meaning)       \
    unsetenv("TWEED_" #name);
#include "base/options.def"
#undef TWEED_OPTION
    plan(13);
    test_texts();
    test_numbers();
    test_words();
    test_table();
    return done_testing();
}
