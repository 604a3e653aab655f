/*
 * errno.c - no function changes errno, whatever went wrong inside.
 *
 * SPDX-License-Identifier: MIT
 *
 * Starting a pool asks the system many things that it may not have; the warning
 * and the table below go to a stderr that cannot be written to.
 */
#include "pools.h"

#include <errno.h>
#include <fcntl.h>

#define KEPT 12345

static void kept(const char *what)
{
    int now = errno;

    ok(now == KEPT, "%s: errno is %d", what, now);
    errno = KEPT;
}

int main(void)
{
    tweed_pool_options bad = { .size = sizeof bad, .bind = 77 };
    tweed_stats stats = { .size = sizeof stats };
    int to_read = open("/dev/null", O_RDONLY), to_write = dup(STDERR_FILENO);
    int created, refused, destroyed;
    tweed_pool *pool = NULL;

    plan(11);
    watchdog();
    setenv("TWEED_STATS", "1", 1);
    setenv("TWEED_SPIN_NS", "garbage", 1);
    dup2(to_read, STDERR_FILENO);
    errno = KEPT;
    created = tweed_pool_create(&pool, NULL);
    kept("tweed_pool_create, the first");
    refused = tweed_pool_create(&pool, &bad);
    kept("tweed_pool_create, bad options");
    must(tweed_parallel_for_with(pool, NULL, 0, 1000, empty_body, NULL));
    kept("tweed_parallel_for_with");
    tweed_parallel_for(0, 1000, empty_body, NULL);
    kept("tweed_parallel_for, the first");
    tweed_pool_num_workers(NULL);
    kept("tweed_pool_num_workers");
    must(tweed_stats_get(pool, -1, &stats));
    kept("tweed_stats_get");
    tweed_pool_dump(pool, to_read);
    kept("tweed_pool_dump, an unwritable file");
    tweed_pool_dump(NULL, -1);
    kept("tweed_pool_dump, no file");
    destroyed = tweed_pool_destroy(pool);
    kept("tweed_pool_destroy, and its table");
    tweed_pool_destroy(pool);
    kept("tweed_pool_destroy, no such pool");
    dup2(to_write, STDERR_FILENO);
    ok(created == TWEED_OK && refused == TWEED_EINVAL && destroyed == TWEED_OK,
       "and all that worked");
    return done_testing();
}
