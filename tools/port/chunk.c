/*
 * chunk.c - what a program may count on where schedule() says how large a chunk is.
 *
 * SPDX-License-Identifier: MIT
 *
 * One thread executes the indices of a chunk one after the other, and each chunk begins at a
 * multiple of its size.  tweed's chunks are others.  So the indices of a chunk may not share what
 * they write: an element at index / size, or a word of bits.  Where a function may write so, or a
 * number or a pointer from memory says where, the chunk is the loop's grain: indices that stay
 * together.
 */
#include "port.h"

#include <string.h>

bool has_chunk(int number)
{
    int kind, size;

    if (!schedule_of(number, &kind) || !(token_is(kind, "static") || token_is(kind, "dynamic")))
        return false;
    size = code_at(code_at(kind + 1) + 1);
    return token_is(code_at(kind + 1), ",") &&
           !(token_is(size, "1") && token_is(code_at(size + 1), ")"));
}

char *chunk_text(int number)
{
    int kind;
    const clause *c = schedule_of(number, &kind);
    int size = code_at(code_at(kind + 1) + 1);

    return render(tokens[size].lo, tokens[c->past - 1].hi, NULL, NULL);
}

static bool is_to_write(CXType t)
{
    t = clang_getCanonicalType(t);
    return (t.kind == CXType_Pointer || t.kind == CXType_LValueReference) &&
           !clang_isConstQualifiedType(clang_getPointeeType(t));
}

/* Is it called for an element, or for no change? */
static bool is_reading(CXCursor function)
{
    return strcmp(cursor_name(function), "operator[]") == 0 ||
           strcmp(cursor_name(function), "begin") == 0 ||
           strcmp(cursor_name(function), "end") == 0 || clang_CXXMethod_isConst(function) ||
           clang_CXXMethod_isStatic(function);
}

bool may_write_by_call(int top)
{
    for (int n = top; n < nodes[top].end; n++) {
        CXCursor to = clang_getCursorReferenced(nodes[n].cursor);

        if (nodes[n].kind != CXCursor_CallExpr)
            continue;
        if (clang_Cursor_isNull(to) && !is_plain_operator(nodes[n].cursor))
            return true;
        if (clang_Cursor_isNull(to) ||
            clang_Location_isInSystemHeader(clang_getCursorLocation(to)))
            continue;
        if (clang_getCursorKind(to) == CXCursor_CXXMethod && !is_reading(to))
            return true;
        for (int i = 0; i < clang_Cursor_getNumArguments(to); i++)
            if (is_to_write(clang_getCursorType(clang_Cursor_getArgument(to, (unsigned)i))))
                return true;
    }
    return false;
}

/* The node of a function that this one calls, where it is defined in the file; or -1. */
static int called_by(int n)
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

/* ---- a variable that a function writes ---- */

static bool is_conditional(int n, int top)
{
    for (int child = n; n != top && n >= 0; child = n, n = nodes[n].parent)
        if ((node_is(n, CXCursor_IfStmt) || node_is(n, CXCursor_SwitchStmt) ||
             node_is(n, CXCursor_ConditionalOperator)) && child != nodes[n].child)
            return true;
    return false;
}

bool is_perhaps_written_by(int at, int v)
{
    int function = called_by(at), argument = nodes[at].child, first = -1;
    int count = clang_Cursor_getNumArguments(nodes[at].cursor), k = 0, skip = -count;

    if (function < 0 || count < 0)
        return false;
    for (int c = argument; c >= 0; c = nodes[c].next)
        skip++; /* the function itself */
    for (; argument >= 0 && skip > 0; skip--)
        argument = nodes[argument].next;
    for (; argument >= 0 && !names(argument, v); argument = nodes[argument].next)
        k++;
    for (int p = nodes[function].child; p >= 0; p = nodes[p].next)
        if (nodes[p].kind == CXCursor_ParmDecl && k-- == 0)
            for (int i = reference_count - 1; i >= 0; i--)
                if (references[i].node > p && references[i].node < nodes[function].end &&
                    clang_equalCursors(variables[references[i].variable].decl,
                                       clang_getCanonicalCursor(nodes[p].cursor)))
                    first = references[i].node;
    return first < 0 || is_conditional(first, function);
}

/* ---- what the indices of a chunk share ---- */

typedef struct body {
    unsigned lo, hi;
    int index; /* variable; -1: of a function, any parameter is */
    int top;   /* node */
} body;

static bool is_own(const body *b, int v)
{
    return !variables[v].is_global && variables[v].at >= b->lo && variables[v].at < b->hi;
}

static bool divides(int n)
{
    CXType t = clang_getCanonicalType(clang_getCursorType(nodes[n].cursor));
    int op;

    if ((nodes[n].kind != CXCursor_BinaryOperator &&
         nodes[n].kind != CXCursor_CompoundAssignOperator) || is_floating(t))
        return false;
    op = operator_token(n);
    return token_is(op, "/") || token_is(op, ">>") || token_is(op, "/=") || token_is(op, ">>=");
}

/* Does the value come from the index by a division?  *plain: or by itself, too. */
static bool is_quotient(const body *b, int n, bool below, int depth, bool *plain)
{
    bool is = divides(n), found = false;
    int v = node_is(n, CXCursor_DeclRefExpr) ? variable_of_node(n) : -1, from;

    if (v >= 0 && (v == b->index || (b->index < 0 &&
                                     clang_getCursorKind(variables[v].decl) == CXCursor_ParmDecl &&
                                     is_scalar(variables[v].type)))) {
        *plain |= !below;
        return below;
    }
    if (v >= 0 && is_own(b, v) && depth < 4 && (from = declaration_of(v)) >= 0)
        return is_quotient(b, from, below, depth + 1, plain);
    for (int c = nodes[n].child; c >= 0; c = nodes[c].next)
        found |= is_quotient(b, c, below || is, depth, plain);
    return found;
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

static bool depends(const body *b, int n)
{
    for (int i = n; i < nodes[n].end; i++) {
        int v = node_is(i, CXCursor_DeclRefExpr) ? variable_of_node(i) : -1;

        if (v >= 0 && (v == b->index || is_own(b, v)))
            return true;
    }
    return false;
}

static bool reads_memory(int n)
{
    CXType t = clang_getCanonicalType(clang_getCursorType(nodes[n].cursor));

    return (is_scalar(t) || t.kind == CXType_Pointer) &&
           (node_is(n, CXCursor_ArraySubscriptExpr) || node_is(n, CXCursor_MemberRefExpr) ||
            node_is(n, CXCursor_CallExpr) ||
            (node_is(n, CXCursor_UnaryOperator) && token_is(token_at(nodes[n].lo), "*")));
}

/* Is a number or a pointer read from memory in it, by the index?  place: what is written itself. */
static bool is_loaded(const body *b, int n, int place, int depth)
{
    for (int i = n; i < nodes[n].end; i++) {
        int v = node_is(i, CXCursor_DeclRefExpr) ? variable_of_node(i) : -1, from;

        if (i != place && reads_memory(i) && depends(b, i))
            return true;
        if (v < 0 || v == b->index || !is_own(b, v) || depth > 3)
            continue;
        from = declaration_of(v);
        if (from >= 0 && is_loaded(b, from, from, depth + 1))
            return true;
        for (int k = b->top; k < nodes[b->top].end; k++) {
            int at = written_at(k);

            if (at >= 0 && node_is(at, CXCursor_DeclRefExpr) && variable_of_node(at) == v &&
                nodes[at].next >= 0 && is_loaded(b, nodes[at].next, -1, depth + 1))
                return true;
        }
    }
    return false;
}

const char written_by_load[] = "schedule() says how large a chunk is, and memory where its "
                               "indices write";

bool may_write_by_load(int top, int index)
{
    body b = { nodes[top].lo, nodes[top].hi, index, top };

    for (int n = top; n < nodes[top].end; n++) {
        int at = written_at(n);

        if (at >= 0 && !node_is(at, CXCursor_DeclRefExpr) && !is_guarded(n) &&
            is_loaded(&b, at, at, 0))
            return true;
    }
    return false;
}

static bool is_bit(int n)
{
    char *name = type_name(clang_getCanonicalType(clang_getCursorType(nodes[n].cursor)));

    return strstr(name, "_Bit_reference") || strstr(name, "__bit_reference") ||
           (strstr(name, "bitset<") && ends_with(name, "reference"));
}

static const char *why_shared_by_text(const body *b, int top, bool deep)
{
    for (int n = top; n < nodes[top].end; n++) {
        int at = written_at(n), function;
        bool plain = false;

        if (at >= 0 && !is_guarded(n)) {
            if (is_bit(at))
                return "schedule() says how large a chunk is, and its indices may share a word";
            if (!node_is(at, CXCursor_DeclRefExpr) && is_quotient(b, at, false, 0, &plain) && !plain)
                return "schedule() says how large a chunk is, and its indices may share an element";
        }
        if (deep && nodes[n].kind == CXCursor_CallExpr && names(n, b->index) && !is_guarded(n) &&
            (function = called_by(n)) >= 0) {
            body in = { nodes[function].lo, nodes[function].hi, -1, function };
            const char *why = why_shared_by_text(&in, function, false);

            if (why)
                return why;
        }
    }
    return NULL;
}

const char *why_shared_in_chunk(int top, int index)
{
    body b = { nodes[top].lo, nodes[top].hi, index, top };

    return why_shared_by_text(&b, top, true);
}
