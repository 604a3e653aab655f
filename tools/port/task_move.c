/*
 * task_move.c - in C: tasks that move above the function, and the edits of all of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "task_c.h"

#include <string.h>

/* ---- sizes and types ---- */

long long with_member(long long bytes, CXType t)
{
    long long size = clang_Type_getSizeOf(t), align = clang_Type_getAlignOf(t);

    return size < 1 || align < 1 ? 1000 : (bytes + align - 1) / align * align + size;
}

/* An array as a parameter is a pointer. */
static CXType parameter_type(CXCursor c)
{
    CXType t = clang_getCursorType(c);

    return is_array(t) || clang_getCanonicalType(t).kind != CXType_Pointer ? t
           : is_prefix(t) ? t : clang_getCanonicalType(t);
}

static char *parameters_text(making *m, int function, long long *bytes, const char **why)
{
    text t = { 0 };

    text_add(&t, "");
    *bytes = 0;
    for (int c = nodes[function].child; c >= 0; c = nodes[c].next) {
        CXType type;
        char *s, *name = cursor_name(nodes[c].cursor);

        if (nodes[c].kind != CXCursor_ParmDecl)
            continue;
        type = parameter_type(nodes[c].cursor);
        if (is_array(type) || is_variable_array(type) || !is_prefix(type) || !*name ||
            is_local_type(m->p, type) || clang_isVolatileQualifiedType(type) ||
            !(s = prefix_of(m, type, name)) || m->typedefs.n) {
            *why = format("the type of %s, which the function is given", *name ? name : "an argument");
            return NULL;
        }
        *bytes = with_member(*bytes, type);
        text_format(&t, ", %s, %s", s, name);
    }
    return t.s;
}

/* ---- what moves ---- */

static const spawner *moves_of; /* while a task of it moves */

bool is_moved_task(CXCursor function)
{
    return moves_of && clang_equalCursors(clang_getCanonicalCursor(function),
                                          clang_getCanonicalCursor(nodes[moves_of->node].cursor));
}

static const char *name_in_task(void *data, int v, const reference *r)
{
    making *m = data;

    (void)r;
    return m->called[v];
}

/* The task above the function; what it is given. */
static char *move_task(spawner *f, const spawned *s)
{
    directive *d = &directives[s->number];
    unsigned lo = nodes[d->statement].lo, hi = statement_end(d->statement);
    plan p = { .d = d, .number = s->number, .name = format("%s", s->kind) };
    making m = { .p = &p };
    long long bytes = 0;
    text head = { 0 }, values = { 0 };
    use *all;
    int count = uses_in(lo, hi, &all);
    const char *why;
    char *body;

    moves_of = f;
    why = has_alloca(d->statement) ? "alloca() in the task" : why_unmovable(f->node, lo, hi);
    moves_of = NULL;
    if (why) {
        leave(d, "%s", why);
        return NULL;
    }
    m.called = grow(NULL, (size_t)(variable_count + 1) * sizeof *m.called);
    memset(m.called, 0, (size_t)variable_count * sizeof *m.called);
    text_format(&head, "TWEED_TASK(void, %s", s->kind);
    text_add(&values, "");
    for (int i = 0; i < count; i++) {
        int v = all[i].variable;
        CXType t = variables[v].type;
        char *type;

        if (all[i].inside || variables[v].is_global)
            continue;
        if (is_static(v)) {
            leave(d, "%s is a static variable of the function", variables[v].name);
            return NULL;
        }
        if (is_local_type(&p, t) || variables[v].is_register || is_variable_array(t) ||
            clang_isVolatileQualifiedType(t) || (is_array(t) && clang_getCanonicalType(t).kind == CXType_IncompleteArray)) {
            leave(d, "the task cannot be given %s", variables[v].name);
            return NULL;
        }
        if (!is_shared(d, v)) {
            if (is_array(t) && clang_getCanonicalType(t).kind == CXType_ConstantArray) {
                leave(d, "the array %s is copied for each task: shared(%s)?", variables[v].name,
                      variables[v].name);
                return NULL;
            }
            type = prefix_of(&m, t, variables[v].name);
            bytes = with_member(bytes, t);
            text_format(&head, ", %s, %s", type ? type : "", variables[v].name);
            text_format(&values, ", %s", mark(v));
        } else {
            if (all[i].how & USE_HIDDEN) {
                leave(d, "%s is shared, and stands in a macro", variables[v].name);
                return NULL;
            }
            if (is_array(t)) {
                char *alias = fresh(format("%s_%s", s->kind, variables[v].name));

                if (declare(t, alias))
                    text_format(&m.typedefs, "typedef %s;\n", declare(t, alias));
                type = declare(t, alias) ? alias : NULL;
            } else {
                type = prefix_of(&m, t, variables[v].name);
            }
            if (type && clang_isConstQualifiedType(clang_getCanonicalType(t)) &&
                clang_getCanonicalType(t).kind != CXType_Pointer)
                type = format("const %s", type);
            else if (clang_isConstQualifiedType(clang_getCanonicalType(t)))
                type = NULL;
            bytes = (bytes + 7) / 8 * 8 + 8; /* a pointer */
            text_format(&head, ", %s%s*, %s", type ? type : "", type && ends_with(type, "*") ? "" : " ",
                        variables[v].name);
            text_format(&values, ", &%s", mark(v));
            m.called[v] = format("(*%s)", variables[v].name);
        }
        if (!type) {
            leave(d, "the type of %s cannot be written at file scope", variables[v].name);
            return NULL;
        }
    }
    if (bytes > 48) {
        leave(d, "the task is given more than 48 bytes");
        return NULL;
    }
    body = dedent(render(lo, hi, name_in_task, &m), indent_at(lo));
    hoist(f->node,
          format("%s%s%s)\n%s\n\n", m.typedefs.n ? m.typedefs.s : "", m.typedefs.n ? "\n" : "",
                 head.s, node_is(d->statement, CXCursor_CompoundStmt)
                             ? body : format("{\n    %s\n}", body)),
          s->number);
    return values.s;
}

static bool put_spawn(spawner *f, const spawned *s)
{
    directive *d = &directives[s->number];
    unsigned hi = statement_end(d->statement);
    const batch *u = &f->units[s->unit];
    char *indent = indent_of(d), *given, *spawn, *in_place, *condition = condition_of(d),
         *comments;
    text t = { 0 };
    bool alone = node_is(nodes[d->statement].parent, CXCursor_CompoundStmt);

    if (s->call >= 0) {
        int open = token_at(nodes[s->call].lo) + 1;

        given = render(tokens[open].hi, nodes[s->call].hi - 1, NULL, NULL);
        given = *given ? format(", %s", given) : given;
    } else if (!(given = move_task(f, s))) {
        return false;
    }
    spawn = format("TWEED_SPAWN(%s%s);\n", s->kind, given);
    in_place = format("%s%sTWEED_CALL(%s%s);\n", s->target >= 0 ? mark(s->target) : "",
                  s->target >= 0 ? " = " : "", s->kind, given);
    if (u->counter)
        spawn = format("%s%s++;\n", spawn, u->counter);
    if (condition)
        text_format(&t, "if (%s) {\n%s} else {\n%s}\n", condition, indented(spawn, "    "),
                    indented(in_place, "    "));
    else if (u->counter && !alone)
        text_format(&t, "{\n%s}\n", indented(spawn, "    "));
    else
        text_add(&t, spawn);
    comments = comments_between(d->lo, nodes[d->statement].lo, indent);
    if (s->call >= 0)
        comments = format("%s%s", comments,
                          comments_between(nodes[d->statement].lo, nodes[s->call].lo, indent));
    drop_edits(d->lo, hi);
    put_in_place(d, hi, format("%s%s", comments, lines_at(t.s, indent)), s->number);
    d->done = true;
    return true;
}

static void put_calls(spawner *f)
{
    for (int n = f->body; n < nodes[f->body].end; n++) {
        int callee, open;

        if (!is_task_call(n, f, &callee) || construct_around(nodes[n].lo, W_PARALLEL) >= 0)
            continue;
        open = token_at(nodes[n].lo) + 1;
        add_edit(nodes[n].lo, tokens[open].hi,
                 format("TWEED_CALL(%s%s", fork_of(callee)->task,
                        token_is(open + 1, ")") ? "" : ", "),
                 f->all[0].number);
    }
}

static void put_syncs(spawner *f)
{
    int last = -1;
    unsigned end = nodes[f->body].hi - 1;
    char *s;

    for (int n = f->body; n < nodes[f->body].end; n++) {
        char *indent = indent_at(nodes[n].lo);
        int around = construct_around(nodes[n].lo, W_TASK);

        if (nodes[n].kind != CXCursor_ReturnStmt || (around >= 0 && directives[around].function == f->node))
            continue;
        s = sync_text(f, nodes[n].lo);
        if (!*s)
            continue;
        if (node_is(nodes[n].parent, CXCursor_CompoundStmt)) {
            add_edit(nodes[n].lo, nodes[n].lo, format("%s\n%s", lines_at(s, indent), indent),
                     f->all[0].number);
        } else {
            add_edit(nodes[n].lo, nodes[n].lo,
                     format("{\n%s    %s\n%s    ", indent, lines_at(s, format("%s    ", indent)), indent),
                     f->all[0].number);
            add_edit(statement_end(n), statement_end(n), format("\n%s}", indent), f->all[0].number);
        }
    }
    for (int k = 0; k < f->wait_count; k++) {
        directive *d = &directives[f->waits[k]];
        char *indent = indent_of(d);

        s = sync_text(f, place_of_wait(f, k));
        if (d->words == W_TASKGROUP) {
            unsigned behind = statement_end(d->statement);

            remove_pragma(d, f->waits[k]);
            if (*s)
                add_edit(behind, behind, format("\n%s%s", indent, lines_at(s, indent)), f->waits[k]);
        } else if (*s) {
            put_in_place(d, d->hi, format("%s%s", comments_between(d->lo, d->hi, indent),
                                          lines_at(s, indent)), f->waits[k]);
        } else {
            remove_pragma(d, f->waits[k]);
        }
        d->done = true;
    }
    for (int c = nodes[f->body].child; c >= 0; c = nodes[c].next)
        last = c;
    s = sync_text(f, end);
    if (!node_is(last, CXCursor_ReturnStmt) && *s) {
        char *indent = format("%s    ", indent_at(nodes[f->node].lo));
        unsigned at = line_start(end) > nodes[f->body].lo ? line_start(end) : end;

        add_edit(at, at, format("%s%s\n", indent, lines_at(s, indent)), f->all[0].number);
    }
    for (int u = f->unit_count - 1; u >= 0; u--)
        if (f->units[u].counter)
            add_edit(nodes[f->body].lo + 1, nodes[f->body].lo + 1,
                     format("\n    int %s = 0;", f->units[u].counter), f->all[0].number);
}

/* Does anything but what has become TWEED_CALL name the function, or declare it? */
static bool is_named(const spawner *f)
{
    if (clang_getCursorLinkage(nodes[f->node].cursor) != CXLinkage_Internal)
        return true;
    for (int n = 0; n < node_count; n++) {
        int from;

        if (n != f->node && nodes[n].kind == CXCursor_FunctionDecl &&
            strcmp(cursor_name(nodes[n].cursor), f->name) == 0)
            return true;
        if (nodes[n].kind != CXCursor_DeclRefExpr ||
            strcmp(cursor_name(nodes[n].cursor), f->name) != 0)
            continue;
        from = function_of(nodes[n].lo);
        if (from < 0 || !fork_of(from) || from < f->node ||
            construct_around(nodes[n].lo, W_PARALLEL) >= 0)
            return true;
    }
    return false;
}

bool put_function(spawner *f)
{
    plan p = { .d = &directives[f->all[0].number], .number = f->all[0].number, .name = format("%s", f->task) };
    making m = { .p = &p };
    long long bytes;
    const char *why = NULL;
    char *list = parameters_text(&m, f->node, &bytes, &why), *result, *head;
    CXType t = clang_getCursorResultType(nodes[f->node].cursor);
    text names = { 0 };
    bool moves = false;

    if (!list || bytes > 48)
        return leave(p.d, "%s", list ? "the function is given more than 48 bytes" : why);
    result = t.kind == CXType_Void ? format("void") : declare(t, "");
    put_calls(f);
    for (int i = 0; i < f->count; i++)
        moves |= f->all[i].call < 0;
    head = format("(%s, %s%s)", result, f->task, list);
    if (moves)
        hoist(f->node, format("TWEED_DECLARE_TASK%s;\n\n", head), p.number);
    put_syncs(f);
    for (int i = 0; i < f->count; i++)
        if (!put_spawn(f, &f->all[i]))
            return false;
    for (int c = nodes[f->node].child; c >= 0; c = nodes[c].next)
        if (nodes[c].kind == CXCursor_ParmDecl)
            text_format(&names, ", %s", cursor_name(nodes[c].cursor));
    if (is_named(f)) {
        char *old = copy_bytes(source + nodes[f->node].lo, nodes[f->body].lo - nodes[f->node].lo);

        while (strchr(" \t\r\n", old[strlen(old) - 1]))
            old[strlen(old) - 1] = 0;
        add_edit(nodes[f->body].hi, nodes[f->body].hi,
                 format("\n\n%s\n{\n    %sTWEED_RUN(%s%s);\n}", old,
                        t.kind == CXType_Void ? "" : "return ", f->task,
                        names.n ? names.s : ""),
                 p.number);
    }
    drop_edits(nodes[f->node].lo + 1, nodes[f->body].lo);
    add_edit(nodes[f->node].lo, nodes[f->body].lo,
             format("TWEED_%s%s\n", moves ? "DEFINE_TASK" : "TASK", head),
             p.number);
    return true;
}
