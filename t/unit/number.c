/*
 * number.c - a number for each thread: no two have one, and there is an end of them.
 *
 * SPDX-License-Identifier: MIT
 *
 * One thread stands for all: it forgets its number and asks for another.
 */
#include "config.h"

#include "number.h"
#include "team.h"
#include "tap.h"

#include <string.h>

static unsigned char taken[TWEED__NUMBERS];

/* The number of another thread. */
static int next_number(void)
{
    tweed__self.number = 0;
    return tweed__number();
}

int main(void)
{
    tweed_scratch *scratch = NULL;
    int number, first, n = 0, good = 1;

    plan(4);
    first = tweed__number();
    ok(first >= 0 && tweed__number() == first, "a thread keeps its number");
    taken[first] = 1;
    while ((number = next_number()) >= 0 && n < TWEED__NUMBERS) {
        good &= number < TWEED__NUMBERS && !taken[number];
        taken[number] = 1;
        n++;
    }
    ok(good && n == TWEED__NUMBERS - 1 && !memchr(taken, 0, sizeof taken),
       "%d threads have numbers, each its own", TWEED__NUMBERS);
    ok(number == -1 && next_number() == -1, "one more has none");
    ok(tweed_scratch_create(&scratch, 8, NULL) == TWEED_OK && !tweed_scratch_get(scratch),
       "and gets no block of a scratch");
    tweed_scratch_destroy(scratch);
    return done_testing();
}
