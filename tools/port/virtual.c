/*
 * virtual.c - functions that a call does not name: of derived classes, and of a class's objects.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

static CXCursor *methods; /* that override another one, with a body or without */
static int method_count;
static bool gathered;

static enum CXChildVisitResult find_final(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_CXXFinalAttr)
        *(bool *)data = true;
    return CXChildVisit_Continue;
}

static bool is_final(CXCursor c)
{
    bool found = false;

    if (!clang_Cursor_isNull(c))
        clang_visitChildren(c, find_final, &found);
    return found;
}

/* The name of the class stands before the function's: a::f(). */
static enum CXChildVisitResult find_class(CXCursor c, CXCursor parent, CXClientData data)
{
    enum CXCursorKind k = clang_getCursorKind(c);

    (void)parent;
    if (k == CXCursor_TypeRef || k == CXCursor_TemplateRef)
        *(bool *)data = true;
    return CXChildVisit_Continue;
}

static enum CXChildVisitResult find_named(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_MemberRefExpr)
        clang_visitChildren(c, find_class, data);
    return CXChildVisit_Break;
}

bool may_be_another(CXCursor function)
{
    return clang_CXXMethod_isVirtual(function) && !is_final(function) &&
           !is_final(clang_getCursorDefinition(clang_getCursorSemanticParent(function)));
}

bool calls_another(CXCursor of, CXCursor function)
{
    bool named = false;

    if (!may_be_another(function))
        return false;
    clang_visitChildren(of, find_named, &named);
    return !named;
}

static enum CXChildVisitResult gather(CXCursor c, CXCursor parent, CXClientData data)
{
    enum CXCursorKind k = clang_getCursorKind(c);

    (void)parent;
    (void)data;
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(c)))
        return CXChildVisit_Continue;
    if (k == CXCursor_CXXMethod || k == CXCursor_Destructor) {
        CXCursor *of;
        unsigned count;

        clang_getOverriddenCursors(c, &of, &count);
        if (count) {
            methods = grow(methods, (size_t)(method_count + 1) * sizeof *methods);
            methods[method_count++] = c;
        }
        clang_disposeOverriddenCursors(of);
    }
    return CXChildVisit_Recurse;
}

static bool overrides(CXCursor c, CXCursor function, int depth)
{
    CXCursor *of;
    unsigned count;
    bool found = false;

    clang_getOverriddenCursors(c, &of, &count);
    for (unsigned i = 0; i < count && !found; i++)
        found = clang_equalCursors(clang_getCanonicalCursor(of[i]),
                                   clang_getCanonicalCursor(function)) ||
                (depth < 32 && overrides(of[i], function, depth + 1));
    clang_disposeOverriddenCursors(of);
    return found;
}

bool next_overrider(CXCursor function, int *at, CXCursor *c)
{
    if (!clang_CXXMethod_isVirtual(function))
        return false;
    if (!gathered)
        clang_visitChildren(clang_getTranslationUnitCursor(unit), gather, NULL);
    gathered = true;
    while (*at < method_count) {
        *c = methods[(*at)++];
        if (overrides(*c, function, 0))
            return true;
    }
    return false;
}

static enum CXChildVisitResult find_member(CXCursor c, CXCursor parent, CXClientData data)
{
    enum CXCursorKind k = clang_getCursorKind(c);

    (void)parent;
    if (k == CXCursor_Destructor || k == CXCursor_Constructor || k == CXCursor_FieldDecl ||
        k == CXCursor_CXXBaseSpecifier)
        *(bool *)data = true;
    return CXChildVisit_Continue;
}

/* The definition of a class, or of its template.  Null: it is the system's, or there is none. */
CXCursor own_class(CXType type)
{
    CXCursor decl = clang_getTypeDeclaration(clang_getCanonicalType(type)), general, made;
    bool special = false; /* an explicit specialisation, which has members of its own */

    if (clang_getCanonicalType(type).kind != CXType_Record || clang_Cursor_isNull(decl) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(decl)))
        return clang_getNullCursor();
    general = clang_getSpecializedCursorTemplate(decl);
    made = clang_getCursorDefinition(decl);
    if (!clang_Cursor_isNull(made))
        clang_visitChildren(made, find_member, &special);
    return special || clang_Cursor_isNull(general) ? made : clang_getCursorDefinition(general);
}
