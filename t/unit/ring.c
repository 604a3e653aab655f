/*
 * ring.c - a thread's ring of events (lib/log/trace.c), and what is written of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "system/system.h"
#include "tap.h"
#include "log/trace.h"
#include "view/tracefile.h"

#include <string.h>
#include <unistd.h>

#define CAPACITY 256

/* The time is what the test says. */
uint64_t __real_tweed__clock(void);
uint64_t __wrap_tweed__clock(void);

static uint64_t now = 1000;

uint64_t __wrap_tweed__clock(void)
{
    return now;
}

/* An event that is overwritten while it is read. */
bool __real_tweed__lane_event(const struct tweed__lane *l, uint64_t n, struct tweed__event *e);
bool __wrap_tweed__lane_event(const struct tweed__lane *l, uint64_t n, struct tweed__event *e);

static uint64_t gap = UINT64_MAX;

bool __wrap_tweed__lane_event(const struct tweed__lane *l, uint64_t n, struct tweed__event *e)
{
    return n != gap && __real_tweed__lane_event(l, n, e);
}

static const struct tweed__who who = { .team = 7, .index = 3, .pool = "ring" };
static const struct tweed__lane *lane;

/* Event k is a wake of k threads at time 1000 + k. */
static void wake(int from, int to)
{
    for (int k = from; k < to; k++) {
        now = 1000 + (uint64_t)k;
        tweed__trace_wake(k, 0);
    }
}

static bool is_wake(uint64_t n, int k)
{
    struct tweed__event e;

    return tweed__lane_event(lane, n, &e) && e.kind == TRACE_WAKE &&
           e.phase == TRACE_AT && e.a == (uint64_t)k && e.ns == 1000 + (uint64_t)k;
}

static void begin(void)
{
    (void)tweed__trace_lock();
    tweed__trace_begin(CAPACITY);
    tweed__trace_unlock();
}

static void test_ring(void)
{
    struct tweed__event e;
    uint64_t first, end;
    bool good = true;

    begin();
    wake(0, 100);
    lane = tweed__trace_lock()->lanes;
    tweed__trace_unlock();
    tweed__lane_span(lane, &first, &end);
    for (int k = 0; k < 100; k++)
        good &= is_wake(first + (uint64_t)k, k);
    ok(good && end - first == 100, "a ring that is not full has all events");
    wake(100, CAPACITY + 100);
    ok(!tweed__lane_event(lane, first, &e) &&
           !tweed__lane_event(lane, first + 99, &e) && is_wake(first + 100, 100),
       "what is overwritten while it is read is no event");
    tweed__lane_span(lane, &first, &end);
    ok(end - first == CAPACITY && first - lane->first == 100 && is_wake(first, 100) &&
           is_wake(end - 1, CAPACITY + 99),
       "a full ring has the newest");
    begin();
    wake(0, 1);
    tweed__lane_span(lane, &first, &end);
    ok(end - first == 1 && is_wake(first, 0), "the next trace has its own only");
    tweed__trace_end();
    wake(1, 9);
    tweed__lane_span(lane, &first, &end);
    ok(end - first == 1, "and none after its end");
}

/* How often the text stands in what is written at this time. */
static int written(uint64_t at, const char *text, struct tweed__written *sum)
{
    static char all[100000];
    FILE *f = tmpfile();
    int n = 0;

    now = at;
    if (!f || tweed__trace_write(fileno(f), sum) != 0) {
        printf("Bail out! no temporary file\n");
        exit(99);
    }
    rewind(f);
    all[fread(all, 1, sizeof all - 1, f)] = '\0';
    fclose(f);
    for (const char *s = all; (s = strstr(s, text)); s++)
        n++;
    return n;
}

static void test_writing(void)
{
    struct tweed__written sum;

    begin();
    wake(0, 50);
    ok(written(1020, "\"cat\":\"wake\"", &sum) == 21 && sum.events == 21,
       "what comes after the writing began is not written");
    ok(written(2000, "\"cat\":\"wake\"", &sum) == 50 && sum.dropped == 0,
       "but later it is");
    now = 3000;
    tweed__trace_idle(TRACE_SLEEP, TRACE_BEGIN);
    ok(written(3500, "\"dur\":0.500,\"args\":{\"open\":true}", &sum) == 1,
       "what lasts is open");
    now = 4000;
    tweed__trace_idle(TRACE_SLEEP, TRACE_END);
    ok(written(5000, "\"dur\":1.000,\"args\":{}", &sum) == 1, "until it has ended");
    begin();
    tweed__trace_idle(TRACE_SPIN, TRACE_END);
    ok(written(5000, "\"args\":{\"cut\":true}", &sum) == 1,
       "what began before the trace is cut");
    tweed__trace_team_ended(who.team);
    ok(written(5000, "\"worker 3\"", &sum) == 1, "a worker that has ended is in it");
    begin();
    ok(written(5000, "\"worker 3\"", &sum) == 0, "and not in the next one");
}

/* Ends that belong to nothing that is open, and more begun than is remembered. */
static void test_nesting(void)
{
    struct tweed__body inner = { .mark = { .loop = 11, .team = 7 } };
    struct tweed__written sum;

    begin();
    now = 3000;
    tweed__trace_idle(TRACE_SPIN, TRACE_BEGIN);
    tweed__trace_idle(TRACE_SLEEP, TRACE_END);
    ok(written(5000, "\"args\":{\"cut\":true}", &sum) == 1 &&
           written(5000, "\"args\":{\"open\":true}", &sum) == 1,
       "the end of something else does not end what lasts");
    begin();
    tweed__trace_loop_begin(&inner, 7, 3, -1, NULL);
    inner.mark.loop++;
    tweed__trace_loop_end(&inner, 3, 1, false);
    ok(written(5000, "\"cut\":true", &sum) == 1 &&
           written(5000, "\"open\":true", &sum) == 1,
       "nor does that of another loop");
    (void)tweed__trace_lock();
    tweed__trace_begin(8192);
    tweed__trace_unlock();
    for (int k = 0; k < 4096 + 5; k++)
        tweed__trace_idle(TRACE_SPIN, TRACE_BEGIN);
    ok(written(5000, "\"open\":true", &sum) > 0 && sum.dropped == 5,
       "what is too deep is dropped, and counted");
}

/* What began before a gap has perhaps ended in it, and something else has begun.  Fails if
   say_lane() goes on with what was open, or since the trace began. */
static void test_gap(void)
{
    struct tweed__written sum;
    uint64_t first, end;

    now = 1000;
    begin();
    now = 3000;
    tweed__trace_idle(TRACE_SLEEP, TRACE_BEGIN);
    now = 3100;
    tweed__trace_wake(1, 0);
    now = 3300;
    tweed__trace_wake(2, 0);
    now = 4000;
    tweed__trace_idle(TRACE_SLEEP, TRACE_END);
    ok(written(5000, "\"dur\":1.000,\"args\":{}", &sum) == 1 && sum.dropped == 0,
       "without a gap there is one span");
    lane = tweed__trace_lock()->lanes;
    tweed__trace_unlock();
    tweed__lane_span(lane, &first, &end);
    gap = first + 1;
    ok(written(5000, "\"dur\":0.700,\"args\":{\"cut\":true}", &sum) == 1 &&
           written(5000, "\"cat\":\"sleep\"", &sum) == 1 && sum.dropped == 1 &&
           sum.events == 3,
       "no span is drawn across a gap: it is cut, from where the lane is known again");
    gap = UINT64_MAX;
}

/* A thread that is no pool's, and has no number. */
static void test_no_number(void)
{
    struct tweed__body body = { .count = 1 };
    struct tweed__written sum;

    begin();
    tweed__trace_worker(NULL);
    tweed__trace_loop_begin(&body, 7, 0, -1, NULL);
    tweed__trace_loop_end(&body, 0, 1, true);
    ok(written(5000, "\"cat\":\"loop\"", &sum) == 0 && sum.events == 0,
       "a caller without a number has no lane");
    tweed__trace_worker(&who);
}

/* Marks have 16 bits for a lane. */
static bool refuses; /* memory */
void *__real_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);

void *__wrap_calloc(size_t n, size_t bytes)
{
    return refuses ? NULL : __real_calloc(n, bytes);
}

static int add_lane(uint32_t team, int index)
{
    struct tweed__who other = { .team = team, .index = index, .pool = "other" };
    bool added;

    (void)tweed__trace_lock();
    added = tweed__trace_add(&other);
    tweed__trace_unlock();
    return added;
}

/* Has each lane a number of its own, that a mark can name? */
static int are_numbered(int n)
{
    static unsigned char seen[1 << 16];
    int right = 0;

    for (const struct tweed__lane *l = tweed__trace_lock()->lanes; l; l = l->next)
        right += l->id > 0 && l->id < 1 << 16 && !seen[l->id]++;
    tweed__trace_unlock();
    return right == n;
}

static void test_lanes(void)
{
    struct tweed__written sum;
    int made = 0;

    tweed__trace_free();
    begin();
    for (int k = 0; k < 300; k++)
        made += add_lane(8, k);
    for (int k = 0; k < 1 << 16; k++) {
        made += add_lane(9, k);
        tweed__trace_team_ended(9);
        begin();
    }
    for (int k = 0; k < 300; k++)
        made += add_lane(10, k);
    ok(made == 600 + (1 << 16) && are_numbered(600),
       "threads that have ended leave the numbers of their lanes to others");
    refuses = true;
    wake(0, 3);
    refuses = false;
    ok(written(5000, "\"cat\":\"wake\"", &sum) == 0 && sum.dropped == 3,
       "without a lane events are dropped, and counted");
}

int main(void)
{
    plan(20);
    tweed__trace_worker(&who);
    test_ring();
    test_writing();
    test_nesting();
    test_gap();
    test_no_number();
    test_lanes();
    return done_testing();
}
