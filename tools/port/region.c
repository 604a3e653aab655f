/*
 * region.c - a parallel region with loops, single, master and barriers in it: taken apart.
 *
 * SPDX-License-Identifier: MIT
 *
 * The region becomes a block that the caller executes, and its loops become tweed's.  That is
 * the same if what stands between the constructs gives the same in each thread: it writes
 * to the threads' own variables alone, calls nothing that writes, and does not ask for the thread.  The
 * threads' own variables are then the caller's.  One that a loop writes becomes local to the
 * body.  So nobody may read afterwards what the loop has left in it: it is not read between
 * constructs, and every other construct writes it before it reads it.
 */
#include "port.h"

#include <string.h>

typedef struct region {
    int number;
    directive *d;
    int statement;
    int *constructs; /* directives */
    int count;
} region;

static bool in_statement(int number, unsigned at)
{
    int s = directives[number].statement;

    return s >= 0 && nodes[s].lo <= at && at < statement_end(s);
}

/* The construct of the region that a place is in; -1: between them. */
static int construct_at(const region *r, unsigned at)
{
    for (int i = 0; i < r->count; i++)
        if (in_statement(r->constructs[i], at))
            return i;
    return -1;
}

/* Has each thread one of its own?  Declared in the region, or in a clause of it. */
static bool is_private(const region *r, int v)
{
    const char *name = variables[v].name;
    unsigned at = variables[v].at;

    if (!variables[v].is_global && at >= nodes[r->statement].lo && at < nodes[r->statement].hi)
        return construct_at(r, at) < 0 &&
               clang_Cursor_getStorageClass(variables[v].decl) != CX_SC_Static;
    return is_in_list(r->d, "private", name) || is_in_list(r->d, "firstprivate", name);
}

/* ---- between the constructs ---- */

#define CALLED " is called by each thread"

static bool is_relation(int t)
{
    static const char *const all[] = { "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=",
                                       "&&", "||", "&", "|", "^", "<<", ">>", ",", NULL };

    for (int i = 0; all[i]; i++)
        if (token_is(t, all[i]))
            return true;
    return false;
}

/* May this be assigned to between the constructs? */
static bool is_own(const region *r, int n)
{
    while (node_is(n, CXCursor_ParenExpr) || node_is(n, CXCursor_UnexposedExpr) ||
           node_is(n, CXCursor_ArraySubscriptExpr)) {
        if (nodes[n].kind == CXCursor_UnexposedExpr &&
            !is_array(clang_getCursorType(nodes[nodes[n].child].cursor)))
            return false; /* by a pointer */
        n = nodes[n].child;
    }
    if (!node_is(n, CXCursor_DeclRefExpr))
        return false;
    for (int i = 0; i < reference_count; i++)
        if (references[i].node == n)
            return references[i].spelled && is_private(r, references[i].variable);
    return false;
}

static const char *why_not_between(const region *r)
{
    for (int n = r->statement; n < nodes[r->statement].end; n++) {
        int t;

        if (nodes[n].lo < nodes[r->statement].lo || construct_at(r, nodes[n].lo) >= 0)
            continue;
        if (is_unsteady(nodes[n].cursor))
            return "what each thread does is more than arithmetic";
        switch ((int)nodes[n].kind) {
        case CXCursor_CallExpr:
            if (is_pure_call(n))
                break;
            return format("%s()%s", cursor_name(nodes[n].cursor), CALLED);
        case CXCursor_LambdaExpr:
        case CXCursor_CXXNewExpr:
        case CXCursor_CXXDeleteExpr:
        case CXCursor_CXXThrowExpr:
        case CXCursor_StmtExpr:
        case CXCursor_GCCAsmStmt:
            return "what each thread does is more than arithmetic";
        case CXCursor_ReturnStmt:
        case CXCursor_GotoStmt:
        case CXCursor_LabelStmt:
            return "a jump in the region";
        case CXCursor_CompoundAssignOperator:
            if (!is_own(r, nodes[n].child))
                return "each thread writes to a shared variable";
            break;
        case CXCursor_UnaryOperator:
            t = token_at(nodes[n].lo);
            if ((token_is(t, "++") || token_is(t, "--") ||
                 token_is(token_at(nodes[nodes[n].child].hi), "++") ||
                 token_is(token_at(nodes[nodes[n].child].hi), "--")) &&
                !is_own(r, nodes[n].child))
                return "each thread writes to a shared variable";
            break;
        case CXCursor_BinaryOperator:
            t = operator_token(n);
            if (token_is(t, "=") ? !is_own(r, nodes[n].child) : !is_relation(t))
                return "each thread writes to a shared variable";
            break;
        default:
            break;
        }
    }
    return NULL;
}

/* ---- the threads' own variables ---- */

typedef struct summary {
    bool read_between, written_between, used_between;
    int users, writers, last_writer;
} summary;

/* An initial value, an assignment, a use: of v between the constructs. */
static summary sum_up(const region *r, int v)
{
    summary s = { .last_writer = -1 };
    bool used[256] = { false }, written[256] = { false };

    for (int i = 0; i < reference_count; i++) {
        int c;

        if (references[i].variable != v || references[i].at < nodes[r->statement].lo ||
            references[i].at >= nodes[r->statement].hi)
            continue;
        c = construct_at(r, references[i].at);
        if (c < 0) {
            unsigned how = use_of(&references[i]);

            s.used_between = true;
            if (how & ~(unsigned)USE_READ)
                s.written_between = true;
            if (how != USE_WRITE || references[i].node < 0 ||
                nodes[nodes[references[i].node].parent].kind != CXCursor_BinaryOperator)
                s.read_between = true;
        } else if (c < 256) {
            used[c] = true;
            if (use_of(&references[i]) & ~(unsigned)USE_READ || is_array(variables[v].type))
                written[c] = true;
        }
    }
    for (int c = 0; c < r->count && c < 256; c++) {
        s.users += used[c];
        s.writers += written[c];
        if (written[c])
            s.last_writer = c;
    }
    return s;
}

static bool is_initialised(int v)
{
    for (int n = 0; n < node_count; n++)
        if (nodes[n].kind == CXCursor_VarDecl &&
            clang_equalCursors(clang_getCanonicalCursor(nodes[n].cursor), variables[v].decl)) {
            int t = token_at(variables[v].at) + 1;

            while (token_is(t, "["))
                while (!token_is(t++, "]"))
                    ;
            return token_is(t, "=") || token_is(t, "{") || token_is(t, "(");
        }
    return false;
}

/* The loop's own variable, or that of a loop of a collapse: private always. */
static bool is_loop_variable(int number, int v)
{
    const directive *d = &directives[number];
    int n = d->statement;

    if (!(d->words & W_FOR) || !node_is(n, CXCursor_ForStmt))
        return false;
    return is_name(nodes[nodes[n].child].child, v);
}

static const char *why_not_variable(const region *r, int v)
{
    summary s = sum_up(r, v);
    bool start = s.written_between || is_initialised(v) ||
                 is_in_list(r->d, "firstprivate", variables[v].name);

    if (s.writers == 0)
        return NULL; /* the caller's, which loops read */
    if (s.writers == 1 && s.users == 1 && !s.used_between)
        return NULL; /* one construct's alone */
    if (s.read_between)
        return format("%s, which each thread has, is read after a construct has written it",
                      variables[v].name);
    if (s.users == 1 && !s.read_between && !start)
        return NULL;
    for (int c = 0; c < r->count; c++) {
        int statement = directives[r->constructs[c]].statement, first;

        if (statement < 0 || !names(statement, v))
            continue;
        if (is_loop_variable(r->constructs[c], v))
            continue;
        if (find_clause(&directives[r->constructs[c]], "private") &&
            is_in_list(&directives[r->constructs[c]], "private", variables[v].name))
            continue;
        first = first_use(statement, v);
        if (first == READ_FIRST)
            return format("%s, which each thread has, may be read before it is written",
                          variables[v].name);
    }
    return NULL;
}

/* What a variable of the region is to one of its loops. */
enum role role_in_region(int number, int for_number, int v)
{
    region r = { .number = number, .d = &directives[number] };
    int *constructs = grow(NULL, (size_t)(directive_count + 1) * sizeof *constructs);
    unsigned how = 0;
    const directive *loop_directive = &directives[for_number];

    r.statement = r.d->statement;
    for (int i = 0; i < directive_count; i++)
        if (directives[i].parent == number)
            constructs[r.count++] = i;
    r.constructs = constructs;
    if (!is_private(&r, v))
        return SHARED;
    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == v && in_statement(for_number, references[i].at))
            how |= use_of(&references[i]);
    (void)loop_directive;
    if (is_array(variables[v].type)) {
        summary s = sum_up(&r, v);

        return s.used_between || is_in_list(r.d, "firstprivate", variables[v].name) ||
                       is_initialised(v)
                   ? (s.users == 1 && !s.used_between ? FIRSTPRIVATE : SHARED)
                   : PRIVATE;
    }
    if (!(how & ~(unsigned)USE_READ))
        return SHARED;
    return first_use(directives[for_number].statement, v) == READ_FIRST &&
                   (sum_up(&r, v).written_between || is_initialised(v) ||
                    is_in_list(r.d, "firstprivate", variables[v].name))
               ? FIRSTPRIVATE
               : PRIVATE;
}

/* ---- the constructs ---- */

static const char *why_not_construct(const directive *c)
{
    if (c->words & ~(unsigned)(W_FOR | W_SIMD | W_SINGLE | W_MASTER | W_BARRIER | W_FLUSH))
        return format("`%s` in a region", token_text(c->first));
    if (c->words == W_SIMD || c->done)
        return NULL;
    if (c->words & (W_SINGLE | W_MASTER))
        for (int i = 0; i < c->clause_count; i++)
            if (strcmp(c->clauses[i].name, "nowait") != 0 &&
                strcmp(c->clauses[i].name, "copyprivate") != 0)
                return format("%s with %s", token_text(c->first), c->clauses[i].name);
    if (c->words & (W_SINGLE | W_MASTER | W_FOR) && c->statement < 0)
        return "no statement follows";
    return NULL;
}

static const char *why_not_clauses(const directive *d)
{
    static const char *const fine[] = { "private", "firstprivate", "shared", "default", "if",
                                        "num_threads", "proc_bind", NULL };

    for (int i = 0; i < d->clause_count; i++) {
        bool known = false;

        for (int k = 0; fine[k]; k++)
            known |= strcmp(d->clauses[i].name, fine[k]) == 0;
        if (!known)
            return format("clause %s of a region", d->clauses[i].name);
    }
    return NULL;
}

static bool is_outside(const region *r, int v)
{
    return variables[v].is_global || variables[v].at < nodes[r->statement].lo;
}

/* Is it changed by what the caller executes: all but the loops? */
static bool is_changed_by_caller(const region *r, int v)
{
    for (int i = 0; i < reference_count; i++) {
        const reference *of = &references[i];
        int c = construct_at(r, of->at);
        unsigned words = c < 0 ? 0 : directives[r->constructs[c]].words;

        if (of->variable == v && of->at >= nodes[r->statement].lo &&
            of->at < nodes[r->statement].hi && (!(words & W_FOR) || (words & W_PARALLEL)) &&
            ((use_of(of) & ~(unsigned)USE_READ) ||
             (is_array(variables[v].type) && (of->node < 0 || writes_element(of->node)))))
            return true;
    }
    return false;
}

/* May a loop have a pointer to it?  In the block it is one variable, and not each thread's. */
static bool is_pointed_at(const region *r, int v)
{
    for (int i = 0; i < reference_count; i++) {
        const reference *of = &references[i];
        int c = construct_at(r, of->at);

        if (of->variable == v && of->at >= nodes[r->statement].lo &&
            of->at < nodes[r->statement].hi &&
            (c < 0 || directives[r->constructs[c]].words == W_SIMD) &&
            (of->node < 0 || !is_value_or_target(of->node)))
            return true;
    }
    return false;
}

/* A private variable from outside that is the caller's in the block: it is another one. */
static bool needs_declaration(const region *r, int v)
{
    return is_outside(r, v) && is_private(r, v) && is_changed_by_caller(r, v);
}

/* A copy from outside is the caller's variable in the block: nothing else may change that. */
static const char *why_not_copy(const region *r, int v)
{
    bool is_first = is_outside(r, v) && is_in_list(r->d, "firstprivate", variables[v].name);

    if (needs_declaration(r, v) && (is_first || !declare(variables[v].type, "x")))
        return format("%s, which is private, is written outside of the loops", variables[v].name);
    if (is_first && !keeps_value(v, nodes[r->statement].lo, nodes[r->statement].hi))
        return format("%s, which each thread has, may be changed by another name",
                      variables[v].name);
    return NULL;
}

/* A pointer to what a thread has is one to what the caller has: it would be shared.  Between the
   constructs nobody may have one; from a construct none may go to what outlives it. */
static const char *why_held(const region *r)
{
    for (int n = r->statement; n < nodes[r->statement].end; n++)
        if (nodes[n].kind == CXCursor_CompoundLiteralExpr && construct_at(r, nodes[n].lo) < 0)
            return "a compound literal, which each thread has";
    for (int i = 0; i < reference_count; i++) {
        int v = references[i].variable, by, c;

        if (references[i].at < nodes[r->statement].lo ||
            references[i].at >= nodes[r->statement].hi || references[i].node < 0 ||
            !is_private(r, v) || (by = held_by(references[i].node)) < 0)
            continue;
        c = construct_at(r, references[i].at);
        if (c < 0 || is_kept_behind(by, directives[r->constructs[c]].statement))
            return format("a pointer to %s, which each thread has, may be used by a construct",
                          variables[v].name);
    }
    return NULL;
}

/* In C++: the caller's one object is as good as each thread's. */
static const char *why_not_declared(const region *r)
{
    for (int n = r->statement; n < nodes[r->statement].end; n++) {
        CXType t = clang_getCursorType(nodes[n].cursor);

        if (!node_is(nodes[n].parent, CXCursor_DeclStmt) || nodes[n].lo < nodes[r->statement].lo ||
            construct_at(r, nodes[n].lo) >= 0)
            continue;
        if (nodes[n].kind == CXCursor_UnexposedDecl)
            return "a structured binding, which each thread has";
        if (nodes[n].kind == CXCursor_VarDecl && t.kind != CXType_LValueReference && !is_value(t))
            return format("%s, of type %s, is each thread's", cursor_name(nodes[n].cursor),
                          type_name(t));
    }
    return NULL;
}

static const char *why_not(const region *r)
{
    const char *why = why_not_clauses(r->d);
    use *all;
    int count;

    if (why)
        return why;
    if (construct_at(r, nodes[r->statement].lo) < 0 &&
        (!node_is(r->statement, CXCursor_CompoundStmt) || !spelled(r->statement, "{")))
        return "the region is no block";
    for (int i = 0; i < directive_count; i++)
        if (directives[i].parent >= 0 && directives[i].parent != r->number &&
            directives[i].lo > nodes[r->statement].lo &&
            directives[i].lo < nodes[r->statement].hi && !directives[i].done &&
            !directives[i].simple)
            return format("`%s` inside is left alone", token_text(directives[i].first));
    for (int i = 0; i < r->count; i++)
        if ((why = why_not_construct(&directives[r->constructs[i]])) != NULL)
            return why;
    (void)((why = why_not_between(r)) || (why = why_held(r)));
    if (!why && is_cxx)
        why = why_not_declared(r);
    if (why)
        return why;
    count = uses_in(nodes[r->statement].lo, nodes[r->statement].hi, &all);
    for (int i = 0; i < count; i++) {
        int v = all[i].variable;

        if (!is_private(r, v))
            continue;
        if (is_cxx && !is_value(variables[v].type) &&
            variables[v].type.kind != CXType_LValueReference)
            return format("%s, of type %s, is each thread's", variables[v].name,
                          type_name(variables[v].type));
        if (is_in_list(r->d, "firstprivate", variables[v].name) && has_another_name(v))
            return format("firstprivate of %s, which may change by another name",
                          variables[v].name);
        if ((why = why_not_variable(r, v)) != NULL)
            return why;
        if (is_array(variables[v].type) && sum_up(r, v).users > 1)
            return format("%s, an array that each thread has, is used by several constructs",
                          variables[v].name);
        if (needs_declaration(r, v) && has_attribute(v))
            return format("%s has an attribute, and is declared anew", variables[v].name);
        if ((why = why_not_copy(r, v)) != NULL)
            return why;
        if (is_pointed_at(r, v))
            return format("a pointer to %s, which each thread has, may be used in a loop",
                          variables[v].name);
    }
    return NULL;
}

static bool is_read(const region *r, int v)
{
    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == v && references[i].at >= nodes[r->statement].lo &&
            references[i].at < nodes[r->statement].hi && references[i].node >= 0 &&
            (is_array(variables[v].type) ? !writes_element(references[i].node)
                                         : use_of(&references[i]) == USE_READ))
            return true;
    return false;
}

/* Compilers warn of a variable that nobody reads. */
static void declare_copy(const region *r, int v)
{
    const char *name = variables[v].name, *in = indent_at(nodes[r->statement].lo);

    add_cover(v, nodes[r->statement].lo, nodes[r->statement].hi);
    add_edit(nodes[r->statement].lo + 1, nodes[r->statement].lo + 1,
             format("\n%s    %s;%s", in, declare(variables[v].type, name),
                    is_read(r, v) ? "" : format("\n%s    (void)%s;", in, name)),
             r->number);
}

static bool take_apart(int number)
{
    region r = { .number = number, .d = &directives[number] };
    const char *why;
    int before = edit_count, *constructs, loops = 0;
    edit *saved = grow(NULL, (size_t)(edit_count + 1) * sizeof *saved);

    if (edit_count)
        memcpy(saved, edits, (size_t)edit_count * sizeof *saved);
    constructs = grow(NULL, (size_t)(directive_count + 1) * sizeof *constructs);
    r.statement = r.d->statement;
    r.constructs = constructs;
    for (int i = 0; i < directive_count; i++)
        if (directives[i].parent == number)
            constructs[r.count++] = i;
    if (r.statement < 0)
        return leave(r.d, "nothing follows");
    if (r.count == 0)
        return leave(r.d, "a region without a loop: each thread executes it");
    for (int i = 0; i < r.count; i++)
        loops += (directives[constructs[i]].words & W_FOR) != 0;
    if (!loops)
        return leave(r.d, "a region without a loop");
    if (has_threadprivate())
        return leave(r.d, "the file has threadprivate variables");
    why = why_outside(nodes[r.statement].lo, nodes[r.statement].hi);
    if (!why && (find_clause(r.d, "num_threads") || find_clause(r.d, "if")) &&
        asks_for_thread(nodes[r.statement].lo, nodes[r.statement].hi))
        why = "the region has its own number of threads, and asks for it";
    if (!why)
        why = why_not(&r);
    if (why)
        return leave(r.d, "%s", why);
    for (int i = 0; i < r.count; i++) {
        directive *c = &directives[r.constructs[i]];
        plan p;

        if (c->done || c->words == W_SIMD)
            continue;
        if (!(c->words & W_FOR)) {
            if (c->barred)
                break;
            remove_pragma(c, r.constructs[i]);
            c->done = true;
            continue;
        }
        if (c->barred || !make_plan(&p, r.constructs[i]) ||
            !(is_cxx ? emit_cxx(&p) : emit_c(&p)))
            break;
    }
    for (int i = 0; i < r.count; i++) {
        directive *c = &directives[r.constructs[i]];
        unsigned line, column;

        if (c->done || c->words == W_SIMD)
            continue;
        /* all or nothing */
        if (before)
            memcpy(edits, saved, (size_t)before * sizeof *saved);
        edit_count = before;
        drop_covers(nodes[r.statement].lo, nodes[r.statement].hi);
        for (int k = 0; k < r.count; k++)
            if (directives[r.constructs[k]].words & (W_FOR | W_SINGLE | W_MASTER | W_BARRIER) &&
                !(directives[r.constructs[k]].words & W_PARALLEL))
                directives[r.constructs[k]].done = false;
        place_of(c->lo, &line, &column);
        return leave(r.d, "line %u: %s", line, c->reason ? c->reason : "it is left alone");
    }
    for (int v = 0; v < variable_count; v++)
        if (needs_declaration(&r, v))
            declare_copy(&r, v);
    remove_pragma(r.d, number);
    r.d->done = true;
    return true;
}

/* Loops for all, or one loop over its threads. */
bool port_region(int number)
{
    directive *d = &directives[number];
    int names_before = names_now(), needs = needs_now();
    const char *first;

    if (take_apart(number))
        return true;
    first = d->reason;
    names_back(names_before);
    needs_back(needs);
    for (int i = 0; i < directive_count; i++)
        if (directives[i].parent == number && !directives[i].done && !directives[i].barred &&
            (directives[i].words & (W_FOR | W_SINGLE | W_MASTER | W_BARRIER)))
            directives[i].reason = NULL;
    d->reason = NULL;
    if (port_team(number))
        return true;
    if (ends_with(first, CALLED) && !d->barred)
        d->reason = format("%s; nor a loop over threads: %s", first, d->reason);
    return false;
}
