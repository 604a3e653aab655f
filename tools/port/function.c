/*
 * function.c - calls of OpenMP's functions, tests of _OPENMP, and omp.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <string.h>

call *calls;
int call_count;

#define BOTH "#ifdef _OPENMP /* tweed-port: some loops are OpenMP's */\n"

static const char both[] = "\n" BOTH "#include <omp.h>\n#endif\n";
/* Where the thread is in none of tweed's loops it may be in a region of another file. */
static const char thread_num[] =
    "\n/* omp_get_thread_num() */\n"
    "static inline int port_thread_num(void)\n{\n"
    "    int worker = tweed_worker_index();\n\n"
    BOTH
    "    if (worker < 0)\n        return omp_get_thread_num();\n"
    "#endif\n"
    "    return worker < 0 ? 0 : worker;\n}\n";
static const char num_threads[] =
    "\n/* omp_get_num_threads() */\n"
    "static inline int port_num_threads(void)\n{\n"
    BOTH
    "    if (tweed_worker_index() < 0)\n        return omp_get_num_threads();\n"
    "#endif\n"
    "    return tweed_worker_index() < 0 ? 1 : tweed_pool_num_workers(NULL);\n}\n";
static const char max_threads_both[] =
    "\n/* omp_get_max_threads() */\n"
    "static inline int port_max_threads(void)\n{\n"
    "    int most = tweed_pool_num_workers(NULL);\n\n"
    BOTH
    "    if (omp_get_max_threads() > most)\n        return omp_get_max_threads();\n"
    "#endif\n"
    "    return most;\n}\n";
static const char set_num_threads[] =
    "\n/* omp_set_num_threads() */\n"
    "static inline void port_set_num_threads(int n)\n{\n"
    "    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;\n\n"
    "    o.num_workers = n;\n"
    "    if (tweed_pool_num_workers(NULL) != n) {\n"
    "        (void)tweed_default_pool_shutdown();\n"
    "        if (tweed_default_pool_configure(&o))\n            o.num_workers = 0;\n"
    "    }\n}\n";
static const char set_num_threads_both[] =
    "\n/* omp_set_num_threads() */\n"
    "static inline void port_set_num_threads(int n)\n{\n"
    "    tweed_pool_options o = TWEED_POOL_OPTIONS_INIT;\n\n"
    "    o.num_workers = n;\n"
    "    if (tweed_pool_num_workers(NULL) != n) {\n"
    "        (void)tweed_default_pool_shutdown();\n"
    "        if (tweed_default_pool_configure(&o))\n            o.num_workers = 0;\n"
    "    }\n"
    BOTH
    "    omp_set_num_threads(n);\n"
    "#endif\n}\n";
static const char wtime[] =
    "\n#include <time.h>\n\n/* omp_get_wtime() */\n"
    "static inline double port_wtime(void)\n{\n"
    "    struct timespec t;\n\n"
    "    clock_gettime(CLOCK_MONOTONIC, &t);\n"
    "    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;\n}\n";

static const struct {
    const char *name, *instead, *helper;
    const char *instead_both, *helper_both; /* where some loops are left to OpenMP */
    bool empty; /* it takes nothing: the parentheses go, too */
} functions[] = {
    { "omp_get_thread_num", "port_thread_num()", thread_num, "port_thread_num()",
      thread_num, true },
    { "omp_get_num_threads", "port_num_threads()", num_threads, "port_num_threads()",
      num_threads, true },
    { "omp_get_max_threads", "tweed_pool_num_workers(NULL)", NULL, "port_max_threads()",
      max_threads_both, true },
    { "omp_get_num_procs", "tweed_pool_num_workers(NULL)", NULL, NULL, NULL, true },
    { "omp_get_thread_limit", "tweed_pool_num_workers(NULL)", NULL, NULL, NULL, true },
    { "omp_in_parallel", "(tweed_worker_index() >= 0)", NULL, NULL, NULL, true },
    { "omp_get_wtime", "port_wtime()", wtime, "port_wtime()", wtime, true },
    { "omp_set_num_threads", "port_set_num_threads", set_num_threads, "port_set_num_threads",
      set_num_threads_both, false },
    { "omp_set_dynamic", "(void)", NULL, NULL, NULL, false },
    { "omp_set_nested", "(void)", NULL, NULL, NULL, false },
    { "omp_set_max_active_levels", "(void)", NULL, NULL, NULL, false },
};

/* A name that begins so may be the program's own. */
static bool is_in_header(const char *name)
{
    size_t n = strlen(name);

    for (const char *s = omp_header; (s = strstr(s, name)) != NULL; s += n)
        if ((s[-1] == ' ' || s[-1] == '*') && strchr("(, );", s[n]))
            return true;
    return false;
}

static bool is_omp_name(int t)
{
    return tokens[t].kind == CXToken_Identifier && !tokens[t].in_directive &&
           strncmp(source + tokens[t].lo, "omp_", 4) == 0 && is_in_header(token_text(t));
}

/* Of an earlier run, in this file or in an included one: it stands behind the name of what it is
   in the place of. */
bool is_helper(CXCursor function)
{
    CXFile in;
    unsigned at, first;
    size_t size;
    const char *s;

    if (!begins(cursor_name(function), "port_"))
        return false;
    clang_getFileLocation(clang_getRangeStart(clang_getCursorExtent(function)), &in, NULL, NULL,
                          &at);
    s = in ? clang_getFileContents(unit, in, &size) : NULL;
    if (!s || at < 6 || at > size || memcmp(s + at - 6, "() */\n", 6) != 0)
        return false;
    for (first = at - 1; first > 0 && s[first - 1] != '\n'; first--)
        ;
    return begins(s + first, "/* omp_");
}

static bool is_ours(unsigned at)
{
    int f = function_of(at);

    return f >= 0 && is_helper(nodes[f].cursor);
}

static enum CXChildVisitResult find_helper(CXCursor c, CXCursor parent, CXClientData data)
{
    const char *name = data;

    (void)parent;
    return clang_getCursorKind(c) == CXCursor_FunctionDecl && strcmp(cursor_name(c), name) == 0 &&
                   is_helper(c)
               ? CXChildVisit_Break : CXChildVisit_Continue;
}

static bool has_helper(char *name)
{
    return clang_visitChildren(clang_getTranslationUnitCursor(unit), find_helper, name) != 0;
}

static bool names_openmp(int t)
{
    return token_is(t, "_OPENMP");
}

void find_calls(void)
{
    for (int t = 0; t < token_count; t++)
        if ((is_omp_name(t) && !is_ours(tokens[t].lo)) || names_openmp(t)) {
            calls = grow(calls, (size_t)(call_count + 1) * sizeof *calls);
            calls[call_count++] = (call){ .token = t };
        }
}

/* Is it a statement by itself? */
static bool is_statement(int t)
{
    return token_is(t - 1, ";") || token_is(t - 1, "{") || token_is(t - 1, "}") ||
           token_is(t - 1, ")") || tokens[t - 1].in_directive ||
           tokens[t - 1].kind == CXToken_Comment;
}

static bool refuse(call *c, const char *why)
{
    c->reason = why;
    return false;
}

/* In a parallel region that becomes tweed's? */
static bool is_in_ported(unsigned at, bool left)
{
    for (int i = 0; i < directive_count; i++) {
        int s = directives[i].statement;

        if ((directives[i].words & W_PARALLEL) && s >= 0 && nodes[s].lo <= at &&
            at < nodes[s].hi && (!left || directives[i].was_done))
            return true;
    }
    return false;
}

/* The innermost region around stays OpenMP's: its threads have OpenMP's numbers, also where a
   worker of tweed's has come to it. */
static bool is_in_left(unsigned at)
{
    const directive *in = NULL;

    for (int i = 0; i < directive_count; i++) {
        int s = directives[i].statement;

        if ((directives[i].words & W_PARALLEL) && s >= 0 && nodes[s].lo <= at &&
            at < statement_end(s))
            in = &directives[i];
    }
    return in && is_left(in);
}

static bool port_call(call *c, int owner, bool left)
{
    int t = c->token;

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const char *instead = left ? functions[i].instead_both : functions[i].instead;
        /* of two headers that meet one has the helper for both */
        const char *helper = left || (functions[i].helper && is_header())
                                 ? functions[i].helper_both : functions[i].helper;
        char *name = instead ? copy_bytes(instead, strcspn(instead, "(")) : NULL;

        if (!token_is(t, functions[i].name))
            continue;
        if (is_skipped(tokens[t].lo, tokens[t].hi))
            return refuse(c, "in code that this configuration leaves out");
        if (!instead)
            return refuse(c, format("%s() is called, and some pragmas are left alone",
                                    functions[i].name));
        if (!token_is(t + 1, "(") || (functions[i].empty && !token_is(t + 2, ")")))
            return refuse(c, format("%s is not called here", functions[i].name));
        if (!functions[i].empty && !is_statement(t))
            return refuse(c, format("%s() is no statement", functions[i].name));
        if (i < 2 && is_in_left(tokens[t].lo))
            return true;
        if (i == 1 && is_in_ported(tokens[t].lo, left)) { /* of the team */
            instead = "tweed_pool_num_workers(NULL)";
            helper = NULL;
        }
        if (helper && name_is_used(name) && !has_helper(name))
            return refuse(c, format("the program has a %s of its own", name));
        if (helper && !name_is_used(name)) {
            if (strstr(helper, BOTH))
                need("both", both);
            need(functions[i].name, helper);
            c->helper = helper;
        }
        add_edit(tokens[t].lo, functions[i].empty ? tokens[t + 2].hi : tokens[t].hi, instead,
                 owner);
        return true;
    }
    return refuse(c, format("%s: tweed has no such thing", token_text(t)));
}

/* A test of _OPENMP asks for tweed instead. */
static bool port_test(call *c, int owner)
{
    int t = c->token, first = t, past = t;

    while (first > 0 && tokens[first - 1].in_directive && !token_is(first, "#"))
        first--;
    while (past < token_count && tokens[past].in_directive && !token_is(past, "#"))
        past++;
    if (!tokens[t].in_directive)
        return refuse(c, "_OPENMP outside of a directive");
    if (tokens[t].lo < features_end())
        return refuse(c, "a macro that headers look at is defined behind it");
    for (int k = first; k < past; k++)
        if (tokens[k].kind == CXToken_Comment && strstr(token_text(k), "tweed-port"))
            return true;
    if (token_is(t - 1, "ifdef") || token_is(t - 1, "ifndef") || token_is(t - 1, "defined") ||
        (token_is(t - 1, "(") && token_is(t - 2, "defined"))) {
        add_edit(tokens[t].lo, tokens[t].hi, "TWEED_VERSION", owner);
        return true;
    }
    if (token_is(t - 1, "if") && (t + 1 >= past || tokens[t + 1].kind == CXToken_Comment)) {
        add_edit(tokens[t].lo, tokens[t].hi, "defined TWEED_VERSION", owner);
        return true;
    }
    return refuse(c, "_OPENMP is more than tested for");
}

/* Before the loops, whose bodies are rendered with it. */
void port_calls(bool left)
{
    for (int i = 0; i < call_count; i++) {
        call *c = &calls[i];
        int owner = directive_count + i;

        c->reason = c->barred;
        c->taken = false;
        c->helper = NULL;
        c->done = !c->barred && (names_openmp(c->token) ? port_test(c, owner)
                                                        : port_call(c, owner, left));
    }
}

bool is_call_needed(const char *key)
{
    bool known = strcmp(key, "both") == 0;

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        known |= strcmp(key, functions[i].name) == 0;
    for (int i = 0; i < call_count && known; i++)
        if (calls[i].done && !calls[i].taken && calls[i].helper &&
            (strcmp(key, "both") == 0 || token_is(calls[i].token, key)))
            return true;
    return !known;
}

/* A header does not compile: no test of _OPENMP is changed. */
bool bar_tests(const char *why)
{
    bool any = false;

    for (int i = 0; i < call_count; i++)
        if (names_openmp(calls[i].token) && !calls[i].barred) {
            calls[i].barred = format("what becomes of the test of _OPENMP would not compile: %s",
                                     why);
            any = true;
        }
    return any;
}

bool calls_are_done(void)
{
    for (int i = 0; i < call_count; i++)
        if (!calls[i].done)
            return false;
    return true;
}
