/*
 * virtual.c - functions that a call does not name: of derived classes, of a class's objects,
 * specialisations of a template, and those that the types of a template choose.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <string.h>

static CXCursor *methods; /* that override another one, with a body or without */
static int method_count;
static CXCursor *specials; /* functions that take the place of a template's, for some types */
static int special_count;
static CXCursor *bodies; /* functions with a body */
static int body_count;
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

static enum CXChildVisitResult find_first(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(CXCursor *)data = c;
    return CXChildVisit_Break;
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
    if ((k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod || k == CXCursor_Constructor ||
         k == CXCursor_Destructor || k == CXCursor_ConversionFunction) &&
        !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(c))) {
        specials = grow(specials, (size_t)(special_count + 1) * sizeof *specials);
        specials[special_count++] = c;
    }
    if ((k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod || k == CXCursor_FunctionTemplate) &&
        clang_isCursorDefinition(c)) {
        bodies = grow(bodies, (size_t)(body_count + 1) * sizeof *bodies);
        bodies[body_count++] = c;
    }
    return CXChildVisit_Recurse;
}

static void gather_all(void)
{
    if (!gathered)
        clang_visitChildren(clang_getTranslationUnitCursor(unit), gather, NULL);
    gathered = true;
}

/* Does the first take the place of the second, a template's, which a template calls? */
static bool specialises(CXCursor c, CXCursor function)
{
    for (int depth = 0; depth < 8; depth++) {
        c = clang_getSpecializedCursorTemplate(c);
        if (clang_Cursor_isNull(c))
            return false;
        if (clang_equalCursors(clang_getCanonicalCursor(c), clang_getCanonicalCursor(function)))
            return true;
    }
    return false;
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

bool next_other(CXCursor function, int *at, CXCursor *c)
{
    if (!is_cxx)
        return false;
    gather_all();
    while (*at < method_count) {
        *c = methods[(*at)++];
        if (clang_CXXMethod_isVirtual(function) && overrides(*c, function, 0))
            return true;
    }
    while (*at < method_count + special_count) {
        *c = specials[(*at)++ - method_count];
        if (specialises(*c, function))
            return true;
    }
    return false;
}

/* The last name in a text, outside of <>. */
static char *last_name(CXSourceRange in)
{
    CXToken *all;
    unsigned count;
    char *name = NULL;
    int depth = 0;

    clang_tokenize(unit, in, &all, &count);
    for (unsigned i = count; i > 0 && !name; i--) {
        CXString s = clang_getTokenSpelling(unit, all[i - 1]);
        const char *word = clang_getCString(s);

        for (const char *p = word; *p == '<' || *p == '>'; p++)
            depth += *p == '>' ? 1 : -1;
        if (depth == 0 && clang_getTokenKind(all[i - 1]) == CXToken_Identifier)
            name = copy_bytes(word, strlen(word));
        clang_disposeString(s);
    }
    clang_disposeTokens(unit, all, count);
    return name;
}

char *open_name(CXCursor of)
{
    CXCursor callee = clang_getNullCursor();

    if (!is_cxx || clang_getCursorKind(of) != CXCursor_CallExpr ||
        !clang_Cursor_isNull(clang_getCursorReferenced(of)))
        return NULL;
    clang_visitChildren(of, find_first, &callee);
    return clang_Cursor_isNull(callee) ? NULL : last_name(clang_getCursorExtent(callee));
}

bool next_named(const char *name, int *at, CXCursor *c)
{
    gather_all();
    while (*at < body_count) {
        *c = bodies[(*at)++];
        if (strcmp(cursor_name(*c), name) == 0)
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

/* ---- what an object has called that nobody names ---- */

typedef struct looked { /* a class that is in the list */
    CXCursor class;
    bool begins_too;
} looked;

typedef struct gathering {
    unnamed_list *into;
    looked *classes;
    int class_count;
    bool begins_too; /* of the class that is looked at */
} gathering;

static unnamed_list **lists;
static int list_count;

static void add_unnamed(unnamed_list *into, enum unnamed_kind kind, CXCursor c, CXType type)
{
    into->all = grow(into->all, (size_t)(into->count + 1) * sizeof *into->all);
    into->all[into->count++] = (unnamed){ kind, c, type };
}

static void add_class(gathering *g, CXType type, bool begins_too);

static enum CXChildVisitResult add_member(CXCursor c, CXCursor parent, CXClientData data)
{
    gathering *g = data;
    CXType type = clang_getCursorType(c);

    (void)parent;
    switch ((int)clang_getCursorKind(c)) {
    case CXCursor_Constructor:
        if (g->begins_too)
            add_unnamed(g->into, BEGINS_OR_ENDS, c, type);
        break;
    case CXCursor_Destructor:
        add_unnamed(g->into, BEGINS_OR_ENDS, c, type);
        break;
    case CXCursor_CXXMethod:
        if (strcmp(cursor_name(c), "operator()") == 0)
            add_unnamed(g->into, CALLED, c, type);
        break;
    case CXCursor_CXXBaseSpecifier:
        add_class(g, type, true);
        break;
    case CXCursor_FieldDecl:
        add_class(g, type, true);
        add_unnamed(g->into, MEMBER, c, type);
        break;
    default:
        break;
    }
    return CXChildVisit_Continue;
}

static bool is_new(gathering *g, CXCursor class, bool begins_too)
{
    for (int i = 0; i < g->class_count; i++)
        if (clang_equalCursors(g->classes[i].class, class) &&
            (g->classes[i].begins_too || !begins_too))
            return false;
    g->classes = grow(g->classes, (size_t)(g->class_count + 1) * sizeof *g->classes);
    g->classes[g->class_count++] = (looked){ class, begins_too };
    return true;
}

/* Of an array its elements' type. */
static CXType object_type(CXType type)
{
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray ||
           type.kind == CXType_VariableArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    return type;
}

static void add_class(gathering *g, CXType type, bool begins_too)
{
    bool around = g->begins_too;
    CXCursor class;

    type = object_type(type);
    for (int i = 0; i < clang_Type_getNumTemplateArguments(type); i++) {
        CXType one = clang_Type_getTemplateArgumentAsType(type, (unsigned)i);

        if (strstr(type_name(type), "_ptr<"))
            add_unnamed(g->into, POINTED_AT, clang_getNullCursor(), one);
        add_class(g, one, true);
    }
    class = own_class(type);
    if (clang_Cursor_isNull(class) || !is_new(g, class, begins_too))
        return;
    g->begins_too = begins_too;
    clang_visitChildren(class, add_member, g);
    g->begins_too = around;
}

const unnamed_list *unnamed_of(CXType type, bool begins_too)
{
    static const unnamed_list none;
    gathering g = { .into = NULL };

    type = object_type(type);
    if (type.kind != CXType_Record && type.kind != CXType_Unexposed)
        return &none;
    for (int i = 0; i < list_count; i++)
        if (clang_equalTypes(lists[i]->of, type) && lists[i]->begins_too == begins_too)
            return lists[i];
    g.into = grow(NULL, sizeof *g.into);
    *g.into = (unnamed_list){ type, begins_too, NULL, 0 };
    lists = grow(lists, (size_t)(list_count + 1) * sizeof *lists);
    lists[list_count++] = g.into;
    add_class(&g, type, begins_too);
    return g.into;
}

static enum CXChildVisitResult find_virtual(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_Destructor && may_be_another(c))
        *(bool *)data = true;
    else if (clang_getCursorKind(c) == CXCursor_CXXBaseSpecifier)
        *(bool *)data |= has_virtual_end(clang_getCursorType(c));
    return CXChildVisit_Continue;
}

bool has_virtual_end(CXType type)
{
    CXCursor class = clang_getCursorDefinition(
        clang_getTypeDeclaration(clang_getCanonicalType(type)));
    bool found = false;

    if (!clang_Cursor_isNull(class))
        clang_visitChildren(class, find_virtual, &found);
    return found;
}

CXType deleted_type(CXCursor delete_expression)
{
    CXCursor pointer = clang_getNullCursor();

    clang_visitChildren(delete_expression, find_first, &pointer);
    return clang_getPointeeType(clang_getCanonicalType(clang_getCursorType(pointer)));
}
