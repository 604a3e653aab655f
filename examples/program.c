/*
 * program.c - what each example's main() needs: its command line, its errors.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700

#include "program.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *program_name = "example";

void die(const char *format, ...)
{
    va_list arguments;

    fflush(stdout); /* what was printed before comes before */
    fprintf(stderr, "%s: ", program_name);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

/* Half of the machine's memory.  Where the system promises more than it has, a
   broken file's claim to be huge would not make calloc() fail: it would get us,
   or somebody else, killed. */
static size_t memory_limit(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    if (pages < 1 || page < 1 || pages / 2 > PTRDIFF_MAX / page)
        return PTRDIFF_MAX;
    return (size_t)(pages / 2) * (size_t)page;
}

void *allocate(const char *file, size_t count, size_t size)
{
    static size_t total; /* what was freed counts too: it is not much */
    size_t limit = memory_limit();
    void *memory = NULL;

    if (size == 0 || count <= (limit - total) / size) {
        /* at least 1 byte, since calloc(0) may return NULL */
        memory = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
        total += count * size;
    }
    if (!memory)
        die("%s%sout of memory (%zu times %zu bytes)", file ? file : "",
            file ? ": " : "", count, size);
    return memory;
}

static void print_default(const struct option *o)
{
    if (o->type == OPTION_INTEGER)
        printf(" (%d)", *(const int *)o->value);
    if (o->type == OPTION_REAL)
        printf(" (%g)", *(const double *)o->value);
    if (o->type == OPTION_TEXT && *(const char *const *)o->value)
        printf(" (%s)", *(const char *const *)o->value);
}

static _Noreturn void print_help(const char *summary,
                                 const struct option *table)
{
    static const char *const placeholder[] = {
        [OPTION_FLAG] = "",      [OPTION_INTEGER] = " N", [OPTION_REAL] = " X",
        [OPTION_TEXT] = " FILE", [OPTION_OPERAND] = ""};

    printf("Usage: %s [OPTION]...", program_name);
    for (const struct option *o = table; o->name; o++)
        if (o->type == OPTION_OPERAND)
            printf(" %s", o->name);
    printf("\n%s\n\n", summary);
    for (const struct option *o = table; o->name; o++) {
        char left[64];
        bool operand = o->type == OPTION_OPERAND;
        snprintf(left, sizeof left, "%c%c%c %s%s%s", o->letter ? '-' : ' ',
                 o->letter ? o->letter : ' ', o->letter ? ',' : ' ',
                 operand ? "" : "--", o->name, placeholder[o->type]);
        printf("  %-22s %s", left, o->help);
        print_default(o);
        putchar('\n');
    }
    printf("      --help             this text\n");
    exit(finish());
}

/* The number in text, which must be all of it and lie in [low, high]. */
static double number(const struct option *o, const char *text)
{
    char *end;
    double value;

    if (o->type == OPTION_INTEGER)
        value = (double)strtoll(text, &end, 10);
    else
        value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value))
        die("--%s: '%s' is not a number", o->name, text);
    if (value < o->low || value > o->high)
        die("--%s: %s is not within %.10g to %.10g", o->name, text, o->low,
            o->high);
    return value;
}

static void set(const struct option *o, const char *text)
{
    if (o->type == OPTION_FLAG)
        *(bool *)o->value = true;
    else if (o->type == OPTION_INTEGER)
        *(int *)o->value = (int)number(o, text);
    else if (o->type == OPTION_REAL)
        *(double *)o->value = number(o, text);
    else if (*text != '\0')
        *(const char **)o->value = text;
    else
        die("%s: the name is empty", o->name);
}

/* The option that argument names: "--name", "--name=..." or "-l". */
static const struct option *find(const struct option *table,
                                 const char *argument)
{
    for (const struct option *o = table; o->name; o++) {
        size_t length = strlen(o->name);
        if (o->type == OPTION_OPERAND)
            continue;
        if (o->letter && argument[1] == o->letter && argument[2] == '\0')
            return o;
        if (strncmp(argument, "--", 2) == 0 &&
            strncmp(argument + 2, o->name, length) == 0 &&
            (argument[length + 2] == '\0' || argument[length + 2] == '='))
            return o;
    }
    die("unknown option %s (try --help)", argument);
}

/* Takes one option off the command line; how many arguments that were. */
static int read_option(char **argv, const struct option *table)
{
    const struct option *o = find(table, argv[0]);
    const char *equals = strchr(argv[0], '=');

    if (o->type == OPTION_FLAG) {
        if (equals)
            die("--%s takes no value", o->name);
        set(o, NULL);
        return 1;
    }
    if (equals) {
        set(o, equals + 1);
        return 1;
    }
    if (!argv[1])
        die("--%s needs a value", o->name);
    set(o, argv[1]);
    return 2;
}

static const struct option *next_operand(const struct option *o)
{
    while (o->name && o->type != OPTION_OPERAND)
        o++;
    return o;
}

void options_read(int argc, char **argv, const char *program,
                  const char *summary, const struct option *table)
{
    const struct option *operand = next_operand(table);
    bool only_operands = false;

    program_name = program;
    for (int i = 1; i < argc;) {
        if (!only_operands && strcmp(argv[i], "--help") == 0)
            print_help(summary, table);
        if (!only_operands && strcmp(argv[i], "--") == 0) {
            only_operands = true;
            i++;
        } else if (!only_operands && argv[i][0] == '-') {
            i += read_option(argv + i, table);
        } else {
            if (!operand->name)
                die("unexpected argument '%s' (try --help)", argv[i]);
            set(operand, argv[i++]);
            operand = next_operand(operand + 1);
        }
    }
    if (operand->name)
        die("no %s given (try --help)", operand->name);
}

int finish(void)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        die("standard output: %s", strerror(errno));
    return 0;
}
