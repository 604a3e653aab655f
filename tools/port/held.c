/*
 * held.c - where a pointer, or a reference, to a variable goes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

static bool is_record(CXType t)
{
    return clang_getCanonicalType(t).kind == CXType_Record;
}

/* `&`, perhaps a macro's, of something that is no value: not ++ or --. */
static bool makes_pointer(int n)
{
    CXType t = clang_getCanonicalType(clang_getCursorType(nodes[n].cursor));

    return source[nodes[n].lo] == '&' ||
           (t.kind == CXType_Pointer &&
            !clang_equalTypes(t, clang_getCanonicalType(
                                     clang_getCursorType(nodes[nodes[n].child].cursor))));
}

/* What uses a pointer: behind parentheses and casts. */
static int user_of(int n)
{
    for (n = nodes[n].parent; node_is(n, CXCursor_ParenExpr) ||
                              node_is(n, CXCursor_UnexposedExpr) ||
                              node_is(n, CXCursor_CStyleCastExpr);
         n = nodes[n].parent)
        ;
    return n;
}

/* A call whose result is a number; a reference in C++ may be one to the variable itself. */
static bool holds_nothing(int n)
{
    CXType result;

    if (!node_is(n, CXCursor_CallExpr))
        return false;
    result = clang_getCursorResultType(clang_getCursorReferenced(nodes[n].cursor));
    return result.kind == CXType_Void || is_scalar(result);
}

static int pointer_goes_to(int n)
{
    int user = user_of(n);

    return holds_nothing(user) ? -1 : user;
}

/* The way up from a name, as long as what is there is the variable or a part of it; it ends
   where a value is read or written (-1), or at what has its address. */
int held_by(int n)
{
    for (int p = nodes[n].parent, child = n; p >= 0; child = p, p = nodes[p].parent)
        switch ((int)nodes[p].kind) {
        case CXCursor_ParenExpr:
        case CXCursor_MemberRefExpr:
        case CXCursor_ArraySubscriptExpr:
            continue;
        case CXCursor_UnexposedExpr:
            if (is_array(clang_getCursorType(nodes[child].cursor))) {
                if (node_is(user_of(p), CXCursor_ArraySubscriptExpr))
                    continue;
                return pointer_goes_to(p);
            }
            if (is_cxx && is_record(clang_getCursorType(nodes[child].cursor)))
                continue;
            return -1;
        case CXCursor_CallExpr:
            return holds_nothing(p) ? -1 : p;
        case CXCursor_UnaryOperator:
            return makes_pointer(p) ? pointer_goes_to(p) : -1;
        case CXCursor_BinaryOperator:
        case CXCursor_CompoundAssignOperator:
            return child == nodes[p].child ? -1 : p;
        case CXCursor_CStyleCastExpr:
            return clang_getCursorType(nodes[p].cursor).kind == CXType_Void ? -1 : p;
        case CXCursor_UnaryExpr: /* sizeof */
            return -1;
        case CXCursor_CXXForRangeStmt:
            return p;
        default:
            return clang_isStatement(nodes[p].kind) ? -1 : p;
        }
    return -1;
}

/* Is it assigned to something that is not declared in the statement? */
bool is_kept_behind(int by, int statement)
{
    int to;

    while (by >= 0 && clang_isExpression(nodes[by].kind) && !node_is(by, CXCursor_CallExpr) &&
           !(node_is(by, CXCursor_BinaryOperator) && token_is(operator_token(by), "=")))
        by = nodes[by].parent;
    if (!node_is(by, CXCursor_BinaryOperator))
        return false;
    for (to = nodes[by].child; node_is(to, CXCursor_ParenExpr);)
        to = nodes[to].child;
    for (int v = 0; v < variable_count; v++)
        if (is_name(to, v))
            return variables[v].is_global || variables[v].at < nodes[statement].lo ||
                   variables[v].at >= nodes[statement].hi;
    return true;
}
