/*
 * making.h - the making of one loop in C.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PORT_MAKING_H
#define PORT_MAKING_H

#include "port.h"

typedef struct argument {
    char *type, *name, *value; /* value: with marks */
} argument;

/* The making of one loop. */
typedef struct making {
    plan *p;
    argument *arguments;
    int argument_count;
    const char **called;      /* by variable: what the body calls it */
    bool narrow[3];           /* the index is an int, and the names of it that need a cast */
    char *index[3];           /* of the macro */
    text typedefs, prologue, epilogue, before, after;
    bool block;               /* the call needs one */
    bool wrap;                /* `continue` may not leave out the epilogue */
    const char *next;         /* what `continue` becomes */
    char *returned;           /* the body, if it is no more than this value */
} making;

extern const char *const suffixes[]; /* of macros, by dimensions */

void give(making *m, char *type, char *name, char *value); /* an argument */
void make_local(making *m, char *line);
char *prefix_of(making *m, CXType t, const char *name);
bool is_local_type(const plan *p, CXType t);
bool lacks_type(making *m, const variable *v);
bool share(making *m, const item *i);
char *bare_declaration(making *m, const variable *v);
bool make_first(making *m, const item *i);
char *last_index(making *m); /* the test for the last one */
bool make_last(making *m, const item *i, const char *test);
bool sum_alone(const making *m, const item *s, range *e);
void pack(making *m);
char *list_text(const making *m);
char *values_text(const making *m);
char *folded(const char *head, const char *list);
const char *called(void *data, int v, const reference *r);
/* head: the macro up to what the list follows.  then: what is done with the result, %s or, in
   more statements, NAME_result; NULL: there is none. */
void finish(making *m, const char *head, const char *result_type, const char *then);
bool reduce(making *m, int count, const item *only);

#endif /* PORT_MAKING_H */
