/*
 * sync.c - critical becomes a mutex, atomic an atomic operation.
 *
 * SPDX-License-Identifier: MIT
 *
 * A mutex has one name in the whole program, as a critical section has: it is weak, and the
 * linker makes one of all.
 */
#include "port.h"

#include <string.h>

static char *between(unsigned lo, unsigned hi, const char *indent)
{
    text t = { 0 };

    text_add(&t, "");
    for (int k = token_at(lo); k < token_count && tokens[k].lo < hi; k++)
        if (tokens[k].kind == CXToken_Comment && tokens[k].lo >= lo)
            text_format(&t, "%s\n%s", token_text(k), indent);
    return t.s;
}

bool port_critical(int number)
{
    directive *d = &directives[number];
    const char *given = d->argument ? d->argument : "";
    char *name = format("port_critical%s%.*s", *given ? "_" : "", (int)strcspn(given, " \t)"),
                        given);
    char *indent = indent_of(d), *comments;
    int s = d->statement;
    unsigned end;

    if (s < 0)
        return leave(d, "no statement follows");
    if (has_critical_outside())
        return leave(d, "macros or included files have critical sections, too");
    for (int i = 0; i < d->clause_count; i++)
        if (strcmp(d->clauses[i].name, "hint") != 0)
            return leave(d, "critical with %s", d->clauses[i].name);
    for (int i = 0; i < directive_count; i++)
        if (directives[i].lo > d->lo && directives[i].lo < nodes[s].hi && !directives[i].done &&
            !directives[i].simple)
            return leave(d, "a pragma inside is left alone");
    for (int n = s; n < nodes[s].end; n++)
        if (nodes[n].kind == CXCursor_GotoStmt ||
            (nodes[n].kind == CXCursor_ReturnStmt && !in_lambda(n, s)))
            return leave(d, "a jump out of it");
    end = statement_end(s);
    comments = between(d->lo, nodes[s].lo, indent);
    need("pthread", "\n#include <pthread.h>\n");
    need(name, format(is_cxx ? "\nextern \"C\" {\n__attribute__((__weak__)) pthread_mutex_t %s = "
                               "PTHREAD_MUTEX_INITIALIZER;\n}\n"
                             : "\n__attribute__((__weak__)) pthread_mutex_t %s = "
                               "PTHREAD_MUTEX_INITIALIZER;\n",
                      name));
    if (node_is(s, CXCursor_CompoundStmt) && spelled(s, "{")) {
        unsigned brace = nodes[s].hi - 1;
        bool own_line = line_start(brace) + strspn(source + line_start(brace), " \t") == brace;

        put_in_place(d, nodes[s].lo + 1,
                     format("%s{\n%s    pthread_mutex_lock(&%s);", comments, indent, name), number);
        add_edit(brace, brace + 1,
                 own_line ? format("    pthread_mutex_unlock(&%s);\n%s}", name, indent)
                          : format("\n%s    pthread_mutex_unlock(&%s);\n%s}", indent, name, indent),
                 number);
    } else {
        put_in_place(d, nodes[s].lo,
                     format("%s{\n%s    pthread_mutex_lock(&%s);\n%s    ", comments, indent, name,
                            indent),
                     number);
        indent_lines(nodes[s].lo, end, number);
        add_edit(end, end,
                 format("\n%s    pthread_mutex_unlock(&%s);\n%s}", indent, name, indent), number);
    }
    d->done = true;
    return true;
}

/* ---- atomic ---- */

static bool same_text(int a, int b)
{
    return nodes[a].hi - nodes[a].lo == nodes[b].hi - nodes[b].lo &&
           memcmp(source + nodes[a].lo, source + nodes[b].lo, nodes[a].hi - nodes[a].lo) == 0;
}

static char *text_of(int n)
{
    return render(nodes[n].lo, nodes[n].hi, NULL, NULL);
}

typedef struct update {
    int x, e;   /* nodes; e -1: 1 */
    char op[4]; /* of x = x op e */
    bool turned; /* x = e op x */
} update;

static bool read_update(int n, update *u)
{
    int t;

    memset(u, 0, sizeof *u);
    u->e = -1;
    u->x = nodes[n].child;
    if (node_is(n, CXCursor_UnaryOperator)) {
        t = token_at(nodes[n].lo);
        if (!token_is(t, "++") && !token_is(t, "--"))
            t = token_at(nodes[u->x].hi);
        u->op[0] = source[tokens[t].lo];
        return token_is(t, "++") || token_is(t, "--");
    }
    if (u->x < 0 || nodes[u->x].next < 0)
        return false;
    t = operator_token(n);
    if (node_is(n, CXCursor_CompoundAssignOperator)) {
        size_t length = tokens[t].hi - tokens[t].lo - 1;

        u->e = nodes[u->x].next;
        if (length < 1 || length > 2 || source[tokens[t].hi - 1] != '=')
            return false;
        memcpy(u->op, source + tokens[t].lo, length);
        return true;
    }
    if (node_is(n, CXCursor_BinaryOperator) && token_is(t, "=")) {
        int right = bare(nodes[u->x].next), a, b;

        if (!node_is(right, CXCursor_BinaryOperator))
            return false;
        a = nodes[right].child;
        b = nodes[a].next;
        t = operator_token(right);
        if (tokens[t].hi - tokens[t].lo > 2)
            return false;
        memcpy(u->op, source + tokens[t].lo, tokens[t].hi - tokens[t].lo);
        if (same_text(u->x, bare(a)))
            u->e = b;
        else if (same_text(u->x, bare(b)))
            u->e = a, u->turned = true;
        else
            return false;
        return strchr("+-*/&|^<>", u->op[0]) && strcmp(u->op, "<=") && strcmp(u->op, ">=") &&
               strcmp(u->op, "<") && strcmp(u->op, ">") && strcmp(u->op, "&&") &&
               strcmp(u->op, "||");
    }
    return false;
}

static const char *order_of(const directive *d)
{
    return find_clause(d, "seq_cst") ? "__ATOMIC_SEQ_CST"
           : find_clause(d, "acq_rel") || find_clause(d, "acquire") || find_clause(d, "release")
               ? "__ATOMIC_SEQ_CST"
               : "__ATOMIC_RELAXED";
}

static const char *fetch_of(const char *op)
{
    return strcmp(op, "+") == 0 ? "add" : strcmp(op, "-") == 0 ? "sub"
           : strcmp(op, "&") == 0 ? "and" : strcmp(op, "|") == 0 ? "or"
           : strcmp(op, "^") == 0 ? "xor" : NULL;
}

static bool is_open_type(CXType t)
{
    t = clang_getCanonicalType(t);
    return is_cxx && (t.kind == CXType_Dependent || t.kind == CXType_Unexposed);
}

/* A type that a template's argument names is taken by compare-and-swap, which is compiled for
   numbers of the size of a word. */
static bool is_atomic_type(CXType t)
{
    if (is_open_type(t))
        return true;
    return (is_scalar(t) || clang_getCanonicalType(t).kind == CXType_Pointer) &&
           clang_Type_getSizeOf(t) <= (long long)sizeof(void *);
}

static char *update_text(const directive *d, const update *u)
{
    CXType t = clang_getCursorType(nodes[u->x].cursor);
    const char *order = order_of(d), *name = fetch_of(u->op);
    char *x = text_of(u->x), *e = u->e < 0 ? format("1") : text_of(u->e);
    char *in = indent_of(d), *at, *old, *made, *value;

    if (name && !is_open_type(t) && !is_floating(t) && !u->turned && clang_getCanonicalType(t).kind != CXType_Pointer &&
        clang_getCanonicalType(t).kind != CXType_Bool &&
        (u->e < 0 || (!is_floating(clang_getCursorType(nodes[u->e].cursor)) &&
                      !is_open_type(clang_getCursorType(nodes[u->e].cursor)))))
        return format("(void)__atomic_fetch_%s(&%s, %s, %s);", name, x, e, order);
    at = fresh_local("port_at");
    old = fresh_local("port_old");
    made = fresh_local("port_new");
    value = fresh_local("port_value");
    return format("{\n%s    __typeof__(%s) *%s = &%s, %s, %s;\n"
                  "%s    const __typeof__(%s) %s = %s;\n\n"
                  "%s    __atomic_load(%s, &%s, __ATOMIC_RELAXED);\n"
                  "%s    do\n%s        %s = %s %s %s;\n"
                  "%s    while (!__atomic_compare_exchange(%s, &%s, &%s, 1, %s,\n"
                  "%s                                      __ATOMIC_RELAXED));\n%s}",
                  in, x, at, x, old, made, in, e, value, e, in, at, old, in, in, made,
                  u->turned ? value : old, u->op, u->turned ? old : value, in, at, old, made,
                  order, in, in);
}

/* ---- atomic capture, read and write ---- */

/* Its lines, with the indentation, in braces. */
static char *block_of(const directive *d, const char *lines)
{
    char *in = indent_of(d);

    return format("{\n%s%s}", indented(lines, format("%s    ", in)), in);
}

static bool mentions(int n, const char *s)
{
    return n >= 0 && strstr(copy_bytes(source + nodes[n].lo, nodes[n].hi - nodes[n].lo), s);
}

/* v gets what x was, or what x has become. */
static char *capture_update(const directive *d, int v, const update *u, bool before)
{
    CXType t = clang_getCursorType(nodes[u->x].cursor);
    const char *order = order_of(d), *name = fetch_of(u->op);
    char *x = text_of(u->x), *e = u->e < 0 ? format("1") : text_of(u->e);
    char *at, *old, *made, *value;

    if (!is_atomic_type(t) || mentions(u->e, text_of(v)))
        return NULL;
    if (name && !u->turned && !is_open_type(t) && !is_floating(t) &&
        clang_getCanonicalType(t).kind != CXType_Pointer &&
        clang_getCanonicalType(t).kind != CXType_Bool &&
        (u->e < 0 || (is_scalar(clang_getCursorType(nodes[u->e].cursor)) &&
                      !is_floating(clang_getCursorType(nodes[u->e].cursor)))))
        return format(before ? "%s = __atomic_fetch_%s(&%s, %s, %s);"
                             : "%s = __atomic_%s_fetch(&%s, %s, %s);",
                      text_of(v), name, x, e, order);
    at = fresh_local("port_at");
    old = fresh_local("port_old");
    made = fresh_local("port_new");
    value = fresh_local("port_value");
    return block_of(d, format("__typeof__(%s) *%s = &%s, %s, %s;\n"
                              "const __typeof__(%s) %s = %s;\n\n"
                              "__atomic_load(%s, &%s, __ATOMIC_RELAXED);\n"
                              "do\n    %s = %s %s %s;\n"
                              "while (!__atomic_compare_exchange(%s, &%s, &%s, 1, %s,\n"
                              "                                  __ATOMIC_RELAXED));\n"
                              "%s = %s;\n",
                              x, at, x, old, made, e, value, e, at, old, made,
                              u->turned ? value : old, u->op, u->turned ? old : value, at, old,
                              made, order, text_of(v), before ? old : made));
}

static char *exchange(const directive *d, int v, int x, int e)
{
    CXType t = clang_getCursorType(nodes[x].cursor);
    char *old, *made;

    if (!is_atomic_type(t) || is_open_type(t) || mentions(e, text_of(v)))
        return NULL;
    if (!is_floating(t))
        return format("%s = __atomic_exchange_n(&%s, %s, %s);", text_of(v), text_of(x), text_of(e),
                      order_of(d));
    old = fresh_local("port_old");
    made = fresh_local("port_new");
    return block_of(d, format("__typeof__(%s) %s = %s, %s;\n\n"
                              "__atomic_exchange(&%s, &%s, &%s, %s);\n%s = %s;\n",
                              text_of(x), made, text_of(e), old, text_of(x), made, old,
                              order_of(d), text_of(v), old));
}

static bool is_assignment(int n)
{
    return node_is(n, CXCursor_BinaryOperator) && token_is(operator_token(n), "=");
}

/* { v = x; x op= e; }, { x op= e; v = x; } and { v = x; x = e; } */
static char *capture_two(const directive *d, int first, int second)
{
    update u;

    if (is_assignment(first)) {
        int v = nodes[first].child, x = bare(nodes[v].next);

        if (read_update(second, &u) && same_text(x, u.x))
            return capture_update(d, v, &u, true);
        if (is_assignment(second) && same_text(x, nodes[second].child) &&
            !mentions(nodes[nodes[second].child].next, text_of(x)))
            return exchange(d, v, nodes[second].child, nodes[nodes[second].child].next);
    }
    if (is_assignment(second) && read_update(first, &u) &&
        same_text(u.x, bare(nodes[nodes[second].child].next)))
        return capture_update(d, nodes[second].child, &u, false);
    return NULL;
}

static char *capture_text(const directive *d, int n)
{
    int v = nodes[n].child, right, t;
    update u;

    if (node_is(n, CXCursor_CompoundStmt) && v >= 0 && nodes[v].next >= 0 &&
        nodes[nodes[v].next].next < 0)
        return capture_two(d, bare(v), bare(nodes[v].next));
    if (!is_assignment(n))
        return NULL;
    right = bare(nodes[v].next);
    if (!read_update(right, &u))
        return NULL;
    t = token_at(nodes[right].lo);
    /* v = x++ has the value of before */
    return capture_update(d, v, &u, node_is(right, CXCursor_UnaryOperator) &&
                                        !token_is(t, "++") && !token_is(t, "--"));
}

/* The copy has no qualifiers: the sum with 0 has none. */
static char *read_text(const directive *d, int v, int x)
{
    char *old;

    if (!is_floating(clang_getCursorType(nodes[x].cursor)))
        return format("%s = __atomic_load_n(&%s, %s);", text_of(v), text_of(x), order_of(d));
    old = fresh_local("port_old");
    return block_of(d, format("__typeof__(%s + 0) %s;\n\n__atomic_load(&%s, &%s, %s);\n%s = %s;\n",
                              text_of(x), old, text_of(x), old, order_of(d), text_of(v), old));
}

static char *write_text(const directive *d, int x, int e)
{
    char *made;

    if (!is_floating(clang_getCursorType(nodes[x].cursor)))
        return format("__atomic_store_n(&%s, %s, %s);", text_of(x), text_of(e), order_of(d));
    made = fresh_local("port_new");
    return block_of(d, format("__typeof__(%s + 0) %s = %s;\n\n__atomic_store(&%s, &%s, %s);\n",
                              text_of(x), made, text_of(e), text_of(x), made, order_of(d)));
}

bool port_atomic(int number)
{
    directive *d = &directives[number];
    int s = d->statement;
    update u;
    char *instead = NULL;
    bool is_read = find_clause(d, "read") != NULL, is_write = find_clause(d, "write") != NULL;

    if (s < 0)
        return leave(d, "no statement follows");
    s = bare(s);
    if (find_clause(d, "compare"))
        return leave(d, "atomic compare");
    if (find_clause(d, "capture")) {
        instead = capture_text(d, s);
    } else if (is_read || is_write) {
        int left = nodes[s].child, right = left < 0 ? -1 : nodes[left].next;
        CXType t = right < 0 ? clang_getCursorType(nodes[s].cursor)
                             : clang_getCursorType(nodes[is_read ? bare(right) : left].cursor);

        if (node_is(s, CXCursor_BinaryOperator) && token_is(operator_token(s), "=") &&
            is_atomic_type(t) && !is_open_type(t))
            instead = is_read ? read_text(d, left, bare(right)) : write_text(d, left, right);
    } else if (read_update(s, &u) &&
               is_atomic_type(clang_getCursorType(nodes[u.x].cursor)))
        instead = update_text(d, &u);
    if (!instead) {
        int x = s;

        while (x >= 0 && nodes[x].child >= 0 && !node_is(x, CXCursor_ArraySubscriptExpr) &&
               !node_is(x, CXCursor_MemberRefExpr))
            x = nodes[x].child;
        if (x >= 0 && !is_atomic_type(clang_getCursorType(nodes[x].cursor)))
            return leave(d, "an atomic operation on a %s",
                         type_name(clang_getCursorType(nodes[x].cursor)));
        return leave(d, "an atomic statement of another form");
    }
    {
        unsigned hi = statement_end(d->statement);
        char *comments = between(d->lo, nodes[d->statement].lo, indent_of(d));

        drop_edits(d->lo, hi);
        put_in_place(d, hi, format("%s%s", comments, instead), number);
    }
    d->done = true;
    return true;
}
