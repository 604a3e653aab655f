/*
 * team_objects.c - what each thread of a region declares, in C++, where the region is cut.
 *
 * SPDX-License-Identifier: MIT
 *
 * A phase is a block of its own: what is declared in it ends with it, not with the region.
 * So it declares variables alone, whose end does nothing, and which nobody points to.
 */
#include "team.h"

static const char *why_not_variable(int n)
{
    CXType t = clang_getCanonicalType(clang_getCursorType(nodes[n].cursor));
    char *name = cursor_name(nodes[n].cursor);

    if (clang_Cursor_getStorageClass(nodes[n].cursor) == CX_SC_Extern)
        return format("%s, which stands elsewhere, is declared in it", name);
    if (t.kind == CXType_RValueReference)
        return format("the reference %s, which each thread has, in a region with a barrier", name);
    if (t.kind != CXType_LValueReference && !is_value(t))
        return format("%s, of type %s, is each thread's up to the end of the region", name,
                      type_name(clang_getCursorType(nodes[n].cursor)));
    return NULL;
}

static const char *why_not_declared(const team *t)
{
    const char *why;

    for (int s = nodes[t->statement].child; s >= 0; s = nodes[s].next) {
        if (nodes[s].kind != CXCursor_DeclStmt)
            continue;
        for (int n = nodes[s].child; n >= 0; n = nodes[n].next) {
            if (nodes[n].kind == CXCursor_StaticAssert)
                continue;
            if (nodes[n].kind != CXCursor_VarDecl)
                return "a declaration of what is no variable, in a region with a barrier";
            if ((why = why_not_variable(n)) != NULL)
                return why;
        }
    }
    return NULL;
}

const char *why_not_objects(const team *t)
{
    const char *why = why_not_declared(t);

    if (why)
        return why;
    for (int i = 0; i < t->own_count; i++) {
        const variable *v = &variables[t->owns[i].variable];

        if (v->type.kind != CXType_LValueReference && !is_value(v->type))
            return format("%s, of type %s, is each thread's up to the end of the region", v->name,
                          type_name(v->type));
    }
    for (int i = 0; i < reference_count; i++) {
        const reference *r = &references[i];

        if (in_region(t, r->at) && own_of(t, r->variable) &&
            variables[r->variable].type.kind != CXType_LValueReference &&
            (r->node < 0 ? may_be_pointed_at(r) : may_stay(r)))
            return format("a pointer to %s, which each thread has, may be used behind a barrier",
                          variables[r->variable].name);
    }
    return NULL;
}
