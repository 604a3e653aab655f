/*
 * first.c - is a variable written before it is read?
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

int operator_token(int n)
{
    int left = nodes[n].child, t = left < 0 ? -1 : token_at(nodes[left].hi);

    while (t >= 0 && t < token_count && tokens[t].kind == CXToken_Comment)
        t++;
    return t;
}

/* By each index, before anything reads it? */
bool is_surely_written(const plan *p, int v)
{
    return !p->continues && first_use(p->body, v) == WRITTEN;
}

bool names(int n, int v)
{
    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == v && references[i].node >= n &&
            references[i].node < nodes[n].end)
            return true;
    return false;
}

bool is_name(int n, int v)
{
    while (node_is(n, CXCursor_ParenExpr))
        n = nodes[n].child;
    return node_is(n, CXCursor_DeclRefExpr) && names(n, v);
}

/* Who asks, for a private variable, may take it that a function with its address writes to it:
   the value that is there is nobody's. */
static bool lenient;

/* Statements that have a variable of their own by the name: of the other one they do nothing. */
static const int *blind;
static int blind_count;

int first_use_beside(int n, int v, const int *statements, int count)
{
    int first;

    blind = statements;
    blind_count = count;
    first = first_use(n, v);
    blind_count = 0;
    return first;
}

static bool is_blind(int n)
{
    for (int i = 0; i < blind_count; i++)
        if (blind[i] == n)
            return true;
    return false;
}

static bool is_conditional(int n, int top)
{
    for (int child = n; n != top && n >= 0; child = n, n = nodes[n].parent)
        if ((node_is(n, CXCursor_IfStmt) || node_is(n, CXCursor_SwitchStmt) ||
             node_is(n, CXCursor_ConditionalOperator)) && child != nodes[n].child)
            return true;
    return false;
}

int called_by(int n)
{
    CXCursor to = clang_getCursorReferenced(nodes[n].cursor), body;

    if (clang_Cursor_isNull(to) || clang_isInvalid(clang_getCursorKind(to)))
        return -1;
    body = definition_of(to);
    for (n = 0; !clang_Cursor_isNull(body) && n < node_count; n++)
        if (clang_equalCursors(nodes[n].cursor, body))
            return n;
    return -1;
}

/* By a function, which is not certain to. */
static bool is_perhaps_written_by(int at, int v)
{
    int function = called_by(at), argument = nodes[at].child, first = -1;
    int count = clang_Cursor_getNumArguments(nodes[at].cursor), k = 0, skip = -count;

    if (function < 0 || count < 0)
        return false;
    for (int c = argument; c >= 0; c = nodes[c].next)
        skip++; /* the function itself */
    for (; argument >= 0 && skip > 0; skip--)
        argument = nodes[argument].next;
    for (; argument >= 0 && !names(argument, v); argument = nodes[argument].next)
        k++;
    for (int p = nodes[function].child; p >= 0; p = nodes[p].next)
        if (nodes[p].kind == CXCursor_ParmDecl && k-- == 0)
            for (int i = reference_count - 1; i >= 0; i--)
                if (references[i].node > p && references[i].node < nodes[function].end &&
                    clang_equalCursors(variables[references[i].variable].decl,
                                       clang_getCanonicalCursor(nodes[p].cursor)))
                    first = references[i].node;
    return first < 0 || is_conditional(first, function);
}

/* Not where a chunk may count on it that one thread has all of it. */
static bool chunked;

/* One after the other, from this child on. */
static int first_of(int child, int v)
{
    int best = NONE;

    for (; child >= 0; child = nodes[child].next) {
        int one = first_use(child, v);

        if (one == WRITTEN || one == READ_FIRST)
            return one;
        if (one == PERHAPS)
            best = PERHAPS;
    }
    return best;
}

static int either(int a, int b)
{
    if (a == READ_FIRST || b == READ_FIRST)
        return READ_FIRST;
    if (a == WRITTEN && b == WRITTEN)
        return WRITTEN;
    return a == NONE && b == NONE ? NONE : PERHAPS;
}

/* Nothing comes behind it. */
static bool leaves(int n)
{
    while (node_is(n, CXCursor_CompoundStmt)) {
        int last = nodes[n].child;

        while (last >= 0 && nodes[last].next >= 0)
            last = nodes[last].next;
        n = last;
    }
    return node_is(n, CXCursor_ContinueStmt) || node_is(n, CXCursor_BreakStmt) ||
           node_is(n, CXCursor_ReturnStmt);
}

static int use_in_branch(int n, int v)
{
    int one = n < 0 ? NONE : first_use(n, v);

    return n >= 0 && one != READ_FIRST && leaves(n) ? WRITTEN : one;
}

/* One part, and perhaps the other. */
static int then_perhaps(int one, int other)
{
    if (one != NONE)
        return one;
    return other == WRITTEN ? PERHAPS : other;
}

/* A private variable in a call: its value is read where it is a value. */
static int use_in_call(int n, int v)
{
    for (int child = nodes[n].child; child >= 0; child = nodes[child].next)
        if (!is_name(child, v) && first_use(child, v) == READ_FIRST)
            return READ_FIRST;
    return WRITTEN;
}

static bool is_element(int n, int v)
{
    if (!is_array(variables[v].type))
        return false;
    while (node_is(n, CXCursor_ParenExpr) || node_is(n, CXCursor_ArraySubscriptExpr) ||
           node_is(n, CXCursor_UnexposedExpr))
        n = nodes[n].child;
    return is_name(n, v);
}

static int use_in_expression(int n, int v)
{
    int child = nodes[n].child;

    switch ((int)nodes[n].kind) {
    case CXCursor_UnaryExpr: /* sizeof */
        return NONE;
    case CXCursor_UnaryOperator:
        return takes_address(n) && (is_name(child, v) || is_element(child, v))
                   ? WRITTEN
                   : first_use(child, v);
    case CXCursor_CompoundAssignOperator: {
        int right = first_use(nodes[child].next, v);

        return right == NONE ? first_use(child, v) : right;
    }
    case CXCursor_ConditionalOperator: {
        int yes = nodes[child].next, one = first_use(child, v);

        return one != NONE ? one : either(first_use(yes, v), first_use(nodes[yes].next, v));
    }
    case CXCursor_CallExpr: {
        int one = is_cxx ? use_in_call(n, v) : first_of(child, v);

        return one == WRITTEN && chunked && is_perhaps_written_by(n, v) ? PERHAPS : one;
    }
    case CXCursor_UnexposedExpr:
        if (is_array(variables[v].type) && is_name(child, v) &&
            !node_is(nodes[n].parent, CXCursor_ArraySubscriptExpr))
            return WRITTEN; /* its address */
        return first_of(child, v);
    case CXCursor_DoStmt:
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXFunctionalCastExpr:
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_MemberRefExpr:
    case CXCursor_InitListExpr:
    case CXCursor_VarDecl:
    case CXCursor_ReturnStmt:
        return first_of(child, v);
    case CXCursor_SwitchStmt:
        return then_perhaps(first_use(child, v), first_of(nodes[child].next, v));
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        return first_of(child, v);
    default:
        return READ_FIRST;
    }
}

/* Is it named behind a label?  Who jumps there has not passed what stands before. */
static bool is_behind_label(int n, int v)
{
    unsigned at = NOWHERE;

    for (int k = n; k < nodes[n].end; k++)
        if (nodes[k].kind == CXCursor_LabelStmt && nodes[k].lo < at)
            at = nodes[k].lo;
    for (int i = 0; i < reference_count && at != NOWHERE; i++)
        if (references[i].variable == v && references[i].at >= at && references[i].node >= n &&
            references[i].node < nodes[n].end)
            return true;
    return false;
}

/* A loop that writes the elements of an array has the turns that it needs. */
static int use_in_loop(int v)
{
    return chunked && is_array(variables[v].type) ? WRITTEN : PERHAPS;
}

int first_use(int n, int v)
{
    int child = nodes[n].child, one;

    if (!names(n, v) || is_blind(n))
        return NONE;
    if (is_behind_label(n, v))
        return READ_FIRST;
    switch ((int)nodes[n].kind) {
    case CXCursor_CompoundStmt:
    case CXCursor_DeclStmt:
    case CXCursor_ParenExpr:
        return first_of(child, v);
    case CXCursor_ForStmt: {
        int condition = child < 0 ? -1 : nodes[child].next;
        int step = condition < 0 ? -1 : nodes[condition].next;
        int body = step < 0 ? -1 : nodes[step].next;

        if (body < 0 || nodes[body].next >= 0)
            return READ_FIRST;
        if ((one = first_use(child, v)) != NONE || (one = first_use(condition, v)) != NONE)
            return one;
        one = first_use(body, v);
        if (one != WRITTEN || use_in_loop(v) != WRITTEN)
            one = either(one, first_use(step, v));
        return one == WRITTEN ? use_in_loop(v) : one;
    }
    case CXCursor_WhileStmt:
        /* what stands in front is executed once at least */
        for (; child >= 0 && nodes[child].next >= 0; child = nodes[child].next)
            if ((one = first_use(child, v)) != NONE)
                return one;
        one = first_use(child, v);
        return one == WRITTEN ? use_in_loop(v) : one;
    case CXCursor_IfStmt: {
        int yes = nodes[child].next, no = yes < 0 ? -1 : nodes[yes].next;

        one = first_use(child, v);
        if (one != NONE)
            return one;
        if (lenient)
            return either(use_in_branch(yes, v), use_in_branch(no, v));
        return either(first_use(yes, v), no < 0 ? NONE : first_use(no, v));
    }
    case CXCursor_BinaryOperator: {
        int t = operator_token(n), right = nodes[child].next;

        if (token_is(t, ","))
            return first_of(child, v);
        if (token_is(t, "=")) {
            one = first_use(right, v);
            if (one != NONE)
                return one;
            return is_name(child, v) || (lenient && is_element(child, v)) ? WRITTEN
                                                                         : first_use(child, v);
        }
        if (lenient)
            return token_is(t, "&&") || token_is(t, "||")
                       ? then_perhaps(first_use(child, v), first_use(right, v))
                       : first_of(child, v);
        return READ_FIRST;
    }
    default:
        return lenient ? use_in_expression(n, v) : READ_FIRST;
    }
}

bool may_read_private(int n, int v, bool chunks)
{
    bool may;

    lenient = true;
    chunked = chunks;
    may = first_use(n, v) == READ_FIRST;
    lenient = chunked = false;
    return may;
}
