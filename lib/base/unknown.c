/*
 * unknown.c - variables of the environment that are named as options are, and are none.
 *
 * SPDX-License-Identifier: MIT
 *
 * A misspelt name has no effect, so nothing else shows it.
 */
#include "config.h"

#include "base/options.h"
#include "base/print.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define PREFIX "TWEED_"
#define LONGEST 64 /* of names that are compared */
#define FAR 4      /* so many letters are another word */

static const char *const names[] = {
#define TWEED_OPTION(name, kind, least, most, standard, values, meaning) PREFIX #name,
#include "base/options.def"
#undef TWEED_OPTION
};

static const char *const others[] = {
#define TWEED_NO_OPTION(name) name,
#include "base/options.def"
#undef TWEED_NO_OPTION
};

/* Letters to insert, to leave out or to change until a is b. */
static int distance(const char *a, const char *b)
{
    int row[LONGEST + 1], n = (int)strlen(b);

    if (strlen(a) > LONGEST || n > LONGEST)
        return INT_MAX;
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; *a; a++, i++) {
        int diagonal = row[0];

        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int change = diagonal + (*a != b[j - 1]);

            diagonal = row[j];
            row[j] = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            row[j] = change < row[j] ? change : row[j];
        }
    }
    return row[n];
}

/* The option whose name is like that, or is that; NULL: none is. */
static const char *similar(const char *name)
{
    const char *best = NULL;
    int least = FAR;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int d = distance(name, names[i]);

        if (d < least) {
            least = d;
            best = names[i];
        }
    }
    return best;
}

static bool is_other(const char *name)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        size_t n = strlen(others[i]);

        if (others[i][n - 1] == '*' ? strncmp(name, others[i], n - 1) == 0
                                    : strcmp(name, others[i]) == 0)
            return true;
    }
    return false;
}

void tweed__unknown_names(tweed__unknown_fn *fn)
{
    if (!environ || getauxval(AT_SECURE))
        return;
    for (char **at = environ; *at; at++) {
        char name[256], shown[256];
        size_t n = strcspn(*at, "=");
        const char *like;

        if (strncmp(*at, PREFIX, strlen(PREFIX)) != 0)
            continue;
        n = n < sizeof name ? n : sizeof name - 1;
        memcpy(name, *at, n);
        name[n] = '\0';
        like = similar(name);
        if (!is_other(name) && !(like && strcmp(name, like) == 0))
            fn(tweed__printable(shown, sizeof shown, name), like);
    }
}
