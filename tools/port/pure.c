/*
 * pure.c - calls that give the same wherever they stand: of functions that write nothing.
 *
 * SPDX-License-Identifier: MIT
 *
 * The caller executes once what each thread of a region executes.  For a call that is the same
 * if the function writes to nothing but its own variables, asks for no thread, and waits for
 * nobody.  Its definition must be seen, in this file or in an included one, and must have no
 * assignment but the first values of its variables.  Of the standard library some are known.
 */
#include "port.h"

#include <string.h>

static bool is_in(const char *const *all, const char *name)
{
    for (int i = 0; all[i]; i++)
        if (strcmp(all[i], name) == 0)
            return true;
    return false;
}

static bool is_system(CXCursor c)
{
    return clang_Location_isInSystemHeader(clang_getCursorLocation(c));
}

/* Is it a class of the standard library whose elements are not made by naming them? */
static bool is_container(CXCursor c)
{
    static const char *const classes[] = { "vector", "array", "basic_string", "deque", NULL };
    CXCursor up = clang_getCursorSemanticParent(c);

    for (int depth = 0; depth < 3; depth++) {
        if (is_in(classes, cursor_name(up)))
            return true;
        up = clang_getCursorSemanticParent(up);
        if (clang_Cursor_isNull(up))
            break;
    }
    return false;
}

/* Functions of the system that read what they are given. */
static bool is_known_pure(CXCursor f)
{
    static const char *const functions[] = {
        "sqrt", "sqrtf", "fabs", "fabsf", "abs", "labs", "llabs", "floor", "ceil", "round", "trunc",
        "floorf", "ceilf", "fmin", "fmax", "fminf", "fmaxf", "pow", "exp", "log", "log2", "log10",
        "sin", "cos", "tan", "cbrt", "hypot", "strlen", "isnan", "isinf", "__builtin_expect", NULL
    };
    static const char *const either[] = { "min", "max", NULL };
    static const char *const members[] = { "size", "empty", "length", "capacity", "max_size",
                                           "operator[]", "data", "front", "back", NULL };
    char *name = cursor_name(f);
    enum CXCursorKind k = clang_getCursorKind(f);

    if (!is_system(f))
        return strncmp(name, "__builtin_expect", 16) == 0;
    if (k == CXCursor_CXXMethod)
        return is_in(members, name) && is_container(f);
    if (is_in(functions, name))
        return true;
    /* by <, of numbers alone */
    return is_in(either, name) && clang_Cursor_getNumArguments(f) == 2 &&
           clang_getCursorResultType(f).kind == CXType_LValueReference &&
           is_scalar(clang_getPointeeType(clang_getCursorResultType(f)));
}

typedef struct search {
    int values; /* variables with a first value */
    int depth;
    bool found; /* what is not pure */
} search;

static bool is_pure_function(CXCursor f, int depth);

static bool is_plain_type(CXType t)
{
    t = clang_getCanonicalType(t);
    if (t.kind == CXType_LValueReference || t.kind == CXType_Pointer)
        return !clang_isVolatileQualifiedType(clang_getPointeeType(t));
    return is_scalar(t) && !clang_isVolatileQualifiedType(t);
}

/* Does `=` follow the name? */
static bool is_given(CXCursor variable_decl)
{
    CXSourceLocation name = clang_getCursorLocation(variable_decl);
    CXToken *all;
    unsigned count;
    bool given = false;

    clang_tokenize(unit, clang_getCursorExtent(variable_decl), &all, &count);
    for (unsigned i = 0; i + 1 < count; i++)
        if (clang_equalLocations(clang_getTokenLocation(unit, all[i]), name)) {
            CXString s = clang_getTokenSpelling(unit, all[i + 1]);

            given = strcmp(clang_getCString(s), "=") == 0;
            clang_disposeString(s);
        }
    clang_disposeTokens(unit, all, count);
    return given;
}

static enum CXChildVisitResult count_one(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)c;
    (void)parent;
    ++*(int *)data;
    return CXChildVisit_Continue;
}

/* A cast has one operand: what else libclang has no kind for may do anything, as __atomic_ does. */
bool is_unsteady(CXCursor c)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    CXType type = clang_getCursorType(c);
    int operands = 0;

    if (!clang_isExpression(k))
        return false;
    if (k == CXCursor_UnexposedExpr)
        clang_visitChildren(c, count_one, &operands);
    return operands > 1 || clang_isVolatileQualifiedType(type) ||
           clang_getCanonicalType(type).kind == CXType_Atomic;
}

static enum CXChildVisitResult look(CXCursor c, CXCursor parent, CXClientData data)
{
    search *s = data;
    enum CXCursorKind k = clang_getCursorKind(c);
    CXCursor to = clang_getCursorReferenced(c);

    (void)parent;
    s->found |= is_unsteady(c);
    switch ((int)k) {
    case CXCursor_VarDecl:
        s->found |= !is_plain_type(clang_getCursorType(c)) ||
                    clang_Cursor_getStorageClass(c) == CX_SC_Static ||
                    clang_getCursorTLSKind(c) != CXTLS_None;
        s->values += is_given(c);
        break;
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr:
        s->found |= clang_getCursorTLSKind(to) != CXTLS_None;
        break;
    case CXCursor_CallExpr:
        s->found |= !is_pure_function(to, s->depth + 1);
        break;
    case CXCursor_LambdaExpr:
    case CXCursor_CXXNewExpr:
    case CXCursor_CXXDeleteExpr:
    case CXCursor_CXXThrowExpr:
    case CXCursor_CXXTryStmt:
    case CXCursor_StmtExpr:
    case CXCursor_GCCAsmStmt:
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_CXXForRangeStmt:
    case CXCursor_OverloadedDeclRef:
        s->found = true;
        break;
    default:
        break;
    }
    return s->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* Its tokens: no operator that writes, and no more `=` than variables. */
static bool writes(CXCursor body, int values)
{
    static const char *const operators[] = { "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
                                             "^=", "<<=", ">>=", "#", "asm", "__asm__", "static",
                                             "operator", "volatile", NULL };
    CXToken *all;
    unsigned count;
    bool found = false;

    clang_tokenize(unit, clang_getCursorExtent(body), &all, &count);
    found = count == 0;
    for (unsigned i = 0; i < count; i++) {
        CXString s = clang_getTokenSpelling(unit, all[i]);
        const char *word = clang_getCString(s);

        found |= clang_getTokenKind(all[i]) != CXToken_Comment && is_in(operators, word);
        values -= strcmp(word, "=") == 0;
        clang_disposeString(s);
    }
    clang_disposeTokens(unit, all, count);
    return found || values < 0;
}

static enum CXChildVisitResult find_body(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_CompoundStmt)
        *(CXCursor *)data = c;
    return CXChildVisit_Continue;
}

CXCursor definition_of(CXCursor function)
{
    CXCursor made = clang_getCursorDefinition(function), body = clang_getNullCursor(),
             general = clang_getSpecializedCursorTemplate(function);

    if (!clang_Cursor_isNull(made))
        clang_visitChildren(made, find_body, &body);
    if (!clang_Cursor_isNull(body) || clang_Cursor_isNull(general))
        return made;
    return clang_getCursorDefinition(general);
}

/* A macro in it may hide anything. */
static enum CXChildVisitResult find_macros(CXCursor c, CXCursor parent, CXClientData data)
{
    CXSourceRange *in = data;
    CXFile file, its;
    unsigned lo, hi, at;

    (void)parent;
    if (clang_getCursorKind(c) != CXCursor_MacroExpansion)
        return CXChildVisit_Continue;
    clang_getFileLocation(clang_getRangeStart(*in), &file, NULL, NULL, &lo);
    clang_getFileLocation(clang_getRangeEnd(*in), NULL, NULL, NULL, &hi);
    clang_getFileLocation(clang_getCursorLocation(c), &its, NULL, NULL, &at);
    if (its && file && clang_File_isEqual(its, file) && at >= lo && at < hi) {
        *in = clang_getNullRange();
        return CXChildVisit_Break;
    }
    return CXChildVisit_Continue;
}

static bool has_macro(CXCursor body)
{
    CXSourceRange in = clang_getCursorExtent(body);

    clang_visitChildren(clang_getTranslationUnitCursor(unit), find_macros, &in);
    return clang_Range_isNull(in);
}

static enum CXChildVisitResult find_expression(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_isExpression(clang_getCursorKind(c)))
        *(bool *)data = true;
    return CXChildVisit_Continue;
}

/* No copies of objects, nor a value that the call does not show. */
static bool has_plain_parameters(CXCursor f)
{
    for (int i = 0, n = clang_Cursor_getNumArguments(f); i < n; i++) {
        CXCursor one = clang_Cursor_getArgument(f, (unsigned)i);
        bool given = false;

        clang_visitChildren(one, find_expression, &given);
        if (given || !is_plain_type(clang_getCursorType(one)))
            return false;
    }
    return true;
}

static bool is_pure_function(CXCursor f, int depth)
{
    enum CXCursorKind k = clang_Cursor_isNull(f) ? CXCursor_InvalidFile : clang_getCursorKind(f);
    search s = { .depth = depth };
    CXCursor definition, body = clang_getNullCursor();
    CXType result;

    if (depth > 6 || (k != CXCursor_FunctionDecl && k != CXCursor_CXXMethod))
        return false;
    if (!has_plain_parameters(f) || !has_plain_parameters(clang_getCanonicalCursor(f)))
        return false;
    result = clang_getCursorResultType(f);
    if (!is_plain_type(result))
        return false;
    if (is_known_pure(f))
        return true;
    if (is_system(f) || clang_CXXMethod_isVirtual(f) ||
        !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(f)))
        return false;
    definition = clang_getCursorDefinition(f);
    if (clang_Cursor_isNull(definition) || !has_plain_parameters(definition))
        return false;
    clang_visitChildren(definition, find_body, &body);
    if (clang_Cursor_isNull(body) || has_macro(body))
        return false;
    clang_visitChildren(body, look, &s);
    return !s.found && !writes(body, s.values);
}

bool is_pure_call(int n)
{
    return is_pure_function(clang_getCursorReferenced(nodes[n].cursor), 0);
}
