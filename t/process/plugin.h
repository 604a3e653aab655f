/*
 * plugin.h - what plugin.c calls in plugin-module.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_PLUGIN_H
#define TWEED_T_PLUGIN_H

#include <tweed.h>

/* Starts a pool of the library's copy in this plugin and runs a loop.  True if that
   went well. */
int plugin_run(void);

/* Calls the library without starting a pool.  True. */
int plugin_rest(void);

#endif
