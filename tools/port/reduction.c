/*
 * reduction.c - the clause reduction: what it names, and by which operation.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <string.h>

CXType element_type(CXType t)
{
    CXType bare = plain(t);

    if (bare.kind != CXType_Pointer && clang_getArrayElementType(bare).kind == CXType_Invalid)
        bare = clang_getCanonicalType(t);
    return bare.kind == CXType_Pointer ? clang_getPointeeType(bare) : clang_getArrayElementType(bare);
}

/* Is nothing done to the name but that elements are named, or its value is read? */
static bool is_base(const plan *p, int v)
{
    for (int i = 0; i < reference_count; i++) {
        int n = references[i].node, up;

        if (references[i].variable != v || references[i].at < p->text.lo ||
            references[i].at >= p->text.hi)
            continue;
        if (n < 0)
            return false;
        for (up = nodes[n].parent; node_is(up, CXCursor_ParenExpr) ||
                                   node_is(up, CXCursor_UnexposedExpr);
             up = nodes[up].parent)
            n = up;
        if (!(node_is(up, CXCursor_ArraySubscriptExpr) && nodes[up].child == n) &&
            how_used(references[i].node) != USE_READ)
            return false;
    }
    return true;
}

/* [first, past): what stands in the brackets, or no tokens at all. */
static bool set_section(plan *p, item *i, int first, int past)
{
    const variable *v = &variables[i->variable];
    CXType t = clang_getCanonicalType(v->type), element;
    int colon = first;
    long long size = -1;

    if (!is_array(t) && t.kind != CXType_Pointer)
        return leave(p->d, "reduction of a section of %s, of type %s", v->name, type_name(t));
    element = clang_getCanonicalType(element_type(t));
    if (t.kind == CXType_ConstantArray)
        size = clang_getArraySize(t);
    if (!(is_scalar(element) || (is_cxx && element.kind == CXType_Unexposed &&
                                 strcmp(i->op, "+") == 0)) ||
        element.kind == CXType_Bool || clang_isVolatileQualifiedType(element) ||
        clang_isConstQualifiedType(element))
        return leave(p->d, "the reduction of %s, whose elements are of type %s", v->name,
                     type_name(element));
    if (is_scalar(element) && !identity_text(i->op, element))
        return leave(p->d, "the reduction of %s has no identity", v->name);
    if (p->dimensions > 1)
        return leave(p->d, "the array %s is reduced, over a collapse", v->name);
    if (v->is_global && !v->at)
        return leave(p->d, "the reduction of the array %s, which is a member, or of another file",
                     v->name);
    if (!is_base(p, i->variable))
        return leave(p->d, "the reduction of %s: more is done with it than to name elements",
                     v->name);
    for (int depth = 0; colon < past; colon++) {
        depth += token_is(colon, "(") + token_is(colon, "[") - token_is(colon, ")") -
                 token_is(colon, "]");
        if (depth == 0 && (token_is(colon, ":") || token_is(colon, "?")))
            break;
    }
    if (first < past) {
        if (colon == past || !token_is(colon, ":"))
            return leave(p->d, "the section of %s has no `:`", v->name);
        for (int k = colon + 1; k < past; k++)
            if (token_is(k, ":"))
                return leave(p->d, "the section of %s has a stride", v->name);
        for (int k = first; k < past; k++)
            if (token_is(k, "=") || token_is(k, "++") || token_is(k, "--") ||
                (token_is(k, "(") && tokens[k - 1].kind == CXToken_Identifier))
                return leave(p->d, "the section of %s is computed by more than operators", v->name);
        if (colon > first)
            i->low = render(tokens[first].lo, tokens[colon - 1].hi, NULL, NULL);
        if (colon + 1 < past)
            i->length = render(tokens[colon + 1].lo, tokens[past - 1].hi, NULL, NULL);
    }
    if (!i->length) {
        if (size < 0)
            return leave(p->d, "how many elements of %s are reduced is not said", v->name);
        i->length = i->low ? format("%lld - (%s)", size, i->low) : format("%lld", size);
    }
    i->is_array = true;
    return true;
}

/* Some blocks a worker, since each has an array of its own. */
char *grain_of(const loop *l, const char *pool)
{
    return format("(int64_t)(%s) > (int64_t)(%s)\n    ? ((int64_t)(%s) - (int64_t)(%s)) / "
                  "(4 * tweed_pool_num_workers(%s)) + 1 : 1",
                  l->hi, l->lo, l->hi, l->lo, pool);
}

/* Names, and sections of arrays. */
static bool read_items(plan *p, const clause *c, int first, const char *op)
{
    for (int t = first; t < c->past;) {
        int open = -1, shut = -1, close;
        item *i;

        if (tokens[t].kind == CXToken_Comment || token_is(t, ",")) {
            t++;
            continue;
        }
        close = code_at(t + 1);
        if (token_is(close, "[")) {
            open = close;
            for (int depth = 0; close < c->past; close++) {
                depth += token_is(close, "[") - token_is(close, "]");
                if (depth == 0)
                    break;
            }
            shut = close;
            close = code_at(close + 1);
            if (close < c->past && token_is(close, "["))
                return leave(p->d, "the section of %s has several dimensions", token_text(t));
        }
        if (tokens[t].kind != CXToken_Identifier || (close < c->past && !token_is(close, ",")))
            return leave(p->d, "%s of what is no plain variable", c->name);
        if (!set_role(p, token_text(t), REDUCTION, op))
            return false;
        i = item_named(p, token_text(t));
        if (i && i->role == REDUCTION &&
            (open >= 0 || is_array(variables[i->variable].type)) &&
            !set_section(p, i, open < 0 ? 0 : open + 1, open < 0 ? 0 : shut))
            return false;
        t = close;
    }
    return true;
}

/* Of a class, and by a name, the user says what it is. */
static bool find_declared(plan *p, const char *op, bool by_name)
{
    bool any = has_declared_outside(); /* in a header, perhaps */

    for (int i = 0; i < directive_count; i++)
        any |= directives[i].words == (W_DECLARE | W_REDUCTION);
    for (int i = 0; i < p->item_count; i++) {
        item *it = &p->items[i];
        CXType type = variables[it->variable].type, t = clang_getCanonicalType(type);

        if (it->role != REDUCTION || strcmp(it->op, op) != 0 || it->declared >= 0)
            continue;
        if (t.kind == CXType_LValueReference)
            t = clang_getCanonicalType(type = clang_getPointeeType(t));
        if (!by_name && (t.kind != CXType_Record && !(any && !is_scalar(t) && !it->is_array)))
            continue;
        if (it->is_array)
            return leave(p->d, "the reduction of the array %s, by the user's combiner",
                         variables[it->variable].name);
        it->declared = declared_for(op, type);
        if (it->declared < 0)
            return leave(p->d, by_name ? "reduction %s of %s is declared elsewhere"
                                       : "the reduction by %s of %s, of type %s",
                         op, variables[it->variable].name, type_name(type));
        if (!is_cxx && !declared_start(it->declared))
            return leave(p->d, "reduction %s begins with more than a value", op);
        if (directives[it->declared].barred)
            return leave(p->d, "reduction %s: %s", op, directives[it->declared].reason);
        if (is_cxx && strstr(declared_combiner(it->declared), "decltype"))
            return leave(p->d, "the combiner of reduction %s asks for a type", op);
        if (directives[it->declared].function >= 0 &&
            (!is_cxx || directives[it->declared].function != p->d->function))
            return leave(p->d, "reduction %s is declared in a function", op);
    }
    return true;
}

const char *reduction_operator(const clause *c, int *first)
{
    static const char *const ops[] = { "+", "-", "*", "&", "|", "^", "&&", "||", "min", "max",
                                       NULL };
    int colon = code_at(c->first + 1);

    *first = colon + 1;
    for (int i = 0; ops[i]; i++)
        if (token_is(c->first, ops[i]) && token_is(colon, ":"))
            return ops[i][0] == '-' ? "+" : ops[i];
    return NULL;
}

bool read_reduction_clause(plan *p, const clause *c)
{
    int t = c->first, first;
    const char *op = reduction_operator(c, &first);

    if (op)
        return read_items(p, c, first, op) && find_declared(p, op, false);
    if (token_is(t, "inscan") || token_is(t, "task"))
        return leave(p->d, "reduction(%s, ...)", token_text(t));
    if (!token_is(code_at(t + 1), ":"))
        return leave(p->d, "a reduction whose name is more than a word");
    return read_items(p, c, first, token_text(t)) && find_declared(p, token_text(t), true);
}

/* ---- partial results ---- */

bool may_be_seen(const char *op)
{
    return strcmp(op, "+") != 0 && strcmp(op, "*") != 0 && strcmp(op, "^") != 0;
}

/* v op ... op v op ..., and v in one place only? */
static bool adds_to(int n, int v, const char *op)
{
    int left, right;

    n = bare(n);
    if (n < 0 || is_name(n, v))
        return n >= 0;
    left = nodes[n].child;
    right = left < 0 ? -1 : nodes[left].next;
    if (!node_is(n, CXCursor_BinaryOperator) || right < 0 || names(left, v) == names(right, v))
        return false;
    if (names(left, v) && strcmp(op, "+") == 0 && token_is(operator_token(n), "-"))
        return adds_to(left, v, op);
    return token_is(operator_token(n), op) && adds_to(names(left, v) ? left : right, v, op);
}

/* A statement by itself: not in the head of another one, and no value of anything? */
static bool is_statement(int n)
{
    int up = nodes[n].parent, before = code_before(token_at(nodes[n].lo));

    switch ((int)nodes[up].kind) {
    case CXCursor_CompoundStmt:
        return nodes[n].next >= 0 || !node_is(nodes[up].parent, CXCursor_StmtExpr);
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
    case CXCursor_LabelStmt:
        return nodes[n].next < 0 && is_statement(up);
    case CXCursor_DoStmt:
        return token_is(before, "do");
    case CXCursor_IfStmt:
        return token_is(before, ")") || token_is(before, "else");
    default:
        return (is_loop(up) || node_is(up, CXCursor_SwitchStmt)) && token_is(before, ")");
    }
}

/* Of this variable: an assignment that is a statement, ++, and the like. */
static bool combines(int n, int v, const char *op)
{
    int target = nodes[n].child, t, value = target < 0 ? -1 : nodes[target].next;

    switch ((int)nodes[n].kind) {
    case CXCursor_CompoundAssignOperator:
        t = operator_token(n);
        if (!may_be_seen(op) && (names(value, v) || tokens[t].hi - tokens[t].lo != 2 ||
                                   !(source[tokens[t].lo] == op[0] ||
                                     (op[0] == '+' && source[tokens[t].lo] == '-'))))
            return false;
        break;
    case CXCursor_BinaryOperator:
        if (!token_is(operator_token(n), "=") ||
            (!may_be_seen(op) && names(value, v) && !adds_to(value, v, op)))
            return false;
        break;
    case CXCursor_UnaryOperator:
        t = token_at(nodes[n].lo);
        if (!token_is(t, "++") && !token_is(t, "--") && !token_is(token_at(nodes[target].hi), "++") &&
            !token_is(token_at(nodes[target].hi), "--"))
            return false;
        break;
    default:
        return false;
    }
    while (node_is(nodes[n].parent, CXCursor_UnexposedExpr)) /* what it made is destroyed */
        n = nodes[n].parent;
    return is_name(target, v) && is_statement(n);
}

/* `if`, and nothing in it but that the variable is combined? */
static bool combines_alone(int n, int v, const char *op)
{
    for (int c = nodes[nodes[n].child].next; c >= 0; c = nodes[c].next) {
        int only = node_is(c, CXCursor_CompoundStmt) ? nodes[c].child : c;

        if (only < 0 || !combines(only, v, op) || (only != c && nodes[only].next >= 0))
            return false;
    }
    return true;
}

bool is_read_between(const plan *p, int v, const char *op)
{
    bool by_if = may_be_seen(op);

    for (int i = 0; is_scalar(variables[v].type) && i < reference_count; i++) {
        bool found = false;

        if (references[i].variable != v || references[i].node < 0 ||
            references[i].at < p->text.lo || references[i].at >= p->text.hi)
            continue;
        for (int n = nodes[references[i].node].parent; n > p->body && !found; n = nodes[n].parent)
            found = combines(n, v, op) ||
                    (by_if && node_is(n, CXCursor_IfStmt) && combines_alone(n, v, op));
        if (!found && !combines(p->body, v, op) &&
            !(by_if && node_is(p->body, CXCursor_IfStmt) && combines_alone(p->body, v, op)))
            return true;
    }
    return false;
}
