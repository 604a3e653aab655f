/*
 * tweed/trace.h - what each worker did, and when.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h.
 *
 *     tweed_trace_start()    begins to record
 *     tweed_trace_stop()     ends recording
 *     tweed_trace_write()    writes what was recorded to a file
 *
 * A trace has the loops, the spans of time in which workers executed bodies, steals with
 * thief and victim, joins, and when threads looked for work, slept and were woken.
 * Perfetto (ui.perfetto.dev) opens the file, and tweed-trace(1) draws it.  With
 * TWEED_TRACE=file.json in the environment a program is traced without these calls.
 */
#ifndef TWEED_H
#include <tweed.h> /* which includes this file */
#endif
#ifndef TWEED_TRACE_H
#define TWEED_TRACE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a trace: a struct that begins with its size (see tweed.h). */
typedef struct tweed_trace_options {
    size_t size;   /* sizeof(tweed_trace_options) */
    size_t events; /* how many are kept of each thread, 256 to 16777216; rounded up to
                      a power of two.  0: TWEED_TRACE_EVENTS, or else 65536 */
} tweed_trace_options;

#define TWEED_TRACE_OPTIONS_INIT { sizeof(tweed_trace_options), 0 }

/*
 * tweed_trace_start - begin to record, in all pools
 *
 * options  NULL: none
 *
 * An earlier trace is gone, even if it was being recorded.  A thread's events go into
 * memory that the thread maps with its first event, 48 bytes each; the newest are kept.
 * An event takes some 40 ns; there is none for a single claim.  Loops that run already
 * are in the trace from now on, without their names.
 *
 * Returns TWEED_OK, or TWEED_EINVAL if events is out of range or size not set.
 */
TWEED_API_ TWEED_CHECKED_ int tweed_trace_start(const tweed_trace_options *options);

/* tweed_trace_stop - record nothing any more; what was recorded stays.  Does not
   wait for loops. */
TWEED_API_ void tweed_trace_stop(void);

/*
 * tweed_trace_write - write what was recorded to a file, as JSON
 *
 * path  a file that is made, or overwritten
 *
 * Loops may run, and be recorded, at the same time.  Events that a thread records while
 * its events are written are not in the file, and events that it overwrites count as
 * dropped.
 *
 * Returns TWEED_OK, or TWEED_EINVAL if path is NULL or the file cannot be written; a
 * part of it may then be there.
 */
TWEED_API_ TWEED_CHECKED_ int tweed_trace_write(const char *path);

#ifdef __cplusplus
}
#endif

#endif /* TWEED_TRACE_H */
