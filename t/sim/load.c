/*
 * load.c - how long each body of a simulated loop takes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "load.h"
#include "draw.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct mould {
    int64_t n;
    double mean, heavy, part;
    uint64_t seed;
};

/* In [0, 1), a number of its own for each index. */
static double chance(const struct mould *m, int64_t i)
{
    uint64_t state = m->seed * UINT64_C(0xd1342543de82ef95) +
                     (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);

    return (double)(draw(&state) >> 11) / 9007199254740992.0;
}

static double constant(const struct mould *m, int64_t i)
{
    (void)i;
    return m->mean;
}

static double uniform(const struct mould *m, int64_t i)
{
    return 2 * m->mean * chance(m, i);
}

static double exponential(const struct mould *m, int64_t i)
{
    return -m->mean * log(1 - chance(m, i));
}

/* Of those that have a mean but no variance: exponent 1.5. */
static double pareto(const struct mould *m, int64_t i)
{
    return m->mean / 3 * pow(1 - chance(m, i), -2.0 / 3);
}

static double bimodal(const struct mould *m, int64_t i)
{
    return m->mean / 1.9 * (chance(m, i) < 0.1 ? 10 : 1);
}

static double rising(const struct mould *m, int64_t i)
{
    return 2 * m->mean * ((double)i + 0.5) / (double)m->n;
}

static double falling(const struct mould *m, int64_t i)
{
    return rising(m, m->n - 1 - i);
}

static double first(const struct mould *m, int64_t i)
{
    return m->mean * (i == 0 ? m->heavy : 1);
}

static double last(const struct mould *m, int64_t i)
{
    return m->mean * (i == m->n - 1 ? m->heavy : 1);
}

static double block(const struct mould *m, int64_t i)
{
    int64_t from = m->n / 2, length = (int64_t)((double)m->n / m->part) + 1;

    return m->mean * (i >= from && i < from + length ? m->heavy : 1);
}

static const struct {
    const char *name;
    double (*of)(const struct mould *m, int64_t i);
} loads[] = {
    { "constant", constant },       { "uniform", uniform },
    { "exponential", exponential }, { "bimodal", bimodal },
    { "rising", rising },           { "falling", falling },
    { "first", first },             { "last", last },
    { "block", block },             { "pareto", pareto },
};

static bool read_file(double *ns, int64_t n, const char *path)
{
    FILE *f = fopen(path, "re");
    int64_t got = 0;
    bool good;

    if (!f) {
        fprintf(stderr, "simulate: cannot read %s\n", path);
        return false;
    }
    while (got < n && fscanf(f, "%lf", &ns[got]) == 1 && ns[got] >= 0 &&
           ns[got] < 1e12)
        got++;
    good = got > 0 && (got == n || feof(f));
    fclose(f);
    for (int64_t i = got; good && i < n; i++)
        ns[i] = ns[i - got];
    if (!good)
        fprintf(stderr, "simulate: %s: line %lld is no number of ns\n", path,
                (long long)got + 1);
    return good;
}

bool load_fill(double *ns, int64_t n, const char *load, double mean,
               double heavy, double part, uint64_t seed)
{
    struct mould m = { n, mean, heavy, part, seed };

    if (strncmp(load, "file:", 5) == 0)
        return read_file(ns, n, load + 5);
    for (size_t k = 0; k < sizeof loads / sizeof loads[0]; k++)
        if (strcmp(load, loads[k].name) == 0) {
            for (int64_t i = 0; i < n; i++)
                ns[i] = loads[k].of(&m, i);
            return true;
        }
    fprintf(stderr, "simulate: load=%s: expected %s\n", load, LOADS);
    return false;
}
