/*
 * unsure.c - what libclang does not show: which function a call calls, what a loop over a range
 * calls, and what a switch begins with.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <string.h>

/* ---- calls ---- */

/* Classes of the library that hold something to be called. */
bool holds_function(CXType type)
{
    static const char *const holders[] = { "std::function<", "std::reference_wrapper<",
                                           "std::_Bind", "std::_Mem_fn", "std::_Not_fn",
                                           "std::packaged_task<", "std::move_only_function<",
                                           NULL };
    const char *name = type_name(clang_getCanonicalType(type));

    if (begins(name, "const "))
        name += 6;
    for (int i = 0; holders[i]; i++)
        if (begins(name, holders[i]))
            return true;
    return false;
}

static bool is_callable(CXType type)
{
    CXType t = clang_getCanonicalType(type);

    if (t.kind == CXType_Pointer || t.kind == CXType_LValueReference ||
        t.kind == CXType_MemberPointer)
        t = clang_getCanonicalType(clang_getPointeeType(t));
    return t.kind == CXType_FunctionProto || t.kind == CXType_FunctionNoProto ||
           (is_cxx && holds_function(t));
}

static enum CXChildVisitResult first_child(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(CXCursor *)data = c;
    return CXChildVisit_Break;
}

static CXCursor child_of(CXCursor c)
{
    CXCursor child = clang_getNullCursor();

    clang_visitChildren(c, first_child, &child);
    return child;
}

/* In a template: what is called, below parentheses and casts. */
static CXCursor called_in(CXCursor of)
{
    CXCursor c = child_of(of);

    while (!clang_Cursor_isNull(c) && (clang_getCursorKind(c) == CXCursor_ParenExpr ||
                                       clang_getCursorKind(c) == CXCursor_UnexposedExpr))
        c = child_of(c);
    return c;
}

static bool is_function_value(CXCursor c)
{
    enum CXCursorKind k = clang_getCursorKind(c);

    return k == CXCursor_VarDecl || k == CXCursor_ParmDecl || k == CXCursor_FieldDecl ||
           k == CXCursor_NonTypeTemplateParameter;
}

static enum CXChildVisitResult find_lambda(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_LambdaExpr)
        *(bool *)data = true;
    return CXChildVisit_Recurse;
}

bool is_lambda_variable(CXCursor c)
{
    bool found = false;

    if (clang_getCursorKind(c) == CXCursor_VarDecl)
        clang_visitChildren(c, find_lambda, &found);
    return found;
}

/* A value that a template is given, or what is made of one: it may be a lambda. */
static bool is_given(CXCursor value)
{
    CXType t = clang_getCanonicalType(clang_getCursorType(value));
    const char *name;

    if (t.kind == CXType_LValueReference || t.kind == CXType_RValueReference)
        t = clang_getCanonicalType(clang_getPointeeType(t));
    name = type_name(t);
    if (begins(name, "const "))
        name += 6;
    return t.kind != CXType_Record && (t.kind != CXType_Unexposed || begins(name, "type-parameter"));
}

bool is_unsure_call(CXCursor c, bool *member)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    CXCursor to = clang_getCursorReferenced(c), called;

    *member = false;
    if (k == CXCursor_ArraySubscriptExpr || k == CXCursor_CallExpr ||
        ((k == CXCursor_DeclRefExpr || k == CXCursor_MemberRefExpr) && is_function_value(to)))
        if (is_callable(clang_getCursorType(c)))
            return true;
    if (k != CXCursor_CallExpr)
        return false;
    called = clang_Cursor_isNull(to) ? called_in(c) : to;
    k = clang_Cursor_isNull(called) ? CXCursor_InvalidFile : clang_getCursorKind(called);
    if (k == CXCursor_DeclRefExpr || k == CXCursor_MemberRefExpr) {
        to = clang_getCursorReferenced(called);
        *member = k == CXCursor_MemberRefExpr && clang_Cursor_isNull(to) && !is_of_library(c);
        if (*member)
            return true;
    }
    if (!clang_Cursor_isNull(to) && is_function_value(to)) {
        /* a class's operator(), or a lambda of this file */
        *member = !is_given(to) || (!is_header() && is_cxx && !is_callable(clang_getCursorType(to)));
        return !is_lambda_variable(to);
    }
    return k == CXCursor_ArraySubscriptExpr || k == CXCursor_UnaryOperator;
}

/* ---- operators in templates ---- */

typedef struct operands {
    CXSourceRange first, last; /* the operator's own node may lie between them */
    int count;
} operands;

static enum CXChildVisitResult add_operand(CXCursor c, CXCursor parent, CXClientData data)
{
    operands *all = data;

    (void)parent;
    *(all->count++ ? &all->last : &all->first) = clang_getCursorExtent(c);
    return CXChildVisit_Continue;
}

bool is_plain_operator(CXCursor c)
{
    operands all = { .count = 0 };
    CXToken *between;
    unsigned count;
    char *name = NULL;
    CXCursor own;
    int at = 0;

    clang_visitChildren(c, add_operand, &all);
    if (all.count != 2 && all.count != 3)
        return false;
    clang_tokenize(unit, clang_getRange(clang_getRangeEnd(all.first),
                                        clang_getRangeStart(all.last)), &between, &count);
    for (unsigned i = 0; i < count && !name; i++) {
        CXString spelling = clang_getTokenSpelling(unit, between[i]);

        if (clang_getTokenKind(between[i]) == CXToken_Punctuation &&
            strcmp(clang_getCString(spelling), ")") != 0)
            name = format("operator%s", clang_getCString(spelling));
        clang_disposeString(spelling);
    }
    clang_disposeTokens(unit, between, count);
    return name && !strchr("([", name[strlen("operator")]) && !next_named(name, &at, &own);
}

/* ---- loops over ranges ---- */

static CXCursor *range_functions;
static int range_function_count;
static bool gathered;

/* ++, which each iterator has: a member of its class, or a function. */
static bool is_increment(CXCursor function)
{
    return strcmp(cursor_name(function), "operator++") == 0;
}

/* Has the function's class no ++?  Then an operator of the class is no iterator's. */
static bool is_of_no_iterator(CXCursor function)
{
    CXCursor of = clang_getCursorSemanticParent(function);

    if (!begins(cursor_name(function), "operator"))
        return false;
    for (int i = 0; i < range_function_count; i++)
        if (is_increment(range_functions[i]) &&
            (clang_getCursorKind(range_functions[i]) != CXCursor_CXXMethod ||
             clang_equalCursors(clang_getCursorSemanticParent(range_functions[i]), of)))
            return false;
    return true;
}

static enum CXChildVisitResult gather(CXCursor c, CXCursor parent, CXClientData data)
{
    static const char *const names[] = { "begin", "end", "operator*", "operator++", "operator!=",
                                         "operator==", NULL };
    enum CXCursorKind k = clang_getCursorKind(c);
    bool is_one = false;

    (void)parent;
    (void)data;
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(c)) || is_in_tweeds_header(c))
        return CXChildVisit_Continue;
    if (k == CXCursor_CXXMethod || k == CXCursor_FunctionDecl || k == CXCursor_FunctionTemplate)
        for (int i = 0; names[i]; i++)
            is_one |= strcmp(cursor_name(c), names[i]) == 0;
    if (is_one) {
        range_functions = grow(range_functions,
                               (size_t)(range_function_count + 1) * sizeof *range_functions);
        range_functions[range_function_count++] = c;
    }
    return CXChildVisit_Recurse;
}

static enum CXChildVisitResult find_range(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (!clang_isExpression(clang_getCursorKind(c)))
        return CXChildVisit_Continue;
    *(CXCursor *)data = c;
    return CXChildVisit_Break;
}

static CXType range_type(CXCursor statement)
{
    CXCursor over = clang_getNullCursor();
    CXType type;

    clang_visitChildren(statement, find_range, &over);
    type = clang_getCanonicalType(clang_getCursorType(over));
    if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference)
        type = clang_getCanonicalType(clang_getPointeeType(type));
    return type;
}

/* Of a class of the program's own, or of a template's parameter. */
static bool is_own_range(CXType type)
{
    const char *name = type_name(type);

    return !is_array(type) && !begins(name, "std::") && !begins(name, "const std::") &&
           (type.kind != CXType_Record || !clang_Cursor_isNull(own_class(type)));
}

static enum CXChildVisitResult find_base(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(bool *)data |= clang_getCursorKind(c) == CXCursor_CXXBaseSpecifier;
    return CXChildVisit_Continue;
}

/* May it be the begin() or end() of another class than the range's? */
static bool is_of_another(CXCursor function, CXType type)
{
    CXCursor class = type.kind == CXType_Record ? own_class(type) : clang_getNullCursor();
    bool derived = false;

    if (clang_Cursor_isNull(class) || clang_getCursorKind(function) != CXCursor_CXXMethod ||
        begins(cursor_name(function), "operator"))
        return false;
    clang_visitChildren(class, find_base, &derived);
    return !derived && strcmp(cursor_name(clang_getCursorSemanticParent(function)),
                              cursor_name(class)) != 0;
}

bool next_of_range(CXCursor statement, int *at, CXCursor *function)
{
    CXType type;

    if (clang_getCursorKind(statement) != CXCursor_CXXForRangeStmt)
        return false;
    type = range_type(statement);
    if (!is_own_range(type))
        return false;
    if (!gathered)
        clang_visitChildren(clang_getTranslationUnitCursor(unit), gather, NULL);
    gathered = true;
    while (*at < range_function_count && (is_of_no_iterator(range_functions[*at]) ||
                                          is_of_another(range_functions[*at], type)))
        ++*at;
    if (*at >= range_function_count)
        return false;
    *function = range_functions[(*at)++];
    return true;
}

/* ---- what a switch or a loop over a range begins with ---- */

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The place behind a quoted text, or this one. */
static size_t past_quoted(const char *s, size_t at, size_t size)
{
    char quote = s[at];

    if (quote != '"' && (quote != '\'' || (at > 0 && is_word(s[at - 1]))))
        return at;
    for (at++; at < size && s[at] != quote; at++)
        at += s[at] == '\\';
    return at;
}

bool has_initialiser(CXCursor c, range *in)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    CXFile file;
    unsigned lo;
    size_t size, at;
    const char *s;
    int depth = 0;

    if (!is_cxx || (k != CXCursor_SwitchStmt && k != CXCursor_CXXForRangeStmt))
        return false;
    clang_getSpellingLocation(clang_getRangeStart(clang_getCursorExtent(c)), &file, NULL, NULL,
                              &lo);
    s = file ? clang_getFileContents(unit, file, &size) : NULL;
    if (!s)
        return true;
    for (at = lo; at < size; at++) {
        at = past_quoted(s, at, size);
        if (at >= size)
            break;
        if (s[at] == '(' || s[at] == '{' || s[at] == '[')
            depth++;
        if (s[at] == ';' && depth == 1) {
            *in = (range){ lo, (unsigned)at };
            return true;
        }
        if ((s[at] == ')' || s[at] == '}' || s[at] == ']') && --depth == 0)
            return false;
    }
    return true;
}
