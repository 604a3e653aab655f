/*
 * tracefile.h - a trace as a file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_TRACEFILE_H
#define TWEED_LIB_TRACEFILE_H

#include <stdint.h>

/* What has been written. */
struct tweed__written {
    uint64_t events;  /* events that are in the file */
    uint64_t dropped; /* events that are not */
};

/* Writes what was recorded last, as JSON.  Threads may go on recording.  0, or an
   errno. */
int tweed__trace_write(int fd, struct tweed__written *written);

#endif
