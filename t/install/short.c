/*
 * short.c - the bare parallel_for, with three arguments and with four.
 *
 * SPDX-License-Identifier: MIT
 *
 * That it takes no other number of them: t/install/short-name.sh.
 */
#include "tap.h"

#include <string.h>
#include <tweed/short.h>

#define N 1000

static unsigned char count[N];
static int argument;

static void no_argument(int64_t i, void *arg)
{
    count[i] = (unsigned char)(arg ? 100 : count[i] + 1);
}

static void an_argument(int64_t i, void *arg)
{
    count[i] = (unsigned char)(arg != &argument ? 100 : count[i] + 1);
}

static int once(int n)
{
    for (int i = 0; i < N; i++)
        if (count[i] != (i < n))
            return 0;
    memset(count, 0, sizeof count);
    return 1;
}

static int evaluated;

static int64_t bound(int64_t i)
{
    evaluated++;
    return i;
}

int main(void)
{
    plan(5);
    ok(parallel_for(0, N, no_argument) == TWEED_OK && once(N),
       "three arguments: the body is given NULL");
    ok(parallel_for(0, N - 1, an_argument, &argument) == TWEED_OK &&
           once(N - 1), "four arguments: the body is given the fourth");
    ok(parallel_for(0, N, NULL) == TWEED_EINVAL &&
           parallel_for(0, N, NULL, &argument) == TWEED_EINVAL,
       "the result is that of tweed_parallel_for");
    if (parallel_for(bound(0), bound(N), no_argument))
        evaluated = 0;
    else
        parallel_for(bound(0), bound(0), no_argument, NULL);
    ok(evaluated == 4, "each argument is evaluated once");
    ok(once(N), "as a condition, and as a statement");
    return done_testing();
}
