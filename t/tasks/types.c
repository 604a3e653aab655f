/*
 * types.c - tasks with arguments and results of every kind.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each is called, spawned and run from outside.  A spawned one comes back by its record,
 * whether or not it was stolen: with four workers both are tried many times.
 */
#include "pools.h"

#include <stdbool.h>
#include <string.h>

#define TIMES 300

struct point {
    double x, y, z;
};

struct full { /* as large as a task may give or take */
    char bytes[48];
};

static atomic_int nothings;

TWEED_TASK(void, nothing)
{
    nothings++;
}

TWEED_TASK(int, answer)
{
    return 42;
}

TWEED_TASK(const char *, text, const char *const, s)
{
    return s + 1;
}

TWEED_TASK(void *, untyped, void *, p)
{
    return p;
}

TWEED_TASK(double, two, float, a, const double, b)
{
    return (double)a - b;
}

TWEED_TASK(struct point, three, double, x, double, y, double, z)
{
    return (struct point){ z, x, y };
}

TWEED_TASK(unsigned char, four, unsigned char, a, short, b, long, c, int64_t, d)
{
    return (unsigned char)(a + b + c + d);
}

TWEED_TASK(uint64_t, five, uint8_t, a, uint16_t, b, uint32_t, c, uint64_t, d, bool, e)
{
    return e ? d * 1000 + c * 100 + b * 10 + a : 0;
}

TWEED_TASK(int64_t, six, int64_t, a, int64_t, b, int64_t, c, int64_t, d, int64_t, e,
           int64_t, f)
{
    return a + 10 * (b + 10 * (c + 10 * (d + 10 * (e + 10 * f))));
}

TWEED_TASK(struct full, turned, struct full, f)
{
    struct full g;

    for (size_t i = 0; i < sizeof f.bytes; i++)
        g.bytes[i] = f.bytes[sizeof f.bytes - 1 - i];
    return g;
}

TWEED_TASK(long double, wide, long double, x)
{
    return -x;
}

static struct full letters(void)
{
    struct full f;

    for (size_t i = 0; i < sizeof f.bytes; i++)
        f.bytes[i] = (char)('0' + i);
    return f;
}

static bool is_turned(struct full f)
{
    for (size_t i = 0; i < sizeof f.bytes; i++)
        if (f.bytes[i] != (char)('0' + sizeof f.bytes - 1 - i))
            return false;
    return true;
}

static bool is_point(struct point p)
{
    return p.x == 3 && p.y == 1 && p.z == 2;
}

static const char *const word = "word";

/* Joined in the opposite order. */
TWEED_TASK(int, spawns_all)
{
    int good = 0;

    TWEED_SPAWN(nothing);
    TWEED_SPAWN(answer);
    TWEED_SPAWN(text, word);
    TWEED_SPAWN(untyped, &nothings);
    TWEED_SPAWN(two, 2.5f, 1);
    TWEED_SPAWN(three, 1, 2, 3);
    TWEED_SPAWN(four, 1, -2, 3, 4);
    TWEED_SPAWN(five, 1, 2, 3, 4, true);
    TWEED_SPAWN(six, 1, 2, 3, 4, 5, 6);
    TWEED_SPAWN(turned, letters());
    TWEED_SPAWN(wide, 1.25L);
    good += TWEED_SYNC(wide) == -1.25L;
    good += is_turned(TWEED_SYNC(turned));
    good += TWEED_SYNC(six) == 654321;
    good += TWEED_SYNC(five) == 4321;
    good += TWEED_SYNC(four) == 6;
    good += is_point(TWEED_SYNC(three));
    good += TWEED_SYNC(two) == 1.5;
    good += TWEED_SYNC(untyped) == (void *)&nothings;
    good += TWEED_SYNC(text) == word + 1;
    good += TWEED_SYNC(answer) == 42;
    TWEED_SYNC(nothing);
    return good == 10;
}

TWEED_TASK(int, calls_all)
{
    int good = 0;

    TWEED_CALL(nothing);
    good += TWEED_CALL(answer) == 42;
    good += TWEED_CALL(text, word) == word + 1;
    good += TWEED_CALL(untyped, &nothings) == (void *)&nothings;
    good += TWEED_CALL(two, 2.5f, 1) == 1.5;
    good += is_point(TWEED_CALL(three, 1, 2, 3));
    good += TWEED_CALL(four, 1, -2, 3, 4) == 6;
    good += TWEED_CALL(five, 1, 2, 3, 4, true) == 4321;
    good += TWEED_CALL(six, 1, 2, 3, 4, 5, 6) == 654321;
    good += is_turned(TWEED_CALL(turned, letters()));
    good += TWEED_CALL(wide, 1.25L) == -1.25L;
    return good == 10;
}

static int runs_all(void)
{
    int good = 0;

    TWEED_RUN(nothing);
    good += TWEED_RUN(answer) == 42;
    good += TWEED_RUN(text, word) == word + 1;
    good += TWEED_RUN(untyped, &nothings) == (void *)&nothings;
    good += TWEED_RUN(two, 2.5f, 1) == 1.5;
    good += is_point(TWEED_RUN(three, 1, 2, 3));
    good += TWEED_RUN(four, 1, -2, 3, 4) == 6;
    good += TWEED_RUN(five, 1, 2, 3, 4, true) == 4321;
    good += TWEED_RUN(six, 1, 2, 3, 4, 5, 6) == 654321;
    good += is_turned(TWEED_RUN(turned, letters()));
    good += TWEED_RUN(wide, 1.25L) == -1.25L;
    return good == 10;
}

/* A value is evaluated once, though the macro's text has it in two places. */
static int evaluated;

TWEED_TASK(int, same, int, i)
{
    return i;
}

TWEED_TASK(int, evaluates)
{
    TWEED_SPAWN(same, evaluated++);
    return TWEED_CALL(same, evaluated++) * 10 + TWEED_SYNC(same);
}

static bool is_evaluated_once(void)
{
    evaluated = 0;
    return TWEED_RUN(evaluates) == 10 && evaluated == 2 &&
           TWEED_RUN(same, evaluated++) == 2 && evaluated == 3;
}

static void often(int fence, const char *name)
{
    tweed_pool *pool = pool_fenced(4, fence);
    int good = 0;

    nothings = 0;
    for (int k = 0; k < TIMES; k++)
        good += TWEED_RUN_ON(pool, spawns_all);
    ok(good == TIMES && nothings == TIMES, "spawned by four workers, %s", name);
    tweed_pool_destroy(pool);
}

int main(void)
{
    plan(6);
    watchdog();
    ok(runs_all() && nothings == 1, "run from outside");
    ok(TWEED_RUN(calls_all) && nothings == 2, "called");
    ok(TWEED_RUN(spawns_all) && nothings == 3, "spawned");
    often(TWEED_FENCE_DEFAULT, "heavy fences");
    often(TWEED_FENCE_EXCHANGE, "exchange mode");
    ok(is_evaluated_once(), "arguments are evaluated once");
    return done_testing();
}
