/*
 * team_c.c - a region in C: a TWEED_LOOP over its threads for each phase, and the calls.
 *
 * SPDX-License-Identifier: MIT
 */
#include "team.h"

#include <string.h>

typedef struct part {
    making m;
    team *t;
    bool reduced; /* it adds the reductions of the region */
} part;

static bool reduces(int number, const char *name)
{
    return (directives[number].words & W_FOR) && is_in_list(&directives[number], "reduction", name);
}

/* In a loop that reduces a variable this is a local one of the same name. */
static const char *name_of(void *data, int v, const reference *r)
{
    part *p = data;

    for (int i = 0; r && i < p->t->construct_count; i++)
        if (in_construct(p->t->constructs[i], r->at) &&
            reduces(p->t->constructs[i], variables[v].name) &&
            variables[v].at < directives[p->t->constructs[i]].lo)
            return NULL;
    return called(&p->m, v, r);
}

/* What each thread keeps from one phase to the next. */
static bool declare_struct(team *t, making *m, const char *tag, text *above)
{
    text members = { 0 };

    for (int i = 0; i < t->own_count; i++) {
        const variable *v = &variables[t->owns[i].variable];
        char *s;

        if (!t->owns[i].carried)
            continue;
        if (is_local_type(m->p, v->type))
            return leave(t->d, "the type of %s is declared in the function", v->name);
        s = is_variable_array(v->type) ||
                    (clang_isConstQualifiedType(v->type) && !is_scalar(v->type))
                ? NULL : declare_variable(v->type, v->name);
        if (!s)
            return leave(t->d, "%s, of type %s, is used on both sides of a barrier", v->name,
                         type_name(v->type));
        text_format(&members, "    %s;\n", s);
    }
    text_format(above, "struct %s { /* what a thread has */\n%s};\n\n", tag, members.s);
    return true;
}

static bool is_filled(const team *t, int k, int v) /* by its declaration */
{
    int n = token_at(variables[v].at) + 1;

    if (phase_at(t, variables[v].at) != k)
        return false;
    while (token_is(n, "["))
        while (n < token_count && !token_is(n++, "]"))
            ;
    return token_is(n, "=") || token_is(n, "{");
}

/* Has the phase, or one before it, left something in it? */
static bool is_kept(const team *t, const own *o, int k)
{
    for (int i = 0; i <= k; i++)
        if (is_used_in_phase(t, i, o->variable) || is_filled(t, i, o->variable) ||
            o->role == FIRSTPRIVATE)
            return true;
    return false;
}

static bool give_own(team *t, part *p, int k, const own *o, const char *all, text *loads,
                     text *stores)
{
    const variable *v = &variables[o->variable];
    bool later = false, last = k == t->phase_count - 1, used = is_used_in_phase(t, k, o->variable);
    char *at = format("%s[%s].%s", all, t->thread, v->name), *bare;

    if (o->home > k)
        return true;
    if (o->role == FIRSTPRIVATE && k == 0) {
        if (!make_first(&p->m, &(item){ .variable = o->variable, .role = FIRSTPRIVATE }))
            return false;
        used = true;
    } else    if (o->home == k) {
        if (!used && !is_filled(t, k, o->variable))
            text_format(stores, "    (void)%s;\n", v->name);
    } else if (used || (o->role == REDUCTION && last) ||
               (o->role == REDUCTION && t->phase_count == 1)) {
        bool kept = o->carried && k > 0 && is_kept(t, o, k - 1);

        bare = bare_declaration(&p->m, v);
        if (!bare)
            return lacks_type(&p->m, v);
        if (kept && is_array(v->type)) {
            make_local(&p->m, format("%s;", bare));
            text_format(loads, "    __builtin_memcpy(%s, %s, sizeof %s);\n", v->name, at, v->name);
        } else if (kept) {
            make_local(&p->m, format("%s = %s;", bare, at));
        } else if (o->role == REDUCTION) {
            make_local(&p->m, format("%s = %s;", bare, identity_text(o->op, v->type)));
        } else {
            make_local(&p->m, format("%s;", bare));
        }
    } else {
        return true;
    }
    if (last && o->role == REDUCTION) {
        char *name = fresh_local(format("%s_all", v->name)), *type = prefix_of(&p->m, v->type, v->name);

        if (!type)
            return lacks_type(&p->m, v);
        give(&p->m, format("%s *", type), name, format("&%s", mark(o->variable)));
        if (!p->reduced)
            text_format(stores, "    pthread_mutex_lock(&%s);\n", lock_for_reductions());
        p->reduced = true;
        text_format(stores, "%s", indented(combine_text(o->op, format("*%s", name), v->name),
                                           "    "));
        if (!ends_with(stores->s, "\n"))
            text_add(stores, "\n");
    }
    for (int i = k + 1; i < t->phase_count; i++)
        later |= is_used_in_phase(t, i, o->variable) || o->role == REDUCTION;
    if (o->carried && later && (used || is_filled(t, k, o->variable))) {
        if (is_array(v->type))
            text_format(stores, "    __builtin_memcpy(%s, %s, sizeof %s);\n", at, v->name, v->name);
        else
            text_format(stores, "    %s = %s;\n", at, v->name);
    }
    return true;
}

/* The indentation of the first code in a text: pragmas before it may stand at the margin. */
static char *indent_in(unsigned lo, unsigned hi)
{
    int t = token_at(lo);

    while (t < token_count && tokens[t].lo < hi &&
           (tokens[t].in_directive || tokens[t].kind == CXToken_Comment))
        t++;
    return indent_at(t < token_count && tokens[t].lo < hi ? tokens[t].lo : lo);
}

/* The phase's text, its first line without an indent. */
static char *text_of(team *t, part *p, int k)
{
    const phase *ph = &t->phases[k];
    unsigned lo = ph->lo, hi = ph->hi;
    char *s, *indent;
    size_t n;

    while (lo < hi && (source[lo] == ' ' || source[lo] == '\t' || source[lo] == '\r' ||
                       source[lo] == '\n'))
        lo++;
    indent = indent_in(lo, hi);
    if (t->block)
        lo = source[lo] == '#' || line_start(lo) + strlen(indent) == lo ? line_start(lo) : lo;
    if (lo < ph->lo)
        lo = ph->lo;
    s = render(lo, hi, name_of, p);
    /* without its indent */
    if (strncmp(s, indent, strlen(indent)) == 0 && lo == line_start(lo))
        s = dedent(format("\n%s", s), indent) + 1;
    else
        s = dedent(s, indent);
    while (*s == '\n')
        s++;
    n = strlen(s);
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\n' || s[n - 1] == '\r'))
        n--;
    return indented(copy_bytes(s, n), "    ");
}

static void give_first(making *m, const char *type, const char *name)
{
    give(m, format("%s", type), format("%s", name), format("%s", name));
    for (int i = m->argument_count - 1; i > 0; i--) {
        argument a = m->arguments[i];

        m->arguments[i] = m->arguments[i - 1];
        m->arguments[i - 1] = a;
    }
}

static bool make_phase(team *t, int k, const char *tag, const char *all, text *above, text *calls_text,
                       text *counters)
{
    plan p = { .d = t->d, .number = t->number, .dimensions = 1 };
    part own_part = { .m = { .p = &p }, .t = t };
    making *m = &own_part.m;
    text loads = { 0 }, stores = { 0 };
    const char *why;
    use *uses;
    int count;
    char *s;

    p.text = (range){ t->phases[k].lo, t->phases[k].hi };
    p.name = fresh(format("%s_loop", cursor_name(nodes[t->d->function].cursor)));
    m->index[0] = (char *)(size_t)t->thread;
    m->called = grow(NULL, (size_t)(variable_count + 1) * sizeof *m->called);
    memset(m->called, 0, (size_t)variable_count * sizeof *m->called);
    why = why_unmovable(t->d->function, p.text.lo, p.text.hi);
    if (why)
        return leave(t->d, "%s", why);
    count = uses_in(p.text.lo, p.text.hi, &uses);
    for (int i = 0; i < count; i++) {
        item it = { .variable = uses[i].variable, .how = uses[i].how, .declared = -1 };
        bool of_loops = false, elsewhere = false;

        if ((uses[i].inside && !variables[it.variable].is_global) || own_of(t, it.variable))
            continue;
        for (int r = 0; r < reference_count; r++)
            if (references[r].variable == it.variable && references[r].at >= p.text.lo &&
                references[r].at < p.text.hi) {
                bool here = false;

                for (int c = 0; c < t->construct_count; c++)
                    here |= in_construct(t->constructs[c], references[r].at) &&
                            is_private_in(t->constructs[c], it.variable);
                of_loops |= here;
                elsewhere |= !here;
            }
        if (of_loops && !elsewhere)
            continue; /* the loops declare it */
        for (int c = 0; c < t->construct_count; c++)
            if (reduces(t->constructs[c], variables[it.variable].name) &&
                names(directives[t->constructs[c]].statement, it.variable))
                it.how |= USE_WRITE; /* by a pointer */
        if (!share(m, &it))
            return false;
    }
    for (int i = 0; i < t->own_count; i++)
        if (!give_own(t, &own_part, k, &t->owns[i], all, &loads, &stores))
            return false;
    if (own_part.reduced)
        text_add(&stores, "    pthread_mutex_unlock(&port_reduction);\n");
    for (int i = 0; i < t->construct_count; i++) {
        directive *c = &directives[t->constructs[i]];
        plan loop_plan;

        if (c->done || c->lo < p.text.lo || c->lo >= p.text.hi || c->simple)
            continue;
        if (c->words & W_FOR) {
            char *next = NULL;

            if (!make_loop_plan(t->constructs[i], &loop_plan))
                return leave(t->d, "%s", c->reason);
            if (takes_chunks(t, t->constructs[i])) {
                next = local_name(variables[loop_plan.loops[0].variable].name, "next");
                text_format(counters, "int64_t %s = 0;\n", next);
                give(m, format("int64_t *"), next, format("&%s", next));
            }
            if (!edit_share(t, t->constructs[i], &loop_plan, next))
                return leave(t->d, "%s", c->reason);
        } else if (c->words & W_BARRIER) {
            remove_pragma(c, t->constructs[i]);
        } else {
            put_in_place(c, c->hi, format("if (%s == 0)", t->thread), t->constructs[i]);
            indent_statement(c->statement, t->constructs[i]);
        }
        c->done = true;
    }
    s = text_of(t, &own_part, k);
    if (all && (uses_name(loads.s, all) || uses_name(stores.s, all) || uses_name(m->prologue.s, all)))
        give_first(m, format("struct %s *", tag), all);
    if (uses_name(s, t->threads))
        give_first(m, "int", t->threads);
    pack(m);
    text_format(above, "%s%s%s\n{\n%s%s%s%s%s%s}\n\n", m->typedefs.n ? m->typedefs.s : "",
                m->typedefs.n ? "\n" : "",
                folded(format("TWEED_LOOP(%s", p.name), list_text(m)),
                m->prologue.n ? m->prologue.s : "", loads.n ? loads.s : "",
                m->before.n ? m->before.s : "", m->prologue.n || loads.n || m->before.n ? "\n" : "",
                s, stores.n ? format("%s%s", ends_with(s, "\n") ? "" : "\n", stores.s)
                            : ends_with(s, "\n") ? "" : "\n");
    if (m->after.n)
        text_format(calls_text, "{\n%s\n\n    %s(0, %s%s);\n}\n", indented(m->after.s, "    "),
                    p.name, t->threads, values_text(m));
    else
        text_format(calls_text, "%s(0, %s%s);\n", p.name, t->threads, values_text(m));
    return true;
}

bool emit_team_c(team *t)
{
    plan p = { .d = t->d, .number = t->number };
    making m = { .p = &p };
    text above = { 0 }, calls_text = { 0 }, counters = { 0 }, lines = { 0 };
    char *tag = NULL, *all = NULL, *indent = indent_at(nodes[t->statement].lo);
    unsigned at;

    if (!insertion_of(t->d->function, &at))
        return leave(t->d, "there is no place above the function");
    if (t->any_carried) {
        tag = fresh(format("%s_own", cursor_name(nodes[t->d->function].cursor)));
        all = local_name("port", "all");
        if (!declare_struct(t, &m, tag, &above))
            return false;
    }
    for (int k = 0; k < t->phase_count; k++)
        if (!make_phase(t, k, tag, all, &above, &calls_text, &counters))
            return false;
    text_format(&lines, "const int %s = %s;\n", t->threads, number_of_threads(t));
    if (all)
        text_format(&lines, "struct %s *%s = __builtin_calloc((size_t)%s, sizeof *%s);\n", tag, all,
                    t->threads, all);
    if (counters.n)
        text_add(&lines, counters.s);
    text_add(&lines, "\n");
    if (all)
        text_format(&lines, "if (!%s)\n    __builtin_abort(); /* no memory */\n", all);
    text_add(&lines, calls_text.s);
    if (all)
        text_format(&lines, "__builtin_free(%s);\n", all);
    hoist(t->d->function, above.s, t->number);
    {
        plan whole = { .d = t->d, .number = t->number };

        replace_loop(&whole, format("{\n%s%s}", indented(lines.s, format("%s    ", indent)), indent));
    }
    return true;
}
