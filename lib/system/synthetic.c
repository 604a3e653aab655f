/*
 * synthetic.c - machines that are made up.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "base/options.h"
#include "system/topology.h"

#include <string.h>

enum key { NODES, CPUS, THREADS, DOMAINS, SMALL, CAPACITY, SOCKETS, NEAR, APART, KEYS };

static const struct {
    const char *name;
    int64_t least, most;
    const char *takes; /* what is said of any other number */
    const char *twice;
} keys[KEYS] = {
    { "nodes:", 1, 1024, "nodes: takes 1 to 1024", "nodes: is given twice" },
    { "cpus:", 1, 4096, "cpus: takes 1 to 4096", "cpus: is given twice" },
    { "threads:", 1, 16, "threads: takes 1 to 16", "threads: is given twice" },
    { "domains:", 1, 4096, "domains: takes 1 to 4096", "domains: is given twice" },
    { "small:", 0, 4096, "small: takes 0 to 4096", "small: is given twice" },
    { "capacity:", 1, TWEED__CAPACITY, "capacity: takes 1 to 1024",
      "capacity: is given twice" },
    { "sockets:", 1, 1024, "sockets: takes 1 to 1024", "sockets: is given twice" },
    { "near:", TWEED__LOCAL, 255, "near: takes 10 to 255", "near: is given twice" },
    { "distance:", TWEED__LOCAL, 255, "distance: takes 10 to 255",
      "distance: is given twice" },
};

/* Reads "key:number,..." into value[] and given[].  NULL, or what is wrong. */
static const char *read_keys(const char *at, int64_t *value, bool *given)
{
    for (;; at++) {
        int k = 0;

        while (k < KEYS && strncmp(at, keys[k].name, strlen(keys[k].name)) != 0)
            k++;
        if (k == KEYS)
            return "each part is nodes:, cpus:, threads:, domains:, small:, "
                   "capacity:, sockets:, near: or distance: and a number";
        if (given[k])
            return keys[k].twice;
        if (!tweed__parse_number(at + strlen(keys[k].name), &at, keys[k].least,
                                 keys[k].most, &value[k]))
            return keys[k].takes;
        given[k] = true;
        if (*at == '\0')
            return NULL;
        if (*at != ',')
            return "parts are numbers with commas between them";
    }
}

/* Judges all keys together.  NULL, or what is wrong. */
static const char *judge_keys(const int64_t *value, const bool *given)
{
    if (!given[NODES])
        return "nodes: is missing";
    if (!given[CPUS])
        return "cpus: is missing";
    if (value[SMALL] > value[CPUS])
        return "small: is more than cpus:";
    if ((value[CPUS] - value[SMALL]) % value[THREADS] != 0)
        return "cpus: is no multiple of threads:";
    if (value[NODES] * value[CPUS] > TWEED__MAX_WORKERS)
        return "nodes: times cpus: may be 4094 at most";
    if (value[SMALL] > 0 && value[DOMAINS] > 1)
        return "small: and domains: do not go together";
    if (value[SMALL] == 0 && value[CPUS] % (value[DOMAINS] * value[THREADS]) != 0)
        return "cpus: is no multiple of domains: times threads:";
    if (value[NODES] % value[SOCKETS] != 0)
        return "nodes: is no multiple of sockets:";
    return NULL;
}

/* How far it is from one node to another. */
static int distance(const int64_t *value, const bool *given, int from, int to)
{
    int64_t per_socket = value[NODES] / value[SOCKETS];

    if (from == to)
        return TWEED__LOCAL;
    return (int)(given[NEAR] && from / per_socket == to / per_socket ? value[NEAR]
                                                                      : value[APART]);
}

/* CPU i: the large cores of its node, with their threads, come before the small ones. */
static struct tweed__cpu make_cpu(const int64_t *value, int i)
{
    int cpus = (int)value[CPUS], large = cpus - (int)value[SMALL], k = i % cpus;
    int thread = k < large ? k % (int)value[THREADS] : 0;

    return (struct tweed__cpu){ .cpu = i,
                                .node = i / cpus,
                                .domain = i / (int)(cpus / value[DOMAINS]),
                                .core = i - thread,
                                .thread = thread,
                                .capacity = k < large ? TWEED__CAPACITY
                                                      : (int)value[CAPACITY] };
}

struct tweed__topology *tweed__topology_parse(const char *text,
                                              const char **wrong)
{
    int64_t value[KEYS] = { 0, 0, 1, 1, 0, TWEED__SMALL_CORE, 1, TWEED__REMOTE, TWEED__REMOTE };
    bool given[KEYS] = { false };
    struct tweed__topology *t;
    int n;

    *wrong = read_keys(text, value, given);
    if (!*wrong)
        *wrong = judge_keys(value, given);
    if (*wrong)
        return NULL;
    n = (int)value[NODES];
    t = tweed__topology_new(n * (int)value[CPUS], n);
    if (!t)
        return NULL;
    for (int i = 0; i < t->num_cpus; i++)
        t->cpus[i] = make_cpu(value, i);
    for (int k = 0; k < n * n; k++)
        t->distances[k] = distance(value, given, k / n, k % n);
    for (int a = 0; a < n; a++)
        t->nodes[a] = a;
    t->synthetic = true;
    t->source = "TWEED_TOPOLOGY";
    tweed__topology_order(t);
    return t;
}
