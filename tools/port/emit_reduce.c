/*
 * emit_reduce.c - reductions in C: TWEED_SUM, TWEED_MIN, TWEED_MAX, TWEED_REDUCE.
 *
 * SPDX-License-Identifier: MIT
 *
 * The body has a local variable of the name of the one that is reduced, so nothing in it
 * changes.  Of a sum it begins with 0 for each index, and is what the index returns.  Of a
 * minimum it begins with the value that there was.  In all other cases it is a copy of the
 * accumulator, which is put back behind the body.
 */
#include "making.h"

#include <string.h>

static bool fits(making *m, const item *i)
{
    const variable *v = &variables[i->variable];

    if (is_local_type(m->p, v->type))
        return leave(m->p->d, "the type of %s is declared in the function", v->name);
    if (!is_scalar(v->type))
        return leave(m->p->d, "the reduction of %s, of type %s", v->name, type_name(v->type));
    return true;
}

static void returns(making *m, const char *name)
{
    text_format(&m->epilogue, "    return %s;\n", name);
    m->next = format("return %s", name);
}

static void sum(making *m, const item *i)
{
    const variable *v = &variables[i->variable];
    char *type = prefix_of(m, v->type, v->name);
    range e;

    if (!m->epilogue.n && sum_alone(m, i, &e)) {
        m->returned = render(e.lo, e.hi, called, m);
    } else {
        make_local(m, format("%s %s = 0;", type, v->name));
        returns(m, v->name);
    }
    finish(m, format("TWEED_SUM%s(%s, %s", suffixes[m->p->dimensions], type, m->p->name), type,
           format("%s += %%s;", mark(i->variable)));
}

static void best(making *m, const item *i)
{
    const variable *v = &variables[i->variable];
    char *type = prefix_of(m, v->type, v->name);

    give(m, type, format("%s", v->name), mark(i->variable));
    returns(m, v->name);
    finish(m, format("TWEED_%s%s(%s, %s, %s", i->op[1] == 'i' ? "MIN" : "MAX",
                     suffixes[m->p->dimensions], type, m->p->name, v->name),
           type, format("%s = %%s;", mark(i->variable)));
}

static bool one(making *m, const item *i)
{
    const variable *v = &variables[i->variable];
    char *type = prefix_of(m, v->type, v->name), *combine, *acc;
    char *identity = identity_text(i->op, v->type);

    if (!identity)
        return leave(m->p->d, "the reduction of %s has no identity", v->name);
    combine = fresh(format("%s_combine", m->p->name));
    acc = fresh_local(format("%s_all", v->name));
    text_format(&m->typedefs, "static void %s(%s *into, const %s *from)\n{\n%s\n}\n\n",
                combine, type, type, indented(combine_text(i->op, "*into", "*from"), "    "));
    make_local(m, format("%s %s = *%s;", type, v->name, acc));
    text_format(&m->epilogue, "    *%s = %s;\n", acc, v->name);
    m->wrap = true;
    finish(m, format("TWEED_REDUCE%s(%s, %s, %s, %s, %s", suffixes[m->p->dimensions], type,
                     m->p->name, identity, combine, acc),
           type,
           format("%s", combine_text(i->op, mark(i->variable), format("%s_result", m->p->name))));
    return true;
}

/* The user's combiner, on copies that have the names which it knows. */
static bool by_user(making *m, const item *i)
{
    const variable *v = &variables[i->variable];
    char *type = prefix_of(m, v->type, v->name), *combine, *none, *acc;
    const char *gap;

    if (is_local_type(m->p, v->type) || v->is_global || (i->how & USE_HIDDEN))
        return leave(m->p->d, "the reduction of %s, by the user's combiner", v->name);
    if (!type)
        return lacks_type(m, v);
    gap = ends_with(type, "*") ? "" : " ";
    combine = fresh(format("%s_combine", m->p->name));
    none = fresh(format("%s_none", m->p->name));
    acc = fresh_local(format("%s_all", v->name));
    text_format(&m->typedefs,
                "static const %s%s%s = %s;\n\n"
                "static void %s(%s *into, const %s *from)\n{\n"
                "    %s%somp_out = *into;\n    %s%somp_in = *from;\n\n    %s;\n"
                "    *into = omp_out;\n}\n\n",
                type, gap, none, declared_start(i->declared), combine, type, type, type, gap, type,
                gap, declared_combiner(i->declared));
    m->called[i->variable] = format("(*%s)", acc);
    finish(m, format("TWEED_REDUCE%s(%s, %s, %s, %s, %s", suffixes[m->p->dimensions], type,
                     m->p->name, none, combine, acc),
           type,
           format("%s(&%s, &%s_result);", combine, mark(i->variable), m->p->name));
    return true;
}

/* A partial result has an array of its own as soon as there is an index for it. */
static bool array(making *m, const item *i, const char *acc, text *members, text *joins,
                  text *identity, text *put)
{
    const variable *v = &variables[i->variable];
    CXType element = element_type(v->type);
    char *type = prefix_of(m, element, v->name), *new_array = fresh(format("%s_new", m->p->name)),
         *count = fresh_local(format("%s_count", v->name)), *k = fresh_local("port_k"),
         *result = format("%s_result", m->p->name);

    if (!type || is_local_type(m->p, element))
        return lacks_type(m, v);
    text_format(&m->typedefs,
                "static %s *%s(size_t n)\n{\n"
                "    %s *all = __builtin_malloc((n ? n : 1) * sizeof *all);\n\n"
                "    if (!all)\n        __builtin_abort(); /* no memory */\n"
                "    for (size_t k = 0; k < n; k++)\n        all[k] = %s;\n"
                "    return all;\n}\n\n",
                type, new_array, type, identity_text(i->op, element));
    text_format(members, "    %s *%s;\n    size_t %s;\n", type, v->name, count);
    text_format(identity, "%sNULL, 0", identity->n ? ", " : "");
    text_format(joins,
                "    if (!into->%s) {\n        into->%s = from->%s;\n        into->%s = from->%s;\n"
                "    } else if (from->%s) {\n"
                "        for (size_t k = 0; k < from->%s; k++)\n%s\n"
                "        __builtin_free(from->%s);\n    }\n",
                v->name, v->name, v->name, count, count, v->name, count,
                indented(combine_text(i->op, format("into->%s[k]", v->name),
                                      format("from->%s[k]", v->name)),
                         "            "),
                v->name);
    text_format(&m->after, "%s%s", m->after.n ? "\n" : "",
                i->low ? format("const size_t %s = (size_t)(%s) + (size_t)(%s);", count, i->low,
                                i->length)
                       : format("const size_t %s = (size_t)(%s);", count, i->length));
    m->block = true;
    give(m, format("size_t"), count, count);
    make_local(m, format("%s *%s = %s->%s ? %s->%s : %s(%s);", type, v->name, acc, v->name, acc,
                         v->name, new_array, count));
    text_format(&m->epilogue, "    %s->%s = %s;\n    %s->%s = %s;\n", acc, v->name, v->name, acc,
                count, count);
    text_format(put,
                "%sif (%s.%s) {\n    for (size_t %s = %s; %s < %s; %s++)\n%s\n"
                "    __builtin_free(%s.%s);\n}",
                put->n ? "\n" : "", result, v->name, k,
                i->low ? format("(size_t)(%s)", i->low) : "0", k, count, k,
                indented(combine_text(i->op, format("%s[%s]", mark(i->variable), k),
                                      format("%s.%s[%s]", result, v->name, k)),
                         "        "),
                result, v->name);
    if (!m->p->grain_text)
        m->p->grain_text = grain_of(&m->p->loops[0], "NULL");
    return true;
}

static bool several(making *m)
{
    text members = { 0 }, joins = { 0 }, identity = { 0 }, put = { 0 };
    char *tag = fresh(format("%s_sums", m->p->name)), *acc = fresh_local(format("%s_acc", m->p->name)),
         *none = fresh(format("%s_none", m->p->name)),
         *combine = fresh(format("%s_combine", m->p->name)), *result;

    for (int k = 0; k < m->p->item_count; k++) {
        const item *i = &m->p->items[k];
        const variable *v = &variables[i->variable];
        char *type, *start;

        if (i->role != REDUCTION)
            continue;
        if (i->declared >= 0)
            return leave(m->p->d, "a reduction that the user declares, beside another one");
        if (i->is_array) {
            if (!array(m, i, acc, &members, &joins, &identity, &put))
                return false;
            continue;
        }
        if (!fits(m, i))
            return false;
        type = prefix_of(m, v->type, v->name);
        start = identity_text(i->op, v->type);
        if (!start)
            return leave(m->p->d, "the reduction of %s has no identity", v->name);
        text_format(&members, "    %s %s;\n", type, v->name);
        text_format(&joins, "%s\n",
                    indented(combine_text(i->op, format("into->%s", v->name),
                                          format("from->%s", v->name)),
                             "    "));
        text_format(&identity, "%s%s", identity.n ? ", " : "", start);
        make_local(m, format("%s %s = %s->%s;", type, v->name, acc, v->name));
        text_format(&m->epilogue, "    %s->%s = %s;\n", acc, v->name, v->name);
        text_format(&put, "%s%s", put.n ? "\n" : "", combine_text(i->op, mark(i->variable),
                                               format("%s_result.%s", m->p->name, v->name)));
    }
    text_format(&m->typedefs,
                "struct %s {\n%s};\n\nstatic const struct %s %s = { %s };\n\n"
                "static void %s(struct %s *into, const struct %s *from)\n{\n%s}\n\n",
                tag, members.s, tag, none, identity.s, combine, tag, tag, joins.s);
    m->wrap = true;
    result = format("struct %s", tag);
    finish(m, format("TWEED_REDUCE%s(%s, %s, %s, %s, %s", suffixes[m->p->dimensions], result,
                     m->p->name, none, combine, acc),
           result,
           put.s);
    return true;
}

bool reduce(making *m, int count, const item *only)
{
    const char *op = only->op;

    if (count > 1 || only->is_array)
        return several(m);
    if (only->declared >= 0)
        return by_user(m, only);
    if (!fits(m, only))
        return false;
    if (strcmp(op, "+") == 0 && clang_getCanonicalType(variables[only->variable].type).kind !=
                                    CXType_Bool) {
        sum(m, only);
        return true;
    }
    if (strcmp(op, "min") == 0 || strcmp(op, "max") == 0) {
        best(m, only);
        return true;
    }
    return one(m, only);
}
