/*
 * tree.c - the file as libclang sees it: tokens, nodes, variables, macros.
 *
 * SPDX-License-Identifier: MIT
 *
 * Places are bytes of the file: what a macro makes is where the macro stands.
 */
#include "port.h"

#include <stdlib.h>
#include <string.h>

token *tokens;
int token_count;
node *nodes;
int node_count;
variable *variables;
int variable_count;
reference *references;
int reference_count;
range *skipped;
int skipped_count;
macro *macros;
int macro_count;
unsigned odd_directive = NOWHERE;

static CXFile file;
static char **all_names; /* all identifiers */
static int name_count, name_room, file_name_count;

/* ---- names ---- */

bool name_is_used(const char *name)
{
    for (int i = 0; i < name_count; i++)
        if (strcmp(all_names[i], name) == 0)
            return true;
    return false;
}

void note_name(const char *name)
{
    if (name_count == name_room) {
        name_room = name_room ? 2 * name_room : 1024;
        all_names = grow(all_names, (size_t)name_room * sizeof *all_names);
    }
    all_names[name_count++] = copy_bytes(name, strlen(name));
}

/* Those of the file stay, those that were made go. */
void forget_names(void)
{
    name_count = file_name_count;
}

int names_now(void)
{
    return name_count;
}

void names_back(int count)
{
    name_count = count;
}

char *cursor_name(CXCursor c)
{
    CXString s = clang_getCursorSpelling(c);
    const char *name = clang_getCString(s);
    char *copy = copy_bytes(name ? name : "", name ? strlen(name) : 0);

    clang_disposeString(s);
    return copy;
}

char *type_name(CXType t)
{
    CXString s = clang_getTypeSpelling(t);
    char *copy = copy_bytes(clang_getCString(s), strlen(clang_getCString(s)));

    clang_disposeString(s);
    return copy;
}

/* ---- places ---- */

static bool place(CXSourceLocation l, unsigned *at)
{
    CXFile in;

    clang_getFileLocation(l, &in, NULL, NULL, at);
    return in && clang_File_isEqual(in, file);
}

bool in_this_file(CXCursor c, unsigned *at)
{
    return place(clang_getCursorLocation(c), at);
}

/* Where its text is; false: in another file. */
bool text_in_this_file(CXCursor c, range *in)
{
    CXSourceRange r = clang_getCursorExtent(c);
    unsigned at;

    if (!in_this_file(c, &at))
        return false;
    clang_getExpansionLocation(clang_getRangeStart(r), NULL, NULL, NULL, &in->lo);
    clang_getExpansionLocation(clang_getRangeEnd(r), NULL, NULL, NULL, &in->hi);
    return true;
}

void place_of(unsigned at, unsigned *line, unsigned *column)
{
    *line = *column = 1;
    for (unsigned i = 0; i < at && i < source_size; i++) {
        ++*column;
        if (source[i] == '\n')
            ++*line, *column = 1;
    }
}

int token_at(unsigned at)
{
    int lo = 0, hi = token_count;

    while (lo < hi) {
        int middle = (lo + hi) / 2;

        if (tokens[middle].hi > at)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

char *token_text(int t)
{
    if (t < 0 || t >= token_count)
        return copy_bytes("", 0);
    return copy_bytes(source + tokens[t].lo, tokens[t].hi - tokens[t].lo);
}

bool token_is(int t, const char *word)
{
    return t >= 0 && t < token_count && tokens[t].hi - tokens[t].lo == strlen(word) &&
           memcmp(source + tokens[t].lo, word, strlen(word)) == 0;
}

bool says_its_function(unsigned lo, unsigned hi)
{
    for (int t = token_at(lo); t < token_count && tokens[t].lo < hi; t++)
        if (token_is(t, "__func__") || token_is(t, "__FUNCTION__") ||
            token_is(t, "__PRETTY_FUNCTION__"))
            return true;
    return false;
}

bool node_is(int n, enum CXCursorKind kind)
{
    return n >= 0 && nodes[n].kind == kind;
}

bool is_loop(int n)
{
    return node_is(n, CXCursor_ForStmt) || node_is(n, CXCursor_WhileStmt) ||
           node_is(n, CXCursor_DoStmt) || node_is(n, CXCursor_CXXForRangeStmt);
}

int bare(int n)
{
    while (node_is(n, CXCursor_ParenExpr) || node_is(n, CXCursor_UnexposedExpr))
        n = nodes[n].child;
    return n;
}

/* Is what the node begins with this word, in the file and not in a macro? */
bool spelled(int n, const char *word)
{
    size_t length = strlen(word);
    int t = token_at(nodes[n].lo);

    return nodes[n].lo + length <= source_size && t < token_count &&
           tokens[t].lo == nodes[n].lo && tokens[t].hi == nodes[n].lo + length &&
           memcmp(source + nodes[n].lo, word, length) == 0;
}

bool is_skipped(unsigned lo, unsigned hi)
{
    for (int i = 0; i < skipped_count; i++)
        if (skipped[i].lo < hi && lo < skipped[i].hi)
            return true;
    return false;
}

int code_at(int t)
{
    while (t < token_count && tokens[t].kind == CXToken_Comment)
        t++;
    return t;
}

unsigned statement_end(int n)
{
    unsigned hi = nodes[n].hi;
    int t = token_at(hi);

    if (source[hi - 1] == ';' || source[hi - 1] == '}') {
        int last = n; /* a block needs no semicolon; an expression that ends with braces does */

        while (last >= 0 && nodes[last].kind != CXCursor_CompoundStmt &&
               nodes[last].kind != CXCursor_NullStmt) {
            int c = clang_isExpression(nodes[last].kind) ? -1 : nodes[last].child;

            while (c >= 0 && nodes[c].next >= 0)
                c = nodes[c].next;
            last = c;
        }
        if (last >= 0 || source[hi - 1] == ';')
            return hi;
    }
    t = code_at(t);
    return token_is(t, ";") ? tokens[t].hi : hi;
}

int function_of(unsigned at)
{
    int found = -1;

    for (int n = 0; n < node_count; n++) {
        enum CXCursorKind k = nodes[n].kind;

        if (nodes[n].lo <= at && at < nodes[n].hi &&
            (k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod ||
             k == CXCursor_Constructor || k == CXCursor_Destructor ||
             k == CXCursor_FunctionTemplate || k == CXCursor_LambdaExpr ||
             k == CXCursor_ConversionFunction))
            found = n;
    }
    return found;
}

/* ---- nodes ---- */

static int node_room, open_node = -1, last_child = -1;

static bool is_variable(CXCursor c)
{
    enum CXCursorKind k = clang_getCursorKind(c);

    return k == CXCursor_VarDecl || k == CXCursor_ParmDecl;
}

static int variable_of(CXCursor decl)
{
    CXCursor home = clang_getCursorSemanticParent(decl);
    enum CXCursorKind k = clang_getCursorKind(home);
    variable v = { .decl = clang_getCanonicalCursor(decl) };

    for (int i = 0; i < variable_count; i++)
        if (clang_equalCursors(variables[i].decl, v.decl))
            return i;
    v.name = cursor_name(decl);
    v.type = clang_getCursorType(decl);
    v.is_register = clang_Cursor_getStorageClass(decl) == CX_SC_Register;
    v.is_global = clang_getCursorKind(decl) == CXCursor_VarDecl &&
                  (k == CXCursor_TranslationUnit || k == CXCursor_Namespace ||
                   k == CXCursor_StructDecl || k == CXCursor_ClassDecl ||
                   k == CXCursor_ClassTemplate || k == CXCursor_LinkageSpec);
    if (!in_this_file(decl, &v.at))
        v.is_global = true, v.at = 0;
    variables = grow(variables, (size_t)(variable_count + 1) * sizeof *variables);
    variables[variable_count] = v;
    return variable_count++;
}

/* A member of *this, as one that is declared elsewhere. */
int variable_of_member(CXCursor field)
{
    int v = variable_of(field);

    variables[v].is_global = true;
    variables[v].at = 0;
    return v;
}

static void add_reference(int n, CXCursor c)
{
    CXCursor to = clang_getCursorReferenced(c);
    reference r = { 0 };
    const char *name;

    if (!is_variable(to))
        return;
    r.variable = variable_of(to);
    r.node = n;
    r.at = nodes[n].lo;
    name = variables[r.variable].name;
    r.spelled = spelled(n, name);
    references = grow(references, (size_t)(reference_count + 1) * sizeof *references);
    references[reference_count++] = r;
}

static enum CXChildVisitResult add_node(CXCursor c, CXCursor parent, CXClientData data)
{
    CXSourceRange extent = clang_getCursorExtent(c);
    int saved_open = open_node, saved_last = last_child, n;
    node one = { .cursor = c, .kind = clang_getCursorKind(c), .child = -1, .next = -1 };
    bool top = open_node < 0;

    (void)parent;
    (void)data;
    if (!place(clang_getRangeStart(extent), &one.lo) ||
        !place(clang_getRangeEnd(extent), &one.hi)) {
        if (top)
            return CXChildVisit_Continue;
        one.lo = nodes[open_node].lo; /* of a macro of another file */
        one.hi = one.lo;
    }
    if (node_count == node_room) {
        node_room = node_room ? 2 * node_room : 4096;
        nodes = grow(nodes, (size_t)node_room * sizeof *nodes);
    }
    one.parent = open_node;
    n = node_count++;
    nodes[n] = one;
    if (last_child >= 0)
        nodes[last_child].next = n;
    else if (open_node >= 0)
        nodes[open_node].child = n;
    if (one.kind == CXCursor_DeclRefExpr || one.kind == CXCursor_VariableRef)
        add_reference(n, c);
    if (one.kind == CXCursor_VarDecl || one.kind == CXCursor_ParmDecl)
        (void)variable_of(c);
    open_node = n;
    last_child = -1;
    clang_visitChildren(c, add_node, NULL);
    nodes[n].end = node_count;
    open_node = saved_open;
    last_child = top ? n : saved_last;
    if (!top)
        last_child = n;
    return CXChildVisit_Continue;
}

static bool spells(CXToken t, const char *word)
{
    CXString s = clang_getTokenSpelling(unit, t);
    bool same = strcmp(clang_getCString(s), word) == 0;

    clang_disposeString(s);
    return same;
}

/* One token, or all in parentheses, is closed. */
static void read_macro(macro *m, CXCursor definition)
{
    CXToken *all;
    unsigned count, first = 1;
    int depth = 0;

    m->open = true;
    if (clang_Cursor_isNull(definition) ||
        clang_Location_isInSystemHeader(clang_getCursorLocation(definition)))
        return;
    clang_tokenize(unit, clang_getCursorExtent(definition), &all, &count);
    if (clang_Cursor_isMacroFunctionLike(definition)) {
        while (first < count && !spells(all[first], ")"))
            first++;
        first++;
    }
    for (unsigned i = first; i < count; i++)
        m->strings |= spells(all[i], "#");
    m->open = count != first + 1;
    if (m->open && first < count && spells(all[first], "(")) {
        unsigned i = first;

        for (; i < count; i++) {
            depth += spells(all[i], "(") - spells(all[i], ")");
            if (depth == 0)
                break;
        }
        m->open = i + 1 < count;
    }
    clang_disposeTokens(unit, all, count);
}

/* What a macro makes text of keeps its name. */
static void find_strings(void)
{
    for (int i = 0; i < macro_count; i++) {
        int t = token_at(macros[i].at) + 1, depth = 0;
        unsigned lo = macros[i].at;

        if (!macros[i].strings || !token_is(t, "("))
            continue;
        for (; t < token_count; t++) {
            depth += token_is(t, "(") - token_is(t, ")");
            if (depth == 0)
                break;
        }
        for (int k = 0; t < token_count && k < reference_count; k++)
            if (references[k].at > lo && references[k].at < tokens[t].hi)
                references[k].spelled = false;
    }
}

/* Of all files, of the compiler and of its command line. */
static struct definition {
    CXCursor cursor;
    const char *name;
} *definitions;
static int definition_count, definition_room;

static void add_definition(CXCursor c)
{
    if (definition_count == definition_room) {
        definition_room = definition_room ? 2 * definition_room : 4096;
        definitions = grow(definitions, (size_t)definition_room * sizeof *definitions);
    }
    definitions[definition_count++] = (struct definition){ c, cursor_name(c) };
}

/* Of itself: #define stdout stdout. */
static bool is_own_name(CXCursor definition, const char *name)
{
    CXToken *all;
    unsigned count;
    bool own;

    clang_tokenize(unit, clang_getCursorExtent(definition), &all, &count);
    own = count == 2 && spells(all[1], name);
    clang_disposeTokens(unit, all, count);
    return own;
}

bool may_be_macro(const char *name, bool called)
{
    for (int i = 0; i < definition_count; i++)
        if (strcmp(definitions[i].name, name) == 0 && !is_own_name(definitions[i].cursor, name) &&
            (called || !clang_Cursor_isMacroFunctionLike(definitions[i].cursor)))
            return true;
    return false;
}

bool is_open_macro(int t)
{
    for (int i = 0; i < macro_count; i++)
        if (macros[i].at == tokens[t].lo)
            return macros[i].open;
    return false;
}

/* Macros TWEED_PORT_ of included files. */
static char **guards;
static int guard_count;

bool is_macro_elsewhere(const char *name)
{
    for (int i = 0; i < guard_count; i++)
        if (strcmp(guards[i], name) == 0)
            return true;
    return false;
}

static enum CXChildVisitResult add_top(CXCursor c, CXCursor parent, CXClientData data)
{
    unsigned at;
    enum CXCursorKind k = clang_getCursorKind(c);

    if (k == CXCursor_MacroExpansion) {
        macro m = { .name = cursor_name(c) };
        CXCursor definition = clang_getCursorReferenced(c);

        if (!in_this_file(c, &m.at))
            return CXChildVisit_Continue;
        if (!in_this_file(definition, &m.defined))
            m.defined = 0;
        read_macro(&m, definition);
        macros = grow(macros, (size_t)(macro_count + 1) * sizeof *macros);
        macros[macro_count++] = m;
        return CXChildVisit_Continue;
    }
    if (k == CXCursor_MacroDefinition)
        add_definition(c);
    if (k == CXCursor_MacroDefinition && !in_this_file(c, &at) &&
        begins(cursor_name(c), "TWEED_PORT_")) {
        guards = grow(guards, (size_t)(guard_count + 1) * sizeof *guards);
        guards[guard_count++] = cursor_name(c);
    }
    if (clang_isPreprocessing(k))
        return CXChildVisit_Continue;
    if (!in_this_file(c, &at)) {
        note_name(cursor_name(c));
        return CXChildVisit_Continue;
    }
    open_node = -1;
    last_child = -1;
    return add_node(c, parent, data);
}

static int compare_references(const void *a, const void *b)
{
    const reference *x = a, *y = b;

    return x->at < y->at ? -1 : x->at > y->at ? 1 : x->node - y->node;
}

static enum CXChildVisitResult find_attribute(CXCursor c, CXCursor parent, CXClientData data)
{
    static const char *const fine[] = { "unused", "__unused__", "maybe_unused", NULL };
    CXToken *all;
    unsigned count;
    bool none = false;

    (void)parent;
    if (!clang_isAttribute(clang_getCursorKind(c)))
        return CXChildVisit_Continue;
    clang_tokenize(unit, clang_getCursorExtent(c), &all, &count);
    for (int i = 0; fine[i] && count == 1; i++)
        none |= spells(all[0], fine[i]);
    clang_disposeTokens(unit, all, count);
    *(bool *)data |= !none;
    return CXChildVisit_Continue;
}

bool is_attributed(CXCursor declaration)
{
    bool any = false;

    clang_visitChildren(declaration, find_attribute, &any);
    return any;
}

bool has_attribute(int v)
{
    return is_attributed(variables[v].decl);
}

/* libclang does not visit it: a name there may be of each variable that is called so. */
static void add_initialiser(const range *in)
{
    for (int t = token_at(in->lo); t < token_count && tokens[t].lo < in->hi; t++) {
        int function = function_of(tokens[t].lo);

        for (int v = 0; function >= 0 && v < variable_count; v++) {
            reference r = { .at = tokens[t].lo, .node = -1, .variable = v };

            if (!token_is(t, variables[v].name))
                continue;
            variables[v].address_taken = true;
            references = grow(references, (size_t)(reference_count + 1) * sizeof *references);
            references[reference_count++] = r;
        }
    }
}

static void add_initialisers(void)
{
    range in;

    for (int n = 0; n < node_count; n++)
        if (has_initialiser(nodes[n].cursor, &in) && in_this_file(nodes[n].cursor, &in.lo))
            add_initialiser(&in);
}

/* Names in code that this configuration leaves out, where it is clear what they name: they are
   taken for uses of every kind. */
static void add_skipped_references(void)
{
    int count = reference_count;

    (void)count;
    for (int t = 0; t < token_count; t++) {
        int function = -1, found = -1, same = 0;
        reference r = { .at = tokens[t].lo, .node = -1, .spelled = true };

        if (tokens[t].kind != CXToken_Identifier || tokens[t].in_directive ||
            !is_skipped(tokens[t].lo, tokens[t].hi) || token_is(t - 1, ".") ||
            token_is(t - 1, "->"))
            continue;
        function = function_of(tokens[t].lo);
        for (int v = 0; function >= 0 && v < variable_count; v++)
            if (!variables[v].is_global && variables[v].at >= nodes[function].lo &&
                variables[v].at < nodes[function].hi && token_is(t, variables[v].name)) {
                found = v;
                same++;
            }
        if (same != 1 || variables[found].at > tokens[t].lo)
            continue;
        r.variable = found;
        references = grow(references, (size_t)(reference_count + 1) * sizeof *references);
        references[reference_count++] = r;
    }
}

/* A macro may hide the operator: what it makes is a pointer to what it is given. */
bool takes_address(int n)
{
    CXType made, given;

    if (!node_is(n, CXCursor_UnaryOperator) || nodes[n].child < 0)
        return false;
    made = clang_getCanonicalType(clang_getCursorType(nodes[n].cursor));
    given = clang_getCanonicalType(clang_getCursorType(nodes[nodes[n].child].cursor));
    return source[nodes[n].lo] == '&' ||
           (made.kind == CXType_Pointer &&
            clang_equalTypes(clang_getCanonicalType(clang_getPointeeType(made)), given));
}

/* A method that changes nothing, and gives a number? */
static bool is_asking(int n)
{
    CXCursor to = clang_getCursorReferenced(nodes[n].cursor);

    return clang_getCursorKind(to) == CXCursor_CXXMethod && clang_CXXMethod_isConst(to) &&
           is_scalar(clang_getCursorType(nodes[n].cursor));
}

bool is_value_or_target(int n)
{
    for (int p = nodes[n].parent, child = n; p >= 0; child = p, p = nodes[p].parent)
        switch ((int)nodes[p].kind) {
        case CXCursor_ParenExpr:
        case CXCursor_MemberRefExpr:
        case CXCursor_ArraySubscriptExpr:
            continue;
        case CXCursor_UnexposedExpr:
            if (!is_array(clang_getCursorType(nodes[child].cursor))) /* const: a reference's */
                return !is_cxx || !clang_isConstQualifiedType(clang_getCursorType(nodes[p].cursor));
            if (!node_is(nodes[p].parent, CXCursor_ArraySubscriptExpr))
                return false; /* an array is a pointer there */
            continue;
        case CXCursor_UnaryOperator:
            return !takes_address(p);
        case CXCursor_BinaryOperator:
        case CXCursor_CompoundAssignOperator:
            return nodes[p].child == child;
        case CXCursor_CStyleCastExpr:
            return clang_getCursorType(nodes[p].cursor).kind == CXType_Void;
        case CXCursor_CallExpr:
            return nodes[p].child == child && is_asking(p);
        case CXCursor_UnaryExpr: /* sizeof */
        case CXCursor_CompoundStmt:
            return true;
        default:
            return false;
        }
    return true;
}

/* Does a lambda change a variable that is declared around it? */
static bool is_changed_in_lambda(const reference *r)
{
    const variable *v = &variables[r->variable];

    for (int n = nodes[r->node].parent; is_cxx && n >= 0; n = nodes[n].parent)
        if (node_is(n, CXCursor_LambdaExpr) && (v->at < nodes[n].lo || v->at >= nodes[n].hi))
            return how_used(r->node) != USE_READ;
    return false;
}

/* Which variables may be changed by more than their names? */
static void find_addresses(void)
{
    for (int i = 0; i < reference_count; i++)
        variables[references[i].variable].address_taken |=
            references[i].node < 0 || !is_value_or_target(references[i].node) ||
            is_changed_in_lambda(&references[i]);
    for (int i = 0; i < variable_count; i++)
        variables[i].address_taken |=
            !variables[i].is_global &&
            clang_Cursor_getStorageClass(variables[i].decl) == CX_SC_Static;
}

/* ---- reading ---- */

bool ends_line(const char *s, unsigned lo, unsigned hi)
{
    for (unsigned k = lo; k < hi; k++) {
        unsigned before = k;

        while (before > lo && s[k] == '\n' && strchr(" \t\r\f\v", s[before - 1]))
            before--;
        if (s[k] == '\n' && (before == lo || s[before - 1] != '\\'))
            return true;
    }
    return false;
}

unsigned past_splices(const char *s, unsigned lo)
{
    while (s[lo] == '\\') {
        unsigned k = lo + 1 + (unsigned)strspn(s + lo + 1, " \t\r\f\v");

        if (s[k] != '\n')
            break;
        lo = k + 1;
    }
    return lo;
}

bool is_hash(const char *s, unsigned lo, unsigned hi)
{
    return (hi - lo == 1 && s[lo] == '#') || (hi - lo == 2 && memcmp(s + lo, "%:", 2) == 0) ||
           (hi - lo == 3 && memcmp(s + lo, "?\?=", 3) == 0);
}

/* Is there `#` here, and nothing but blanks before it? */
static bool is_plain_line(unsigned at)
{
    unsigned k = at;

    while (k > 0 && (source[k - 1] == ' ' || source[k - 1] == '\t'))
        k--;
    return source[at] == '#' &&
           (k == 0 || (k == 3 && begins(source, "\xef\xbb\xbf")) ||
            (source[k - 1] == '\n' && ends_line(source, line_start(k - 1), k)));
}

static void read_tokens(void)
{
    CXSourceLocation a = clang_getLocationForOffset(unit, file, 0),
                     b = clang_getLocationForOffset(unit, file, source_size);
    CXToken *all;
    unsigned count, end = 0;
    bool first = true, inside = false; /* first of its line: comments are none */

    clang_tokenize(unit, clang_getRange(a, b), &all, &count);
    tokens = grow(NULL, (count + 1) * sizeof *tokens);
    for (unsigned i = 0; i < count; i++) {
        CXSourceRange r = clang_getTokenExtent(unit, all[i]);
        token t = { .kind = clang_getTokenKind(all[i]) };

        place(clang_getRangeStart(r), &t.lo);
        place(clang_getRangeEnd(r), &t.hi);
        t.lo = past_splices(source, t.lo);
        first |= ends_line(source, end, t.lo);
        end = t.hi;
        t.begins_directive = first && is_hash(source, t.lo, t.hi);
        inside = (inside && !first) || t.begins_directive;
        t.in_directive = inside;
        if ((t.begins_directive && !is_plain_line(t.lo)) ||
            (inside && (t.kind == CXToken_Identifier || t.kind == CXToken_Keyword) &&
             memchr(source + t.lo, '\n', t.hi - t.lo)))
            odd_directive = odd_directive < t.lo ? odd_directive : t.lo;
        first &= t.kind == CXToken_Comment;
        tokens[token_count++] = t;
        if (t.kind == CXToken_Identifier || t.kind == CXToken_Keyword)
            note_name(token_text(token_count - 1));
    }
    clang_disposeTokens(unit, all, count);
}

static void read_skipped(void)
{
    CXSourceRangeList *list = clang_getSkippedRanges(unit, file);

    for (unsigned i = 0; list && i < list->count; i++) {
        range r;

        if (!place(clang_getRangeStart(list->ranges[i]), &r.lo) ||
            !place(clang_getRangeEnd(list->ranges[i]), &r.hi))
            continue;
        skipped = grow(skipped, (size_t)(skipped_count + 1) * sizeof *skipped);
        skipped[skipped_count++] = r;
    }
    if (list)
        clang_disposeSourceRangeList(list);
}

void read_tree(CXFile f)
{
    file = f;
    read_tokens();
    read_skipped();
    clang_visitChildren(clang_getTranslationUnitCursor(unit), add_top, NULL);
    add_skipped_references();
    add_initialisers();
    qsort(references, (size_t)reference_count, sizeof *references, compare_references);
    file_name_count = name_count;
    find_addresses();
    find_strings();
}
