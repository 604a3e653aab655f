/*
 * team.h - a parallel region as a loop over its threads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PORT_TEAM_H
#define PORT_TEAM_H

#include "making.h"

/* What the threads do between two barriers. */
typedef struct phase {
    int first, past;   /* statements of the region */
    unsigned lo, hi;   /* their text */
} phase;

/* A variable that each thread has, and that more than one phase uses. */
typedef struct own {
    int variable;
    int home;          /* the phase that declares it; -1: a clause does */
    bool carried;      /* a phase reads what an earlier one has left in it */
    enum role role;    /* by a clause: PRIVATE, REDUCTION */
    const char *op;
    char *all;         /* of a reduction: what the shared one is called */
} own;

enum { MOST_PHASES = 32 };

typedef struct team {
    int number;
    directive *d;
    int statement;
    bool block;        /* the region is { ... } */
    int *statements, statement_count;
    phase phases[MOST_PHASES];
    int phase_count;
    int *constructs, construct_count; /* directives */
    own *owns;
    int own_count;
    bool any_carried;
    const char *thread, *threads; /* names: the number of a thread, of all */
    const char *if_text, *threads_text;
} team;

bool in_construct(int number, unsigned at);
bool is_loop_of(int number, int v);      /* its variable, or one of a collapse */
bool is_private_in(int number, int v);   /* of a loop of the region */
bool is_assigned(const team *t, int number, int v);
int phase_at(const team *t, unsigned at);
bool is_used_in_phase(const team *t, int k, int v);
bool uses_name(const char *text, const char *name);
const own *own_of(const team *t, int v);
char *number_of_threads(const team *t);
/* A loop of the region becomes one over its thread's share.  next: a counter that the threads
   share, or NULL. */
bool edit_share(team *t, int number, plan *p, const char *next);
void forget_locals(void);
char *local_name(const char *variable_name, const char *what);
bool takes_chunks(const team *t, int number);
bool make_loop_plan(int number, plan *p);
const char *lock_for_reductions(void);
bool emit_team_c(team *t);
bool emit_team_cxx(team *t);

/* ---- team_phases.c, team_calls.c, team_own.c, team_pointers.c,
   team_objects.c ---- */

bool in_region(const team *t, unsigned at);
int construct_of(const team *t, int statement);
const char *find_phases(team *t);
bool is_in_loop(int n, int top);
const char *why_not_constructs(const team *t);
const char *why_hidden(const team *t);
const char *why_not_variables(team *t);
const char *why_pointed_at(const team *t);
bool may_be_pointed_at(const reference *r); /* one without a node */
const char *why_not_objects(const team *t);

#endif /* PORT_TEAM_H */
