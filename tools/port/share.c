/*
 * share.c - a loop that the threads of a region share becomes one over a thread's share.
 *
 * SPDX-License-Identifier: MIT
 *
 * The indices are numbered from 0.  schedule(static), and no schedule, give each thread one
 * piece of the numbers, schedule(static, c) every n-th chunk, all others the next chunk of
 * a counter.  A counter counts once: where a loop is executed again schedule(dynamic, c) gives
 * every n-th chunk, too.  Of a static schedule the same loop has the same shares each time, as in
 * OpenMP.
 */
#include "team.h"

#include <stdlib.h>
#include <string.h>

static const char share_helper[] =
    "\n/* Where the share of a thread of a static loop begins. */\n"
    "static inline int64_t port_share(int64_t count, int64_t thread, int64_t threads)\n{\n"
    "    if (count <= 0)\n        return 0;\n"
    "    return count / threads * thread +\n"
    "           (thread < count % threads ? thread : count % threads);\n}\n";
static const char next_helper[] =
    "\n/* The next index of a chunk, or the first of the chunk that is next. */\n"
    "static inline int port_next(int64_t *next, int64_t chunk, int64_t count, int64_t *index,\n"
    "                            int64_t *end)\n{\n"
    "    if (*index < *end)\n        return 1;\n"
    "    *index = __atomic_fetch_add(next, chunk, __ATOMIC_RELAXED);\n"
    "    *end = *index < count - chunk ? *index + chunk : count;\n"
    "    return *index < count;\n}\n";

const clause *schedule_of(int number, int *kind)
{
    const clause *c = find_clause(&directives[number], "schedule");

    if (!c)
        return NULL;
    *kind = c->first; /* behind the modifiers; the size of a chunk may have a : of its own */
    while (token_is(*kind, "monotonic") || token_is(*kind, "nonmonotonic") ||
           token_is(*kind, "simd") || (*kind > c->first && token_is(*kind, ",")))
        *kind = code_at(*kind + 1);
    if (token_is(*kind, ":"))
        *kind = code_at(*kind + 1);
    return c;
}

static bool is_at_top(const team *t, int number)
{
    return nodes[directives[number].statement].parent == t->statement;
}

/* From a counter?  It counts once: a loop that is executed again has a share. */
bool takes_chunks(const team *t, int number)
{
    int kind;

    return is_at_top(t, number) && schedule_of(number, &kind) && !token_is(kind, "static");
}

/* A variable of this name that the statement uses, and does not declare; -1: none. */
static int variable_named(int statement, const char *name)
{
    unsigned lo = nodes[statement].lo, hi = statement_end(statement);

    for (int i = 0; i < reference_count; i++) {
        const variable *v = &variables[references[i].variable];

        if (references[i].at >= lo && references[i].at < hi && strcmp(v->name, name) == 0 &&
            (v->is_global || v->at < lo || v->at >= hi))
            return references[i].variable;
    }
    return -1;
}

static bool read_reduction(plan *p, const clause *c)
{
    int first;
    const char *op = reduction_operator(c, &first);

    if (!op)
        return leave(p->d, "a reduction that is declared by the user, in a region");
    for (int t = first; t < c->past; t++) {
        int v, next = code_at(t + 1);

        if (token_is(t, ",") || tokens[t].kind == CXToken_Comment)
            continue;
        if (tokens[t].kind != CXToken_Identifier || (next < c->past && !token_is(next, ",")))
            return leave(p->d, "reduction of what is no plain variable, in a region");
        v = variable_named(p->d->statement, token_text(t));
        if (v < 0)
            return leave(p->d, "%s in a clause is no variable of a function or of the file",
                         token_text(t));
        if (!is_scalar(variables[v].type) ||
            clang_getCanonicalType(variables[v].type).kind == CXType_Bool ||
            !identity_text(op, variables[v].type))
            return leave(p->d, "the reduction of %s, of type %s, in a region", variables[v].name,
                         type_name(variables[v].type));
        p->items = grow(p->items, (size_t)(p->item_count + 1) * sizeof *p->items);
        p->items[p->item_count++] =
            (item){ .variable = v, .role = REDUCTION, .op = op, .declared = -1 };
    }
    return true;
}

static bool read_clauses(plan *p)
{
    static const char *const nothing[] = { "schedule", "collapse", "nowait", "private", "shared",
                                           "safelen", "simdlen", "aligned", "nontemporal",
                                           "order", "reduction", NULL };

    for (int i = 0; i < p->d->clause_count; i++) {
        const clause *c = &p->d->clauses[i];
        bool known = false;

        for (int k = 0; nothing[k]; k++)
            known |= strcmp(c->name, nothing[k]) == 0;
        if (strcmp(c->name, "reduction") == 0 && !read_reduction(p, c))
            return false;
        if (collapse_of(p->d) == 0)
            return leave(p->d, "collapse of what is no number");
        if (strcmp(c->name, "firstprivate") == 0) {
            unsigned lo = nodes[p->d->statement].lo, hi = statement_end(p->d->statement);
            use *all;
            int count = uses_in(lo, hi, &all);

            known = true;
            for (int t = c->first; t < c->past; t++)
                for (int k = 0; k < count; k++)
                    if (token_is(t, variables[all[k].variable].name) &&
                        (all[k].how != USE_READ || has_another_name(all[k].variable) ||
                         !is_value(variables[all[k].variable].type) ||
                         is_array(variables[all[k].variable].type) ||
                         !keeps_value(all[k].variable, lo, hi) ||
                         variables[all[k].variable].is_global))
                        return leave(p->d, "firstprivate of %s, in a region", token_text(t));
        }
        if (!known)
            return leave(p->d, "%s, in a region", c->name);
    }
    return true;
}

/* Of the outer loop alone: the inner ones of a collapse are the body's. */
bool make_loop_plan(int number, plan *p)
{
    const char *why;

    memset(p, 0, sizeof *p);
    p->d = &directives[number];
    p->number = number;
    if (!read_loop(p->d, p->d->statement, &p->loops[0]) || !read_clauses(p))
        return false;
    p->dimensions = 1;
    p->body = p->loops[0].body;
    p->text = p->loops[0].text;
    why = why_unfit(p->d, p->loops[0].node, p->body, 1);
    if (why)
        return leave(p->d, "%s", why);
    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == p->loops[0].variable && references[i].at >= p->text.lo &&
            references[i].at < p->text.hi &&
            (!references[i].spelled ||
             (!is_cxx && (use_of(&references[i]) & ~(unsigned)USE_READ))))
            return leave(p->d, "the variable of the loop is changed, or its address taken");
    return true;
}

static char *type_text(CXType t)
{
    char *s = declare(t, "");

    if (!s)
        s = type_name(t);
    return strncmp(s, "const ", 6) == 0 && !ends_with(s, "*") ? s + 6 : s;
}

/* Of a loop's variable: auto stays. */
static const char *index_text(const loop *l)
{
    CXType t = clang_getCanonicalType(l->type);
    bool integer = t.kind >= CXType_Bool && t.kind <= CXType_LongLong;

    return is_cxx && !integer && plain(l->type).kind == CXType_Auto ? "auto" : type_text(l->type);
}

static bool is_literal(range r)
{
    int t = token_at(r.lo);

    return r.hi && tokens[t].hi == r.hi && tokens[t].kind == CXToken_Literal;
}

/* Names of a region: of two functions they may be the same. */
static char **locals;
static int local_count;

void forget_locals(void)
{
    local_count = 0;
}

static bool is_local_name(const char *name)
{
    for (int i = 0; i < local_count; i++)
        if (strcmp(locals[i], name) == 0)
            return true;
    return false;
}

char *local_name(const char *variable_name, const char *what)
{
    char *name = format("%s_%s", variable_name, what);

    for (int k = 2; name_is_used(name) || is_local_name(name); k++)
        name = format("%s_%s_%d", variable_name, what, k);
    locals = grow(locals, (size_t)(local_count + 1) * sizeof *locals);
    locals[local_count++] = name;
    return name;
}

/* The value, which the thread computes once. */
static char *once(text *before, const char *in, range r, const char *type, const char *name,
                  const char *what)
{
    char *s;

    if (is_literal(r))
        return copy_bytes(source + r.lo, r.hi - r.lo);
    s = local_name(name, what);
    text_format(before, ends_with(type, "*") ? "%s%sconst %s = %s;\n" : "%sconst %s %s = %s;\n", in,
                type, s, render(r.lo, r.hi, NULL, NULL));
    return s;
}

/* The variable of the loop out of its number. */
static char *value_text(const plan *p, const char *index, text *before, const char *in)
{
    const loop *l = &p->loops[0];
    const variable *v = &variables[l->variable];
    CXType t = clang_getCanonicalType(l->type);
    bool integer = t.kind >= CXType_Bool && t.kind <= CXType_LongLong;
    const char *sign = l->down ? "-" : "+", *type = index_text(l);
    const char *wide = integer && is_unsigned(l->type) && t.kind >= CXType_ULong ? type : "int64_t";
    char *first = once(before, in, l->first, integer ? wide : type, v->name, "first"),
         *step = l->step_value ? format("%ld", l->step_value)
                               : once(before, in, l->step, "int64_t", v->name, "step"),
         *way = strcmp(step, "1") == 0 ? format("%s", index) : format("%s * %s", index, step);

    if (!integer)
        return format("%s %s %s", first, sign, way);
    if (strcmp(first, "0") == 0 && !l->down)
        return format(strcmp(step, "1") == 0 ? "(%s)%s" : "(%s)(%s)", type, way);
    if (strcmp(wide, "int64_t") != 0)
        return format("(%s)(%s %s (%s)(%s))", type, first, sign, wide, way);
    return format("(%s)(%s %s %s)", type, first, sign, way);
}

/* for (...) over the numbers of a thread's indices. */
static char *header_text(const team *t, const plan *p, const char *next, const char *index,
                         const char *count, const char *name, text *before, const char *in)
{
    int kind = 0;
    const clause *c = schedule_of(p->number, &kind);
    int comma = code_at(kind + 1);
    char *end = local_name(name, "end"), *chunk = NULL;
    bool dealt;

    if (c && token_is(comma, ",") && comma + 1 < c->past)
        chunk = render(tokens[comma + 1].lo, tokens[c->past - 1].hi, NULL, NULL);
    if (next) {
        char *size = local_name(name, "chunk");

        need("port_next", next_helper);
        text_format(before, "%sconst int64_t %s = %s;\n", in, size,
                    token_is(kind, "dynamic") && !chunk ? "1"
                    : token_is(kind, "dynamic") ? chunk
                    : format("%s / (8 * %s) + 1", count, t->threads));
        return format("for (int64_t %s = 0, %s = 0;\n%s     port_next(%s, %s, %s, &%s, &%s); %s++)",
                      index, end, in, next, size, count, index, end, index);
    }
    dealt = chunk && (token_is(kind, "static") || token_is(kind, "dynamic"));
    if (dealt && strcmp(chunk, "1") == 0)
        return format("for (int64_t %s = %s; %s < %s; %s += %s)", index, t->thread, index, count,
                      index, t->threads);
    if (dealt) {
        char *size = local_name(name, "chunk"), *of = local_name(name, "begin");

        text_format(before, "%sconst int64_t %s = %s;\n", in, size, chunk);
        return format("for (int64_t %s = %s * %s; %s < %s; %s += %s * %s)\n%sfor (int64_t %s = %s; "
                      "%s < %s + %s && %s < %s; %s++)",
                      of, t->thread, size, of, count, of, t->threads, size,
                      in, index, of, index, of, size, index, count, index);
    }
    need("port_share", share_helper);
    return format("for (int64_t %s = port_share(%s, %s, %s),\n%s             %s = port_share(%s, "
                  "%s + 1, %s);\n%s     %s < %s; %s++)",
                  index, count, t->thread, t->threads, in, end, count, t->thread, t->threads, in,
                  index, end, index);
}

bool edit_share(team *t, int number, plan *p, const char *next)
{
    loop *l = &p->loops[0];
    const variable *v = &variables[l->variable];
    CXType type = clang_getCanonicalType(l->type);
    bool integer = type.kind >= CXType_Bool && type.kind <= CXType_LongLong;
    unsigned lo = nodes[l->node].lo, open = nodes[p->body].lo;
    char *in = indent_at(lo), *index = local_name(v->name, "index"),
         *count_name = local_name(v->name, "count"), *value, *header;
    bool declares = l->declared || !is_assigned(t, number, l->variable),
         braces = node_is(p->body, CXCursor_CompoundStmt) && spelled(p->body, "{"), used = false;
    text before = { 0 }, after = { 0 }, close = { 0 };

    text_add(&before, "");
    text_add(&after, "");
    text_add(&close, "");
    if (!bounds_of(p->d, l))
        return false;
    if (is_cxx && is_dependent(l->type))
        return leave(p->d, "the type of the loop's variable is what a template's argument says");
    if (!integer && !l->is_pointer && (l->down || !l->declared))
        return leave(p->d, "a loop over iterators that descends, or declares none");
    for (int i = 0; i < p->item_count; i++) {
        const item *it = &p->items[i];
        const variable *r = &variables[it->variable];
        char *all = local_name(r->name, "all"), *kind = type_text(r->type);

        for (int k = 0; k < directive_count; k++)
            if (directives[k].lo > p->d->lo && directives[k].lo < p->text.hi)
                return leave(p->d, "a reduction in a region, and a pragma in the loop");
        text_format(&before, "%s%s *%s = &%s;\n", in, kind, all, mark(it->variable));
        text_format(&after, "%s%s %s = %s;\n", in, kind, r->name,
                    identity_text(it->op, r->type));
        if (!close.n)
            text_format(&close, "\n%spthread_mutex_lock(&%s);", in, lock_for_reductions());
        text_format(&close, "\n%s", indented(combine_text(it->op, format("*%s", all), r->name), in));
    }
    if (close.n) {
        if (ends_with(close.s, "\n"))
            close.n--, close.s[close.n] = 0;
        text_format(&close, "\n%spthread_mutex_unlock(&port_reduction);\n%s}", in, in);
    }
    value = value_text(p, index, &before, in);
    text_format(&before, "%sconst int64_t %s = %s;\n", in, count_name,
                integer || l->is_pointer ? loop_count(l)
                                         : format("(%s) - (%s)%s",
                                                  render(l->bound.lo, l->bound.hi, NULL, NULL),
                                                  render(l->first.lo, l->first.hi, NULL, NULL),
                                                  l->inclusive ? " + 1" : ""));
    header = header_text(t, p, next, index, count_name, v->name, &before, in);
    if (after.n)
        text_format(&before, "%s{\n%s", in, after.s);
    value = format("%s%s%s = %s;",
                   !declares ? "" : index_text(l),
                   !declares || ends_with(index_text(l), "*") ? "" : " ", v->name, value);
    for (int i = 0; i < reference_count; i++)
        used |= references[i].variable == l->variable && references[i].at >= p->text.lo &&
                references[i].at < p->text.hi;
    if (declares && !used)
        value = format("%s", "");
    drop_edits(lo, p->text.lo);
    if (braces) {
        add_edit(lo, p->text.lo, format("%s\n%s%s", before.s + strlen(in), in, header), number);
        if (*value)
            add_edit(open + 1, open + 1, format("\n%s    %s", in, value), number);
    } else {
        add_edit(lo, p->text.lo, format(*value ? "%s\n%s%s {\n%s    %s" : "%s\n%s%s {",
                                          before.s + strlen(in), in, header, in, value),
                 number);
        add_edit(p->text.hi, p->text.hi, format("\n%s}", in), number);
    }
    if (close.n)
        add_edit(p->text.hi, p->text.hi, close.s, number);
    remove_pragma(p->d, number);
    p->d->done = true;
    return true;
}
