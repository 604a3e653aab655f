/*
 * count.h - a loop that counts every index, as the proof that loops work here.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_COUNT_H
#define TWEED_T_COUNT_H

#include <dirent.h>
#include <string.h>
#include <tweed.h>

#define COUNT_MOST 1000 /* fits on the smallest stack */

static inline void count_each(int64_t i, void *arg)
{
    unsigned char *count = (unsigned char *)arg;

    count[i]++;
}

static inline void count_range(int64_t begin, int64_t end, void *arg)
{
    unsigned char *count = (unsigned char *)arg;

    for (int64_t i = begin; i < end; i++)
        count[i]++;
}

/* A loop of n indices, n <= COUNT_MOST, by both calls: true if every index was
   executed once and nothing else. */
static inline int loops_are_right(tweed_pool *pool, int n)
{
    unsigned char count[COUNT_MOST + 2];

    for (int by_range = 0; by_range <= 1; by_range++) {
        int code;

        memset(count, 0, sizeof count);
        code = by_range
                   ? tweed_parallel_for_range_with(pool, NULL, 1, n + 1,
                                                   count_range, count)
                   : tweed_parallel_for_with(pool, NULL, 1, n + 1, count_each,
                                             count);
        if (code != TWEED_OK || count[0] || count[n + 1])
            return 0;
        for (int i = 1; i <= n; i++)
            if (count[i] != 1)
                return 0;
    }
    return 1;
}

/* A pool with n workers and a name; NULL if it cannot be had. */
static inline tweed_pool *pool_of(int n, const char *name)
{
    tweed_pool_options o;
    tweed_pool *pool = NULL;

    memset(&o, 0, sizeof o);
    o.size = sizeof o;
    o.num_workers = n;
    o.name = name;
    return tweed_pool_create(&pool, &o) == TWEED_OK ? pool : NULL;
}

/* How many threads this process has. */
static inline int count_threads(void)
{
    DIR *dir = opendir("/proc/self/task");
    struct dirent *entry;
    int n = 0;

    while (dir && (entry = readdir(dir)))
        n += entry->d_name[0] != '.';
    if (dir)
        closedir(dir);
    return n;
}

#endif
