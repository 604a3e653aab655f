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

static char *text_of(int first, int past)
{
    return first < past ? copy_bytes(source + tokens[first].lo, tokens[past - 1].hi - tokens[first].lo)
                        : format("%s", "");
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
            if (strcmp(text_of(k, end), type_name(t)) == 0) {
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

/* What no loop needs any more goes. */
void port_declared(void)
{
    for (int i = 0; i < directive_count; i++) {
        directive *d = &directives[i];
        int name, types, combiner, past;

        if (!is_declared(d) || is_skipped(d->lo, d->hi) || d->reason || outside_count())
            continue;
        if (!parts_of(d, &name, &types, &combiner, &past) || is_used(token_text(name))) {
            leave(d, "a loop that is left alone uses it");
            continue;
        }
        remove_pragma(d, i);
        d->done = true;
    }
}
