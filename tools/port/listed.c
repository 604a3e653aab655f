/*
 * listed.c - the names in the clauses of a directive: each is one variable in its statement.
 *
 * SPDX-License-Identifier: MIT
 *
 * Everything else finds a listed variable by its name.  So a name that is a member's, or that two
 * variables have, or that stands behind `::`, is found here, before anything is ported.
 */
#include "port.h"

#include <string.h>

static bool is_inside(const directive *d, unsigned at)
{
    return at >= nodes[d->statement].lo && at < statement_end(d->statement);
}

int code_before(int t)
{
    do
        t--;
    while (t >= 0 && tokens[t].kind == CXToken_Comment);
    return t;
}

/* A name that has its place in something else: a.name, struct name, decltype(name). */
static bool is_another_kind(int t)
{
    static const char *const before[] = { ".", "->", "::", "struct", "union", "enum", "class",
                                          NULL };
    static const char *const asks[] = { "decltype", "typeof", "__typeof__", NULL };
    int p = code_before(t), q = code_before(p);

    for (int i = 0; before[i]; i++)
        if (token_is(p, before[i]))
            return !token_is(q, "this");
    for (int i = 0; asks[i]; i++)
        if (token_is(p, "(") && token_is(q, asks[i]))
            return true;
    return false;
}

static bool is_variable_at(unsigned at, const char *name)
{
    for (int i = 0; i < reference_count; i++)
        if (references[i].at == at && strcmp(variables[references[i].variable].name, name) == 0)
            return true;
    for (int v = 0; v < variable_count; v++)
        if (variables[v].at == at && at && strcmp(variables[v].name, name) == 0)
            return true;
    return false;
}

/* A reduction of members has rules of its own, in set_role(). */
static bool is_member_at(unsigned at)
{
    for (int n = 0; n < node_count; n++)
        if (nodes[n].lo == at &&
            (nodes[n].kind == CXCursor_MemberRefExpr || nodes[n].kind == CXCursor_MemberRef))
            return true;
    return false;
}

static const char *why_not_name(const directive *d, const char *name, bool members)
{
    const char *captured;
    int found = -1, this;

    for (int i = 0; i < reference_count; i++) {
        const reference *r = &references[i];
        const variable *v = &variables[r->variable];
        int t = token_at(r->at);

        if (!is_inside(d, r->at) || strcmp(v->name, name) != 0 ||
            (!v->is_global && is_inside(d, v->at)))
            continue;
        if (token_is(t, "::") || token_is(code_at(t + 1), "::"))
            return format("%s, in a clause, stands behind `::`", name);
        if (found >= 0 && found != r->variable)
            return format("two variables are named %s, which is in a clause", name);
        found = r->variable;
    }
    for (int t = token_at(nodes[d->statement].lo); t < token_count; t++) {
        if (!is_inside(d, tokens[t].lo))
            break;
        if (tokens[t].kind != CXToken_Identifier || !token_is(t, name) ||
            tokens[t].in_directive || is_skipped(tokens[t].lo, tokens[t].hi) ||
            is_another_kind(t) || is_variable_at(tokens[t].lo, name))
            continue;
        this = code_before(code_before(t));
        if (is_member_at(tokens[t].lo) ||
            (token_is(this, "this") && is_member_at(tokens[this].lo))) {
            if (members)
                continue;
            return format("%s in a clause is no variable of a function or of the file", name);
        }
        captured = init_captured_in(nodes[d->statement].lo, statement_end(d->statement));
        return captured ? format("a lambda's list has an initialiser that names %s", captured)
                        : format("%s, in a clause, names what is no variable", name);
    }
    return NULL;
}

static const char *why_not_clause(const directive *d, const clause *c)
{
    bool reduces = strcmp(c->name, "reduction") == 0, is_loop = (d->words & W_FOR) != 0;
    int first = c->first;
    const char *why;

    for (int t = c->first, depth = 0; t < c->past; t++) {
        depth += token_is(t, "[") - token_is(t, "]");
        if (depth == 0 && token_is(t, ":"))
            first = t + 1;
    }
    for (int t = first, depth = 0; t < c->past; t++) {
        depth += token_is(t, "[") - token_is(t, "]");
        if (depth || tokens[t].kind != CXToken_Identifier)
            continue;
        why = why_not_name(d, token_text(t), reduces && is_loop);
        if (why)
            return why;
    }
    return NULL;
}

const char *why_not_listed(const directive *d)
{
    static const char *const names[] = { "private", "firstprivate", "lastprivate", "reduction",
                                         "linear", "copyprivate", NULL };
    const char *why;

    for (int i = 0; i < d->clause_count && d->statement >= 0; i++)
        for (int k = 0; names[k]; k++)
            if (strcmp(d->clauses[i].name, names[k]) == 0 &&
                (why = why_not_clause(d, &d->clauses[i])) != NULL)
                return why;
    return NULL;
}
