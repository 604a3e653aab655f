/*
 * counted.c - a `for` loop that ends by itself, as far as its own function goes.
 *
 * SPDX-License-Identifier: MIT
 *
 * A loop is COUNTED if its condition is one relation of a counter, a local variable that the step
 * moves; if its body changes nothing that the condition and the step have; and if nothing in the
 * body leads out of it.  Any other loop may be ended by its body: that is looked at as that of a
 * `while`.  Wrong only in saying "not counted".
 */
#include "port.h"

#include <string.h>

/* ---- what is written in a loop ---- */

/* Without parentheses, and what converts. */
static CXCursor bare_cursor(CXCursor c)
{
    for (;;) {
        enum CXCursorKind k = clang_getCursorKind(c);
        cursors parts = children_of(c);

        if (parts.count != 1 || (k != CXCursor_UnexposedExpr && k != CXCursor_ParenExpr &&
                                 k != CXCursor_CStyleCastExpr &&
                                 k != CXCursor_CXXFunctionalCastExpr &&
                                 k != CXCursor_CXXStaticCastExpr))
            return c;
        c = parts.all[0];
    }
}

/* Where it stands in its file, also if a macro makes it. */
static unsigned place_in(CXSourceLocation where, CXFile *in)
{
    unsigned at;

    clang_getExpansionLocation(where, in, NULL, NULL, &at);
    return at;
}

/* The text from one place to another; "": they are in two files, or in one macro. */
static char *text_between(CXSourceLocation from, CXSourceLocation to)
{
    CXFile one, two;
    unsigned lo = place_in(from, &one), hi = place_in(to, &two);
    size_t size;
    const char *s = one && two && clang_File_isEqual(one, two)
                        ? clang_getFileContents(unit, one, &size) : NULL;

    return s && lo < hi && hi <= size ? copy_bytes(s + lo, hi - lo) : format("%s", "");
}

/* Is it the operator between two operands? */
static bool is_operator(CXCursor c, const char *const *all)
{
    cursors parts = children_of(c);
    char *s;

    if (parts.count != 2)
        return false;
    s = text_between(clang_getRangeEnd(clang_getCursorExtent(parts.all[0])),
                     clang_getRangeStart(clang_getCursorExtent(parts.all[1])));
    s += strspn(s, " \t\n)");
    for (int i = 0; all[i]; i++)
        if (begins(s, all[i]) && strspn(s + strlen(all[i]), " \t\n(") == strlen(s + strlen(all[i])))
            return true;
    return false;
}

/* ++ or --, before or behind. */
static bool moves_by_one(CXCursor c)
{
    CXSourceRange r = clang_getCursorExtent(c);
    char *s = text_between(clang_getRangeStart(r), clang_getRangeEnd(r));
    size_t n = strlen(s);

    return clang_getCursorKind(c) == CXCursor_UnaryOperator && n > 2 &&
           (begins(s, "++") || begins(s, "--") || strcmp(s + n - 2, "++") == 0 ||
            strcmp(s + n - 2, "--") == 0);
}

static bool gives_address_of(CXCursor c)
{
    CXSourceRange r = clang_getCursorExtent(c);

    return clang_getCursorKind(c) == CXCursor_UnaryOperator &&
           begins(text_between(clang_getRangeStart(r), clang_getRangeEnd(r)), "&");
}

/* The variable that an object is, is a part of, or is reached by; null: there is none. */
static CXCursor base_of(CXCursor c)
{
    for (;;) {
        enum CXCursorKind k;
        cursors parts;

        c = bare_cursor(c);
        k = clang_getCursorKind(c);
        parts = children_of(c);
        if (k == CXCursor_DeclRefExpr)
            return variable_in(c);
        if ((k != CXCursor_MemberRefExpr && k != CXCursor_ArraySubscriptExpr &&
             k != CXCursor_UnaryOperator && k != CXCursor_UnexposedExpr) || !parts.count)
            return clang_getNullCursor();
        c = parts.all[0];
    }
}

/* An object whose method is called, or what a parameter points to. */
static bool may_be_changed(CXCursor method, CXType parameter)
{
    CXType t = clang_getCanonicalType(parameter);

    if (!clang_Cursor_isNull(method))
        return !clang_CXXMethod_isConst(method);
    return (t.kind == CXType_Pointer || t.kind == CXType_LValueReference ||
            t.kind == CXType_Invalid) && !clang_isConstQualifiedType(clang_getPointeeType(t));
}

/* By a call: the variable has an address there, or is the object of a method. */
static bool is_given_away(CXCursor c, CXCursor v)
{
    CXCursor to = clang_getCursorReferenced(c), none = clang_getNullCursor();
    CXType type = clang_getCursorType(to);
    cursors parts = children_of(c);
    bool method = clang_getCursorKind(to) == CXCursor_CXXMethod;
    int n = clang_Cursor_getNumArguments(c), first = method && n > clang_getNumArgTypes(type);

    if (method && parts.count && clang_equalCursors(base_of(parts.all[0]), v) &&
        clang_getCursorKind(parts.all[0]) == CXCursor_MemberRefExpr && may_be_changed(to, type))
        return true;
    for (int i = 0; i < n; i++) /* an operator has its object as the first one */
        if (clang_equalCursors(base_of(clang_Cursor_getArgument(c, (unsigned)i)), v) &&
            may_be_changed(i < first ? to : none, clang_getArgType(type, (unsigned)(i - first))))
            return true;
    return false;
}

/* Does it change the variable, or let others do so? */
static bool changes(CXCursor c, CXCursor v)
{
    static const char *const assign[] = { "=", NULL };
    enum CXCursorKind k = clang_getCursorKind(c);
    cursors parts = children_of(c);

    if (k == CXCursor_CompoundAssignOperator || moves_by_one(c) || gives_address_of(c) ||
        (k == CXCursor_BinaryOperator && is_operator(c, assign))) {
        if (clang_equalCursors(base_of(parts.all[0]), v))
            return true;
    } else if (k == CXCursor_CallExpr && is_given_away(c, v))
        return true;
    else if (k == CXCursor_VarDecl && parts.count &&
             clang_getCanonicalType(clang_getCursorType(c)).kind == CXType_LValueReference &&
             clang_equalCursors(base_of(parts.all[parts.count - 1]), v))
        return true;
    for (int i = 0; i < parts.count; i++)
        if (changes(parts.all[i], v))
            return true;
    return false;
}

/* ---- the header ---- */

static enum CXChildVisitResult find_variable(CXCursor c, CXCursor parent, CXClientData data)
{
    CXCursor v = variable_in(c);

    (void)parent;
    if (!clang_Cursor_isNull(v))
        add_cursor(data, v);
    return CXChildVisit_Recurse;
}

static cursors variables_in(CXCursor c)
{
    cursors l = { NULL, 0 };

    (void)find_variable(c, c, &l);
    clang_visitChildren(c, find_variable, &l);
    return l;
}

static bool has_variable(cursors l, CXCursor v)
{
    for (int i = 0; i < l.count; i++)
        if (clang_equalCursors(l.all[i], v))
            return true;
    return false;
}

static bool is_called_operator(CXCursor c, const char *const *all)
{
    for (int i = 0; all[i] && clang_getCursorKind(c) == CXCursor_CallExpr; i++)
        if (strcmp(cursor_name(c), format("operator%s", all[i])) == 0)
            return true;
    return false;
}

/* The local variables that the step moves. */
static void add_counters(CXCursor step, cursors *into)
{
    static const char *const comma[] = { ",", NULL }, *const assign[] = { "=", NULL },
                      *const moves[] = { "++", "--", "+=", "-=", NULL };
    CXCursor c = bare_cursor(step), v = clang_getNullCursor();
    enum CXCursorKind k = clang_getCursorKind(c);
    cursors parts = children_of(c);

    if (k == CXCursor_BinaryOperator && is_operator(c, comma)) {
        add_counters(parts.all[0], into);
        add_counters(parts.all[1], into);
    } else if (moves_by_one(c) || k == CXCursor_CompoundAssignOperator)
        v = variable_in(bare_cursor(parts.all[0]));
    else if (k == CXCursor_BinaryOperator && is_operator(c, assign))
        v = variable_in(bare_cursor(parts.all[0]));
    else if (is_called_operator(c, moves) && variables_in(c).count)
        v = variables_in(c).all[0];
    if (clang_Cursor_isNull(v) || !is_local(v) ||
        (is_operator(c, assign) && !has_variable(variables_in(parts.all[1]), v)))
        return;
    add_cursor(into, v);
}

/* One relation, or the counter itself. */
static bool compares_one_of(CXCursor condition, cursors counters)
{
    static const char *const relations[] = { "<", "<=", ">", ">=", "!=", NULL };
    CXCursor c = bare_cursor(condition);
    cursors l = variables_in(c);

    if (!(clang_getCursorKind(c) == CXCursor_BinaryOperator && is_operator(c, relations)) &&
        !is_called_operator(c, relations))
        return has_variable(counters, variable_in(c));
    for (int i = 0; i < counters.count; i++)
        if (has_variable(l, counters.all[i]))
            return true;
    return false;
}

bool is_counted(CXCursor statement)
{
    cursors parts = children_of(statement), counters = { NULL, 0 }, l;

    if (clang_getCursorKind(statement) != CXCursor_ForStmt || parts.count != 4 ||
        leads_out(parts.all[3], false))
        return false;
    add_counters(parts.all[2], &counters);
    if (!compares_one_of(parts.all[1], counters))
        return false;
    l = variables_in(parts.all[1]);
    for (int i = 0; i < l.count; i++)
        if (changes(parts.all[1], l.all[i]) || changes(parts.all[3], l.all[i]) ||
            (!has_variable(counters, l.all[i]) && changes(parts.all[2], l.all[i])))
            return false;
    l = variables_in(parts.all[2]);
    for (int i = 0; i < l.count; i++)
        if (changes(parts.all[3], l.all[i]))
            return false;
    return true;
}
