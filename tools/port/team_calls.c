/*
 * team_calls.c - what a thread of a region calls: does it wait for another one?
 *
 * SPDX-License-Identifier: MIT
 */
#include "team.h"

#include <string.h>

/* ---- what a thread calls ---- */

typedef struct looked {
    CXCursor at; /* a function, or a member with a first value */
    const unnamed_list *list; /* of a class */
    bool open; /* what it calls is being looked at */
} looked;

static looked *looked_at;
static int looked_count;
static bool atomics, recursive; /* seen so far */
static const char *hidden; /* what a function hides */

/* Functions of the system that wait, or jump. */
static bool waits(const char *name)
{
    static const char *const all[] = { "pthread_", "sem_", "mtx_", "cnd_", "thrd_", "MPI_",
                                       "sched_yield", "atomic_", "call_once", "setjmp", "longjmp",
                                       "_setjmp", "sigsetjmp", "fork", "sleep", "usleep", "nanosleep",
                                       "clock_nanosleep", "pause", "poll", "select", "sigwait",
                                       "yield", "omp_set_lock", "omp_test",
                                       "omp_set_nest", NULL };
    /* of what another thread may have to write first */
    static const char *const whole[] = { "read", "readv", "recv", "recvfrom", "recvmsg", "accept",
                                         "accept4", "mq_receive", "msgrcv", "semop", NULL };

    for (int i = 0; all[i]; i++)
        if (begins(name, all[i]))
            return true;
    for (int i = 0; whole[i]; i++)
        if (strcmp(name, whole[i]) == 0)
            return true;
    return false;
}

/* Calls of the kernel that may wait for what another thread does. */
static bool blocks(CXCursor function)
{
    static const char *const all[] = {
        "read", "write", "readv", "writev", "recv", "recvfrom", "recvmsg", "recvmmsg", "send",
        "sendto", "sendmsg", "sendmmsg", "accept", "accept4", "connect", "wait", "wait3",
        "wait4", "waitid", "waitpid", "syscall", "flock", "lockf", "fcntl", "ioctl", "splice",
        "sendfile", "epoll_wait", "epoll_pwait", "ppoll", "pselect", "eventfd_read", "msgrcv",
        "msgsnd", "mq_receive", "mq_send", "mq_timedreceive", "mq_timedsend", "semop", "semtimedop",
        "sigsuspend", "sigtimedwait", "sigwaitinfo", NULL
    };
    char *name = cursor_name(function);

    if (clang_getCursorKind(function) != CXCursor_FunctionDecl ||
        !clang_Location_isInSystemHeader(clang_getCursorLocation(function)))
        return false;
    for (int i = 0; all[i]; i++)
        if (strcmp(name, all[i]) == 0)
            return true;
    return false;
}

static enum CXChildVisitResult look(CXCursor c, CXCursor parent, CXClientData data);

static bool is_new(CXCursor c, const unnamed_list *list)
{
    for (int i = 0; i < looked_count; i++)
        if (list ? looked_at[i].list == list : clang_equalCursors(looked_at[i].at, c)) {
            recursive |= looked_at[i].open;
            return false;
        }
    looked_at = grow(looked_at, (size_t)(looked_count + 1) * sizeof *looked_at);
    looked_at[looked_count++] = (looked){ c, list, false };
    return true;
}

static const char *uncertain(const char *name)
{
    return format("%s%sis called: which function that is is not certain", name,
                  *name ? "() " : "something ");
}

/* A directive in its text that is more than a critical section or an atomic statement. */
static const directive *construct_in(CXCursor body)
{
    range r;

    if (!text_in_this_file(body, &r))
        return NULL;
    for (int i = 0; i < directive_count; i++) {
        const directive *d = &directives[i];

        if (d->lo >= r.lo && d->lo < r.hi && !d->simple &&
            !(d->done && (d->words == W_CRITICAL || d->words == W_ATOMIC)))
            return d;
    }
    return NULL;
}

bool is_in_tweeds_header(CXCursor c)
{
    CXFile in;
    CXString s;
    bool is;

    clang_getFileLocation(clang_getCursorLocation(c), &in, NULL, NULL, NULL);
    s = clang_getFileName(in);
    is = in && strstr(clang_getCString(s), "/include/tweed") != NULL;
    clang_disposeString(s);
    return is;
}

/* By its header, and not by its name alone. */
static bool is_tweeds(CXCursor function)
{
    return begins(cursor_name(function), "tweed_") && is_in_tweeds_header(function);
}

static void look_into(CXCursor function)
{
    CXCursor body, other;
    char *name = cursor_name(function);
    const directive *d;
    int number = looked_count;

    if (waits(name) || blocks(function)) {
        hidden = format("%s() is called: a thread may wait for another one", name);
        return;
    }
    if (strstr(name, "_tweed_start")) { /* of an earlier run: it was a pragma */
        hidden = "tasks of tweed are run in it";
        return;
    }
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(function)) ||
        begins(name, "__builtin_") || begins(name, "__sync_") || begins(name, "omp_get_") ||
        is_tweeds(function))
        return;
    body = definition_of(function);
    if (clang_Cursor_isNull(body)) {
        hidden = format("%s() is called, which is defined elsewhere", name);
        return;
    }
    if (!is_new(body, NULL))
        return;
    d = construct_in(body);
    if (d) {
        hidden = format("%s() is called, which has `%s` in it", name, token_text(d->first));
        return;
    }
    if (has_outside(body)) {
        hidden = format("%s() is called, which has OpenMP in it", name);
        return;
    }
    looked_at[number].open = true;
    clang_visitChildren(body, look, NULL);
    looked_at[number].open = false;
    if (clang_getCursorKind(function) == CXCursor_FunctionTemplate)
        for (int at = 0; !hidden && next_other(function, &at, &other);)
            look_into(other);
}

/* ---- how objects end ---- */

static void look_at_operators(CXType type);
static void look_at_class(CXType type);

/* A pointer to the type is deleted: the object may be of a derived class. */
static void look_at_end(CXType type)
{
    if (clang_getCanonicalType(type).kind != CXType_Record)
        return;
    if (has_virtual_end(type))
        hidden = uncertain(format("~%s", cursor_name(clang_getTypeDeclaration(
                                             clang_getCanonicalType(type)))));
    else
        look_at_class(type);
}

static void look_at_unnamed(const unnamed *u)
{
    if (u->kind == BEGINS_OR_ENDS)
        look_into(u->cursor);
    else if (u->kind == POINTED_AT)
        look_at_end(u->type);
    else if (u->kind == MEMBER && is_new(u->cursor, NULL))
        clang_visitChildren(u->cursor, look, NULL);
}

static void look_at_class(CXType type)
{
    const unnamed_list *list = unnamed_of(type, false);

    if (!list->count || !is_new(clang_getNullCursor(), list))
        return;
    for (int i = 0; i < list->count && !hidden; i++)
        look_at_unnamed(&list->all[i]);
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
bool is_of_library(CXCursor c)
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

/* A copy of an object that is made for it alone: compilers leave it out, and libclang names
   no constructor. */
static bool is_left_out(CXCursor c)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(c));
    CXCursor from = clang_getNullCursor();

    clang_visitChildren(c, first_child, &from);
    return type.kind == CXType_Record && !*cursor_name(c) && !clang_Cursor_isNull(from) &&
           clang_isExpression(clang_getCursorKind(from)) &&
           clang_equalTypes(type, clang_getCanonicalType(clang_getCursorType(from)));
}

/* Classes of the library whose operator() calls nothing that it was given. */
static bool is_closed(CXCursor method)
{
    static const char *const ends[] = { "_distribution", "_engine", "hash", "less", "greater",
                                        "less_equal", "greater_equal", "equal_to",
                                        "not_equal_to", "plus", "minus", "multiplies", "divides",
                                        "modulus", "negate", "logical_and", "logical_or",
                                        "logical_not", "bit_and", "bit_or", "bit_xor", NULL };
    char *name = cursor_name(clang_getCursorSemanticParent(method));

    for (int i = 0; ends[i]; i++)
        if (ends_with(name, ends[i]))
            return true;
    return false;
}

static enum CXChildVisitResult look_at_operator(CXCursor c, CXCursor parent, CXClientData data)
{
    enum CXCursorKind k = clang_getCursorKind(c);

    (void)parent;
    (void)data;
    if (k == CXCursor_FunctionTemplate || k == CXCursor_CXXMethod ||
        k == CXCursor_ConversionFunction) {
        if (begins(cursor_name(c), "operator") && !calls_another(c, c))
            look_into(c);
        else if (begins(cursor_name(c), "operator"))
            hidden = uncertain(cursor_name(c));
    } else if (k == CXCursor_CXXBaseSpecifier)
        look_at_operators(clang_getCursorType(c));
    return hidden ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* A function of the system may call them. */
static void look_at_operators(CXType type)
{
    CXCursor decl = own_class(type);

    if (holds_function(type))
        hidden = uncertain("operator()");
    else if (!clang_Cursor_isNull(decl))
        clang_visitChildren(decl, look_at_operator, NULL);
}

/* What a function of the system is given, and may call. */
static void look_at_argument(CXCursor c)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(c)), to;
    CXCursor one = clang_getCursorReferenced(c);

    if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference)
        type = clang_getCanonicalType(clang_getPointeeType(type));
    if (type.kind == CXType_Record) {
        look_at_operators(type);
        return;
    }
    to = type.kind == CXType_Pointer ? clang_getCanonicalType(clang_getPointeeType(type)) : type;
    if (to.kind != CXType_FunctionProto && to.kind != CXType_FunctionNoProto)
        return;
    while (clang_Cursor_isNull(one)) {
        CXCursor next = clang_getNullCursor();

        clang_visitChildren(c, first_child, &next);
        if (clang_Cursor_isNull(next))
            break;
        c = next;
        one = clang_getCursorReferenced(c);
    }
    if (clang_Cursor_isNull(one) || clang_getCursorKind(c) == CXCursor_CallExpr)
        hidden = uncertain("");
    else if (clang_getCursorKind(one) == CXCursor_FunctionDecl ||
             clang_getCursorKind(one) == CXCursor_CXXMethod ||
             clang_getCursorKind(one) == CXCursor_FunctionTemplate)
        look_into(one);
    else
        hidden = uncertain(cursor_name(one));
}

static void look_at_given(CXCursor called, CXCursor to)
{
    if (!clang_Location_isInSystemHeader(clang_getCursorLocation(to)))
        return;
    if (clang_getCursorKind(to) == CXCursor_CXXMethod &&
        strcmp(cursor_name(to), "operator()") == 0 && !is_closed(to))
        hidden = uncertain("operator()");
    for (int i = 0, n = clang_Cursor_getNumArguments(called); i < n && !hidden; i++)
        look_at_argument(clang_Cursor_getArgument(called, (unsigned)i));
}

/* What no text of it shows. */
static void look_at_statement(CXCursor c)
{
    CXCursor function;
    range in;
    int at = 0;

    if (has_initialiser(c, &in))
        hidden = "a switch, or a loop over a range, that begins with an initialiser";
    while (!hidden && next_of_range(c, &at, &function))
        look_into(function);
}

static void look_at(CXCursor c)
{
    enum CXCursorKind k = clang_getCursorKind(c);
    CXCursor to;

    look_at_statement(c);
    if (hidden)
        return;
    atomics |= is_atomic_operation(c);
    if (is_cxx && (k == CXCursor_VarDecl || k == CXCursor_CallExpr))
        look_at_class(clang_getCursorType(c));
    if (hidden)
        return;
    if (k == CXCursor_CXXDeleteExpr)
        look_at_end(deleted_type(c));
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
            k == CXCursor_ConversionFunction) {
            if (calls_another(c, to))
                hidden = uncertain(cursor_name(to));
            else
                look_into(to);
            if (!hidden)
                look_at_given(c, to);
        } else if (!is_of_library(c) && !is_left_out(c) && !is_plain_operator(c))
            hidden = uncertain(cursor_name(c));
    }
}

static enum CXChildVisitResult look(CXCursor c, CXCursor parent, CXClientData data)
{
    (void)parent;
    (void)data;
    look_at(c);
    return hidden ? CXChildVisit_Break : CXChildVisit_Recurse;
}

const char *why_thread_waits(int statement)
{
    hidden = NULL;
    atomics = recursive = false;
    looked_count = 0;
    for (int n = statement; n < nodes[statement].end && !hidden; n++)
        look_at(nodes[n].cursor);
    if (!hidden && atomics && recursive)
        hidden = "a function that calls itself may wait for another thread";
    return hidden ? hidden : why_waiting(statement, true, "thread");
}

const char *why_hidden(const team *t)
{
    return why_thread_waits(t->statement);
}
