/*
 * matrix.c - a fuzzer of the examples' Matrix Market files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "dying.h"

#define die dying_die
#define allocate dying_allocate
#define realloc dying_realloc
#define free dying_free
#define fopen(name, mode) dying_open()
#define fclose dying_close
#include "../examples/matrix.c"
#undef fclose
#undef fopen
#undef free
#undef realloc
#undef allocate
#undef die

static void check(const struct matrix *m)
{
    fuzz_must(m->rows >= 1 && m->columns >= 1 && m->start[0] == 0);
    for (int row = 0; row < m->rows; row++) {
        fuzz_must(m->start[row] <= m->start[row + 1]);
        for (size_t i = m->start[row]; i < m->start[row + 1]; i++)
            fuzz_must(m->column[i] >= 0 && m->column[i] < m->columns &&
                      isfinite(m->value[i]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct matrix m;

    dying_data = data;
    dying_size = size;
    if (!setjmp(dying_back)) {
        matrix_read(&m, "input");
        check(&m);
    }
    dying_release();
    return 0;
}
