/*
 * team.c - a parallel region becomes a loop over its threads, where it cannot be taken apart.
 *
 * SPDX-License-Identifier: MIT
 *
 * A region is what each of n threads executes once.  A loop over the numbers 0 to n - 1 whose
 * body is the region does the same, if no thread waits for another one: tweed may execute one
 * number after the other.  A barrier is the only thing that all threads wait at.  So the
 * region is cut at its barriers into phases, and each becomes a loop of its own.  What a
 * thread's own variables hold at the end of a phase is kept in a struct for each thread.
 * A loop that is shared by the threads becomes one over a thread's share, `single` and
 * `master` become a question for thread 0, and critical sections have a mutex as they have
 * elsewhere.  Nothing in the region may hide a barrier, or a thread that waits: no function
 * that is defined elsewhere, but for the system's, is called, no shared variable is waited for.
 */
#include "team.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool in_construct(int number, unsigned at)
{
    int s = directives[number].statement;

    return s >= 0 && nodes[s].lo <= at && at < statement_end(s);
}

static bool lists(const directive *d, const char *clause_name, const char *name)
{
    for (int i = 0; i < d->clause_count; i++)
        if (strcmp(d->clauses[i].name, clause_name) == 0)
            for (int t = d->clauses[i].first; t < d->clauses[i].past; t++)
                if (token_is(t, name))
                    return true;
    return false;
}

static bool in_region(const team *t, unsigned at)
{
    return at >= nodes[t->statement].lo && at < nodes[t->statement].hi;
}

int phase_at(const team *t, unsigned at)
{
    for (int k = 0; k < t->phase_count; k++)
        if (t->phases[k].lo <= at && at < t->phases[k].hi)
            return k;
    return -1;
}

const own *own_of(const team *t, int v)
{
    for (int i = 0; i < t->own_count; i++)
        if (t->owns[i].variable == v)
            return &t->owns[i];
    return NULL;
}

bool is_used_in_phase(const team *t, int k, int v)
{
    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == v && references[i].at >= t->phases[k].lo &&
            references[i].at < t->phases[k].hi)
            return true;
    return false;
}

bool uses_name(const char *s, const char *name)
{
    size_t n = strlen(name);

    for (; s && (s = strstr(s, name)) != NULL; s += n)
        if (!isalnum((unsigned char)s[n]) && s[n] != '_')
            return true;
    return false;
}

/* ---- phases ---- */

static int construct_of(const team *t, int statement)
{
    for (int i = 0; i < t->construct_count; i++)
        if (directives[t->constructs[i]].statement == statement)
            return t->constructs[i];
    return -1;
}

static bool has_barrier(const directive *c)
{
    return (c->words & (W_FOR | W_SINGLE)) && !find_clause(c, "nowait");
}

/* Is there a barrier behind this statement of the region? */
static bool is_cut_behind(const team *t, int k)
{
    unsigned lo = statement_end(t->statements[k]),
             hi = k + 1 < t->statement_count ? nodes[t->statements[k + 1]].lo
                                             : nodes[t->statement].hi;
    int c = construct_of(t, t->statements[k]);

    if (c >= 0 && has_barrier(&directives[c]))
        return true;
    for (int i = 0; i < t->construct_count; i++) {
        const directive *d = &directives[t->constructs[i]];

        if ((d->words & W_BARRIER) && d->lo >= lo && d->lo < hi)
            return true;
    }
    return false;
}

static const char *find_phases(team *t)
{
    int first = 0;

    t->block = node_is(t->statement, CXCursor_CompoundStmt) && spelled(t->statement, "{") &&
               construct_of(t, t->statement) < 0;
    if (!t->block) {
        if (node_is(t->statement, CXCursor_CompoundStmt) || t->construct_count)
            return "the region is no block";
        t->phases[t->phase_count++] =
            (phase){ 0, 0, nodes[t->statement].lo, statement_end(t->statement) };
        return NULL;
    }
    t->statements = grow(NULL, (size_t)(nodes[t->statement].end - t->statement + 1) *
                                   sizeof *t->statements);
    for (int c = nodes[t->statement].child; c >= 0; c = nodes[c].next)
        t->statements[t->statement_count++] = c;
    if (!t->statement_count)
        return "the region is empty";
    for (int k = 0; k < t->statement_count; k++) {
        bool last = k + 1 == t->statement_count;

        if (nodes[t->statements[k]].lo <= nodes[t->statement].lo)
            return "a statement of the region stands in a macro";
        if (!last && !is_cut_behind(t, k))
            continue;
        if (t->phase_count == MOST_PHASES)
            return "the region has more barriers than tweed-port cuts it at";
        t->phases[t->phase_count] = (phase){
            first, k + 1,
            t->phase_count ? t->phases[t->phase_count - 1].hi : nodes[t->statement].lo + 1,
            last ? nodes[t->statement].hi - 1 : statement_end(t->statements[k])
        };
        t->phase_count++;
        first = k + 1;
    }
    return NULL;
}

static bool is_in_loop(int n, int top)
{
    for (n = nodes[n].parent; n >= 0 && n != top; n = nodes[n].parent)
        if (nodes[n].kind == CXCursor_ForStmt || nodes[n].kind == CXCursor_WhileStmt ||
            nodes[n].kind == CXCursor_DoStmt || nodes[n].kind == CXCursor_CXXForRangeStmt)
            return true;
    return false;
}

static const char *why_not_constructs(const team *t)
{
    for (int i = 0; i < t->construct_count; i++) {
        const directive *c = &directives[t->constructs[i]];
        bool top = false;

        if (c->done || c->simple)
            continue;
        if (c->barred)
            return c->reason;
        if (c->words & ~(unsigned)(W_FOR | W_SIMD | W_SINGLE | W_MASTER | W_BARRIER))
            return c->reason ? format("`%s` in it: %s", token_text(c->first), c->reason)
                             : format("`%s` in it", token_text(c->first));
        for (int k = 0; k < t->statement_count; k++)
            top |= (c->words & W_BARRIER)
                       ? k == 0 ? c->lo < nodes[t->statements[0]].lo
                                : c->lo >= statement_end(t->statements[k - 1]) &&
                                      c->lo < nodes[t->statements[k]].lo
                       : t->statements[k] == c->statement;
        if (t->statement_count && (c->words & W_BARRIER) &&
            c->lo >= statement_end(t->statements[t->statement_count - 1]))
            top = true;
        if (!top && ((c->words & W_BARRIER) || has_barrier(c)))
            return "a barrier inside of a statement of it";
        if (c->words & W_BARRIER)
            continue;
        if (c->statement < 0 ||
            !node_is(nodes[c->statement].parent, CXCursor_CompoundStmt))
            return format("`%s` in it is no statement of a block", token_text(c->first));
        for (int k = 0; k < c->clause_count && !(c->words & W_FOR); k++)
            if (strcmp(c->clauses[k].name, "nowait") != 0)
                return format("%s with %s", token_text(c->first), c->clauses[k].name);
    }
    for (int i = 0; i < directive_count; i++) {
        const directive *in = &directives[i];
        int s = in->statement >= 0 ? in->statement : t->statement;

        if (!in_region(t, in->lo) || in->simple)
            continue;
        if (is_skipped(in->lo, in->hi))
            return "a pragma in code that this configuration leaves out";
        if (in->parent != t->number && !in->done)
            return format("`%s` inside is left alone%s%s", token_text(in->first),
                          in->reason ? ": " : "", in->reason ? in->reason : "");
        if (in->words & W_FLUSH)
            return "`flush`: a thread may wait for another one";
        if ((in->words == W_CRITICAL ||
             (in->words == W_ATOMIC && (find_clause(in, "read") || find_clause(in, "capture")))) &&
            is_in_loop(s, t->statement)) {
            /* a loop with all of its parts ends by itself */
            for (int n = nodes[s].parent; n >= 0 && n != t->statement; n = nodes[n].parent) {
                int parts = 0;

                for (int c = nodes[n].child; c >= 0; c = nodes[c].next)
                    parts++;
                if (nodes[n].kind == CXCursor_WhileStmt || nodes[n].kind == CXCursor_DoStmt ||
                    (nodes[n].kind == CXCursor_ForStmt && parts != 4))
                    return format("`%s` in a loop that may wait for another thread",
                                  token_text(in->first));
            }
        }
    }
    return NULL;
}

/* ---- what a thread calls ---- */

static CXCursor *looked_at;
static int looked_count;
static const char *hidden; /* what a function hides */

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Functions of the system that wait, or jump. */
static bool waits(const char *name)
{
    static const char *const all[] = { "pthread_", "sem_", "mtx_", "cnd_", "thrd_", "MPI_",
                                       "sched_yield", "__atomic_", "__sync_", "__c11_atomic",
                                       "atomic_", "call_once", "setjmp", "longjmp", "_setjmp",
                                       "sigsetjmp", "fork", "sleep", "usleep", "nanosleep",
                                       "clock_nanosleep", "pause", "poll", "select", "sigwait",
                                       "yield", "omp_set_lock", "omp_test",
                                       "omp_set_nest", NULL };

    for (int i = 0; all[i]; i++)
        if (begins(name, all[i]))
            return true;
    return false;
}

static enum CXChildVisitResult look(CXCursor c, CXCursor parent, CXClientData data);

static void look_into(CXCursor function)
{
    CXCursor general = clang_getSpecializedCursorTemplate(function), body;
    char *name = cursor_name(function);
    unsigned at;

    if (waits(name)) {
        hidden = format("%s() is called: a thread may wait for another one", name);
        return;
    }
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(function)) ||
        begins(name, "__builtin_") || begins(name, "omp_get_") || begins(name, "tweed_") ||
        begins(name, "port_") || is_known(name))
        return;
    body = clang_getCursorDefinition(clang_Cursor_isNull(general) ? function : general);
    if (clang_Cursor_isNull(body)) {
        hidden = format("%s() is called, which is defined elsewhere", name);
        return;
    }
    for (int i = 0; i < looked_count; i++)
        if (clang_equalCursors(looked_at[i], body))
            return;
    looked_at = grow(looked_at, (size_t)(looked_count + 1) * sizeof *looked_at);
    looked_at[looked_count++] = body;
    if (in_this_file(body, &at)) {
        int f = function_of(at);

        for (int i = 0; f >= 0 && i < directive_count; i++)
            if (directives[i].lo >= nodes[f].lo && directives[i].lo < nodes[f].hi &&
                !directives[i].simple &&
                !(directives[i].done && directives[i].words == W_CRITICAL) &&
                !(directives[i].done && directives[i].words == W_ATOMIC)) {
                hidden = format("%s() is called, which has `%s` in it", name,
                                token_text(directives[i].first));
                return;
            }
    } else if (outside_count()) {
        hidden = format("%s() is called, whose file has OpenMP, too", name);
        return;
    }
    clang_visitChildren(body, look, NULL);
}

static bool is_watched_type(CXType type)
{
    static const char *const classes[] = { "std::atomic", "std::condition_variable",
                                           "std::future", "std::promise", "std::shared_future",
                                           "std::latch", "std::barrier", "semaphore",
                                           "std::thread", "std::mutex", NULL };
    CXType t = clang_getCanonicalType(type);
    const char *name = type_name(t);

    for (int i = 0; classes[i]; i++)
        if (strstr(name, classes[i]))
            return true;

    return clang_isVolatileQualifiedType(t) || clang_isVolatileQualifiedType(type) ||
           t.kind == CXType_Atomic;
}

static enum CXChildVisitResult first_child(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(CXCursor *)data = c;
    return CXChildVisit_Break;
}

/* In a template: a member of an object of the standard library. */
static bool is_of_library(CXCursor c)
{
    for (int depth = 0; depth < 8; depth++) {
        CXCursor next = clang_getNullCursor();
        CXType type = clang_getCursorType(c);
        char *name;

        if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference)
            type = clang_getPointeeType(type);
        name = type_name(type);
        if (strncmp(name, "const ", 6) == 0)
            name += 6;
        if (clang_getCursorKind(c) == CXCursor_DeclRefExpr)
            return begins(name, "std::");
        clang_visitChildren(c, first_child, &next);
        if (clang_Cursor_isNull(next))
            return false;
        c = next;
    }
    return false;
}

static void look_at(CXCursor c)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    CXCursor to;

    if (hidden)
        return;
    if (clang_isExpression(k) && is_watched_type(clang_getCursorType(c)))
        hidden = "a volatile or atomic variable: a thread may wait for another one";
    else if (k == CXCursor_GCCAsmStmt)
        hidden = "asm";
    else if (k == CXCursor_CompoundLiteralExpr)
        hidden = "a compound literal, which ends at a barrier";
    else if (k == CXCursor_CallExpr && strstr(cursor_name(c), "alloca"))
        hidden = "alloca(), whose memory ends at a barrier";
    else if (k == CXCursor_CallExpr) {
        to = clang_getCursorReferenced(c);
        k = clang_Cursor_isNull(to) ? CXCursor_InvalidFile : clang_getCursorKind(to);
        if (k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod || k == CXCursor_Constructor ||
            k == CXCursor_Destructor || k == CXCursor_FunctionTemplate ||
            k == CXCursor_ConversionFunction)
            look_into(to);
        else if (!is_of_library(c)) {
            char *name = cursor_name(c);

            hidden = format("%s%sis called: which function that is is not certain", name,
                            *name ? "() " : "something ");
        }
    }
}

static enum CXChildVisitResult look(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    (void)data;
    look_at(c);
    return hidden ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static const char *why_hidden(const team *t)
{
    hidden = NULL;
    looked_count = 0;
    for (int n = t->statement; n < nodes[t->statement].end && !hidden; n++)
        look_at(nodes[n].cursor);
    return hidden;
}

/* ---- variables ---- */

bool is_loop_of(int number, int v)
{
    const directive *c = &directives[number];
    const clause *collapse = find_clause(c, "collapse");
    long depth = collapse ? strtol(token_text(collapse->first), NULL, 10) : 1;
    int n = c->statement;

    if (!(c->words & W_FOR))
        return false;
    for (; depth > 0 && node_is(n, CXCursor_ForStmt); depth--) {
        int first = nodes[n].child, body;

        if (node_is(first, CXCursor_BinaryOperator) && is_name(nodes[first].child, v))
            return true;
        for (body = first; body >= 0 && nodes[body].next >= 0; body = nodes[body].next)
            ;
        while (node_is(body, CXCursor_CompoundStmt))
            body = nodes[body].child;
        n = body;
    }
    return false;
}

bool is_private_in(int number, int v)
{
    return (directives[number].words & W_FOR) &&
           (is_loop_of(number, v) || lists(&directives[number], "private", variables[v].name));
}

/* Is the region's own variable the loop's?  Else the body declares it. */
bool is_assigned(const team *t, int number, int v)
{
    (void)number;
    return own_of(t, v) != NULL;
}

static int private_construct(const team *t, int v, unsigned at)
{
    for (int i = 0; i < t->construct_count; i++)
        if (in_construct(t->constructs[i], at) && is_private_in(t->constructs[i], v))
            return t->constructs[i];
    return -1;
}

static own *add_own(team *t, int v, enum role role)
{
    t->owns = grow(t->owns, (size_t)(t->own_count + 1) * sizeof *t->owns);
    t->owns[t->own_count] = (own){ .variable = v, .home = -1, .role = role };
    return &t->owns[t->own_count++];
}

/* What happens to it first in a phase. */
static int first_in(const team *t, int k, int v)
{
    int best = NONE;

    if (!t->block)
        return first_use(t->statement, v);
    for (int i = t->phases[k].first; i < t->phases[k].past; i++) {
        int c = construct_of(t, t->statements[i]),
            one = c >= 0 && is_private_in(c, v) ? NONE : first_use(t->statements[i], v);

        for (int k2 = 0; one == WRITTEN && k2 < t->construct_count; k2++)
            if ((directives[t->constructs[k2]].words & (W_SINGLE | W_MASTER)) &&
                directives[t->constructs[k2]].statement >= t->statements[i] &&
                directives[t->constructs[k2]].statement < nodes[t->statements[i]].end &&
                names(directives[t->constructs[k2]].statement, v))
                one = PERHAPS; /* thread 0 alone */

        if (one == WRITTEN || one == READ_FIRST)
            return one;
        if (one == PERHAPS)
            best = PERHAPS;
    }
    return best;
}

static bool is_used_in(const team *t, int k, int v, bool *by_name)
{
    bool used = false;

    *by_name = true;
    for (int i = 0; i < reference_count; i++)
        if (references[i].variable == v && references[i].at >= t->phases[k].lo &&
            references[i].at < t->phases[k].hi) {
            used = true;
            *by_name &= references[i].node >= 0;
        }
    return used;
}

static const char *why_not_own(team *t, own *o)
{
    const variable *v = &variables[o->variable];
    bool declared = in_region(t, v->at) && !v->is_global;
    int users = 0;

    if (declared && clang_Cursor_getStorageClass(v->decl) == CX_SC_Static)
        return format("%s, which is static, is declared in it", v->name);
    if (declared)
        o->home = phase_at(t, v->at);
    for (int k = 0; k < t->phase_count; k++) {
        bool by_name;
        int first;

        if (!is_used_in(t, k, o->variable, &by_name))
            continue;
        users++;
        first = by_name ? first_in(t, k, o->variable) : READ_FIRST;
        if (k > (declared ? o->home : 0) && (first == READ_FIRST || first == PERHAPS))
            o->carried = true;
    }
    if (users < 2 && !(declared && o->home >= 0))
        o->carried = false;
    if ((o->role == REDUCTION || o->role == FIRSTPRIVATE) && t->phase_count > 1)
        o->carried = true;
    t->any_carried |= o->carried;
    /* the loop's variable is the region's own: who reads it behind the loop? */
    for (int i = 0; i < reference_count; i++) {
        const reference *r = &references[i];
        bool behind = false;

        if (r->variable != o->variable || !in_region(t, r->at) ||
            private_construct(t, o->variable, r->at) >= 0)
            continue;
        for (int c = 0; c < t->construct_count; c++)
            behind |= is_private_in(t->constructs[c], o->variable) &&
                      names(directives[t->constructs[c]].statement, o->variable) &&
                      (directives[t->constructs[c]].lo < r->at ||
                       is_in_loop(directives[t->constructs[c]].statement, t->statement));
        if (!behind)
            continue;
        for (int s = 0; s < t->statement_count; s++) {
            int n = t->statements[s];

            if (r->at < nodes[n].lo || r->at >= statement_end(n))
                continue;
            if (r->node < 0 || first_use(n, o->variable) != WRITTEN)
                return format("%s is used behind the loop that has it as its own", v->name);
        }
    }
    return NULL;
}

static bool is_pointed_at(int n, bool array, int depth);

/* Does a function that is defined here pass its argument on? */
static bool is_kept_by(int call_node, int given, int depth)
{
    CXCursor body = clang_getCursorDefinition(clang_getCursorReferenced(nodes[call_node].cursor));
    int number = -1, k = 0;
    unsigned at;
    CXCursor parameter;

    if (depth == 4 || is_cxx || clang_Cursor_isNull(body) || !in_this_file(body, &at))
        return true;
    for (int c = nodes[call_node].child; c >= 0; c = nodes[c].next, k++)
        if (given >= c && given < nodes[c].end)
            number = k - 1; /* the first child is the function */
    if (number < 0 || number >= clang_Cursor_getNumArguments(body))
        return true;
    parameter = clang_getCanonicalCursor(clang_Cursor_getArgument(body, (unsigned)number));
    for (int i = 0; i < reference_count; i++)
        if (clang_equalCursors(variables[references[i].variable].decl, parameter) &&
            (references[i].node < 0 || is_pointed_at(references[i].node, true, depth + 1)))
            return true;
    return false;
}

/* Does a pointer to it go anywhere? */
static bool is_pointed_at(int n, bool array, int depth)
{
    bool is_pointer = depth > 0;

    bool taken = false;

    for (int p = nodes[n].parent, child = n; p >= 0; child = p, p = nodes[p].parent)
        switch ((int)nodes[p].kind) {
        case CXCursor_ParenExpr:
        case CXCursor_UnexposedExpr:
        case CXCursor_MemberRefExpr:
        case CXCursor_CStyleCastExpr:
            if (nodes[p].kind == CXCursor_UnexposedExpr && !taken && !array &&
                !is_array(clang_getCursorType(nodes[child].cursor)) && !is_cxx)
                return false; /* its value */
            array |= is_array(clang_getCursorType(nodes[p].cursor));
            if (nodes[p].kind == CXCursor_MemberRefExpr && is_pointer &&
                is_scalar(clang_getCursorType(nodes[p].cursor)) &&
                !node_is(nodes[p].parent, CXCursor_UnaryOperator))
                return false;
            continue;
        case CXCursor_ArraySubscriptExpr:
            array = is_array(clang_getCursorType(nodes[p].cursor));
            if (!array && is_scalar(clang_getCursorType(nodes[p].cursor))) {
                int q = nodes[p].parent;

                while (node_is(q, CXCursor_ParenExpr))
                    q = nodes[q].parent;
                if (!(node_is(q, CXCursor_UnaryOperator) && source[nodes[q].lo] == '&'))
                    return false;
            }
            continue;
        case CXCursor_UnaryOperator:
            if (source[nodes[p].lo] == '&') {
                taken = true;
                continue;
            }
            return taken;
        case CXCursor_CallExpr: {
            CXCursor to = clang_getCursorReferenced(nodes[p].cursor);

            if (is_known(cursor_name(nodes[p].cursor)))
                return false;
            if (!clang_Cursor_isNull(to) &&
                clang_Location_isInSystemHeader(clang_getCursorLocation(to)))
                return false;
            return (taken || array || is_cxx) && is_kept_by(p, n, depth);
        }
        case CXCursor_UnaryExpr:
            return false;
        default:
            return taken || (array && nodes[p].kind != CXCursor_DeclStmt &&
                             nodes[p].kind != CXCursor_CompoundStmt);
        }
    return taken;
}

/* The same of a name that has no node: in code that this configuration leaves out its text
   says it. */
static bool may_be_pointed_at(const reference *r)
{
    int t = token_at(r->at);

    return !r->spelled || !is_skipped(r->at, r->at + 1) || token_is(t - 1, "&") ||
           is_array(variables[r->variable].type);
}

/* A phase's variables end with it: nobody may have a pointer to one. */
static const char *why_pointed_at(const team *t)
{
    for (int i = 0; i < reference_count; i++) {
        const reference *r = &references[i];

        if (!in_region(t, r->at) || !own_of(t, r->variable))
            continue;
        if (r->node < 0 ? may_be_pointed_at(r)
                        : is_pointed_at(r->node, is_array(variables[r->variable].type), 0))
            return format("a pointer to %s, which each thread has, may be used behind a barrier",
                          variables[r->variable].name);
    }
    return NULL;
}

static const char *op_in_clauses(const directive *d, const char *name)
{
    static const char *const ops[] = { "+", "-", "*", "&", "|", "^", "&&", "||", "min", "max",
                                       NULL };

    for (int i = 0; i < d->clause_count; i++) {
        const clause *c = &d->clauses[i];

        if (strcmp(c->name, "reduction") != 0 || !token_is(c->first + 1, ":"))
            continue;
        for (int k = c->first + 2; k < c->past; k++)
            for (int o = 0; token_is(k, name) && ops[o]; o++)
                if (token_is(c->first, ops[o]))
                    return ops[o][0] == '-' ? "+" : ops[o];
    }
    return NULL;
}

static const char *why_not_variables(team *t)
{
    use *all;
    int count = uses_in(nodes[t->statement].lo, nodes[t->statement].hi, &all);
    const char *why;

    for (int i = 0; i < count; i++) {
        int v = all[i].variable;
        const char *name = variables[v].name;
        bool declared = all[i].inside && !variables[v].is_global;
        own *o = NULL;
        bool loops = false, elsewhere = false, first_only = true;

        if (declared) {
            bool deep = true;

            for (int n = t->statement; n < nodes[t->statement].end; n++)
                if (nodes[n].kind == CXCursor_VarDecl &&
                    clang_equalCursors(clang_getCanonicalCursor(nodes[n].cursor),
                                       variables[v].decl))
                    deep = nodes[nodes[n].parent].parent != t->statement;
            if (deep) {
                if (clang_Cursor_getStorageClass(variables[v].decl) == CX_SC_Static)
                    return format("%s, which is static, is declared in it", name);
                continue;
            }
            o = add_own(t, v, SHARED);
        } else if (lists(t->d, "private", name)) {
            o = add_own(t, v, PRIVATE);
        } else if (lists(t->d, "firstprivate", name)) {
            if (all[i].how == USE_READ && !variables[v].address_taken && !variables[v].is_global &&
                !is_array(variables[v].type))
                continue; /* a copy, whether or not */
            o = add_own(t, v, FIRSTPRIVATE);
        } else if (lists(t->d, "reduction", name)) {
            o = add_own(t, v, REDUCTION);
            o->op = op_in_clauses(t->d, name);
            if (!o->op || !is_scalar(variables[v].type) || (all[i].how & USE_HIDDEN) ||
                clang_getCanonicalType(variables[v].type).kind == CXType_Bool ||
                !identity_text(o->op, variables[v].type))
                return format("the reduction of %s", name);
        }
        for (int k = 0; k < reference_count; k++) {
            int c;

            if (references[k].variable != v || !in_region(t, references[k].at))
                continue;
            c = private_construct(t, v, references[k].at);
            if (c < 0)
                elsewhere = true;
            else {
                loops = true;
                first_only &= is_name(nodes[nodes[directives[c].statement].child].child, v) &&
                              nodes[nodes[directives[c].statement].child].kind ==
                                  CXCursor_BinaryOperator &&
                              !lists(&directives[c], "private", name);
            }
        }
        if (o && o->role == REDUCTION && loops)
            return format("%s is reduced and private", name);
        if (!o && loops && elsewhere)
            return format("%s is the own variable of a loop, and used outside of it", name);
        if (!o && loops && !first_only)
            o = add_own(t, v, PRIVATE);
        if (o && o->role == PRIVATE && loops && !elsewhere && first_only)
            t->own_count--, o = NULL; /* the loops declare it */
        if (o && (why = why_not_own(t, o)) != NULL)
            return why;
    }
    for (int i = 0; i < t->own_count; i++)
        for (int k = 0; k < i; k++)
            if (t->phase_count > 1 && strcmp(variables[t->owns[i].variable].name,
                                             variables[t->owns[k].variable].name) == 0)
                return format("two variables are named %s",
                              variables[t->owns[i].variable].name);
    return t->phase_count > 1 ? why_pointed_at(t) : NULL;
}

static const char *why_not_clauses(team *t)
{
    static const char *const fine[] = { "private", "firstprivate", "shared", "default", "if",
                                        "num_threads", "proc_bind", "reduction", NULL };

    for (int i = 0; i < t->d->clause_count; i++) {
        const clause *c = &t->d->clauses[i];
        bool known = false;
        int first = c->first;

        for (int k = 0; fine[k]; k++)
            known |= strcmp(c->name, fine[k]) == 0;
        if (!known || (strcmp(c->name, "default") == 0 && !token_is(first, "none") &&
                       !token_is(first, "shared")))
            return format("clause %s of a region", c->name);
        if (strcmp(c->name, "num_threads") == 0)
            t->threads_text = render(tokens[first].lo, tokens[c->past - 1].hi, NULL, NULL);
        if (strcmp(c->name, "if") == 0) {
            if (token_is(first, "parallel") && token_is(first + 1, ":"))
                first += 2;
            t->if_text = render(tokens[first].lo, tokens[c->past - 1].hi, NULL, NULL);
        }
        for (int k = first; k < c->past; k++)
            if ((strcmp(c->name, "private") == 0 || strcmp(c->name, "firstprivate") == 0 ||
                 strcmp(c->name, "reduction") == 0) &&
                token_is(k, "["))
                return format("%s of what is no plain variable", c->name);
    }
    return NULL;
}

/* ---- the numbers of the threads ---- */

static bool asks_here(const team *t)
{
    for (int i = 0; i < call_count; i++)
        if (in_region(t, tokens[calls[i].token].lo) &&
            (token_is(calls[i].token, "omp_get_thread_num") ||
             token_is(calls[i].token, "omp_get_num_threads")))
            return true;
    return false;
}

/* Does an atomic statement in the region ask?  What sync.c makes of it is text already. */
static bool asks_atomically(const team *t)
{
    for (int i = 0; i < directive_count; i++) {
        const directive *d = &directives[i];

        if (!(d->words & W_ATOMIC) || d->statement < 0 || !in_region(t, d->lo))
            continue;
        for (int k = 0; k < call_count; k++)
            if (tokens[calls[k].token].lo >= d->lo &&
                tokens[calls[k].token].lo < statement_end(d->statement) &&
                (token_is(calls[k].token, "omp_get_thread_num") ||
                 token_is(calls[k].token, "omp_get_num_threads")))
                return true;
    }
    return false;
}

static const char *why_not_numbers(const team *t)
{
    const char *why = why_outside(nodes[t->statement].lo, statement_end(t->statement));

    if (why)
        return why;
    if (asks_atomically(t))
        return "an atomic statement in it asks for the thread";
    if (asks_elsewhere(nodes[t->statement].lo, statement_end(t->statement)))
        return "a function that it calls asks for the thread";
    for (int i = 0; i < call_count; i++)
        if (in_region(t, tokens[calls[i].token].lo) && !calls[i].done)
            return format("%s is left alone", token_text(calls[i].token));
    if (asks_here(t))
        for (int i = 0; i < directive_count; i++)
            if (in_region(t, directives[i].lo) && (directives[i].words & W_PARALLEL))
                return "a region inside, and it asks for the thread";
    return NULL;
}

static void edit_numbers(team *t)
{
    for (int i = 0; i < call_count; i++) {
        int k = calls[i].token;
        bool number = token_is(k, "omp_get_thread_num");

        if (!in_region(t, tokens[k].lo) || (!number && !token_is(k, "omp_get_num_threads")))
            continue;
        drop_edits(tokens[k].lo, tokens[k + 2].hi);
        add_edit(tokens[k].lo, tokens[k + 2].hi,
                 number && !is_cxx ? format("(int)%s", t->thread) : number ? t->thread : t->threads,
                 t->number);
        calls[i].taken = true;
    }
}

char *number_of_threads(const team *t)
{
    const char *most = t->threads_text ? t->threads_text
                       : is_cxx ? "tweed_pool_num_workers(nullptr)"
                                : "tweed_pool_num_workers(NULL)";

    return t->if_text ? format("(%s) ? (%s) : 1", t->if_text, most) : format("%s", most);
}

const char *lock_for_reductions(void)
{
    need("pthread", "\n#include <pthread.h>\n");
    need("port_reduction",
         "\nstatic pthread_mutex_t port_reduction = PTHREAD_MUTEX_INITIALIZER;\n");
    return "port_reduction";
}

/* ---- all of it ---- */

static const char *why_not_jumps(const team *t)
{
    const char *why = why_unfit(t->d, t->statement, t->statement, 1);

    for (int n = t->statement; n < nodes[t->statement].end; n++)
        if (nodes[n].kind == CXCursor_GotoStmt || nodes[n].kind == CXCursor_IndirectGotoStmt ||
            nodes[n].kind == CXCursor_CXXThrowExpr)
            return "a jump in the region";
    return why ? "a jump out of the region" : NULL;
}

bool port_team(int number)
{
    team t = { .number = number, .d = &directives[number] };
    const char *why;
    int before = edit_count, needs = needs_now(), names_before = names_now();
    edit *saved = grow(NULL, (size_t)(edit_count + 1) * sizeof *saved);
    bool done;

    if (edit_count)
        memcpy(saved, edits, (size_t)edit_count * sizeof *saved);
    t.statement = t.d->statement;
    t.constructs = grow(NULL, (size_t)(directive_count + 1) * sizeof *t.constructs);
    for (int i = 0; i < directive_count; i++)
        if (directives[i].parent == number)
            t.constructs[t.construct_count++] = i;
    if (t.statement < 0)
        return leave(t.d, "nothing follows");
    if (t.d->function < 0)
        return leave(t.d, "the region is in no function");
    if (has_threadprivate())
        return leave(t.d, "the file has threadprivate variables");
    (void)((why = why_not_clauses(&t)) || (why = why_not_numbers(&t)) ||
           (why = find_phases(&t)) || (why = why_not_constructs(&t)) ||
           (why = why_not_jumps(&t)) || (why = why_hidden(&t)) || (why = why_not_variables(&t)));
    if (why)
        return leave(t.d, "%s", why);
    forget_locals();
    t.thread = local_name("port", "thread");
    t.threads = local_name("port", "threads");
    edit_numbers(&t);
    done = is_cxx ? emit_team_cxx(&t) : emit_team_c(&t);
    if (done)
        return true;
    if (before)
        memcpy(edits, saved, (size_t)before * sizeof *saved);
    edit_count = before;
    needs_back(needs);
    names_back(names_before);
    drop_covers(nodes[t.statement].lo, nodes[t.statement].hi);
    for (int i = 0; i < call_count; i++)
        if (in_region(&t, tokens[calls[i].token].lo))
            calls[i].taken = false;
    for (int i = 0; i < t.construct_count; i++) {
        directive *c = &directives[t.constructs[i]];

        if ((c->words & (W_FOR | W_SINGLE | W_MASTER | W_BARRIER)) && !(c->words & W_PARALLEL)) {
            c->done = false;
            if (c->reason && !t.d->reason)
                leave(t.d, "%s", c->reason);
        }
    }
    return leave(t.d, "it is left alone");
}
