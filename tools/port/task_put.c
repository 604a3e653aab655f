/*
 * task_put.c - in C++: the edits of tasks, waits and groups.
 *
 * SPDX-License-Identifier: MIT
 */
#include "task_cxx.h"

#include <string.h>

static bool has_group(const scope *s)
{
    return s->tasks || (is_chained && s->waits);
}

static char *declaration_of(const scope *s)
{
    return format("%s %s;", is_chained ? "port_group" : "tweed::task_group", s->group);
}

/* A group at the beginning of a block. */
static void declare_group(const scope *s, int owner)
{
    char *indent = indent_at(nodes[s->body].lo);
    unsigned at = nodes[s->body].lo + 1;

    add_edit(at, at, format("\n%s    %s", indent, declaration_of(s)), owner);
}

static bool is_block_here(int statement)
{
    return node_is(statement, CXCursor_CompoundStmt) && spelled(statement, "{");
}

static bool has_line_end(unsigned lo, unsigned hi)
{
    for (unsigned k = lo; k < hi; k++)
        if (source[k] == '\n')
            return true;
    return false;
}

static char *run_text(const scope *s, const char *task, const char *condition, const char *in)
{
    if (!condition)
        return format("%s%s.run(%s);\n", in, s->group, task);
    return format("%sif (%s)\n%s    %s.run(%s);\n%selse\n%s    %s();\n", in, condition, in,
                  s->group, task, in, in, task);
}

/* A task that may be executed at once has a name. */
static void put_named(int number, const scope *s, const scope *inner, const char *condition)
{
    directive *d = &directives[number];
    int body = d->statement;
    unsigned lo = nodes[body].lo, hi = statement_end(body);
    char *indent = indent_of(d), *in = format("%s    ", indent);
    char *task = fresh_local("port_task"), *comments = comments_between(d->lo, d->hi, indent);
    char *open = format("auto %s = %s", task, captures_of(number));
    char *run = format("\n\n%s%s}", run_text(s, task, condition, in), indent);

    if (is_alone(number) && is_block_here(body)) {
        put_in_place(d, d->hi, format("%s{\n%s%s", comments, in, open), number);
        (void)shift_lines(line_start(lo), hi, number);
        if (inner)
            declare_group(inner, number);
        add_edit(hi, hi, format(";%s", run), number);
    } else if (is_alone(number) && !inner && !has_line_end(lo, hi)) {
        put_in_place(d, d->hi, format("%s{", comments), number);
        add_edit(lo, lo, format("    %s { ", open), number);
        add_edit(hi, hi, format(" };%s", run), number);
    } else {
        put_in_place(d, d->hi,
                     format("%s{\n%s%s {%s", comments, in, open,
                            inner ? format("\n%s    %s", in, declaration_of(inner)) : ""),
                     number);
        (void)shift_lines(line_start(lo), hi, number);
        add_edit(hi, hi, format("\n%s};%s", in, run), number);
    }
}

/* Of a parallel_invoke(): the first has its name before it, the last ends it. */
static void put_invoked(int number, const invocation *one, int place, const scope *inner)
{
    directive *d = &directives[number];
    unsigned lo = nodes[d->statement].lo, hi = statement_end(d->statement);
    char *indent = indent_at(lo);
    bool block = is_block_here(d->statement), line = !inner && !block && !has_line_end(lo, hi),
         ends = place == one->count - 1 && one->first < 0;

    remove_pragma(d, number);
    if (place == 0)
        add_edit(lo, lo, format("tweed::parallel_invoke(\n%s", indent), number);
    add_edit(lo, lo,
             format("    %s %s", captures_of(number),
                    block ? "" : line ? "{ "
                    : format("{\n%s%s        ",
                             inner ? format("%s        %s\n", indent, declaration_of(inner)) : "",
                             indent)),
             number);
    if (block && inner)
        declare_group(inner, number);
    (void)shift_lines(lo, hi, number);
    if (!block && !line)
        (void)shift_lines(lo, hi, number);
    add_edit(hi, hi, format("%s%s%s", block ? "" : line ? " }" : format("\n%s    }", indent),
                            ends ? ")" : ",", ends ? ";" : ""),
             number);
}

/* What stands beside the tasks: the last callable, which another worker may execute. */
static void put_rest(const invocation *one)
{
    unsigned lo = nodes[one->first].lo, hi = statement_end(one->last);
    char *indent = indent_at(lo);
    int owner = one->tasks[0];

    if (has_line_end(lo, hi)) {
        add_edit(lo, lo, format("    [&] {\n%s        ", indent), owner);
        (void)shift_lines(lo, hi, owner);
        (void)shift_lines(lo, hi, owner);
        add_edit(hi, hi, format("\n%s    });", indent), owner);
    } else {
        add_edit(lo, lo, "    [&] { ", owner);
        add_edit(hi, hi, " });", owner);
    }
}

void put_task(int number)
{
    invocation *one;
    int place;
    directive *d = &directives[number];
    int body = d->statement;
    unsigned lo = nodes[body].lo, hi = statement_end(body);
    const scope *s = scope_with(number), *inner = scope_of(number, d->function);
    char *indent = indent_of(d), *condition = condition_of(d);
    bool block = is_block_here(body), alone = is_alone(number);

    if (inner && !has_group(inner))
        inner = NULL;
    one = invocation_of(number, &place);
    if (one) {
        put_invoked(number, one, place, inner);
        if (place == one->count - 1 && one->first >= 0)
            put_rest(one);
    } else if (condition) {
        put_named(number, s, inner, condition);
    } else if (alone && (block || (!inner && !has_line_end(lo, hi)))) {
        remove_pragma(d, number);
        add_edit(lo, lo, format("%s.run(%s %s", s->group, captures_of(number), block ? "" : "{ "),
                 number);
        if (inner)
            declare_group(inner, number);
        add_edit(hi, hi, block ? ");" : " });", number);
    } else {
        put_in_place(d, d->hi,
                     format("%s%s.run(%s {%s", comments_between(d->lo, d->hi, indent), s->group,
                            captures_of(number),
                            inner ? format("\n%s    %s", indent, declaration_of(inner)) : ""),
                     number);
        (void)shift_lines(line_start(lo), hi, number);
        add_edit(hi, hi, format("\n%s});", indent), number);
    }
    d->done = true;
}

void put_wait(int number)
{
    directive *d = &directives[number];
    const scope *s = scope_with(number);
    char *indent = indent_of(d);

    if (d->words == W_TASKGROUP) {
        unsigned behind = statement_end(d->statement);

        remove_pragma(d, number);
        if (s->tasks)
            add_edit(behind, behind, format("\n%s%s.wait();", indent, s->group), number);
    } else if (s->tasks || is_chained) {
        put_in_place(d, d->hi, format("%s%s.wait();", comments_between(d->lo, d->hi, indent),
                                      s->group), number);
    } else {
        remove_pragma(d, number);
    }
    d->done = true;
}

/* The group of a function, or of a region. */
bool put_group(const scope *s)
{
    directive *d;
    int start;

    if (!has_group(s))
        return true;
    if (s->owner < 0) {
        for (int i = 0; i < directive_count; i++)
            if (directives[i].function == s->function && is_task_word(&directives[i])) {
                declare_group(s, i);
                break;
            }
        return true;
    }
    if (directives[s->owner].words == W_TASK)
        return true;
    start = start_with(s->owner);
    d = &directives[start];
    port_start(start);
    if (!d->done)
        return false;
    if (is_block_here(s->body)) {
        declare_group(s, start);
    } else {
        const directive *one = &directives[s->owner];
        unsigned at = one->hi, hi = statement_end(s->body);
        char *indent = indent_of(one);

        while (at < source_size && source[at] != '\n')
            at++;
        add_edit(at + 1, at + 1, format("%s{\n%s    %s\n", indent, indent, declaration_of(s)),
                 start);
        (void)shift_lines(line_start(nodes[s->body].lo), hi, start);
        add_edit(hi, hi, format("\n%s}", indent), start);
    }
    return true;
}
