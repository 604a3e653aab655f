/*
 * victims.c - thieves go to near nodes first.
 *
 * SPDX-License-Identifier: MIT
 */
#define TWEED_CALLS_APART_ 1
#include "config.h"

#include "tap.h"

#include "machine.h"

#define BLOCKS 64 /* of each worker, on average */

static tweed_pool *pool;
static struct tweed__team *team;

/* ---- the order that the team has ---- */

static int distance(int from, int to)
{
    return machine.distances[from][to];
}

/* Row by row: all groups once, their own first, by distance. */
static int rows_are_sorted(void)
{
    int n = team->num_groups, good = n == machine_nodes_with_cpus();

    for (int g = 0; g < n; g++) {
        const int *row = team->nearness + g * n;
        unsigned seen = 1u << row[0];

        good &= row[0] == g;
        for (int k = 1; k < n; k++) {
            int from = team->groups[g].node, to = team->groups[row[k]].node;

            seen |= 1u << row[k];
            if (k == 1 || distance(from, to) >= distance(from, team->groups[row[k - 1]].node))
                continue;
            diag("from node %d: %d is nearer than the one before", from, to);
            good = 0;
        }
        good &= seen == (1u << n) - 1;
    }
    return good;
}

/* Of nodes that are equally far not all turn to the same one first. */
static int ties_are_spread(void)
{
    int n = team->num_groups, first[MACHINE_NODES] = { 0 }, good = 1;

    for (int g = 0; g < n; g++)
        for (int h = 0; h < n; h++)
            if (g != h && distance(team->groups[g].node, team->groups[h].node) != 20)
                return 1; /* not all are */
    for (int g = 0; n > 1 && g < n; g++)
        good &= ++first[team->nearness[g * n + 1]] == 1;
    return good;
}

/* ---- the order in which a thief goes round ---- */

static struct {
    int thief;            /* the worker that steals; all others stay in their first */
    int order[MACHINE_NODES], visited; /* the nodes that it has stolen from, its own first */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool over; /* it has been everywhere: all go on */
    bool held[MACHINE_CPUS]; /* of each worker: it has had its first index */
} chase = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static int64_t num_indices;
static int *owners; /* of each index: whose share it is in, as a static loop tells */

static void note_owner(int64_t i, void *arg)
{
    (void)arg;
    owners[i] = tweed_worker_index();
}

static void find_owners(void)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    num_indices = (int64_t)BLOCKS * team->num_workers;
    owners = calloc((size_t)num_indices, sizeof *owners);
    o.schedule = TWEED_SCHEDULE_STATIC;
    must(tweed_parallel_for_with(pool, &o, 0, num_indices, note_owner, NULL));
}

static void visit(int node)
{
    for (int k = 0; k < chase.visited; k++)
        if (chase.order[k] == node)
            return;
    chase.order[chase.visited++] = node;
    if (chase.visited < team->num_groups)
        return;
    pthread_mutex_lock(&chase.lock);
    chase.over = true;
    pthread_cond_broadcast(&chase.changed);
    pthread_mutex_unlock(&chase.lock);
}

static void hold(int64_t i, void *arg)
{
    int w = tweed_worker_index();

    (void)arg;
    if (w == chase.thief && owners[i] != w)
        visit(team->workers[owners[i]]->node);
    if (chase.held[w])
        return;
    chase.held[w] = true;
    gather();
    pthread_mutex_lock(&chase.lock);
    while (w != chase.thief && !chase.over)
        pthread_cond_wait(&chase.changed, &chase.lock);
    pthread_mutex_unlock(&chase.lock);
}

/* Worker w has nothing left, and everybody else has: where does it go? */
static int goes_by_distance(int w)
{
    int node = team->workers[w]->node, good = 1;
    struct tweed__group own = team->groups[team->workers[w]->group];

    memset(chase.held, 0, sizeof chase.held);
    chase.thief = w;
    chase.visited = 0;
    chase.over = false;
    gather_so_many(team->num_workers);
    if (own.end - own.begin == 1) /* nobody there to steal from */
        visit(node);
    must(tweed_parallel_for_with(pool, NULL, 0, num_indices, hold, NULL));
    for (int k = 1; k < chase.visited; k++)
        good &= distance(node, chase.order[k]) >= distance(node, chase.order[k - 1]);
    good &= chase.order[0] == node;
    for (int k = 0; !good && k < chase.visited; k++)
        diag("thief %d of node %d: %d. node %d, distance %d", w, node, k + 1,
             chase.order[k], distance(node, chase.order[k]));
    return good;
}

/* A thief of each node; the calling thread is none, as it ends the loop. */
static int all_go_by_distance(void)
{
    int good = 1;

    for (int g = 0; g < team->num_groups; g++)
        if (team->groups[g].end > 1)
            good &= goes_by_distance(team->groups[g].end - 1);
    return good;
}

int main(void)
{
    machine_read();
    pool = machine_pool();
    team = tweed__pool_team(pool);
    find_owners();
    plan(3);
    ok(rows_are_sorted(), "from each node all nodes are in the order of their distance");
    ok(ties_are_spread(), "where all are equally far each turns to another one first");
    if (team->num_workers < 2)
        skip(1, "one worker: nobody to steal from");
    else
        ok(all_go_by_distance(), "a thief steals on its own node first, then on near ones");
    tweed_pool_destroy(pool);
    free(owners);
    return done_testing();
}
