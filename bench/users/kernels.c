/*
 * kernels.c - the data of kernels.h: the same numbers in every program.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "users.h"

/* ---- matrices ---- */

#define EDGES 16      /* drawn, a vertex of an R-MAT graph */
#define BAND 15       /* entries of a row */
#define THIN 8        /* likewise, where one row is dense */
#define DENSE_PART 20 /* the dense row has one in so many entries */
#define NEAR 4096     /* a thin row's entries are within so many columns */

static void matrix_alloc(struct user_matrix *m, int64_t rows, int64_t entries)
{
    m->rows = rows;
    m->start = user_alloc((size_t)(rows + 1) * sizeof *m->start);
    m->column = user_alloc((size_t)entries * sizeof *m->column);
}

static void make_banded(struct user_matrix *m, int64_t rows)
{
    int64_t k = 0;

    matrix_alloc(m, rows, rows * BAND);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = r - BAND / 2; c <= r + BAND / 2; c++)
            if (c >= 0 && c < rows)
                m->column[k++] = (uint32_t)c;
        m->start[r + 1] = k;
    }
}

/* The dense row is in the middle, its entries evenly spaced. */
static void make_dense_row(struct user_matrix *m, int64_t rows)
{
    int64_t dense = rows * THIN / (DENSE_PART - 1), k = 0;

    matrix_alloc(m, rows, rows * THIN + dense);
    for (int64_t r = 0; r < rows; r++) {
        int64_t length = r == rows / 2 ? dense : THIN;

        for (int64_t i = 0; i < length; i++, k++)
            m->column[k] = (uint32_t)(length == dense
                                          ? i * rows / dense
                                          : (r + (int64_t)(bench_random(8, (uint64_t)k) %
                                                           NEAR)) % rows);
        m->start[r + 1] = k;
    }
}

struct edge {
    uint32_t from, to;
};

/* One quadrant of the matrix for each bit, of the probabilities 0.57, 0.19, 0.19 and
   0.05; a random number does for four of them. */
static struct edge draw_edge(int64_t rows, int64_t position)
{
    struct edge e = { 0, 0 };
    uint64_t bits = 0;

    for (int level = 0; (int64_t)1 << level < rows; level++) {
        unsigned r;

        if (level % 4 == 0)
            bits = bench_random(20, (uint64_t)(position * 8 + level / 4));
        r = bits & 0xffff;
        bits >>= 16;
        e.from = e.from << 1 | (r >= 49807);
        e.to = e.to << 1 | ((r >= 37356) ^ (r >= 49807) ^ (r >= 62259));
    }
    return e;
}

/* The edge is in the rows of both its ends; but where `once` in that of the lower one
   only.  Filling advances start[r] to the end of row r, where row r + 1 begins: hence
   the move at the end. */
static void fill(struct user_matrix *m, const struct edge *edge, int64_t edges, bool once)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t k = 0; k < edges; k++)
            for (int end = 0; end < 2; end++) {
                uint32_t from = end ? edge[k].to : edge[k].from;
                uint32_t to = end ? edge[k].from : edge[k].to;

                if (from == to || (once && from > to))
                    continue;
                if (pass == 0)
                    m->start[from + 1]++;
                else
                    m->column[m->start[from]++] = to;
            }
        for (int64_t r = 0; pass == 0 && r < m->rows; r++)
            m->start[r + 1] += m->start[r];
    }
    memmove(m->start + 1, m->start, (size_t)m->rows * sizeof *m->start);
    m->start[0] = 0;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Rows in order, and no column twice. */
static void tidy(struct user_matrix *m)
{
    int64_t kept = 0, begin = 0;

    for (int64_t r = 0; r < m->rows; r++) {
        int64_t end = m->start[r + 1];

        qsort(m->column + begin, (size_t)(end - begin), sizeof *m->column, ascending);
        for (int64_t k = begin; k < end; k++)
            if (k == begin || m->column[k] != m->column[k - 1])
                m->column[kept++] = m->column[k];
        m->start[r + 1] = kept;
        begin = end;
    }
}

/* Renames the vertices by falling degree: 0 has the most edges. */
static void rename_by_degree(struct edge *edge, int64_t edges, int64_t rows)
{
    int64_t *degree = calloc((size_t)rows, sizeof *degree);
    int64_t *place = calloc((size_t)(2 * edges + 2), sizeof *place);
    uint32_t *name = calloc((size_t)rows, sizeof *name);

    if (!degree || !place || !name)
        exit(1);
    for (int64_t k = 0; k < edges; k++) {
        degree[edge[k].from]++;
        degree[edge[k].to]++;
    }
    for (int64_t v = 0; v < rows; v++)
        place[2 * edges - degree[v] + 1]++;
    for (int64_t d = 0; d <= 2 * edges; d++)
        place[d + 1] += place[d];
    for (int64_t v = 0; v < rows; v++)
        name[v] = (uint32_t)place[2 * edges - degree[v]]++;
    for (int64_t k = 0; k < edges; k++)
        edge[k] = (struct edge){ name[edge[k].from], name[edge[k].to] };
    free(degree);
    free(place);
    free(name);
}

/*
 * An R-MAT graph (Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph
 * mining", 2004) with the parameters of Graph 500: undirected, no edge twice, none from
 * a vertex to itself.
 */
static void make_graph(struct user_matrix *m, int64_t rows, bool by_degree, bool once)
{
    int64_t edges = rows * EDGES;
    struct edge *edge = malloc((size_t)edges * sizeof *edge);

    if (!edge)
        exit(1);
    for (int64_t k = 0; k < edges; k++)
        edge[k] = draw_edge(rows, k);
    if (by_degree)
        rename_by_degree(edge, edges, rows);
    matrix_alloc(m, rows, (once ? 1 : 2) * edges);
    fill(m, edge, edges, once);
    free(edge);
    tidy(m);
}

static struct user_matrix *make_matrix(const struct user_task *task)
{
    struct user_matrix *m = user_alloc(sizeof *m);

    if (task->body == USER_rank || task->body == USER_triangles)
        make_graph(m, task->n, true, task->body == USER_triangles);
    else if (task->variant == USER_GRAPH)
        make_graph(m, task->n, false, false);
    else if (task->variant == USER_BANDED)
        make_banded(m, task->n);
    else
        make_dense_row(m, task->n);
    return m;
}

static double *small_numbers(int64_t n, uint64_t seed)
{
    double *x = user_alloc((size_t)n * sizeof *x);

    for (int64_t i = 0; i < n; i++)
        x[i] = (double)(bench_random(seed, (uint64_t)i) % 8);
    return x;
}

/* ---- searches ---- */

static struct user_search *make_search(int64_t rows)
{
    struct user_search *s = user_alloc(sizeof *s);

    make_graph(&s->graph, rows, false, false);
    s->level = user_alloc((size_t)rows * sizeof *s->level);
    s->frontier = user_alloc((size_t)rows * sizeof *s->frontier);
    s->next = user_alloc((size_t)rows * sizeof *s->next);
    while (s->graph.start[s->source + 1] - s->graph.start[s->source] < 2)
        s->source++;
    return s;
}

int64_t user_search_begin(struct user_search *s)
{
    for (int64_t v = 0; v < s->graph.rows; v++)
        s->level[v] = USER_UNSEEN;
    s->level[s->source] = 0;
    s->frontier[0] = s->source;
    s->depth = 0;
    s->found = 0;
    return 1;
}

int64_t user_search_next(struct user_search *s)
{
    uint32_t *frontier = s->next;
    int64_t n = s->found;

    s->next = s->frontier;
    s->frontier = frontier;
    s->depth++;
    s->found = 0;
    return n;
}

/* Neighbours are a level apart at most, and each vertex that was found has one of the
   level above. */
double user_search_check(const struct user_search *s)
{
    const struct user_matrix *m = &s->graph;
    int64_t good = 0;

    for (int64_t v = 0; v < m->rows; v++) {
        bool near = true, above = s->level[v] <= 0;

        for (int64_t k = m->start[v]; k < m->start[v + 1]; k++) {
            int32_t other = s->level[m->column[k]];

            near &= (other == USER_UNSEEN) == (s->level[v] == USER_UNSEEN) &&
                    abs(other - s->level[v]) <= 1;
            above |= other == s->level[v] - 1;
        }
        good += near && above && (s->level[v] != 0 || v == s->source);
    }
    return (double)good / (double)m->rows;
}

/* ---- particles ---- */

#define CLUSTERS 6

/* Of a particle, along an axis; in [0, side).  Those of a cluster are off its centre by
   the sum of a few numbers, which is about normal. */
static double coordinate(int side, bool strong, uint64_t particle, uint64_t axis)
{
    double at = bench_uniform(10, particle * 8 + axis), off = at - 0.5;
    uint64_t cluster = bench_random(10, particle * 8 + 4) % CLUSTERS;

    if (bench_uniform(10, particle * 8 + 3) >= (strong ? 0.9 : 0.5))
        return at * side;
    for (uint64_t i = 0; i < 3; i++)
        off += bench_uniform(11, (particle * 8 + axis) * 3 + i) - 0.5;
    at = bench_uniform(12, cluster * 3 + axis) * side + off * (strong ? 2.5 : 5);
    return at < 0 ? -at : at >= side ? 2 * side - at - 1e-9 : at;
}

static int64_t cell_of(const struct user_cells *c, struct user_particle p)
{
    return ((int64_t)p.z * c->side + (int64_t)p.y) * c->side + (int64_t)p.x;
}

/* Sorts the particles by their cells: counts, sums, and moves. */
static struct user_cells *make_cells(int64_t cells, bool strong)
{
    struct user_cells *c = user_alloc(sizeof *c);
    int64_t n = cells * (strong ? 2 : 8);
    struct user_particle *at = malloc((size_t)n * sizeof *at);

    if (!at)
        exit(1);
    while ((int64_t)c->side * c->side * c->side < cells)
        c->side++;
    c->first = user_alloc((size_t)(cells + 1) * sizeof *c->first);
    c->at = user_alloc((size_t)n * sizeof *c->at);
    for (int64_t i = 0; i < n; i++) {
        at[i].x = coordinate(c->side, strong, (uint64_t)i, 0);
        at[i].y = coordinate(c->side, strong, (uint64_t)i, 1);
        at[i].z = coordinate(c->side, strong, (uint64_t)i, 2);
        c->first[cell_of(c, at[i])]++;
    }
    for (int64_t cell = 0, sum = 0; cell <= cells; cell++)
        c->first[cell] = sum += c->first[cell]; /* its end, which moving makes its start */
    for (int64_t i = 0; i < n; i++)
        c->at[--c->first[cell_of(c, at[i])]] = at[i];
    free(at);
    return c;
}

/* ---- points ---- */

/* Within half of the range around one of the centres, which are random. */
static struct user_points *make_points(int64_t n)
{
    struct user_points *p = user_alloc(sizeof *p);

    p->at = user_alloc((size_t)n * sizeof *p->at);
    for (int k = 0; k < USER_CENTRES * USER_AXES; k++)
        p->centres[k / USER_AXES][k % USER_AXES] =
            (float)(bench_random(7, (uint64_t)k) % 256);
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < USER_AXES; k++) {
            float at = p->centres[bench_random(8, (uint64_t)i) % USER_CENTRES][k] +
                       (float)(bench_random(9, (uint64_t)(i * USER_AXES + k)) % 256) - 128;

            p->at[i][k] = at < 0 ? 0 : at > 255 ? 255 : at;
        }
    return p;
}

void user_kernel_make(struct user_data *s, const struct user_task *task)
{
    switch (task->body) {
    case USER_spmv:
    case USER_rank:
    case USER_triangles:
        s->matrix = make_matrix(task);
        s->x = small_numbers(task->n, 5);
        if (task->body == USER_spmv)
            s->values = small_numbers(s->matrix->start[task->n], 6);
        break;
    case USER_forces:
        s->cells = make_cells(task->n, task->variant == USER_STRONG);
        break;
    case USER_kmeans:
        s->points = make_points(task->n);
        break;
    default: /* a search */
        s->search = make_search(task->n);
    }
}
