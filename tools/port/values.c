/*
 * values.c - objects that are no more than what they hold, in C++.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <string.h>

static bool is_one_of(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool is_of_std(CXCursor c)
{
    if (!clang_Location_isInSystemHeader(clang_getCursorLocation(c)))
        return false;
    for (; !clang_Cursor_isNull(c); c = clang_getCursorSemanticParent(c))
        if (clang_getCursorKind(c) == CXCursor_Namespace && strcmp(cursor_name(c), "std") == 0)
            return true;
    return false;
}

/* Arguments of the library's templates that hold nothing. */
static bool is_rule(CXType t)
{
    static const char *const rules[] = { "allocator", "less", "greater", "hash", "equal_to",
                                         "char_traits", "ratio", "system_clock", "steady_clock",
                                         NULL };
    CXCursor c = clang_getTypeDeclaration(clang_getCanonicalType(t));

    return is_of_std(c) && is_one_of(rules, cursor_name(c));
}

static bool holds_values(CXType t)
{
    static const char *const classes[] = {
        "vector", "array", "deque", "list", "map", "multimap", "set", "multiset",
        "unordered_map", "unordered_multimap", "unordered_set", "unordered_multiset",
        "basic_string", "pair", "tuple", "complex", "duration", "time_point",
        "mersenne_twister_engine", "linear_congruential_engine", "subtract_with_carry_engine",
        "uniform_int_distribution", "uniform_real_distribution", "normal_distribution",
        "bernoulli_distribution", "exponential_distribution", "poisson_distribution", NULL
    };
    CXCursor c = clang_getTypeDeclaration(t);

    if (!is_of_std(c) || !is_one_of(classes, cursor_name(c)))
        return false;
    for (int i = 0; i < clang_Type_getNumTemplateArguments(t); i++) {
        CXType one = clang_Type_getTemplateArgumentAsType(t, (unsigned)i);

        if (one.kind == CXType_Invalid || is_rule(one))
            continue;
        if (!is_value(one) || (strcmp(cursor_name(c), "vector") == 0 &&
                               clang_getCanonicalType(one).kind == CXType_Bool))
            return false;
    }
    return true;
}

static enum CXVisitorResult find_mutable(CXCursor field, CXClientData data)
{
    CXType t = clang_getCanonicalType(clang_getCursorType(field));

    while (is_array(t))
        t = clang_getCanonicalType(clang_getArrayElementType(t));
    *(bool *)data |= clang_CXXField_isMutable(field) || (t.kind == CXType_Record && !is_value(t));
    return CXVisit_Continue;
}

/* A number, a pointer, plain data, and what the library holds of these: its end does nothing
   but free memory, and a function that is const leaves it as it is. */
bool is_value(CXType t)
{
    bool changes = false;

    t = clang_getCanonicalType(t);
    if (is_scalar(t) || t.kind == CXType_Pointer || t.kind == CXType_MemberPointer ||
        t.kind == CXType_NullPtr)
        return true;
    if (is_array(t))
        return is_value(clang_getArrayElementType(t));
    if (!is_cxx)
        return true;
    if (t.kind != CXType_Record)
        return false;
    if (holds_values(t))
        return true;
    if (!clang_isPODType(t))
        return false;
    clang_Type_visitFields(t, find_mutable, &changes);
    return !changes;
}
