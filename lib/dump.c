/*
 * dump.c - the state of running loops, for a person who looks for one that
 * hangs.
 *
 * SPDX-License-Identifier: MIT
 *
 * Reads what loops are changing: every line is a glance, and they need not agree.
 */
#include "config.h"

#include "pool.h"
#include "print.h"

#include <errno.h>

static bool dump_seats(struct tweed__team *team, unsigned k, int fd)
{
    for (int w = 0; w < team->num_workers; w++) {
        struct tweed__range *r = &team->workers[w]->seats[k].range;
        char text[96];

        tweed__range_describe(r, text, sizeof text);
        if (!tweed__print(fd, "    worker %d%s: %s\n", w,
                          load_relaxed(&r->inside) ? " (inside)" : "", text))
            return false;
    }
    return true;
}

static int dump(tweed_pool *pool, int fd)
{
    /* acquire, both: with start() in pool.c, and with publish() in slot.c */
    struct tweed__team *team = load_acquire(&pool->team);
    uint64_t live = team ? load_acquire(&team->active) : 0;

    if (!tweed__print(fd, "tweed: pool %s: %d workers, %d loops\n",
                      team ? pool->settings.name : "(not started)",
                      team ? team->num_workers : 0,
                      __builtin_popcountll(live)))
        return TWEED_EINVAL;
    for (; live; live &= live - 1) {
        unsigned k = (unsigned)__builtin_ctzll(live);
        struct tweed__slot *slot = &team->slots[k];
        const struct tweed__body *b = &slot->body;

        if (!tweed__print(fd, "  loop %.200s in slot %u",
                          slot->name ? slot->name : "(no name)", k) ||
            !tweed__print(fd,
                          ": from %lld, %llu indices in %u blocks of %llu, %u "
                          "remain; started by worker %d\n",
                          (long long)b->lo, (unsigned long long)b->count,
                          b->blocks, (unsigned long long)b->grain,
                          tweed__end_left(&slot->remaining),
                          slot->publisher) ||
            !dump_seats(team, k, fd))
            return TWEED_EINVAL;
    }
    return TWEED_OK;
}

int tweed_pool_dump(tweed_pool *pool, int fd)
{
    int saved = errno, code = dump(tweed__pool_or_default(pool), fd);

    errno = saved;
    return code;
}
