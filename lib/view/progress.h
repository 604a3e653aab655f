/*
 * progress.h - how far loops are: a thread that looks at them and reports.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_PROGRESS_H
#define TWEED_LIB_PROGRESS_H

#include "pool/pool.h"


#endif
