/*
 * tracing.h - traces that the environment asks for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_TRACING_H
#define TWEED_LIB_TRACING_H

#include "pool/team.h"

#endif
