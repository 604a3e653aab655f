/*
 * soon.c - does a loop seem to be about to end?
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "loop/soon.h"
#include "tap.h"

#define UNIT 100
#define MOST_NS 2000
#define TOOK_NS 3000

static uint64_t ns;

static bool is_end(uint32_t unit, uint32_t done, uint32_t left, uint32_t others, uint64_t took)
{
    ns = MOST_NS;
    return soon_is_end(unit, done, left, others, took, &ns);
}

int main(void)
{
    plan(9);
    ok(is_end(UNIT, 7, UNIT, 3, 0) && ns == MOST_NS, "a unit is left: the longest wait");
    ok(!is_end(UNIT, 7, UNIT + 1, 3, TOOK_NS), "more is left than the others had: no end");
    ok(!is_end(1, 1000, 1, 3, TOOK_NS), "no end where a unit is a block");
    ok(is_end(UNIT, 1000, 1000, 1, TOOK_NS) && ns == TOOK_NS / 4,
       "another has as much left as this thread had: a quarter of its time");
    ok(is_end(UNIT, 1000, 1001, 1, TOOK_NS), "... or a block more, as shares may have");
    ok(!is_end(UNIT, 1000, 1002, 1, TOOK_NS), "... but not more than that");
    ok(is_end(UNIT, 1000, 3000, 3, TOOK_NS) && !is_end(UNIT, 1000, 4000, 3, TOOK_NS),
       "so many others, so many shares");
    ok(is_end(UNIT, 1000, 1000, 1, 1000000) && ns == MOST_NS, "a long time: the longest wait");
    ok(is_end(UNIT, UINT32_C(1) << 25, UINT32_C(1) << 31, 128, TOOK_NS),
       "128 long shares are no small number");
    return done_testing();
}
