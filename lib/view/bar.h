/*
 * bar.h - progress for people: a bar on a terminal, lines elsewhere.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_BAR_H
#define TWEED_LIB_BAR_H

#include <stdbool.h>
#include <stdint.h>
#include <tweed.h>

#define TWEED__BAR_AFTER_NS 1000000000 /* shorter loops are not shown */

struct tweed__bar {
    int fd;
    bool is_terminal;
    bool on_screen;   /* the cursor stands behind a bar */
    uint64_t last_ns; /* when the last line was written; 0: none was */
};

void tweed__bar_init(struct tweed__bar *b, int fd);

/* Shows how far the loop is; others: so many more run.  Does not wait: where nothing
   can be written now nothing is. */
void tweed__bar_draw(struct tweed__bar *b, const char *name, const tweed_progress *p,
                     int others);

/* Takes the bar off the screen. */
void tweed__bar_clear(struct tweed__bar *b);

/* The loop is over. */
void tweed__bar_end(struct tweed__bar *b, const char *name, uint64_t elapsed_ns);

#endif
