/*
 * label.h - names of loops as small numbers.
 *
 * SPDX-License-Identifier: MIT
 *
 * A LABEL stands for a loop's name: the text is copied, once for all loops that have
 * the name, since the program's may be gone when a trace or a table is written.
 */
#ifndef TWEED_LIB_LABEL_H
#define TWEED_LIB_LABEL_H

#include <stdbool.h>

#define TWEED__LABEL_SIZE 32

enum {
    TWEED__UNLABELLED,    /* no thread has asked for the loop's label */
    TWEED__LABEL_NO_NAME, /* the text is "" */
    TWEED__LABEL_OTHERS,  /* all names for which there was no room */
    TWEED__FIRST_LABEL,
    TWEED__LABELS = TWEED__FIRST_LABEL + 1023
};

/* The label of a name, of which 31 bytes count; NULL: there is none. */
unsigned tweed__label_of(const char *name);

const char *tweed__label_text(unsigned label);

/* One more than the highest label in use. */
unsigned tweed__label_end(void);

/* Around a fork(). */
void tweed__label_before_fork(void);
void tweed__label_after_fork(void);

#endif
