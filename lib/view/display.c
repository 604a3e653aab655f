/*
 * display.c - the options in force, as TWEED_DISPLAY_ENV and tweed-info show them.
 *
 * SPDX-License-Identifier: MIT
 *
 * What a pool has: the numbers that it was started with, in place of words like "auto".
 * Behind each stands where it comes from: a variable, with its value if the pool has
 * another one, the pool's own options, or the default.
 */
#include "config.h"

#include "base/options.h"
#include "base/print.h"
#include "log/trace.h"
#include "pool/above.h"
#include "system/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One option in force. */
struct line {
    const struct tweed__option *o;
    char value[sizeof((struct tweed__option *)0)->text]; /* "": it has none */
    bool own; /* it was an option of the pool, and no variable */
};

static void put_number(struct line *l, uint64_t n)
{
    snprintf(l->value, sizeof l->value, "%" PRIu64, n);
}

static void put_text(struct line *l, const char *text)
{
    snprintf(l->value, sizeof l->value, "%s", text);
}

/* The option as it was asked for. */
static const char *asked(const struct tweed__option *o)
{
    return o->origin ? o->text : o->standard;
}

static const char *word_of_bind(int bind)
{
    return bind == TWEED_BIND_CPU    ? "cpu"
           : bind == TWEED_BIND_NODE ? "node"
           : bind == TWEED_BIND_NONE ? "none"
                                     : "auto";
}

/* What a thread has that was asked for so many bytes; 0: for none. */
static size_t stack_of(size_t bytes)
{
    pthread_attr_t attr;

    if (bytes || pthread_attr_init(&attr) != 0)
        return bytes;
    (void)pthread_attr_getstacksize(&attr, &bytes);
    pthread_attr_destroy(&attr);
    return bytes;
}

static void put_topology(struct line *l)
{
    struct tweed__topology *t = l->o->origin ? NULL : tweed__topology_get();

    if (t)
        snprintf(l->value, sizeof l->value, "%d CPU%s on %d node%s", t->num_cpus,
                 t->num_cpus == 1 ? "" : "s", t->num_nodes, t->num_nodes == 1 ? "" : "s");
    else
        put_text(l, asked(l->o));
    if (t)
        tweed__topology_free(t);
}

/* What the pool has of an option that pools have. */
static void fill(struct line *l, enum tweed__option_id id, const struct tweed__settings *s,
                 const struct tweed__team *team)
{
    uint64_t number = (uint64_t)l->o->number;

    switch (id) {
    case TWEED__NUM_WORKERS:
        put_number(l, team ? (uint64_t)team->num_workers : 1);
        l->own = s->cpus || (uint64_t)s->num_workers != number;
        break;
    case TWEED__BIND:
        put_text(l, word_of_bind(team ? team->bind : s->bind));
        l->own = strcmp(word_of_bind(s->bind), asked(l->o)) != 0;
        break;
    case TWEED__FENCE:
        put_text(l, !team || !team->asymmetric   ? "exchange"
                    : team->asymmetric_loops     ? "membarrier"
                                                 : "auto"); /* each in its place */
        l->own = (uint64_t)s->fence != number;
        break;
    case TWEED__SPIN_NS:
        put_number(l, s->spin_ns);
        l->own = s->spin_ns != number;
        break;
    case TWEED__STACK_BYTES:
        put_number(l, stack_of(s->stack_bytes));
        l->own = s->stack_bytes != number;
        break;
    case TWEED__SEED:
        put_number(l, s->seed);
        l->own = s->seed != number;
        break;
    case TWEED__TOPOLOGY: put_topology(l); break;
    case TWEED__TRACE_EVENTS: put_number(l, trace_capacity(number)); break;
    case TWEED__TRACE: put_text(l, l->o->text); break;
    default: put_text(l, asked(l->o)); break;
    }
}

static void print(const struct line *l, int fd)
{
    const struct tweed__option *o = l->o;
    char shown[200], text[200];

    (void)tweed__printable(shown, sizeof shown, l->value);
    (void)tweed__printable(text, sizeof text, asked(o));
    if (l->own)
        tweed__print(fd, "  %-18s = %s  (of the pool's own options)\n", o->name, shown);
    else if (!*shown)
        tweed__print(fd, "  %-18s : %s  (default)\n", o->name, o->standard);
    else if (strcmp(shown, text) == 0)
        tweed__print(fd, "  %-18s = %s  (%s%s)\n", o->name, shown,
                     o->origin ? "from " : "default", o->origin ? o->origin : "");
    else
        tweed__print(fd, "  %-18s = %s  (%s%s%s)\n", o->name, shown,
                     o->origin ? o->origin : "default", o->origin ? "=" : ": ", text);
    if (o->refused[0])
        tweed__print(fd, "  %-18s   %s\n", "", o->refused);
}

void tweed__display_options(const tweed_pool *pool, const struct tweed__team *team, int fd)
{
    for (int i = 0; i < TWEED__NUM_OPTIONS; i++) {
        struct line l = { .o = tweed__option((enum tweed__option_id)i) };

        fill(&l, (enum tweed__option_id)i, &pool->settings, team);
        print(&l, fd);
    }
}
