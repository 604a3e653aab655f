/*
 * transpose.c - a loop of two dimensions, in tiles.
 *
 * SPDX-License-Identifier: MIT
 *
 * Rows are read and columns are written.  A whole row would touch as many lines of
 * memory as it has numbers; a tile touches few, and fills them.
 */
#include <stdio.h>
#include <tweed.h>

enum { ROWS = 600, COLUMNS = 1000 };

typedef double row[COLUMNS], column[ROWS];

TWEED_LOOP_2D(fill, i, j, row *, from)
{
    from[i][j] = (double)(i * COLUMNS + j);
}

TWEED_LOOP_2D(transpose, i, j, column *, to, row *, from)
{
    to[j][i] = from[i][j];
}

int main(void)
{
    static row from[ROWS];
    static column to[COLUMNS];
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    int code;

    fill(0, ROWS, 0, COLUMNS, from); /* for i, for j: the braces */
    o.tile[0] = o.tile[1] = 32;      /* rows, columns */
    code = transpose_with(NULL, &o, 0, ROWS, 0, COLUMNS, to, from);
    if (code != TWEED_OK) {
        fprintf(stderr, "transpose: %s\n", tweed_last_error());
        return 1;
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            if (to[j][i] != from[i][j])
                return 1;
    printf("%.0f\n", to[999][599]); /* 599999 */
    return 0;
}
