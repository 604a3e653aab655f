/*
 * kmeans.c - one step of k-means: uniform work, and a reduction.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each point is assigned to the nearest of the centres; of each centre's points
 * the sum and the number are wanted, and how many points have changed sides.
 * Every worker adds up its own, in its own cache lines.
 *
 * The coordinates are integers from 0 to 255, so that distances are exact as
 * floats, and sums as doubles, in whatever order.
 */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "suite.h"

enum { DIMENSIONS = 16, CENTRES = 32, BLOCK = 256 };

struct tally {
    _Alignas(64) double sum[CENTRES][DIMENSIONS];
    double count[CENTRES];
    double changed;
};

struct kmeans {
    const struct bench_loop *loop;
    int64_t n;               /* points */
    float *points;           /* n x DIMENSIONS */
    uint8_t *before, *after; /* n: a point's centre */
    float centres[CENTRES][DIMENSIONS];
    struct tally *tallies; /* a worker's */
    struct tally result;
    char size[48];
};

static int nearest(const struct kmeans *k, const float *point)
{
    float least = 1e30f;
    int best = 0;

    for (int c = 0; c < CENTRES; c++) {
        float distance = 0;
        for (int d = 0; d < DIMENSIONS; d++) {
            float difference = point[d] - k->centres[c][d];
            distance += difference * difference;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    return best;
}

static void assign_block(int64_t block, void *arg)
{
    struct kmeans *k = arg;
    struct tally *tally = &k->tallies[bench_worker(k->loop)];
    int64_t end = (block + 1) * BLOCK < k->n ? (block + 1) * BLOCK : k->n;

    for (int64_t i = block * BLOCK; i < end; i++) {
        const float *point = k->points + i * DIMENSIONS;
        int c = nearest(k, point);
        for (int d = 0; d < DIMENSIONS; d++)
            tally->sum[c][d] += (double)point[d];
        tally->count[c]++;
        tally->changed += c != k->before[i];
        k->after[i] = (uint8_t)c;
    }
}

static void merge(struct tally *into, const struct tally *tally)
{
    for (int c = 0; c < CENTRES; c++) {
        for (int d = 0; d < DIMENSIONS; d++)
            into->sum[c][d] += tally->sum[c][d];
        into->count[c] += tally->count[c];
    }
    into->changed += tally->changed;
}

/* The centres are random; a point is within a third of the range around one of
   them, its centre before: for some points there are nearer ones. */
static void *kmeans_prepare(enum bench_size size, int variant)
{
    struct kmeans *k = bench_alloc(sizeof *k);

    (void)variant;
    if (!k)
        return NULL;
    k->n = size == BENCH_QUICK ? 50 * 1000 : 1000 * 1000;
    k->points = bench_alloc((size_t)k->n * DIMENSIONS * sizeof *k->points);
    k->before = bench_alloc((size_t)k->n);
    if (!k->points || !k->before)
        return NULL;
    for (int i = 0; i < CENTRES * DIMENSIONS; i++)
        k->centres[i / DIMENSIONS][i % DIMENSIONS] =
            (float)(bench_random(7, (uint64_t)i) % 256);
    for (int64_t i = 0; i < k->n; i++) {
        int c = (int)(bench_random(8, (uint64_t)i) % CENTRES);
        k->before[i] = (uint8_t)c;
        for (int d = 0; d < DIMENSIONS; d++) {
            uint64_t position = (uint64_t)(i * DIMENSIONS + d);
            float off = (float)(bench_random(9, position) % 512) - 256;
            float at = k->centres[c][d] + off;
            k->points[position] = at < 0 ? 0 : at > 255 ? 255 : at;
        }
    }
    snprintf(k->size, sizeof k->size, "%d x %d, k = %d", (int)k->n, DIMENSIONS,
             CENTRES);
    return k;
}

static int kmeans_begin(void *input, const struct bench_loop *loop)
{
    struct kmeans *k = input;
    size_t workers = (size_t)loop->workers;

    k->after = bench_alloc((size_t)k->n);
    k->tallies = bench_alloc(workers * sizeof *k->tallies);
    return k->after && k->tallies ? 0 : -1;
}

static double kmeans_run(void *input, const struct bench_loop *loop)
{
    struct kmeans *k = input;
    size_t workers = (size_t)loop->workers;

    k->loop = loop;
    memset(&k->result, 0, sizeof k->result);
    memset(k->tallies, 0, workers * sizeof *k->tallies);
    double start = bench_now();
    bench_for(loop, 0, (k->n + BLOCK - 1) / BLOCK, assign_block, k);
    for (int i = 0; i < loop->workers; i++)
        merge(&k->result, &k->tallies[i]);
    return bench_now() - start;
}

static double kmeans_answer(void *input)
{
    const struct kmeans *k = input;
    double sum = k->result.changed;

    for (int c = 0; c < CENTRES; c++)
        sum += bench_weight(c) *
               (k->result.count[c] +
                bench_checksum(k->result.sum[c], DIMENSIONS));
    return sum;
}

static const char *kmeans_size(const void *input)
{
    return ((const struct kmeans *)input)->size;
}

const struct bench_kernel bench_kmeans[] = {
    {.name = "kmeans",
     .group = "suite",
     .form = "index",
     .what = "a step of k-means, 256 points an index: sums by worker",
     .unit = "ms",
     .scale = 1e3,
     .quick = true,
     .prepare = kmeans_prepare,
     .begin = kmeans_begin,
     .run = kmeans_run,
     .answer = kmeans_answer,
     .size = kmeans_size},
    {.name = NULL}};
