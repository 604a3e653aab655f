/*
 * matrix.h - sparse matrices, row after row, from Matrix Market files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef EXAMPLES_MATRIX_H
#define EXAMPLES_MATRIX_H

#include <stddef.h>

/* Row r has the entries start[r] to start[r + 1] - 1 (compressed sparse rows,
   CSR). */
struct matrix {
    int rows, columns;
    size_t *start;
    int *column;
    double *value;
};

/*
 * Reads a coordinate matrix of real, integer or pattern (all ones) values that
 * is general, symmetric or skew-symmetric; of the latter two the file has the
 * lower half and the matrix both.  Dies with a message "name: reason" if it is
 * anything else.
 */
void matrix_read(struct matrix *matrix, const char *name);
void matrix_destroy(struct matrix *matrix);

#endif /* EXAMPLES_MATRIX_H */
