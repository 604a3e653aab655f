/*
 * tweed-trace.c - draws a trace: a lane a worker, steals as arrows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "picture.h"
#include "timeline.h"

#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct request {
    const char *input, *output, *loop, *title;
    long call;
    double from, to; /* ms; NAN: not said */
};

static int usage(FILE *to, int status)
{
    fprintf(to, "usage: tweed-trace [OPTION]... TRACE.json\n"
                "Draws a trace that a program has written with "
                "TWEED_TRACE=TRACE.json, as SVG.\n"
                "  -o, --output=FILE  write it to this file, not to stdout\n"
                "      --from=MS      begin so many milliseconds after the trace began\n"
                "      --to=MS        and end there; else where the loops begin and end\n"
                "      --loop=NAME    from the first to the last loop of this name\n"
                "      --call=N       only the N-th of these loops; -1 is the last one\n"
                "      --title=TEXT   what stands above it; else the name of the trace\n"
                "      --help         show this\n"
                "      --version      show the version\n");
    return status;
}

static double milliseconds(const char *text)
{
    char *end;
    double value = strtod(text, &end);

    if (end != text && *end == '\0' && value >= 0 && value < 1e12)
        return value;
    fprintf(stderr, "tweed-trace: '%s' is no number of milliseconds\n", text);
    exit(usage(stderr, 2));
}

static long call_number(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end != text && *end == '\0' && value != 0 && value > -1000000000 &&
        value < 1000000000)
        return value;
    fprintf(stderr, "tweed-trace: '%s' is the number of no call\n", text);
    exit(usage(stderr, 2));
}

/* Would the picture take the place of the trace? */
static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;

    return a && strcmp(b, "-") != 0 && stat(a, &x) == 0 && stat(b, &y) == 0 &&
           S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static struct request read_request(int argc, char **argv)
{
    static const struct option options[] = {
        { "output", required_argument, NULL, 'o' },
        { "from", required_argument, NULL, 'f' },
        { "to", required_argument, NULL, 't' },
        { "loop", required_argument, NULL, 'l' },
        { "call", required_argument, NULL, 'c' },
        { "title", required_argument, NULL, 'i' },
        { "help", no_argument, NULL, 'h' },
        { "version", no_argument, NULL, 'v' },
        { NULL, 0, NULL, 0 },
    };
    struct request r = { .from = NAN, .to = NAN };
    int option;

    while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1)
        switch (option) {
        case 'o': r.output = optarg; break;
        case 'f': r.from = milliseconds(optarg); break;
        case 't': r.to = milliseconds(optarg); break;
        case 'l': r.loop = optarg; break;
        case 'c': r.call = call_number(optarg); break;
        case 'i': r.title = optarg; break;
        case 'h': exit(usage(stdout, 0));
        case 'v': printf("tweed-trace %s\n", VERSION); exit(0);
        default: exit(usage(stderr, 2));
        }
    if (optind + 1 != argc) {
        fprintf(stderr, "tweed-trace: %s\n",
                optind < argc ? "one trace at a time" : "which trace?");
        exit(usage(stderr, 2));
    }
    r.input = argv[optind];
    if (r.from >= r.to) {
        fprintf(stderr, "tweed-trace: --from is not before --to\n");
        exit(usage(stderr, 2));
    }
    if (is_same_file(r.output, r.input)) {
        fprintf(stderr, "tweed-trace: the picture would overwrite the trace\n");
        exit(usage(stderr, 2));
    }
    return r;
}

/* False: there is nothing to draw; it says why. */
static bool choose_window(struct timeline *t, const struct request *r)
{
    if ((r->loop || r->call) && !timeline_window(t, r->loop, r->call)) {
        fprintf(stderr, "tweed-trace: %s: there is no such loop\n", r->input);
        return false;
    }
    if (!isnan(r->from))
        t->from = (int64_t)(r->from * 1e6);
    if (!isnan(r->to))
        t->to = (int64_t)(r->to * 1e6);
    if (t->from < t->to || t->ns == 0)
        return true;
    fprintf(stderr, "tweed-trace: %s: there is nothing in that time\n", r->input);
    return false;
}

/* In what is no UTF-8, such as a file's name in another encoding, all that is not
   ASCII becomes question marks. */
static char *title_of(const struct request *r)
{
    const char *slash = strrchr(r->input, '/');
    char *title = strdup(r->title ? r->title : slash ? slash + 1 : r->input);
    json_t *checked = title ? json_string(title) : NULL;

    for (char *c = title; c && !checked && *c; c++)
        if ((unsigned char)*c > 127)
            *c = '?';
    json_decref(checked);
    return title;
}

static bool draw(const struct timeline *t, const struct request *r)
{
    char *title = title_of(r);
    FILE *f = r->output ? fopen(r->output, "w") : stdout;
    bool good = f != NULL;

    if (good) {
        picture_draw(t, title ? title : "", f);
        good = fflush(f) == 0 && !ferror(f);
        if (f != stdout)
            good = fclose(f) == 0 && good;
    }
    if (!good)
        fprintf(stderr, "tweed-trace: cannot write %s: %s\n",
                r->output ? r->output : "the picture", strerror(errno));
    free(title);
    return good;
}

int main(int argc, char **argv)
{
    struct request r = read_request(argc, argv);
    struct timeline *t = timeline_read(r.input);
    bool good = t && choose_window(t, &r);

    if (good) {
        timeline_sum(t);
        good = draw(t, &r);
    }
    timeline_free(t);
    return good ? 0 : 1;
}
