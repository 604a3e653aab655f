/*
 * late.h - what late.c has of late-module.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_LATE_H
#define TWEED_T_LATE_H

#include <stdatomic.h>
#include <tweed.h>

#define LATE_INDICES 64

struct late_loop {
    void (*hold)(void); /* called for index 0: holds it up */
    atomic_uchar count[LATE_INDICES];
};

/* Run the loop on the default pool: its body in braces, by pointer, a range body. */
int late_braces(struct late_loop *l);
int late_pointer(struct late_loop *l);
int late_range(struct late_loop *l);

#endif
