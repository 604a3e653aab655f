/*
 * loop.c - the header of a loop in the form that OpenMP asks for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Tokens of code in [lo, hi): *first to *past; comments at the ends are left out. */
static void trim(int *first, int *past)
{
    while (*first < *past && tokens[*first].kind == CXToken_Comment)
        ++*first;
    while (*first < *past && tokens[*past - 1].kind == CXToken_Comment)
        --*past;
}

static range text_range(int first, int past)
{
    range r = { 0, 0 };

    trim(&first, &past);
    if (first < past)
        r = (range){ tokens[first].lo, tokens[past - 1].hi };
    return r;
}

/* The reference to a local or global variable that is this token. */
static int variable_at(int t)
{
    for (int i = 0; i < reference_count; i++)
        if (references[i].at == tokens[t].lo)
            return references[i].spelled ? references[i].variable : -1;
    return -1;
}

/* Of `(a; b; c)`: where the parts begin, and the one that closes. */
static bool split(int open, int at[4])
{
    int depth = 0, part = 1;

    at[0] = open + 1;
    for (int t = open; t < token_count; t++) {
        if (tokens[t].in_directive)
            return false;
        if (token_is(t, "(") || token_is(t, "[") || token_is(t, "{"))
            depth++;
        if (token_is(t, ")") || token_is(t, "]") || token_is(t, "}"))
            depth--;
        if (depth == 0) {
            at[3] = t;
            return part == 3;
        }
        if (depth == 1 && token_is(t, ";")) {
            if (part == 3)
                return false;
            at[part++] = t + 1;
        }
    }
    return false;
}

static bool read_first(directive *d, loop *l, int first, int past)
{
    int child = nodes[l->node].child, t;

    trim(&first, &past);
    if (node_is(child, CXCursor_DeclStmt)) {
        int v = nodes[child].child;

        if (!node_is(v, CXCursor_VarDecl) || nodes[v].next >= 0)
            return leave(d, "the loop declares more than its variable");
        for (int i = 0; i < variable_count; i++)
            if (clang_equalCursors(variables[i].decl,
                                   clang_getCanonicalCursor(nodes[v].cursor)))
                l->variable = i;
        l->declared = true;
        for (t = first; t < past && tokens[t].lo != variables[l->variable].at; t++)
            ;
    } else {
        l->variable = variable_at(first);
        t = first;
    }
    t = code_at(t + 1);
    if (l->variable < 0 || !token_is(t, "=") || t + 1 >= past)
        return leave(d, "the loop does not begin with `variable = value`");
    if (!l->declared && variables[l->variable].is_global && !is_cxx)
        l->declared = false;
    l->type = variables[l->variable].type;
    l->first = text_range(t + 1, past);
    return true;
}

static bool read_bound(directive *d, loop *l, int first, int past)
{
    static const char *const operators[] = { "<", "<=", ">", ">=", "!=", NULL };
    int op = -1, at, turned = 0;

    trim(&first, &past);
    if (variable_at(first) == l->variable)
        at = code_at(first + 1);
    else if (past - first > 2 && variable_at(past - 1) == l->variable)
        at = past - 2, turned = 1;
    else
        return leave(d, "the condition of the loop does not compare its variable");
    for (int i = 0; operators[i]; i++)
        if (token_is(at, operators[i]))
            op = i;
    if (op < 0)
        return leave(d, "the condition of the loop does not compare its variable");
    l->bound = turned ? text_range(first, at) : text_range(at + 1, past);
    l->unequal = op == 4;
    l->inclusive = op == 1 || op == 3;
    l->down = op == 4 ? false : (op >= 2) != (turned != 0);
    for (int t = turned ? first : at + 1, depth = 0; t < (turned ? at : past); t++) {
        if (variable_at(t) == l->variable)
            return leave(d, "the bound of the loop changes with its variable");
        depth += token_is(t, "(") + token_is(t, "[") - token_is(t, ")") - token_is(t, "]");
        if (depth > 0)
            continue;
        if (token_is(t, "&&") || token_is(t, "||") || token_is(t, ",") || token_is(t, "?"))
            if (t == at + 1 || token_is(t, ",") || token_is(t, "&&") || token_is(t, "||"))
                return leave(d, "the condition of the loop is more than a comparison");
    }
    return true;
}

/* The value of a constant; 0: it is none. */
long constant(range r)
{
    long value = 0;

    for (int n = 0; n < node_count; n++)
        if (nodes[n].lo == r.lo && nodes[n].hi == r.hi && clang_isExpression(nodes[n].kind)) {
            CXEvalResult e = clang_Cursor_Evaluate(nodes[n].cursor);

            if (e && clang_EvalResult_getKind(e) == CXEval_Int)
                value = (long)clang_EvalResult_getAsLongLong(e);
            if (e)
                clang_EvalResult_dispose(e);
            break;
        }
    return value;
}

static bool read_step(directive *d, loop *l, int first, int past)
{
    bool minus = false;
    range step = { 0, 0 };

    trim(&first, &past);
    if (past - first == 2 && (token_is(first, "++") || token_is(first, "--")) &&
        variable_at(first + 1) == l->variable)
        minus = token_is(first, "--");
    else if (past - first == 2 && (token_is(first + 1, "++") || token_is(first + 1, "--")) &&
             variable_at(first) == l->variable)
        minus = token_is(first + 1, "--");
    else if (past - first > 2 && variable_at(first) == l->variable &&
             (token_is(first + 1, "+=") || token_is(first + 1, "-="))) {
        minus = token_is(first + 1, "-=");
        step = text_range(first + 2, past);
    } else if (past - first > 4 && variable_at(first) == l->variable &&
               token_is(first + 1, "=") && variable_at(first + 2) == l->variable &&
               (token_is(first + 3, "+") || token_is(first + 3, "-")) && past - first == 5) {
        minus = token_is(first + 3, "-");
        step = text_range(first + 4, past);
    } else if (past - first == 5 && variable_at(first) == l->variable &&
               token_is(first + 1, "=") && token_is(first + 3, "+") &&
               variable_at(first + 4) == l->variable)
        step = text_range(first + 2, first + 3);
    else if (past - first == 6 && variable_at(first) == l->variable &&
             token_is(first + 1, "=") && token_is(first + 2, "-") && token_is(first + 4, "+") &&
             variable_at(first + 5) == l->variable)
        step = text_range(first + 2, first + 4);
    else
        return leave(d, "the step of the loop is written in a way that is not understood");
    for (int t = first; t < past; t++)
        if (tokens[t].kind == CXToken_Comment || token_is(t, ","))
            return leave(d, "the step of the loop is more than an addition");
    l->step = step;
    l->step_value = 1;
    if (step.hi) {
        char *end, *s = copy_bytes(source + step.lo, step.hi - step.lo);

        l->step_value = strtol(s, &end, 0);
        if (*end || l->step_value <= 0)
            l->step_value = 0;
        if (constant(step) < 0 && constant(step) > -1000000000) {
            l->step_value = -constant(step);
            minus = !minus;
        } else if (s[0] == '-') {
            return leave(d, "the step of the loop has a sign, and is no constant");
        }
    }
    if (l->unequal)
        l->down = minus;
    if (l->unequal && l->step_value != 1)
        return leave(d, "`!=` with a step other than 1");
    if (minus != l->down)
        return leave(d, l->step_value ? "the step of the loop leads away from its bound"
                                      : "whether the loop goes up or down depends on the sign of "
                                        "its step, which is no constant");
    return true;
}

bool read_loop(directive *d, int for_node, loop *l)
{
    int at[4], t, children = 0, last = -1;
    CXType type;

    memset(l, 0, sizeof *l);
    l->node = for_node;
    l->variable = -1;
    if (!node_is(for_node, CXCursor_ForStmt))
        return leave(d, node_is(for_node, CXCursor_CXXForRangeStmt)
                            ? "a loop over a range"
                            : "what follows is no `for` loop");
    if (!spelled(for_node, "for"))
        return leave(d, "the loop stands in a macro");
    for (int c = nodes[for_node].child; c >= 0; c = nodes[c].next)
        children++, last = c;
    if (children != 4)
        return leave(d, "the loop has not all of its parts");
    l->body = last;
    t = code_at(token_at(nodes[for_node].lo) + 1);
    if (!token_is(t, "(") || !split(t, at))
        return leave(d, "the header of the loop has a directive or a macro in it");
    if (nodes[l->body].lo < tokens[at[3]].hi)
        return leave(d, "the body of the loop stands in a macro");
    l->text = (range){ tokens[at[3]].hi, statement_end(for_node) };
    if (!read_first(d, l, at[0], at[1] - 1) || !read_bound(d, l, at[1], at[2] - 1) ||
        !read_step(d, l, at[2], at[3]))
        return false;
    type = clang_getCanonicalType(l->type);
    l->is_pointer = type.kind == CXType_Pointer;
    if (!l->is_pointer && (type.kind < CXType_Bool || type.kind > CXType_LongLong ||
                           type.kind == CXType_UInt128))
        if (!is_cxx || (type.kind != CXType_Record && type.kind != CXType_Unexposed &&
                        type.kind != CXType_Auto && type.kind != CXType_Dependent))
            return leave(d, "the variable of the loop is no integer and no pointer");
    return true;
}

/* ---- bounds ---- */

/* Does it need parentheses before a sum goes on? */
static bool is_simple(range r)
{
    int depth = 0;

    for (int t = token_at(r.lo); t < token_count && tokens[t].lo < r.hi; t++) {
        if (is_open_macro(t))
            return false;
        if (token_is(t, "(") || token_is(t, "["))
            depth++;
        else if (token_is(t, ")") || token_is(t, "]"))
            depth--;
        else if (depth == 0 && tokens[t].kind == CXToken_Keyword && !token_is(t, "sizeof") &&
                 !token_is(t, "this"))
            return false; /* `bitor`, perhaps */
        else if (depth == 0 && tokens[t].kind == CXToken_Punctuation && !token_is(t, ".") &&
                 !token_is(t, "->") && !token_is(t, "*") && !token_is(t, "::") &&
                 !token_is(t, "+") && !token_is(t, "-"))
            return false;
    }
    return true;
}

/* Is it one operand, of any operator? */
static bool is_one(range r)
{
    int depth = 0;

    if (!is_simple(r))
        return false;
    for (int t = token_at(r.lo); t < token_count && tokens[t].lo < r.hi; t++) {
        if (token_is(t, "(") || token_is(t, "["))
            depth++;
        else if (token_is(t, ")") || token_is(t, "]"))
            depth--;
        else if (depth == 0 && (token_is(t, "+") || token_is(t, "-") || token_is(t, "*")))
            return false;
    }
    return true;
}

static char *plain_text(range r)
{
    return render(r.lo, r.hi, NULL, NULL);
}

static char *operand(range r)
{
    return format(is_one(r) ? "%s" : "(%s)", plain_text(r));
}

/* A number without a suffix; -1: it is none. */
static long literal(range r)
{
    int t = token_at(r.lo);
    char *end;
    long value;

    if (tokens[t].hi != r.hi || tokens[t].kind != CXToken_Literal)
        return -1;
    value = strtol(token_text(t), &end, 0);
    return *end || value == LONG_MAX ? -1 : value;
}

/* The node of an expression, without what converts it; -1: unclear. */
static int expression_of(range r)
{
    for (int n = 0; n < node_count; n++)
        if (nodes[n].lo == r.lo && nodes[n].hi == r.hi && clang_isExpression(nodes[n].kind) &&
            nodes[n].kind != CXCursor_UnexposedExpr)
            return n;
    return -1;
}

/* The type that an expression has by itself. */
static CXType own_type(range r)
{
    int n = expression_of(r);
    CXType t = clang_getCanonicalType(clang_getCursorType(n < 0 ? clang_getNullCursor()
                                                                : nodes[n].cursor));

    return t.kind == CXType_Enum ? clang_getCanonicalType(clang_getEnumDeclIntegerType(
                                       clang_getTypeDeclaration(t)))
                                 : t;
}

static bool is_integer(CXType t)
{
    return t.kind >= CXType_Bool && t.kind <= CXType_LongLong && t.kind != CXType_UInt128;
}

/* The size of it; 0: unclear. */
static long long size_of(range r)
{
    CXType t = own_type(r);

    return t.kind == CXType_Invalid ? 0 : clang_Type_getSizeOf(t);
}

/* Has the variable of the loop each value that the expression may have? */
static bool fits(const loop *l, range r)
{
    CXType own = own_type(r), t = clang_getCanonicalType(l->type);
    long long size = clang_Type_getSizeOf(own), room = clang_Type_getSizeOf(t);
    long value = constant(r);

    if (!is_integer(t) || own.kind == CXType_Dependent || own.kind == CXType_Unexposed)
        return true; /* of a class, or a template: the compiler knows */
    if (literal(r) >= 0 && literal(r) <= 127)
        return true;
    if (!is_integer(own))
        return false;
    if (value > 0 && room >= 4 && value <= INT_MAX)
        return true;
    return size < room ? is_unsigned(own) || !is_unsigned(t)
                       : size == room && is_unsigned(own) == is_unsigned(t);
}

/* The value that the loop's variable has by it. */
static char *converted(const loop *l, range r)
{
    char *type = declare(l->type, "");

    if (!type)
        type = type_name(l->type);
    return format("(%s)%s", begins(type, "const ") ? type + 6 : type, operand(r));
}

/* Compilers convert the bound to the type of the variable, or the variable to that of the
   bound.  It is the same where neither is less than 0: a difference without a sign, and what may
   be less than 0 beside a variable without one, are converted. */
static bool is_converted(const loop *l, range r)
{
    bool is_bound = r.lo == l->bound.lo;
    CXType own = own_type(r);

    if (fits(l, r))
        return false;
    if (!is_bound || !is_integer(own))
        return !is_bound;
    return clang_Type_getSizeOf(l->type) == 4 &&
           (is_unsigned(l->type) ? !is_unsigned(own) && clang_Type_getSizeOf(own) <= 4
                                 : is_unsigned(own) && !is_one(r));
}

/* In 64 bits. */
static char *wide_text(range r)
{
    if (literal(r) >= 0)
        return plain_text(r);
    return is_cxx ? format("int64_t(%s)", plain_text(r)) : format("(int64_t)%s", operand(r));
}

static char *wide(const loop *l, range r)
{
    if (!is_converted(l, r))
        return wide_text(r);
    return format(is_cxx ? "int64_t(%s)" : "(int64_t)%s", converted(l, r));
}

/* n of `n - 1`.  Without a sign it is another one where n is 0. */
static bool less_one(const loop *l, range r, range *n)
{
    int t = token_at(r.hi - 1);

    if (!token_is(t, "1") || !token_is(t - 1, "-") || tokens[t - 1].lo <= r.lo || !is_simple(r))
        return false;
    if (is_converted(l, r) ||
        (r.lo == l->first.lo && is_integer(own_type(r)) && is_unsigned(own_type(r))))
        return false;
    *n = (range){ r.lo, tokens[t - 2].hi };
    return true;
}

/* The value plus 1.  It may be the greatest of its type. */
static char *plus_one(const loop *l, range r, bool is_wide)
{
    range less;

    if (less_one(l, r, &less))
        return plain_text(less);
    if (literal(r) >= 0)
        return format("%ld", literal(r) + 1);
    if (is_wide || is_converted(l, r))
        return format("%s + 1", wide(l, r));
    return format(is_simple(r) ? "%s + 1" : "(%s) + 1", plain_text(r));
}

/* Of 64 bits without a sign: a difference is right where the values are none of int64_t. */
static bool is_modular(const loop *l)
{
    return !is_cxx && !l->is_pointer && is_unsigned(l->type) &&
           clang_Type_getSizeOf(l->type) == 8 && literal(l->first) < 0;
}

/* Does C compare the variable and the bound without a sign? */
static bool compares_unsigned(const loop *l)
{
    CXType t = clang_getCanonicalType(l->type), own = own_type(l->bound);
    long long size = clang_Type_getSizeOf(t), other = clang_Type_getSizeOf(own);

    if (!is_integer(t) || !is_integer(own) || (size < 4 && other < 4))
        return false;
    return size == other ? is_unsigned(t) || is_unsigned(own) : is_unsigned(size > other ? t : own);
}

/* May the lower end be less than 0, or a difference beyond it, where there are no signs?  Then the
   loop has no index.  A variable with a sign is taken for one that is not less than 0 if the
   loop's has one, too: compilers are not of one mind. */
static bool needs_test(const loop *l)
{
    range from = l->down ? l->bound : l->first;
    CXType own = own_type(from);

    if (l->unequal || !compares_unsigned(l) || literal(from) >= 0 || constant(from) > 0)
        return false;
    if (is_unsigned(l->type) && clang_Type_getSizeOf(l->type) <= 4 &&
        (!l->down || clang_Type_getSizeOf(own) <= 4))
        return false; /* right in 64 bits */
    return !is_one(from) || !is_integer(own) || (is_unsigned(l->type) && !is_unsigned(own));
}

static char *count_of(const loop *l);

/* How many indices there are. */
char *loop_count(const loop *l)
{
    static const char *const operators[] = { "<", "<=", ">", ">=" };

    if (!needs_test(l))
        return count_of(l);
    return format("(%s %s %s ? %s : 0)",
                  own_type(l->first).kind == clang_getCanonicalType(l->type).kind
                      ? operand(l->first) : converted(l, l->first),
                  operators[2 * l->down + l->inclusive], operand(l->bound), count_of(l));
}

static char *count_of(const loop *l)
{
    range from = l->down ? l->bound : l->first, to = l->down ? l->first : l->bound;
    char *step = l->step_value ? format("%ld", l->step_value) : wide_text(l->step), *count;

    if (l->is_pointer)
        count = format("%s - %s", operand(to), operand(from));
    else if (is_modular(l))
        count = format("(int64_t)(%s - %s)",
                       literal(from) == 0 || size_of(to) == 8 || size_of(from) == 8
                           ? operand(to) : converted(l, to),
                       operand(from));
    else if (literal(from) == 0)
        count = wide(l, to);
    else
        count = format("%s - %s", wide(l, to), wide(l, from));
    if (l->step_value == 1)
        return l->inclusive ? format("%s + 1", count) : count;
    if (l->inclusive)
        return format("(%s + %s) / %s", count, step, step);
    return l->step_value ? format("(%s + %ld) / %s", count, l->step_value - 1, step)
                         : format("(%s + %s - 1) / %s", count, step, step);
}

/* With one thread the indices are in the loop's order: the user may count on it. */
static bool may_be_serial(const directive *d)
{
    const directive *around = d->parent < 0 ? d : &directives[d->parent];

    return find_clause(d, "if") || find_clause(d, "num_threads") || find_clause(around, "if") ||
           find_clause(around, "num_threads");
}

/* Is there no greater value of the variable's type?  Which type a template has is not known. */
static bool is_greatest(const loop *l, range r)
{
    CXType t = clang_getCanonicalType(l->type);
    long long size = clang_Type_getSizeOf(t);

    if (!is_integer(t))
        size = 1;
    return size < 8 && literal(r) >= (1LL << (8 * size - (!is_integer(t) || !is_unsigned(t)))) - 1;
}

/* In C++ the call is given bounds of the variable's type: is one of them less than 0, or one that
   1 is added to the greatest? */
static bool wraps(const loop *l)
{
    CXType t = clang_getCanonicalType(l->type), own = own_type(l->bound);

    if (is_cxx && l->down && (is_greatest(l, l->first) || is_greatest(l, l->bound)))
        return true;
    if (!is_cxx || !is_integer(t) || !is_unsigned(t) || literal(l->bound) >= 0 ||
        constant(l->bound) > 0)
        return false;
    return l->down || (is_integer(own) && !is_unsigned(own) && !compares_unsigned(l));
}

/* What the call is given, and whether the index is the variable itself. */
bool bounds_of(directive *d, loop *l)
{
    range less;

    l->direct = !l->is_pointer && l->step_value == 1;
    if (is_modular(l) || needs_test(l) || wraps(l))
        l->direct = false;
    if (compares_unsigned(l) && !is_unsigned(l->type) && clang_Type_getSizeOf(l->type) < 4)
        return leave(d, "the loop's variable is short, and its bound has no sign");
    if (l->down && (may_be_serial(d) ||
                    (is_cxx && !less_one(l, l->first, &less) && literal(l->first) < 0)))
        l->direct = false;
    if (l->direct && !l->down) {
        long long size = size_of(l->bound);

        l->lo = is_converted(l, l->first) ? converted(l, l->first) : plain_text(l->first);
        l->hi = l->inclusive ? plus_one(l, l->bound, !size || size < clang_Type_getSizeOf(l->type))
                : is_converted(l, l->bound) ? converted(l, l->bound) : plain_text(l->bound);
    } else if (l->direct) {
        l->lo = !l->inclusive ? plus_one(l, l->bound, true)
                : is_converted(l, l->bound) ? converted(l, l->bound) : plain_text(l->bound);
        l->hi = plus_one(l, l->first, true);
    } else {
        l->lo = copy_bytes("0", 1);
        l->hi = loop_count(l);
    }
    return true;
}

char *last_of(const loop *l)
{
    if (l->direct && l->down)
        return format("%s", l->lo);
    return format(l->direct && !l->inclusive && !is_simple(l->bound) ? "(%s) - 1" : "%s - 1", l->hi);
}
