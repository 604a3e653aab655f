/*
 * main.c - tweed-port: replaces the OpenMP loops of a file by tweed's.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ALL_PORTED = 0, SOME_LEFT = 1, FAILED = 2 };

static bool in_place, diff, check, verbose;
static const char *output, *input;

static const char usage[] =
    "usage: tweed-port [OPTION...] FILE [-- COMPILER-FLAG...]\n"
    "Replaces the OpenMP loops of a C or C++ file by tweed's.  The ported file goes to the\n"
    "standard output.  Each pragma that is left alone is named, with the reason.\n"
    "\n"
    "  -i, --in-place     write the ported file in the place of FILE\n"
    "  -o, --output=FILE  write it to FILE\n"
    "  -d, --diff         show what would change\n"
    "  -c, --check        compile the ported file, by $CC or $CXX, before it is written\n"
    "  -v, --verbose      name each pragma that is ported, too\n"
    "      --help         show this, and exit\n"
    "      --version      show the version, and exit\n"
    "\n"
    "Exit status: 0 all is ported, 1 something is left alone, 2 an error.\n";

static bool is_option(const char *a, const char *brief, const char *name)
{
    return strcmp(a, brief) == 0 || strcmp(a, name) == 0;
}

/* The index of the first compiler flag; 0: the command line is wrong. */
static int read_options(int argc, char **argv)
{
    int i;

    for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *a = argv[i];

        if (strcmp(a, "--help") == 0) {
            fputs(usage, stdout);
            exit(fflush(stdout) ? FAILED : 0);
        }
        if (strcmp(a, "--version") == 0) {
            puts("tweed-port " TWEED_PORT_VERSION);
            exit(fflush(stdout) ? FAILED : 0);
        }
        if (is_option(a, "-i", "--in-place"))
            in_place = true;
        else if (is_option(a, "-d", "--diff"))
            diff = true;
        else if (is_option(a, "-c", "--check"))
            check = true;
        else if (is_option(a, "-v", "--verbose"))
            verbose = true;
        else if (strncmp(a, "--output=", 9) == 0)
            output = a + 9;
        else if (strcmp(a, "-o") == 0 && i + 1 < argc)
            output = argv[++i];
        else if (is_option(a, "-o", "--output")) {
            fprintf(stderr, "tweed-port: which file? -o FILE or --output=FILE\n%s", usage);
            return 0;
        } else if (a[0] == '-' && a[1]) {
            fprintf(stderr, "tweed-port: no such option: %s\n%s", a, usage);
            return 0;
        } else if (input) {
            fprintf(stderr, "tweed-port: one file at a time: %s, %s\n", input, a);
            return 0;
        } else
            input = a;
    }
    if (!input) {
        fprintf(stderr, "tweed-port: which file?\n%s", usage);
        return 0;
    }
    if (in_place + diff + (output != NULL) > 1) {
        fputs("tweed-port: --in-place, --output and --diff exclude one another\n", stderr);
        return 0;
    }
    return i < argc ? i + 1 : argc;
}

/* ---- porting ---- */

/* Of a region that decides about it. */
static bool is_in_region(const directive *d)
{
    return d->parent >= 0 && directives[d->parent].words == W_PARALLEL &&
           (d->words & (W_FOR | W_SINGLE | W_MASTER | W_BARRIER | W_FLUSH | W_SECTIONS));
}

/* Of what is ported by none of the others. */
static const char *why_by_hand(const directive *d)
{
    if ((d->words & (W_PARALLEL | W_SECTIONS)) == (W_PARALLEL | W_SECTIONS))
        return is_cxx ? "`sections` are ported by hand: to tweed::parallel_invoke()"
                      : "`sections` are ported by hand: to a loop over their numbers";
    if (d->words & W_SECTION)
        return "its `sections` are left alone";
    if (d->words & W_ORDERED)
        return "`ordered`: no index of tweed's waits for another one";
    if (d->words & W_PARALLEL)
        return "one thread executes the region, and spawns no task";
    return "its parallel region is elsewhere";
}

static void port_one(int number)
{
    directive *d = &directives[number];
    plan p;

    d->simple = d->words == W_SIMD || d->words == (W_DECLARE | W_SIMD);
    if (d->barred || d->done || d->simple || d->reason)
        return;
    if (is_skipped(d->lo, d->hi))
        leave(d, "this configuration leaves it out");
    else if (d->words & W_OTHER)
        leave(d, "no such thing in tweed");
    else if (d->words & W_THREADPRIVATE)
        leave(d, "a thread-private variable");
    else if (d->words == (W_DECLARE | W_REDUCTION))
        return; /* port_declared() */
    else if ((d->words & W_PARALLEL) && (d->words & W_FOR)) {
        if (make_plan(&p, number))
            (void)(is_cxx ? emit_cxx(&p) : emit_c(&p));
    } else if (d->words == W_CRITICAL)
        port_critical(number);
    else if (d->words == W_ATOMIC)
        port_atomic(number);
    else if (d->words == W_PARALLEL)
        port_region(number);
    else if (d->words == W_TASK || d->words == W_TASKWAIT || d->words == W_TASKGROUP)
        return; /* port_tasks() */
    else if (!is_in_region(d))
        leave(d, "%s", why_by_hand(d));
}

/* Inner ones first. */
static void port_inside(int outer)
{
    for (int i = 0; i < directive_count; i++)
        if (directives[i].parent == outer) {
            port_inside(i);
            port_one(i);
        }
}

static void start_round(void)
{
    edit_count = 0;
    forget_covers();
    forget_names();
    forget_needs();
    forget_declared();
    for (int i = 0; i < directive_count; i++) {
        directives[i].was_done = directives[i].done;
        directives[i].done = false;
        if (!directives[i].barred)
            directives[i].reason = NULL;
    }
}

static bool some_are_left(void)
{
    if (outside_count())
        return true;
    for (int i = 0; i < directive_count; i++)
        if (!directives[i].done && !directives[i].simple &&
            !is_skipped(directives[i].lo, directives[i].hi))
            return true;
    return false;
}

static bool some_left;

/* Calls were ported for a region that is left alone after all, or the other way round. */
static bool others_are_done(void)
{
    for (int i = 0; i < directive_count; i++)
        if (some_left ? directives[i].was_done != directives[i].done
                      : directives[i].was_done && !directives[i].done)
            return true;
    return false;
}

/* Those that come later were ported by the round before. */
bool is_left(const directive *d)
{
    return some_left && !d->done && !d->was_done;
}

static void one_round(void)
{
    for (int again = directive_count;;) {
        start_round();
        port_calls(some_left);
        port_inside(-1);
        port_tasks();
        port_declared();
        if (!some_left && some_are_left())
            some_left = true;
        else if (!others_are_done() || again-- == 0)
            break;
    }
    drop_unused();
    if (edit_count)
        port_includes(some_left || !calls_are_done());
}

/* In a pragma that stays, and shares no variable that it does not name: nor a lock. */
static bool may_have_no_lock(const directive *critical)
{
    for (int i = 0; i < directive_count; i++) {
        const directive *d = &directives[i];
        const clause *c = find_clause(d, "default");

        if (c && !token_is(c->first, "shared") && !d->done && d->statement >= 0 &&
            critical->lo > d->lo && critical->lo < statement_end(d->statement))
            return true;
    }
    return false;
}

/* All critical sections of one name have one lock: if one is left alone all are. */
static bool criticals_agree(void)
{
    bool agree = true;

    for (int i = 0; i < directive_count; i++)
        if (directives[i].words == W_CRITICAL && directives[i].done &&
            may_have_no_lock(&directives[i])) {
            directives[i].barred = true;
            directives[i].reason = "a pragma around it, which is left alone, says by default() that "
                                   "a lock is not shared";
            agree = false;
        }
    for (int i = 0; i < directive_count; i++)
        for (int k = 0; k < directive_count; k++) {
            directive *a = &directives[i], *b = &directives[k];

            if (a->words == W_CRITICAL && b->words == W_CRITICAL && a->done && !b->done &&
                strcmp(a->argument ? a->argument : "", b->argument ? b->argument : "") == 0) {
                a->barred = true;
                a->reason = "a critical section of the same name is left alone";
                agree = false;
            }
        }
    return agree;
}

/* Who reads the file by tokens and lines has not read it as a compiler does. */
static void bar_odd(void)
{
    unsigned line, column;
    char *why;

    if (odd_directive == NOWHERE)
        return;
    place_of(odd_directive, &line, &column);
    why = format("line %u: a directive behind a comment, by `%%:`, or with a word on two lines",
                 line);
    bar_all(why);
    for (int i = 0; i < call_count; i++)
        calls[i].barred = why;
}

/* What each round would find anew. */
static void bar_ahead(void)
{
    for (int i = 0; i < directive_count; i++) {
        const char *why = why_not_listed(&directives[i]);

        if (why) {
            directives[i].barred = true;
            directives[i].reason = why;
        }
    }
}

/* Rounds, until what comes out compiles. */
static bool port_all(text *out)
{
    for (int round = 0; round <= directive_count + call_count + 1; round++) {
        unsigned at = 0;
        const char *why;
        int owner;

        do
            one_round();
        while (!criticals_agree());
        apply_edits(out);
        if (edit_count == 0 || !(why = check_text(out, some_left || !calls_are_done(), &at)))
            return true;
        if (strstr(why, "'tweed.h' file not found") || strstr(why, "'tweed.hpp' file not found")) {
            fprintf(stderr, "tweed-port: %s: %s: say where it is, as in -- -I/opt/include\n",
                    path, why);
            return false;
        }
        if (at == NOWHERE && bar_tests(why))
            continue;
        owner = owner_at(at);
        if (owner >= directive_count && !calls[owner - directive_count].barred) {
            calls[owner - directive_count].barred =
                format("the ported call would not compile: %s", why);
            continue;
        }
        if (verbose || owner < 0)
            fprintf(stderr, "tweed-port: round %d: %s\n", round + 1, why);
        if (owner < 0 || owner >= directive_count || directives[owner].barred)
            break;
        directives[owner].barred = true;
        directives[owner].reason = format("what it becomes would not compile: %s", why);
    }
    fprintf(stderr, "tweed-port: %s: what came out does not compile: nothing is written\n", path);
    return false;
}

static void say(unsigned at, const char *kind, const char *what)
{
    unsigned line, column;

    place_of(at, &line, &column);
    fprintf(stderr, "%s:%u:%u: %s: %s\n", path, line, column, kind, what);
}

/* A program that has no other pragmas left is compiled without -fopenmp: gcc says nothing then
   of loops that it no longer vectorises. */
static void report_simd(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "-fopenmp-simd") == 0)
            return;
    for (int i = 0; i < directive_count; i++)
        if (directives[i].simple && !is_skipped(directives[i].lo, directives[i].hi)) {
            say(directives[i].lo, "note", "`simd` stays: compile it with -fopenmp-simd");
            return;
        }
}

static int report(void)
{
    int left = outside_count();

    report_outside();
    for (int i = 0; i < directive_count; i++) {
        directive *d = &directives[i];

        if (d->simple)
            continue;
        if (!d->done) {
            say(d->lo, "warning", format("left alone: %s", d->reason ? d->reason : "its parallel region is left alone"));
            left++;
        } else if (verbose)
            say(d->lo, "note", "ported");
    }
    for (int i = 0; i < call_count; i++)
        if (!calls[i].done) {
            say(tokens[calls[i].token].lo, "warning",
                format("left alone: %s", calls[i].reason ? calls[i].reason : "?"));
            left++;
        }
    return left;
}

/* By the user's compiler, out of a file beside the input, since it may include others. */
static bool compile(const text *t, int argc, char **argv)
{
    const char *compiler = getenv(is_cxx ? "CXX" : "CC"), *slash = strrchr(path, '/');
    char *name = format("%.*s.tweed-port-XXXXXX%s", slash ? (int)(slash - path + 1) : 0, path,
                        is_cxx ? ".cc" : ".c"),
         *command;
    int fd = mkstemps(name, is_cxx ? 3 : 2), status;
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    const char *shell[4];
    pid_t child;

    if (!f || fwrite(t->s, 1, t->n, f) != t->n || fclose(f)) {
        fprintf(stderr, "tweed-port: %s: %s\n", name, strerror(errno));
        if (fd >= 0)
            unlink(name);
        return false;
    }
    command = format("exec %s \"$@\"", compiler ? compiler : is_cxx ? "c++" : "cc");
    shell[0] = "sh", shell[1] = "-c", shell[2] = command, shell[3] = "sh";
    child = fork();
    if (child == 0) {
        const char **all = grow(NULL, (size_t)(argc + 12) * sizeof *all);
        int n = 0;

        for (; n < 4; n++)
            all[n] = shell[n];
        for (int i = 0; i < argc; i++)
            if (strncmp(argv[i], "-fopenmp", 8) != 0)
                all[n++] = argv[i];
        all[n++] = "-idirafter";
        all[n++] = TWEED_INCLUDEDIR;
        all[n++] = "-fsyntax-only";
        all[n++] = name;
        all[n] = NULL;
        execv("/bin/sh", (char *const *)all);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        status = -1;
    unlink(name);
    if (status == 0)
        return true;
    fprintf(stderr, "tweed-port: the ported file does not compile: nothing is written\n");
    return false;
}

static bool deliver(const text *t)
{
    if (in_place || output)
        return (in_place && t->n == source_size && memcmp(t->s, source, t->n) == 0) ||
               write_out(in_place ? path : output, t);
    if (diff)
        print_diff(path, t);
    else
        fwrite(t->s, 1, t->n, stdout);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    fprintf(stderr, "tweed-port: standard output: %s\n", strerror(errno));
    return false;
}

int main(int argc, char **argv)
{
    int flags = read_options(argc, argv), left;
    text out = { 0 };

    if (!flags || !read_source(input) || !parse(argc - flags, argv + flags))
        return FAILED;
    find_directives();
    find_calls();
    find_outside();
    bar_odd();
    bar_ahead();
    if (!port_all(&out))
        return FAILED;
    left = report();
    if (!left)
        report_simd(argc - flags, argv + flags);
    if (check && !compile(&out, argc - flags, argv + flags))
        return FAILED;
    if (!deliver(&out))
        return FAILED;
    return left ? SOME_LEFT : ALL_PORTED;
}
