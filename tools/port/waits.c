/*
 * waits.c - a loop that may wait for another thread, or for another index.
 *
 * SPDX-License-Identifier: MIT
 *
 * tweed may execute one index after the other.  A loop waits that goes on until something has
 * changed: its condition or its body reads atomically, flushes, or has a volatile variable, here
 * or in a function that is called.  A counted loop (counted.c) ends by itself, if its
 * condition and its step have none of that.
 */
#include "port.h"

#include <string.h>

typedef struct search {
    const struct search *caller; /* whose body calls this one; null: none */
    CXCursor root; /* the body of the function, or of the loop */
    bool locks;    /* critical sections, captures and __sync_ may be waited by, too */
    cursors *looked;
    CXCursor found; /* a loop, or null */
} search;

static cursors touched_bodies;
static bool touched, with_locks;

static bool is_new(cursors *s, CXCursor c)
{
    int before = s->count;

    add_cursor(s, c);
    return s->count > before;
}

static bool is_awaited(CXType type)
{
    static const char *const classes[] = { "std::atomic", "std::condition_variable",
                                           "std::future<", "std::shared_future<", "std::latch",
                                           "std::barrier", "std::counting_semaphore", NULL };
    CXType t = clang_getCanonicalType(type);
    const char *name;

    if (clang_isVolatileQualifiedType(t) || clang_isVolatileQualifiedType(type) ||
        t.kind == CXType_Atomic)
        return true;
    name = is_cxx ? type_name(t) : "";
    for (int i = 0; classes[i]; i++)
        if (strstr(name, classes[i]))
            return true;
    return false;
}

/* The bodies of the functions that a call may call, but for the system's. */
static cursors bodies_of(CXCursor called)
{
    CXCursor to = clang_getCursorReferenced(called), other;
    cursors functions = { NULL, 0 }, bodies = { NULL, 0 };
    char *open = open_name(called);

    if (!clang_Cursor_isNull(to))
        add_cursor(&functions, to);
    for (int at = 0; open && next_named(open, &at, &other);)
        add_cursor(&functions, other);
    for (int i = 0, first = functions.count; i < first; i++)
        for (int at = 0; next_other(functions.all[i], &at, &other);)
            add_cursor(&functions, other);
    for (int i = 0; i < functions.count; i++) {
        CXCursor body = definition_of(functions.all[i]);

        if (!clang_Cursor_isNull(body) &&
            !clang_Location_isInSystemHeader(clang_getCursorLocation(body)))
            add_cursor(&bodies, body);
    }
    return bodies;
}

/* What an atomic read has become; not the first step of an update. */
static bool is_ported_read(int t)
{
    return token_is(t, "__atomic_load_n") ||
           (token_is(t, "__atomic_load") && token_is(t + 1, "(") &&
            !begins(source + tokens[t + 2].lo, "port_at"));
}

/* Is there a directive in its text that reads what another thread has written? */
static bool has_read(CXCursor c)
{
    range r;

    if (!text_in_this_file(c, &r))
        return false;
    for (int i = 0; i < directive_count; i++) {
        const directive *d = &directives[i];

        if (d->lo >= r.lo && d->lo < r.hi && !is_skipped(d->lo, d->hi) &&
            ((d->words & W_FLUSH) || (d->words == W_ATOMIC && find_clause(d, "read")) ||
             (with_locks && (d->words == W_CRITICAL ||
                             (d->words == W_ATOMIC && find_clause(d, "capture"))))))
            return true;
    }
    for (int t = token_at(r.lo); t + 2 < token_count && tokens[t].lo < r.hi; t++)
        if (is_ported_read(t))
            return true;
    return false;
}

/* The text from its first byte on, in whatever file, also where a macro has it; or "". */
static const char *text_from(CXCursor c)
{
    CXFile in;
    unsigned at;
    size_t size;
    const char *s;

    clang_getSpellingLocation(clang_getRangeStart(clang_getCursorExtent(c)), &in, NULL, NULL, &at);
    s = in ? clang_getFileContents(unit, in, &size) : NULL;
    return s && at < size ? s + at : "";
}

/* libclang has no kind for __atomic_: its text says it. */
const char *atomic_operation(CXCursor c)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    const char *s;

    if (k == CXCursor_CallExpr && begins(cursor_name(c), "__sync_"))
        return cursor_name(c);
    if (k != CXCursor_UnexposedExpr && k != CXCursor_CallExpr)
        return NULL;
    s = text_from(c);
    return begins(s, "__atomic_") || begins(s, "__c11_atomic_") || begins(s, "__sync_") ? s : NULL;
}

bool is_atomic_operation(CXCursor c)
{
    return atomic_operation(c) != NULL;
}

static bool is_one_of(const char *const *all, const char *name)
{
    for (int i = 0; all[i]; i++)
        if (strcmp(all[i], name) == 0)
            return true;
    return false;
}

bool takes_lock(const char *name)
{
    static const char *const all[] = {
        "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_timedlock",
        "pthread_spin_lock", "pthread_spin_trylock", "pthread_rwlock_rdlock",
        "pthread_rwlock_wrlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_trywrlock",
        "mtx_lock", "mtx_trylock", "mtx_timedlock", "omp_set_lock", "omp_test_lock",
        "omp_set_nest_lock", "omp_test_nest_lock", "lock", "try_lock", "lock_shared", NULL
    };

    return is_one_of(all, name);
}

/* An object that has a lock for as long as it lives. */
bool is_lock_guard(CXCursor c)
{
    static const char *const classes[] = { "std::lock_guard<", "std::unique_lock<",
                                           "std::scoped_lock<", "std::shared_lock<", NULL };
    char *name = NULL;

    if (!is_cxx || clang_getCursorKind(c) != CXCursor_VarDecl)
        return false;
    name = type_name(clang_getCanonicalType(clang_getCursorType(c)));
    for (int i = 0; classes[i]; i++)
        if (begins(name, classes[i]))
            return true;
    return false;
}

/* Who has nothing to do until another thread has done something. */
static bool yields(CXCursor c)
{
    static const char *const all[] = {
        "sched_yield", "pthread_yield", "thrd_yield", "thrd_sleep", "yield", "sleep_for",
        "sleep_until", "sleep", "usleep", "nanosleep", "clock_nanosleep", "_mm_pause",
        "__builtin_ia32_pause", "__yield", NULL
    };

    return clang_getCursorKind(c) == CXCursor_CallExpr && is_one_of(all, cursor_name(c));
}

/* A function of the system that comes back when another thread has done something. */
static bool is_wait(CXCursor c)
{
    static const char *const functions[] = {
        "pthread_barrier_wait", "pthread_cond_wait", "pthread_cond_timedwait",
        "pthread_cond_clockwait", "sem_wait", "sem_timedwait", "sem_clockwait", "cnd_wait",
        "cnd_timedwait", "sigwait", "sigwaitinfo", "sigtimedwait", "sigsuspend", "pause",
        "mq_receive", "mq_timedreceive", "msgrcv", "semop", "semtimedop", NULL
    };
    static const char *const members[] = { "wait", "wait_for", "wait_until", "arrive_and_wait",
                                           "acquire", "get", NULL };
    CXCursor to = clang_getCursorReferenced(c);
    char *name;

    if (clang_getCursorKind(c) != CXCursor_CallExpr || clang_Cursor_isNull(to) ||
        !clang_Location_isInSystemHeader(clang_getCursorLocation(to)))
        return false;
    name = cursor_name(to);
    if (clang_getCursorKind(to) == CXCursor_CXXMethod)
        return is_one_of(members, name) &&
               is_awaited(clang_getCursorType(clang_getCursorSemanticParent(to)));
    return is_one_of(functions, name) || (begins(name, "MPI_") && !begins(name, "MPI_W"));
}

static enum CXChildVisitResult touch(CXCursor c, CXCursor parent, CXClientData data)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    cursors bodies = { NULL, 0 };

    (void)parent;
    (void)data;
    if (clang_isExpression(k) && is_awaited(clang_getCursorType(c)))
        touched = true;
    if (with_locks && (is_atomic_operation(c) || yields(c) || is_lock_guard(c) ||
                       (k == CXCursor_CallExpr && takes_lock(cursor_name(c)))))
        touched = true;
    if (!touched && k == CXCursor_CallExpr)
        bodies = bodies_of(c);
    for (int i = 0; i < bodies.count && !touched; i++)
        if (is_new(&touched_bodies, bodies.all[i])) {
            touched = has_read(bodies.all[i]);
            if (!touched)
                clang_visitChildren(bodies.all[i], touch, NULL);
        }
    return touched ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static bool touches(CXCursor c, bool locks)
{
    touched_bodies.count = 0;
    with_locks = locks;
    touched = has_read(c);
    if (!touched)
        (void)touch(c, c, NULL);
    if (!touched)
        clang_visitChildren(c, touch, NULL);
    return touched;
}

bool calls_shared(CXCursor c)
{
    return touches(c, true);
}

static enum CXChildVisitResult find_yield(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    *(bool *)data |= yields(c);
    return *(bool *)data ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* An index waits for another one.  A loop with all of its parts may yield. */
static bool awaits_index(CXCursor c, bool partial)
{
    bool yielding = false;

    if (partial)
        clang_visitChildren(c, find_yield, &yielding);
    return yielding || ends_by_another(c);
}

/* port_NAME or port_NAME_2, as fresh_local() makes it; then `end`. */
static bool is_made_name(const char *s, const char *name, const char *end)
{
    if (!begins(s, name))
        return false;
    s += strlen(name);
    if (*s == '_')
        s += 1 + strspn(s + 1, "0123456789");
    return begins(s, end);
}

/* What an atomic update has become (sync.c), and nothing else: one assignment, and one negated
   call.  The loop goes on only if another thread has made an update meanwhile: so it waits for
   no thread. */
static bool is_ported_update(CXCursor c)
{
    static const char swap[] = "!__atomic_compare_exchange(";
    cursors parts = { NULL, 0 };
    const char *s;

    if (clang_getCursorKind(c) != CXCursor_DoStmt)
        return false;
    parts = children_of(c);
    if (parts.count != 2 || clang_getCursorKind(parts.all[1]) != CXCursor_UnaryOperator ||
        clang_getCursorKind(parts.all[0]) != CXCursor_BinaryOperator)
        return false;
    s = text_from(parts.all[1]);
    return begins(s, swap) && is_made_name(s + strlen(swap), "port_at", ",") &&
           is_made_name(text_from(parts.all[0]), "port_new", " = ");
}

static bool may_wait(CXCursor c, const search *s)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    cursors parts = { NULL, 0 };
    bool counted;

    if (is_ported_update(c))
        return false;
    if (k == CXCursor_GotoStmt || k == CXCursor_IndirectGotoStmt)
        return touches(s->root, s->locks) || (!s->locks && awaits_index(s->root, false));
    if (k == CXCursor_WhileStmt || k == CXCursor_DoStmt)
        return touches(c, s->locks) || (!s->locks && awaits_index(c, true));
    if (k != CXCursor_ForStmt)
        return false;
    parts = children_of(c);
    counted = is_counted(c);
    return (counted ? touches(parts.all[1], s->locks) || touches(parts.all[2], s->locks)
                    : touches(c, s->locks)) ||
           (!s->locks && awaits_index(c, !counted));
}

/* A function that calls itself goes on until something has changed, as a loop does.  From the
   innermost one that is looked at to the one that is called again any may decide. */
static bool calls_again(const search *s, CXCursor body)
{
    const search *first = s;

    while (s && !clang_equalCursors(s->root, body))
        s = s->caller;
    for (const search *one = first; s && one != s->caller; one = one->caller)
        if (touches(one->root, s->locks) || (!s->locks && recurs_by_another(one->root)))
            return true;
    return false;
}

/* Many classes have an operator of one name: it is taken for another one's. */
static bool is_operator_name(CXCursor c)
{
    return begins(cursor_name(c), "operator") || !*cursor_name(c) || *cursor_name(c) == '(';
}

static enum CXChildVisitResult seek(CXCursor c, CXCursor parent, CXClientData data)
{
    search *s = data;
    cursors bodies = { NULL, 0 };

    (void)parent;
    if (may_wait(c, s) || is_wait(c))
        s->found = c;
    else if (clang_getCursorKind(c) == CXCursor_CallExpr)
        bodies = bodies_of(c);
    for (int i = 0; i < bodies.count && clang_Cursor_isNull(s->found); i++)
        if (!is_operator_name(c) && calls_again(s, bodies.all[i]))
            s->found = c;
        else if (is_new(s->looked, bodies.all[i])) {
            search in = *s;

            in.caller = s;
            in.root = bodies.all[i];
            clang_visitChildren(bodies.all[i], seek, &in);
            s->found = in.found;
        }
    return clang_Cursor_isNull(s->found) ? CXChildVisit_Recurse : CXChildVisit_Break;
}

/* others: what is waited for, "thread" or "index". */
const char *why_waiting(int n, bool locks, const char *others)
{
    cursors looked = { NULL, 0 };
    search s = { NULL, nodes[n].cursor, locks, &looked, clang_getNullCursor() };
    unsigned at, line, column;

    if (seek(nodes[n].cursor, nodes[n].cursor, &s) == CXChildVisit_Recurse)
        clang_visitChildren(nodes[n].cursor, seek, &s);
    if (clang_Cursor_isNull(s.found))
        return NULL;
    if (clang_getCursorKind(s.found) == CXCursor_CallExpr)
        return format("%s() is called: %s %s may wait for another one", cursor_name(s.found),
                      strcmp(others, "index") == 0 ? "an" : "a", others);
    if (!in_this_file(s.found, &at))
        return format("a loop in an included file may wait for another %s", others);
    place_of(at, &line, &column);
    return format("the loop in line %u may wait for another %s", line, others);
}
