/*
 * team_cxx.c - a region in C++: a loop over its threads for each phase, in its place.
 *
 * SPDX-License-Identifier: MIT
 */
#include "team.h"

#include <string.h>

/* May an object go from one place to another one by an assignment? */
static bool may_move(CXType type)
{
    static const char *const classes[] = { "vector<", "map<", "set<", "multimap<", "multiset<",
                                           "unordered_map<", "unordered_set<", "list<", "deque<",
                                           "complex<", "pair<", NULL };
    CXType t = clang_getCanonicalType(type);
    char *name = type_name(plain(type)), *canonical = type_name(t);

    if (is_scalar(t) || t.kind == CXType_Pointer)
        return true;
    if (t.kind == CXType_ConstantArray)
        return clang_isPODType(t) && may_move(clang_getArrayElementType(t)); /* as bytes */
    for (int i = 0; classes[i]; i++)
        if (begins(name, format("std::%s", classes[i])) ||
            begins(canonical, format("std::%s", classes[i])) ||
            begins(canonical, format("std::__1::%s", classes[i])))
            return true;
    return clang_isPODType(t) && t.kind == CXType_Record;
}

static char *declaration(CXType t, const char *name)
{
    char *s;

    t = plain(t);
    if (t.kind == CXType_Auto)
        t = clang_getCanonicalType(t);
    s = declare_variable(t, name);
    return !s || strstr(s, "auto") || strstr(s, "(lambda") ||
                   (clang_isConstQualifiedType(clang_getCanonicalType(t)) &&
                    !is_scalar(clang_getCanonicalType(t)))
               ? NULL : s;
}

/* What the lambda begins and ends with. */
static bool give_own(team *t, int k, own *o, const char *all, text *before, text *head,
                     text *tail, bool *locked)
{
    const variable *v = &variables[o->variable];
    bool last = k == t->phase_count - 1, used = is_used_in_phase(t, k, o->variable);
    char *bare;

    if (o->home > k)
        return true;
    if (o->carried && k > (o->home < 0 ? 0 : o->home)) {
        if (used || (last && o->role == REDUCTION))
            text_format(head, "%sauto &%s = %s[(size_t)%s].%s;\n",
                        clang_isConstQualifiedType(v->type) ? "const " : "", v->name, all, t->thread,
                        v->name);
    } else if (o->home != k && (used || o->role == REDUCTION || o->role == FIRSTPRIVATE)) {
        bare = declaration(v->type, v->name);
        if (!bare || v->type.kind == CXType_LValueReference)
            return leave(t->d, "%s, of type %s, is each thread's", v->name, type_name(v->type));
        if (o->role == FIRSTPRIVATE) {
            char *first = local_name(v->name, "first");

            if (is_array(v->type))
                return leave(t->d, "firstprivate of the array %s", v->name);
            text_format(before, "const auto %s = %s;\n", first, mark(o->variable));
            text_format(head, "%s = %s;\n", bare, first);
        } else if (o->role == REDUCTION) {
            text_format(head, "%s = %s;\n", bare, identity_text(o->op, v->type));
        } else {
            text_format(head, "%s;\n", bare);
        }
    }
    if (o->role == REDUCTION && k == 0) { /* its name is the thread's inside */
        o->all = local_name(v->name, "all");
        text_format(before, "auto &%s = %s;\n", o->all, mark(o->variable));
    }
    if (o->role == REDUCTION && last) {
        if (!*locked)
            text_format(tail, "pthread_mutex_lock(&%s);\n", lock_for_reductions());
        *locked = true;
        text_format(tail, "%s\n", combine_text(o->op, o->all, v->name));
    }
    if (o->carried && k == (o->home < 0 ? 0 : o->home)) {
        if (!may_move(v->type))
            return leave(t->d, "%s, of type %s, is used on both sides of a barrier", v->name,
                         type_name(v->type));
        if (o->home < 0 && !used && o->role != REDUCTION && o->role != FIRSTPRIVATE)
            return true;
        if (is_array(v->type))
            text_format(tail, "__builtin_memcpy(&%s[(size_t)%s].%s, &%s, sizeof %s);\n", all,
                        t->thread, v->name, v->name, v->name);
        else
            text_format(tail, "%s[(size_t)%s].%s = static_cast<decltype(%s) &&>(%s);\n", all,
                        t->thread, v->name, v->name, v->name);
    }
    return true;
}

/* A pointer into an object whose members move with it? */
static const char *why_not_moved(const team *t)
{
    bool pointers = false, objects = false;

    for (int i = 0; i < t->own_count; i++) {
        CXType type = clang_getCanonicalType(variables[t->owns[i].variable].type);

        pointers |= t->owns[i].carried && (type.kind == CXType_Pointer || is_array(type));
        objects |= type.kind == CXType_Record || type.kind == CXType_Unexposed;
        if (t->owns[i].carried &&
            (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference))
            return format("the reference %s is used on both sides of a barrier",
                          variables[t->owns[i].variable].name);
        if (is_array(type))
            type = clang_getCanonicalType(clang_getArrayElementType(type));
        pointers |= t->owns[i].carried && type.kind == CXType_Pointer;
        if (!is_scalar(type) || type.kind != CXType_Pointer)
            continue;
    }
    return pointers && objects ? "a pointer and an object are used on both sides of a barrier" : NULL;
}

/* Four columns to the right, but for what is one token on several lines. */
static char *moved(const char *s, const char *indent)
{
    return strstr(s, "R\"") || strstr(s, "\\\n") ? format("%s", s) : indented(s, indent);
}

static bool share_loops(team *t, int k, text *counters)
{
    for (int i = 0; i < t->construct_count; i++) {
        directive *c = &directives[t->constructs[i]];
        plan p;

        if (c->done || c->lo < t->phases[k].lo || c->lo >= t->phases[k].hi || c->simple)
            continue;
        if (c->words & W_FOR) {
            char *next = NULL, *given = NULL;

            if (!make_loop_plan(t->constructs[i], &p))
                return leave(t->d, "%s", c->reason);
            if (takes_chunks(t, t->constructs[i])) {
                next = local_name(variables[p.loops[0].variable].name, "next");
                given = format("&%s", next);
                text_format(counters, "int64_t %s = 0;\n", next);
            }
            if (!edit_share(t, t->constructs[i], &p, given))
                return leave(t->d, "%s", c->reason);
        } else if (c->words & W_BARRIER) {
            remove_pragma(c, t->constructs[i]);
        } else {
            put_in_place(c, c->hi, format("if (%s == 0)", t->thread), t->constructs[i]);
            indent_statement(c->statement, t->constructs[i]);
        }
        c->done = true;
    }
    return true;
}

/* The text of a phase without the blank lines around it. */
static char *text_of(const team *t, int k)
{
    unsigned lo = t->phases[k].lo;
    char *s;
    size_t n;

    /* what is put at the end of the phase before is not this one's */
    while (k && lo < t->phases[k].hi && strchr(" \t\r\n", source[lo]))
        lo++;
    if (k && line_start(lo) >= t->phases[k].lo)
        lo = line_start(lo);
    s = render(lo, t->phases[k].hi, NULL, NULL);
    n = strlen(s);

    for (;;) {
        size_t blank = strspn(s, " \t\r");

        if (s[blank] != '\n')
            break;
        s += blank + 1;
        n -= blank + 1;
    }
    while (n && strchr(" \t\r\n", s[n - 1]))
        n--;
    return copy_bytes(s, n);
}

/* Is it used in loops of the region alone, each of which declares one of the name? */
static bool is_declared_by_loops(const team *t, int v)
{
    bool any = false;

    for (int i = 0; i < reference_count; i++) {
        bool here = false;

        if (references[i].variable != v || !in_region(t, references[i].at))
            continue;
        for (int c = 0; c < t->construct_count; c++)
            here |= in_construct(t->constructs[c], references[i].at) &&
                    is_private_in(t->constructs[c], v);
        if (!here)
            return false;
        any = true;
    }
    return any && !own_of(t, v);
}

bool emit_team_cxx(team *t)
{
    char *indent = indent_at(nodes[t->statement].lo), *in = format("%s    ", indent),
         *all = local_name("port", "all"), *tag = local_name("port", "own");
    text whole = { 0 }, before = { 0 }, counters = { 0 }, loops = { 0 }, members = { 0 };
    const char *why = t->phase_count > 1 ? why_not_moved(t) : NULL;

    if (why)
        return leave(t->d, "%s", why);
    text_add(&before, "");
    for (int i = 0; i < t->own_count; i++) {
        const variable *v = &variables[t->owns[i].variable];

        if (!t->owns[i].carried)
            continue;
        if (!declaration(v->type, v->name))
            return leave(t->d, "%s, of type %s, is used on both sides of a barrier", v->name,
                         type_name(v->type));
        text_format(&members, "    %s;\n", declaration(v->type, v->name));
    }
    for (int k = 0; k < t->phase_count; k++) {
        text head = { 0 }, tail = { 0 };
        bool locked = false;
        char *s;

        text_add(&head, "");
        text_add(&tail, "");
        for (int i = 0; i < t->own_count; i++)
            if (!give_own(t, k, &t->owns[i], all, &before, &head, &tail, &locked))
                return false;
        if (locked)
            text_add(&tail, "pthread_mutex_unlock(&port_reduction);\n");
        if (!share_loops(t, k, &counters))
            return false;
        s = text_of(t, k);
        text_format(&loops, "%stweed::parallel_for<int>(0, %s, [&](int%s%s) {\n%s%s%s%s%s});\n", in,
                    t->threads,
                    uses_name(s, t->thread) || uses_name(head.s, t->thread) ||
                            uses_name(tail.s, t->thread) ? " " : "",
                    uses_name(s, t->thread) || uses_name(head.s, t->thread) ||
                            uses_name(tail.s, t->thread) ? t->thread : "",
                    indented(head.s, format("%s    ", in)),
                    t->block ? moved(s, "    ") : format("%s    %s", in, s),
                    *s ? "\n" : "", indented(tail.s, format("%s    ", in)), in);
    }
    text_format(&whole, "{\n%sconst int %s = %s;\n", in, t->threads, number_of_threads(t));
    if (members.n) {
        need_vector();
        text_format(&whole, "%s", indented(format("struct %s { // what a thread has\n%s};\n"
                                                  "std::vector<%s> %s((size_t)%s);\n",
                                                  tag, members.s, tag, all, t->threads), in));
    }
    if (counters.n)
        text_add(&whole, indented(counters.s, in));
    text_format(&whole, "%s\n%s%s}", indented(before.s, in), loops.s, indent);
    for (int i = 0; i < t->own_count; i++)
        if (t->owns[i].home < 0 && t->owns[i].role == PRIVATE)
            add_cover(t->owns[i].variable, nodes[t->statement].lo, statement_end(t->statement));
    for (int v = 0; v < variable_count; v++)
        if (is_declared_by_loops(t, v))
            add_cover(v, nodes[t->statement].lo, statement_end(t->statement));
    drop_edits(nodes[t->statement].lo, statement_end(t->statement));
    remove_pragma(t->d, t->number);
    add_edit(nodes[t->statement].lo, statement_end(t->statement), whole.s, t->number);
    t->d->done = true;
    return true;
}
