/*
 * validate.c - a table is checked, and the first mistakes are shown.
 *
 * SPDX-License-Identifier: MIT
 *
 *   validate [ROWS [MILLISECONDS]]
 *
 * Each row of the table has a checksum.  Is it right everywhere?  TWEED_TRY() ends with
 * any row that is wrong, and says what is wrong with it: it is the quickest where one is
 * enough.  TWEED_FIND() gives the first one, on any number of workers, and again from
 * there on.  The check may last for some milliseconds only; what has been done by then
 * is said.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tweed.h>

enum problem { FINE, EMPTY, BAD_SUM };

struct row {
    unsigned cell[7], sum;
};

static unsigned sum_of(const struct row *r)
{
    unsigned sum = 1;

    for (int k = 0; k < 7; k++)
        sum = sum * 31 + r->cell[k];
    return sum;
}

static enum problem problem_of(const struct row *r)
{
    return r->sum == 0 ? EMPTY : r->sum != sum_of(r) ? BAD_SUM : FINE;
}

TWEED_TRY(check, i, const struct row *, table)
{
    return (int)problem_of(&table[i]);
}

TWEED_FIND(first_bad, i, const struct row *, table)
{
    return problem_of(&table[i]) != FINE;
}

static void fill(struct row *table, long n)
{
    for (long i = 0; i < n; i++) {
        for (int k = 0; k < 7; k++)
            table[i].cell[k] = (unsigned)(i * 7 + k) * 2654435761u;
        table[i].sum = sum_of(&table[i]);
    }
    table[n / 3].sum = 0;
    table[n / 2].cell[3]++;
    table[n - 1].cell[0]++;
}

static void show(const struct row *table, long n)
{
    static const char *const what[] = { "fine", "empty", "wrong sum" };

    for (int64_t i = first_bad(0, n, table); i < n; i = first_bad(i + 1, n, table))
        printf("row %lld: %s\n", (long long)i, what[problem_of(&table[i])]);
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 1000000;
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    struct row *table = n > 0 ? calloc((size_t)n, sizeof *table) : NULL;
    int code;

    if (!table) {
        fprintf(stderr, "validate: no table of that size\n");
        return 2;
    }
    fill(table, n);
    o.timeout_ns = argc > 2 ? atol(argv[2]) * 1000000 : 0;
    o.outcome = &all;
    code = check_with(NULL, &o, 0, n, table);
    if (code == TWEED_ETIMEOUT)
        printf("no time for all of it: %llu rows checked\n",
               (unsigned long long)all.ran);
    else if (all.code)
        show(table, n);
    else
        printf("%s\n", tweed_strerror(code));
    free(table);
    return code != TWEED_ESTOPPED;
}
