/*
 * counted.c - a `for` loop that ends by itself, whatever other threads do.
 *
 * SPDX-License-Identifier: MIT
 *
 * A loop is COUNTED if its condition is one relation of a COUNTER, a local number or pointer that
 * the step moves; if nothing else that the header reads is written in the body; and if nothing in
 * the body leads out.  Any other loop may be ended by its body, which is looked at as that of a
 * `while`.  What is not understood is not counted: of a local variable the body may have nothing
 * but its value, and no function has its address.
 */
#include "port.h"

#include <string.h>

typedef struct header {
    CXCursor body;
    bool memory; /* the header reads more than local variables */
} header;

/* ---- cursors ---- */

/* Without parentheses, and what converts. */
static CXCursor bare_cursor(CXCursor c)
{
    for (;;) {
        enum CXCursorKind k = clang_getCursorKind(c);
        cursors parts = children_of(c);

        if (parts.count != 1 || (k != CXCursor_UnexposedExpr && k != CXCursor_ParenExpr &&
                                 k != CXCursor_CStyleCastExpr))
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

/* Is one of these the operator between two operands? */
static bool is_operator(CXCursor c, const char *const *all)
{
    cursors parts = children_of(c);
    char *s;

    if (clang_getCursorKind(c) != CXCursor_BinaryOperator || parts.count != 2)
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
    char *s;
    size_t n;

    if (clang_getCursorKind(c) != CXCursor_UnaryOperator)
        return false;
    s = text_between(clang_getRangeStart(r), clang_getRangeEnd(r));
    n = strlen(s);
    return n > 2 && (begins(s, "++") || begins(s, "--") || strcmp(s + n - 2, "++") == 0 ||
                     strcmp(s + n - 2, "--") == 0);
}

static bool is_number_or_pointer(CXType type)
{
    CXType t = clang_getCanonicalType(type);

    return (t.kind >= CXType_Bool && t.kind <= CXType_LongDouble) || t.kind == CXType_Pointer ||
           t.kind == CXType_Enum;
}

/* ---- what is done to what the header reads ---- */

/* What is looked for: a variable, a field, an element of a type, or an object of a class. */
typedef struct aim {
    enum { VARIABLE, FIELD, ELEMENT, OBJECT } kind;
    CXCursor what;
    CXType type;
    CXCursor body;     /* there the value alone may be taken */
    bool anywhere;     /* look at the function around it, too: who has the address? */
    bool found;
} aim;

static bool is_aim(const aim *a, CXCursor c)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    cursors parts;

    if (a->kind == VARIABLE)
        return (k == CXCursor_DeclRefExpr || k == CXCursor_VariableRef) &&
               clang_equalCursors(clang_getCanonicalCursor(clang_getCursorReferenced(c)), a->what);
    if (a->kind == FIELD)
        return (k == CXCursor_MemberRefExpr || k == CXCursor_MemberRef) &&
               clang_equalCursors(clang_getCanonicalCursor(clang_getCursorReferenced(c)), a->what);
    parts = children_of(c);
    if (a->kind == OBJECT) /* whatever of the class is no constant */
        return clang_isExpression(k) && !clang_isConstQualifiedType(clang_getCursorType(c)) &&
               clang_equalTypes(clang_getCanonicalType(clang_getCursorType(c)), a->type);
    return (k == CXCursor_ArraySubscriptExpr || k == CXCursor_UnaryOperator) &&
           clang_equalTypes(clang_getCanonicalType(clang_getCursorType(c)), a->type) &&
           (k == CXCursor_ArraySubscriptExpr ||
            (parts.count && clang_getCanonicalType(clang_getCursorType(parts.all[0])).kind ==
                                CXType_Pointer));
}

/* Its value is taken: by a conversion, where no type depends on a template's argument. */
static bool reads(CXCursor around)
{
    static const char *const all[] = { "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=",
                                       "&&", "||", "<<", ">>", "&", "|", "^", NULL };
    enum CXCursorKind k = clang_getCursorKind(around);

    return k == CXCursor_UnexposedExpr || k == CXCursor_ArraySubscriptExpr ||
           is_operator(around, all);
}

static bool calls_function(CXCursor c)
{
    return clang_getCursorKind(c) == CXCursor_CallExpr &&
           clang_getCursorKind(clang_getCursorReferenced(c)) != CXCursor_Constructor;
}

/* Outside of the loop: a store, or a function that may store until it returns. */
static bool stores(CXCursor around, CXCursor above)
{
    static const char *const assign[] = { "=", NULL };

    return clang_getCursorKind(around) == CXCursor_CompoundAssignOperator ||
           moves_by_one(around) || is_operator(around, assign) || calls_function(around) ||
           (clang_getCursorKind(around) == CXCursor_UnaryOperator && calls_function(above));
}

/* A statement has another cursor for each way to it. */
static bool is_same(CXCursor a, CXCursor b)
{
    return clang_getCursorKind(a) == clang_getCursorKind(b) &&
           clang_equalRanges(clang_getCursorExtent(a), clang_getCursorExtent(b));
}

/* around, above: what it stands in, without parentheses. */
static void search_aim(aim *a, CXCursor c, CXCursor around, CXCursor above, bool inside,
                       bool in_lambda)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    cursors parts = children_of(c);
    bool same = k == CXCursor_ParenExpr;

    inside |= is_same(c, a->body);
    in_lambda |= k == CXCursor_LambdaExpr;
    if (is_aim(a, c) && !reads(around) &&
        (inside || (a->anywhere && (in_lambda || !stores(around, above)))))
        a->found = true;
    for (int i = 0; i < parts.count && !a->found; i++)
        search_aim(a, parts.all[i], same ? around : c, same ? above : around, inside, in_lambda);
}

/* Is it another one after the body? */
static bool is_written(const header *h, aim a)
{
    a.body = h->body;
    search_aim(&a, h->body, h->body, h->body, false, false);
    return a.found;
}

/* Or has anybody its address? */
static bool is_exposed(const header *h, aim a, CXCursor function)
{
    a.body = h->body;
    a.anywhere = true;
    search_aim(&a, function, function, function, false, false);
    return a.found || clang_Cursor_isNull(function);
}

/* The function whose variable it is; null: unclear. */
static CXCursor home_of(CXCursor local)
{
    CXCursor f = clang_getCursorSemanticParent(local), body = definition_of(f);

    return clang_Cursor_isNull(body) ? f : body;
}

static bool is_kept_variable(header *h, CXCursor v)
{
    CXType t = clang_getCursorType(v);
    aim a = { .kind = VARIABLE, .what = v };

    if (clang_getCursorKind(v) != CXCursor_VarDecl && clang_getCursorKind(v) != CXCursor_ParmDecl)
        return clang_getCursorKind(v) == CXCursor_EnumConstantDecl;
    if (clang_isConstQualifiedType(t) && is_number_or_pointer(t))
        return true;
    if (!is_number_or_pointer(t))
        return false;
    h->memory |= !is_local(v);
    return !is_written(h, a) && (!is_local(v) || !is_exposed(h, a, home_of(v)));
}

static bool is_kept(header *h, CXCursor c);

static bool are_kept(header *h, cursors parts)
{
    for (int i = 0; i < parts.count; i++)
        if (!is_kept(h, parts.all[i]))
            return false;
    return true;
}

/* An object, or what leads to a member, an element or a method: only pointers may lead elsewhere. */
static bool is_kept_base(header *h, CXCursor c)
{
    CXCursor b = bare_cursor(c), v = variable_in(b);
    CXType t = clang_getCanonicalType(clang_getCursorType(b));

    if (clang_getCursorKind(b) == CXCursor_CXXThisExpr)
        return true;
    if (!clang_Cursor_isNull(v) && t.kind != CXType_Pointer)
        return t.kind == CXType_Record || t.kind == CXType_ConstantArray ||
               t.kind == CXType_IncompleteArray;
    return is_kept(h, b);
}

/* A call of a method that is const, if no object of the class is changed. */
static bool is_kept_call(header *h, CXCursor c, cursors parts)
{
    CXCursor to = clang_getCursorReferenced(c);
    aim a = { .kind = OBJECT };

    h->memory = true;
    if (clang_getCursorKind(to) != CXCursor_CXXMethod || !clang_CXXMethod_isConst(to) ||
        parts.count != 1 || clang_getCursorKind(parts.all[0]) != CXCursor_MemberRefExpr ||
        clang_Cursor_getNumArguments(c) != 0)
        return false;
    a.type = clang_getCanonicalType(clang_getCursorType(clang_getCursorSemanticParent(to)));
    parts = children_of(parts.all[0]);
    return (!parts.count || is_kept_base(h, parts.all[0])) &&
           !is_written(h, a);
}

/* An expression of the header: has it the same value behind the body? */
static bool is_kept(header *h, CXCursor c)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    cursors parts = children_of(c);
    aim a = { .what = clang_getCanonicalCursor(clang_getCursorReferenced(c)),
              .type = clang_getCanonicalType(clang_getCursorType(c)) };

    if (k == CXCursor_DeclRefExpr)
        return is_kept_variable(h, a.what);
    if (k == CXCursor_CallExpr)
        return is_kept_call(h, c, parts);
    if (k == CXCursor_MemberRefExpr) {
        h->memory = true;
        a.kind = FIELD;
        return !clang_Cursor_isNull(a.what) && is_number_or_pointer(a.type) && !is_written(h, a) &&
               (!parts.count || is_kept_base(h, parts.all[0]));
    }
    a.kind = ELEMENT;
    if (k == CXCursor_ArraySubscriptExpr || is_aim(&a, c)) {
        h->memory = true;
        return is_number_or_pointer(a.type) && parts.count && !is_written(h, a) &&
               is_kept_base(h, parts.all[0]) && (parts.count < 2 || is_kept(h, parts.all[1]));
    }
    return (k == CXCursor_BinaryOperator || k == CXCursor_UnaryOperator ||
            k == CXCursor_UnexposedExpr || k == CXCursor_ParenExpr ||
            k == CXCursor_CStyleCastExpr || k == CXCursor_CXXFunctionalCastExpr ||
            k == CXCursor_CXXStaticCastExpr || k == CXCursor_TypeRef ||
            k == CXCursor_UnaryExpr || k == CXCursor_IntegerLiteral ||
            k == CXCursor_FloatingLiteral || k == CXCursor_CharacterLiteral ||
            k == CXCursor_CXXBoolLiteralExpr || k == CXCursor_CXXNullPtrLiteralExpr ||
            k == CXCursor_GNUNullExpr) &&
           are_kept(h, parts);
}

/* Functions that the body calls may write to memory, if they change anything that is shared. */
static bool calls_writers(CXCursor c)
{
    cursors parts = children_of(c);

    if (clang_getCursorKind(c) == CXCursor_CallExpr && calls_shared(c))
        return true;
    for (int i = 0; i < parts.count; i++)
        if (calls_writers(parts.all[i]))
            return true;
    return false;
}

/* ---- the header ---- */

/* The local variables that the step moves; false: it does something else, or by what the body
   writes. */
static bool read_step(header *h, CXCursor step, cursors *counters)
{
    static const char *const comma[] = { ",", NULL }, *const assign[] = { "=", NULL };
    CXCursor c = bare_cursor(step), v;
    cursors parts = children_of(c);

    if (is_operator(c, comma))
        return read_step(h, parts.all[0], counters) && read_step(h, parts.all[1], counters);
    if (!parts.count || !(moves_by_one(c) || is_operator(c, assign) ||
                          clang_getCursorKind(c) == CXCursor_CompoundAssignOperator))
        return false;
    v = variable_in(bare_cursor(parts.all[0]));
    if (clang_Cursor_isNull(v) || !is_local(v) || !is_kept_variable(h, v))
        return false;
    if (parts.count == 2 && (!is_kept(h, parts.all[1]) ||
                             (is_operator(c, assign) && !names_variable(parts.all[1], v))))
        return false;
    add_cursor(counters, v);
    return true;
}

/* One relation, or the counter itself. */
static bool read_condition(header *h, CXCursor condition, cursors counters)
{
    static const char *const relations[] = { "<", "<=", ">", ">=", "!=", NULL };
    CXCursor c = bare_cursor(condition);
    bool relation = is_operator(c, relations);

    for (int i = 0; i < counters.count; i++)
        if (relation ? names_variable(c, counters.all[i])
                     : clang_equalCursors(variable_in(c), counters.all[i]))
            return is_kept(h, c);
    return false;
}

/* OpenMP asks as much of its loops. */
static bool is_shared(CXCursor statement)
{
    for (int i = 0; i < directive_count; i++)
        if ((directives[i].words & W_FOR) && directives[i].statement >= 0 &&
            is_same(nodes[directives[i].statement].cursor, statement))
            return true;
    return false;
}

bool is_counted(CXCursor statement)
{
    cursors parts = children_of(statement), counters = { NULL, 0 };
    header h;

    if (clang_getCursorKind(statement) != CXCursor_ForStmt || parts.count != 4 ||
        leads_out(parts.all[3], false))
        return false;
    if (is_shared(statement))
        return true;
    h = (header){ .body = parts.all[3] };
    return read_step(&h, parts.all[2], &counters) && read_condition(&h, parts.all[1], counters) &&
           !(h.memory && calls_writers(h.body));
}
