/*
 * timeline.c - reads a trace (lib/view/tracefile.c), a line an event.
 *
 * SPDX-License-Identifier: MIT
 *
 * A trace may have millions of events, so each line is parsed by itself and forgotten.
 * Other files of that format, though they are as good, are refused.
 */
#include "config.h"

#include "timeline.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *at_least(void *array, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 16;
    array = realloc(array, *room * size);
    if (!array) {
        fprintf(stderr, "tweed-trace: out of memory\n");
        exit(1);
    }
    return array;
}

static char *copy(const char *text)
{
    char *made = strdup(text);

    if (made)
        return made;
    fprintf(stderr, "tweed-trace: out of memory\n");
    exit(1);
}

/* ---- values of an event ---- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static int64_t number_of(const json_t *object, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(object, key);

    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

/* Microseconds in the file.  No trace lasts for a hundred days; sums of longer times could
   exceed 64 bits. */
static int64_t time_of(const json_t *event, const char *key)
{
    double us = json_number_value(json_object_get(event, key));

    return us > 0 && us < 9e12 ? (int64_t)(us * 1000 + 0.5) : 0;
}

/* ---- lanes and names ---- */

static int find_lane(const struct timeline *t, int64_t id)
{
    for (size_t i = t->num_lanes; i-- > 0;) /* the events of one come together */
        if (t->lanes[i].id == id)
            return (int)i;
    return -1;
}

static struct lane *lane_of(struct timeline *t, const json_t *event)
{
    int64_t id = number_of(event, "tid", 0);
    int found = find_lane(t, id);

    if (found >= 0)
        return &t->lanes[found];
    t->lanes = at_least(t->lanes, &t->lanes_room, t->num_lanes, sizeof *t->lanes);
    t->lanes[t->num_lanes] = (struct lane){ .id = id,
                                            .process = number_of(event, "pid", 0),
                                            .name = copy("") };
    return &t->lanes[t->num_lanes++];
}

static struct process *process_of(struct timeline *t, int64_t id)
{
    for (size_t i = 0; i < t->num_processes; i++)
        if (t->processes[i].id == id)
            return &t->processes[i];
    t->processes = at_least(t->processes, &t->processes_room, t->num_processes,
                            sizeof *t->processes);
    t->processes[t->num_processes] = (struct process){ id, copy(""), -1 };
    return &t->processes[t->num_processes++];
}

/* Mostly the one before. */
static int name_of(struct timeline *t, const char *name)
{
    static size_t last;

    if (last < t->num_names && strcmp(t->names[last], name) == 0)
        return (int)last;
    for (last = 0; last < t->num_names; last++)
        if (strcmp(t->names[last], name) == 0)
            return (int)last;
    t->names = at_least(t->names, &t->names_room, t->num_names, sizeof *t->names);
    t->names[t->num_names] = copy(name);
    return (int)t->num_names++;
}

/* ---- events ---- */

static void read_metadata(struct timeline *t, const json_t *event)
{
    const json_t *args = json_object_get(event, "args");
    const char *what = text_of(event, "name");
    struct process *p;
    struct lane *lane;

    if (strcmp(what, "process_name") == 0) {
        p = process_of(t, number_of(event, "pid", 0));
        free(p->name);
        p->name = copy(text_of(args, "name"));
        p->node = number_of(args, "node", -1);
    } else if (strcmp(what, "thread_name") == 0) {
        lane = lane_of(t, event);
        free(lane->name);
        lane->name = copy(text_of(args, "name"));
    } else if (strcmp(what, "thread_sort_index") == 0) {
        lane_of(t, event)->sort = number_of(args, "sort_index", 0);
    }
}

static void read_span(struct timeline *t, const json_t *event)
{
    static const char *const kinds[] = { "loop", "run", "spin", "join", "sleep" };
    const char *category = text_of(event, "cat");
    struct lane *lane = lane_of(t, event);
    struct span s = { .begin = time_of(event, "ts") };
    int kind = 0;

    while (kind <= SPAN_SLEEP && strcmp(category, kinds[kind]) != 0)
        kind++;
    if (kind > SPAN_SLEEP)
        return;
    s.end = s.begin + time_of(event, "dur");
    s.kind = (enum span_kind)kind;
    s.name = kind <= SPAN_RUN ? name_of(t, text_of(event, "name")) : 0;
    s.inner = json_object_get(json_object_get(event, "args"), "in") != NULL;
    s.job = json_object_get(json_object_get(event, "args"), "group") != NULL;
    t->has_jobs |= s.job;
    lane->spans = at_least(lane->spans, &lane->room, lane->num_spans,
                           sizeof *lane->spans);
    lane->spans[lane->num_spans++] = s;
}

/* Lanes are places of the file's order still; the victim's may come later. */
static void read_steal(struct timeline *t, const json_t *event)
{
    const json_t *args = json_object_get(event, "args");

    if (strcmp(text_of(event, "cat"), "steal") != 0)
        return;
    t->steals = at_least(t->steals, &t->steals_room, t->num_steals,
                         sizeof *t->steals);
    t->steals[t->num_steals++] = (struct steal){
        .at = time_of(event, "ts"),
        .thief = (int)number_of(event, "tid", -1),
        .victim = (int)number_of(args, "from", -1),
        .far = json_is_true(json_object_get(args, "far")),
    };
}

static void read_submission(struct timeline *t, const json_t *event)
{
    const json_t *args = json_object_get(event, "args");

    if (strcmp(text_of(event, "cat"), "submit") != 0)
        return;
    t->submissions = at_least(t->submissions, &t->submissions_room, t->num_submissions,
                              sizeof *t->submissions);
    t->submissions[t->num_submissions++] = (struct submission){
        .at = time_of(event, "ts"),
        .lane = (int)number_of(event, "tid", -1),
        .tasks = number_of(args, "tasks", 0),
    };
}

static void read_event(struct timeline *t, const json_t *event)
{
    switch (*text_of(event, "ph")) {
    case 'M': read_metadata(t, event); break;
    case 'X': read_span(t, event); break;
    case 'i':
        read_steal(t, event);
        read_submission(t, event);
        break;
    default: break;
    }
}

/* ---- the file ---- */

static const char head[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
static const char tail[] = "],\"otherData\":";

/* NULL: all is well.  A line of the file, and whether it is the last one. */
static const char *read_line(struct timeline *t, const char *line, size_t n,
                             bool *is_last)
{
    json_error_t wrong;
    json_t *value;

    *is_last = strncmp(line, tail, strlen(tail)) == 0;
    if (*is_last) {
        line += strlen(tail);
        n -= strlen(tail);
    }
    while (n && (line[n - 1] == '\n' || (line[n - 1] == ',' && !*is_last)))
        n--;
    if (*is_last && n && line[n - 1] == '}') /* that of the first line */
        n--;
    if (n == 0)
        return NULL;
    value = json_loadb(line, n, 0, &wrong);
    if (!json_is_object(value)) {
        json_decref(value);
        return "a line is no JSON object";
    }
    if (*is_last) {
        t->ns = number_of(value, "ns", 0);
        t->dropped = number_of(value, "dropped", 0);
    } else {
        read_event(t, value);
    }
    json_decref(value);
    return NULL;
}

/* The second line says who has written the file. */
static bool is_ours(const char *line)
{
    static const char first[] = "{\"name\":\"tweed_trace\",\"ph\":\"M\",";

    return strncmp(line, first, strlen(first)) == 0;
}

static const char *read_lines(struct timeline *t, FILE *f)
{
    const char *wrong = "it is no trace of tweed's", *cut = "its end is missing";
    char *line = NULL;
    size_t size = 0;
    bool is_last = false;
    ssize_t n = getline(&line, &size, f);

    if (n > 0 && strcmp(line, head) == 0 && (n = getline(&line, &size, f)) > 0 &&
        is_ours(line)) {
        wrong = line[n - 1] != '\n'                ? cut
                : strstr(line, "\"format\":1,") ? NULL
                                               : "it is of a later version of tweed";
        while (!wrong && !is_last && (n = getline(&line, &size, f)) > 0) {
            wrong = read_line(t, line, (size_t)n, &is_last);
            if (wrong && line[n - 1] != '\n') /* the file ends within the line */
                wrong = cut;
        }
        if (!wrong && !is_last)
            wrong = cut;
    }
    free(line);
    return ferror(f) ? strerror(errno) : wrong;
}

/* ---- in order ---- */

static int by_place(const void *a, const void *b)
{
    const struct lane *x = a, *y = b;

    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->sort == y->sort ? (x->id > y->id) - (x->id < y->id)
                              : (x->sort > y->sort) - (x->sort < y->sort);
}

static int by_begin(const void *a, const void *b)
{
    const struct span *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

static void sort(struct timeline *t)
{
    if (t->num_lanes)
        qsort(t->lanes, t->num_lanes, sizeof *t->lanes, by_place);
    for (size_t i = 0; i < t->num_lanes; i++)
        if (t->lanes[i].num_spans)
            qsort(t->lanes[i].spans, t->lanes[i].num_spans,
                  sizeof *t->lanes[i].spans, by_begin);
    for (size_t i = 0; i < t->num_steals; i++) {
        t->steals[i].thief = find_lane(t, t->steals[i].thief);
        t->steals[i].victim = find_lane(t, t->steals[i].victim);
    }
    for (size_t i = 0; i < t->num_submissions; i++)
        t->submissions[i].lane = find_lane(t, t->submissions[i].lane);
}

struct timeline *timeline_read(const char *path)
{
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    struct timeline *t = calloc(1, sizeof *t);
    const char *wrong = !f ? strerror(errno) : !t ? "out of memory" : NULL;

    if (!wrong)
        wrong = read_lines(t, f);
    if (f && f != stdin)
        fclose(f);
    if (wrong) {
        fprintf(stderr, "tweed-trace: %s: %s\n", path, wrong);
        timeline_free(t);
        return NULL;
    }
    sort(t);
    if (!timeline_window(t, NULL, 0)) { /* nothing: all of it */
        t->from = 0;
        t->to = t->ns;
    }
    return t;
}

void timeline_free(struct timeline *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->num_lanes; i++) {
        free(t->lanes[i].name);
        free(t->lanes[i].spans);
    }
    for (size_t i = 0; i < t->num_processes; i++)
        free(t->processes[i].name);
    for (size_t i = 0; i < t->num_names; i++)
        free(t->names[i]);
    free(t->lanes);
    free(t->processes);
    free(t->steals);
    free(t->submissions);
    free(t->names);
    free(t);
}

/* ---- the window ---- */

static bool is_wanted(const struct timeline *t, const struct span *s, const char *name,
                      bool jobs)
{
    if (s->kind != SPAN_LOOP)
        return jobs && s->job;
    return name ? strcmp(t->names[s->name], name) == 0 : !s->inner;
}

/* The loops that are in no body, or those with this name, as they begin; jobs: and tasks of
   groups and submitted ones.  *count: how many there are. */
static struct span *loops_of(const struct timeline *t, const char *name, bool jobs,
                             size_t *count)
{
    struct span *loops = NULL;
    size_t room = 0;

    *count = 0;
    for (size_t i = 0; i < t->num_lanes; i++)
        for (size_t k = 0; k < t->lanes[i].num_spans; k++) {
            const struct span *s = &t->lanes[i].spans[k];

            if (!is_wanted(t, s, name, jobs))
                continue;
            loops = at_least(loops, &room, *count, sizeof *loops);
            loops[(*count)++] = *s;
        }
    if (*count)
        qsort(loops, *count, sizeof *loops, by_begin);
    return loops;
}

static void widen_for_submissions(struct timeline *t)
{
    for (size_t i = 0; i < t->num_submissions; i++) {
        int64_t at = t->submissions[i].at;

        t->from = at < t->from ? at : t->from;
        t->to = at > t->to ? at : t->to;
    }
}

bool timeline_window(struct timeline *t, const char *name, long k)
{
    size_t count, calls;
    struct span *loops = loops_of(t, name, !name && k == 0, &count);
    bool found;

    calls = k < 0 ? 0 - (size_t)k : (size_t)k;
    found = count && calls <= count;
    if (found) {
        size_t first = k > 0 ? calls - 1 : k < 0 ? count - calls : 0;

        t->from = loops[first].begin;
        t->to = loops[first].end;
        for (size_t i = 0; i < count && k == 0; i++)
            if (loops[i].end > t->to)
                t->to = loops[i].end;
        if (!name && k == 0)
            widen_for_submissions(t);
    }
    free(loops);
    return found;
}

/* How much of the window lies in some loop or task. */
static int64_t looping(const struct timeline *t)
{
    size_t count;
    struct span *loops = loops_of(t, NULL, true, &count);
    int64_t sum = 0, at = t->from;

    for (size_t i = 0; i < count; i++) {
        int64_t begin = loops[i].begin > at ? loops[i].begin : at;
        int64_t end = loops[i].end < t->to ? loops[i].end : t->to;

        if (begin < end) {
            sum += end - begin;
            at = end;
        }
    }
    free(loops);
    return sum;
}

#define DEEPEST 8192

struct walk {
    const struct timeline *t;
    piece_fn *fn;
    void *arg;
    const struct span *open[DEEPEST];
    size_t depth;
    int64_t at; /* up to here all is told */
};

/* From where the walk is to `end` the innermost span is what it is. */
static void tell(struct walk *w, int64_t end)
{
    const struct span *s = w->depth ? w->open[w->depth - 1] : NULL;
    int64_t begin = w->at > w->t->from ? w->at : w->t->from;
    int64_t last = end < w->t->to ? end : w->t->to;

    if (s && s->kind != SPAN_LOOP && begin < last)
        w->fn(w->arg, s, begin, last);
    w->at = end > w->at ? end : w->at;
}

static void close_until(struct walk *w, int64_t at)
{
    while (w->depth && w->open[w->depth - 1]->end <= at) {
        tell(w, w->open[w->depth - 1]->end);
        w->depth--;
    }
}

void timeline_pieces(const struct timeline *t, const struct lane *lane, piece_fn *fn,
                     void *arg)
{
    struct walk w = { .t = t, .fn = fn, .arg = arg, .at = INT64_MIN };

    for (size_t i = 0; i < lane->num_spans; i++) {
        const struct span *s = &lane->spans[i];

        close_until(&w, s->begin);
        tell(&w, s->begin);
        if (w.depth < DEEPEST)
            w.open[w.depth++] = s;
    }
    close_until(&w, INT64_MAX);
}

static void add(void *arg, const struct span *s, int64_t begin, int64_t end)
{
    struct lane *lane = arg;

    *(s->kind == SPAN_RUN     ? &lane->busy
      : s->kind == SPAN_SLEEP ? &lane->asleep
                              : &lane->spinning) += end - begin;
}

void timeline_sum(struct timeline *t)
{
    t->looping = looping(t);
    t->busy = t->most_busy = 0;
    t->near = t->far = 0;
    for (size_t i = 0; i < t->num_lanes; i++) {
        struct lane *lane = &t->lanes[i];

        lane->busy = lane->spinning = lane->asleep = 0;
        timeline_pieces(t, lane, add, lane);
        t->busy += lane->busy;
        if (lane->busy > t->most_busy)
            t->most_busy = lane->busy;
    }
    for (size_t i = 0; i < t->num_steals; i++)
        if (t->steals[i].at >= t->from && t->steals[i].at < t->to)
            ++*(t->steals[i].far ? &t->far : &t->near);
    t->calls = 0;
    t->submitted = 0;
    for (size_t i = 0; i < t->num_submissions; i++)
        if (t->submissions[i].at >= t->from && t->submissions[i].at < t->to) {
            t->calls++;
            t->submitted += t->submissions[i].tasks;
        }
}
