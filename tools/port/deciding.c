/*
 * deciding.c - does a loop in the body of another one end by what another index does?
 *
 * SPDX-License-Identifier: MIT
 *
 * What decides: the conditions of the loop, those of an `if` that leads out of it, and whatever
 * gives a value to a variable in one of these.  An index waits if something that decides reads
 * atomically, or under a lock, here or in a function that is called; or if the loop yields.  Two
 * loops that do so end by themselves: one that tries to swap, with an old value that it has read
 * anew, and one that adds to what it reads.
 */
#include "port.h"

#include <string.h>

typedef struct decision {
    CXCursor loop;
    cursors deciders, variables;
} decision;

static enum CXChildVisitResult add(CXCursor c, CXCursor parent, CXClientData data)
{
    cursors *into = data;

    (void)parent;
    into->all = grow(into->all, (size_t)(into->count + 1) * sizeof *into->all);
    into->all[into->count++] = c;
    return CXChildVisit_Continue;
}

cursors children_of(CXCursor c)
{
    cursors l = { NULL, 0 };

    clang_visitChildren(c, add, &l);
    return l;
}

void add_cursor(cursors *l, CXCursor c)
{
    for (int i = 0; i < l->count; i++)
        if (clang_equalCursors(l->all[i], c))
            return;
    (void)add(c, c, l);
}

static bool is_any_loop_kind(enum CXCursorKind k)
{
    return k == CXCursor_ForStmt || k == CXCursor_WhileStmt || k == CXCursor_DoStmt ||
           k == CXCursor_CXXForRangeStmt;
}

/* ---- what decides ---- */

static bool has_throw(CXCursor c)
{
    cursors parts = children_of(c);

    if (clang_getCursorKind(c) == CXCursor_CXXThrowExpr)
        return true;
    for (int i = 0; i < parts.count; i++)
        if (has_throw(parts.all[i]))
            return true;
    return false;
}

/* A function of the program that is called, itself. */
static bool throws(CXCursor c)
{
    CXCursor body = is_cxx ? definition_of(clang_getCursorReferenced(c)) : clang_getNullCursor();

    return !clang_Cursor_isNull(body) &&
           !clang_Location_isInSystemHeader(clang_getCursorLocation(body)) && has_throw(body);
}

/* inner: below a loop or a switch of its own, which `break` ends. */
bool leads_out(CXCursor c, bool inner)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    cursors parts = children_of(c);

    if (k == CXCursor_LambdaExpr)
        return false;
    if ((k == CXCursor_BreakStmt && !inner) || k == CXCursor_ReturnStmt ||
        k == CXCursor_GotoStmt || k == CXCursor_IndirectGotoStmt || k == CXCursor_CXXThrowExpr ||
        (k == CXCursor_CallExpr && throws(c)))
        return true;
    for (int i = 0; i < parts.count; i++)
        if (leads_out(parts.all[i], inner || is_any_loop_kind(k) || k == CXCursor_SwitchStmt))
            return true;
    return false;
}

/* Of a function that calls itself each condition may decide, and what is returned. */
static void add_choices(decision *d, CXCursor c)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    cursors parts = children_of(c);
    int n = k == CXCursor_IfStmt || k == CXCursor_SwitchStmt ? 2
            : k == CXCursor_ConditionalOperator || k == CXCursor_BinaryOperator ||
                      k == CXCursor_ReturnStmt ? 1 : 0;

    for (int i = 0; i < n && i < parts.count; i++)
        if (clang_isExpression(clang_getCursorKind(parts.all[i])))
            add_cursor(&d->deciders, parts.all[i]);
    for (int i = 0; i < parts.count; i++)
        add_choices(d, parts.all[i]);
}

static void add_ifs(decision *d, CXCursor c, bool inner)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    cursors parts = children_of(c);

    if (k == CXCursor_LambdaExpr)
        return;
    for (int i = 0; k == CXCursor_IfStmt && i < parts.count; i++)
        if (leads_out(parts.all[i], inner)) {
            for (int one = 0; one < i && one < 2; one++)
                add_cursor(&d->deciders, parts.all[one]);
            break;
        }
    for (int i = 0; i < parts.count; i++)
        add_ifs(d, parts.all[i],
                inner || is_any_loop_kind(clang_getCursorKind(parts.all[i])) ||
                    clang_getCursorKind(parts.all[i]) == CXCursor_SwitchStmt);
}

/* Of a function with a jump in it: all that leads to one.  Of a loop: its header, too. */
static void add_conditions(decision *d)
{
    enum CXCursorKind k = clang_getCursorKind(d->loop);
    cursors parts = children_of(d->loop);
    bool first = k == CXCursor_DoStmt || (k == CXCursor_ForStmt && parts.count == 4);

    for (int i = first; i < parts.count && is_any_loop_kind(k); i++)
        if (k == CXCursor_DoStmt || i + 1 < parts.count)
            add_cursor(&d->deciders, parts.all[i]);
    if (!is_counted(d->loop))
        add_ifs(d, d->loop, false);
}

/* ---- the variables in it, and what gives them a value ---- */

bool is_local(CXCursor decl)
{
    enum CXCursorKind k = clang_getCursorKind(decl);

    return (k == CXCursor_VarDecl || k == CXCursor_ParmDecl) &&
           clang_getCursorLinkage(decl) == CXLinkage_NoLinkage &&
           clang_Cursor_getStorageClass(decl) != CX_SC_Static;
}

CXCursor variable_in(CXCursor c)
{
    return clang_getCursorKind(c) == CXCursor_DeclRefExpr
               ? clang_getCanonicalCursor(clang_getCursorReferenced(c)) : clang_getNullCursor();
}

static enum CXChildVisitResult find_local(CXCursor c, CXCursor parent, CXClientData data)
{
    CXCursor v = variable_in(c);

    (void)parent;
    if (!clang_Cursor_isNull(v) && is_local(v))
        add_cursor(data, v);
    return CXChildVisit_Recurse;
}

static cursors locals_in(CXCursor c)
{
    cursors l = { NULL, 0 };

    (void)find_local(c, c, &l);
    clang_visitChildren(c, find_local, &l);
    return l;
}

bool names_variable(CXCursor c, CXCursor v)
{
    cursors l = locals_in(c);

    for (int i = 0; i < l.count; i++)
        if (clang_equalCursors(l.all[i], v))
            return true;
    return false;
}

/* The function that is called has it by its address. */
static bool gives_address(CXCursor c, CXCursor v)
{
    CXType type = clang_getCursorType(clang_getCursorReferenced(c));

    for (int i = 0, n = clang_Cursor_getNumArguments(c); i < n; i++) {
        CXCursor one = clang_Cursor_getArgument(c, (unsigned)i);
        CXType to = clang_getCanonicalType(clang_getArgType(type, (unsigned)i));

        if (names_variable(one, v) &&
            (clang_getCursorKind(one) == CXCursor_UnaryOperator ||
             (to.kind == CXType_LValueReference &&
              !clang_isConstQualifiedType(clang_getPointeeType(to)))))
            return true;
    }
    return false;
}

/* Is it the variable itself, or a member of it?  A value that is read has a cast around it. */
static bool is_part_of(CXCursor c, CXCursor v)
{
    cursors parts;

    bool member = clang_getCursorKind(c) == CXCursor_MemberRefExpr; /* also by a pointer */

    while (clang_getCursorKind(c) == CXCursor_ParenExpr ||
           (member && clang_getCursorKind(c) == CXCursor_UnexposedExpr) ||
           clang_getCursorKind(c) == CXCursor_MemberRefExpr) {
        parts = children_of(c);
        if (!parts.count)
            return false;
        c = parts.all[0];
    }
    return clang_equalCursors(variable_in(c), v);
}

/* What the variable is given here; null: nothing. */
static CXCursor given(CXCursor c, CXCursor v)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    cursors parts;

    if (k == CXCursor_VarDecl && clang_equalCursors(clang_getCanonicalCursor(c), v))
        return c;
    if (k == CXCursor_CallExpr && gives_address(c, v))
        return c;
    if (k != CXCursor_BinaryOperator && k != CXCursor_CompoundAssignOperator)
        return clang_getNullCursor();
    parts = children_of(c);
    return parts.count == 2 && is_part_of(parts.all[0], v) ? parts.all[1] : clang_getNullCursor();
}

static void add_given(CXCursor c, CXCursor v, cursors *into)
{
    CXCursor what = given(c, v);
    cursors parts = children_of(c);

    if (!clang_Cursor_isNull(what))
        add_cursor(into, what);
    for (int i = 0; i < parts.count; i++)
        add_given(parts.all[i], v, into);
}

/* ---- loops that end by themselves ---- */

static enum CXChildVisitResult find_memory(CXCursor c, CXCursor parent, CXClientData data)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    CXCursor v = variable_in(c), operand = clang_getNullCursor();

    (void)parent;
    if (k == CXCursor_UnaryOperator) {
        cursors parts = children_of(c);

        operand = parts.count ? parts.all[0] : operand;
    }
    *(bool *)data |=
        k == CXCursor_ArraySubscriptExpr || k == CXCursor_MemberRefExpr ||
        k == CXCursor_CallExpr || is_atomic_operation(c) ||
        (!clang_Cursor_isNull(v) && clang_getCursorKind(v) == CXCursor_VarDecl && !is_local(v)) ||
        (!clang_Cursor_isNull(operand) &&
         clang_getCanonicalType(clang_getCursorType(operand)).kind == CXType_Pointer);
    return *(bool *)data ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static bool has_cursor(CXCursor c, CXCursor in)
{
    cursors parts = children_of(in);

    if (clang_equalCursors(c, in))
        return true;
    for (int i = 0; i < parts.count; i++)
        if (has_cursor(c, parts.all[i]))
            return true;
    return false;
}

/* Does the loop give a variable in it a value that it reads from memory?  swapped: it has one by
   the operation itself, which writes to its address, unless the loop sets it back.  whole: what
   asks, whose own result does not count. */
static bool is_read_anew(const decision *d, CXCursor c, CXCursor whole, bool swapped)
{
    static int depth;
    cursors l = locals_in(c);

    for (int i = 0; i < l.count; i++) {
        cursors values = { NULL, 0 };
        bool memory = false;

        add_given(d->loop, l.all[i], &values);
        if (swapped && clang_getCursorKind(c) == CXCursor_UnaryOperator && !values.count)
            return true;
        for (int k = 0; k < values.count && !memory; k++)
            if (!has_cursor(whole, values.all[k]) &&
                find_memory(values.all[k], values.all[k], &memory) == CXChildVisit_Recurse)
                clang_visitChildren(values.all[k], find_memory, &memory);
        /* or by another variable that it has read */
        for (int k = 0; k < values.count && !memory && depth < 3; k++) {
            depth++;
            memory = !has_cursor(whole, values.all[k]) &&
                     is_read_anew(d, values.all[k], whole, false);
            depth--;
        }
        if (memory)
            return true;
    }
    return false;
}

static bool is_something(CXCursor c)
{
    CXEvalResult e = clang_Cursor_Evaluate(c);
    bool is = e && clang_EvalResult_getKind(e) == CXEval_Int && clang_EvalResult_getAsInt(e) != 0;

    if (e)
        clang_EvalResult_dispose(e);
    return is;
}

static bool begins_word(const char *s, const char *word) /* the first word has it in it */
{
    const char *at = strstr(s, word);

    return at && at < s + strspn(s, "abcdefghijklmnopqrstuvwxyz_0123456789");
}

static bool ends_by_itself(const decision *d, CXCursor c, const char *operation)
{
    cursors parts = children_of(c);
    bool swap = begins_word(operation, "compare");

    if (parts.count < 3) /* what is called or its order, the address, the operand */
        return false;
    if (swap)
        return is_read_anew(d, parts.all[2], c, !begins(operation, "__sync_"));
    return (begins_word(operation, "add") || begins_word(operation, "sub")) &&
           is_something(parts.all[2]);
}

static bool reads_shared(const decision *d, CXCursor c)
{
    cursors parts = children_of(c);
    const char *operation = parts.count > 1 ? atomic_operation(c) : NULL; /* 1: a cast of it */

    if (operation && !ends_by_itself(d, c, operation))
        return true;
    if (!operation && clang_getCursorKind(c) == CXCursor_CallExpr && calls_shared(c) &&
        !is_read_anew(d, c, c, false))
        return true;
    for (int i = 0; i < parts.count; i++)
        if (reads_shared(d, parts.all[i]))
            return true;
    return false;
}

/* ---- under a lock ---- */

static bool is_updating(unsigned lo, unsigned hi)
{
    for (int t = token_at(lo); t < token_count && tokens[t].lo < hi; t++)
        if (token_is(t, "++") || token_is(t, "--") || token_is(t, "+=") || token_is(t, "-="))
            return true;
    return false;
}

/* By a critical section, an atomic read, or an atomic capture that changes nothing. */
static bool is_given_by_directive(const decision *d, CXCursor v)
{
    range r;

    if (!text_in_this_file(d->loop, &r))
        return false;
    for (int i = 0; i < directive_count; i++) {
        const directive *at = &directives[i];
        int s = at->statement;

        if (at->lo < r.lo || at->lo >= r.hi || s < 0 ||
            !(at->words == W_CRITICAL || (at->words == W_ATOMIC && find_clause(at, "read")) ||
              (at->words == W_ATOMIC && find_clause(at, "capture") &&
               !is_updating(nodes[s].lo, statement_end(s)))))
            continue;
        for (int k = 0; k < reference_count; k++)
            if (clang_equalCursors(variables[references[k].variable].decl, v) &&
                references[k].at >= nodes[s].lo && references[k].at < nodes[s].hi &&
                use_of(&references[k]) != USE_READ)
                return true;
    }
    return false;
}

static bool declares_guard(CXCursor c)
{
    cursors parts = children_of(c);

    return clang_getCursorKind(c) == CXCursor_DeclStmt && parts.count && is_lock_guard(parts.all[0]);
}

/* Between two calls that take a lock, and give it back; or in the block of a guard. */
static bool is_given_by_lock(CXCursor c, CXCursor v)
{
    cursors parts = children_of(c), values = { NULL, 0 };
    bool held = false;

    for (int i = 0; i < parts.count; i++) {
        const char *name = clang_getCursorKind(parts.all[i]) == CXCursor_CallExpr
                         ? cursor_name(parts.all[i]) : "";

        if (takes_lock(name) || declares_guard(parts.all[i]))
            held = true;
        else if (strstr(name, "unlock") || strstr(name, "unset_lock"))
            held = false;
        else if (held)
            add_given(parts.all[i], v, &values);
        if (values.count || is_given_by_lock(parts.all[i], v))
            return true;
    }
    return false;
}

static bool is_ended_by_another(CXCursor statement, bool recurs)
{
    decision d = { .loop = statement };

    if (recurs)
        add_choices(&d, statement);
    else
        add_conditions(&d);
    for (int i = 0; i < d.deciders.count; i++) {
        cursors l = locals_in(d.deciders.all[i]);

        for (int k = 0; k < l.count; k++) {
            add_cursor(&d.variables, l.all[k]);
            add_given(statement, l.all[k], &d.deciders);
        }
    }
    for (int i = 0; i < d.deciders.count; i++)
        if (reads_shared(&d, d.deciders.all[i]))
            return true;
    for (int i = 0; i < d.variables.count; i++)
        if (is_given_by_directive(&d, d.variables.all[i]) ||
            is_given_by_lock(statement, d.variables.all[i]))
            return true;
    return false;
}

bool ends_by_another(CXCursor statement)
{
    return is_ended_by_another(statement, false);
}

bool recurs_by_another(CXCursor body)
{
    return is_ended_by_another(body, true);
}
