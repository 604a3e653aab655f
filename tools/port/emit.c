/*
 * emit.c - where what is made is put: in the place of the loop, above the function, at the
 * top of the file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <stdlib.h>
#include <string.h>

/* Takes the line of a pragma away, but for its comments. */
void remove_pragma(const directive *d, int owner)
{
    unsigned lo = line_start(d->lo), hi = d->hi;
    text comments = { 0 };

    text_add(&comments, "");
    for (int t = token_at(d->lo); t < d->past; t++)
        if (tokens[t].kind == CXToken_Comment)
            text_format(&comments, "%s%s", comments.n ? " " : "", token_text(t));
    if (comments.n) {
        add_edit(d->lo, hi, comments.s, owner);
        return;
    }
    while (hi < source_size && source[hi] != '\n')
        hi++;
    add_edit(lo, hi < source_size ? hi + 1 : hi, "", owner);
}

/* The innermost block around a place, or -1. */
static int block_around(unsigned at)
{
    int block = -1;

    for (int n = 0; n < node_count; n++)
        if (node_is(n, CXCursor_CompoundStmt) && nodes[n].lo < at && at < nodes[n].hi)
            block = n;
    return block;
}

/* The statement behind a pragma, or, where it has none, one that is beside it; -1: none is. */
static int statement_beside(const directive *d)
{
    int block = block_around(d->lo), beside = -1;

    if (d->statement >= 0 || block < 0)
        return d->statement;
    for (int c = nodes[block].child; c >= 0; c = nodes[c].next) {
        beside = c;
        if (nodes[c].lo > d->lo)
            break;
    }
    return beside;
}

/* Pragmas stand at the left margin often: what takes the place of one stands where the code
   does. */
char *indent_of(const directive *d)
{
    char *own = indent_at(d->lo), *around;
    int n = statement_beside(d);

    if (n < 0)
        return own;
    around = indent_at(nodes[n].lo);
    return begins(around, own) && line_start(nodes[n].lo) + strlen(around) == nodes[n].lo ? around
                                                                                          : own;
}

void put_in_place(const directive *d, unsigned hi, const char *instead, int owner)
{
    add_edit(d->lo, hi, format("%s%s", indent_of(d) + strlen(indent_at(d->lo)), instead), owner);
}

static bool is_blank(unsigned lo, unsigned hi)
{
    return lo <= hi && strspn(source + lo, " \t") >= hi - lo;
}

void part_statements(const plan *p, const char *indent)
{
    int c = nodes[p->body].child;

    if (memchr(source + nodes[p->body].lo, '\n', nodes[p->body].hi - nodes[p->body].lo))
        return;
    for (; c >= 0 && nodes[c].next >= 0; c = nodes[c].next) {
        unsigned end = statement_end(c), next = nodes[nodes[c].next].lo;

        if (is_blank(end, next))
            add_edit(end, next, format("\n%s", indent), p->number);
    }
}

/* The call takes the place of the loop.  What stands between the pragma and the loop stays. */
void replace_loop(plan *p, const char *instead)
{
    const node *n = &nodes[p->d->statement];
    unsigned hi = statement_end(p->d->statement);

    drop_edits(n->lo, hi);
    remove_pragma(p->d, p->number);
    add_edit(n->lo, hi, instead, p->number);
    add_cover(-1, n->lo, hi);
    p->d->done = true;
}

/* Before the function, and before a comment that belongs to it. */
bool insertion_of(int function, unsigned *at)
{
    int t = token_at(nodes[function].lo);
    unsigned lo = nodes[function].lo;
    int before;

    if (tokens[t].lo != lo)
        return false;
    for (before = t - 1; before >= 0 && tokens[before].kind == CXToken_Comment; before--) {
        bool blank = false;

        for (unsigned k = tokens[before].hi, lines = 0; k < lo; k++)
            if (source[k] == '\n' && ++lines == 2)
                blank = true;
        if (blank || line_start(tokens[before].lo) == line_start(lo) ||
            (before > 0 && line_start(tokens[before - 1].hi) == line_start(tokens[before].lo)))
            break;
        lo = tokens[before].lo;
    }
    while (before >= 0 && tokens[before].kind == CXToken_Comment)
        before--;
    if (before >= 0 && !tokens[before].in_directive && !token_is(before, ";") &&
        !token_is(before, "}") && !token_is(before, "{"))
        return false;
    if (before >= 0 && line_start(tokens[before].hi) == line_start(lo) &&
        !token_is(before, "{"))
        lo = nodes[function].lo;
    else
        lo = line_start(lo);
    *at = lo;
    return true;
}

void hoist(int function, const char *what, int owner)
{
    unsigned at;

    if (insertion_of(function, &at))
        add_edit(at, at, what, owner);
}

/* ---- the top of the file ---- */

typedef struct needed_thing {
    char *key, *what;
} needed_thing;
static needed_thing *needed;
static int needed_count;

void forget_needs(void)
{
    needed_count = 0;
}

int needs_now(void)
{
    return needed_count;
}

void needs_back(int count)
{
    needed_count = count;
}

void need(const char *key, const char *what)
{
    for (int i = 0; i < needed_count; i++)
        if (strcmp(needed[i].key, key) == 0)
            return;
    needed = grow(needed, (size_t)(needed_count + 1) * sizeof *needed);
    needed[needed_count++] =
        (needed_thing){ copy_bytes(key, strlen(key)), copy_bytes(what, strlen(what)) };
}

void need_vector(void)
{
    if (!strstr(source, "#include <vector>"))
        need("vector", "\n#include <vector>\n");
}

/* Two headers that meet in a file define a thing once: each guards it by this name, and a file
   that includes one of them defines it no more. */
static char *guard_of(const char *key)
{
    return format("TWEED_PORT_%s", key);
}

static bool is_definition(const needed_thing *one)
{
    return strcmp(one->key, "both") != 0 && strcmp(one->key, "pthread") != 0 &&
           strcmp(one->key, "vector") != 0;
}

bool is_header(void)
{
    static const char *const ends[] = { ".c", ".cc", ".cpp", ".cxx", ".c++", ".C", NULL };

    for (int i = 0; ends[i]; i++)
        if (ends_with(path, ends[i]))
            return false;
    return true;
}

static char *guarded(const needed_thing *one)
{
    char *guard = guard_of(one->key);

    return is_header() && is_definition(one)
               ? format("\n#ifndef %s\n#define %s%s#endif\n", guard, guard, one->what)
               : one->what;
}

/* What a call needed that has become a region's own is not needed. */
static char *needed_text(void)
{
    text t = { 0 };

    text_add(&t, "");
    for (int i = 0; i < needed_count; i++)
        if (is_call_needed(needed[i].key) && !is_macro_elsewhere(guard_of(needed[i].key)))
            text_add(&t, guarded(&needed[i]));
    return t.s;
}

static bool is_include(int t, const char *name)
{
    return tokens[t].in_directive && token_is(t, "#") && token_is(t + 1, "include") &&
           (!name || strncmp(source + tokens[t + 2].lo, name, strlen(name)) == 0);
}

/* Depth of #if at a token. */
static int depth_of(int past)
{
    int depth = 0;

    for (int t = 0; t < past; t++)
        if (tokens[t].in_directive && token_is(t, "#")) {
            depth += token_is(t + 1, "if") || token_is(t + 1, "ifdef") ||
                     token_is(t + 1, "ifndef");
            depth -= token_is(t + 1, "endif");
        }
    return depth;
}

static unsigned line_end(unsigned at)
{
    while (at < source_size && source[at] != '\n')
        at++;
    return at < source_size ? at + 1 : at;
}

/* Behind the comment that the file begins with, and the guard of a header. */
static unsigned top_of_file(void)
{
    int t = code_at(0), next;
    unsigned at = t > 0 ? line_end(tokens[t - 1].hi) : 0;

    if (token_is(t, "#") && token_is(t + 1, "pragma") && token_is(t + 2, "once"))
        return line_end(tokens[t].lo);
    next = code_at(t + 3);
    if (token_is(t, "#") && token_is(t + 1, "ifndef") && token_is(next, "#") &&
        token_is(next + 1, "define") && strcmp(token_text(next + 2), token_text(t + 2)) == 0)
        return line_end(tokens[next].lo);
    return at;
}

/* The include of omp.h, with the #ifdef that has nothing else in it. */
static void remove_include(int t)
{
    unsigned lo = line_start(tokens[t].lo), hi = line_end(tokens[t].lo);
    int next = t;

    while (next < token_count && tokens[next].lo < hi)
        next++;
    if (t >= 3 && token_is(t - 2, "ifdef") && token_is(t - 1, "_OPENMP") &&
        token_is(next, "#") && token_is(next + 1, "endif")) {
        lo = line_start(tokens[t - 3].lo);
        hi = line_end(tokens[next].lo);
        drop_edits(lo, hi);
    }
    add_edit(lo, hi, "", -1);
}

/* ---- what headers of the system look at ---- */

static bool is_feature(const char *name)
{
    return *name == '_' && (ends_with(name, "_SOURCE") || begins(name, "_FILE_OFFSET_BITS") ||
                            begins(name, "_TIME_BITS") || ends_with(name, "_MACROS") ||
                            begins(name, "_GLIBCXX_") || begins(name, "_LIBCPP_"));
}

/* The last one that this file defines; and whether a header of the user's defines one. */
static enum CXChildVisitResult find_features(CXCursor c, CXCursor parent, CXClientData data)
{
    unsigned *end = data, at;
    CXFile in;

    (void)parent;
    if (clang_getCursorKind(c) != CXCursor_MacroDefinition || !is_feature(cursor_name(c)) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(c)))
        return CXChildVisit_Continue;
    clang_getFileLocation(clang_getCursorLocation(c), &in, NULL, NULL, NULL);
    if (in_this_file(c, &at))
        end[0] = at > end[0] ? at : end[0];
    else if (in) /* not of the command line */
        end[1] = 1;
    return CXChildVisit_Continue;
}

/* Up to this place no header of the system is included, nor tweed's: what they look at is
   defined there.  0: nothing is. */
unsigned features_end(void)
{
    unsigned end[2] = { 0, 0 }, past = 0;

    clang_visitChildren(clang_getTranslationUnitCursor(unit), find_features, end);
    for (int t = 0; t + 2 < token_count; t++)
        if (is_include(t, "<"))
            break;
        else if (is_include(t, "\""))
            past = tokens[t + 2].hi;
    return end[1] && past > end[0] ? past : end[0];
}

/* The include of tweed before the others, in the place of omp.h where that goes; what is
   needed in addition behind the last one of the first depth, or before the first use. */
void port_includes(bool left)
{
    int first = -1, least = 1000, omp = -1, last = -1;
    const char *header = is_cxx ? "tweed.hpp" : "tweed.h";
    char *line = format("#include <%s>\n", header);
    bool there = false;
    unsigned first_edit = source_size, first_code = source_size, end = features_end();

    for (int i = 0; i < edit_count; i++) {
        if (edits[i].lo < first_edit)
            first_edit = edits[i].lo;
        if (edits[i].lo < first_code && edits[i].owner >= 0 &&
            !tokens[token_at(edits[i].lo)].in_directive)
            first_code = edits[i].lo;
    }
    for (int t = 0; t + 2 < token_count; t++) {
        int depth;

        if (!is_include(t, NULL))
            continue;
        if (is_include(t, format("<%s", header)))
            there = true;
        if ((is_include(t, "<omp.h") || is_include(t, "\"omp.h")) &&
            !(t > 0 && strstr(token_text(t - 1), "tweed-port"))) /* the helpers' */
            omp = t;
        depth = depth_of(t);
        if (depth < least && tokens[t].lo >= end) {
            least = depth;
            first = t;
        }
        if (depth == least && tokens[t].lo < first_code)
            last = t;
    }
    if (omp >= 0 && !left)
        remove_include(omp);
    if (*needed_text()) {
        unsigned at = last >= 0 ? line_end(tokens[last].lo) : first >= 0 ? 0 : 0;

        if (last < 0)
            at = top_of_file();
        if (at < end)
            at = line_end(end);
        add_first(at, format("%s\n", needed_text()));
        needed_count = 0;
    }
    if (!there) {
        unsigned at = 0;

        if (first >= 0)
            at = tokens[first].lo;
        else
            at = top_of_file();
        if (at > first_edit)
            at = 0;
        if (at < end)
            at = line_end(end);
        add_first(at, first < 0 ? format("%s\n", line) : line);
    }
}
