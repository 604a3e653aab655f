/*
 * by-name.h - loops are counted by their names from now on, from zero, without a table.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_BY_NAME_H
#define TWEED_T_BY_NAME_H

#include "log/profile.h"

/* No loop may run. */
static inline void count_by_name(void)
{
    fetch_or_seq_cst(&tweed__watched, TWEED__WATCH_PROFILE);
    tweed__profile_forget();
}

#endif
