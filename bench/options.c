/*
 * options.c - the command line.
 *
 * SPDX-License-Identifier: MIT
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static int number(const char *text, const char *option, long least, long most)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text || *end || n < least || n > most) {
        fprintf(stderr, "driver: --%s=%s: a number from %ld to %ld\n", option,
                text, least, most);
        exit(2);
    }
    return (int)n;
}

void read_options(int argc, char **argv, const char *usage, struct options *o,
                  struct machine *m)
{
    static const struct option longs[] = {
        { "quick", no_argument, NULL, 'q' },
        { "rounds", required_argument, NULL, 'r' },
        { "workers", required_argument, NULL, 'w' },
        { "output", required_argument, NULL, 'o' },
        { "runtimes", required_argument, NULL, 'R' },
        { "list", no_argument, NULL, 'l' },
        { "help", no_argument, NULL, 'h' },
        { 0 },
    };
    int c;

    m->rounds = 0;
    m->workers = m->cpus;
    while ((c = getopt_long(argc, argv, "qr:w:o:R:lh", longs, NULL)) != -1)
        switch (c) {
        case 'q': m->quick = true; break;
        case 'r': m->rounds = number(optarg, "rounds", 1, MOST_ROUNDS); break;
        case 'w': m->workers = number(optarg, "workers", 1, 4094); break;
        case 'o': o->output = optarg; break;
        case 'R': o->runtimes = optarg; break;
        case 'l': o->list = true; break;
        case 'h': fputs(usage, stdout); exit(0);
        default: fputs(usage, stderr); exit(2);
        }
    if (m->rounds == 0)
        m->rounds = m->quick ? 7 : 9;
    o->patterns = argv + optind;
}

/* Is name one of the list's, which are parted by commas? */
bool listed(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *p = list; p; p = strchr(p, ',')) {
        p += *p == ',';
        if (strncmp(p, name, length) == 0 &&
            (p[length] == '\0' || p[length] == ','))
            return true;
    }
    return false;
}
