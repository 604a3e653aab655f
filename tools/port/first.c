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

int first_use(int n, int v)
{
    int child = nodes[n].child, one;

    if (!names(n, v))
        return NONE;
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
        one = either(first_use(body, v), first_use(step, v));
        return one == WRITTEN ? PERHAPS : one;
    }
    case CXCursor_WhileStmt:
        /* what stands in front is executed once at least */
        for (; child >= 0 && nodes[child].next >= 0; child = nodes[child].next)
            if ((one = first_use(child, v)) != NONE)
                return one;
        one = first_use(child, v);
        return one == WRITTEN ? PERHAPS : one;
    case CXCursor_IfStmt: {
        int yes = nodes[child].next, no = yes < 0 ? -1 : nodes[yes].next;

        one = first_use(child, v);
        if (one != NONE)
            return one;
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
            return is_name(child, v) ? WRITTEN : first_use(child, v);
        }
        return READ_FIRST;
    }
    default:
        return READ_FIRST;
    }
}
