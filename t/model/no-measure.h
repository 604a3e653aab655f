/*
 * no-measure.h - loops whose shares are not measured: in place of lib/measure.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_MODEL_NO_MEASURE_H
#define TWEED_T_MODEL_NO_MEASURE_H

#include "../../lib/measure.h"

void tweed__measure_deal(struct tweed__part *p, int seat, uint32_t begin, uint32_t end)
{
    (void)p, (void)seat, (void)begin, (void)end;
}

void tweed__measure_time(const struct tweed__part *p)
{
    (void)p;
}

void tweed__measure_end(struct tweed__part *p)
{
    (void)p;
}

#endif
