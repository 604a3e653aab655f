/*
 * capture.c - what a piece of text does to variables, and what keeps it where it is.
 *
 * SPDX-License-Identifier: MIT
 */
#include "port.h"

#include <stdlib.h>
#include <string.h>

/*
 * How a name is used: the way up from it, as long as what is there is a part of the variable.
 * The tree has a cast where a value is read (UnexposedExpr); where there is none the variable
 * is assigned to, or its address is taken.
 */
unsigned how_used(int n)
{
    bool array = is_array(clang_getCursorType(nodes[n].cursor));
    int p = nodes[n].parent, child = n;

    for (;; child = p, p = nodes[p].parent) {
        if (p < 0)
            return USE_WRITE;
        switch ((int)nodes[p].kind) {
        case CXCursor_UnexposedExpr:
            if (is_dependent(clang_getCursorType(nodes[p].cursor)))
                return USE_WRITE; /* a template's argument says what is made of it */
            if (!is_array(clang_getCursorType(nodes[child].cursor)))
                return USE_READ;
            return child == n || array ? USE_READ : USE_WRITE;
        case CXCursor_ParenExpr:
            continue;
        case CXCursor_MemberRefExpr:
        case CXCursor_ArraySubscriptExpr:
            if (array)
                return USE_READ;
            continue;
        case CXCursor_UnaryExpr: /* sizeof */
            return array ? USE_WHOLE : USE_READ;
        case CXCursor_CStyleCastExpr:
            return clang_getCursorType(nodes[p].cursor).kind == CXType_Void ? USE_READ
                                                                            : USE_WRITE;
        default:
            return array ? USE_WHOLE : USE_WRITE;
        }
    }
}

unsigned use_of(const reference *r)
{
    if (r->node >= 0)
        return how_used(r->node);
    return is_array(variables[r->variable].type) ? USE_READ : USE_WRITE;
}

static use *add_use(use **all, int *count, int v)
{
    for (int i = 0; i < *count; i++)
        if ((*all)[i].variable == v)
            return &(*all)[i];
    *all = grow(*all, (size_t)(*count + 1) * sizeof **all);
    (*all)[*count] = (use){ .variable = v };
    return &(*all)[(*count)++];
}

int uses_in(unsigned lo, unsigned hi, use **all)
{
    int count = 0;

    *all = NULL;
    for (int i = 0; i < reference_count; i++) {
        const reference *r = &references[i];
        use *u;

        if (r->at < lo || r->at >= hi)
            continue;
        u = add_use(all, &count, r->variable);
        u->how |= use_of(r);
        if (!r->spelled)
            u->how |= USE_HIDDEN;
        u->inside = variables[r->variable].at >= lo && variables[r->variable].at < hi;
    }
    return count;
}

/* Functions of the system that neither keep a pointer nor wait for anybody. */
static bool is_known(CXCursor function)
{
    static const char *const known[] = {
        "sqrt", "exp", "log", "pow", "fabs", "sin", "cos", "tan", "fmin", "fmax", "floor",
        "ceil", "abs", "labs", "llabs", "atan", "atan2", "log2", "log10", "exp2", "round", "trunc",
        "fmod", "cbrt", "hypot", "asin", "acos", "sinh", "cosh", "tanh", "lround", "rint",
        "isnan", "isinf", "sqrtf", "expf", "logf", "powf", "fabsf", "sinf", "cosf", "fminf",
        "fmaxf", "floorf", "ceilf", "memcpy", "memset", "memmove", "strlen", "memcmp", "strcmp",
        "malloc", "free", "calloc", "printf", "fprintf", "abort", "exit", "rand_r", "max", "min",
        "__builtin_expect", "__builtin_huge_val", NULL
    };
    char *name = cursor_name(function);

    if (!clang_Location_isInSystemHeader(clang_getCursorLocation(function)) &&
        !begins(name, "__builtin_"))
        return false;
    for (int i = 0; known[i]; i++)
        if (strcmp(known[i], name) == 0)
            return true;
    return false;
}

/* Could another thread be waited for, or be told something, in this text? */
bool has_sync(unsigned lo, unsigned hi)
{
    for (int i = 0; i < directive_count; i++)
        if (directives[i].lo >= lo && directives[i].lo < hi &&
            (directives[i].words & (W_CRITICAL | W_ATOMIC | W_FLUSH | W_ORDERED)))
            return true;
    for (int n = 0; n < node_count; n++)
        if (nodes[n].lo >= lo && nodes[n].lo < hi &&
            (is_atomic_operation(nodes[n].cursor) ||
             (nodes[n].kind == CXCursor_CallExpr &&
              !is_known(clang_getCursorReferenced(nodes[n].cursor)))))
            return true;
    return false;
}

/* May what has this type be anything?  Characters may, and a type with an attribute. */
static bool is_any_type(CXType t)
{
    return is_attributed(clang_getTypeDeclaration(t)) || clang_Type_getSizeOf(t) == 1;
}

/* Is this assigned to by an address that may be one of this type? */
static bool is_alias(int n, CXType t)
{
    CXType to = clang_getCursorType(nodes[n].cursor);

    return !is_scalar(t) || !is_scalar(to) || is_any_type(to) ||
           is_floating(t) == is_floating(to);
}

/* A known function that is given numbers, or pointers by which it cannot write. */
static bool is_harmless_call(int n)
{
    CXCursor to = clang_getCursorReferenced(nodes[n].cursor);

    if (!is_known(clang_getCursorReferenced(nodes[n].cursor)) ||
        (!clang_Cursor_isNull(clang_getCursorDefinition(to)) &&
         !clang_Location_isInSystemHeader(clang_getCursorLocation(to))))
        return false;
    for (int c = nodes[n].child; c >= 0; c = nodes[c].next) {
        CXType t = clang_getCanonicalType(clang_getCursorType(nodes[c].cursor));

        if (c != nodes[n].child && !is_scalar(t) &&
            (t.kind != CXType_Pointer || !clang_isConstQualifiedType(clang_getPointeeType(t))))
            return false;
    }
    return true;
}

/* Is this no value?  A value that is read has a cast around it, whatever hides the operator. */
static bool is_place(int n)
{
    while (node_is(n, CXCursor_ParenExpr))
        n = nodes[n].child;
    if (node_is(n, CXCursor_UnaryOperator)) /* *p */
        return nodes[n].child >= 0 &&
               clang_getCanonicalType(clang_getCursorType(nodes[nodes[n].child].cursor)).kind ==
                   CXType_Pointer;
    return node_is(n, CXCursor_MemberRefExpr) || node_is(n, CXCursor_ArraySubscriptExpr);
}

bool may_change(unsigned lo, unsigned hi, CXType t)
{
    if (has_sync(lo, hi))
        return true;
    for (int n = 0; n < node_count; n++) {
        int k = (int)nodes[n].kind, child = nodes[n].child;

        if (nodes[n].lo < lo || nodes[n].lo >= hi)
            continue;
        if ((k == CXCursor_CallExpr && !is_harmless_call(n)) || k == CXCursor_GCCAsmStmt ||
            is_atomic_operation(nodes[n].cursor))
            return true;
        if (child >= 0 && (k == CXCursor_BinaryOperator || k == CXCursor_UnaryOperator ||
                           k == CXCursor_CompoundAssignOperator) &&
            !takes_address(n) && is_place(child) && is_alias(child, t))
            return true;
    }
    return false;
}

bool keeps_value(int number, unsigned lo, unsigned hi)
{
    const variable *v = &variables[number];
    CXType t = clang_getCanonicalType(v->type);
    bool others = v->is_global || v->address_taken;

    return !clang_isVolatileQualifiedType(t) && t.kind != CXType_LValueReference &&
           t.kind != CXType_RValueReference &&
           !(others && (is_cxx || may_change(lo, hi, v->type)));
}

/* ---- jumps ---- */

/* The loop or switch that a statement belongs to, below `top`; -1: there is none. */
static int loop_around(int n, int top, bool with_switch)
{
    for (n = nodes[n].parent; n >= 0 && n != top; n = nodes[n].parent) {
        enum CXCursorKind k = nodes[n].kind;

        if (k == CXCursor_ForStmt || k == CXCursor_WhileStmt || k == CXCursor_DoStmt ||
            k == CXCursor_CXXForRangeStmt || (with_switch && k == CXCursor_SwitchStmt))
            return n;
    }
    return -1;
}

bool in_lambda(int n, int top)
{
    for (n = nodes[n].parent; n >= 0 && n != top; n = nodes[n].parent)
        if (nodes[n].kind == CXCursor_LambdaExpr || nodes[n].kind == CXCursor_CXXMethod)
            return true;
    return false;
}

static bool label_is_inside(int jump, int body)
{
    int label = nodes[jump].child;
    unsigned at;

    return label >= 0 &&
           in_this_file(clang_getCursorReferenced(nodes[label].cursor), &at) &&
           at >= nodes[body].lo && at < nodes[body].hi;
}

/* Memory that ends with the function, which another one would be. */
bool has_alloca(int statement)
{
    for (int n = statement; n < nodes[statement].end; n++)
        if (nodes[n].kind == CXCursor_CallExpr &&
            (strcmp(cursor_name(nodes[n].cursor), "alloca") == 0 ||
             strcmp(cursor_name(nodes[n].cursor), "__builtin_alloca") == 0))
            return true;
    return false;
}

/* Why the body of a loop cannot be a function. */
const char *why_unfit(const directive *d, int statement, int body, int depth)
{
    (void)d;
    (void)depth;
    if (has_alloca(body))
        return "alloca() in the body";
    for (int n = body; n < nodes[body].end; n++) {
        switch ((int)nodes[n].kind) {
        case CXCursor_BreakStmt:
            if (loop_around(n, statement, true) < 0)
                return "`break` out of the loop";
            break;
        case CXCursor_ReturnStmt:
            if (!in_lambda(n, statement))
                return "`return` in the body";
            break;
        case CXCursor_GotoStmt:
        case CXCursor_IndirectGotoStmt:
            if (nodes[n].kind == CXCursor_IndirectGotoStmt || !label_is_inside(n, body))
                return "`goto` out of the body";
            break;
        case CXCursor_LabelStmt:
            break;
        case CXCursor_CallExpr: {
            char *name = cursor_name(nodes[n].cursor);

            if (strcmp(name, "setjmp") == 0 || strcmp(name, "longjmp") == 0 ||
                strcmp(name, "_setjmp") == 0)
                return "setjmp() or longjmp() in the body";
            break;
        }
        default:
            break;
        }
    }
    return NULL;
}

/* Does the body go on with the next index by `continue`?  hidden: in a macro. */
bool can_continue(int statement, bool *hidden)
{
    bool found = false;

    *hidden = false;
    for (int n = statement; n < nodes[statement].end; n++)
        if (nodes[n].kind == CXCursor_ContinueStmt && loop_around(n, statement, false) < 0) {
            found = true;
            if (!spelled(n, "continue"))
                *hidden = true;
        }
    return found;
}

/* ---- moving to file scope ---- */

/* Of the compiler: it is declared where it is used first, and everywhere. */
static bool is_builtin(CXCursor function)
{
    char *name = cursor_name(function);

    return begins(name, "__builtin_") || begins(name, "__sync_") || begins(name, "__atomic_");
}

static bool is_outer_name(int n, int function, unsigned lo, unsigned hi)
{
    CXCursor to = clang_getCursorReferenced(nodes[n].cursor);
    enum CXCursorKind k = clang_getCursorKind(to);
    unsigned at;

    if (k == CXCursor_VarDecl || k == CXCursor_ParmDecl || k == CXCursor_FieldDecl ||
        k == CXCursor_LabelStmt || clang_Cursor_isNull(to) || clang_isInvalid(k) ||
        is_moved_task(to))
        return true;
    if (!in_this_file(clang_getCanonicalCursor(to), &at) || is_builtin(to))
        return true;
    if (at >= lo && at < hi)
        return true;
    return at < nodes[function].lo || (k == CXCursor_FunctionDecl && at >= nodes[function].hi);
}

static bool has_directive(unsigned lo, unsigned hi, const char *name)
{
    for (int t = token_at(lo); t < token_count && tokens[t].lo < hi; t++)
        if (tokens[t].in_directive && token_is(t, "#") && token_is(t + 1, name))
            return true;
    return false;
}

/* Are all #if in this text closed in it? */
static bool is_balanced(unsigned lo, unsigned hi)
{
    int depth = 0;

    for (int t = token_at(lo); t < token_count && tokens[t].lo < hi; t++) {
        if (!tokens[t].in_directive || !token_is(t, "#"))
            continue;
        if (token_is(t + 1, "if") || token_is(t + 1, "ifdef") || token_is(t + 1, "ifndef"))
            depth++;
        if ((token_is(t + 1, "else") || token_is(t + 1, "elif")) && depth == 0)
            return false;
        if (token_is(t + 1, "endif") && --depth < 0)
            return false;
    }
    return depth == 0;
}

static bool has_reference(unsigned at)
{
    for (int i = 0; i < reference_count; i++)
        if (references[i].at == at)
            return true;
    return false;
}

/* ---- lambdas' lists ---- */

/* May this bracket begin the list of a lambda?  In what a macro is given there is no node. */
static bool begins_lambda(int t)
{
    int before = t - 1;

    while (before >= 0 && tokens[before].kind == CXToken_Comment)
        before--;
    if (before >= 0 && !token_is(before, "[") && !token_is(before, "]") &&
        !token_is(before, ")") && !token_is(before, ">") &&
        (tokens[before].kind == CXToken_Punctuation || token_is(before, "return")))
        return true;
    for (int n = 0; n < node_count; n++)
        if (nodes[n].kind == CXCursor_LambdaExpr && nodes[n].lo == tokens[t].lo)
            return true;
    return false;
}

/* Does an initialiser name it, in the list that this bracket opens? */
static bool list_names(int t, const char *name)
{
    int depth = 0;
    bool initialiser = false;

    for (; t < token_count; t++) {
        if (token_is(t, "[") || token_is(t, "(") || token_is(t, "{"))
            depth++;
        else if (token_is(t, "]") || token_is(t, ")") || token_is(t, "}")) {
            if (--depth == 0)
                return false;
        } else if (token_is(t, "="))
            initialiser = true;
        else if ((initialiser || depth > 1) && token_is(t, name) && !token_is(t - 1, ".") &&
                 !token_is(t - 1, "->") && !token_is(t - 1, "::") &&
                 !(depth == 1 && has_reference(tokens[t].lo)))
            return true;
    }
    return false;
}

/* Is it named in an initialiser of a lambda's list?  libclang shows none of them: there is no
   reference. */
bool is_init_captured(int v, unsigned lo, unsigned hi)
{
    if (!is_cxx)
        return false;
    for (int t = token_at(lo); t < token_count && tokens[t].lo < hi; t++)
        if (token_is(t, "[") && list_names(t, variables[v].name) && begins_lambda(t))
            return true;
    return false;
}

/* A variable of the function around a text that is named so in it; NULL: there is none. */
const char *init_captured_in(unsigned lo, unsigned hi)
{
    int function = function_of(lo);

    for (int n = function; n >= 0; n = nodes[n].parent)
        if (nodes[n].kind == CXCursor_FunctionDecl || nodes[n].kind == CXCursor_CXXMethod ||
            nodes[n].kind == CXCursor_Constructor || nodes[n].kind == CXCursor_Destructor ||
            nodes[n].kind == CXCursor_FunctionTemplate ||
            nodes[n].kind == CXCursor_ConversionFunction)
            function = n;
    for (int v = 0; function >= 0 && v < variable_count; v++)
        if (!variables[v].is_global && variables[v].at >= nodes[function].lo &&
            variables[v].at < nodes[function].hi &&
            !(variables[v].at >= lo && variables[v].at < hi) && is_init_captured(v, lo, hi))
            return variables[v].name;
    return NULL;
}

/* Names of the function's variables in code that this configuration leaves out. */
static const char *skipped_name(int function, unsigned lo, unsigned hi)
{
    for (int t = token_at(lo); t < token_count && tokens[t].lo < hi; t++) {
        if (tokens[t].kind != CXToken_Identifier || tokens[t].in_directive ||
            !is_skipped(tokens[t].lo, tokens[t].hi))
            continue;
        for (int v = 0; v < variable_count; v++)
            if (!variables[v].is_global && variables[v].at >= nodes[function].lo &&
                variables[v].at < nodes[function].hi &&
                !(variables[v].at >= lo && variables[v].at < hi) &&
                token_is(t, variables[v].name) && !has_reference(tokens[t].lo) &&
                !token_is(t - 1, ".") && !token_is(t - 1, "->"))
                return variables[v].name;
    }
    return NULL;
}

/* A string, or a name, on several lines: it is another one where the lines move to the right. */
bool has_long_word(unsigned lo, unsigned hi)
{
    for (int t = token_at(lo); t < token_count && tokens[t].lo < hi; t++)
        if (tokens[t].kind != CXToken_Comment &&
            memchr(source + tokens[t].lo, '\n', tokens[t].hi - tokens[t].lo))
            return true;
    return false;
}

/* Why a text of a function in C cannot stand above it. */
const char *why_unmovable(int function, unsigned lo, unsigned hi)
{
    const char *name;

    if (!is_balanced(lo, hi))
        return "an #if in the body is closed elsewhere";
    if (has_directive(nodes[function].lo, hi, "undef") || has_directive(lo, hi, "define") ||
        has_directive(lo, hi, "include"))
        return "#define, #undef or #include in the function";
    for (int i = 0; i < macro_count; i++)
        if (macros[i].at >= lo && macros[i].at < hi && macros[i].defined >= nodes[function].lo &&
            macros[i].defined < hi)
            return format("macro %s is defined in the function", macros[i].name);
    name = skipped_name(function, lo, hi);
    if (name)
        return format("%s is used in code that this configuration leaves out", name);
    if (says_its_function(lo, hi))
        return "the body names its function";
    for (int t = token_at(lo); t < token_count && tokens[t].lo < hi; t++)
        if (token_is(t, "__LINE__") || token_is(t, "__COUNTER__"))
            return "the body names its line";
    if (has_long_word(lo, hi))
        return "a string of the body continues on the next line";
    for (int n = function; n < nodes[function].end; n++) {
        enum CXCursorKind k = nodes[n].kind;

        if (nodes[n].lo < lo || nodes[n].lo >= hi)
            continue;
        if (k == CXCursor_DeclRefExpr && !is_outer_name(n, function, lo, hi) &&
            clang_equalCursors(clang_getCanonicalCursor(clang_getCursorReferenced(nodes[n].cursor)),
                               clang_getCanonicalCursor(nodes[function].cursor)))
            return format("%s() is called, which nothing above it declares",
                          cursor_name(nodes[n].cursor));
        if ((k == CXCursor_DeclRefExpr || k == CXCursor_TypeRef) &&
            !is_outer_name(n, function, lo, hi))
            return format(clang_getCursorKind(clang_getCursorReferenced(nodes[n].cursor)) ==
                                  CXCursor_FunctionDecl
                              ? "%s() is not declared above the function"
                              : "%s is declared in the function",
                          cursor_name(nodes[n].cursor));
    }
    return NULL;
}
