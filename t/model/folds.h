/*
 * folds.h - the loops of loops.c as reductions (tree=1).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FOLDS_H
#define FOLDS_H

/* Blocks that have been executed, and their elements combined. */
struct span {
    unsigned char from, past;
};

static struct span elements[2 * BLOCKS], all;
static unsigned char folded[BLOCKS];
static struct tweed_partials_ partials;

static void run_element(int64_t from, int64_t past, void *element, void *arg)
{
    run_some(from, past, arg);
    *(struct span *)element = (struct span){ (unsigned char)from,
                                             (unsigned char)past };
}

static void touch_element(const struct span *s, bool writes)
{
    if (touches && s - elements < blocks)
        model_touch(&result[0][s - elements], writes);
}

static void join_elements(void *into, const void *from, void *arg)
{
    struct span *a = into;
    const struct span *b = from;

    (void)arg;
    touch_element(b, false);
    touch_element(a, true);
    model_assert(a->past == b->from);
    a->past = b->past;
}

static const struct span nothing;
static const tweed_reduction reduction = { .identity = &nothing,
                                           .body = run_element,
                                           .combine = join_elements };
static struct by_pointer tree = { &reduction, NULL };

/* The library lays elements out on the caller's stack, which is no other thread's
   here. */
static void begin_tree(struct tweed__body *body)
{
    partials = (struct tweed_partials_){ .element = sizeof(struct span),
                                        .stride = sizeof(struct span),
                                        .alignment = 1,
                                        .identity = &nothing,
                                        .arg = &tree,
                                        .fold = fold_by_pointer,
                                        .piece = TWEED_PIECE_,
                                        .blocks = elements,
                                        .groups = elements + blocks,
                                        .folded = folded };
    memset(folded, 0, sizeof folded);
    memset(elements, 0, sizeof elements);
    tree.arg = body->arg;
    body->arg = &partials;
    body->fn = (void (*)(void))run_element;
}

static void end_tree(void)
{
    model_assert(partials.executed == (uint32_t)blocks);
    fold(&partials, (uint32_t)blocks, &all);
    model_assert(all.from == 0 && all.past == blocks);
}

/* Only the public functions run whole loops. */
int tweed_loop_run(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                   int64_t hi, tweed_kind *k, void (*fn)(void), void *arg)
{
    (void)k, (void)pool, (void)options, (void)lo, (void)hi, (void)fn, (void)arg;
    model_assert(false);
    return TWEED_EINVAL;
}

int tweed__loop_run(tweed_kind *k, tweed_pool *pool, const tweed_loop_options *options,
                    int64_t lo, int64_t hi, void (*fn)(void), void *arg,
                    const void *place, struct tweed__end *end)
{
    (void)place, (void)end;
    return tweed_loop_run(pool, options, lo, hi, k, fn, arg);
}

void tweed__loop_report(tweed_outcome *outcome, const struct tweed__end *end)
{
    (void)outcome, (void)end;
    model_assert(false);
}

#endif
