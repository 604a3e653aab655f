/*
 * picture.h - a trace as a picture.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_TOOLS_PICTURE_H
#define TWEED_TOOLS_PICTURE_H

#include "timeline.h"

#include <stdio.h>

/* Draws the window, as SVG, under this title.  What is summed up is there. */
void picture_draw(const struct timeline *t, const char *title, FILE *f);

#endif
