/*
 * options.c - the command line.
 *
 * SPDX-License-Identifier: MIT
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static const char usage[] =
    "usage: driver [option]... [row]...\n"
    "\n"
    "Measures loops as the users of each runtime write them: all rows, or those\n"
    "named; a row, its group, or a pattern such as 'saxpy*'.\n"
    "\n"
    "  -q, --quick           some rows only, in three minutes\n"
    "  -r, --rounds=N        rounds, 7 to 101 for figures that count (default 9,\n"
    "                        7 with --quick)\n"
    "  -w, --workers=N       workers of each runtime (default: what it likes)\n"
    "  -o, --output=FILE     write the results there, as JSON lines\n"
    "  -R, --runtimes=LIST   only these peers, by commas; serial and tweed are always\n"
    "                        there\n"
    "  -l, --list            list the rows, and end\n"
    "  -h, --help\n";

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

void read_options(int argc, char **argv, struct options *o, struct machine *m)
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
