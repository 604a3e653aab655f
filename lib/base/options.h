/*
 * options.h - the options of the environment, read once a process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_OPTIONS_H
#define TWEED_LIB_OPTIONS_H

#include <stdint.h>

enum tweed__option_id {
#define TWEED_OPTION(name, kind, least, most, standard, values, meaning)       \
    TWEED__##name,
#include "base/options.def"
#undef TWEED_OPTION
    TWEED__NUM_OPTIONS
};

struct tweed__option {
    const char *name;     /* of the variable: "TWEED_NUM_WORKERS" */
    const char *standard; /* the default, in words */
    const char *values;   /* what the option takes, in words */
    const char *meaning;
    int64_t least, most;  /* of a number */
    const char *origin;   /* the variable that the value is from; NULL: the default */
    int64_t number;       /* a number, or the place of a word in its list */
    char text[512];       /* the value as it was given */
    char refused[480];    /* what is said of values that are ignored; "": none is */
};

/* The option as it is in force.  The first call reads the environment, and
   names each bad value, and each unknown name, once on stderr. */
const struct tweed__option *tweed__option(enum tweed__option_id id);

/* Drops a value that a later look has found to be bad, and says on stderr what is
   wrong with that value. */
void tweed__option_reject(enum tweed__option_id id, const char *wrong);

/* Calls fn for each variable whose name begins with TWEED_ and is in neither list of
   options.def: with the name, printable and perhaps shortened, and the option that has a
   similar name, or NULL.  For none in a program with more rights than its user has. */
typedef void tweed__unknown_fn(const char *name, const char *similar);
void tweed__unknown_names(tweed__unknown_fn *fn);

/* Reads a decimal number in [least, most] that ends at *end (at the end of the
   text if end is NULL).  True on success. */
_Bool tweed__parse_number(const char *text, const char **end, int64_t least,
                          int64_t most, int64_t *number);

/* The place of a word in a list "a|b|c"; -1: not there. */
int tweed__parse_word(const char *list, const char *word);

#endif
