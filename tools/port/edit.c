/*
 * edit.c - changes of the file: collected, applied, shown, written.
 *
 * SPDX-License-Identifier: MIT
 *
 * The text of an edit has marks, \1 number \2, in the place of local variables.  A body that
 * moves to file scope calls some of them by other names, (*sum) for example: its text is
 * rendered with these, edits of what is inside included.  Elsewhere a mark is the name.
 */
#include "port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

edit *edits;
int edit_count;

static int edit_order;

typedef struct stretch {
    size_t lo, hi;
    int owner;
} stretch;
static stretch *stretches;
static int stretch_count;

char *mark(int v)
{
    return format("\1%d\2", v);
}

void add_edit(unsigned lo, unsigned hi, const char *instead, int owner)
{
    edit e = { lo, hi, copy_bytes(instead, strlen(instead)), owner, edit_order++ };
    int i = edit_count;

    for (int k = 0; k < edit_count; k++)
        if (edits[k].lo == lo && edits[k].hi == hi && hi > lo &&
            strcmp(edits[k].text, instead) == 0)
            return; /* one token that a macro uses twice */
    edits = grow(edits, (size_t)(edit_count + 1) * sizeof *edits);
    /* what is put before a text that goes stands before it */
    while (i > 0 && (edits[i - 1].lo > lo ||
                     (edits[i - 1].lo == lo && hi == lo && edits[i - 1].hi > lo))) {
        edits[i] = edits[i - 1];
        i--;
    }
    edits[i] = e;
    edit_count++;
}

/* Before all that is put there. */
void add_first(unsigned at, const char *what)
{
    edit e;
    int i;

    add_edit(at, at, what, -1);
    for (i = 0; i < edit_count && !(edits[i].lo == at && edits[i].order == edit_order - 1); i++)
        ;
    e = edits[i];
    for (; i > 0 && edits[i - 1].lo == at; i--)
        edits[i] = edits[i - 1];
    edits[i] = e;
}

void drop_edits(unsigned lo, unsigned hi)
{
    int n = 0;

    for (int i = 0; i < edit_count; i++)
        if (!(edits[i].lo >= lo && edits[i].hi <= hi))
            edits[n++] = edits[i];
    edit_count = n;
}

/* A text with marks, by these names. */
static void add_marked(text *to, const char *s, naming *name, void *data, bool keep)
{
    while (*s) {
        size_t n = strcspn(s, "\1");

        text_bytes(to, s, n);
        s += n;
        if (*s) {
            int v = atoi(s + 1);
            const char *called = name ? name(data, v, NULL) : NULL;
            const char *past = strchr(s, '\2') + 1;

            if (keep && !name)
                text_bytes(to, s, (size_t)(past - s));
            else
                text_add(to, called ? called : variables[v].name);
            s = past;
        }
    }
}

static int reference_at(unsigned at)
{
    int lo = 0, hi = reference_count;

    while (lo < hi) {
        int middle = (lo + hi) / 2;

        if (references[middle].at < at)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

char *render(unsigned lo, unsigned hi, naming *name, void *data)
{
    text t = { 0 };
    unsigned at = lo;
    int e = 0, r = reference_at(lo);

    text_add(&t, "");
    while (at < hi || (at == hi && e < edit_count)) {
        while (e < edit_count && edits[e].lo < at)
            e++;
        if (e < edit_count && edits[e].lo == at && edits[e].hi <= hi) {
            add_marked(&t, edits[e].text, name, data, true);
            at = edits[e].hi > at ? edits[e].hi : at;
            e++;
            continue;
        }
        if (at >= hi)
            break;
        while (r < reference_count && references[r].at < at)
            r++;
        if (r < reference_count && references[r].at == at && references[r].spelled &&
            !variables[references[r].variable].is_global) {
            int v = references[r].variable;
            const char *called = name ? name(data, v, &references[r]) : NULL;

            if (!name)
                text_add(&t, mark(v));
            else
                text_add(&t, called ? called : variables[v].name);
            at += (unsigned)strlen(variables[v].name);
            continue;
        }
        text_bytes(&t, source + at++, 1);
    }
    return t.s;
}

void apply_edits(text *to)
{
    unsigned at = 0;

    to->n = 0;
    stretch_count = 0;
    text_add(to, "");
    for (int i = 0; i < edit_count; i++) {
        stretch s = { 0 };

        if (edits[i].lo < at)
            continue;
        text_bytes(to, source + at, edits[i].lo - at);
        s.lo = to->n;
        add_marked(to, edits[i].text, NULL, NULL, false);
        s.hi = to->n;
        s.owner = edits[i].owner;
        at = edits[i].hi;
        stretches = grow(stretches, (size_t)(stretch_count + 1) * sizeof *stretches);
        stretches[stretch_count++] = s;
    }
    text_bytes(to, source + at, source_size - at);
}

int owner_at(unsigned at)
{
    int best = -1;
    size_t distance = (size_t)-1;

    for (int i = 0; i < stretch_count; i++) {
        size_t away = at < stretches[i].lo ? stretches[i].lo - at
                      : at > stretches[i].hi ? at - stretches[i].hi : 0;

        if (stretches[i].owner >= 0 && away < distance) {
            best = stretches[i].owner;
            distance = away;
        }
    }
    return best;
}

unsigned line_start(unsigned at)
{
    while (at > 0 && source[at - 1] != '\n')
        at--;
    return at;
}

char *indent_at(unsigned at)
{
    unsigned lo = line_start(at), hi = lo;

    while (source[hi] == ' ' || source[hi] == '\t')
        hi++;
    return copy_bytes(source + lo, hi - lo);
}

/* Each line but the first without this before it, or without what it has of it. */
char *dedent(const char *s, const char *indent)
{
    text t = { 0 };

    text_add(&t, "");
    while (*s) {
        const char *end = strchr(s, '\n');
        size_t k = 0;

        end = end ? end + 1 : s + strlen(s);
        text_bytes(&t, s, (size_t)(end - s));
        s = end;
        while (indent[k] && s[k] == indent[k])
            k++;
        s += k;
    }
    return t.s;
}

void indent_lines(unsigned lo, unsigned hi, int owner)
{
    for (unsigned k = lo; k < hi; k++)
        if (source[k] == '\n' && source[k + 1] != '\n' && source[k + 1] != '\r' &&
            source[k + 1] != '#' && tokens[token_at(k)].lo > k)
            add_edit(k + 1, k + 1, "    ", owner);
}

void indent_statement(int n, int owner)
{
    if (node_is(n, CXCursor_CompoundStmt) || line_start(nodes[n].lo) == nodes[n].lo)
        return;
    add_edit(nodes[n].lo, nodes[n].lo, "    ", owner);
    indent_lines(nodes[n].lo, statement_end(n), owner);
}

bool shift_lines(unsigned lo, unsigned hi, int owner)
{
    for (int i = 0; i < edit_count; i++)
        if (edits[i].lo > lo && edits[i].hi < hi && strchr(edits[i].text, '\n'))
            return false;
    for (unsigned k = lo; k < hi; k++) {
        bool replaced = k != line_start(k) || source[k] == '\n' || source[k] == '#' ||
                        (k > 0 && tokens[token_at(k - 1)].lo < k - 1);

        for (int i = 0; i < edit_count && !replaced; i++)
            replaced = edits[i].lo == k && edits[i].hi > k;
        if (!replaced)
            add_edit(k, k, "    ", owner);
    }
    return true;
}

/* ---- the file ---- */

/* By a file beside it, which takes its place: a full disk leaves the old one. */
bool write_out(const char *name, const text *t)
{
    char *real = realpath(name, NULL), *beside;
    struct stat was = { 0 };
    FILE *f;
    int fd;

    if (!real)
        real = copy_bytes(name, strlen(name));
    if (stat(real, &was) == 0 && access(real, W_OK) != 0) {
        fprintf(stderr, "tweed-port: %s: %s\n", name, strerror(errno));
        return false;
    }
    if (was.st_mode && !S_ISREG(was.st_mode)) { /* /dev/stdout */
        f = fopen(real, "wb");
        if (f && fwrite(t->s, 1, t->n, f) == t->n && fclose(f) == 0)
            return true;
        fprintf(stderr, "tweed-port: %s: %s\n", name, strerror(errno));
        return false;
    }
    beside = format("%s.XXXXXX", real);
    fd = mkstemp(beside);
    f = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!f) {
        fprintf(stderr, "tweed-port: %s: %s\n", beside, strerror(errno));
        return false;
    }
    if (fwrite(t->s, 1, t->n, f) != t->n || fflush(f) != 0 ||
        fchmod(fd, was.st_mode ? was.st_mode & 07777 : 0644) != 0 || fsync(fd) != 0 ||
        fclose(f) != 0 || rename(beside, real) != 0) {
        fprintf(stderr, "tweed-port: %s: %s\n", name, strerror(errno));
        unlink(beside);
        return false;
    }
    return true;
}

/* ---- the difference, in the unified form ---- */

static char **lines_of(const char *s, size_t n, int *count)
{
    char **all = NULL;
    size_t at = 0;

    *count = 0;
    while (at < n) {
        const char *end = memchr(s + at, '\n', n - at);
        size_t length = end ? (size_t)(end - (s + at)) + 1 : n - at;

        if (*count % 1024 == 0)
            all = grow(all, (size_t)(*count + 1024) * sizeof *all);
        all[(*count)++] = copy_bytes(s + at, length);
        at += length;
    }
    return all;
}

static void print_line(char sign, const char *line)
{
    printf("%c%s", sign, line);
    if (!ends_with(line, "\n"))
        printf("\n\\ No newline at end of file\n");
}

/* What is next to come of a line of the old text: where the two go on alike. */
static void find_meeting(char **a, int an, char **b, int bn, int i, int j, int *to_i, int *to_j)
{
    for (int away = 1; away <= an - i + bn - j; away++)
        for (int k = 0; k <= away; k++) {
            int x = i + k, y = j + away - k, same = 0;

            if (x > an || y > bn)
                continue;
            while (x + same < an && y + same < bn && same < 3 &&
                   strcmp(a[x + same], b[y + same]) == 0)
                same++;
            if (same == 3 || (x + same == an && y + same == bn)) {
                *to_i = x;
                *to_j = y;
                return;
            }
        }
    *to_i = an;
    *to_j = bn;
}

void print_diff(const char *name, const text *t)
{
    int an, bn, i = 0, j = 0, shown = 0;
    char **a = lines_of(source, source_size, &an), **b = lines_of(t->s, t->n, &bn);

    if (t->n == source_size && memcmp(t->s, source, source_size) == 0)
        return;
    printf("--- a/%s\n+++ b/%s\n", name, name);
    while (i < an || j < bn) {
        int x, y, before, after;

        if (i < an && j < bn && strcmp(a[i], b[j]) == 0) {
            i++, j++;
            continue;
        }
        find_meeting(a, an, b, bn, i, j, &x, &y);
        before = i - shown < 3 ? i - shown : 3;
        for (after = 0; after < 3 && x + after < an && y + after < bn &&
                        strcmp(a[x + after], b[y + after]) == 0;
             after++)
            ;
        printf("@@ -%d,%d +%d,%d @@\n", i - before + (before + x - i + after > 0),
               before + x - i + after, j - before + (before + y - j + after > 0), before + y - j + after);
        for (int k = i - before; k < i; k++)
            print_line(' ', a[k]);
        for (int k = i; k < x; k++)
            print_line('-', a[k]);
        for (int k = j; k < y; k++)
            print_line('+', b[k]);
        for (int k = x; k < x + after; k++)
            print_line(' ', a[k]);
        i = shown = x + after;
        j = y + after;
    }
}
