/*
 * called.c - what a loop depends on that its text does not show: functions that it calls.
 * And why a text must stay OpenMP's.
 *
 * SPDX-License-Identifier: MIT
 */
#include "outside.h"

#include <string.h>

/* ---- the functions that are called ---- */

/* What a text calls that is not certain. */
enum { UNSURE = 1, MEMBER_OF_ANY = 2, ELSEWHERE = 4, INITIALISER = 8 };

typedef struct ask {
    unsigned at; /* of the name in the file; NOWHERE: in another one, or in a macro */
} ask;

typedef struct callee {
    CXCursor cursor; /* with its body, or null */
    int *callees, callee_count;
    ask *asks;
    int ask_count;
    const char *own; /* a variable that each thread has */
    unsigned unsure;
    const unnamed_list *unnamed; /* of a class: it has no body, but these */
    bool visited;
} callee;

static callee *callees;
static int callees_count;

static bool is_of_thread(CXCursor function)
{
    char *name = cursor_name(function);

    if (strcmp(name, "port_thread_num") == 0 || strcmp(name, "port_num_threads") == 0)
        return is_helper(function);
    return is_name_of_thread(name);
}

static enum CXChildVisitResult visit(CXCursor c, CXCursor parent, CXClientData data);
static int callee_of(CXCursor function);

static void add_callee(callee *into, int one)
{
    if (one < 0)
        return;
    into->callees = grow(into->callees, (size_t)(into->callee_count + 1) * sizeof *into->callees);
    into->callees[into->callee_count++] = one;
}

static void note_function(callee *into, CXCursor function, CXCursor where)
{
    CXCursor other;
    char *name = cursor_name(function);
    int at = 0;

    if (is_of_thread(function)) {
        unsigned in_file;
        ask a = { NOWHERE };

        if (strncmp(name, "port_", 5) == 0)
            a.at = NOWHERE - 1; /* right in either */
        else if (in_this_file(where, &in_file) && token_is(token_at(in_file), name))
            a.at = in_file;
        into->asks = grow(into->asks, (size_t)(into->ask_count + 1) * sizeof *into->asks);
        into->asks[into->ask_count++] = a;
        return;
    }
    if (callee_of(function) < 0 &&
        !clang_Location_isInSystemHeader(clang_getCursorLocation(function)))
        into->unsure |= ELSEWHERE;
    add_callee(into, callee_of(function));
    while (next_other(function, &at, &other))
        add_callee(into, callee_of(other));
}

static void note_class(callee *into, CXType type);
static void note_deleted(callee *into, CXCursor c);

/* A lambda that a variable of a template's function has. */
static void note_lambda(callee *into, CXCursor variable_decl)
{
    int number = callees_count;

    for (int i = 0; i < callees_count; i++)
        if (clang_equalCursors(callees[i].cursor, variable_decl)) {
            add_callee(into, i);
            return;
        }
    callees = grow(callees, (size_t)(callees_count + 1) * sizeof *callees);
    callees[callees_count++] = (callee){ .cursor = variable_decl };
    clang_visitChildren(variable_decl, visit, &number);
    add_callee(into, number);
}

/* What is called is not certain, or nothing names it. */
static void note_unsure(callee *into, CXCursor c)
{
    CXCursor function;
    bool member;
    range in;
    int at = 0;

    if (is_unsure_call(c, &member))
        into->unsure |= member ? MEMBER_OF_ANY : UNSURE;
    if (has_initialiser(c, &in))
        into->unsure |= INITIALISER;
    while (next_of_range(c, &at, &function))
        note_function(into, function, function);
}

static void note_cursor(callee *into, CXCursor c)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    char *open = open_name(c);
    CXCursor to;

    for (int at = 0; open && next_named(open, &at, &to);)
        note_function(into, to, c);
    note_unsure(into, c);
    if (is_cxx && (k == CXCursor_VarDecl || k == CXCursor_CallExpr))
        note_class(into, clang_getCursorType(c));
    if (k == CXCursor_CXXDeleteExpr)
        note_deleted(into, c);
    if (k == CXCursor_OverloadedDeclRef) {
        for (unsigned i = 0; i < clang_getNumOverloadedDecls(c); i++)
            note_function(into, clang_getOverloadedDecl(c, i), c);
        return;
    }
    if (k != CXCursor_DeclRefExpr && k != CXCursor_MemberRefExpr && k != CXCursor_CallExpr &&
        k != CXCursor_VarDecl)
        return;
    to = k == CXCursor_VarDecl ? c : clang_getCursorReferenced(c);
    if (clang_Cursor_isNull(to))
        return;
    k = clang_getCursorKind(to);
    if (k == CXCursor_VarDecl) {
        char *name = cursor_name(to);

        if (is_cxx && clang_getCursorKind(c) == CXCursor_DeclRefExpr && is_lambda_variable(to))
            note_lambda(into, to);
        if (clang_getCursorTLSKind(to) != CXTLS_None)
            into->own = name;
        if (is_threadprivate(name) && (clang_getCursorLinkage(to) != CXLinkage_NoLinkage ||
                                       clang_Cursor_getStorageClass(to) == CX_SC_Static))
            into->own = name;
    } else if (k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod ||
               k == CXCursor_Constructor || k == CXCursor_FunctionTemplate ||
               k == CXCursor_ConversionFunction)
        note_function(into, to, c);
}

static void add_all(int number, callee into)
{
    for (int i = 0; i < into.callee_count; i++) {
        callee *to = &callees[number];

        to->callees = grow(to->callees, (size_t)(to->callee_count + 1) * sizeof *to->callees);
        to->callees[to->callee_count++] = into.callees[i];
    }
    for (int i = 0; i < into.ask_count; i++) {
        callee *to = &callees[number];

        to->asks = grow(to->asks, (size_t)(to->ask_count + 1) * sizeof *to->asks);
        to->asks[to->ask_count++] = into.asks[i];
    }
    if (into.own)
        callees[number].own = into.own;
    callees[number].unsure |= into.unsure;
}

static enum CXChildVisitResult visit(CXCursor c, CXCursor parent, CXClientData data)
{
    callee into = { .own = NULL };

    (void)parent;
    note_cursor(&into, c);
    add_all(*(int *)data, into);
    return CXChildVisit_Recurse;
}

/* The object may be of a derived class. */
static void note_end(callee *into, CXType type)
{
    const unnamed_list *list = unnamed_of(type, false);

    for (int i = 0; i < list->count; i++)
        if (list->all[i].kind == BEGINS_OR_ENDS &&
            clang_getCursorKind(list->all[i].cursor) == CXCursor_Destructor)
            note_function(into, list->all[i].cursor, list->all[i].cursor);
}

static void note_deleted(callee *into, CXCursor c)
{
    CXType type = deleted_type(c);

    note_class(into, type);
    note_end(into, type);
}

static void note_unnamed(int number, const unnamed *u)
{
    callee into = { .own = NULL };

    if (u->kind == MEMBER)
        clang_visitChildren(u->cursor, visit, &number);
    else if (u->kind == POINTED_AT)
        note_end(&into, u->type);
    else
        add_callee(&into, callee_of(u->cursor));
    add_all(number, into);
}

static void note_class(callee *into, CXType type)
{
    const unnamed_list *list = unnamed_of(type, false);
    int number = callees_count;

    for (int i = 0; i < callees_count; i++)
        if (callees[i].unnamed == list) {
            add_callee(into, i);
            return;
        }
    if (!list->count)
        return;
    callees = grow(callees, (size_t)(callees_count + 1) * sizeof *callees);
    callees[callees_count++] = (callee){ .cursor = clang_getNullCursor(), .unnamed = list };
    for (int i = 0; i < list->count; i++)
        note_unnamed(number, &list->all[i]);
    add_callee(into, number);
}

/* -1: it has no body here, or it is the system's. */
static int callee_of(CXCursor function)
{
    CXCursor body = definition_of(function);
    int number = callees_count;

    if (clang_Cursor_isNull(body) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(body)))
        return -1;
    for (int i = 0; i < callees_count; i++)
        if (clang_equalCursors(callees[i].cursor, body))
            return i;
    callees = grow(callees, (size_t)(callees_count + 1) * sizeof *callees);
    callees[callees_count++] = (callee){ .cursor = body };
    clang_visitChildren(body, visit, &number);
    return number;
}

/* ---- of a text ---- */

typedef struct traits {
    bool asks, unported;
    const char *own;
    const directive *left; /* in a function of the file */
    unsigned unsure;
} traits;

static bool is_ported(unsigned at)
{
    if (at == NOWHERE - 1)
        return true;
    for (int i = 0; i < call_count; i++)
        if (tokens[calls[i].token].lo == at)
            return calls[i].done;
    return false;
}

/* What stays OpenMP's, and asks for a region around it, or starts threads. */
static const directive *left_in(CXCursor function)
{
    range r;

    if (clang_Cursor_isNull(function) || !text_in_this_file(function, &r))
        return NULL;
    for (int i = 0; i < directive_count; i++) {
        const directive *d = &directives[i];

        if (d->lo >= r.lo && d->lo < r.hi && !d->simple && !is_skipped(d->lo, d->hi) &&
            !(d->words & (W_CRITICAL | W_ATOMIC | W_FLUSH | W_DECLARE)) && is_left(d))
            return d;
    }
    return NULL;
}

static void sum_traits(callee *c, traits *t)
{
    if (c->own)
        t->own = c->own;
    if (!t->left)
        t->left = left_in(c->cursor);
    t->unsure |= c->unsure;
    for (int i = 0; i < c->ask_count; i++) {
        t->asks = true;
        t->unported |= !is_ported(c->asks[i].at);
    }
    for (int i = 0; i < c->callee_count; i++) {
        int one = c->callees[i];

        if (callees[one].visited)
            continue;
        callees[one].visited = true;
        sum_traits(&callees[one], t);
    }
}

static traits traits_of(unsigned lo, unsigned hi)
{
    callee all = { .cursor = clang_getNullCursor() };
    traits t = { .own = NULL };

    for (int n = 0; n < node_count; n++)
        if (nodes[n].lo >= lo && nodes[n].lo < hi)
            note_cursor(&all, nodes[n].cursor);
    for (int i = 0; i < callees_count; i++)
        callees[i].visited = false;
    sum_traits(&all, &t);
    return t;
}

bool asks_for_thread(unsigned lo, unsigned hi)
{
    return traits_of(lo, hi).asks;
}

bool has_unsure_calls(unsigned lo, unsigned hi)
{
    traits t = traits_of(lo, hi);

    return (t.unsure & UNSURE) || ((t.unsure & MEMBER_OF_ANY) && asking_count);
}

bool has_unseen_calls(unsigned lo, unsigned hi)
{
    return (traits_of(lo, hi).unsure & (UNSURE | MEMBER_OF_ANY | ELSEWHERE | INITIALISER)) != 0;
}

/* May a function that is not certain ask for the thread, where OpenMP has to answer? */
static bool has_unported_asks(void)
{
    for (int i = 0; i < asking_count; i++)
        if (!is_ported(askings[i]))
            return true;
    return false;
}

static bool begins_with_initialiser(unsigned lo, unsigned hi)
{
    range in;

    for (int n = 0; n < node_count; n++)
        if (nodes[n].lo >= lo && nodes[n].lo < hi && has_initialiser(nodes[n].cursor, &in))
            return true;
    return false;
}

/* Does a function that is called in the text ask? */
bool asks_elsewhere(unsigned lo, unsigned hi)
{
    callee all = { .own = NULL };

    for (int n = 0; n < node_count; n++)
        if (nodes[n].lo >= lo && nodes[n].lo < hi)
            note_cursor(&all, nodes[n].cursor);
    for (int i = 0; i < all.ask_count; i++)
        if (all.asks[i].at < lo || all.asks[i].at >= hi)
            return true;
    for (int i = 0; i < callees_count; i++)
        callees[i].visited = false;
    for (int i = 0; i < all.callee_count; i++) {
        traits t = { .own = NULL };

        sum_traits(&callees[all.callees[i]], &t);
        if (t.asks)
            return true;
    }
    return false;
}

/* tweed's workers are none of OpenMP's threads: a region there has other numbers. */
const char *why_left_inside(unsigned lo, unsigned hi)
{
    const directive *d = traits_of(lo, hi).left;

    return d ? format("what it calls has `%s` in it, which is left alone", token_text(d->first))
             : NULL;
}

const char *why_outside(unsigned lo, unsigned hi)
{
    traits t = traits_of(lo, hi);
    const char *captured = init_captured_in(lo, hi), *why = why_spot(lo, hi);

    if (why)
        return why;
    if (t.own)
        return format("%s, which each thread has, is used", t.own);
    if (captured)
        return format("a lambda's list has an initialiser that names %s", captured);
    if (begins_with_initialiser(lo, hi))
        return "a switch, or a loop over a range, that begins with an initialiser";
    if (t.unsure & ~(unsigned)ELSEWHERE) {
        if (has_own)
            return "what it calls is not certain, and the file has variables that each thread has";
        if (has_unported_asks())
            return "what it calls is not certain, and what asks for the thread cannot be ported";
    }
    if (t.unported)
        return "what it calls asks for the thread, and cannot be ported";
    return NULL;
}
