/*
 * task_names.c - in C++: functions by their names, and who calls whom.
 *
 * SPDX-License-Identifier: MIT
 */
#include "task_cxx.h"

#include <string.h>

bool is_function_node(int n)
{
    return node_is(n, CXCursor_FunctionDecl) || node_is(n, CXCursor_CXXMethod) ||
           node_is(n, CXCursor_FunctionTemplate) || node_is(n, CXCursor_Constructor) ||
           node_is(n, CXCursor_Destructor) || node_is(n, CXCursor_ConversionFunction);
}

int *all_functions; /* nodes */
int function_count;
static char **node_names; /* by node; NULL: it names no function */

static char *short_name(int n)
{
    char *name = cursor_name(nodes[n].cursor);

    if (strncmp(name, "operator", 8) != 0)
        name[strcspn(name, "<")] = 0;
    return name;
}

void read_names(void)
{
    if (node_names)
        return;
    node_names = grow(NULL, (size_t)(node_count + 1) * sizeof *node_names);
    all_functions = grow(NULL, (size_t)(node_count + 1) * sizeof *all_functions);
    for (int n = 0; n < node_count; n++) {
        enum CXCursorKind k = nodes[n].kind;
        bool names = k == CXCursor_DeclRefExpr || k == CXCursor_MemberRefExpr ||
                     k == CXCursor_CallExpr || k == CXCursor_OverloadedDeclRef ||
                     k == CXCursor_MemberRef;

        node_names[n] = names || is_function_node(n) ? short_name(n) : NULL;
        if (is_function_node(n))
            all_functions[function_count++] = n;
    }
}

/* A template's calls are to no certain function.  One of the name is taken for it. */
bool names_function(int n, int function)
{
    read_names();
    return node_names[n] && *node_names[n] && !is_function_node(n) &&
           strcmp(node_names[n], node_names[function]) == 0;
}

bool reaches_cxx(unsigned lo, unsigned hi, bool *visited)
{
    read_names();
    for (int i = 0; i < directive_count; i++)
        if (directives[i].words == W_TASK && directives[i].lo >= lo && directives[i].lo < hi)
            return true;
    for (int n = 0; n < node_count; n++)
        for (int i = 0; nodes[n].lo >= lo && nodes[n].lo < hi && i < function_count; i++) {
            int f = all_functions[i];

            if (visited[f] || !names_function(n, f))
                continue;
            visited[f] = true;
            if (reaches_cxx(nodes[f].lo, nodes[f].hi, visited))
                return true;
        }
    return false;
}

/* Around a lambda: the function that it stands in. */
int named_function_of(unsigned at)
{
    int f = function_of(at);

    while (f >= 0 && !is_function_node(f))
        f = nodes[f].parent;
    return f;
}

bool is_named_alone(int function, bool *visited)
{
    if (visited[function])
        return false;
    visited[function] = true;
    for (int n = 0; n < node_count; n++) {
        int from;

        if (!names_function(n, function) ||
            construct_around(nodes[n].lo, W_PARALLEL | W_TASK) >= 0)
            continue;
        from = named_function_of(nodes[n].lo);
        if (from == function)
            continue;
        if (from < 0 || strcmp(cursor_name(nodes[from].cursor), "main") == 0 ||
            is_named_alone(from, visited))
            return true;
    }
    return false;
}
