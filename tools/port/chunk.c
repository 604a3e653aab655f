/*
 * chunk.c - what a program may count on where schedule() says how large a chunk is.
 *
 * SPDX-License-Identifier: MIT
 *
 * One thread executes the indices of a chunk in their order, and each chunk begins at a multiple
 * of its size.  So an index may read what the one before it has left, and all indices of a chunk
 * may write to one place.  The chunk is the loop's grain: indices that stay together, and are
 * executed in order.  A loop of several dimensions has other blocks, and one that descends is
 * executed upwards: these are left alone.
 */
#include "port.h"

bool has_chunk(int number)
{
    int kind, size;

    if (!schedule_of(number, &kind) || !(token_is(kind, "static") || token_is(kind, "dynamic")))
        return false;
    size = code_at(code_at(kind + 1) + 1);
    return token_is(code_at(kind + 1), ",") &&
           !(token_is(size, "1") && token_is(code_at(size + 1), ")"));
}

char *chunk_text(int number)
{
    int kind;
    const clause *c = schedule_of(number, &kind);
    int size = code_at(code_at(kind + 1) + 1);

    return render(tokens[size].lo, tokens[c->past - 1].hi, NULL, NULL);
}

const char *keep_chunk(plan *p)
{
    if (p->dimensions > 1 || p->collapsed_count)
        return "schedule() says how large a chunk of a collapse is: an index may count on those "
               "before it";
    if (p->loops[0].down)
        return "schedule() says how large a chunk of a loop that descends is: an index may count on "
               "those before it";
    p->grain_text = chunk_text(p->number);
    return NULL;
}
