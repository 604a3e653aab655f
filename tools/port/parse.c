/*
 * parse.c - the file is read, and parsed by libclang with the flags of its compiler.
 *
 * SPDX-License-Identifier: MIT
 *
 * OpenMP is off while the file is parsed: pragmas are tokens, and the tree has the loops as
 * they are written.  _OPENMP is defined, so that the code for it is what is read.
 */
#include "port.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *path, *source;
unsigned source_size;
bool is_cxx;
CXTranslationUnit unit;

static bool strict; /* in C: the file has none of what compilers let pass with a warning */
static CXIndex session;
static const char **arguments;
static int argument_count;

/* What omp.h declares, where the compiler has none. */
const char omp_header[] =
    "#ifndef OMP_H_OF_TWEED_PORT\n#define OMP_H_OF_TWEED_PORT\n"
    "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
    "typedef struct { void *p[4]; } omp_lock_t, omp_nest_lock_t;\n"
    "typedef enum { omp_sched_static = 1, omp_sched_dynamic, omp_sched_guided, omp_sched_auto }"
    " omp_sched_t;\n"
    "int omp_get_thread_num(void), omp_get_num_threads(void), omp_get_max_threads(void),"
    " omp_get_num_procs(void), omp_in_parallel(void), omp_get_dynamic(void),"
    " omp_get_nested(void), omp_get_level(void), omp_get_thread_limit(void),"
    " omp_get_max_active_levels(void), omp_get_active_level(void), omp_get_team_size(int),"
    " omp_get_ancestor_thread_num(int), omp_in_final(void), omp_get_num_teams(void),"
    " omp_get_team_num(void), omp_get_num_devices(void), omp_is_initial_device(void),"
    " omp_get_default_device(void), omp_test_lock(omp_lock_t *),"
    " omp_test_nest_lock(omp_nest_lock_t *);\n"
    "double omp_get_wtime(void), omp_get_wtick(void);\n"
    "void omp_set_num_threads(int), omp_set_dynamic(int), omp_set_nested(int),"
    " omp_set_max_active_levels(int), omp_set_schedule(omp_sched_t, int),"
    " omp_get_schedule(omp_sched_t *, int *), omp_init_lock(omp_lock_t *),"
    " omp_destroy_lock(omp_lock_t *), omp_set_lock(omp_lock_t *), omp_unset_lock(omp_lock_t *),"
    " omp_init_nest_lock(omp_nest_lock_t *), omp_destroy_nest_lock(omp_nest_lock_t *),"
    " omp_set_nest_lock(omp_nest_lock_t *), omp_unset_nest_lock(omp_nest_lock_t *),"
    " omp_set_default_device(int);\n"
    "#ifdef __cplusplus\n}\n#endif\n#endif\n";

bool read_source(const char *name)
{
    FILE *f = fopen(name, "rb");
    text t = { 0 };
    char block[65536];
    size_t n;

    if (!f) {
        fprintf(stderr, "tweed-port: %s: %s\n", name, strerror(errno));
        return false;
    }
    text_add(&t, "");
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        text_bytes(&t, block, n);
    if (ferror(f)) {
        fprintf(stderr, "tweed-port: %s: %s\n", name, strerror(errno));
        fclose(f);
        return false;
    }
    fclose(f);
    path = name;
    source = t.s;
    source_size = (unsigned)t.n;
    return true;
}

static bool is_cxx_name(const char *name)
{
    static const char *const ends[] = { ".cc", ".cpp", ".cxx", ".C", ".c++", ".hpp",
                                        ".hh", ".hxx", ".H", NULL };

    for (int i = 0; ends[i]; i++)
        if (ends_with(name, ends[i]))
            return true;
    return false;
}

static void add_argument(const char *a)
{
    arguments = grow(arguments, (size_t)(argument_count + 2) * sizeof *arguments);
    arguments[argument_count++] = a;
    arguments[argument_count] = NULL;
}

static void make_arguments(int argc, char **argv)
{
    bool named = false;

    is_cxx = is_cxx_name(path);
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "-std=c++", 8) == 0 || strncmp(argv[i], "-std=gnu++", 10) == 0)
            is_cxx = true;
        if (strncmp(argv[i], "-xc", 3) == 0 || strcmp(argv[i], "-x") == 0)
            named = true;
        if (strcmp(argv[i], "-xc++") == 0 ||
            (strcmp(argv[i], "-x") == 0 && i + 1 < argc && strcmp(argv[i + 1], "c++") == 0))
            is_cxx = true;
        if (strncmp(argv[i], "-fopenmp", 8) != 0)
            add_argument(argv[i]);
    }
    if (!named)
        add_argument(is_cxx ? "-xc++" : "-xc");
    add_argument("-D_OPENMP=201511");
    add_argument("-Wno-everything");
    add_argument("-idirafter");
    add_argument(TWEED_INCLUDEDIR);
    add_argument("-idirafter");
    add_argument("/");
}

/* The first error; NULL: none. */
static char *first_error(CXTranslationUnit u, bool print, unsigned *at)
{
    char *found = NULL;

    for (unsigned i = 0; i < clang_getNumDiagnostics(u); i++) {
        CXDiagnostic d = clang_getDiagnostic(u, i);

        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            CXString s = print ? clang_formatDiagnostic(d, CXDiagnostic_DisplaySourceLocation |
                                                               CXDiagnostic_DisplayColumn)
                               : clang_getDiagnosticSpelling(d);
            CXFile in;

            if (print)
                fprintf(stderr, "%s\n", clang_getCString(s));
            if (!found) {
                found = copy_bytes(clang_getCString(s), strlen(clang_getCString(s)));
                clang_getFileLocation(clang_getDiagnosticLocation(d), &in, NULL, NULL, at);
                if (!in || !clang_File_isEqual(in, clang_getFile(u, path)))
                    *at = NOWHERE;
            }
            clang_disposeString(s);
        }
        clang_disposeDiagnostic(d);
    }
    return found;
}

bool parse(int argc, char **argv)
{
    struct CXUnsavedFile omp = { "/omp.h", omp_header, strlen(omp_header) };
    unsigned at;

    make_arguments(argc, argv);
    session = clang_createIndex(0, 0);
    if (clang_parseTranslationUnit2(session, path, arguments, argument_count, &omp, 1,
                                    CXTranslationUnit_DetailedPreprocessingRecord,
                                    &unit) != CXError_Success) {
        fprintf(stderr, "tweed-port: %s cannot be parsed\n", path);
        return false;
    }
    if (first_error(unit, true, &at)) {
        fprintf(stderr, "tweed-port: %s does not compile: compiler flags go behind --\n", path);
        return false;
    }
    read_tree(clang_getFile(unit, path));
    strict = !is_cxx;
    if (strict) /* is it? */
        strict = check_text(&(text){ .s = (char *)(size_t)source, .n = source_size }, true, &at) ==
                 NULL;
    return true;
}

/* left: some of it is OpenMP's still, and _OPENMP defined. */
const char *check_text(const text *t, bool left, unsigned *at)
{
    const char **given = grow(NULL, (size_t)(argument_count + 4) * sizeof *given);
    int count = 0;

    struct CXUnsavedFile both[2] = { { "/omp.h", omp_header, strlen(omp_header) },
                                     { path, t->s, t->n } };
    CXTranslationUnit u;
    char *found;

    for (int i = 0; i < argument_count; i++)
        if (left || strcmp(arguments[i], "-D_OPENMP=201511") != 0)
            given[count++] = arguments[i];
    if (strict) {
        given[count++] = "-Werror=implicit-function-declaration";
        given[count++] = "-Werror=incompatible-pointer-types";
        given[count++] = "-Werror=int-conversion";
    }
    if (clang_parseTranslationUnit2(session, path, given, count, both, 2, 0,
                                    &u) != CXError_Success)
        return "cannot be parsed";
    found = first_error(u, false, at);
    clang_disposeTranslationUnit(u);
    return found;
}
