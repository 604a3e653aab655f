/*
 * kernels.c - all kernels, in the order in which they are measured.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>

#include "harness.h"

extern const struct bench_kernel bench_overheads[], bench_steals[],
    bench_curves[], bench_stream[], bench_stencil[], bench_dense[],
    bench_mandelbrot[], bench_sparse[], bench_graph[], bench_bfs[],
    bench_kmeans[], bench_cells[], bench_synthetic[];

const struct bench_kernel *const bench_kernels[] = {
    bench_overheads, bench_steals,     bench_curves, bench_stream,
    bench_stencil,   bench_dense,      bench_mandelbrot, bench_sparse,
    bench_graph,     bench_bfs,        bench_kmeans, bench_cells,
    bench_synthetic, NULL,
};
