/*
 * emit_c.c - a loop in C: TWEED_LOOP above the function, and a call.
 *
 * SPDX-License-Identifier: MIT
 */
#include "making.h"

#include <stdlib.h>
#include <string.h>

/* ---- the index ---- */

/* May this int be an int64_t?  It may where the value goes to an address or a comparison. */
static bool may_be_wide(int n)
{
    int p = nodes[n].parent;

    if (!node_is(p, CXCursor_UnexposedExpr))
        return false;
    for (p = nodes[p].parent; p >= 0; p = nodes[p].parent) {
        CXType t = clang_getCanonicalType(clang_getCursorType(nodes[p].cursor));
        int op;

        switch ((int)nodes[p].kind) {
        case CXCursor_ParenExpr:
            continue;
        case CXCursor_ArraySubscriptExpr:
            return true;
        case CXCursor_UnexposedExpr:
            return t.kind == CXType_Long || t.kind == CXType_LongLong;
        case CXCursor_BinaryOperator:
            op = operator_token(p);
            if (t.kind == CXType_Pointer)
                return token_is(op, "+") || token_is(op, "-");
            if (token_is(op, "+") || token_is(op, "-") || token_is(op, "*"))
                continue;
            return token_is(op, "<") || token_is(op, ">") || token_is(op, "<=") ||
                   token_is(op, ">=") || token_is(op, "==") || token_is(op, "!=");
        default:
            return false;
        }
    }
    return false;
}

/* A macro may use more than once what it is given: each use is a reference of the same place. */
static bool are_wide(const reference *r)
{
    bool wide = true;

    for (int i = 0; i < reference_count; i++)
        if (references[i].at == r->at)
            wide &= references[i].node >= 0 && may_be_wide(references[i].node);
    return wide;
}

static char *value_or_argument(making *m, range r, long value, const char *type, const char *name)
{
    int t = token_at(r.lo);
    char *given;

    if (value)
        return format("%ld", value);
    if (tokens[t].hi == r.hi && tokens[t].kind == CXToken_Literal)
        return token_text(t);
    given = fresh_local(name);
    give(m, format("%s", type), given, render(r.lo, r.hi, NULL, NULL));
    return given;
}

static bool make_index(making *m, int k)
{
    loop *l = &m->p->loops[k];
    const variable *v = &variables[l->variable];
    CXType t = clang_getCanonicalType(l->type);
    bool hidden = false;
    char *type, *first, *step, *value;
    const char *gap;

    if (is_local_type(m->p, l->type))
        return leave(m->p->d, "the type of %s is declared in the function", v->name);
    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == l->variable && references[i].at >= m->p->text.lo &&
            references[i].at < m->p->text.hi && !references[i].spelled &&
            references[i].node >= 0 &&
            !may_be_wide(references[i].node))
            hidden = true;
    if (l->direct && (t.kind == CXType_Long || (t.kind == CXType_Int && !hidden))) {
        m->index[k] = format("%s", v->name);
        m->narrow[k] = t.kind == CXType_Int;
        return true;
    }
    m->index[k] = fresh_local(format("%s_index", v->name));
    type = declare(l->type, "");
    if (!type || !is_prefix(l->type))
        return lacks_type(m, v);
    if (!l->is_pointer && strncmp(type, "const ", 6) == 0)
        type += 6;
    if (l->direct) {
        make_local(m, format("%s%s%s = (%s)%s;", type, ends_with(type, "*") ? "" : " ", v->name,
                             type, m->index[k]));
        return true;
    }
    /* without a sign: the sum is right beyond INT64_MAX */
    first = value_or_argument(m, l->first, 0,
                              l->is_pointer || (is_unsigned(l->type) && t.kind >= CXType_ULong)
                                  ? type : "int64_t",
                              format("%s_first", v->name));
    step = value_or_argument(m, l->step, l->step_value, "int64_t", format("%s_step", v->name));
    gap = ends_with(type, "*") ? "" : " ";
    value = strcmp(step, "1") == 0 ? m->index[k] : format("%s * %s", m->index[k], step);
    if (strcmp(first, "0") != 0 || l->down)
        value = format("%s %s %s", first, l->down ? "-" : "+", value);
    make_local(m, l->is_pointer
                      ? format("%s%s%s = %s;", type, gap, v->name, value)
                      : format("%s%s%s = (%s)(%s);", type, gap, v->name, type, value));
    return true;
}

/* ---- the body ---- */

const char *called(void *data, int v, const reference *r)
{
    making *m = data;

    for (int k = 0; k < m->p->dimensions; k++)
        if (m->narrow[k] && m->p->loops[k].variable == v)
            return r && are_wide(r) ? NULL : format("(int)%s", variables[v].name);
    return m->called[v];
}

static void edit_continues(making *m, const char *instead)
{
    int loop_node = m->p->loops[m->p->dimensions - 1].node;
    bool hidden;

    (void)can_continue(loop_node, &hidden);
    for (int n = loop_node; n < nodes[loop_node].end; n++) {
        int around = nodes[n].parent;

        if (nodes[n].kind != CXCursor_ContinueStmt)
            continue;
        while (around != loop_node && nodes[around].kind != CXCursor_ForStmt &&
               nodes[around].kind != CXCursor_WhileStmt && nodes[around].kind != CXCursor_DoStmt)
            around = nodes[around].parent;
        if (around == loop_node)
            add_edit(nodes[n].lo, nodes[n].lo + 8, instead, m->p->number);
    }
}

/* `s += e;` alone: where e is. */
bool sum_alone(const making *m, const item *s, range *e)
{
    int n = m->p->body, t;

    while (node_is(n, CXCursor_CompoundStmt)) {
        n = nodes[n].child;
        if (n < 0 || nodes[n].next >= 0)
            return false;
    }
    if (!node_is(n, CXCursor_CompoundAssignOperator))
        return false;
    t = token_at(nodes[n].lo);
    if (!token_is(t, variables[s->variable].name) || !token_is(t + 1, "+="))
        return false;
    *e = (range){ tokens[t + 2].lo, nodes[n].hi };
    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == s->variable && references[i].at >= e->lo &&
            references[i].at < e->hi)
            return false;
    for (int k = token_at(m->p->text.lo); k < token_count && tokens[k].lo < m->p->text.hi; k++)
        if (tokens[k].kind == CXToken_Comment || tokens[k].in_directive)
            return false;
    return true;
}

static bool is_edited(unsigned at)
{
    for (int i = 0; i < edit_count; i++)
        if (edits[i].lo == at && edits[i].hi > at)
            return true;
    return false;
}

/* Each line but the first four columns to the right. */
static char *indented_more(const char *s)
{
    text t = { 0 };

    text_add(&t, "");
    for (; *s; s++) {
        text_bytes(&t, s, 1);
        if (*s == '\n' && s[1] && s[1] != '\n' && s[1] != '\r' && s[1] != '#')
            text_add(&t, "    ");
    }
    return t.s;
}

/* What stands in these braces. */
static void add_inner(text *t, const char *s)
{
    size_t n = strlen(s) - 1;

    for (s++, n--; n && (*s == ' ' || *s == '\t' || *s == '\r'); s++, n--)
        ;
    if (n && *s == '\n')
        s++, n--;
    else
        text_add(t, "    ");
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
        n--;
    text_bytes(t, s, n);
    if (n && s[n - 1] != '\n')
        text_add(t, "\n");
}

/* The text of the body, in braces, with what stands before and behind it. */
static char *body_text(making *m)
{
    plan *p = m->p;
    range r = p->text;
    bool wrap = p->continues && (m->wrap || p->hidden_continue);
    char *indent = indent_at(nodes[p->loops[p->dimensions - 1].node].lo), *s;
    text t = { 0 };
    bool braces;

    if (m->returned)
        return format("{\n%s    return %s;\n}\n", m->prologue.n ? format("%s\n", m->prologue.s) : "",
                      m->returned);
    while (r.lo < r.hi && (source[r.lo] == ' ' || source[r.lo] == '\t') && !is_edited(r.lo))
        r.lo++;
    braces = nodes[p->body].kind == CXCursor_CompoundStmt && nodes[p->body].lo == r.lo;
    if (p->continues && !wrap)
        edit_continues(m, m->next ? m->next : "return");
    if (braces && !wrap && (m->prologue.n || m->epilogue.n || m->before.n))
        part_statements(p, format("%s    ", indent));
    if (!braces)
        while (r.lo < r.hi && (source[r.lo] == ' ' || source[r.lo] == '\t' ||
                               source[r.lo] == '\n' || source[r.lo] == '\r') &&
               !is_edited(r.lo))
            r.lo++;
    if (!braces && line_start(nodes[p->body].lo) + strlen(indent_at(nodes[p->body].lo)) ==
                       nodes[p->body].lo)
        indent = indent_at(nodes[p->body].lo);
    s = dedent(render(r.lo, r.hi, called, m), indent);
    if (!braces)
        s += strspn(s, " \t");
    if (braces && !wrap && !m->prologue.n && !m->epilogue.n && !m->before.n)
        return format("%s\n", s);
    text_format(&t, "{\n%s%s%s", m->prologue.n ? m->prologue.s : "",
                m->prologue.n ? "\n" : "", m->before.n ? m->before.s : "");
    if (wrap)
        text_format(&t, "    do %s%s%s while (0);\n", braces ? "" : "{ ", indented_more(s),
                    braces ? "" : " }");
    else if (braces)
        add_inner(&t, s);
    else
        text_format(&t, "    %s\n", indented_more(s));
    text_format(&t, "%s}\n", m->epilogue.n ? m->epilogue.s : "");
    return t.s;
}

/* ---- the call ---- */

static char *bounds_text(const plan *p)
{
    text t = { 0 };

    for (int k = 0; k < p->dimensions; k++)
        text_format(&t, "%s%s, %s", k ? ", " : "", p->loops[k].lo, p->loops[k].hi);
    return t.s;
}

char *values_text(const making *m)
{
    text t = { 0 };

    text_add(&t, "");
    for (int i = 0; i < m->argument_count; i++)
        text_format(&t, ", %s", m->arguments[i].value);
    return t.s;
}

/* More arguments than a loop takes go into a struct. */
void pack(making *m)
{
    char *tag, *data;
    text members = { 0 }, values = { 0 }, locals = { 0 };

    if (m->argument_count <= 12)
        return;
    tag = fresh(format("%s_data", m->p->name));
    data = fresh(format("%s_all", m->p->name));
    for (int i = 0; i < m->argument_count; i++) {
        const argument *a = &m->arguments[i];
        const char *gap = ends_with(a->type, "*") ? "" : " ";

        text_format(&members, "    %s%s%s;\n", a->type, gap, a->name);
        text_format(&values, "%s%s", i ? ", " : "", a->value);
        text_format(&locals, "    %s%s%s = %s->%s;\n", a->type, gap, a->name, data, a->name);
    }
    text_format(&m->typedefs, "struct %s {\n%s};\n", tag, members.s);
    text_add(&locals, m->prologue.n ? m->prologue.s : "");
    m->prologue = locals;
    text_format(&m->after, "%sconst struct %s %s = { %s };", m->after.n ? "\n" : "", tag, data,
                values.s);
    m->argument_count = 0;
    m->arguments = NULL;
    give(m, format("const struct %s *", tag), data, format("&%s", data));
    m->block = true;
}

char *list_text(const making *m)
{
    text t = { 0 };

    for (int k = 0; k < m->p->dimensions; k++)
        text_format(&t, ", %s", m->index[k]);
    for (int i = 0; i < m->argument_count; i++)
        text_format(&t, ", %s, %s", m->arguments[i].type, m->arguments[i].name);
    return t.s;
}

/* Lines of at most 90 columns. */
char *folded(const char *head, const char *list)
{
    text t = { 0 };
    size_t column = strlen(head);
    char *pad;

    text_add(&t, head);
    pad = format("%*s", (int)(strchr(head, '(') - head + 1), "");
    while (*list) {
        size_t n = strcspn(list + 1, ",") + 1;

        if (column + n > 88 && list[1]) {
            text_format(&t, ",\n%s", pad);
            text_bytes(&t, list + 2, n - 2);
            column = strlen(pad) + n;
        } else {
            text_bytes(&t, list, n);
            column += n;
        }
        list += n;
    }
    text_add(&t, ")");
    return t.s;
}

/* The options of the call, as lines; NULL: it has none. */
static char *options_text(const plan *p, const char *name)
{
    text t = { 0 };

    if (!p->if_text && !p->threads_text && !p->grain_text)
        return NULL;
    text_format(&t, "tweed_loop_options %s = TWEED_LOOP_OPTIONS_INIT;\n\n", name);
    if (p->if_text && p->threads_text)
        text_format(&t, "%s.max_workers = (%s) ? (%s) : 1;\n", name, p->if_text, p->threads_text);
    else if (p->if_text)
        text_format(&t, "%s.max_workers = (%s) ? 0 : 1;\n", name, p->if_text);
    else if (p->threads_text)
        text_format(&t, "%s.max_workers = %s;\n", name, p->threads_text);
    if (p->grain_text)
        text_format(&t, "%s.grain = %s;\n", name, p->grain_text);
    for (int k = 0; needs_rows(p) && k < p->dimensions; k++)
        text_format(&t, "%s.tile[%d] = %s;\n", name, k, k ? "INT64_MAX" : "1");
    return t.s;
}

static char *put_in(const char *how, const char *value)
{
    const char *at = strstr(how, "%s");

    return at ? format("%.*s%s%s", (int)(at - how), how, value, at + 2) : format("%s", how);
}

void finish(making *m, const char *head, const char *result_type, const char *then)
{
    plan *p = m->p;
    char *indent = indent_at(nodes[p->d->statement].lo), *values, *body, *run;
    char *options = NULL, *name = NULL, *result = format("%s_result", p->name);
    text above = { 0 }, here = { 0 }, lines = { 0 };
    bool direct;

    pack(m);
    body = body_text(m);
    values = values_text(m);
    if (p->if_text || p->threads_text || p->grain_text) {
        name = fresh(format("%s_options", p->name));
        options = options_text(p, name);
    }
    if (m->typedefs.n && !ends_with(m->typedefs.s, "\n\n"))
        text_add(&m->typedefs, "\n");
    text_format(&above, "%s%s\n%s\n", m->typedefs.n ? m->typedefs.s : "",
                folded(head, list_text(m)), body);
    hoist(p->d->function, above.s, p->number);
    run = format("%s(%s%s)", p->name, bounds_text(p), values);
    direct = !then || strstr(then, "%s");
    if (!options && !m->block && direct) {
        replace_loop(p, then ? put_in(then, run) : format("%s;", run));
        return;
    }
    if (m->after.n)
        text_format(&lines, "%s\n", m->after.s);
    if (options && result_type)
        text_format(&lines, "%s %s;\n", result_type, result);
    if (options)
        text_format(&lines,
                    "%sif (%s_with(NULL, &%s, %s%s%s))\n"
                    "    __builtin_abort(); /* an option is wrong */\n",
                    options, p->name, name, bounds_text(p), values,
                    result_type ? format(", &%s", result) : "");
    else if (!direct)
        text_format(&lines, "const %s %s = %s;\n\n", result_type, result, run);
    else if (!then)
        text_format(&lines, "%s;\n", run);
    if (then)
        text_format(&lines, "%s\n", put_in(then, options ? result : run));
    text_format(&here, "{\n%s%s}", indented(lines.s, format("%s    ", indent)), indent);
    replace_loop(p, here.s);
}

const char *const suffixes[] = { "", "", "_2D", "_3D" };

bool emit_c(plan *p)
{
    making m = { .p = p };
    char *test = NULL;
    unsigned at;
    const char *why;
    const item *only = NULL;
    int reductions = reductions_of(p, &only);

    if (p->d->function < 0 || !insertion_of(p->d->function, &at))
        return leave(p->d, "there is no place above the function");
    why = why_unmovable(p->d->function, p->text.lo, p->text.hi);
    if (why)
        return leave(p->d, "%s", why);
    m.called = grow(NULL, (size_t)(variable_count + 1) * sizeof *m.called);
    memset(m.called, 0, (size_t)variable_count * sizeof *m.called);
    p->name = fresh(format("%s_loop", cursor_name(nodes[p->d->function].cursor)));
    for (int k = 0; k < p->dimensions; k++)
        if (!make_index(&m, k))
            return false;
    for (int i = 0; i < p->item_count; i++) {
        const item *it = &p->items[i];
        const variable *v = &variables[it->variable];

        if (it->role == SHARED && !share(&m, it))
            return false;
        if (it->role == PRIVATE) {
            char *s = bare_declaration(&m, v);

            if (!s)
                return lacks_type(&m, v);
            make_local(&m, format("%s;", s));
        }
        if (it->role == FIRSTPRIVATE && !make_first(&m, it))
            return false;
    }
    if (p->any_last)
        test = last_index(&m);
    for (int i = 0; i < p->item_count; i++)
        if ((p->items[i].role == LASTPRIVATE || p->items[i].role == FIRST_AND_LAST) &&
            !make_last(&m, &p->items[i], test))
            return false;
    if (reductions)
        return reduce(&m, reductions, only);
    finish(&m, format("TWEED_%sLOOP%s(%s", p->simd ? "SIMD_" : "", suffixes[p->dimensions], p->name),
           NULL, NULL);
    return true;
}
