/*
 * emit_cxx.c - a loop in C++: a lambda in its place.
 *
 * SPDX-License-Identifier: MIT
 *
 * The body stays where it is.  What is shared is captured by reference, but for scalars and
 * pointers that nobody changes.  What is private, or reduced, is a local variable or a
 * parameter of the same name.
 */
#include "port.h"

#include <ctype.h>
#include <string.h>

typedef struct cxx {
    plan *p;
    text before;   /* statements before the call */
    text prologue; /* of the body */
    text epilogue;
    text captured; /* by value */
    char *index_type[3], *index[3];
    char *result; /* the type of what is reduced */
} cxx;

static char *spelled_type(CXType t)
{
    char *s = declare(t, "");

    if (!s)
        s = type_name(t);
    return strncmp(s, "const ", 6) == 0 && !ends_with(s, "*") ? s + 6 : s;
}

static bool is_reference(CXType t)
{
    return t.kind == CXType_LValueReference || t.kind == CXType_RValueReference;
}

static char *local_of(const variable *v)
{
    char *s = declare(v->type, v->name);

    if (!s)
        s = format("decltype(%s) %s", v->name, v->name);
    return strncmp(s, "const ", 6) == 0 && v->type.kind != CXType_Pointer ? s + 6 : s;
}

static void make_local(cxx *c, const char *line)
{
    text_format(&c->prologue, "%s\n", line);
}

/* ---- the index ---- */

static char *expression(range r)
{
    return render(r.lo, r.hi, NULL, NULL);
}

static bool make_index(cxx *c, int k)
{
    loop *l = &c->p->loops[k];
    const variable *v = &variables[l->variable];
    CXType t = clang_getCanonicalType(l->type);
    bool integer = t.kind >= CXType_Bool && t.kind <= CXType_LongLong,
         dependent = is_dependent(l->type),
         is_auto = dependent && plain(l->type).kind == CXType_Auto, star;
    char *first, *step, *value;
    const char *type;
    const item *only;

    if (is_reference(l->type))
        return leave(c->p->d, "the variable of the loop is a reference");
    if (is_auto && !strstr(expression(l->first), "begin("))
        return leave(c->p->d, "the variable of the loop is `auto`, and its type a template's "
                              "argument says");
    /* a type that a template's argument names is an integer, or the result does not compile */
    if (l->direct && (integer || (dependent && !is_auto))) {
        c->index_type[k] = spelled_type(l->type);
        if (dependent && (c->p->dimensions > 1 || reductions_of(c->p, &only))) {
            need("type_traits", "\n#include <type_traits>\n");
            text_format(&c->before, "static_assert(std::is_integral<%s>::value, \"an index\");\n",
                        c->index_type[k]);
        }
        c->index[k] = format("%s", v->name);
        return true;
    }
    c->index_type[k] = format("int64_t");
    c->index[k] = fresh_local(format("%s_index", v->name));
    if (l->direct) { /* an iterator */
        l->lo = format("0");
        l->hi = format("(%s) - (%s)%s", expression(l->bound), expression(l->first),
                       l->inclusive ? " + 1" : "");
        if (l->down)
            return leave(c->p->d, "a descending loop over iterators");
    }
    first = fresh_local(format("%s_first", v->name));
    step = format("%ld", l->step_value);
    /* where a template's argument says what T is, arithmetic is that of T */
    type = plain(l->type).kind == CXType_Auto && !integer ? "auto" : spelled_type(l->type);
    star = ends_with(type, "*");
    text_format(&c->before, star ? "%sconst %s = %s;\n" : "const %s %s = %s;\n",
                integer ? "auto" : type, first, expression(l->first));
    if (is_auto) {
        need("type_traits", "\n#include <type_traits>\n");
        text_format(&c->before, "static_assert(!std::is_integral<decltype(%s)>::value, "
                    "\"an iterator\");\n", first);
    }
    if (l->step_value == 0) {
        step = fresh_local(format("%s_step", v->name));
        text_format(&c->before, "const int64_t %s = %s;\n", step, expression(l->step));
    }
    value = strcmp(step, "1") == 0 ? c->index[k] : format("%s * %s", c->index[k], step);
    if (integer)
        make_local(c, format("%s %s = (%s)((int64_t)%s %s %s);", spelled_type(l->type), v->name,
                             spelled_type(l->type), first, l->down ? "-" : "+", value));
    else if (dependent && !is_auto)
        make_local(c, format("%s %s = static_cast<%s>(%s %s %s);", spelled_type(l->type), v->name,
                             spelled_type(l->type), first, l->down ? "-" : "+", value));
    else
        make_local(c, format(star ? "%s%s = %s %s %s;" : "%s %s = %s %s %s;",
                             type, v->name, first, l->down ? "-" : "+", value));
    return true;
}

/* ---- variables ---- */

static bool make_private(cxx *c, const item *i, const char *value)
{
    const variable *v = &variables[i->variable];

    if (is_reference(v->type) || is_variable_array(v->type))
        return leave(c->p->d, "private of %s, whose type is %s", v->name, type_name(v->type));
    make_local(c, format("%s%s;", local_of(v), value));
    return true;
}

static bool make_first(cxx *c, const item *i)
{
    const variable *v = &variables[i->variable];
    char *first;

    if (is_reference(v->type) || is_variable_array(v->type))
        return leave(c->p->d, "firstprivate of %s, whose type is %s", v->name,
                     type_name(v->type));
    if (!is_value(v->type) && !is_dependent(v->type))
        return leave(c->p->d, "firstprivate of %s, of type %s: a copy for each thread", v->name,
                     type_name(v->type));
    if (i->how == USE_READ && is_value(v->type) && !v->is_global && i->role == FIRSTPRIVATE &&
        clang_Cursor_getStorageClass(v->decl) != CX_SC_Static) {
        text_format(&c->captured, ", %s", mark(i->variable));
        return true;
    }
    if (is_array(v->type))
        return leave(c->p->d, "firstprivate of the array %s, which is written", v->name);
    first = fresh_local(format("%s_first", v->name));
    text_format(&c->before, "const auto %s = %s;\n", first, mark(i->variable));
    make_local(c, format("%s = %s;", local_of(v), first));
    return true;
}

/* May a reference to the variable come of this name of it, and stay behind the loop?  A
   value has no `const` or `volatile`, what a reference is bound to has.  A lambda of the loop
   may be kept. */
static bool may_be_kept(const reference *r, range in)
{
    int n = nodes[r->node].parent;

    while (node_is(n, CXCursor_ParenExpr))
        n = nodes[n].parent;
    if (node_is(n, CXCursor_UnexposedExpr)) {
        CXType t = clang_getCursorType(nodes[n].cursor);

        if (clang_isConstQualifiedType(t) || clang_isVolatileQualifiedType(t))
            return true;
    }
    for (; n >= 0 && nodes[n].lo >= in.lo; n = nodes[n].parent)
        if (node_is(n, CXCursor_LambdaExpr))
            return true;
    return false;
}

/* A scalar or a pointer that has its first value always?  Its name is only read, in all of
   the file: a reference to it, its address and a lambda's list count as a change. */
static bool is_constant(int number, range in)
{
    const variable *v = &variables[number];
    enum CXCursorKind k = clang_getCursorKind(v->decl);
    CXType t = clang_getCanonicalType(v->type);
    int given = token_at(v->at) + 1;

    if (v->is_global || v->address_taken || is_reference(v->type) ||
        (!is_scalar(t) && t.kind != CXType_Pointer) || t.kind == CXType_Bool ||
        clang_isConstQualifiedType(t) || clang_isVolatileQualifiedType(t) ||
        clang_Cursor_getStorageClass(v->decl) == CX_SC_Static ||
        clang_getCursorTLSKind(v->decl) != CXTLS_None)
        return false;
    if (k != CXCursor_ParmDecl && (k != CXCursor_VarDecl || !token_is(given, "=")))
        return false;
    if (is_init_captured(number, 0, source_size))
        return false;
    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == number && references[i].at != v->at &&
            (!references[i].spelled || use_of(&references[i]) != USE_READ ||
             may_be_kept(&references[i], in)))
            return false;
    return true;
}

/* What is shared and never changes goes by value: by reference it is read again behind each
   store that may be to it, for all that a compiler knows. */
static void capture_constants(cxx *c)
{
    const plan *p = c->p;
    use *all;
    int count = uses_in(p->text.lo, p->text.hi, &all);

    for (int i = 0; i < count; i++) {
        bool shared = !all[i].inside;

        for (int k = 0; k < p->item_count; k++)
            shared &= p->items[k].variable != all[i].variable || p->items[k].role == SHARED;
        if (shared && is_constant(all[i].variable, p->text))
            text_format(&c->captured, ", %s", mark(all[i].variable));
    }
}

static bool make_last(cxx *c, const item *i, const char *test)
{
    const variable *v = &variables[i->variable];
    char *last = fresh_local(format("%s_last", v->name));
    const char *value = "";

    if (is_array(v->type))
        return leave(c->p->d, "lastprivate of an array");
    /* compilers warn of one that has no value, perhaps */
    if (!is_surely_written(c->p, i->variable) &&
        (is_scalar(v->type) || clang_getCanonicalType(v->type).kind == CXType_Pointer))
        value = "{}";
    if (i->role == FIRST_AND_LAST ? !make_first(c, i) : !make_private(c, i, value))
        return false;
    text_format(&c->before, "auto &%s = %s;\n", last, mark(i->variable));
    text_format(&c->epilogue, "if (%s)\n    %s = %s;\n", test, last, v->name);
    return true;
}

static char *last_test(cxx *c)
{
    text t = { 0 };

    for (int k = 0; k < c->p->dimensions; k++) {
        loop *l = &c->p->loops[k];
        char *last = fresh_local(format("%s_last", variables[l->variable].name));

        text_format(&c->before, "const %s %s = %s;\n", c->index_type[k], last, last_of(l));
        text_format(&t, "%s%s == %s", k ? " && " : "", c->index[k], last);
    }
    return t.s;
}

/* ---- reductions ---- */

static bool is_idempotent(const char *op)
{
    return strcmp(op, "min") == 0 || strcmp(op, "max") == 0 || strcmp(op, "&") == 0 ||
           strcmp(op, "|") == 0;
}

/* One variable: what stands before, between and behind. */
static bool reduce_one(cxx *c, const item *i, char **open, char **close)
{
    const variable *v = &variables[i->variable];
    char *type = spelled_type(v->type), *identity;

    if (is_reference(v->type))
        type = spelled_type(clang_getPointeeType(v->type));
    c->result = type;
    if (strcmp(i->op, "+") == 0) {
        *open = format("%s += tweed::parallel_sum%%s<%s>(", mark(i->variable), type);
        make_local(c, format("%s %s{};", type, v->name));
        text_format(&c->epilogue, "return %s;\n", v->name);
        *close = format("%s", "");
        return true;
    }
    identity = is_idempotent(i->op) ? mark(i->variable) : identity_text(i->op, v->type);
    if (!identity)
        return leave(c->p->d, "the reduction of %s has no identity", v->name);
    *open = is_idempotent(i->op)
                ? format("%s = tweed::parallel_reduce%%s(", mark(i->variable))
            : strlen(i->op) == 2
                ? format("%s = !!%s %c !!tweed::parallel_reduce%%s(", mark(i->variable),
                         mark(i->variable), i->op[0])
                : format("%s %s= tweed::parallel_reduce%%s(", mark(i->variable), i->op);
    *close = format(", [](%s &into, const %s &from) {\n%s\n}", type, type,
                    indented(combine_text(i->op, "into", "from"), "    "));
    return true;
}

/* An array's partial result is a vector, and the name the elements of it. */
static bool reduce_array(cxx *c, const item *i, const char *acc, const char *result, text *members,
                         text *start, text *joins, text *puts)
{
    const variable *v = &variables[i->variable];
    CXType element = element_type(v->type);
    char *type = spelled_type(element), *count = fresh_local(format("%s_count", v->name)),
         *k = fresh_local("port_k");

    need_vector();
    text_format(&c->before, i->low ? "const size_t %s = (size_t)(%s) + (size_t)(%s);\n"
                                   : "const size_t %s = (size_t)(%s%s);\n",
                count, i->low ? i->low : "", i->length);
    text_format(members, "    std::vector<%s> %s;\n", type, v->name);
    text_format(start, "%sstd::vector<%s>(%s%s)", start->n ? ", " : "", type, count,
                strcmp(i->op, "+") == 0
                    ? "" : format(", (%s)%s", type, identity_text(i->op, element)));
    text_format(joins, "    for (size_t %s = 0; %s < into.%s.size(); %s++)\n%s\n", k, k, v->name, k,
                indented(combine_text(i->op, format("into.%s[%s]", v->name, k),
                                      format("from.%s[%s]", v->name, k)),
                         "        "));
    text_format(puts, "for (size_t %s = %s; %s < %s; %s++)\n%s\n", k,
                i->low ? format("(size_t)(%s)", i->low) : "0", k, count, k,
                indented(combine_text(i->op, format("%s[%s]", mark(i->variable), k),
                                      format("%s.%s[%s]", result, v->name, k)),
                         "    "));
    make_local(c, format("%s *%s = %s.%s.data();", type, v->name, acc, v->name));
    if (!c->p->grain_text)
        c->p->grain_text = grain_of(&c->p->loops[0], "nullptr");
    return true;
}

static bool reduce_all(cxx *c, char **open, char **close, char **identity, char **put)
{
    text members = { 0 }, start = { 0 }, joins = { 0 }, puts = { 0 };
    char *tag = fresh_local(format("%s_sums", c->p->name)), *acc = fresh_local(format("%s_acc", c->p->name)),
         *result = fresh_local(format("%s_result", c->p->name));
    bool by_user = false, inside = false;

    for (int k = 0; k < c->p->item_count; k++) {
        const item *i = &c->p->items[k];
        const variable *v = &variables[i->variable];
        CXType t = is_reference(v->type) ? clang_getPointeeType(v->type) : v->type;
        char *type, *one;
        const char *combine = NULL, *begin = NULL;

        if (i->role != REDUCTION)
            continue;
        if (i->is_array) {
            if (!reduce_array(c, i, acc, result, &members, &start, &joins, &puts))
                return false;
            continue;
        }
        type = spelled_type(t);
        if (i->declared >= 0) {
            declared_functions(i->declared, t, &combine, &begin);
            by_user = true;
            inside |= directives[i->declared].function >= 0;
        }
        one = combine ? format("%s(%s)", begin, mark(i->variable))
              : is_idempotent(i->op) ? mark(i->variable) : identity_text(i->op, v->type);
        if (!one || is_array(v->type))
            return leave(c->p->d, "the reduction of %s has no identity", v->name);
        text_format(&members, "    %s %s;\n", type, v->name);
        text_format(&start, "%s%s", start.n ? ", " : "", one);
        text_format(&joins, "%s\n",
                    indented(combine ? format("%s(into.%s, from.%s);", combine, v->name, v->name)
                                     : combine_text(i->op, format("into.%s", v->name),
                                                    format("from.%s", v->name)),
                             "    "));
        text_format(&puts, "%s\n",
                    combine ? format("%s(%s, %s.%s);", combine, mark(i->variable), result, v->name)
                            : combine_text(i->op, mark(i->variable),
                                           format("%s.%s", result, v->name)));
        make_local(c, format("%s &%s = %s.%s;", type, v->name, acc, v->name));
    }
    text_format(&c->before, "struct %s {\n%s};\n", tag, members.s);
    c->result = format("%s", tag);
    *open = format("%s%s %s = tweed::parallel_reduce%%s(", by_user ? "" : "const ", tag, result);
    *close = format(", [%s](%s &into, %s%s &from) {\n%s}", inside ? "&" : "", tag,
                    by_user ? "" : "const ", tag, joins.s);
    *identity = format("%s{ %s }", tag, start.s);
    *put = puts.s;
    c->result = format("%s &%s", tag, acc);
    return true;
}

/* ---- putting it there ---- */

static void edit_continues(plan *p, const char *instead)
{
    int top = p->loops[p->dimensions - 1].node;

    for (int n = top; n < nodes[top].end; n++) {
        int around = nodes[n].parent;

        if (nodes[n].kind != CXCursor_ContinueStmt)
            continue;
        while (around != top && nodes[around].kind != CXCursor_ForStmt &&
               nodes[around].kind != CXCursor_WhileStmt &&
               nodes[around].kind != CXCursor_DoStmt &&
               nodes[around].kind != CXCursor_CXXForRangeStmt)
            around = nodes[around].parent;
        if (around == top)
            add_edit(nodes[n].lo, nodes[n].lo + 8, instead, p->number);
    }
}

/* Each line but the first. */
static char *indent_rest(const char *lines, const char *indent)
{
    const char *end = strchr(lines, '\n');

    return end ? format("%.*s\n%s", (int)(end - lines), lines, indented(end + 1, indent))
               : format("%s", lines);
}

static char *comments_in(unsigned lo, unsigned hi)
{
    text t = { 0 };

    text_add(&t, "");
    for (int k = token_at(lo); k < token_count && tokens[k].lo < hi; k++)
        if (tokens[k].kind == CXToken_Comment && tokens[k].lo >= lo)
            text_format(&t, " %s%s", token_text(k),
                        strncmp(token_text(k), "//", 2) == 0 ? "\n" : "");
    return t.s;
}

static char *options_text(const plan *p)
{
    text t = { 0 };

    if (!p->if_text && !p->threads_text && !p->grain_text)
        return format("%s", "");
    text_add(&t, ", tweed::loop_options()");
    if (p->if_text && p->threads_text)
        text_format(&t, ".max_workers((%s) ? (%s) : 1)", p->if_text, p->threads_text);
    else if (p->if_text)
        text_format(&t, ".max_workers((%s) ? 0 : 1)", p->if_text);
    else if (p->threads_text)
        text_format(&t, ".max_workers(%s)", p->threads_text);
    if (p->grain_text)
        text_format(&t, ".grain(%s)", p->grain_text);
    if (needs_rows(p))
        text_add(&t, p->dimensions == 2 ? ".tile(1, INT64_MAX)" : ".tile(1, INT64_MAX, INT64_MAX)");
    return t.s;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool has_word(const text *in, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = in->n ? strstr(in->s, word) : NULL; at; at = strstr(at + 1, word))
        if ((at == in->s || !is_letter(at[-1])) && !is_letter(at[length]))
            return true;
    return false;
}

/* Compilers warn of a parameter without a use that has a name. */
static bool is_index_used(const cxx *c, int k)
{
    const plan *p = c->p;

    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == p->loops[k].variable && references[i].at >= p->text.lo &&
            references[i].at < p->text.hi)
            return true;
    for (int t = token_at(p->text.lo); t < token_count && tokens[t].lo < p->text.hi; t++)
        if (token_is(t, c->index[k]))
            return true;
    return has_word(&c->prologue, c->index[k]) || has_word(&c->epilogue, c->index[k]);
}

/* The call up to the body. */
static char *head_of(cxx *c, const char *open, const char *identity, bool returns)
{
    const plan *p = c->p;
    bool cast = p->dimensions == 1 && !strstr(open, "parallel_for<");
    text head = { 0 };

    text_add(&head, open);
    for (int k = 0; k < p->dimensions; k++)
        text_format(&head, cast ? "%s(%s)(%s), (%s)(%s)" : "%s%.0s%s, %.0s%s", k ? ", " : "",
                    c->index_type[k], p->loops[k].lo, c->index_type[k], p->loops[k].hi);
    if (identity)
        text_format(&head, ", %s", identity);
    text_format(&head, ", [&%s](", c->captured.n ? c->captured.s : "");
    for (int k = 0; k < p->dimensions; k++)
        text_format(&head, "%s%s%s%s", k ? ", " : "", c->index_type[k],
                    is_index_used(c, k) ? " " : "", is_index_used(c, k) ? c->index[k] : "");
    if (identity)
        text_format(&head, ", %s", c->result);
    text_add(&head, ")");
    if (returns || strstr(open, "parallel_sum"))
        text_format(&head, " -> %s", c->result);
    return head.s;
}

static unsigned past_blanks(unsigned at)
{
    return at + (unsigned)strspn(source + at, " \t");
}

static bool is_line_end(unsigned at)
{
    return source[at] == '\n' || source[at] == '\r';
}

static bool has_braces(const plan *p, range body)
{
    int t = code_at(token_at(body.lo));

    /* before a directive: the braces are its statement's */
    return nodes[p->body].kind == CXCursor_CompoundStmt && tokens[t].lo == nodes[p->body].lo;
}

/* What surrounds the statements of a body. */
typedef struct around {
    const char *own, *in; /* indentation of the call, and of the body */
    const char *prologue, *epilogue;
    bool wrap; /* in a loop of one turn, for `continue` */
} around;

static void put_in_braces(const plan *p, const around *a)
{
    unsigned first = nodes[p->body].lo + 1, last = nodes[p->body].hi - 1,
             begin = past_blanks(first);

    if (a->wrap || source[begin] == '}')
        begin = first;
    if (*a->prologue || a->wrap)
        add_edit(first, begin,
                 format("\n%s%s", a->prologue,
                        a->wrap ? format("%sdo {", a->in)
                        : begin == first || is_line_end(begin) ? "" : a->in),
                 p->number);
    if (!a->wrap && (*a->prologue || *a->epilogue))
        part_statements(p, a->in);
    if (*a->epilogue || a->wrap) {
        unsigned k = last;
        bool alone;

        while (source[k - 1] == ' ' || source[k - 1] == '\t')
            k--;
        alone = source[k - 1] == '\n';
        add_edit(k, alone ? k : last,
                 format("%s%s%s%s", alone ? "" : "\n",
                        a->wrap ? format("%s} while (0);\n", a->in) : "", a->epilogue,
                        alone ? "" : a->own),
                 p->number);
    }
}

/* The braces are made: from here up to the body, and behind it. */
static void put_braces(const plan *p, unsigned lo, const char *head, const around *a, text *tail)
{
    range body = p->text;
    unsigned begin = *a->prologue && !a->wrap ? past_blanks(body.lo) : body.lo;
    bool same_line = !*a->prologue && !memchr(source + body.lo, '\n', body.hi - body.lo);

    add_edit(lo, begin,
             format("%s {%s%s%s", head, *a->prologue ? "\n" : "", a->prologue,
                    a->wrap ? format("%sdo {", a->in)
                    : begin > body.lo && !is_line_end(begin) ? a->in : ""),
             p->number);
    text_format(tail, "%s%s%s%s}", a->wrap ? " } while (0);" : "", *a->epilogue ? "\n" : "",
                a->epilogue,
                *a->epilogue ? a->own : same_line ? " " : format("\n%s", a->own));
}

static void put(cxx *c, const char *open, const char *identity, const char *close,
                const char *behind)
{
    plan *p = c->p;
    const loop *outer = &p->loops[0];
    char *indent = indent_at(nodes[outer->node].lo), *in = format("%s    ", indent);
    unsigned lo = nodes[outer->node].lo, end = statement_end(outer->node);
    bool block = c->before.n || *behind, braces = has_braces(p, p->text);
    around a = { .own = block ? in : indent, .in = in,
                 .wrap = p->continues && (p->hidden_continue || (c->epilogue.n && p->any_last)) };
    text tail = { 0 };
    char *head = head_of(c, open, identity,
                         c->epilogue.n && strstr(c->epilogue.s, "return ") && !p->any_last);

    if (block) {
        head = format("{\n%s%s%s", indented(c->before.n ? c->before.s : "", in), in, head);
        if (shift_lines(p->text.lo, p->text.hi, p->number))
            a.in = format("%s    ", in);
    }
    a.prologue = indented(c->prologue.n ? c->prologue.s : "", a.in);
    a.epilogue = indented(c->epilogue.n ? c->epilogue.s : "", a.in);
    text_add(&tail, "");
    if (braces) {
        unsigned body = past_blanks(p->text.lo);

        add_edit(lo, nodes[p->body].lo == body ? body : p->text.lo, format("%s ", head), p->number);
        put_in_braces(p, &a);
    } else {
        put_braces(p, lo, head, &a, &tail);
    }
    text_add(&tail, indent_rest(close, a.own));
    text_format(&tail, "%s);", options_text(p));
    if (*behind)
        text_format(&tail, "\n%s", indented(behind, in));
    if (block)
        text_format(&tail, "%s%s}", ends_with(tail.s, "\n") ? "" : "\n", indent);
    text_add(&tail, comments_in(p->text.hi, end));
    add_edit(p->text.hi, end > p->text.hi ? end : p->text.hi, tail.s, p->number);
}

static void remove_line(const directive *d, int owner)
{
    unsigned lo = line_start(d->lo), hi = d->hi;
    char *comments = comments_in(d->lo, d->hi);

    while (hi < source_size && source[hi] != '\n')
        hi++;
    if (*comments)
        add_edit(d->lo, d->hi, comments + 1, owner);
    else
        add_edit(lo, hi < source_size ? hi + 1 : hi, "", owner);
}

bool emit_cxx(plan *p)
{
    cxx c = { .p = p };
    char *test = NULL, *open = NULL, *close = format("%s", ""), *identity = NULL, *behind = format("%s", "");
    const item *only = NULL;
    int reductions = reductions_of(p, &only);
    static const char *const suffix[] = { "", "", "_2d", "_3d" };

    if (p->d->function < 0)
        return leave(p->d, "the loop is in no function");
    p->name = format("loop");
    for (int k = 0; k < p->dimensions; k++)
        if (!make_index(&c, k))
            return false;
    for (int i = 0; i < p->item_count; i++) {
        const item *it = &p->items[i];

        if ((it->role == PRIVATE && !make_private(&c, it, "")) ||
            (it->role == FIRSTPRIVATE && !make_first(&c, it)))
            return false;
    }
    capture_constants(&c);
    if (p->any_last)
        test = last_test(&c);
    for (int i = 0; i < p->item_count; i++)
        if ((p->items[i].role == LASTPRIVATE || p->items[i].role == FIRST_AND_LAST) &&
            !make_last(&c, &p->items[i], test))
            return false;
    if (reductions > 1 || (reductions == 1 && (only->declared >= 0 || only->is_array))) {
        if (!reduce_all(&c, &open, &close, &identity, &behind))
            return false;
    } else if (reductions == 1) {
        if (!reduce_one(&c, only, &open, &close))
            return false;
        if (strcmp(only->op, "+") != 0) {
            identity = is_idempotent(only->op) ? mark(only->variable)
                                               : identity_text(only->op,
                                                               variables[only->variable].type);
            identity = format("%s(%s)", c.result, identity);
            if (strchr(c.result, ' '))
                identity = format("(%s)%s", c.result, strchr(identity, '('));
            c.result = format("%s &%s", c.result, variables[only->variable].name);
        }
    } else if (p->dimensions == 1) {
        open = format("tweed::parallel_for<%s>(", c.index_type[0]);
    } else {
        open = format("tweed::parallel_for%%s(");
    }
    if (strstr(open, "%s")) {
        char *at = strstr(open, "%s");

        open = format("%.*s%s%s", (int)(at - open), open, suffix[p->dimensions], at + 2);
    }
    if (p->continues && !p->hidden_continue && !p->any_last)
        edit_continues(p, c.epilogue.n ? format("return %s", variables[only->variable].name)
                                       : "return");
    for (int k = 0; k < p->dimensions; k++)
        add_cover(p->loops[k].variable, nodes[p->d->statement].lo,
                  statement_end(p->d->statement));
    for (int i = 0; i < p->item_count; i++)
        if (p->items[i].role == PRIVATE || p->items[i].role == FIRSTPRIVATE)
            add_cover(p->items[i].variable, p->text.lo, p->text.hi);
    remove_line(p->d, p->number);
    put(&c, open, identity, close, behind);
    p->d->done = true;
    return true;
}
