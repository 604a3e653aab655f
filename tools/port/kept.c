/*
 * kept.c - does a pointer or a reference to a variable stay, in C++?
 *
 * SPDX-License-Identifier: MIT
 *
 * The way up from a name, as long as what is there is the variable, a part of it, or its
 * address.  It ends well at a value, and at the end of a statement.
 */
#include "port.h"

#include <string.h>

enum { MOST_NAMES = 4 }; /* references to references */

static bool is_kept_at(int n, bool address, int depth);

static CXType type_at(int n)
{
    return clang_getCanonicalType(clang_getCursorType(nodes[n].cursor));
}

static bool is_reference(CXType t)
{
    return t.kind == CXType_LValueReference || t.kind == CXType_RValueReference;
}

static bool is_of_system(CXCursor c)
{
    return !clang_Cursor_isNull(c) && clang_Location_isInSystemHeader(clang_getCursorLocation(c));
}

static bool is_statement(int n)
{
    switch ((int)nodes[n].kind) {
    case CXCursor_CompoundStmt:
    case CXCursor_IfStmt:
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_SwitchStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
    case CXCursor_LabelStmt:
        return true;
    default:
        return false;
    }
}

/* Another name of it, or an iterator: what is done to that tells. */
static bool is_name_kept(CXCursor decl, bool address, int depth)
{
    CXCursor canonical = clang_getCanonicalCursor(decl);

    if (depth >= MOST_NAMES || clang_Cursor_getStorageClass(decl) == CX_SC_Static)
        return true;
    for (int i = 0; i < reference_count; i++) {
        const variable *v = &variables[references[i].variable];

        if (!clang_equalCursors(v->decl, canonical) || references[i].at == v->at)
            continue;
        if (v->is_global || references[i].node < 0 ||
            is_kept_at(references[i].node, address, depth + 1))
            return true;
    }
    return false;
}

/* for (auto &x : variable) */
static bool is_kept_in_range(int top, int depth)
{
    int first = nodes[top].child;
    bool kept = false;

    if (node_is(first, CXCursor_VarDecl))
        return is_reference(type_at(first)) && is_name_kept(nodes[first].cursor, false, depth);
    for (int n = top; n < nodes[top].end; n++) /* a structured binding: names of parts */
        if (nodes[n].kind == CXCursor_DeclRefExpr &&
            !clang_isInvalid(clang_getCursorKind(clang_getCursorReferenced(nodes[n].cursor))) &&
            clang_getCursorKind(clang_getCursorReferenced(nodes[n].cursor)) ==
                CXCursor_UnexposedDecl)
            kept |= depth >= MOST_NAMES || is_kept_at(n, false, depth + 1);
    return kept;
}

static bool has_member(int top, const char *end)
{
    for (int n = top; n < nodes[top].end; n++)
        if (nodes[n].kind == CXCursor_MemberRefExpr && ends_with(cursor_name(nodes[n].cursor), end))
            return true;
    return false;
}

/* Is this the begin, or the end, of a range that is given?  The call takes the elements, then. */
static bool is_range_given(int top, int child)
{
    for (int n = nodes[top].child; n >= 0; n = nodes[n].next)
        if (nodes[n].next >= 0 && (n == child || nodes[n].next == child) &&
            has_member(n, "begin") && has_member(nodes[n].next, "end"))
            return true;
    return false;
}

typedef enum way { KEPT, GONE, PART, ADDRESS } way;

/* What a function of the library has of it: by its result. */
static way result_of(CXCursor function)
{
    CXType t = clang_getCanonicalType(clang_getCursorResultType(function));

    if (t.kind == CXType_Void || is_scalar(t))
        return GONE;
    if (is_reference(t))
        return PART;
    if (t.kind == CXType_Pointer)
        return ADDRESS;
    return t.kind != CXType_Record ? KEPT : is_value(t) ? GONE : ADDRESS;
}

static bool is_same_class(CXType a, CXType b)
{
    return a.kind == CXType_Record && b.kind == CXType_Record &&
           clang_equalCursors(clang_getTypeDeclaration(a), clang_getTypeDeclaration(b));
}

/* Given to a function, or its own function. */
static way way_of_call(int n, int child, bool address)
{
    CXCursor to = clang_getCursorReferenced(nodes[n].cursor);
    enum CXCursorKind kind = clang_getCursorKind(to);
    char *name = cursor_name(nodes[n].cursor);
    way result;

    if (clang_Cursor_isNull(to) || clang_isInvalid(kind)) /* a copy, or a template's */
        return !is_same_class(type_at(n), type_at(child)) ? KEPT
               : address ? ADDRESS
               : is_value(type_at(n)) ? GONE : KEPT;
    if (kind == CXCursor_Constructor) {
        if (is_value(type_at(n)) && (!address || is_range_given(n, child)))
            return GONE;
        return address && is_of_system(to) ? ADDRESS : KEPT;
    }
    if (!is_of_system(to)) /* the compiler's own, and the assignment that a class has anyway */
        return strcmp(name, "__builtin_expect") == 0 || (strcmp(name, "operator=") == 0 && !address &&
                                  is_value(type_at(n)))
                   ? GONE
                   : KEPT;
    result = result_of(to);
    if (nodes[n].child == child && nodes[child].kind == CXCursor_MemberRefExpr)
        return result; /* its own */
    if (begins(name, "emplace") || begins(name, "async") || begins(name, "pthread_"))
        return KEPT;
    if (address && kind == CXCursor_CXXMethod && !begins(name, "operator"))
        return (strcmp(name, "insert") == 0 || strcmp(name, "assign") == 0 ||
                strcmp(name, "append") == 0) && is_range_given(n, child)
                   ? result == PART ? GONE : result
                   : KEPT;
    if (address && strcmp(name, "operator=") == 0)
        return KEPT;
    return result == PART && address && !is_value(type_at(n)) ? ADDRESS : result;
}

static way way_of_unary(int n, bool address)
{
    const char *at = source + nodes[n].lo;

    if (*at == '&')
        return address ? KEPT : ADDRESS;
    if (*at == '*')
        return address ? PART : KEPT;
    if (*at == '!' || *at == '~' || (*at == '-' && at[1] != '-') || (*at == '+' && at[1] != '+'))
        return GONE;
    if (begins(at, "++") || begins(at, "--"))
        return address ? ADDRESS : PART;
    at = source + nodes[n].hi - 2;
    return begins(at, "++") || begins(at, "--") ? address ? ADDRESS : GONE : KEPT;
}

static way way_of_binary(int n, int child, bool address)
{
    int op = operator_token(n);

    if (token_is(op, "="))
        return nodes[n].child == child && !address ? PART : KEPT;
    if (token_is(op, ","))
        return nodes[n].child == child ? GONE : address ? ADDRESS : PART;
    if (!address)
        return KEPT;
    return type_at(n).kind == CXType_Pointer ? ADDRESS : GONE;
}

static way way_of_cast(int n, int child, bool address)
{
    CXType t = type_at(n), of = type_at(child);

    if (t.kind == CXType_Void)
        return GONE;
    if (is_array(of) && t.kind == CXType_Pointer)
        return ADDRESS;
    if (address)
        return t.kind == CXType_Pointer || t.kind == CXType_Record ? ADDRESS : KEPT;
    if ((is_scalar(t) && is_scalar(of)) ||
        (t.kind == CXType_Pointer && of.kind == CXType_Pointer))
        return nodes[n].kind == CXCursor_UnexposedExpr && !clang_isConstQualifiedType(t) &&
                       !clang_isVolatileQualifiedType(t)
                   ? GONE
                   : PART;
    return t.kind == CXType_Record || is_array(t) ? PART : KEPT;
}

static way way_of(int n, int child, bool address, int depth)
{
    switch ((int)nodes[n].kind) {
    case CXCursor_ParenExpr:
        return address ? ADDRESS : PART;
    case CXCursor_UnexposedExpr:
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
        return way_of_cast(n, child, address);
    case CXCursor_MemberRefExpr: {
        enum CXCursorKind k = clang_getCursorKind(clang_getCursorReferenced(nodes[n].cursor));

        return k == CXCursor_FieldDecl || is_of_system(clang_getCursorReferenced(nodes[n].cursor))
                   ? PART
                   : KEPT;
    }
    case CXCursor_ArraySubscriptExpr:
        return nodes[n].child == child ? PART : KEPT;
    case CXCursor_UnaryOperator:
        return way_of_unary(n, address);
    case CXCursor_BinaryOperator:
        return way_of_binary(n, child, address);
    case CXCursor_CompoundAssignOperator:
        return nodes[n].child == child ? address ? ADDRESS : PART : KEPT;
    case CXCursor_ConditionalOperator:
        return nodes[n].child == child ? GONE : address ? ADDRESS : PART;
    case CXCursor_CallExpr:
        return way_of_call(n, child, address);
    case CXCursor_UnaryExpr: /* sizeof */
        return GONE;
    case CXCursor_VarDecl:
        return (address ? type_at(n).kind == CXType_Record && !is_value(type_at(n))
                        : is_reference(type_at(n))) &&
                       !is_name_kept(nodes[n].cursor, address, depth)
                   ? GONE
                   : KEPT;
    case CXCursor_CXXForRangeStmt:
        return nodes[child].next >= 0 && is_kept_in_range(n, depth) ? KEPT : GONE;
    default:
        return is_statement(n) ? GONE : KEPT;
    }
}

/* A lambda that is no argument of the library's algorithms may be called later. */
static bool is_in_kept_lambda(int n)
{
    for (int p = nodes[n].parent; p >= 0; p = nodes[p].parent) {
        CXCursor to;
        int q = nodes[p].parent;

        if (nodes[p].kind != CXCursor_LambdaExpr)
            continue;
        while (q >= 0 && nodes[q].kind != CXCursor_CallExpr && !is_statement(q))
            q = nodes[q].parent;
        while (node_is(q, CXCursor_CallExpr) &&
               clang_getCursorKind(clang_getCursorReferenced(nodes[q].cursor)) ==
                   CXCursor_Constructor)
            q = nodes[q].parent;
        if (!node_is(q, CXCursor_CallExpr))
            return true;
        to = clang_getCursorReferenced(nodes[q].cursor);
        if (!is_of_system(to) || clang_getCursorKind(to) != CXCursor_FunctionDecl ||
            strcmp(cursor_name(to), "async") == 0)
            return true;
    }
    return false;
}

static bool is_kept_at(int n, bool address, int depth)
{
    if (is_in_kept_lambda(n))
        return true;
    for (int p = nodes[n].parent, child = n; p >= 0; child = p, p = nodes[p].parent) {
        way to = way_of(p, child, address, depth);

        if (to == KEPT || to == GONE)
            return to == KEPT;
        address = to == ADDRESS;
    }
    return true;
}

static bool may_stay_at(const reference *r, int depth)
{
    return r->at != variables[r->variable].at && (r->node < 0 || is_kept_at(r->node, false, depth));
}

bool may_stay(const reference *r)
{
    return may_stay_at(r, 0);
}

/* May it change by another name: of a reference, a pointer, a lambda's, a function's? */
bool has_another_name(int number)
{
    const variable *v = &variables[number];

    if (v->is_global || v->address_taken || is_reference(v->type) ||
        clang_Cursor_getStorageClass(v->decl) == CX_SC_Static)
        return true;
    if (!is_cxx)
        return false;
    if (is_init_captured(number, 0, source_size))
        return true;
    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == number && may_stay_at(&references[i], MOST_NAMES))
            return true;
    return false;
}
