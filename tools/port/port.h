/*
 * port.h - what the sources of tweed-port share.
 *
 * SPDX-License-Identifier: MIT
 *
 * The way of a file: parse() reads it by libclang, into nodes, tokens and references to
 * local variables.  find_directives() reads the pragmas out of the tokens.  Each directive is
 * ported, innermost first: it leaves edits, or a reason why it is left alone.  The edits are
 * applied to the text of the file, the result is parsed once more, and what does not
 * compile there is left alone in another round.
 *
 * Memory is given back by the end of the process.
 */
#ifndef PORT_H
#define PORT_H

#include <clang-c/Index.h>

#include <stdbool.h>
#include <stddef.h>

/* ---- text.c ---- */

typedef struct text {
    char *s;
    size_t n, room;
} text;

void *grow(void *old, size_t bytes);
void text_bytes(text *t, const char *s, size_t n);
void text_add(text *t, const char *s);
void text_format(text *t, const char *how, ...) __attribute__((__format__(__printf__, 2, 3)));
bool begins(const char *s, const char *with);
char *format(const char *how, ...) __attribute__((__format__(__printf__, 1, 2)));
char *copy_bytes(const char *s, size_t n);
char *indented(const char *lines, const char *indent); /* this before each line */
bool ends_with(const char *s, const char *end);

/* ---- parse.c ---- */

extern const char omp_header[];
extern const char *path; /* the file */
extern const char *source;
extern unsigned source_size;
extern bool is_cxx;
extern CXTranslationUnit unit;

bool read_source(const char *file);
bool parse(int argc, char **argv);
/* Does this text compile?  Otherwise *at is where it does not, and the message is returned. */
enum { NOWHERE = 0x7fffffff }; /* in another file */
const char *check_text(const text *t, bool left, unsigned *at);

/* ---- tree.c: the file as libclang sees it ---- */

typedef struct token {
    unsigned lo, hi; /* bytes of the file */
    CXTokenKind kind;
    bool begins_directive; /* it is the # of one */
    bool in_directive;     /* of a line that begins with # */
} token;

typedef struct node {
    CXCursor cursor;
    enum CXCursorKind kind;
    int parent, child, next, end; /* nodes; -1: none.  Its own: [this, end) */
    unsigned lo, hi;              /* bytes of the file */
} node;

/* A local variable: of a function, or a parameter. */
typedef struct variable {
    CXCursor decl;
    const char *name;
    CXType type;
    unsigned at;        /* where its name is declared */
    bool address_taken; /* anywhere in the file; or it is static */
    bool is_register;
    bool is_global; /* at file scope, or a static member */
} variable;

/* A name of a variable in the file. */
typedef struct reference {
    unsigned at;
    int variable;
    int node;
    bool spelled; /* the name stands there; false: a macro hides it */
} reference;

typedef struct range {
    unsigned lo, hi;
} range;

typedef struct macro {
    const char *name;
    unsigned at;      /* where it is used */
    unsigned defined; /* in this file, or 0 */
    bool open;    /* an operator beside it may part what it stands for */
    bool strings; /* it makes text of what it is given */
} macro;

extern token *tokens;
extern int token_count;
extern node *nodes;
extern int node_count;
extern variable *variables;
extern int variable_count;
extern reference *references; /* by place */
extern int reference_count;
extern range *skipped; /* what this configuration leaves out */
extern int skipped_count;
extern macro *macros; /* uses, by place */
extern int macro_count;
/* A directive of the preprocessor that is not written as most are, or NOWHERE: behind a comment,
   with %: for #, with a word on two lines. */
extern unsigned odd_directive;

void read_tree(CXFile of);
int token_at(unsigned at); /* the first token that ends behind the place */
int code_before(int t);    /* the last token before it that is no comment: listed.c */
int code_at(int t);        /* this token, or the first one behind it that is no comment */
bool token_is(int t, const char *word);
bool says_its_function(unsigned lo, unsigned hi); /* __func__ and the like */
char *token_text(int t);
bool node_is(int n, enum CXCursorKind kind);
bool is_loop(int n);
int bare(int n); /* without parentheses and implied casts; -1: nothing */
bool takes_address(int n);
/* Is it the value of the variable, or of a part of it, that this name of it stands for, or is
   that assigned to?  All else may make an address of it that somebody keeps. */
bool is_value_or_target(int n);
bool spelled(int n, const char *word);
int variable_of_member(CXCursor field);
bool is_attributed(CXCursor declaration); /* but for `unused` */
bool has_attribute(int v); /* another variable of its type is not the same, as with aligned(64) */
int function_of(unsigned at); /* the function whose text it is in, or -1 */
bool is_open_macro(int t);
/* Is there a macro of the name, anywhere?  called: `(` follows. */
bool may_be_macro(const char *name, bool called);
bool ends_line(const char *s, unsigned lo, unsigned hi); /* between two tokens */
unsigned past_splices(const char *s, unsigned lo); /* a token may begin with them */
bool is_hash(const char *s, unsigned lo, unsigned hi);
bool is_macro_elsewhere(const char *name); /* TWEED_PORT_...: an included file defines it */
bool is_skipped(unsigned lo, unsigned hi);
unsigned statement_end(int n); /* with its semicolon */
bool name_is_used(const char *name);
void note_name(const char *name);
void forget_names(void);
int names_now(void);
void names_back(int count);
void place_of(unsigned at, unsigned *line, unsigned *column);
char *cursor_name(CXCursor c);
char *type_name(CXType t);
bool in_this_file(CXCursor c, unsigned *at);
bool text_in_this_file(CXCursor c, range *in);

/* ---- directive.c ---- */

enum word {
    W_PARALLEL = 1 << 0, W_FOR = 1 << 1, W_SIMD = 1 << 2, W_SECTIONS = 1 << 3,
    W_SECTION = 1 << 4, W_SINGLE = 1 << 5, W_MASTER = 1 << 6, W_CRITICAL = 1 << 7,
    W_BARRIER = 1 << 8, W_ATOMIC = 1 << 9, W_FLUSH = 1 << 10, W_ORDERED = 1 << 11,
    W_TASK = 1 << 12, W_TASKWAIT = 1 << 13, W_TASKGROUP = 1 << 14, W_THREADPRIVATE = 1 << 15,
    W_DECLARE = 1 << 16, W_REDUCTION = 1 << 17, W_OTHER = 1 << 18
};

typedef struct clause {
    const char *name;
    int first, past; /* tokens in its parentheses */
} clause;

typedef struct directive {
    unsigned lo, hi; /* the line, without its end */
    unsigned words;
    int first, past;     /* tokens behind `omp` */
    clause *clauses;
    int clause_count;
    const char *argument; /* of critical: its name */
    int statement;        /* node that it stands before, or -1 */
    int parent;           /* directive whose statement it is in, or -1 */
    int function;         /* node, or -1 */
    bool barred;          /* an earlier round has found a reason */
    bool done, was_done, simple;    /* simple: stays as it is, and is none of ours */
    const char *reason;
} directive;

extern directive *directives;
extern int directive_count;

void find_directives(void);
/* Of a clause: +, &&, min and the like, and the token behind the colon; NULL: it is the user's. */
const char *reduction_operator(const clause *c, int *first);
const clause *find_clause(const directive *d, const char *name);
long collapse_of(const directive *d); /* 1: there is no such clause; 0: it has no number */
bool is_in_list(const directive *d, const char *clause_name, const char *name);
/* The clause schedule, and the token of its kind, behind its modifiers; NULL: there is none. */
const clause *schedule_of(int directive, int *kind);
void bar_all(const char *reason); /* the file stays as it is */
bool leave(directive *d, const char *reason, ...) __attribute__((__format__(__printf__, 2, 3)));

/* ---- edit.c ---- */

typedef struct edit {
    unsigned lo, hi;
    char *text; /* with marks for variables */
    int owner;  /* directive */
    int order;
} edit;

/* What a variable is called in a text; NULL: by its name. */
typedef const char *naming(void *data, int variable, const reference *at);

extern edit *edits;
extern int edit_count;

void add_edit(unsigned lo, unsigned hi, const char *instead, int owner);
void add_first(unsigned at, const char *what);
void drop_edits(unsigned lo, unsigned hi);
/* The text of [lo, hi), edits applied.  name NULL: variables are marked, for who renders the
   text around it. */
char *render(unsigned lo, unsigned hi, naming *name, void *data);
void apply_edits(text *to);
int owner_at(unsigned at); /* directive whose edit made the place of the last apply_edits() */
bool write_out(const char *file, const text *t);
void print_diff(const char *file, const text *t);
char *mark(int variable);
unsigned line_start(unsigned at);
char *indent_at(unsigned at);
char *dedent(const char *s, const char *indent);
/* Four columns to the right: lines but the first; a statement that is no block. */
void indent_lines(unsigned lo, unsigned hi, int owner);
void indent_statement(int statement, int owner);
/* The same of all lines, but for those that are replaced, or go; false: where more than a line
   takes the place of something they stay. */
bool shift_lines(unsigned lo, unsigned hi, int owner);

/* ---- loop.c: the header of a loop ---- */

typedef struct loop {
    int node, body;
    range text; /* of the body, with what stands before it */
    int variable;
    bool declared; /* in the header */
    bool is_pointer;
    CXType type;
    range first, bound, step; /* text; step empty: 1 */
    long step_value; /* a literal's; 0: no literal */
    bool down, inclusive, unequal;
    /* made of these, with marks: */
    char *lo, *hi; /* of the call */
    bool direct;   /* the index of the call is the variable */
} loop;

bool read_loop(directive *d, int for_node, loop *l);
bool bounds_of(directive *d, loop *l);
char *loop_count(const loop *l); /* with marks */
long constant(range r);          /* the value of an expression; 0: it is none */
char *last_of(const loop *l);    /* the index of the call that is the last one of the loop */

/* ---- capture.c: the variables of a piece of text ---- */

enum { USE_READ = 1, USE_WRITE = 2, USE_WHOLE = 4, USE_HIDDEN = 8 };

typedef struct use {
    int variable;
    unsigned how;
    bool inside; /* declared in the text itself */
} use;

unsigned how_used(int node_of_reference);
unsigned use_of(const reference *r);
int uses_in(unsigned lo, unsigned hi, use **all);
bool is_init_captured(int v, unsigned lo, unsigned hi);
const char *init_captured_in(unsigned lo, unsigned hi);
bool has_sync(unsigned lo, unsigned hi);
/* A variable of the type whose address somebody has? */
bool may_change(unsigned lo, unsigned hi, CXType t);
bool keeps_value(int v, unsigned lo, unsigned hi); /* if nothing there changes it by its name */
const char *why_unfit(const directive *d, int statement, int body, int depth);
bool has_long_word(unsigned lo, unsigned hi);
const char *why_unmovable(int function, unsigned lo, unsigned hi);
bool can_continue(int body, bool *hidden);
bool has_alloca(int statement);
bool in_lambda(int n, int top); /* below a statement; or in a method of a class there */

/* ---- values.c, kept.c ---- */

bool is_value(CXType t);
bool may_stay(const reference *r); /* does a pointer to it stay behind its statement? */
bool has_another_name(int variable);

/* ---- pure.c ---- */

bool is_pure_call(int n); /* the same for each thread, and without effect */
bool is_unsteady(CXCursor c); /* volatile, _Atomic, or what libclang has no kind for */
/* Of a template's function as it is called, where that can be seen: what it calls is known
   there.  Else the template's. */
CXCursor definition_of(CXCursor function);

/* ---- first.c: what happens to a variable first ---- */

enum { NONE, WRITTEN, READ_FIRST, PERHAPS }; /* PERHAPS: written, on some ways */

int operator_token(int n); /* of a binary operator's node */
bool names(int n, int v);
bool is_name(int n, int v);
int first_use(int n, int v);
int first_use_beside(int n, int v, const int *statements, int count); /* without these */
/* May what an earlier index has left in a private variable be read?  chunks: the first index of
   a chunk may write it for the others. */
bool may_read_private(int n, int v, bool chunks);

/* ---- held.c ---- */

int held_by(int node_of_reference);          /* what has the variable's address then, or -1 */
bool is_kept_behind(int by, int statement);

/* ---- declared.c ---- */

int declared_for(const char *called, CXType t); /* a directive, or -1 */
char *declared_combiner(int number);
char *declared_start(int number);
/* In C++: the names of functions that combine, and make what a partial result begins with.
   They take the place of the directive. */
void declared_functions(int number, CXType t, const char **combine, const char **start);
void forget_declared(void);
void port_declared(void);

/* ---- type.c ---- */

char *declare(CXType t, const char *name); /* NULL: it cannot be written */
char *declare_variable(CXType t, const char *name); /* a number's is not const */
bool is_prefix(CXType t);
bool is_dependent(CXType t);
bool is_array(CXType t);
bool is_variable_array(CXType t);
bool is_scalar(CXType t);
bool is_floating(CXType t);
bool is_unsigned(CXType t);
CXType plain(CXType t);

/* ---- plan.c: clauses, and the plan of a loop ---- */

enum role {
    SHARED, PRIVATE, FIRSTPRIVATE, LASTPRIVATE, FIRST_AND_LAST, REDUCTION
};

typedef struct item {
    int variable;
    enum role role;
    unsigned how;
    const char *op; /* of a reduction */
    int declared;   /* its directive, where the user declares it */
    bool listed;
    bool is_array;      /* a reduction of elements, of these: text with marks */
    char *low, *length; /* low: NULL is 0 */
} item;

typedef struct plan {
    directive *d;
    int number; /* of the directive */
    loop loops[3];
    int dimensions;
    int collapsed[8], collapsed_count; /* variables of further loops */
    int body;
    item *items;
    int item_count;
    bool simd, any_last;
    char *if_text, *threads_text;
    char *grain_text; /* a partial result is large, or a chunk stays together */
    bool continues, hidden_continue;
    range text; /* the body */
    char *name;
} plan;

bool make_plan(plan *p, int number);
bool writes_element(int n); /* by the name of an array at the node */
bool needs_rows(const plan *p);
bool is_surely_written(const plan *p, int v); /* first.c */
int called_by(int n); /* the node of the function, where the file defines it; or -1: first.c */
void part_statements(const plan *p, const char *indent); /* of one line: a line for each */
bool set_role(plan *p, const char *name, enum role role, const char *op);
item *item_named(plan *p, const char *name);
bool read_list(plan *p, const clause *c, int first, enum role role, const char *op);
bool read_reduction_clause(plan *p, const clause *c); /* reduction.c */
/* By an operator of the language: is the result the same, whatever indices see of partial results?
   By the user's that is not known, and taken to be so. */
bool may_be_seen(const char *op);
bool is_read_between(const plan *p, int v, const char *op); /* for more than to combine it */
char *grain_of(const loop *l, const char *pool);
CXType element_type(CXType t);                 /* of an array, or a pointer */
const char *combine_text(const char *op, const char *into, const char *from);
char *identity_text(const char *op, CXType type);
int reductions_of(const plan *p, const item **only);
char *fresh(const char *base); /* a name that nothing in the file has */
char *fresh_local(const char *base);

void remove_pragma(const directive *d, int owner);
char *indent_of(const directive *d); /* of what takes its place */
void put_in_place(const directive *d, unsigned hi, const char *instead, int owner); /* up to hi */
void replace_loop(plan *p, const char *instead);
bool emit_c(plan *p);
bool emit_cxx(plan *p);

/* ---- chunk.c ---- */

bool has_chunk(int directive); /* of more than one index, by schedule() */
char *chunk_text(int directive);
const char *keep_chunk(plan *p); /* NULL: its indices have what they may count on */

/* ---- listed.c ---- */

/* A name in its clauses is not that of one variable, and of nothing else, in its statement. */
const char *why_not_listed(const directive *d);

/* ---- unused.c ---- */

void forget_covers(void);
void add_cover(int v, unsigned lo, unsigned hi);
void drop_covers(unsigned lo, unsigned hi);
void drop_unused(void);

/* ---- waits.c ---- */

/* Why a statement may wait for another thread, or index; locks: by a lock or a capture, too. */
const char *why_waiting(int statement, bool locks, const char *others);
bool is_atomic_operation(CXCursor c); /* of the compiler's own: __atomic_, __sync_ */
const char *atomic_operation(CXCursor c); /* a text that begins with its name, or NULL */
bool takes_lock(const char *function);
bool is_lock_guard(CXCursor c); /* std::lock_guard and the like */
bool calls_shared(CXCursor c); /* of what is atomic, or under a lock */

/* ---- deciding.c ---- */

typedef struct cursors {
    CXCursor *all;
    int count;
} cursors;

cursors children_of(CXCursor c);
void add_cursor(cursors *l, CXCursor c); /* if it is new */
CXCursor variable_in(CXCursor c);        /* of a DeclRefExpr; else null */
bool is_local(CXCursor declaration);
bool names_variable(CXCursor c, CXCursor local);
bool leads_out(CXCursor c, bool inner); /* of the loop whose body it is */
bool ends_by_another(CXCursor statement); /* a loop, or a body with a jump */
bool recurs_by_another(CXCursor body);        /* of a function that calls itself */

/* ---- counted.c ---- */

bool is_counted(CXCursor statement);

/* ---- team_calls.c ---- */

const char *why_thread_waits(int statement); /* or may do so: what it calls is not seen */

/* ---- virtual.c ---- */

bool may_be_another(CXCursor function); /* virtual, and not final */
bool calls_another(CXCursor of, CXCursor function); /* it does not name the class, either */
/* Those that override a function, or specialise a template's, one after the other; *at begins
   as 0. */
bool next_other(CXCursor function, int *at, CXCursor *c);
/* In a template the types say which function a call calls: its name.  NULL: it is known. */
char *open_name(CXCursor of);
bool next_named(const char *name, int *at, CXCursor *c); /* with a body; *at begins as 0 */
CXCursor own_class(CXType type); /* its definition, or its template's; null: the system's */

/* What an object has called that nobody names, and what its members, its bases and the arguments
   of its template have. */
enum unnamed_kind {
    BEGINS_OR_ENDS, /* a constructor or a destructor */
    CALLED,         /* operator() */
    MEMBER,         /* its first value may call anything */
    POINTED_AT      /* a type: a pointer of the library deletes an object of it */
};

typedef struct unnamed {
    enum unnamed_kind kind;
    CXCursor cursor;
    CXType type;
} unnamed;

typedef struct unnamed_list {
    CXType of;
    bool begins_too; /* it has the class's own constructors, too */
    unnamed *all;
    int count;
} unnamed_list;

const unnamed_list *unnamed_of(CXType type, bool begins_too); /* the same one each time */
CXType deleted_type(CXCursor delete_expression);
bool has_virtual_end(CXType type); /* its destructor may be a derived class's */

/* ---- unsure.c: what libclang does not show ---- */

bool holds_function(CXType type); /* std::function, and the like */
/* Does it call, or name, a function that only a value says?  member: a template's parameter has
   the function. */
bool is_unsure_call(CXCursor c, bool *member);
bool is_in_tweeds_header(CXCursor c); /* team_calls.c */
/* A call of no name in a template: an operator, of which the program has none of its own? */
bool is_plain_operator(CXCursor c);
bool is_lambda_variable(CXCursor c); /* its initialiser has a lambda */
/* What a loop over a range may call, one after the other; *at begins as 0. */
bool next_of_range(CXCursor statement, int *at, CXCursor *function);
/* libclang does not visit what a switch, or a loop over a range, begins with: up to the `;`. */
bool has_initialiser(CXCursor c, range *in);

/* ---- others ---- */

bool is_left(const directive *d); /* it stays OpenMP's */
bool port_region(int number);
bool port_team(int number);
enum role role_in_region(int number, int for_number, int v);
bool port_critical(int number);
bool port_atomic(int number);
void port_tasks(void);
bool is_of_library(CXCursor c); /* team_calls.c: a member of an object of the library */
bool is_moved_task(CXCursor function); /* a task moves, and calls it by TWEED_CALL */

/* ---- outside.c ---- */

void find_outside(void);
int outside_count(void); /* places that need OpenMP, and are no pragmas of the file */
bool has_outside(CXCursor c); /* is one of them in its text? */
void report_outside(void);
bool has_critical_outside(void);
bool has_declared_outside(void);
bool has_threadprivate(void);

/* ---- called.c ---- */

bool asks_for_thread(unsigned lo, unsigned hi);
bool has_unsure_calls(unsigned lo, unsigned hi); /* which may ask */
bool has_unseen_calls(unsigned lo, unsigned hi); /* or functions that are elsewhere */
bool asks_elsewhere(unsigned lo, unsigned hi); /* in a function that is called */
const char *why_outside(unsigned lo, unsigned hi); /* a text that must stay OpenMP's */
const char *why_left_inside(unsigned lo, unsigned hi); /* what the text calls */

/* ---- function.c ---- */

typedef struct call { /* or a test of _OPENMP */
    int token;
    bool done;
    bool taken; /* it is the number of a region that is a loop over its threads */
    const char *helper;
    const char *reason, *barred;
} call;

extern call *calls;
extern int call_count;

void find_calls(void);
bool is_helper(CXCursor function); /* port_thread_num() and the like, of an earlier run */
void port_calls(bool left);
bool calls_are_done(void);
bool is_call_needed(const char *key); /* of what a call needs */
bool bar_tests(const char *why);
void port_includes(bool left);
unsigned features_end(void);
bool is_header(void); /* the file is one that others include */
void hoist(int function, const char *what, int owner);
void forget_needs(void);
int needs_now(void);
void needs_back(int count);
void need(const char *key, const char *what); /* once a file, behind the includes */
void need_vector(void);
bool insertion_of(int function, unsigned *at);

#endif /* PORT_H */
