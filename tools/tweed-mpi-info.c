/*
 * tweed-mpi-info.c - shows what tweed makes of the ranks of MPI: one table for all.
 *
 * SPDX-License-Identifier: MIT
 *
 * Linked with the library's inside, as tweed-info, which becomes this program where it is
 * started as one of several ranks.
 */
#include "config.h"

#include "finish.h"
#include "launcher.h"
#include "pool/pool.h"
#include "rankshare.h"
#include "system/topology.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAMPLE 1000000 /* indices of the sample loop */
#define MOST_CPUS 8192

/* Numbers, a bit for each. */
struct set {
    uint64_t bits[MOST_CPUS / 64];
};

/* What a rank says of itself. */
struct row {
    int machine; /* the first rank there */
    int workers;
    int online;  /* CPUs of the machine, whoever may use them */
    int made_up; /* the machine is */
    int no_memory;
    struct set cpus, nodes;
    char name[MPI_MAX_PROCESSOR_NAME];
};

/* ---- sets ---- */

static void add(struct set *s, int n)
{
    if (n >= 0 && n < MOST_CPUS)
        s->bits[n / 64] |= UINT64_C(1) << n % 64;
}

static int has(const struct set *s, int n)
{
    return n < MOST_CPUS && s->bits[n / 64] >> n % 64 & 1;
}

static int count(const struct set *s)
{
    int n = 0;

    for (int k = 0; k < MOST_CPUS; k++)
        n += has(s, k);
    return n;
}

/* "0-3,8", in a column so wide. */
static void print_set(const struct set *s, int width)
{
    int written = 0;

    for (int i = 0, j; i < MOST_CPUS; i = j + 1) {
        for (j = i; has(s, j); j++)
            ;
        if (j > i)
            written += printf(j - i > 1 ? "%s%d-%d" : "%s%d", written ? "," : "", i, j - 1);
    }
    printf("%*s", width > written ? width - written : 0, "");
}

/* ---- of this rank ---- */

static int find_machine(struct row *r)
{
    MPI_Comm machine;
    int length;

    MPI_Comm_rank(MPI_COMM_WORLD, &r->machine);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, r->machine, MPI_INFO_NULL,
                        &machine);
    MPI_Bcast(&r->machine, 1, MPI_INT, 0, machine);
    MPI_Comm_free(&machine);
    r->online = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return MPI_Get_processor_name(r->name, &length);
}

static void look(struct row *r)
{
    struct tweed__topology *t = tweed__topology_get();
    struct tweed__team *team = tweed__pool_team(tweed__pool_or_default(NULL));

    find_machine(r);
    r->no_memory = !t || !team;
    if (r->no_memory)
        return;
    r->workers = team->num_workers;
    r->made_up = t->synthetic;
    for (int k = 0; k < t->num_cpus; k++) {
        add(&r->cpus, t->cpus[k].cpu);
        add(&r->nodes, t->nodes[t->cpus[k].node]);
    }
    tweed__topology_free(t);
}

/* ---- of all ---- */

static void print_ranks(const struct row *row, int ranks)
{
    uint64_t workers = 0, before = 0;
    int machines = 0;

    for (int k = 0; k < ranks; k++) {
        workers += (uint64_t)row[k].workers;
        machines += row[k].machine == k;
    }
    printf("tweed %s\n%d rank%s on %d machine%s, %llu worker%s\n", tweed_version(), ranks,
           ranks == 1 ? "" : "s", machines, machines == 1 ? "" : "s",
           (unsigned long long)workers, workers == 1 ? "" : "s");
    printf("  %6s   %7s   %-14s   %-8s   share of a loop of %d\n", "rank", "workers", "CPUs",
           "nodes", SAMPLE);
    for (int k = 0; k < ranks; k++) {
        uint32_t begin = rankshare_begin(SAMPLE, before, workers);

        before += (uint64_t)row[k].workers;
        printf("  %6d   %7d   ", k, row[k].workers);
        print_set(&row[k].cpus, 14);
        printf("   ");
        print_set(&row[k].nodes, 8);
        printf("   [%u, %u)\n", begin, rankshare_begin(SAMPLE, before, workers));
    }
}

/* A machine, and whether its ranks' workers have a CPU each. */
static void print_machine(const struct row *row, int ranks, int first)
{
    const struct row *of = &row[first];
    struct set cpus;
    int here = 0, workers = 0, n;

    memset(&cpus, 0, sizeof cpus);
    for (int k = first; k < ranks; k++)
        if (row[k].machine == first) {
            here++;
            workers += row[k].workers;
            for (int w = 0; w < MOST_CPUS / 64; w++)
                cpus.bits[w] |= row[k].cpus.bits[w];
        }
    n = count(&cpus);
    printf("  %s: %d rank%s from %d on, %d worker%s", of->name, here, here == 1 ? "" : "s",
           first, workers, workers == 1 ? "" : "s");
    if (of->made_up)
        printf(" on CPUs that are made up\n");
    else
        printf(" on %d of %d CPU%s%s\n", n, of->online, of->online == 1 ? "" : "s",
               workers > n ? "!" : "");
    if (!of->made_up && workers > n)
        printf("    more workers than CPUs: bind the ranks, or set TWEED_NUM_WORKERS\n");
}

static int print_all(const struct row *row, int ranks)
{
    for (int k = 0; k < ranks; k++)
        if (row[k].no_memory) {
            fprintf(stderr, "tweed-mpi-info: rank %d is out of memory\n", k);
            return 1;
        }
    print_ranks(row, ranks);
    printf("machines; a rank steals on its own one first\n");
    for (int k = 0; k < ranks; k++)
        if (row[k].machine == k)
            print_machine(row, ranks, k);
    return 0;
}

/* ---- the program ---- */

static int usage(FILE *to, int status)
{
    fprintf(to, "usage: mpirun ... tweed-mpi-info\n"
                "Shows the ranks of MPI as tweed sees them: their machines, CPUs, workers "
                "and shares.\n"
                "  --help     show this\n"
                "  --version  show the version\n");
    return status;
}

/* Started by one MPI's launcher, and linked with another: each rank is alone.  *launched:
   the rank that the launcher has made. */
static int is_of_another_mpi(int ranks, int *launched)
{
    return ranks == 1 && launcher_size(launched) != 1;
}

/* The first rank says so, and fails.  The others do not: a launcher ends all ranks when one
   has failed, and the first one might have said nothing yet. */
static int fail_of_another_mpi(int launched)
{
    if (launched != 0)
        return 0;
    fprintf(stderr, "tweed-mpi-info: built by %s, and started by another MPI\n", TWEED_MPICC);
    return 1;
}

/* The status, on all ranks that of rank 0; but of ranks that do not know of each other. */
static int show(void)
{
    struct row mine, *all = NULL;
    int rank, ranks, launched, status = 1;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (is_of_another_mpi(ranks, &launched))
        return fail_of_another_mpi(launched);
    memset(&mine, 0, sizeof mine);
    look(&mine);
    if (rank == 0 && !(all = calloc((size_t)ranks, sizeof *all))) {
        fprintf(stderr, "tweed-mpi-info: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Gather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0)
        status = finish("tweed-mpi-info", print_all(all, ranks));
    free(all);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

int main(int argc, char **argv)
{
    int status;

    if (argc > 1 && strcmp(argv[1], "--help") == 0)
        return finish("tweed-mpi-info", usage(stdout, 0));
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("tweed-mpi-info %s\n", tweed_version());
        return finish("tweed-mpi-info", 0);
    }
    if (argc > 1) {
        fprintf(stderr, "tweed-mpi-info: unknown argument '%s'\n", argv[1]);
        return usage(stderr, 2);
    }
    MPI_Init(&argc, &argv);
    status = show();
    MPI_Finalize();
    return status;
}
