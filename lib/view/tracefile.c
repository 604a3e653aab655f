/*
 * tracefile.c - a trace as JSON, in the Trace Event Format that Perfetto and
 * chrome://tracing open.
 *
 * SPDX-License-Identifier: MIT
 *
 * A line an event.  Two events, the begin and the end of a SPAN, are put together here
 * (ph X), lane by lane: the events of a thread are in order, and its spans are nested.  A
 * span that had begun before the trace, or before the oldest event that the ring has
 * kept, begins there, and says so ("cut").  A span that has not ended ends with the trace
 * ("open").
 *
 * A steal is an instant (ph i) of the thief, and an arrow (ph s, f) from the victim's
 * lane to the thief's next bodies.
 *
 * Processes stand for the nodes of each pool, and the first process for outside threads.
 */
#include "config.h"

#include "view/tracefile.h"
#include "base/print.h"
#include "base/text.h"
#include "log/label.h"
#include "log/trace.h"
#include "system/system.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CALLERS 1   /* the process of threads that are no pool's */
#define NODES 1024  /* of a pool, at most */
#define DEEPEST 4096 /* spans in one another */
#define LINE 512    /* more than any line has */

/* All while the trace is held (trace.h), but not under its lock: threads that have their
   first event do not wait for a file. */
static struct {
    int fd, error;
    size_t used;
    char text[1 << 16];
    const char *separator;
    uint64_t began, end; /* ns; of the trace */
    const struct tweed__lane *lanes, *last; /* the lanes of the beginning */
    uint64_t arrows;
    struct tweed__written sum;
    /* Of the lane that is being written. */
    const struct tweed__lane *lane;
    uint64_t since; /* ns: from here on the lane is known */
    unsigned depth;
    struct tweed__event open[DEEPEST];
} out;

/* ---- text ---- */

static void flush(void)
{
    const char *at = out.text;

    while (out.used && !out.error) {
        ssize_t n = tweed__write(out.fd, at, out.used);

        if (n > 0) {
            at += n;
            out.used -= (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            out.error = n == 0 ? EIO : errno;
        }
    }
    out.used = 0;
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list args;
    int n;

    if (sizeof out.text - out.used < LINE)
        flush();
    va_start(args, format);
    n = vsnprintf(out.text + out.used, sizeof out.text - out.used, format, args);
    va_end(args);
    out.used += (size_t)n;
}

/* As a JSON string: what is no UTF-8 becomes U+FFFD. */
static void say_string(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    say("\"");
    while (*s) {
        int n = text_character(s);

        if (n == 0)
            say("\\ufffd");
        else if (*s < 0x20 || *s == '"' || *s == '\\' || *s == 0x7f)
            say("\\u%04x", *s);
        else
            say("%.*s", n, (const char *)s);
        s += n ? n : 1;
    }
    say("\"");
}

/* No integer of most readers is longer than 63 bits. */
static void say_count(const char *key, uint64_t count)
{
    say(",\"%s\":%" PRIu64 "%s", key, count, count > INT64_MAX ? ".0" : "");
}

/* ---- one event ---- */

static const char *const categories[] = {
    [TRACE_LOOP] = "loop",   [TRACE_RUN] = "run",
    [TRACE_SPIN] = "spin",   [TRACE_SLEEP] = "sleep",
    [TRACE_STEAL] = "steal", [TRACE_PROPOSE] = "propose",
    [TRACE_WAKE] = "wake",   [TRACE_JOIN] = "join",
    [TRACE_JOB] = "run",     [TRACE_SUBMIT] = "submit",
};

static unsigned process_of(const struct tweed__who *who)
{
    return who->team ? CALLERS + 1 + who->team * NODES + (unsigned)who->node % NODES
                     : CALLERS;
}

static void say_place(const struct tweed__lane *lane)
{
    say(",\"pid\":%u,\"tid\":%u", process_of(&lane->who), lane->id);
}

/* In microseconds, as the format wants it. */
static void say_time(const char *key, uint64_t ns)
{
    say(",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static uint64_t since_start(uint64_t ns)
{
    return ns > out.began ? ns - out.began : 0;
}

static void say_head(const struct tweed__event *e, const char *phase)
{
    const char *name = categories[e->kind];

    if (e->mark.loop && e->kind <= TRACE_RUN)
        name = tweed__label_text(e->mark.label);
    if (e->kind == TRACE_JOB)
        name = e->a ? "group task" : "submitted task";
    say("%s{\"name\":", out.separator);
    out.separator = ",\n";
    say_string(*name ? name : "(no name)");
    say(",\"cat\":\"%s\",\"ph\":\"%s\"", categories[e->kind], phase);
}

static const struct tweed__lane *lane_after(const struct tweed__lane *l)
{
    return l == out.last ? NULL : l->next;
}

/* The pool that the loop runs on. */
static const char *pool_of(uint32_t team)
{
    for (const struct tweed__lane *l = out.lanes; l; l = lane_after(l))
        if (l->who.team == team)
            return l->who.pool;
    return "";
}

/* begin NULL: the beginning is not known. */
static void say_loop(const struct tweed__event *begin, const struct tweed__event *end)
{
    if (!end->task) {
        say(",\"lo\":%" PRId64, (int64_t)end->a);
        if (begin)
            say(",\"hi\":%" PRId64, (int64_t)(begin->a + begin->b));
        if (end != begin)
            say_count("ran", end->b);
    }
    if (begin && begin->c)
        say(",\"in\":%" PRIu32, begin->c);
    if (end->mark.team && *pool_of(end->mark.team)) {
        say(",\"pool\":");
        say_string(pool_of(end->mark.team));
    }
}

static void say_run(const struct tweed__event *e, bool has_ended)
{
    if (e->task)
        return;
    say(",\"first\":%" PRId64, (int64_t)e->a);
    if (has_ended)
        say_count("n", e->b);
}

static void say_flag(const char *name, bool is_first)
{
    say("%s\"%s\":true", is_first ? "" : ",", name);
}

/* A span.  begin NULL: it is "cut"; end NULL: it is "open".  (One of the two is there.) */
static void say_span(const struct tweed__event *begin, const struct tweed__event *end)
{
    const struct tweed__event *e = end ? end : begin;
    uint64_t from = since_start(begin ? begin->ns : out.since);
    uint64_t to = since_start(end ? end->ns : out.end);
    bool is_idle = e->kind == TRACE_SPIN || e->kind == TRACE_SLEEP;

    say_head(e, "X");
    say_place(out.lane);
    say_time("ts", from);
    say_time("dur", to > from ? to - from : 0);
    say(",\"args\":{");
    if (e->kind == TRACE_JOB)
        say("\"group\":%" PRIu64 ",\"worker\":%d", e->a, e->worker);
    else if (!is_idle)
        say("\"loop\":%" PRIu32 ",\"worker\":%d", e->mark.loop, e->worker);
    if (e->kind == TRACE_LOOP)
        say_loop(begin, e);
    if (e->kind == TRACE_RUN)
        say_run(e, end != NULL);
    if (e->kind == TRACE_JOIN && begin && begin->victim >= 0)
        say(",\"thief\":%d", begin->victim);
    if (e->task)
        say_flag("task", false);
    if (!begin)
        say_flag("cut", is_idle);
    if (!end)
        say_flag("open", is_idle);
    say("}}");
}

static void say_instant(const struct tweed__event *e)
{
    say_head(e, "i");
    say_place(out.lane);
    say_time("ts", since_start(e->ns));
    say(",\"s\":\"t\",\"args\":{");
}

/* One end of an arrow. */
static void say_arrow(const struct tweed__event *e, const char *phase,
                      const struct tweed__lane *lane)
{
    say_head(e, phase);
    say_place(lane);
    say_time("ts", since_start(e->ns));
    say(",\"id\":%" PRIu64 "}", out.arrows);
}

/* The lane of the victim; NULL: the victim has none. */
static const struct tweed__lane *victim_of(const struct tweed__event *e)
{
    const struct tweed__lane *l = out.lanes;

    while (l && (e->victim == 0 ? l->id != e->mark.caller
                                : l->who.team != e->mark.team ||
                                      l->who.index != e->victim))
        l = lane_after(l);
    return l;
}

static void say_pair(const struct tweed__event *e)
{
    const struct tweed__lane *victim = victim_of(e);

    say("\"loop\":%" PRIu32 ",\"thief\":%d,\"victim\":%d", e->mark.loop,
        e->worker, e->victim);
    if (victim)
        say(",\"from\":%u", victim->id);
}

static void say_steal(const struct tweed__event *e)
{
    const struct tweed__lane *victim = victim_of(e);

    say_instant(e);
    say_pair(e);
    say(",\"far\":%s", e->far ? "true" : "false");
    if (e->domain)
        say_flag("domain", false);
    if (e->task) {
        say_flag("task", false);
        if (e->c)
            say(",\"tasks\":%" PRIu32, e->c);
    } else {
        say(",\"blocks\":%" PRIu32 ",\"first\":%" PRId64, e->c, (int64_t)e->a);
        say_count("n", e->b);
    }
    say("}}");
    if (!victim)
        return;
    out.arrows++;
    say_arrow(e, "s", victim);
    say_arrow(e, "f", out.lane);
}

static void say_submit(const struct tweed__event *e)
{
    say_instant(e);
    say("\"worker\":%d,\"tasks\":%" PRIu64 ",\"queued\":%" PRIu64, e->worker, e->a, e->b);
    say_flag("task", false);
    if (*pool_of(e->mark.team)) {
        say(",\"pool\":");
        say_string(pool_of(e->mark.team));
    }
    say("}}");
}

static void say_at(const struct tweed__event *e)
{
    if (e->kind == TRACE_STEAL || e->kind == TRACE_SUBMIT) {
        (e->kind == TRACE_STEAL ? say_steal : say_submit)(e);
        return;
    }
    say_instant(e);
    if (e->kind == TRACE_PROPOSE)
        say_pair(e);
    else
        say("\"most\":%" PRIu64 ",\"woken\":%" PRIu64, e->a, e->b);
    say("}}");
}

/* ---- a lane ---- */

/* The span of this kind, and of this loop, that began last; DEEPEST: there is none. */
static unsigned find_open(const struct tweed__event *e)
{
    for (unsigned i = out.depth; i > 0; i--)
        if (out.open[i - 1].kind == e->kind &&
            out.open[i - 1].mark.loop == e->mark.loop)
            return i - 1;
    return DEEPEST;
}

/* Ends all spans from place i on. */
static void end_from(unsigned i)
{
    while (out.depth > i)
        say_span(&out.open[--out.depth], NULL);
}

static void say_end(const struct tweed__event *e)
{
    unsigned i = find_open(e);

    if (i == DEEPEST) {
        say_span(NULL, e);
        return;
    }
    end_from(i + 1);
    out.depth = i;
    say_span(&out.open[i], e);
}

static void say_event(const struct tweed__event *e)
{
    if (e->phase == TRACE_AT)
        say_at(e);
    else if (e->phase == TRACE_END)
        say_end(e);
    else if (out.depth < DEEPEST)
        out.open[out.depth++] = *e;
    else
        out.sum.dropped++;
}

static void say_name(const char *key, const struct tweed__lane *lane)
{
    say("%s{\"name\":\"%s\",\"ph\":\"M\"", out.separator, key);
    out.separator = ",\n";
    say_place(lane);
    say(",\"args\":{");
}

/* Which thread the lane is, and where it stands among the lanes. */
static void say_who(const struct tweed__lane *lane)
{
    const struct tweed__who *who = &lane->who;

    say_name("process_name", lane);
    say("\"name\":");
    if (who->team) {
        say_string(who->pool);
        say(",\"node\":%d}}", who->node);
    } else {
        say("\"callers\"}}");
    }
    say_name("process_sort_index", lane);
    say("\"sort_index\":%u}}", process_of(who));
    say_name("thread_name", lane);
    say("\"name\":\"%s %d\",\"%s\":%d}}", who->team ? "worker" : "caller", who->index,
        who->team ? "worker" : "caller", who->index);
    say_name("thread_sort_index", lane);
    say("\"sort_index\":%d}}", who->index);
}

static void say_dropped(uint64_t n)
{
    if (n == 0)
        return;
    say("%s{\"name\":\"dropped\",\"cat\":\"dropped\",\"ph\":\"i\"", out.separator);
    say_place(out.lane);
    say_time("ts", since_start(out.since));
    say(",\"s\":\"t\",\"args\":{\"events\":%" PRIu64 "}}", n);
}

static void say_lane(const struct tweed__lane *lane)
{
    uint64_t first, end, dropped;
    struct tweed__event e;
    bool known = false;

    (void)tweed__trace_lock(); /* the lane's thread may be taking the lane just now */
    tweed__lane_span(lane, &first, &end);
    dropped = first - lane->first;
    tweed__trace_unlock();
    if (first == end && !lane->who.team)
        return; /* a worker that did nothing is in the trace */
    say_who(lane);
    if (first == end)
        return;
    out.lane = lane;
    out.since = out.began;
    out.depth = 0;
    for (uint64_t n = first; n < end; n++) {
        if (!tweed__lane_event(lane, n, &e)) {
            dropped++;
            out.depth = 0; /* as though nothing had been before */
            known = false;
            continue;
        }
        if (e.ns > out.end) /* later than what other lanes have */
            break;
        if (!known && dropped)
            out.since = e.ns;
        known = true;
        say_event(&e);
        out.sum.events++;
    }
    end_from(0);
    say_dropped(dropped);
    out.sum.dropped += dropped;
}

/* What is to be written. */
static void prepare(int fd)
{
    const struct tweed__trace *trace = tweed__trace_lock();

    out.fd = fd;
    out.error = 0;
    out.used = 0;
    out.separator = "";
    out.began = trace->number ? trace->began : 0;
    out.end = trace->ended || !trace->number ? trace->ended : tweed__clock();
    out.lanes = trace->lanes;
    out.last = tweed__trace_last();
    out.arrows = 0;
    out.sum = (struct tweed__written){ 0, load_relaxed(&trace->lost) }; /* a figure */
    tweed__trace_unlock();
}

int tweed__trace_write(int fd, struct tweed__written *written)
{
    int error;

    tweed__trace_hold();
    prepare(fd);
    say("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    say("{\"name\":\"tweed_trace\",\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"args\":"
        "{\"format\":1,\"version\":\"%s\"}}", CALLERS, TWEED_VERSION);
    out.separator = ",\n";
    for (const struct tweed__lane *lane = out.lanes; lane; lane = lane_after(lane))
        say_lane(lane);
    say("\n],\"otherData\":{\"tweed\":\"%s\",\"ns\":%" PRIu64 ",\"events\":%" PRIu64
        ",\"dropped\":%" PRIu64 "}}\n",
        TWEED_VERSION, out.end - out.began, out.sum.events, out.sum.dropped);
    flush();
    *written = out.sum;
    error = out.error;
    tweed__trace_let_go();
    return error;
}
