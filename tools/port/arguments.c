/*
 * arguments.c - what becomes of the variables of a loop in C: arguments, and locals of the body.
 *
 * SPDX-License-Identifier: MIT
 */
#include "making.h"

#include <string.h>

void give(making *m, char *type, char *name, char *value)
{
    m->arguments = grow(m->arguments, (size_t)(m->argument_count + 1) * sizeof *m->arguments);
    m->arguments[m->argument_count++] = (argument){ type, name, value };
}

void make_local(making *m, char *line)
{
    text_format(&m->prologue, "    %s\n", line);
}

/* A type that can stand before a name, by a typedef if need be. */
char *prefix_of(making *m, CXType t, const char *name)
{
    char *typedef_name, *s;

    if (is_prefix(t)) {
        CXType bare = plain(t);

        s = declare(t, "");
        if (s && ends_with(s, " ")) /* of a pointer that is const */
            s[strlen(s) - 1] = 0;
        if (s && bare.kind != CXType_Pointer && strncmp(s, "const ", 6) == 0)
            s += 6;
        return s;
    }
    typedef_name = fresh(format("%s_%s", m->p->name, name));
    s = declare(t, typedef_name);
    if (!s)
        return NULL;
    text_format(&m->typedefs, "typedef %s;\n", s);
    return typedef_name;
}

static char *pointer_to(const char *type)
{
    return format(ends_with(type, "*") ? "%s*" : "%s *", type);
}

/* The type of an array's elements, as an argument that points at them has it.  They are const
   where the array is: libclang's canonical array says it, and the type of its elements does not. */
static char *element_prefix(making *m, const variable *v)
{
    CXType array = is_array(plain(v->type)) && plain(v->type).kind != CXType_Typedef
                       ? plain(v->type) : clang_getCanonicalType(v->type),
           element = clang_getArrayElementType(array);
    bool is_said = clang_isConstQualifiedType(clang_getCanonicalType(element));
    char *type = prefix_of(m, element, v->name);

    if (!type || !clang_isConstQualifiedType(clang_getCanonicalType(v->type)))
        return type;
    if (plain(element).kind == CXType_Pointer)
        return is_said ? type : format("%sconst", type);
    /* prefix_of() leaves it out, but for a typedef's */
    return begins(type, "const ") || (is_said && !is_prefix(element)) ? type
                                                                      : format("const %s", type);
}

bool lacks_type(making *m, const variable *v)
{
    return leave(m->p->d, "the type of %s cannot be written at file scope: %s", v->name,
                 type_name(v->type));
}

bool is_local_type(const plan *p, CXType t)
{
    CXCursor c;
    unsigned at;

    for (;;) {
        t = plain(t);
        if (t.kind == CXType_Pointer)
            t = clang_getPointeeType(t);
        else if (is_array(t))
            t = clang_getArrayElementType(clang_getCanonicalType(t));
        else
            break;
    }
    c = clang_getTypeDeclaration(t);
    return in_this_file(c, &at) && at >= nodes[p->d->function].lo &&
           at < nodes[p->d->function].hi;
}

/* ---- shared variables ---- */

/* An array by its text, a pointer for the compiler. */
static bool is_array_parameter(const variable *v)
{
    return is_array(v->type) && clang_getCursorKind(v->decl) == CXCursor_ParmDecl;
}

static bool share_array(making *m, const item *i)
{
    const variable *v = &variables[i->variable];
    char *type;

    if (is_array_parameter(v) && (i->how & (USE_WHOLE | USE_WRITE)))
        return leave(m->p->d, "the parameter %s is used as a whole", v->name);
    if (clang_getCanonicalType(v->type).kind == CXType_IncompleteArray ||
        clang_getCanonicalType(v->type).kind == CXType_VariableArray) {
        if (i->how & (USE_WHOLE | USE_WRITE))
            return leave(m->p->d, "%s is an array of variable length", v->name);
    } else if (i->how & (USE_WHOLE | USE_WRITE)) {
        if (i->how & USE_HIDDEN)
            return leave(m->p->d, "%s is used as a whole in a macro", v->name);
        type = fresh(format("%s_%s", m->p->name, v->name));
        if (!declare(v->type, type))
            return lacks_type(m, v);
        text_format(&m->typedefs, "typedef %s;\n", declare(v->type, type));
        give(m, pointer_to(type), format("%s", v->name),
                     format("&%s", mark(i->variable)));
        m->called[i->variable] = format("(*%s)", v->name);
        return true;
    }
    type = element_prefix(m, v);
    if (!type)
        return lacks_type(m, v);
    give(m, pointer_to(type), format("%s", v->name), mark(i->variable));
    return true;
}

/* Has a directive around this one a copy of it?  Then its name is not the file's variable. */
static bool is_copied_around(const directive *d, const char *name)
{
    static const char *const copying[] = { "private", "firstprivate", "lastprivate", "reduction",
                                           "linear", NULL };

    for (int k = d->parent; k >= 0; k = directives[k].parent)
        for (int i = 0; copying[i]; i++)
            if (is_in_list(&directives[k], copying[i], name))
                return true;
    return false;
}

static bool share_given(making *m, const item *i)
{
    const variable *v = &variables[i->variable];
    long long size = clang_Type_getSizeOf(v->type);
    bool pointer;
    char *type;

    if (is_local_type(m->p, v->type))
        return leave(m->p->d, "the type of %s is declared in the function", v->name);
    if (is_array(v->type) && !is_variable_array(
                                 clang_getArrayElementType(clang_getCanonicalType(v->type))))
        return share_array(m, i);
    if (is_variable_array(v->type))
        return leave(m->p->d, "the type of %s is variably modified", v->name);
    pointer = (i->how & ~(unsigned)(USE_READ | USE_HIDDEN)) != 0 || size > 64 ||
              clang_isVolatileQualifiedType(clang_getCanonicalType(v->type)) ||
              clang_getCanonicalType(v->type).kind == CXType_Atomic ||
              (v->address_taken && may_change(m->p->text.lo, m->p->text.hi, v->type));
    type = prefix_of(m, v->type, v->name);
    if (!type)
        return lacks_type(m, v);
    if (!pointer) {
        give(m, type, format("%s", v->name), mark(i->variable));
        return true;
    }
    if (i->how & USE_HIDDEN)
        return leave(m->p->d, "%s is written, and stands in a macro", v->name);
    if (v->is_register)
        return leave(m->p->d, "%s is written, and is a register variable", v->name);
    if (clang_isConstQualifiedType(clang_getCanonicalType(v->type)) ||
        !(i->how & ~(unsigned)(USE_READ | USE_HIDDEN)))
        if (plain(v->type).kind != CXType_Pointer)
            type = format("const %s", type);
    if (plain(v->type).kind == CXType_Pointer && !(i->how & USE_WRITE))
        type = format("%s%sconst", type, ends_with(type, "*") ? "" : " ");
    give(m, pointer_to(type), format("%s", v->name), format("&%s", mark(i->variable)));
    m->called[i->variable] = format("(*%s)", v->name);
    return true;
}

/* By its own name: in a text no other one takes the place of a name of the file. */
bool share(making *m, const item *i)
{
    const variable *v = &variables[i->variable];

    if (v->is_global && !is_copied_around(m->p->d, v->name))
        return true;
    if (!share_given(m, i))
        return false;
    return !v->is_global || !m->called[i->variable] ||
           leave(m->p->d, "%s, of which a directive around it has a copy, may be changed", v->name);
}

/* ---- private variables ---- */

char *bare_declaration(making *m, const variable *v)
{
    char *s;

    if (is_local_type(m->p, v->type) || is_variable_array(v->type))
        return NULL;
    s = declare_variable(v->type, v->name);
    return s && (is_scalar(clang_getCanonicalType(v->type)) ||
                 !clang_isConstQualifiedType(clang_getCanonicalType(v->type))) ? s : NULL;
}

bool make_first(making *m, const item *i)
{
    const variable *v = &variables[i->variable];
    char *type, *first;

    if (is_variable_array(v->type))
        return leave(m->p->d, "the type of %s is variably modified", v->name);
    if (is_local_type(m->p, v->type))
        return leave(m->p->d, "the type of %s is declared in the function", v->name);
    /* the pointer is copied; what is const never changes */
    if (is_array_parameter(v) ||
        (is_array(v->type) && clang_isConstQualifiedType(clang_getCanonicalType(v->type))))
        return share_array(m, i);
    if (!is_array(v->type)) {
        type = prefix_of(m, v->type, v->name);
        if (!type)
            return lacks_type(m, v);
        give(m, type, format("%s", v->name), mark(i->variable));
        return true;
    }
    if (!bare_declaration(m, v))
        return lacks_type(m, v);
    type = fresh(format("%s_%s", m->p->name, v->name));
    first = fresh_local(format("%s_first", v->name));
    text_format(&m->typedefs, "typedef %s;\n", declare(v->type, type));
    if (keeps_value(i->variable, m->p->text.lo, m->p->text.hi)) {
        give(m, format("const %s *", type), first, format("&%s", mark(i->variable)));
    } else {
        text_format(&m->after, "%s%s %s;\n__builtin_memcpy(&%s, &%s, sizeof %s);",
                    m->after.n ? "\n" : "", type, first, first, mark(i->variable), first);
        m->block = true;
        give(m, format("const %s *", type), first, format("&%s", first));
    }
    make_local(m, format("%s;", bare_declaration(m, v)));
    text_format(&m->before, "    __builtin_memcpy(&%s, %s, sizeof %s);\n", v->name, first,
                v->name);
    return true;
}

char *last_index(making *m)
{
    text t = { 0 };

    for (int k = 0; k < m->p->dimensions; k++) {
        const loop *l = &m->p->loops[k];
        char *index = m->index[k], *last = fresh_local(format("%s_last", variables[l->variable].name));

        give(m, format("int64_t"), last, last_of(l));
        text_format(&t, "%s%s == %s", k ? " && " : "", index, last);
    }
    return t.s;
}

bool make_last(making *m, const item *i, const char *test)
{
    const variable *v = &variables[i->variable];
    char *last, *type;

    if (is_array(v->type) || clang_getCanonicalType(v->type).kind == CXType_Record)
        if (is_array(v->type))
            return leave(m->p->d, "lastprivate of an array");
    if (i->role == FIRST_AND_LAST) {
        if (!make_first(m, i))
            return false;
    } else {
        if (!bare_declaration(m, v))
            return lacks_type(m, v);
        make_local(m, format("%s%s;", bare_declaration(m, v),
                             is_surely_written(m->p, i->variable) ? ""
                             : clang_getCanonicalType(v->type).kind == CXType_Record ? " = { 0 }"
                                                                                     : " = 0"));
    }
    type = prefix_of(m, v->type, v->name);
    if (!type)
        return lacks_type(m, v);
    last = fresh_local(format("%s_last", v->name));
    give(m, pointer_to(type), last, format("&%s", mark(i->variable)));
    m->wrap = true;
    text_format(&m->epilogue, "    if (%s)\n        *%s = %s;\n", test, last, v->name);
    return true;
}
