/*
 * process.h - a process that is measured: what it is, is told and tells.
 *
 * SPDX-License-Identifier: MIT
 *
 * A process is started for each way to write the loop of a row.  All but the one that is
 * measured are stopped (SIGSTOP), whatever their idle threads would like to do.
 */
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#define MOST_WAYS 12 /* of a program */

/* A program as the driver knows it: told by a process of it. */
struct module {
    char path[4096];
    char name[32], version[128]; /* of the runtime */
    char ways[MOST_WAYS][24];
    int num_ways;
    bool serial, ours; /* ours: tweed's, which has no peer in itself */
};

/* What a runner is told to do, and what it says. */
struct order {
    int way;
    int times;     /* runs that count */
    bool rehearse; /* one more before these that does not */
};

struct result {
    double seconds; /* of a run */
    double extra;   /* a second figure of the same run, where its row has one */
    double answer;  /* the part of it that is right: 1 */
};

struct runner {
    const struct module *module; /* NULL: not started */
    pid_t pid;
    int fd;
};

/* process.c.  Where it fails it says why. */
bool process_send(int fd, const void *data, size_t size);
bool process_receive(int fd, void *data, size_t size);
bool process_start(struct runner *r, char *why, size_t size);
bool process_hear(struct runner *r, void *data, size_t size, char *why,
                  size_t why_size);
bool process_stop(struct runner *r, char *why, size_t size);
bool runner_measure(struct runner *r, const struct order *order,
                    struct result *result, char *why, size_t size);
void runner_end(struct runner *r);

#endif
