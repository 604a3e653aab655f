/*
 * type.c - types as text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <string.h>

/* Without parentheses and the like; typedefs stay. */
CXType plain(CXType t)
{
    while (t.kind == CXType_Elaborated || t.kind == CXType_Unexposed) {
        CXType next = t.kind == CXType_Elaborated ? clang_Type_getNamedType(t)
                                                  : clang_getCanonicalType(t);

        if (next.kind == t.kind || next.kind == CXType_Invalid)
            break;
        t = next;
    }
    return t;
}

bool is_array(CXType t)
{
    t = clang_getCanonicalType(t);
    return t.kind == CXType_ConstantArray || t.kind == CXType_VariableArray ||
           t.kind == CXType_IncompleteArray || t.kind == CXType_DependentSizedArray;
}

/* Variably modified: an array whose length is a variable, or a pointer to one. */
bool is_variable_array(CXType t)
{
    t = clang_getCanonicalType(t);
    for (;;) {
        if (t.kind == CXType_VariableArray)
            return true;
        if (t.kind == CXType_Pointer)
            t = clang_getCanonicalType(clang_getPointeeType(t));
        else if (t.kind == CXType_ConstantArray || t.kind == CXType_IncompleteArray)
            t = clang_getCanonicalType(clang_getArrayElementType(t));
        else
            return false;
    }
}

bool is_floating(CXType t)
{
    t = clang_getCanonicalType(t);
    return t.kind == CXType_Float || t.kind == CXType_Double || t.kind == CXType_LongDouble;
}

bool is_unsigned(CXType t)
{
    t = clang_getCanonicalType(t);
    return t.kind == CXType_Bool || t.kind == CXType_Char_U || t.kind == CXType_UChar ||
           t.kind == CXType_UShort || t.kind == CXType_UInt || t.kind == CXType_ULong ||
           t.kind == CXType_ULongLong;
}

/* A template's argument says what it is. */
bool is_dependent(CXType t)
{
    t = clang_getCanonicalType(t);
    return t.kind == CXType_Dependent || t.kind == CXType_Unexposed ||
           t.kind == CXType_Auto || t.kind == CXType_Invalid;
}

/* A number. */
bool is_scalar(CXType t)
{
    t = clang_getCanonicalType(t);
    return is_floating(t) || (t.kind >= CXType_Bool && t.kind <= CXType_LongLong &&
                              t.kind != CXType_UInt128) || t.kind == CXType_Enum;
}

static bool is_function(CXType t)
{
    return t.kind == CXType_FunctionProto || t.kind == CXType_FunctionNoProto;
}

static char *declare_function(CXType t, const char *name)
{
    text s = { 0 };
    int n = clang_getNumArgTypes(t);

    text_format(&s, "%s(", name);
    for (int i = 0; i < n; i++) {
        char *one = declare(clang_getArgType(t, (unsigned)i), "");

        if (!one)
            return NULL;
        text_format(&s, "%s%s", i ? ", " : "", one);
    }
    if (clang_isFunctionTypeVariadic(t))
        text_add(&s, n ? ", ..." : "");
    else if (n == 0 && t.kind == CXType_FunctionProto)
        text_add(&s, "void");
    text_add(&s, ")");
    return declare(clang_getResultType(t), s.s);
}

/* The declaration of a name, or a type alone where the name is empty.  plain() leaves out what
   is said of `struct s`. */
char *declare(CXType t, const char *name)
{
    const char *is_const = clang_isConstQualifiedType(t) ? "const " : "";
    const char *is_volatile = clang_isVolatileQualifiedType(t) ? "volatile " : "";
    char *s;

    t = plain(t);
    if (t.kind == CXType_Pointer) {
        CXType to = plain(clang_getPointeeType(t));
        bool inner = is_function(to) || to.kind == CXType_ConstantArray ||
                     to.kind == CXType_IncompleteArray;

        s = format(inner ? "(*%s%s%s)" : "*%s%s%s", is_const, is_volatile, name);
        return declare(clang_getPointeeType(t), s);
    }
    if (t.kind == CXType_ConstantArray)
        return declare(clang_getArrayElementType(t),
                       format("%s[%lld]", name, clang_getArraySize(t)));
    if (t.kind == CXType_IncompleteArray)
        return declare(clang_getArrayElementType(t), format("%s[]", name));
    if (is_function(t))
        return declare_function(t, name);
    if (t.kind == CXType_VariableArray || t.kind == CXType_Invalid)
        return NULL;
    s = type_name(t);
    if (*is_volatile && !clang_isVolatileQualifiedType(t))
        s = format("volatile %s", s);
    if (*is_const && !clang_isConstQualifiedType(t))
        s = format("const %s", s);
    if (strchr(begins(s, "_Atomic(") ? s + 8 : s, '(')) /* it has no name */
        return NULL;
    if (!*name)
        return s;
    return format(*name == '[' ? "%s%s" : "%s %s", s, name);
}

char *declare_variable(CXType t, const char *name)
{
    char *s = declare(t, name);

    return s && is_scalar(clang_getCanonicalType(t)) && begins(s, "const ") ? s + 6 : s;
}

/* Can it stand before a name? */
bool is_prefix(CXType t)
{
    t = plain(t);
    while (t.kind == CXType_Pointer)
        t = plain(clang_getPointeeType(t));
    return !is_function(t) && t.kind != CXType_ConstantArray &&
           t.kind != CXType_IncompleteArray && t.kind != CXType_VariableArray;
}
