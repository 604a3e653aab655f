/*
 * scratch.c - blocks of memory for the bodies of loops, one a thread and depth.
 *
 * SPDX-License-Identifier: MIT
 *
 * WHICH BODY HAS A BLOCK.  A thread executes bodies one inside the other: while the thread
 * waits for a loop that a body has started, it executes bodies of that loop, and of loops
 * inside of that.  At each depth there is one body at a time.  So a block for each thread
 * and depth is no other body's, whatever the thread is (worker, caller or guest), and in
 * whichever pools.  tweed__self.here has the chain of the loops, which is as long as the
 * depth.
 *
 * A thread is found by its number (number.c), in rows of entries that are made when
 * they are needed and never move: row 0 has the numbers below 64, row r those from
 * 64 << (r - 1) up to 64 << r.  An entry is written by its thread alone.  A thread that
 * gets the number later has acquired what the first thread did before it gave the number
 * back.
 *
 * All blocks stand in one list, for the walk, which only grows.
 */
#include "config.h"

#include "base/number.h"
#include "base/shield.h"
#include "pool/pool.h"
#include "system/pages.h"
#include "system/pin.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <tweed/sized.h>

#define ROW 64U /* entries of the first two rows */
#define ROWS 11 /* ROW << (ROWS - 1) is TWEED__NUMBERS */
#define LEAST_ALIGNMENT 64
#define MOST_ALIGNMENT ((size_t)1 << 30)

_Static_assert(ROW << (ROWS - 1) == TWEED__NUMBERS, "a row for each number");

/* The head of a block, in front of the memory that the body gets. */
struct block {
    struct block *next;   /* in the list of all */
    struct block *deeper; /* of the same thread, at another depth */
    void *mapping;
    unsigned depth;
};

struct tweed_scratch {
    size_t bytes, mapped, alignment;
    tweed_scratch_fn *init, *fini;
    void *arg;
    _Atomic(struct block *) all;
    _Atomic(struct block **) rows[ROWS];
};

/* ---- finding ---- */

static unsigned row_of(unsigned number)
{
    return number < ROW ? 0 : 32 - (unsigned)__builtin_clz(number / ROW);
}

/* The number of entries in a row, and, but for row 0, its first number. */
static unsigned row_size(unsigned row)
{
    return row ? ROW << (row - 1) : ROW;
}

/* In how many bodies the thread is. */
static unsigned depth_of(const struct tweed__self *self)
{
    unsigned depth = 0;

    for (const struct tweed__part *p = self->here; p; p = p->outer)
        depth++;
    return depth;
}

/* The block of a thread at a depth, or NULL. */
TWEED_INLINE_ struct block *find(tweed_scratch *s, unsigned number, unsigned depth)
{
    unsigned row = row_of(number);
    struct block **entries = load_acquire(&s->rows[row]); /* pairs with make_row() */
    struct block *b = NULL;

    if (likely(entries != NULL))
        b = entries[number - (row ? row_size(row) : 0)];
    while (b && b->depth != depth)
        b = b->deeper;
    return b;
}

static void *memory_of(struct block *b)
{
    return b ? b + 1 : NULL;
}

static struct block *block_of(void *memory)
{
    return (struct block *)memory - 1;
}

/* ---- making ---- */

static struct block **make_row(tweed_scratch *s, unsigned row)
{
    struct block **entries = load_acquire(&s->rows[row]), **made; /* as below */

    if (entries)
        return entries;
    made = calloc(row_size(row), sizeof(struct block *));
    /* release: the zeros; pairs with the acquiring loads, and with this CAS where
       another thread was first */
    if (!made || cas_acq_rel(&s->rows[row], &entries, made))
        return made;
    free(made);
    return entries;
}

/* Maps pages for a block, on the node of the calling worker, which touches them first. */
static struct block *map_block(tweed_scratch *s)
{
    const struct tweed__worker *w = tweed__self.worker;
    void *mapping = mmap(NULL, s->mapped, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uintptr_t memory;
    struct block *b;

    if (mapping == MAP_FAILED)
        return NULL;
    if (w && !w->team->synthetic)
        tweed__place_memory(mapping, s->mapped, w->node, false);
    memory = (uintptr_t)mapping + sizeof *b + s->alignment - 1;
    b = block_of((void *)(memory & ~(uintptr_t)(s->alignment - 1)));
    b->mapping = mapping;
    return b;
}

static void add_to_list(tweed_scratch *s, struct block *b)
{
    b->next = load_relaxed(&s->all); /* relaxed: if it is old the swap fails */
    /* release: the block; pairs with tweed_scratch_next() */
    while (!cas_acq_rel(&s->all, &b->next, b))
        ;
}

static struct block *make_block(tweed_scratch *s, unsigned number, unsigned depth)
{
    unsigned row = row_of(number);
    struct block **entries = make_row(s, row), **entry;
    struct block *b = entries ? map_block(s) : NULL;

    if (!b)
        return NULL;
    if (s->init)
        s->init(memory_of(b), s->arg);
    entry = &entries[number - (row ? row_size(row) : 0)];
    b->depth = depth;
    b->deeper = *entry;
    add_to_list(s, b); /* first: the child of a fork() finds there what it may count on */
    *entry = b;
    return b;
}

/* The thread has no number yet, or no block at this depth.  With its first number it
   may have got the blocks of a thread that has ended. */
__attribute__((noinline)) static void *get_slow(tweed_scratch *s, unsigned depth)
{
    struct shield shield = shield_up();
    int number = tweed__number();
    struct block *b = NULL;

    if (number >= 0) {
        b = find(s, (unsigned)number, depth);
        if (!b)
            b = make_block(s, (unsigned)number, depth);
    }
    shield_down(shield);
    return memory_of(b);
}

/* ---- the public calls ---- */

/* Called for each index, where these are long enough. */
void *tweed_scratch_get(tweed_scratch *s)
{
    const struct tweed__self *self = &tweed__self;
    struct block *b = NULL;
    unsigned depth;

    __asm__("" : "+r"(self)); /* its address is got once: in a shared library by a call */
    if (unlikely(!s))
        return NULL;
    depth = depth_of(self);
    if (likely(self->number > 0))
        b = find(s, (unsigned)self->number - 1, depth);
    return likely(b != NULL) ? b + 1 : get_slow(s, depth);
}

void *tweed_scratch_next(tweed_scratch *s, void *block)
{
    /* acquire: pairs with add_to_list() */
    struct block *b = block ? block_of(block)->next
                            : s ? load_acquire(&s->all) : NULL;

    return b ? memory_of(b) : NULL;
}

static bool is_alignment(size_t alignment)
{
    return alignment <= MOST_ALIGNMENT && (alignment & (alignment - 1)) == 0;
}

static int create(tweed_scratch **result, size_t bytes,
                  const tweed_scratch_options *o)
{
    tweed_scratch *s = calloc(1, sizeof *s);

    if (!s)
        return tweed_fail_(TWEED_ENOMEM, "tweed_scratch_create");
    tweed__pin(); /* a thread may end after dlclose() */
    tweed__registry_lock(); /* forks are followed from here on */
    tweed__number_prepare();
    tweed__registry_unlock();
    s->bytes = bytes;
    s->alignment =
        o->alignment > LEAST_ALIGNMENT ? o->alignment : LEAST_ALIGNMENT;
    s->mapped = sizeof(struct block) + s->alignment + bytes;
    s->init = o->init;
    s->fini = o->fini;
    s->arg = o->arg;
    *result = s;
    return TWEED_OK;
}

int tweed_scratch_create(tweed_scratch **scratch, size_t bytes,
                         const tweed_scratch_options *options)
{
    tweed_scratch_options known = TWEED_SCRATCH_OPTIONS_INIT;
    struct shield shield;
    int code;

    if (!scratch)
        return TWEED_LACKS_("scratch");
    if (options && !tweed_sized_read_(&known, sizeof known, options))
        return tweed_sized_fail_("tweed_scratch_options", options, sizeof known);
    if (bytes == 0)
        return tweed_fail_(TWEED_EINVAL, "%s: bytes is 0", __func__);
    if (!is_alignment(known.alignment))
        return tweed_fail_(TWEED_EINVAL, "tweed_scratch_options.alignment is %zu: expected a "
                           "power of two up to 2^30, or 0", known.alignment);
    if (bytes > SIZE_MAX - 2 * MOST_ALIGNMENT)
        return tweed_fail_(TWEED_ENOMEM, "%s: bytes is %zu", __func__, bytes);
    shield = shield_up();
    code = create(scratch, bytes, &known);
    shield_down(shield);
    return code;
}

static void free_blocks(tweed_scratch *s)
{
    /* relaxed: no thread uses the scratch any more */
    struct block *b = load_relaxed(&s->all), *next;

    for (; b; b = next) {
        next = b->next;
        if (s->fini)
            s->fini(memory_of(b), s->arg);
        munmap(b->mapping, s->mapped);
    }
}

void tweed_scratch_destroy(tweed_scratch *s)
{
    struct shield shield;

    if (!s)
        return;
    shield = shield_up();
    free_blocks(s);
    for (unsigned row = 0; row < ROWS; row++)
        free(load_relaxed(&s->rows[row])); /* relaxed: as above */
    free(s);
    shield_down(shield);
}
