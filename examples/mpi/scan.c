/*
 * scan.c - a scan of parameters, of which a few take a hundred times as long as most.
 *
 * SPDX-License-Identifier: MIT
 *
 * A parameter is an index.  What a simulation with it would take is slept away here: so more
 * ranks than CPUs stand for as many machines.  The best parameter comes home by
 * MPI_Allreduce.
 */
#include <math.h>
#include <time.h>

#include "program.h"
#include "ways.h"

struct scan {
    double scale; /* milliseconds of the shortest */
    struct best {
        double value;
        int index;
    } *best;
    int64_t n;
};

/* Uniform in (0, 1), of the index. */
static double draw(int64_t i)
{
    uint64_t z = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

/* Pareto's distribution, cut off at a hundred times the shortest. */
static void simulate(int64_t i, void *arg)
{
    const struct scan *s = arg;
    double factor = pow(draw(i), -1 / 1.2);
    int64_t ns = (int64_t)(1e6 * s->scale * (factor < 100 ? factor : 100));
    struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

    nanosleep(&t, NULL);
    s->best[i] = (struct best){ cos(0.37 * (double)i) * draw(i + 1000), (int)i };
}

static int run(enum way way, struct scan *s)
{
    struct loop loop = { "scan", s->n, 1, simulate, s };
    struct cost cost = { 0 };
    struct best mine = { INFINITY, -1 }, best;

    for (int64_t i = 0; i < s->n; i++)
        s->best[i] = mine;
    ways_run(way, &loop, &cost);
    for (int64_t i = 0; i < s->n; i++)
        if (s->best[i].value < mine.value)
            mine = s->best[i];
    MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    ways_row(way, &loop, &cost);
    return best.index;
}

int main(int argc, char **argv)
{
    int n = 800, best[WAYS];
    struct scan s = { 1, NULL, 0 };
    const struct option options[] = {
        { "parameters", 'n', OPTION_INTEGER, &n, 1, 1e6, "how many" },
        { "scale", 's', OPTION_REAL, &s.scale, 0.001, 1000, "ms of the shortest" },
        OPTIONS_END
    };

    ways_begin(&argc, &argv);
    options_read(argc, argv, "scan", "Scans parameters on all ranks.", options);
    s.n = n;
    s.best = allocate(NULL, (size_t)n, sizeof *s.best);
    for (enum way way = 0; way < WAYS; way++)
        best[way] = run(way, &s);
    return ways_end(best[SPLIT] == best[MASTER] && best[SPLIT] == best[TWEED]);
}
