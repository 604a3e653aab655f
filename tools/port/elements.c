/*
 * elements.c - does each index of a loop write to elements of its own, and read no other element of
 * what is written?
 *
 * SPDX-License-Identifier: MIT
 *
 * Then it does not matter in which order they are executed, and by which threads.  An element is
 * an index's own if its subscripts are sums of products, and name all variables of the loop.  The
 * body names its array in this one way.  What is not understood is not an index's own.
 */
#include "port.h"

#include <string.h>

static bool is_to_write(CXType t)
{
    t = clang_getCanonicalType(t);
    return (t.kind == CXType_Pointer || t.kind == CXType_LValueReference) &&
           !clang_isConstQualifiedType(clang_getPointeeType(t));
}

int called_by(int n)
{
    CXCursor to = clang_getCursorReferenced(nodes[n].cursor), body;

    if (clang_Cursor_isNull(to) || clang_isInvalid(clang_getCursorKind(to)))
        return -1;
    body = definition_of(to);
    for (n = 0; !clang_Cursor_isNull(body) && n < node_count; n++)
        if (clang_equalCursors(nodes[n].cursor, body))
            return n;
    return -1;
}

static int variable_of_node(int n)
{
    for (int i = 0; i < reference_count; i++)
        if (references[i].node == n)
            return references[i].variable;
    return -1;
}

static int declaration_of(int v)
{
    for (int n = 0; n < node_count; n++)
        if (nodes[n].kind == CXCursor_VarDecl &&
            clang_equalCursors(clang_getCanonicalCursor(nodes[n].cursor), variables[v].decl))
            return n;
    return -1;
}

/* The place that is written; or -1. */
static int written_at(int n)
{
    int t, child = nodes[n].child;
    char *name;

    switch ((int)nodes[n].kind) {
    case CXCursor_CompoundAssignOperator:
        return child;
    case CXCursor_BinaryOperator:
        return token_is(operator_token(n), "=") ? child : -1;
    case CXCursor_UnaryOperator:
        if (child < 0)
            return -1;
        t = token_at(nodes[n].lo);
        return token_is(t, "++") || token_is(t, "--") || token_is(token_at(nodes[child].hi), "++") ||
               token_is(token_at(nodes[child].hi), "--") ? child : -1;
    case CXCursor_CallExpr:
        name = cursor_name(nodes[n].cursor);
        return begins(name, "operator") && ends_with(name, "=") && strcmp(name, "operator==") != 0 &&
               strcmp(name, "operator!=") != 0 && strcmp(name, "operator<=") != 0 &&
               strcmp(name, "operator>=") != 0 ? child : -1;
    default:
        return -1;
    }
}

/* One thread at a time. */
static bool is_guarded(int n)
{
    for (int i = 0; i < directive_count; i++) {
        const directive *d = &directives[i];

        if ((d->words & (W_ATOMIC | W_CRITICAL)) && d->statement >= 0 &&
            nodes[n].lo >= nodes[d->statement].lo && nodes[n].lo < statement_end(d->statement))
            return true;
    }
    return false;
}

/* Of the body: declared there, or a copy by a clause. */
static bool is_own(const plan *p, int v)
{
    for (int i = 0; i < p->item_count; i++)
        if (p->items[i].variable == v)
            return p->items[i].role != SHARED;
    return !variables[v].is_global && variables[v].at >= p->text.lo && variables[v].at < p->text.hi;
}

static bool is_index_variable(const plan *p, int v)
{
    bool is = false;

    for (int i = 0; i < p->dimensions; i++)
        is |= p->loops[i].variable == v;
    for (int i = 0; i < p->collapsed_count; i++)
        is |= p->collapsed[i] == v;
    return is;
}

/* A variable of the body that has its first value, and no other. */
static bool is_fixed(const plan *p, int v)
{
    for (int n = p->body; n < nodes[p->body].end; n++) {
        int at = written_at(n);

        if (at >= 0 && is_name(at, v))
            return false;
    }
    return !variables[v].address_taken && is_scalar(variables[v].type);
}

/* Is it a sum of products, where it depends on indices?  *found: a bit for each index that it
   names. */
static bool is_linear(const plan *p, int n, int depth, unsigned *found)
{
    int v = node_is(n, CXCursor_DeclRefExpr) ? variable_of_node(n) : -1, op;
    bool depends = false, ok = true;

    for (int i = 0; v >= 0 && i < p->dimensions; i++)
        if (p->loops[i].variable == v)
            return *found |= 1u << i, true;
    for (int i = 0; v >= 0 && i < p->collapsed_count; i++)
        if (p->collapsed[i] == v)
            return *found |= 8u << i, true;
    if (v >= 0 && is_own(p, v))
        return depth < 4 && is_fixed(p, v) && declaration_of(v) >= 0 &&
               is_linear(p, declaration_of(v), depth + 1, found);
    for (int i = 0; i < reference_count; i++)
        depends |= references[i].node >= n && references[i].node < nodes[n].end &&
                   (is_index_variable(p, references[i].variable) || is_own(p, references[i].variable));
    if (!depends)
        return true;
    switch ((int)nodes[n].kind) {
    case CXCursor_BinaryOperator:
        op = operator_token(n);
        ok = token_is(op, "+") || token_is(op, "-") || token_is(op, "*");
        break;
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
    case CXCursor_VarDecl:
        break;
    default:
        return false;
    }
    for (int c = nodes[n].child; ok && c >= 0; c = nodes[c].next)
        ok = clang_isReference(nodes[c].kind) || is_linear(p, c, depth, found);
    return ok;
}

static bool is_subscript(int n)
{
    return node_is(n, CXCursor_ArraySubscriptExpr) ||
           (node_is(n, CXCursor_CallExpr) &&
            strcmp(cursor_name(nodes[n].cursor), "operator[]") == 0);
}

/* Of a.b[i][j].c: the element is a.b[i][j], the base a.b. */
typedef struct element {
    int whole, base; /* nodes; base -1: no element of a name */
    bool is_own;     /* nobody else's */
    unsigned indices;
} element;

static element element_at(const plan *p, int n)
{
    element e = { -1, -1, false, 0 };
    bool linear = true;
    int v, index;

    for (n = bare(n); n >= 0; n = bare(nodes[n].child)) {
        if (is_subscript(n)) {
            e.whole = e.whole < 0 ? n : e.whole;
            e.base = bare(nodes[n].child);
            for (index = nodes[nodes[n].child].next; index >= 0; index = nodes[index].next)
                if (!clang_isReference(nodes[index].kind) &&
                    !token_is(token_at(nodes[index].lo), "["))
                    linear &= is_linear(p, index, 0, &e.indices);
            continue;
        }
        if (!node_is(n, CXCursor_MemberRefExpr))
            break;
    }
    v = node_is(n, CXCursor_DeclRefExpr) ? variable_of_node(n) : -1;
    e.is_own = v >= 0 && is_own(p, v) && clang_getCanonicalType(variables[v].type).kind !=
               CXType_Pointer && clang_getCanonicalType(variables[v].type).kind !=
               CXType_LValueReference;
    if (!linear || !(n < 0 || node_is(n, CXCursor_CXXThisExpr) || v >= 0) ||
        (v >= 0 && is_own(p, v)) ||
        (e.base >= 0 && !node_is(e.base, CXCursor_DeclRefExpr) &&
         !node_is(e.base, CXCursor_MemberRefExpr)))
        e.base = -1;
    return e;
}

static char *node_text(int n)
{
    char *s = copy_bytes(source + nodes[n].lo, nodes[n].hi - nodes[n].lo), *to = s;

    for (char *from = s; *from; from++)
        if (!strchr(" \t\r\n", *from))
            *to++ = *from;
    *to = 0;
    return s;
}

/* Is the element the only one of its base that the body names? */
static bool is_alone(const plan *p, const element *e)
{
    char *base = node_text(e->base), *whole = node_text(e->whole);

    for (int n = p->body; n < nodes[p->body].end; n++) {
        int up = n;

        if ((!node_is(n, CXCursor_DeclRefExpr) && !node_is(n, CXCursor_MemberRefExpr)) ||
            strcmp(node_text(n), base) != 0)
            continue;
        while (nodes[up].lo == nodes[n].lo && strcmp(node_text(up), whole) != 0)
            up = nodes[up].parent;
        if (strcmp(node_text(up), whole) != 0)
            return false;
    }
    return true;
}

static bool is_harmless_call(int n, int depth);

/* The variable that is written, where it is one, or an element of an array; or -1. */
static int written_variable(int at)
{
    at = bare(at);
    while (at >= 0 && (is_subscript(at) || node_is(at, CXCursor_MemberRefExpr)) &&
           nodes[at].child >= 0 &&
           clang_getCanonicalType(
               clang_getCursorType(nodes[bare(nodes[at].child)].cursor)).kind !=
               CXType_Pointer)
        at = bare(nodes[at].child);
    return at >= 0 && node_is(at, CXCursor_DeclRefExpr) ? variable_of_node(at) : -1;
}

/* Of the file: it writes to its own variables, and has of others no arrays and no pointers. */
static bool is_harmless_function(int function, int depth)
{
    if (function < 0 || depth > 4 || nodes[function].kind != CXCursor_FunctionDecl)
        return false;
    for (int n = function; n < nodes[function].end; n++) {
        int at = written_at(n), v = node_is(n, CXCursor_DeclRefExpr) ? variable_of_node(n) : -1;

        if (v >= 0 && variables[v].is_global && !is_scalar(variables[v].type))
            return false;
        if (node_is(n, CXCursor_CallExpr) && !is_harmless_call(n, depth + 1))
            return false;
        if (at < 0)
            continue;
        v = written_variable(at);
        if (v < 0 || variables[v].at < nodes[function].lo || variables[v].at >= nodes[function].hi ||
            variables[v].is_global || is_to_write(variables[v].type))
            return false;
    }
    return true;
}

/* Of the system: what changes nothing by it. */
static bool is_harmless_call(int n, int depth)
{
    CXCursor to = clang_getCursorReferenced(nodes[n].cursor);

    if (clang_Cursor_isNull(to))
        return is_plain_operator(nodes[n].cursor);
    if (!clang_Location_isInSystemHeader(clang_getCursorLocation(to)))
        return is_harmless_function(called_by(n), depth);
    if (is_subscript(n) || written_at(n) >= 0)
        return true;
    if (clang_getCursorKind(to) == CXCursor_CXXMethod && !clang_CXXMethod_isConst(to) &&
        !clang_CXXMethod_isStatic(to))
        return false;
    for (int i = 0; i < clang_Cursor_getNumArguments(to); i++)
        if (is_to_write(clang_getCursorType(clang_Cursor_getArgument(to, (unsigned)i))))
            return false;
    return true;
}

bool is_elementwise(const plan *p)
{
    unsigned all = (1u << p->dimensions) - 1 + (((1u << p->collapsed_count) - 1) << 3);

    for (int n = p->body; n < nodes[p->body].end; n++) {
        int at = written_at(n), v;
        element e;

        if (node_is(n, CXCursor_LambdaExpr) || node_is(n, CXCursor_StmtExpr) ||
            (node_is(n, CXCursor_CallExpr) && !is_guarded(n) && !is_harmless_call(n, 0)))
            return false;
        if (node_is(n, CXCursor_UnaryOperator) && token_is(token_at(nodes[n].lo), "&"))
            return false;
        if (at < 0 || is_guarded(n))
            continue;
        v = node_is(at, CXCursor_DeclRefExpr) ? variable_of_node(at) : -1;
        if (v >= 0 && is_own(p, v) &&
            clang_getCanonicalType(variables[v].type).kind != CXType_LValueReference)
            continue;
        e = element_at(p, at);
        if (!e.is_own && (e.base < 0 || e.indices != all || !is_alone(p, &e)))
            return false;
    }
    return true;
}

