/*
 * directive.c - the pragmas: their words, clauses and statements, out of the tokens.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

directive *directives;
int directive_count;

static const struct {
    const char *name;
    unsigned word;
} words[] = {
    { "parallel", W_PARALLEL }, { "for", W_FOR }, { "simd", W_SIMD },
    { "sections", W_SECTIONS }, { "section", W_SECTION }, { "single", W_SINGLE },
    { "master", W_MASTER }, { "masked", W_MASTER }, { "critical", W_CRITICAL },
    { "barrier", W_BARRIER }, { "atomic", W_ATOMIC }, { "flush", W_FLUSH },
    { "ordered", W_ORDERED }, { "task", W_TASK }, { "taskwait", W_TASKWAIT },
    { "taskgroup", W_TASKGROUP }, { "threadprivate", W_THREADPRIVATE },
    { "declare", W_DECLARE }, { "reduction", W_REDUCTION },
    { "taskyield", W_OTHER }, { "taskloop", W_OTHER }, { "target", W_OTHER },
    { "teams", W_OTHER }, { "distribute", W_OTHER }, { "cancel", W_OTHER },
    { "cancellation", W_OTHER }, { "scan", W_OTHER }, { "loop", W_OTHER },
    { "requires", W_OTHER }, { "end", W_OTHER }, { "tile", W_OTHER }, { "unroll", W_OTHER },
    { "depobj", W_OTHER }, { "allocate", W_OTHER }, { "error", W_OTHER },
    { "metadirective", W_OTHER }, { "scope", W_OTHER }, { "workshare", W_OTHER },
};

static unsigned word_of(int t)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token_is(t, words[i].name))
            return words[i].word;
    return 0;
}

/* The token behind the closing parenthesis of the one that is open at t. */
static int past_parenthesis(int t, int past)
{
    int depth = 0;

    for (; t < past; t++) {
        if (token_is(t, "("))
            depth++;
        if (token_is(t, ")") && --depth == 0)
            return t + 1;
    }
    return past;
}

/* num_threads(omp_get_max_threads()): so many are there without the clause. */
static bool means_nothing(const clause *c)
{
    return strcmp(c->name, "num_threads") == 0 && c->past - c->first == 3 &&
           token_is(c->first, "omp_get_max_threads") && token_is(c->first + 1, "(");
}

static void read_clauses(directive *d)
{
    int t = d->first;
    unsigned w;

    while ((t = code_at(t)) < d->past && (w = word_of(t)) != 0) {
        if (w == W_REDUCTION && !(d->words & W_DECLARE))
            break; /* a clause */
        if ((d->words & (W_ATOMIC | W_CRITICAL | W_FLUSH | W_TASK | W_ORDERED)))
            break;
        d->words |= w;
        t++;
    }
    if (d->words == 0)
        d->words = W_OTHER;
    t = code_at(t);
    if (t < d->past && token_is(t, "(")) {
        int past = past_parenthesis(t, d->past);

        d->argument = copy_bytes(source + tokens[t].hi, tokens[past - 1].lo - tokens[t].hi);
        t = past;
    }
    while (t < d->past) {
        clause c = { .name = token_text(t), .first = t + 1, .past = t + 1 };

        if (token_is(t, ",") || tokens[t].kind == CXToken_Comment) {
            t++;
            continue;
        }
        if (code_at(t + 1) < d->past && token_is(code_at(t + 1), "(")) {
            int past = past_parenthesis(code_at(t + 1), d->past);

            c.first = code_at(code_at(t + 1) + 1);
            c.past = past - 1;
            while (c.past > c.first && tokens[c.past - 1].kind == CXToken_Comment)
                c.past--;
            t = past;
        } else {
            t++;
        }
        if (means_nothing(&c))
            continue;
        d->clauses = grow(d->clauses, (size_t)(d->clause_count + 1) * sizeof *d->clauses);
        d->clauses[d->clause_count++] = c;
    }
}

const clause *find_clause(const directive *d, const char *name)
{
    for (int i = 0; i < d->clause_count; i++)
        if (strcmp(d->clauses[i].name, name) == 0)
            return &d->clauses[i];
    return NULL;
}

bool is_in_list(const directive *d, const char *clause_name, const char *name)
{
    for (int i = 0; i < d->clause_count; i++)
        if (strcmp(d->clauses[i].name, clause_name) == 0)
            for (int t = d->clauses[i].first; t < d->clauses[i].past; t++)
                if (token_is(t, name))
                    return true;
    return false;
}

static bool stands_alone(const directive *d)
{
    return (d->words & (W_BARRIER | W_FLUSH | W_TASKWAIT | W_THREADPRIVATE | W_DECLARE)) != 0 ||
           token_is(d->first, "taskyield") || token_is(d->first, "cancel") ||
           token_is(d->first, "cancellation");
}

/* The outermost node that begins with the first token behind the pragma. */
static int statement_of(const directive *d)
{
    int t = d->past;

    while (t < token_count && (tokens[t].in_directive || tokens[t].kind == CXToken_Comment ||
                               is_skipped(tokens[t].lo, tokens[t].hi)))
        t++;
    if (t == token_count)
        return -1;
    for (int n = 0; n < node_count; n++)
        if (nodes[n].lo == tokens[t].lo && nodes[n].hi > nodes[n].lo)
            return n;
    return -1;
}

/* The words behind `#`, comments between them or not; -1: they are others. */
static int behind_omp(int first)
{
    int pragma = code_at(first + 1), omp = code_at(pragma + 1);

    return token_is(pragma, "pragma") && token_is(omp, "omp") && tokens[omp].in_directive
               ? omp + 1 : -1;
}

static void add_directive(int first)
{
    directive d = { .lo = tokens[first].lo, .statement = -1, .parent = -1 };
    int t = behind_omp(first);

    d.first = code_at(t);
    while (t < token_count && tokens[t].in_directive &&
           !(token_is(t, "#") && t > first && source[tokens[t].lo - 1] == '\n'))
        t++;
    /* the next line may be a directive, too: it begins with # at the start of a line */
    for (int k = first + 1; k < t; k++)
        if (token_is(k, "#")) {
            unsigned at = tokens[k].lo;

            while (source[at - 1] == ' ' || source[at - 1] == '\t')
                at--;
            if (source[at - 1] == '\n' && source[at - 2] != '\\')
                t = k;
        }
    d.past = t;
    if (d.first > t)
        d.first = t;
    d.hi = tokens[t - 1].hi;
    d.function = function_of(d.lo);
    read_clauses(&d);
    if (!stands_alone(&d) && !is_skipped(d.lo, d.hi))
        d.statement = statement_of(&d);
    directives = grow(directives, (size_t)(directive_count + 1) * sizeof *directives);
    directives[directive_count++] = d;
}

void find_directives(void)
{
    for (int t = 0; t + 2 < token_count; t++)
        if (tokens[t].in_directive && token_is(t, "#") && behind_omp(t) >= 0)
            add_directive(t);
    for (int i = 0; i < directive_count; i++)
        for (int k = 0; k < i; k++) {
            int s = directives[k].statement;

            if (s >= 0 && (s == directives[i].statement ||
                           (nodes[s].lo <= directives[i].lo && directives[i].lo < nodes[s].hi)))
                directives[i].parent = k;
        }
}

bool leave(directive *d, const char *reason, ...)
{
    text t = { 0 };
    va_list list;
    char buffer[1024];

    if (d->reason)
        return false;
    va_start(list, reason);
    vsnprintf(buffer, sizeof buffer, reason, list);
    va_end(list);
    text_add(&t, buffer);
    d->reason = t.s;
    return false;
}
