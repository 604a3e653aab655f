/*
 * declared.c - declare reduction: the user's combiner, and what a partial result begins with.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <string.h>

static bool is_declared(const directive *d)
{
    return d->words == (W_DECLARE | W_REDUCTION);
}

/* The first of these tokens outside of parentheses; past: there is none. */
static int find_token(int t, int past, const char *word)
{
    for (int depth = 0; t < past; t++) {
        depth += token_is(t, "(") - token_is(t, ")");
        if (*word == ',') /* of types */
            depth += token_is(t, "<") - token_is(t, ">") - 2 * token_is(t, ">>");
        if (depth < 0 || (depth == 0 && token_is(t, word)))
            break;
    }
    return t < past && token_is(t, word) ? t : past;
}

/* reduction(name : types : combiner): its tokens. */
static bool parts_of(const directive *d, int *name, int *types, int *combiner, int *past)
{
    int open = d->first;

    while (open < d->past && !token_is(open, "("))
        open++;
    *name = open + 1;
    *types = find_token(*name, d->past, ":") + 1;
    *combiner = find_token(*types, d->past, ":") + 1;
    if (*combiner >= d->past)
        return false;
    *past = *combiner;
    for (int depth = 0; *past < d->past; ++*past) {
        depth += token_is(*past, "(") - token_is(*past, ")");
        if (depth < 0)
            return *past > *combiner;
    }
    return false;
}

static char *without_blanks(const char *s)
{
    text t = { 0 };

    text_add(&t, "");
    for (; *s; s++)
        if (!strchr(" \t\r\n\\", *s))
            text_bytes(&t, s, 1);
    return t.s;
}

/* A pragma's text on one line. */
static char *one_line(const char *s)
{
    text t = { 0 };

    text_add(&t, "");
    while (*s) {
        size_t n = strcspn(s, "\\");

        text_bytes(&t, s, n);
        s += n;
        if (*s == '\\' && (s[1] == '\n' || (s[1] == '\r' && s[2] == '\n'))) {
            while (t.n && (t.s[t.n - 1] == ' ' || t.s[t.n - 1] == '\t'))
                t.s[--t.n] = 0;
            s += 1 + strspn(s + 1, " \t\r\n");
            text_add(&t, " ");
        } else if (*s) {
            text_bytes(&t, s++, 1);
        }
    }
    return t.s;
}

static char *text_of(int first, int past)
{
    return first < past ? copy_bytes(source + tokens[first].lo, tokens[past - 1].hi - tokens[first].lo)
                        : format("%s", "");
}

static bool is_type(const char *written, CXType t)
{
    const char *names[] = { type_name(t), type_name(clang_getCanonicalType(t)),
                            type_name(plain(t)) };

    for (int k = 0; k < 3; k++)
        if (strcmp(without_blanks(written), without_blanks(names[k])) == 0 ||
            (is_cxx && !outside_count() && /* in its namespace */
             ends_with(without_blanks(names[k]), format("::%s", without_blanks(written)))))
            return true;
    return false;
}

int declared_for(const char *called, CXType t)
{
    int found = -1;

    for (int i = 0; i < directive_count; i++) {
        int name, types, combiner, past;

        if (!is_declared(&directives[i]) ||
            !parts_of(&directives[i], &name, &types, &combiner, &past) || !token_is(name, called))
            continue;
        for (int k = types, end; k < combiner - 1; k = end + 1) {
            end = find_token(k, combiner - 1, ",");
            if (is_type(text_of(k, end), t)) {
                if (found >= 0)
                    return -1; /* in two functions, perhaps */
                found = i;
            }
        }
    }
    return found;
}

char *declared_combiner(int number)
{
    int name, types, combiner, past;

    (void)parts_of(&directives[number], &name, &types, &combiner, &past);
    return text_of(combiner, past);
}

/* Behind `omp_priv =`; NULL: it is begun in another manner. */
char *declared_start(int number)
{
    const clause *c = find_clause(&directives[number], "initializer");

    if (!c)
        return format("{ 0 }");
    for (int t = c->first; t < c->past; t++)
        if (token_is(t, "omp_orig") || (t > c->first && token_is(t, "omp_priv")))
            return NULL;
    return token_is(c->first, "omp_priv") && token_is(c->first + 1, "=")
               ? text_of(c->first + 2, c->past) : NULL;
}

static bool is_used(const char *name)
{
    for (int i = 0; i < directive_count; i++)
        for (int k = 0; !directives[i].done && k < directives[i].clause_count; k++) {
            const clause *c = &directives[i].clauses[k];

            for (int t = c->first; strstr(c->name, "reduction") && t < c->past; t++)
                if (token_is(t, name))
                    return true;
        }
    return false;
}

/* ---- in C++ ---- */

typedef struct made { /* functions for a type */
    int number;
    char *type, *combine, *start;
} made;

static made *all_made;
static int made_count;

void forget_declared(void)
{
    made_count = 0;
}

void declared_functions(int number, CXType t, const char **combine, const char **start)
{
    int name, types, combiner, past;
    made m = { .number = number, .type = declare(t, "") };
    const char *word;

    if (!m.type)
        m.type = type_name(t);
    if (strncmp(m.type, "const ", 6) == 0)
        m.type += 6;
    for (int i = 0; i < made_count; i++)
        if (all_made[i].number == number && strcmp(all_made[i].type, m.type) == 0) {
            *combine = all_made[i].combine;
            *start = all_made[i].start;
            return;
        }
    (void)parts_of(&directives[number], &name, &types, &combiner, &past);
    word = tokens[name].kind == CXToken_Identifier ? token_text(name) : "sum";
    m.combine = fresh(format("port_%s", word));
    m.start = fresh(format("%s_start", m.combine));
    all_made = grow(all_made, (size_t)(made_count + 1) * sizeof *all_made);
    all_made[made_count++] = m;
    *combine = m.combine;
    *start = m.start;
}

/* A private copy begins as its initializer says, or as a static variable does; a constructor
   is called each time. */
static char *start_text(const directive *d, const char *type)
{
    const clause *c = find_clause(d, "initializer");

    if (!c)
        return format("%s omp_priv{};", type);
    if (token_is(c->first, "omp_priv") && token_is(c->first + 1, "="))
        return format("%s omp_priv = %s;", type, one_line(text_of(c->first + 2, c->past)));
    if (token_is(c->first, "omp_priv"))
        return format("%s %s;", type, one_line(text_of(c->first, c->past)));
    return format("%s omp_priv;\n    %s;", type, one_line(text_of(c->first, c->past)));
}

static bool uses_orig(const directive *d)
{
    const clause *c = find_clause(d, "initializer");

    for (int t = c ? c->first : 0; c && t < c->past; t++)
        if (token_is(t, "omp_orig"))
            return true;
    return false;
}

static char *functions_of(int number)
{
    const directive *d = &directives[number];
    bool inside = d->function >= 0;
    text t = { 0 };

    text_add(&t, "");
    for (int i = 0; i < made_count; i++) {
        const made *m = &all_made[i];
        char *combiner = one_line(declared_combiner(number)), *start = start_text(d, m->type);
        const char *orig = uses_orig(d) ? "omp_orig" : "&";

        if (m->number != number)
            continue;
        if (t.n)
            text_add(&t, "\n");
        if (inside)
            text_format(&t,
                        "auto %s = [](%s &omp_out, %s &omp_in) { %s; };\n"
                        "auto %s = [](%s %s) {\n    %s\n    return omp_priv;\n};\n",
                        m->combine, m->type, m->type, combiner, m->start, m->type, orig, start);
        else
            text_format(&t,
                        "static inline void %s(%s &omp_out, %s &omp_in)\n{\n    %s;\n}\n\n"
                        "static inline %s %s(%s %s)\n{\n    %s\n    return omp_priv;\n}\n",
                        m->combine, m->type, m->type, combiner, m->type, m->start, m->type, orig,
                        start);
    }
    return t.s;
}

/* The directive stays. */
static void put_behind(int number)
{
    const directive *d = &directives[number];
    char *s = functions_of(number);
    unsigned at = d->hi;

    while (at < source_size && source[at] != '\n')
        at++;
    if (*s)
        add_edit(at, at, format("\n%s", copy_bytes(indented(s, indent_at(d->lo)),
                                                   strlen(indented(s, indent_at(d->lo))) - 1)),
                 number);
}

/* What no loop needs any more goes. */
void port_declared(void)
{
    for (int i = 0; i < directive_count; i++) {
        directive *d = &directives[i];
        int name, types, combiner, past;

        if (!is_declared(d) || is_skipped(d->lo, d->hi))
            continue;
        if (d->reason || outside_count()) {
            put_behind(i);
            continue;
        }
        if (!parts_of(d, &name, &types, &combiner, &past) || is_used(token_text(name))) {
            leave(d, "a loop that is left alone uses it");
            put_behind(i);
            continue;
        }
        if (*functions_of(i)) {
            char *s = indented(functions_of(i), indent_at(d->lo));

            s[strlen(s) - 1] = 0;
            add_edit(line_start(d->lo), d->hi, s, i);
        } else {
            remove_pragma(d, i);
        }
        d->done = true;
    }
}
