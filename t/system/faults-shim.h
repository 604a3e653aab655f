/*
 * faults-shim.h - makes the k-th call of a function fail, and counts what is not
 * given back.
 *
 * SPDX-License-Identifier: MIT
 *
 * The shims (faults-shim.c) stand before every call of the program, the test's own
 * included: they count and fail while they are armed only.  Their state is shared
 * with the children of fork(): one count of calls for all.
 */
#ifndef TWEED_T_FAULTS_SHIM_H
#define TWEED_T_FAULTS_SHIM_H

#include <stdbool.h>
#include <stddef.h>

enum site {
#define FAULT(site, symbols, ...) FAULT_##site,
#define GIVE(symbol, reason)
#define FIRM(symbol, reason)
#include "faults.def"
#undef FAULT
    NUM_SITES
};

struct fault {
    enum site site;
    int error;     /* 0: see faults.def */
    int k;         /* this call fails, 0: none does */
    bool for_good; /* and all after it */
};

/* Once, before all else. */
void fault_prepare(void);

/* Counts all sites from 0 on, and lets one fail. */
void fault_arm(const struct fault *fault);
void fault_disarm(void);

int fault_calls(enum site site); /* since it was armed */
int fault_injected(void);        /* of these, failed */

/* A place for words that children leave their parent. */
char *fault_text(size_t *size);

/* This process has done what was to be tested: from now on its calls are made as ever
   and not counted.  (With gcov it opens and writes files when it ends.) */
void fault_leave(void);

/* In a child of fork(): threads are not inherited. */
void fault_forget_threads(void);

/* What was had and not given back: a word for the first kind, or NULL. */
const char *fault_left(void);

#endif
