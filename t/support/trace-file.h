/*
 * trace-file.h - reads a trace, line by line, as lib/view/tracefile.c writes it.
 *
 * SPDX-License-Identifier: MIT
 *
 * Whether the file is JSON at all is for t/install/tweed-trace.sh to say.
 */
#ifndef TWEED_T_TRACE_FILE_H
#define TWEED_T_TRACE_FILE_H

#include "tap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NONE INT64_MIN /* of a number that the line does not have */

struct traced {
    char name[200], cat[16], ph;
    int64_t pid, tid, ts, dur; /* ns */
    int64_t loop, worker, lo, hi, ran, in, first, n, thief, victim, from, blocks, id, group, tasks,
        queued;
    bool far, domain, task, cut, open;
};

struct trace_file {
    struct traced *events;
    size_t count;
    int64_t ns, kept, dropped; /* what the file says of itself; NONE: it is cut */
};

static inline int64_t trace_number(const char *line, const char *key)
{
    char pattern[32];
    const char *at;

    snprintf(pattern, sizeof pattern, "\"%s\":", key);
    at = strstr(line, pattern);
    return at ? strtoll(at + strlen(pattern), NULL, 10) : NONE;
}

/* Microseconds with three decimals, as nanoseconds. */
static inline int64_t trace_time(const char *line, const char *key)
{
    char pattern[32];
    long long us;
    int ns;
    const char *at;

    snprintf(pattern, sizeof pattern, "\"%s\":", key);
    at = strstr(line, pattern);
    if (!at || sscanf(at + strlen(pattern), "%lld.%3d", &us, &ns) != 2)
        return NONE;
    return us * 1000 + ns;
}

static inline void trace_text(const char *line, const char *key, char *text,
                              size_t size)
{
    char pattern[32];
    const char *at;
    size_t n = 0;

    snprintf(pattern, sizeof pattern, "\"%s\":\"", key);
    at = strstr(line, pattern);
    for (at = at ? at + strlen(pattern) : ""; *at && *at != '"' && n + 1 < size;)
        text[n++] = *at++;
    text[n] = '\0';
}

static inline struct traced trace_event(const char *line)
{
    struct traced e = { .ph = 0 };
    char ph[4];

    trace_text(line, "name", e.name, sizeof e.name);
    trace_text(line, "cat", e.cat, sizeof e.cat);
    trace_text(line, "ph", ph, sizeof ph);
    e.ph = ph[0];
    e.pid = trace_number(line, "pid");
    e.tid = trace_number(line, "tid");
    e.ts = trace_time(line, "ts");
    e.dur = trace_time(line, "dur");
    e.loop = trace_number(line, "loop");
    e.worker = trace_number(line, "worker");
    e.lo = trace_number(line, "lo");
    e.hi = trace_number(line, "hi");
    e.ran = trace_number(line, "ran");
    e.in = trace_number(line, "in");
    e.first = trace_number(line, "first");
    e.n = trace_number(line, "n");
    e.thief = trace_number(line, "thief");
    e.victim = trace_number(line, "victim");
    e.from = trace_number(line, "from");
    e.blocks = trace_number(line, "blocks");
    e.id = trace_number(line, "id");
    e.group = trace_number(line, "group");
    e.tasks = trace_number(line, "tasks");
    e.queued = trace_number(line, "queued");
    e.far = strstr(line, "\"far\":true") != NULL;
    e.domain = strstr(line, "\"domain\":true") != NULL;
    e.task = strstr(line, "\"task\":true") != NULL;
    e.cut = strstr(line, "\"cut\":true") != NULL;
    e.open = strstr(line, "\"open\":true") != NULL;
    return e;
}

/* False: there is no such file.  What cannot be read is not in it. */
static inline bool trace_read(const char *path, struct trace_file *t)
{
    FILE *f = fopen(path, "r");
    char line[1024];
    size_t room = 0;

    *t = (struct trace_file){ .ns = NONE, .kept = NONE, .dropped = NONE };
    if (!f)
        return false;
    while (fgets(line, sizeof line, f)) {
        if (strstr(line, "\"otherData\":")) {
            t->ns = trace_number(line, "ns");
            t->kept = trace_number(line, "events");
            t->dropped = trace_number(line, "dropped");
        }
        if (line[0] != '{' || !strstr(line, "\"pid\":"))
            continue;
        if (t->count == room) {
            room = room ? 2 * room : 1024;
            t->events = realloc(t->events, room * sizeof *t->events);
            if (!t->events)
                abort();
        }
        t->events[t->count++] = trace_event(line);
    }
    fclose(f);
    return true;
}

static inline void trace_forget(struct trace_file *t)
{
    free(t->events);
    t->events = NULL;
    t->count = 0;
}

static inline bool trace_is(const struct traced *e, char ph, const char *cat)
{
    return e->ph == ph && strcmp(e->cat, cat) == 0;
}

static inline int trace_count(const struct trace_file *t, char ph, const char *cat)
{
    int n = 0;

    for (size_t i = 0; i < t->count; i++)
        n += trace_is(&t->events[i], ph, cat);
    return n;
}

/* The indices that were executed in spans of this loop; -1: some are not known. */
static inline int64_t trace_executed(const struct trace_file *t, int64_t loop)
{
    int64_t sum = 0;

    for (size_t i = 0; i < t->count; i++)
        if (trace_is(&t->events[i], 'X', "run") && t->events[i].loop == loop) {
            if (t->events[i].n == NONE)
                return -1;
            sum += t->events[i].n;
        }
    return sum;
}

/* Are the spans of each thread one after the other, or one in the other? */
static inline bool trace_nests(const struct trace_file *t)
{
    for (size_t i = 0; i < t->count; i++)
        for (size_t j = 0; j < t->count && t->events[i].ph == 'X'; j++) {
            const struct traced *a = &t->events[i], *b = &t->events[j];

            if (b->ph == 'X' && a->tid == b->tid && a->ts < b->ts &&
                b->ts < a->ts + a->dur && b->ts + b->dur > a->ts + a->dur) {
                diag("%s at %lld for %lld, %s at %lld for %lld", a->name,
                     (long long)a->ts, (long long)a->dur, b->name,
                     (long long)b->ts, (long long)b->dur);
                return false;
            }
        }
    return true;
}

/* A thread's events stand in the order in which they were written: what lasts at its
   end. */
static inline bool trace_in_order(const struct trace_file *t)
{
    int64_t tid = NONE, last = NONE;

    for (size_t i = 0; i < t->count; i++) {
        const struct traced *e = &t->events[i];
        int64_t at = e->ph == 'X' ? e->ts + e->dur : e->ts;

        if ((e->ph != 'X' && e->ph != 'i') || strcmp(e->name, "dropped") == 0)
            continue;
        if (e->tid == tid && at < last) {
            diag("%s at %lld after %lld", e->name, (long long)at, (long long)last);
            return false;
        }
        tid = e->tid;
        last = at;
    }
    return true;
}

/* A new file, named by this pattern. */
static inline void trace_make(char *path)
{
    int fd = mkstemp(path);

    if (fd < 0) {
        puts("Bail out!  no temporary file");
        exit(1);
    }
    close(fd);
}

#endif
