/*
 * profile.c - what loops took, by their names.
 *
 * SPDX-License-Identifier: MIT
 *
 * A name has an ACCOUNT.  Figures are added up in it when a worker has come to the end
 * of a range, and when a call returns: two looks at the clock for each, and none for an
 * index.  A worker adds up before it returns the blocks to the loop's remaining count,
 * so what a loop took is in the account when the call returns.
 *
 * An account is some LEAVES, on a line each, so that not all workers write the same
 * line.  A leaf still has several writers, worker 0 alone is any number of threads: so
 * figures are added by read-modify-writes, relaxed, since they order nothing.
 *
 * Whether loops are counted is decided once, before the first team starts.  A loop that is
 * counted has the number of its workers in its mark.
 */
#include "config.h"

#include "log/profile.h"
#include "base/options.h"
#include "log/label.h"
#include "system/system.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define LEAVES 4
#define BY_LOOP 2 /* the place of this word in TWEED_STATS' list */

_Atomic uint32_t tweed__watched;

struct leaf {
#define PROFILE_MEMBER(name, meaning) alignas(8) _Atomic uint64_t name;
    TWEED_LOOP_STATS_FIELDS_(PROFILE_MEMBER)
#undef PROFILE_MEMBER
};

static struct {
    alignas(64) struct leaf leaf; /* no more than a line */
} accounts[TWEED__LABELS][LEAVES];

static bool was_asked;          /* under the registry's */

void tweed__profile_forget(void)
{
    for (unsigned label = 0; label < tweed__label_end(); label++)
        for (int k = 0; k < LEAVES; k++) {
            struct leaf *leaf = &accounts[label][k].leaf;

#define PROFILE_CLEAR(name, meaning) store_relaxed(&leaf->name, 0); /* a figure */
            TWEED_LOOP_STATS_FIELDS_(PROFILE_CLEAR)
#undef PROFILE_CLEAR
        }
}

void tweed__profile_as_asked(void)
{
    if (was_asked || tweed__option(TWEED__STATS)->number != BY_LOOP)
        return;
    was_asked = true;
    /* any order would do: see profile.h */
    fetch_or_seq_cst(&tweed__watched, TWEED__WATCH_PROFILE);
}

bool tweed__profile_was_asked(void)
{
    return was_asked;
}

/* ---- what is written ---- */

static bool is_counted(const struct tweed__body *body)
{
    return body->mark.workers > 0;
}

static struct leaf *leaf_of(const struct tweed__body *body, int worker)
{
    return &accounts[body->mark.label][worker % LEAVES].leaf;
}

void tweed__profile_loop_begin(struct tweed__body *body, int workers, uint64_t *ns)
{
    if (!(load_relaxed(&tweed__watched) & TWEED__WATCH_PROFILE)) /* see profile.h */
        return;
    body->mark.workers = (uint16_t)workers;
    *ns = tweed__clock();
}

void tweed__profile_loop_end(const struct tweed__body *body, int worker,
                            const uint64_t *began, bool alone)
{
    struct leaf *leaf = leaf_of(body, worker);

    if (!is_counted(body))
        return;
    fetch_add_relaxed(&leaf->time_ns, tweed__clock() - *began); /* all: figures */
    fetch_add_relaxed(&leaf->loops, 1);
    if (alone)
        fetch_add_relaxed(&leaf->serial, 1);
}

void tweed__profile_run_begin(const struct tweed__body *body, uint64_t *ns)
{
    if (is_counted(body))
        *ns = tweed__clock();
}

void tweed__profile_run_end(const struct tweed__body *body, int worker,
                           const uint64_t *began, uint64_t executed)
{
    struct leaf *leaf = leaf_of(body, worker);

    if (!is_counted(body))
        return;
    fetch_add_relaxed(&leaf->ideal_ns, /* figures */
                      (tweed__clock() - *began) / body->mark.workers);
    fetch_add_relaxed(&leaf->indices, executed);
}

void tweed__profile_steal(const struct tweed__body *body, int thief, bool far,
                         uint64_t indices)
{
    struct leaf *leaf = leaf_of(body, thief);

    if (!is_counted(body))
        return;
    fetch_add_relaxed(&leaf->steals, 1); /* figures */
    if (far) {
        fetch_add_relaxed(&leaf->steals_far, 1);
        fetch_add_relaxed(&leaf->indices_far, indices);
    }
}

/* ---- what is read ---- */

/* False: there is nothing in the account. */
static bool sum_up(tweed_loop_stats *row, unsigned label)
{
    uint64_t any = 0;

    memset(row, 0, sizeof *row);
    row->size = sizeof *row;
    strcpy(row->name, tweed__label_text(label));
    for (int k = 0; k < LEAVES; k++) {
        struct leaf *leaf = &accounts[label][k].leaf;

#define PROFILE_ADD(name, meaning)                                       \
    row->name += load_relaxed(&leaf->name); /* a figure */                     \
    any |= row->name;
        TWEED_LOOP_STATS_FIELDS_(PROFILE_ADD)
#undef PROFILE_ADD
    }
    return any;
}

static int longest_first(const void *a, const void *b)
{
    const tweed_loop_stats *x = a, *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return strcmp(x->name, y->name);
}

tweed_loop_stats *tweed__profile_rows(int *n)
{
    unsigned end = tweed__label_end();
    tweed_loop_stats *rows = malloc(end * sizeof *rows);

    *n = 0;
    if (!rows)
        return NULL;
    for (unsigned label = TWEED__LABEL_NO_NAME; label < end; label++)
        *n += sum_up(&rows[*n], label);
    qsort(rows, (size_t)*n, sizeof *rows, longest_first);
    return rows;
}
