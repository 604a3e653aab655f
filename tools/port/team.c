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
#include <string.h>

bool in_construct(int number, unsigned at)
{
    int s = directives[number].statement;

    return s >= 0 && nodes[s].lo <= at && at < statement_end(s);
}

bool in_region(const team *t, unsigned at)
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

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool uses_name(const char *s, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = s; at && (at = strstr(at, name)) != NULL; at += n)
        if (!is_letter(at[n]) && (at == s || !is_letter(at[-1])))
            return true;
    return false;
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

/* Does an atomic statement in the region ask?  What sync.c makes of it is text already; of an
   earlier run it is an operation. */
static bool asks_atomically(const team *t)
{
    for (int n = t->statement; n < nodes[t->statement].end; n++)
        for (int k = 0; is_atomic_operation(nodes[n].cursor) && k < call_count; k++)
            if (tokens[calls[k].token].lo >= nodes[n].lo &&
                tokens[calls[k].token].lo < nodes[n].hi)
                return true;
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
    return why;
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
