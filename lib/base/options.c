/*
 * options.c - reads the environment by the table in options.def.
 *
 * SPDX-License-Identifier: MIT
 *
 * The environment is read under a pthread_once(), so that threads which start
 * their first loops at the same time agree; afterwards the table is constant, but
 * for TWEED_TOPOLOGY, which may be rejected later.  TWEED_TOPOLOGY is read and rejected
 * under the lock under which pools start.
 */
#include "config.h"

#include "base/options.h"
#include "base/print.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum kind { number, word, text };

static const enum kind kinds[] = {
#define TWEED_OPTION(name, kind, least, most, standard, values, meaning) kind,
#include "base/options.def"
#undef TWEED_OPTION
};

static struct tweed__option options[] = {
#define TWEED_OPTION(name, kind, least, most, standard, values, meaning)       \
    { "TWEED_" #name, standard, values, meaning, least, most, NULL, 0, "", "" },
#include "base/options.def"
#undef TWEED_OPTION
};

static const char *environment(const char *name)
{
#if HAVE_SECURE_GETENV
    return secure_getenv(name);
#else
    return getenv(name);
#endif
}

_Bool tweed__parse_number(const char *s, const char **end, int64_t least,
                          int64_t most, int64_t *result)
{
    char *stop;
    long long value;
    int saved = errno;

    if (!((*s >= '0' && *s <= '9') || *s == '-'))
        return false; /* strtoll() would skip blanks and take a plus */
    errno = 0;
    value = strtoll(s, &stop, 10);
    bool good = errno == 0 && stop != s && value >= least && value <= most &&
                (end || *stop == '\0');
    errno = saved;
    if (!good)
        return false;
    if (end)
        *end = stop;
    *result = value;
    return true;
}

int tweed__parse_word(const char *list, const char *value)
{
    size_t length = strlen(value);
    int place = 0;

    for (const char *at = list; at; place++) {
        const char *bar = strchr(at, '|');
        size_t n = bar ? (size_t)(bar - at) : strlen(at);

        if (n == length && memcmp(at, value, n) == 0)
            return place;
        at = bar ? bar + 1 : NULL;
    }
    return -1;
}

/* Says that a value which a variable has for the option is bad; wrong may be NULL. */
static void complain(struct tweed__option *o, const char *name,
                     const char *value, const char *wrong)
{
    size_t n = strlen(o->refused); /* of TWEED_NUM_WORKERS: both may be bad */
    char line[360], shown[201];

    snprintf(line, sizeof line, "%s='%s%s' ignored: expected %s%s%s", name,
             tweed__printable(shown, sizeof shown, value),
             strlen(value) > 200 ? "..." : "", o->values,
             wrong ? ", but " : "", wrong ? wrong : "");
    tweed__print(tweed__stderr(), "tweed: %s\n", line);
    snprintf(o->refused + n, sizeof o->refused - n, "%s%s", n ? "; " : "", line);
}

static bool parse(enum kind kind, struct tweed__option *o, const char *value)
{
    if (strlen(value) >= sizeof o->text)
        return false;
    if (kind == number)
        return tweed__parse_number(value, NULL, o->least, o->most, &o->number);
    if (kind == word) {
        int place = tweed__parse_word(o->values, value);

        o->number = place < 0 ? 0 : place;
        return place >= 0;
    }
    return true; /* a text is judged where it is used */
}

/* OMP_NUM_THREADS may be a list, one number a nesting level: the first counts. */
static void read_omp_num_threads(struct tweed__option *o)
{
    static const char name[] = "OMP_NUM_THREADS";
    const char *value = environment(name), *end;

    if (!value)
        return;
    if (tweed__parse_number(value, &end, o->least, o->most, &o->number) &&
        (*end == '\0' || *end == ',')) {
        o->origin = name;
        snprintf(o->text, sizeof o->text, "%lld", (long long)o->number);
    } else {
        o->number = 0;
        complain(o, name, value, NULL);
    }
}

/* ---- names that are no options ---- */

#define PREFIX "TWEED_"
#define LONGEST 64 /* of names that are compared */
#define FAR 4      /* so many letters are another word */

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

/* `part` is a beginning of `name`, with three letters at least of the option's own. */
static bool begins_with(const char *name, const char *part)
{
    size_t n = strlen(part);

    return n >= strlen(PREFIX) + 3 && strncmp(name, part, n) == 0;
}

/* The option whose name is like that, begins with it, or is that; NULL: none is. */
static const char *similar(const char *name)
{
    const char *best = NULL;
    int least = FAR;

    for (int i = 0; i < TWEED__NUM_OPTIONS; i++) {
        int d = distance(name, options[i].name);

        if (d > 1 && begins_with(options[i].name, name))
            d = 1;
        if (d < least) {
            least = d;
            best = options[i].name;
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

static void say_unknown(const char *name, const char *similar)
{
    tweed__print(tweed__stderr(), "tweed: no option is named %.200s: %s%s\n", name,
                 similar ? "did you mean " : "see tweed(7)",
                 similar ? similar : "");
}

/* ---- reading ---- */

static void read_environment(void)
{
    for (int i = 0; i < TWEED__NUM_OPTIONS; i++) {
        struct tweed__option *o = &options[i];
        const char *value = environment(o->name);

        if (value && parse(kinds[i], o, value)) {
            o->origin = o->name;
            memcpy(o->text, value, strlen(value) + 1);
        } else if (value) {
            complain(o, o->name, value, NULL);
        }
    }
    if (!options[TWEED__NUM_WORKERS].origin)
        read_omp_num_threads(&options[TWEED__NUM_WORKERS]);
    for (int i = 0; i < TWEED__NUM_OPTIONS; i++) /* none but a digit: 0 */
        if (kinds[i] == number && !options[i].origin)
            options[i].number = strtoll(options[i].standard, NULL, 10);
    tweed__unknown_names(say_unknown);
}

static struct tweed__option *option(enum tweed__option_id id)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_environment);
    return &options[id];
}

const struct tweed__option *tweed__option(enum tweed__option_id id)
{
    return option(id);
}

void tweed__option_reject(enum tweed__option_id id, const char *wrong)
{
    struct tweed__option *o = option(id);

    complain(o, o->name, o->text, wrong);
    o->origin = NULL;
    o->text[0] = '\0';
    o->number = 0;
}
