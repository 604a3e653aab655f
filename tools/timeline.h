/*
 * timeline.h - a trace, as tweed-trace draws it: lanes, what fills them, and steals.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_TOOLS_TIMELINE_H
#define TWEED_TOOLS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Outer ones first, where two begin together. */
enum span_kind { SPAN_LOOP, SPAN_RUN, SPAN_SPIN, SPAN_JOIN, SPAN_SLEEP };

/* What lasts on a lane.  Spans of a lane lie one in another, or apart. */
struct span {
    int64_t begin, end; /* ns */
    enum span_kind kind;
    int name;           /* place in timeline.names, of a loop and of bodies */
    bool inner;         /* a loop that was started in a body */
    bool job;           /* a task of a group, or a submitted one */
};

struct lane {
    int64_t id, process, sort; /* as in the file */
    char *name;
    struct span *spans; /* sorted: by begin, and outer ones first */
    size_t num_spans, room;
    int64_t busy, spinning, asleep; /* ns of the window */
};

struct process {
    int64_t id;
    char *name;
    int64_t node; /* -1: it is none of a pool */
};

struct steal {
    int64_t at;
    int thief, victim; /* places in timeline.lanes; victim -1: not known */
    bool far;
};

/* Tasks that were submitted together. */
struct submission {
    int64_t at;
    int lane; /* place in timeline.lanes */
    int64_t tasks;
};

struct timeline {
    struct lane *lanes; /* sorted: by process and place in it */
    struct process *processes;
    struct steal *steals;
    struct submission *submissions;
    char **names;
    size_t num_lanes, num_processes, num_steals, num_submissions, num_names;
    size_t lanes_room, processes_room, steals_room, submissions_room, names_room;
    bool has_jobs;               /* there are tasks of groups, or submitted ones */
    int64_t ns;                  /* how long the trace is */
    int64_t dropped;
    int64_t from, to;            /* the window */
    /* Of the window: */
    size_t near, far;            /* steals */
    size_t calls;                /* submissions */
    int64_t submitted;           /* tasks of these */
    int64_t looping;             /* ns during which some loop or such task ran */
    int64_t busy, most_busy;     /* ns, of all lanes and of the busiest one */
};

/* Reads a file, and makes the window all of its loops, tasks and submissions.  NULL: a word on stderr has
   said why. */
struct timeline *timeline_read(const char *path);
void timeline_free(struct timeline *t);

/* The window is the time from the first of the loops with this name to the end of the last
   one; or of its k-th call, the last one being -1, unless k is 0.  name NULL: of any loop,
   and without k of all loops, tasks and submissions.  False: there is none. */
bool timeline_window(struct timeline *t, const char *name, long k);

/* Adds up what lies in the window. */
void timeline_sum(struct timeline *t);

/* What a lane does, piece by piece: the innermost of the spans.  Called in order for
   each piece [begin, end) within the window; bodies, spinning and sleep only. */
typedef void piece_fn(void *arg, const struct span *span, int64_t begin, int64_t end);
void timeline_pieces(const struct timeline *t, const struct lane *lane, piece_fn *fn,
                     void *arg);

#endif
