/*
 * history.c - what earlier runs of a loop have shown of its workers, and the shares that
 * follow from it.
 *
 * SPDX-License-Identifier: MIT
 *
 * A PART is what a worker counts; its share of a loop is to all indices as its part to
 * the sum of all parts.  The PLAIN parts are by what CPUs can do (plan.c).  The sum stays
 * that of the plain ones.
 *
 * LEARNING.  A run says of each worker by how much its share was too small or too large
 * (measure.c).  Parts that would have been right are AIMED at:
 *
 *  - what one run says of a worker is believed up to a factor of 2;
 *  - no part is aimed at that is less than half the plain one, or more than twice;
 *  - parts go half the way there, after eight runs 4/n of it in run n, so that
 *    what differs from run to run is averaged out.
 *
 * The first run is not believed: pages are touched, threads awake, caches are cold.
 *
 * SETTLED.  A run is CALM if no part that is aimed at differs from the one that the run
 * had by more than a sixteenth of that, or a block.  After three calm runs one after the
 * other, or 32 in all, the parts stay what they are.  Then the same bounds have the same
 * shares, as memory needs it that was touched by them.
 *
 * BOUNDED.  Of a loop more than there is room for the one is forgotten that has not been
 * used for longest.
 *
 * One lock.  A loop takes it once, and once more at its end until it is settled.  At the
 * end nobody waits for it: a run that meets another one is not learnt.  So the child of a
 * fork() out of a body does not wait for a thread that it has not.
 */
#include "config.h"

#include "history.h"

#include <stdlib.h>
#include <string.h>

#define FAITH 2.0    /* in one run */
#define STRETCH 2.0  /* of plain parts */
#define CALM (1.0 / 16)
#define CALM_RUNS 3
#define MOST_RUNS 32

struct tweed__remembered {
    struct tweed__past loop;
    uint64_t used; /* of history->uses, when it was used last */
    int runs, calm;
    bool settled;
    double part[]; /* of each worker */
};

void tweed__history_begin(struct tweed__history *h)
{
    pthread_mutex_init(&h->lock, NULL);
}

void tweed__history_end(struct tweed__history *h)
{
    /* a thread that fork() has not left may hold it in the child: forgotten */
    if (pthread_mutex_trylock(&h->lock) != 0)
        return;
    pthread_mutex_unlock(&h->lock);
    for (int i = 0; i < TWEED__REMEMBERED; i++)
        free(h->loops[i]);
    pthread_mutex_destroy(&h->lock);
}

void tweed__history_forget(struct tweed__history *h)
{
    /* relaxed: a loop that begins meanwhile is as well before as after it */
    fetch_add_relaxed(&h->placement, 1);
}

/* ---- parts ---- */

static double plain_part(const uint32_t *plain, int w)
{
    return plain ? plain[w + 1] - plain[w] : TWEED__ALIKE;
}

static double plain_sum(const uint32_t *plain, int workers)
{
    return plain ? plain[workers] : (double)TWEED__ALIKE * workers;
}

static double within(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

/* A part that is aimed at, scaled, as far as it may go. */
static double bounded(const uint32_t *plain, int w, double x)
{
    return within(x, plain_part(plain, w) / STRETCH, plain_part(plain, w) * STRETCH);
}

static double sum_scaled(const uint32_t *plain, int workers, const double *aim,
                         double scale)
{
    double sum = 0;

    for (int w = 0; w < workers; w++)
        sum += bounded(plain, w, aim[w] * scale);
    return sum;
}

/* Makes their sum that of the plain parts, within the bounds.  The sum of what is within
   the bounds grows with the scale, from too little at 0 to too much where all are at
   their upper bounds. */
static void fit(const uint32_t *plain, int workers, double *aim)
{
    double sum = plain_sum(plain, workers);
    double low = 0, high = 4 * STRETCH * FAITH; /* aims are no smaller than this allows */

    for (int step = 0; step < 50; step++) {
        double middle = (low + high) / 2;

        if (sum_scaled(plain, workers, aim, middle) < sum)
            low = middle;
        else
            high = middle;
    }
    for (int w = 0; w < workers; w++)
        aim[w] = bounded(plain, w, aim[w] * high);
}

static bool is_calm(int workers, const uint32_t *before, const double *aim, double block)
{
    for (int w = 0; w < workers; w++) {
        double had = before[w + 1] - before[w], far = aim[w] - had;
        double most = had * CALM > block ? had * CALM : block;

        if (far > most || -far > most)
            return false;
    }
    return true;
}

/* ---- the table ---- */

static bool is_same(const struct tweed__past *a, const struct tweed__past *b)
{
    return a->label == b->label && a->lo == b->lo && a->count == b->count;
}

static bool is_of_now(struct tweed__history *h, const struct tweed__past *loop)
{
    return loop->placement == load_relaxed(&h->placement); /* relaxed: see above */
}

/* NULL: nothing is known.  What was known of other places is forgotten. */
static struct tweed__remembered *find(struct tweed__history *h,
                                      const struct tweed__past *loop)
{
    for (int i = 0; i < TWEED__REMEMBERED; i++) {
        struct tweed__remembered *r = h->loops[i];

        if (!r || !is_same(&r->loop, loop))
            continue;
        if (is_of_now(h, &r->loop)) {
            r->used = ++h->uses;
            return r;
        }
        h->loops[i] = NULL;
        free(r);
    }
    return NULL;
}

/* Where one more goes: a free place, or that of the one which was not used for longest. */
static struct tweed__remembered **room(struct tweed__history *h)
{
    struct tweed__remembered **oldest = &h->loops[0];

    for (int i = 0; i < TWEED__REMEMBERED; i++) {
        if (!h->loops[i])
            return &h->loops[i];
        if (h->loops[i]->used < (*oldest)->used)
            oldest = &h->loops[i];
    }
    return oldest;
}

/* Its parts are the plain ones.  NULL: out of memory. */
static struct tweed__remembered *add(struct tweed__history *h,
                                     const struct tweed__past *loop,
                                     const uint32_t *plain, int workers)
{
    struct tweed__remembered **at = room(h);
    struct tweed__remembered *r =
        malloc(sizeof *r + (size_t)workers * sizeof r->part[0]);

    if (!r)
        return NULL;
    *r = (struct tweed__remembered){ .loop = *loop, .used = ++h->uses };
    for (int w = 0; w < workers; w++)
        r->part[w] = plain_part(plain, w);
    free(*at);
    *at = r;
    return r;
}

bool tweed__history_recall(struct tweed__history *h, const struct tweed__past *loop,
                           const uint32_t *plain, int workers, uint32_t *before)
{
    struct tweed__remembered *r;
    double sum = 0;
    bool settled;

    pthread_mutex_lock(&h->lock);
    r = find(h, loop);
    settled = r && r->settled;
    before[0] = 0;
    for (int w = 0; w < workers; w++) {
        sum += r ? r->part[w] : plain_part(plain, w);
        before[w + 1] = (uint32_t)(sum + 0.5);
    }
    pthread_mutex_unlock(&h->lock);
    return !settled;
}

/* ---- learning ---- */

static void aim_at(double *aim, const uint32_t *plain, int workers,
                   const uint32_t *before, const double *speed)
{
    for (int w = 0; w < workers; w++)
        aim[w] = (before[w + 1] - before[w]) * within(speed[w], 1 / FAITH, FAITH);
    fit(plain, workers, aim);
}

static void move(struct tweed__remembered *r, int workers, const double *aim)
{
    double by = r->runs <= 8 ? 0.5 : 4.0 / r->runs;

    for (int w = 0; w < workers; w++)
        r->part[w] += (aim[w] - r->part[w]) * by;
}

void tweed__history_learn(struct tweed__history *h, const struct tweed__past *loop,
                          const uint32_t *plain, int workers, const uint32_t *before,
                          const double *speed, double block)
{
    double *aim = malloc((size_t)workers * sizeof *aim);
    struct tweed__remembered *r = NULL;

    if (!aim)
        return;
    aim_at(aim, plain, workers, before, speed);
    block *= plain_sum(plain, workers);
    if (pthread_mutex_trylock(&h->lock) != 0) {
        free(aim);
        return;
    }
    if (is_of_now(h, loop)) {
        r = find(h, loop);
        if (!r) /* the first run, which is not believed */
            (void)add(h, loop, plain, workers);
    }
    if (r && !r->settled) {
        r->runs++;
        r->calm = is_calm(workers, before, aim, block) ? r->calm + 1 : 0;
        move(r, workers, aim);
        r->settled = r->calm >= CALM_RUNS || r->runs >= MOST_RUNS;
    }
    pthread_mutex_unlock(&h->lock);
    free(aim);
}
