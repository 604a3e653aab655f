/*
 * mkmatrix.c - makes a sparse matrix that is hard to share out, for spmv.
 *
 * SPDX-License-Identifier: MIT
 *
 * R-MAT (Chakrabarti, Zhan and Faloutsos, 2004): each entry falls into one
 * quarter of the matrix, then into one quarter of that, and so on, the top left
 * one being the likeliest.  That gives rows as unequal as the nodes of real
 * networks, the fullest together at the top.  One row is full besides.
 */
#include <stdint.h>
#include <stdlib.h>

#include "output.h"
#include "program.h"

/* SplitMix64 (Steele, Lea and Flood, 2014): 64 random bits. */
static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* One entry's place: its row in the upper 32 bits, its column in the lower. */
static uint64_t random_place(int scale, uint64_t *state)
{
    uint64_t row = 0, column = 0;

    for (int i = 0; i < scale; i++) {
        /* 57, 19, 19 and 5 of a hundred */
        uint64_t dice = random_bits(state) % 100;
        row = 2 * row + (dice >= 76);
        column = 2 * column + ((dice >= 57 && dice < 76) || dice >= 95);
    }
    return row << 32 | column;
}

static int by_place(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Leaves one of each, in order; how many there are. */
static size_t sort_and_unite(uint64_t *places, size_t count)
{
    size_t kept = 0;

    qsort(places, count, sizeof *places, by_place);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || places[i] != places[kept - 1])
            places[kept++] = places[i];
    return kept;
}

static void write_matrix(const uint64_t *places, size_t count, int scale,
                         uint64_t state, const char *name)
{
    struct output output;

    output_open(&output, name);
    output_printf(&output, "%%%%MatrixMarket matrix coordinate real general\n");
    output_printf(&output, "%% R-MAT of scale %d, and one full row\n", scale);
    output_printf(&output, "%d %d %zu\n", 1 << scale, 1 << scale, count);
    for (size_t i = 0; i < count; i++) {
        int thousandths = (int)(random_bits(&state) % 1999) - 999;
        output_printf(&output, "%llu %llu %.3f\n",
                      (unsigned long long)(places[i] >> 32) + 1,
                      (unsigned long long)(places[i] & 0xffffffff) + 1,
                      thousandths / 1000.0);
    }
    output_close(&output);
}

int main(int argc, char **argv)
{
    int scale = 15, per_row = 32, seed = 1;
    const char *name = "matrix.mtx";
    const struct option options[] = {
        {"scale", 'k', OPTION_INTEGER, &scale, 1, 24, "2^N rows and columns"},
        {"entries", 'e', OPTION_INTEGER, &per_row, 0, 64,
         "entries a row, in the mean"},
        {"seed", 's', OPTION_INTEGER, &seed, 0, 1e9, "another matrix"},
        {"output", 'o', OPTION_TEXT, &name, 0, 0, "the Matrix Market file"},
        OPTIONS_END};

    options_read(argc, argv, "mkmatrix",
                 "Makes a sparse matrix of very unequal rows, for spmv.",
                 options);
    FILE *report = output_prepare(name);
    size_t rows = (size_t)1 << scale, count = 0;
    size_t scattered = rows * (size_t)per_row;
    uint64_t state = (uint64_t)seed;
    uint64_t *places = allocate(NULL, scattered + rows, sizeof *places);
    while (count < scattered)
        places[count++] = random_place(scale, &state);
    for (uint64_t column = 0; column < rows; column++)
        places[count++] = (uint64_t)(rows / 4 * 3) << 32 | column;
    count = sort_and_unite(places, count);
    write_matrix(places, count, scale, state, name);
    free(places);
    fprintf(report, "wrote %s\n", name);
    return finish();
}
