/*
 * virtual.c - virtual functions: a call names one, and another one may be executed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <string.h>

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
