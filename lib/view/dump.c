/*
 * dump.c - the state of running loops and tasks: for the search of one that hangs.
 *
 * SPDX-License-Identifier: MIT
 *
 * A dump reads words while loops change them: every line is a glance, and the lines need
 * not agree.  The sum agrees with the lines above it: it is made of the same glances.
 * tweed_pool_create(3) explains each word that is printed.
 */
#include "config.h"

#include "base/error.h"
#include "base/print.h"
#include "base/shield.h"
#include "pool/above.h"
#include "pool/pool.h"
#include "range/glance.h"
#include "task/queue.h"
#include "task/state.h"

static bool dump_range(int fd, struct tweed__range *r, uint64_t *held)
{
    struct tweed__look look = tweed__range_look(r);
    uint32_t first = look.unclaimed ? look.mid : look.low;

    if (look.drained)
        return tweed__print(fd, "drained\n");
    *held += first < look.high ? look.high - first : 0;
    if (look.unclaimed)
        return tweed__print(fd, "unclaimed [%u, %u)\n", look.mid, look.high);
    if (look.thief < 0)
        return tweed__print(fd, "low %u, steal range [%u, %u)\n", look.low,
                            look.mid, look.high);
    return tweed__print(fd, "low %u, [%u, %u) proposed by worker %d\n",
                        look.low, look.mid, look.high, look.thief);
}

/* Blocks that were returned to nodes, and not yet to the loop. */
static uint64_t in_node_counts(struct tweed__team *team, unsigned k)
{
    uint64_t blocks = 0;

    if (team->slots[k].by_nodes)
        for (int g = 0; g < team->num_groups; g++) /* relaxed: a glance */
            blocks += (uint32_t)load_relaxed(&team->node_counts[g]->slots[k].held);
    return blocks;
}

/* *held: how many blocks stand in the lines. */
static bool dump_seats(struct tweed__team *team, unsigned k, int fd,
                       uint64_t *held)
{
    *held = 0;
    for (int w = 0; w < team->num_workers; w++) {
        struct tweed__range *r = &team->workers[w]->seats[k].range;

        if (!tweed__print(fd, "    worker %d%s: ", w,
                          load_relaxed(&r->inside) ? " (inside)" : "") ||
            !dump_range(fd, r, held))
            return false;
    }
    return true;
}

static const char *name_of(const struct tweed__slot *slot, char name[])
{
    return slot->name[0] ? tweed__printable(name, sizeof slot->name, slot->name)
                         : "(no name)";
}

static bool dump_loop(struct tweed__team *team, unsigned k, int fd)
{
    struct tweed__slot *slot = &team->slots[k];
    const struct tweed__body *b = &slot->body;
    char name[sizeof slot->name];
    uint64_t held, left, disposed;

    if (!tweed__print(fd,
                      "  loop %s in slot %u: from %lld, %llu indices in %u "
                      "blocks of %llu, started by worker %d\n",
                      name_of(slot, name), k,
                      (long long)b->lo, (unsigned long long)b->count, b->blocks,
                      (unsigned long long)b->grain,
                      load_relaxed(&slot->publisher)) ||
        !dump_seats(team, k, fd, &held))
        return false;
    left = tweed__end_left(&slot->remaining);
    disposed = in_node_counts(team, k);
    left = left > disposed ? left - disposed : 0;
    return tweed__print(fd, "    remain: %llu held, %llu in flight\n",
                        (unsigned long long)held,
                        (unsigned long long)(left > held ? left - held : 0));
}

/* ---- tasks ---- */

static bool dump_join(int fd, uint32_t join)
{
    if (!join)
        return tweed__print(fd, "\n");
    if (join == TWEED__IN_JOIN)
        return tweed__print(fd, ", in a join\n");
    return tweed__print(fd, ", in a join with worker %u\n", join - TWEED__IN_JOIN - 1);
}

static bool dump_deque(struct tweed__team *team, int w, unsigned k, int fd)
{
    struct tweed__seat *seat = &team->workers[w]->seats[k];
    struct tweed__deque_look look = tweed__deque_look(&seat->deque);

    return tweed__print(fd, "    worker %d%s: %u stolen, %u public, %u private", w,
                        load_relaxed(&seat->range.inside) ? " (inside)" : "",
                        look.stolen, look.shared, look.own) &&
           dump_join(fd, load_relaxed(&seat->deque.join));
}

static bool dump_tasks(struct tweed__team *team, unsigned k, int fd)
{
    struct tweed__slot *slot = &team->slots[k];
    char name[sizeof slot->name];

    if (!tweed__print(fd, "  task %s in slot %u: started by worker %d\n",
                      name_of(slot, name), k,
                      load_relaxed(&slot->publisher)))
        return false;
    for (int w = 0; w < team->num_workers; w++)
        if (!dump_deque(team, w, k, fd))
            return false;
    return true;
}

/* ---- tasks of groups, and submitted ones ---- */

/* The nearest loop or task that the group was begun inside of. */
static bool dump_inside(int fd, tweed__where inside)
{
    if (!inside)
        return true;
    if (where_is_slot(inside))
        return tweed__print(fd, ", inside slot %u", (unsigned)(inside % TWEED__SLOTS));
    if ((uint32_t)inside == 1) /* group 0 */
        return tweed__print(fd, ", inside a submitted task");
    return tweed__print(fd, ", inside group %u", (uint32_t)inside - 1);
}

/* A group that has tasks in flight. */
static bool dump_group(int fd, struct tweed__group_state *f)
{
    uint64_t flight = load_relaxed(&f->flight); /* a glance, as all here */
    int code = load_relaxed(&f->code);

    if (!(flight & TWEED__IN_FLIGHT))
        return true;
    if (f->index ? !tweed__print(fd, "  group %u: ", f->index)
                 : !tweed__print(fd, "  submitted: "))
        return false;
    if (!tweed__print(fd, "%llu tasks in flight",
                      (unsigned long long)(flight & TWEED__IN_FLIGHT)) ||
        !dump_inside(fd, f->index ? load_relaxed(&f->inside) : 0) ||
        (code && f->index && !tweed__print(fd, ", one has returned %d", code)))
        return false;
    if (flight & TWEED__CLOSED && !tweed__print(fd, ", closed"))
        return false;
    return tweed__print(fd, flight & TWEED__MASKS ? ", waited for\n" : "\n");
}

/* Tasks that no thread has begun, by where they lie. */
static bool dump_lying(struct tweed__team *team, int fd)
{
    uint64_t common = tweed__queue_count(team);

    if (common && !tweed__print(fd, "    submission queue: %llu tasks\n",
                                (unsigned long long)common))
        return false;
    for (int w = 0; w < team->num_workers; w++) {
        struct tweed__deque_look look = tweed__deque_look(&team->workers[w]->jobs);
        unsigned n = look.shared + look.own;

        if (n && !tweed__print(fd, "    worker %d: %u tasks\n", w, n))
            return false;
    }
    return true;
}

static bool dump_jobs(struct tweed__team *team, int fd)
{
    /* acquire: the memory of groups; with take_new() in state.c */
    uint32_t used = load_acquire(&team->group_states.used);

    if (!tweed__state_any(team))
        return true;
    for (uint32_t i = 0; i <= used; i++) /* 0: the submitted tasks */
        if (!dump_group(fd, tweed__state_at(team, i)))
            return false;
    if (team->num_workers == 1 &&
        !tweed__print(fd, "    thread for tasks: %s\n", /* relaxed: a glance */
                      load_relaxed(&team->has_runner) ? "yes" : "no"))
        return false;
    return dump_lying(team, fd);
}

/* ---- slots ---- */

static bool is_tasks(const struct tweed__slot *slot)
{
    return slot->body.manner & TWEED__TASKS;
}

/* The dump pins the slot as a worker does (slot.c), so that the next loop does not
   overwrite what the dump reads.  False: no loop is there any more. */
static bool pin(struct tweed__team *team, unsigned k)
{
    /* seq_cst, both: see PINNING in slot.c */
    fetch_add_seq_cst(&team->slots[k].readers, 1);
    return load_seq_cst(&team->active) >> k & 1;
}

static void unpin(struct tweed__team *team, unsigned k)
{
    fetch_sub_acq_rel(&team->slots[k].readers, 1); /* release: with somebody_inside() */
}

static bool dump_slot(struct tweed__team *team, unsigned k, int fd)
{
    bool good = true;

    if (pin(team, k))
        good = is_tasks(&team->slots[k]) ? dump_tasks(team, k, fd)
                                         : dump_loop(team, k, fd);
    unpin(team, k);
    return good;
}

/* How many of these are tasks. */
static int count_tasks(struct tweed__team *team, uint64_t live)
{
    int n = 0;

    for (; live; live &= live - 1) {
        unsigned k = (unsigned)__builtin_ctzll(live);

        n += pin(team, k) && is_tasks(&team->slots[k]);
        unpin(team, k);
    }
    return n;
}

/* errno says why. */
static int cannot_write(int fd)
{
    return tweed_fail_(TWEED_EINVAL, "tweed_pool_dump: fd is %d: %m", fd);
}

static int dump(tweed_pool *pool, int fd)
{
    /* acquire: with start() in pool.c.  relaxed: dump_slot() looks again */
    struct tweed__team *team = load_acquire(&pool->team);
    uint64_t live = team ? load_relaxed(&team->active) : 0;
    int tasks = team ? count_tasks(team, live) : 0;
    char name[sizeof pool->settings.name];

    if (!tweed__print(fd, "tweed: pool %s: %d workers, %d loops, %d tasks\n",
                      team ? tweed__printable(name, sizeof name, pool->settings.name)
                           : "(not started)",
                      team ? team->num_workers : 0,
                      __builtin_popcountll(live) - tasks, tasks))
        return cannot_write(fd);
    for (; live; live &= live - 1)
        if (!dump_slot(team, (unsigned)__builtin_ctzll(live), fd))
            return cannot_write(fd);
    return !team || dump_jobs(team, fd) ? TWEED_OK : cannot_write(fd);
}

int tweed_pool_dump(tweed_pool *pool, int fd)
{
    struct shield shield;
    int code;

    pool = tweed__pool_or_default(pool);
    if (!pool_is_known(pool))
        return tweed__fail_pool(pool);
    shield = shield_up();
    code = dump(pool, fd);
    shield_down(shield);
    return code;
}
