/*
 * agree.c - the arguments of a rank, and whether all ranks have the same.
 *
 * SPDX-License-Identifier: MIT
 *
 * One MPI_Allreduce brings the ranks' codes together, and shows whether all ranks have
 * the same values where they must: of each value v it finds the greatest v and the
 * greatest ~v; v is the same on all ranks if the second is ~ of the first.  It adds up
 * the weights, too.  If the weights are not all the same MPI_Exscan adds up the weights
 * of the ranks before this one.
 *
 * At the end of a loop a second MPI_Allreduce brings the ranks' results together.
 */
#include "config.h"

#include "loop.h"
#include "rankshare.h"

#include <tweed/sized.h>

#define MOST_WEIGHT (INT64_C(1) << 20)
#define MOST_BLOCKS ((UINT32_C(1) << 26) - 2)

/* Those below SAME must be the same. */
enum {
    LO, HI, GRAIN, SCHEDULE, CALL, ELEMENT, STRIDE, WEIGHTED, SAME,
    WEIGHT = SAME, SHOWN, VALUES
};

struct words {
    int64_t value[VALUES], complement[VALUES]; /* the greatest */
    int64_t code;                              /* the least */
    int64_t sum;                               /* of the weights */
};

/* ---- of this rank ---- */

/* Errors that a rank returns before the ranks talk to each other. */
static int is_ready(MPI_Comm comm)
{
    int is, level = MPI_THREAD_SINGLE;

    if (MPI_Initialized(&is) != MPI_SUCCESS || !is || MPI_Finalized(&is) != MPI_SUCCESS || is)
        return tweed_fail_(TWEED_EMPI, "before MPI_Init() or after MPI_Finalize()");
    if (tweed_worker_index() >= 0 || tweed__loop_is_driving())
        return tweed_fail_(TWEED_ENESTED, "the call is made in a body");
    if (MPI_Query_thread(&level) != MPI_SUCCESS || MPI_Is_thread_main(&is) != MPI_SUCCESS)
        return tweed_fail_(TWEED_EMPI, "MPI_Query_thread()");
    if (level < MPI_THREAD_FUNNELED || (level == MPI_THREAD_FUNNELED && !is))
        return tweed_fail_(TWEED_ETHREAD, "expected MPI_THREAD_FUNNELED, and the main thread, "
                                          "or more");
    if (comm == MPI_COMM_NULL)
        return tweed_fail_(TWEED_EINVAL, "comm is MPI_COMM_NULL");
    if (MPI_Comm_test_inter(comm, &is) != MPI_SUCCESS)
        return tweed_fail_(TWEED_EMPI, "MPI_Comm_test_inter()");
    return is ? tweed_fail_(TWEED_EINVAL, "comm connects two groups") : TWEED_OK;
}

static int read_options(struct tweed__loop *l, const tweed_mpi_options *options)
{
    tweed_mpi_options *o = &l->options;

    if (options && !tweed_sized_read_(o, sizeof *o, options))
        return tweed_sized_fail_("tweed_mpi_options", options, sizeof *o);
    if (o->grain < 0)
        return tweed_fail_(TWEED_EINVAL, "tweed_mpi_options.grain is %lld: expected 0 or more",
                           (long long)o->grain);
    if (o->weight < 0 || o->weight > MOST_WEIGHT)
        return tweed_fail_(TWEED_EINVAL, "tweed_mpi_options.weight is %lld: expected 0 to %lld",
                           (long long)o->weight, (long long)MOST_WEIGHT);
    if (o->schedule != TWEED_SCHEDULE_DEFAULT && o->schedule != TWEED_SCHEDULE_STATIC)
        return tweed_fail_(TWEED_EINVAL, "tweed_mpi_options.schedule is %lld: expected a "
                                         "TWEED_SCHEDULE_...", (long long)o->schedule);
    if (o->stats && !tweed_sized_fits_(o->stats->size, sizeof *o->stats))
        return tweed_sized_fail_("tweed_mpi_stats", o->stats, sizeof *o->stats);
    l->workers = tweed_pool_num_workers(o->pool);
    return l->workers < 0 ? l->workers : TWEED_OK;
}

/* ---- of all ---- */

static void combine(void *from, void *into, int *n, MPI_Datatype *type)
{
    const struct words *a = from;
    struct words *b = into;

    (void)type;
    for (int k = 0; k < *n; k++) {
        for (int v = 0; v < VALUES; v++) {
            if (a[k].value[v] > b[k].value[v])
                b[k].value[v] = a[k].value[v];
            if (a[k].complement[v] > b[k].complement[v])
                b[k].complement[v] = a[k].complement[v];
        }
        if (a[k].code < b[k].code)
            b[k].code = a[k].code;
        b[k].sum += a[k].sum;
    }
}

static int all_reduce(struct tweed__ranks *r, const struct words *mine, struct words *of_all)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    int error = MPI_Type_contiguous(sizeof *mine / sizeof(int64_t), MPI_INT64_T, &type);

    if (error == MPI_SUCCESS)
        error = MPI_Type_commit(&type);
    if (error == MPI_SUCCESS)
        error = MPI_Op_create(combine, 1, &op);
    if (error == MPI_SUCCESS)
        error = MPI_Allreduce(mine, of_all, 1, type, op, r->comm);
    if (op != MPI_OP_NULL)
        MPI_Op_free(&op);
    if (type != MPI_DATATYPE_NULL)
        MPI_Type_free(&type);
    return error;
}

static void fill(const struct tweed__loop *l, struct words *w)
{
    int64_t weight = l->options.weight ? l->options.weight : l->workers > 0 ? l->workers : 1;
    int64_t value[VALUES] = { [LO] = l->first, [HI] = l->past, [GRAIN] = l->options.grain,
                              [SCHEDULE] = l->options.schedule, [CALL] = l->call,
                              [ELEMENT] = (int64_t)l->element,
                              [STRIDE] = (int64_t)l->stride,
                              [WEIGHTED] = l->options.weight > 0,
                              [WEIGHT] = weight,
                              [SHOWN] = l->ranks->rank == 0 && l->options.progress };

    for (int v = 0; v < VALUES; v++) {
        w->value[v] = value[v];
        w->complement[v] = ~value[v];
    }
    w->code = l->wrong;
    w->sum = weight;
}

static bool is_same(const struct words *of_all, int v)
{
    return of_all->complement[v] == ~of_all->value[v];
}

/* wrong: what is wrong on this rank, of which there is a text already. */
static int code_of(const struct words *of_all, int wrong)
{
    static const char *const names[SAME] = { [LO] = "lo", [HI] = "hi", [GRAIN] = "grain",
                                             [SCHEDULE] = "schedule", [CALL] = "the call",
                                             [ELEMENT] = "element_size",
                                             [STRIDE] = "alignment", [WEIGHTED] = "weight" };

    if (of_all->code != TWEED_OK)
        return of_all->code == wrong ? wrong
                                     : tweed_fail_((int)of_all->code, "on another rank");
    for (int v = 0; v < SAME; v++)
        if (!is_same(of_all, v))
            return tweed_fail_(TWEED_EDIFFER, "in %s", names[v]);
    return TWEED_OK;
}

/* The weight of the ranks before this one. */
static int find_before(const struct tweed__ranks *r, const struct words *mine,
                       const struct words *of_all, int64_t *before)
{
    *before = r->rank * mine->sum;
    if (is_same(of_all, WEIGHT))
        return MPI_SUCCESS;
    *before = 0; /* which MPI_Exscan leaves alone on rank 0 */
    return MPI_Exscan(&mine->sum, before, 1, MPI_INT64_T, MPI_SUM, r->comm);
}

static void cut(struct tweed__loop *l)
{
    l->lo = (uint64_t)l->first;
    l->count = l->first < l->past ? (uint64_t)l->past - (uint64_t)l->first : 0;
    if (!l->count)
        return;
    if (l->call == TWEED__REDUCTION) {
        l->grain = tweed_reduction_grain_(l->count, (uint64_t)l->options.grain,
                                          (size_t)l->stride);
    } else {
        /* as long as asked for, or so that there are no more than MOST_BLOCKS */
        uint64_t asked = l->options.grain ? (uint64_t)l->options.grain : 1;
        uint64_t least = l->count / MOST_BLOCKS + (l->count % MOST_BLOCKS != 0);

        l->grain = asked * (least / asked + (least % asked != 0));
    }
    l->blocks = (uint32_t)(l->count / l->grain + (l->count % l->grain != 0));
}

int tweed__loop_failed(struct tweed__loop *l, int error)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length;

    (void)MPI_Comm_call_errhandler(l->comm, error);
    (void)MPI_Error_string(error, text, &length);
    return tweed_fail_(TWEED_EMPI, "%s", text);
}

int tweed__loop_given(struct tweed__loop *l, MPI_Comm comm, const tweed_mpi_options *options,
                     int64_t lo, int64_t hi)
{
    int code = is_ready(comm), error;

    if (code != TWEED_OK)
        return code;
    l->comm = comm;
    code = tweed__ranks_of(comm, &l->ranks, &error);
    if (code == TWEED_OK && l->ranks->failed) {
        code = TWEED_EMPI;
        error = l->ranks->failed;
    }
    if (code != TWEED_OK)
        return code == TWEED_EMPI && error != MPI_SUCCESS ? tweed__loop_failed(l, error)
                                                          : tweed_fail_(code, "for comm");
    l->first = lo;
    l->past = hi;
    code = read_options(l, options);
    if (l->wrong == TWEED_OK)
        l->wrong = code;
    if (l->wrong == TWEED_OK)
        cut(l);
    return TWEED_OK;
}

int tweed__loop_agree(struct tweed__loop *l)
{
    struct words mine, of_all;
    int64_t before;
    int error, code;

    fill(l, &mine);
    error = all_reduce(l->ranks, &mine, &of_all);
    if (!tweed__ranks_went_well(l->ranks, error))
        return tweed__loop_failed(l, error);
    code = code_of(&of_all, l->wrong);
    if (code != TWEED_OK)
        return code;
    l->is_shown = of_all.value[SHOWN] != 0;
    error = find_before(l->ranks, &mine, &of_all, &before);
    if (!tweed__ranks_went_well(l->ranks, error))
        return tweed__loop_failed(l, error);
    l->share.begin = rankshare_begin(l->blocks, (uint64_t)before, (uint64_t)of_all.sum);
    l->share.end = rankshare_begin(l->blocks, (uint64_t)(before + mine.sum),
                               (uint64_t)of_all.sum);
    return TWEED_OK;
}

int tweed__loop_result(struct tweed__loop *l, int code)
{
    int64_t most[2] = { -(int64_t)code, code };
    int error;

    if (l->ranks->size == 1 || l->count == 0)
        return code;
    error = MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT64_T, MPI_MAX, l->ranks->comm);
    if (!tweed__ranks_went_well(l->ranks, error))
        return tweed__loop_failed(l, error);
    return (int)(most[0] > 0 ? -most[0] : most[1]);
}
