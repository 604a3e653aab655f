/*
 * tbb.h - what oneTBB's programs have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef USERS_TBB_H
#define USERS_TBB_H

#include <cstdio>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/version.h>

#include "ways.hpp"

static void version(char *text, size_t size)
{
    std::snprintf(text, size, "%s, library %s, %s", TBB_VERSION_STRING,
                  TBB_runtime_version(), USER_COMPILER);
}

/* More than the CPUs needs a limit that stays until the process ends. */
static void start(int workers)
{
    using oneapi::tbb::global_control;

    if (workers)
        new global_control(global_control::max_allowed_parallelism,
                           static_cast<size_t>(workers));
}

#endif
