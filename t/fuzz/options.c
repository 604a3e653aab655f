/*
 * options.c - a fuzzer of the options of the environment.
 *
 * SPDX-License-Identifier: MIT
 *
 * The input is an environment: a section "=TWEED_SEED" is the value of that variable.
 */
#include "config.h"

#include "fuzz.h"

#include <stdbool.h>

static const char *variable(const char *name);
#define secure_getenv(name) variable(name)
#define getenv(name) variable(name)
#include "base/options.c" /* the table is to be filled anew for each input */
#undef getenv
#undef secure_getenv

static const char *input;
static size_t input_size;
static char *values[TWEED__NUM_OPTIONS + 1]; /* and OMP_NUM_THREADS */
static size_t num_values;

/* Without the end of its line, as it is from a shell. */
static const char *variable(const char *name)
{
    size_t size = 0;
    const char *section = fuzz_section(input, input_size, name, &size);
    char *value;

    if (!section || num_values == sizeof values / sizeof *values)
        return NULL;
    if (size && section[size - 1] == '\n')
        size--;
    value = fuzz_text((const uint8_t *)section, size);
    values[num_values++] = value;
    return value;
}

static void check(const struct tweed__option *o, enum kind kind)
{
    fuzz_must(strlen(o->text) < sizeof o->text);
    fuzz_must(strlen(o->refused) < sizeof o->refused);
    if (kind == number && o->origin)
        fuzz_must(o->number >= o->least && o->number <= o->most);
    if (kind == word)
        fuzz_must(o->number >= 0 && o->number < 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tweed__option fresh[TWEED__NUM_OPTIONS];
    static bool is_kept;

    if (!is_kept)
        memcpy(fresh, options, sizeof fresh);
    input_size = 0;
    (void)option(TWEED__SEED); /* pthread_once() has been there */
    is_kept = true;
    memcpy(options, fresh, sizeof fresh);
    input = (const char *)data;
    input_size = size;
    read_environment();
    for (int i = 0; i < TWEED__NUM_OPTIONS; i++)
        check(&options[i], kinds[i]);
    if (options[TWEED__TOPOLOGY].origin)
        tweed__option_reject(TWEED__TOPOLOGY, "it is to be rejected");
    while (num_values)
        free(values[--num_values]);
    return 0;
}
