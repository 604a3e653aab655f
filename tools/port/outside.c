/*
 * outside.c - what a loop depends on that its text does not show: pragmas that macros make,
 * and what included files have of OpenMP.
 *
 * SPDX-License-Identifier: MIT
 */
#include "outside.h"

#include <stdio.h>
#include <string.h>

/* ---- what is said of it ---- */

typedef struct spot {
    const char *file;
    unsigned line, column, at; /* at: in the file itself, or NOWHERE */
    const char *why;
} spot;

typedef struct place {
    CXFile file;
    unsigned at;
} place;

static spot *spots;
static int spot_count;
static place *places; /* all of them, also in included files */
static int place_count;
static bool has_critical; /* outside of the file's own pragmas */
static bool has_declared; /* a reduction, perhaps */

int outside_count(void)
{
    return directive_count + call_count ? spot_count : 0;
}

void report_outside(void)
{
    for (int i = 0; i < outside_count(); i++)
        fprintf(stderr, "%s:%u:%u: warning: left alone: %s\n", spots[i].file, spots[i].line,
                spots[i].column, spots[i].why);
}

static void add_spot(CXSourceLocation where, const char *file, bool here, const char *why)
{
    spot s = { .file = file, .why = why };
    CXFile in;
    unsigned at;

    clang_getFileLocation(where, &in, &s.line, &s.column, &at);
    places = grow(places, (size_t)(place_count + 1) * sizeof *places);
    places[place_count++] = (place){ in, at };
    s.at = here ? at : NOWHERE;
    for (int i = 0; i < spot_count; i++)
        if (!here && strcmp(spots[i].file, file) == 0 && strcmp(spots[i].why, why) == 0)
            return; /* once a header */
    spots = grow(spots, (size_t)(spot_count + 1) * sizeof *spots);
    spots[spot_count++] = s;
}

bool has_outside(CXCursor c)
{
    CXSourceRange r = clang_getCursorExtent(c);
    CXFile first, last;
    unsigned lo, hi;

    clang_getFileLocation(clang_getRangeStart(r), &first, NULL, NULL, &lo);
    clang_getFileLocation(clang_getRangeEnd(r), &last, NULL, NULL, &hi);
    if (!first || !last || !clang_File_isEqual(first, last))
        return true;
    for (int i = 0; i < place_count; i++)
        if (clang_File_isEqual(places[i].file, first) && places[i].at >= lo && places[i].at < hi)
            return true;
    return false;
}

const char *why_spot(unsigned lo, unsigned hi)
{
    for (int i = 0; i < spot_count; i++)
        if (spots[i].at >= lo && spots[i].at < hi)
            return format("line %u: %s", spots[i].line, spots[i].why);
    return NULL;
}

bool has_critical_outside(void)
{
    return has_critical;
}

bool has_declared_outside(void)
{
    return has_declared;
}

/* ---- the tokens of all files ---- */

typedef struct words {
    const char *file;
    bool here;
    CXToken *all;
    char **text;
    range *at;        /* bytes of the file */
    const char *source;
    unsigned count;
} words;

typedef struct maker { /* a macro with _Pragma in it */
    const char *name;
    bool open; /* the pragma is an argument */
} maker;

static maker *makers;
static int maker_count;
static char **threadprivates;
static int threadprivate_count;

unsigned *askings;
int asking_count;
bool has_own;

bool has_threadprivate(void)
{
    return threadprivate_count > 0;
}

static void add_threadprivate(const char *name)
{
    threadprivates = grow(threadprivates, (size_t)(threadprivate_count + 1) *
                                              sizeof *threadprivates);
    threadprivates[threadprivate_count++] = copy_bytes(name, strlen(name));
}

bool is_threadprivate(const char *name)
{
    for (int i = 0; i < threadprivate_count; i++)
        if (strcmp(threadprivates[i], name) == 0)
            return true;
    return false;
}

static const maker *maker_named(const char *name)
{
    for (int i = 0; i < maker_count; i++)
        if (strcmp(makers[i].name, name) == 0)
            return &makers[i];
    return NULL;
}

static bool is(const words *w, unsigned i, const char *word)
{
    return i < w->count && strcmp(w->text[i], word) == 0;
}

static bool is_first(const words *w, unsigned i)
{
    return i == 0 || ends_line(w->source, w->at[i - 1].hi, w->at[i].lo) ||
           (clang_getTokenKind(w->all[i - 1]) == CXToken_Comment && is_first(w, i - 1));
}

static bool begins_directive(const words *w, unsigned i)
{
    return is_hash(w->source, w->at[i].lo, w->at[i].hi) && is_first(w, i);
}

static unsigned past_directive(const words *w, unsigned i)
{
    do
        i++;
    while (i < w->count && !ends_line(w->source, w->at[i - 1].hi, w->at[i].lo));
    return i;
}

/* What a text of tokens makes: 0 nothing, 1 a pragma of OpenMP, 2 one that it is given. */
static int makes(const words *w, unsigned first, unsigned past)
{
    bool open = false, omp = false;

    for (unsigned i = first; i < past; i++) {
        const maker *m = maker_named(w->text[i]);

        omp |= is(w, i, "omp");
        if (strcmp(w->text[i], "_Pragma") == 0 || strcmp(w->text[i], "__pragma") == 0) {
            const char *s = i + 2 < past ? w->text[i + 2] : "";

            if (*s != '"')
                open = true;
            else if (strncmp(s + 1 + strspn(s + 1, " \t"), "omp", 3) == 0)
                return 1;
        } else if (m && !m->open)
            return 1;
        else if (m)
            open = true;
    }
    return !open ? 0 : omp ? 1 : 2;
}

static bool names_word(const words *w, unsigned first, unsigned past, const char *word)
{
    for (unsigned i = first; i < past; i++)
        if (strstr(w->text[i], word))
            return true;
    return false;
}

/* Once more until nothing is new: a macro may use one that is defined behind it. */
static bool find_makers(const words *w)
{
    bool any = false;

    for (unsigned i = 0; i + 2 < w->count; i++) {
        unsigned past;
        int what;

        if (!begins_directive(w, i) || !is(w, i + 1, "define") || maker_named(w->text[i + 2]))
            continue;
        past = past_directive(w, i);
        what = makes(w, i + 3, past);
        if (!what)
            continue;
        makers = grow(makers, (size_t)(maker_count + 1) * sizeof *makers);
        makers[maker_count++] = (maker){ w->text[i + 2], what == 2 };
        has_critical |= names_word(w, i, past, "critical");
        has_declared |= names_word(w, i, past, "declare");
        any = true;
    }
    return any;
}

static const char header_pragma[] = "a pragma of OpenMP in an included file: port it first";
static const char header_unused[] = "a pragma of OpenMP in an included file, left out where the "
                                    "file is included first";
static const char header_test[] = "_OPENMP in an included file: port it first";

/* Code of an included file that libclang leaves out where the file is included first.  Another
   compiler may have it. */
static bool is_left_out(CXSourceLocation where)
{
    CXSourceRangeList *all;
    CXFile in;
    unsigned at, lo, hi;
    bool out = false;

    clang_getFileLocation(where, &in, NULL, NULL, &at);
    all = clang_getSkippedRanges(unit, in);
    for (unsigned k = 0; all && k < all->count && !out; k++) {
        clang_getFileLocation(clang_getRangeStart(all->ranges[k]), NULL, NULL, NULL, &lo);
        clang_getFileLocation(clang_getRangeEnd(all->ranges[k]), NULL, NULL, NULL, &hi);
        out = at >= lo && at < hi;
    }
    if (all)
        clang_disposeSourceRangeList(all);
    return out;
}

static void read_header_directive(const words *w, unsigned i, unsigned past)
{
    CXSourceLocation where = clang_getTokenLocation(unit, w->all[i]);
    bool ours = false;

    if (is(w, i + 1, "pragma") && is(w, i + 2, "omp")) {
        if (is(w, i + 3, "simd") || (is(w, i + 3, "declare") && is(w, i + 4, "simd")))
            return;
        has_critical |= is(w, i + 3, "critical");
        has_declared |= is(w, i + 3, "declare");
        if (is(w, i + 3, "threadprivate"))
            for (unsigned k = i + 4; k < past; k++)
                if (clang_getTokenKind(w->all[k]) == CXToken_Identifier) {
                    add_threadprivate(w->text[k]);
                    if (may_be_macro(w->text[k], is(w, k + 1, "(")))
                        bar_all("a macro stands in a pragma threadprivate of an included file");
                }
        add_spot(where, w->file, false, is_left_out(where) ? header_unused : header_pragma);
        return;
    }
    for (unsigned k = i; k < past; k++)
        ours |= strstr(w->text[k], "tweed-port") != NULL;
    for (unsigned k = i; k < past && !ours; k++)
        if (is(w, k, "_OPENMP"))
            add_spot(where, w->file, false, header_test);
}

/* `omp::directive` or `omp::sequence` of an attribute, or `using omp:` of one. */
static bool is_attribute(const words *w, unsigned i)
{
    if (!is_cxx || i == 0 || !is(w, i, "omp"))
        return false;
    if (is(w, i - 1, "using"))
        return is(w, i + 1, ":") && i > 1 && is(w, i - 2, "[");
    return is(w, i + 1, "::") && (is(w, i + 2, "directive") || is(w, i + 2, "sequence")) &&
           (is(w, i - 1, "[") || is(w, i - 1, ","));
}

static void read_uses(const words *w)
{
    for (unsigned i = 0; i < w->count; i++) {
        CXSourceLocation where = clang_getTokenLocation(unit, w->all[i]);
        const maker *m;
        unsigned past = i + 1;
        int depth = 0;

        if (begins_directive(w, i)) {
            past = past_directive(w, i);
            if (!w->here)
                read_header_directive(w, i, past);
            i = past - 1;
            continue;
        }
        if (is_attribute(w, i)) {
            while (past < w->count && !is(w, past, "]"))
                past++;
            has_critical |= names_word(w, i, past, "critical");
            has_declared |= names_word(w, i, past, "declare");
            add_spot(where, w->file, w->here, "a pragma of OpenMP by an attribute");
            continue;
        }
        m = maker_named(w->text[i]);
        if (!m && strcmp(w->text[i], "_Pragma") != 0 && strcmp(w->text[i], "__pragma") != 0)
            continue;
        if (is(w, past, "("))
            do {
                depth += is(w, past, "(") - is(w, past, ")");
                past++;
            } while (depth && past < w->count);
        if (makes(w, i, past) != 1)
            continue;
        has_critical |= names_word(w, i, past, "critical");
        has_declared |= names_word(w, i, past, "declare");
        add_spot(where, w->file, w->here,
                 m ? format("a pragma of OpenMP that macro %s makes", m->name)
                   : "a pragma of OpenMP by _Pragma");
        i = past - 1;
    }
}

bool is_name_of_thread(const char *name)
{
    static const char *const all[] = {
        "omp_get_thread_num", "omp_get_num_threads", "omp_in_parallel", "omp_get_level",
        "omp_get_active_level", "omp_get_team_size", "omp_get_ancestor_thread_num",
        NULL
    };

    for (int i = 0; all[i]; i++)
        if (strcmp(all[i], name) == 0)
            return true;
    return false;
}

/* In a function that an earlier run has made? */
static bool is_in_helper(const words *w, unsigned i)
{
    for (unsigned k = i; k > 0 && i - k < 12; k--)
        if (strstr(w->text[k], "tweed-port"))
            return true;
    return false;
}

/* Which variables does each thread have, and what asks for the thread?  Wherever it may be called. */
static void find_askings(const words *w)
{
    for (unsigned i = 0; i < w->count; i++) {
        unsigned at;

        if (is(w, i, "thread_local") || is(w, i, "__thread") || is(w, i, "_Thread_local"))
            has_own = true;
        if ((!is_name_of_thread(w->text[i]) && !is(w, i, "tweed_worker_index")) ||
            is_in_helper(w, i))
            continue;
        clang_getFileLocation(clang_getTokenLocation(unit, w->all[i]), NULL, NULL, NULL, &at);
        askings = grow(askings, (size_t)(asking_count + 1) * sizeof *askings);
        askings[asking_count++] = strncmp(w->text[i], "omp_", 4) != 0 ? NOWHERE - 1 /* ported */
                                  : w->here                           ? at
                                                                      : NOWHERE;
    }
}

/* ---- the files ---- */

static words *files;
static int file_count;

static void add_file(CXFile f, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    words w = { .here = depth == 0 };
    size_t size;
    CXString name = clang_getFileName(f);
    CXSourceLocation start = clang_getLocationForOffset(unit, f, 0);

    (void)stack;
    (void)data;
    if ((!w.here && clang_Location_isInSystemHeader(start)) ||
        !(w.source = clang_getFileContents(unit, f, &size)))
        return;
    w.file = w.here ? path : copy_bytes(clang_getCString(name), strlen(clang_getCString(name)));
    clang_disposeString(name);
    if (strcmp(w.file, "/omp.h") == 0)
        return;
    clang_tokenize(unit, clang_getRange(start, clang_getLocationForOffset(unit, f, (unsigned)size)),
                   &w.all, &w.count);
    w.text = grow(NULL, (w.count + 1) * sizeof *w.text);
    w.at = grow(NULL, (w.count + 1) * sizeof *w.at);
    for (unsigned i = 0; i < w.count; i++) {
        CXString s = clang_getTokenSpelling(unit, w.all[i]);
        CXSourceRange r = clang_getTokenExtent(unit, w.all[i]);

        clang_getFileLocation(clang_getRangeStart(r), NULL, NULL, NULL, &w.at[i].lo);
        clang_getFileLocation(clang_getRangeEnd(r), NULL, NULL, NULL, &w.at[i].hi);
        w.at[i].lo = past_splices(w.source, w.at[i].lo);
        w.text[i] = copy_bytes(clang_getCString(s), strlen(clang_getCString(s)));
        clang_disposeString(s);
    }
    files = grow(files, (size_t)(file_count + 1) * sizeof *files);
    files[file_count++] = w;
}

void find_outside(void)
{
    bool more = true;

    clang_getInclusions(unit, add_file, NULL);
    while (more) {
        more = false;
        for (int i = 0; i < file_count; i++)
            more |= find_makers(&files[i]);
    }
    for (int i = 0; i < file_count; i++) {
        read_uses(&files[i]);
        find_askings(&files[i]);
    }
    for (int i = 0; i < directive_count; i++)
        if (directives[i].words & W_THREADPRIVATE)
            for (int t = directives[i].first; t < directives[i].past; t++)
                if (tokens[t].kind == CXToken_Identifier && !token_is(t, "threadprivate"))
                    add_threadprivate(token_text(t));
    has_own |= has_threadprivate();
}

