/*
 * alloc.c - arrays whose pages lie where loops use them.
 *
 * SPDX-License-Identifier: MIT
 *
 * AN ARRAY is a mapping of its own, so that no other memory is on its pages.  The head of
 * the array, a line long, stands in front of the array, at the start of a page, and has
 * what to unmap.  No list of arrays is kept: there is no lock, and the child of a fork()
 * frees its copy by what stands in the head.
 *
 * A PAGE BELONGS to the share that its first byte is in; the first page of an array that
 * tweed has mapped, which begins with the head, to the first share.  The rest of a page
 * that began before a foreign array is left alone: something else lies there.
 *
 * PLACING.  A policy says on which node a page is to be when it is touched, by any
 * thread.  Then the workers touch the pages: so the pages are there before the first loop
 * needs them, and the workers share the time that the system takes to zero them.  Any
 * worker may touch any page, by a loop that needs no certain worker: a worker may be busy
 * with something that waits for the caller.  Only where there are several nodes, and a
 * policy was refused, the touch decides where a page is: then each worker touches the
 * pages of its share, by a static loop.
 */
#include "config.h"

#include "base/shield.h"
#include "loop/loop.h"
#include "numa/share.h"
#include "pool/pool.h"
#include "system/pages.h"
#include "system/topology.h"

#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

/* From which size on huge pages are asked for: doc/numa.md has what they save. */
#define HUGE_FROM HUGE_PAGE

/* Arrays up to so many bytes are touched by the caller, as waking workers takes longer. */
#define ALONE ((size_t)64 << 10)

struct head {
    void *mapping;
    size_t mapped;
};

/* An array, and its pages. */
struct span {
    uintptr_t at;
    size_t each, bytes; /* an element's, and all */
    size_t page;        /* the size of a page */
    bool own;           /* there is a head, and the first page is the array's */
};

static uintptr_t round_up(uintptr_t address, size_t to)
{
    return (address + to - 1) & ~(uintptr_t)(to - 1);
}

/* ---- the memory ---- */

static struct head *head_of(void *array)
{
    return (struct head *)((char *)array - TWEED__LINE);
}

/* False: more than any memory.  Else there is room for what is added here. */
static bool count_bytes(struct span *a, uint64_t count, size_t each)
{
    a->each = each;
    return !__builtin_mul_overflow(count, each, &a->bytes) &&
           a->bytes <= SIZE_MAX / 2;
}

/* The array in pages of its own, not touched yet. */
static void *map(struct span *a, struct head *head)
{
    size_t used = TWEED__LINE + a->bytes;
    bool huge = used >= HUGE_FROM;
    uintptr_t first;

    a->page = tweed__page_bytes();
    a->own = true;
    head->mapped = round_up(used + (huge ? HUGE_PAGE : 0), a->page);
    head->mapping = mmap(NULL, head->mapped, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (head->mapping == MAP_FAILED)
        return NULL;
    first = (uintptr_t)head->mapping;
    if (huge) {
        first = round_up(first, HUGE_PAGE);
        tweed__huge_memory((void *)first, used);
    }
    a->at = first + TWEED__LINE;
    return (void *)a->at;
}

void tweed_free(void *array)
{
    struct shield shield;

    if (!array)
        return;
    shield = shield_up();
    munmap(head_of(array)->mapping, head_of(array)->mapped);
    shield_down(shield);
}

/* ---- the pages of shares ---- */

/* The first page that belongs to the indices from this one on. */
static uintptr_t page_from(const struct span *a, uint64_t offset)
{
    if (offset == 0 && a->own)
        return a->at - TWEED__LINE;
    return round_up(a->at + (size_t)offset * a->each, a->page);
}

/* The pages [*from, *to) of the shares of the places [first, end).  (The page that the
   array ends in belongs to the share that has its first byte, as all others.) */
static bool pages_of(const struct span *a, const struct tweed__shares *s, int first,
                     int end, uintptr_t *from, uintptr_t *to)
{
    *from = page_from(a, first ? tweed__share_end(s, first - 1) : 0);
    *to = page_from(a, tweed__share_end(s, end - 1));
    return *from < *to;
}

/* The next place whose worker is on another node than that of this one. */
static int node_end(const struct tweed__shares *s, int place)
{
    int node = tweed__share_node(s, place);

    while (place < s->window.count && tweed__share_node(s, place) == node)
        place++;
    return place;
}

/* Are there nodes to place memory on? */
static bool has_nodes(const struct tweed__shares *s)
{
    return s->team && !s->team->synthetic;
}

/* False: a page comes to the node of the worker that touches it, of several nodes. */
static bool place(const struct span *a, const struct tweed__shares *s, bool move)
{
    bool placed = true;
    uintptr_t from, to;

    for (int k = 0, end; has_nodes(s) && k < s->window.count; k = end) {
        end = node_end(s, k);
        if (pages_of(a, s, k, end, &from, &to))
            placed &= tweed__place_memory((void *)from, to - from, tweed__share_node(s, k),
                                          move);
    }
    return placed || s->team->num_groups == 1;
}

/* ---- touching ---- */

struct touching {
    struct span *array;
    int64_t lo;
};

static void touch(int64_t begin, int64_t end, void *arg)
{
    const struct touching *t = arg;
    uint64_t lo = (uint64_t)t->lo;
    uintptr_t to = page_from(t->array, (uint64_t)end - lo);

    for (uintptr_t at = page_from(t->array, (uint64_t)begin - lo); at < to;
         at += t->array->page)
        *(volatile char *)at = 0;
}

/* Touches all pages, by a loop whose shares are those of the array; each: each worker
   touches the pages of its share. */
static void touch_all(tweed_pool *pool, const struct tweed__shares *s, int64_t hi,
                      struct touching *t, bool each)
{
    tweed_loop_options o = s->dealt;
    int code = TWEED_EBUSY;

    if (each)
        o.schedule = TWEED_SCHEDULE_STATIC;
    if (t->array->bytes > ALONE)
        code = tweed_parallel_for_range_with(pool, &o, t->lo, hi, touch, t);
    if (code == TWEED_ENESTED) {
        o.schedule = TWEED_SCHEDULE_DEFAULT;
        code = tweed_parallel_for_range_with(pool, &o, t->lo, hi, touch, t);
    }
    if (code != TWEED_OK && t->array->bytes)
        touch(t->lo, hi, t);
}

/* ---- the public calls ---- */

static int no_size(void)
{
    return tweed_fail_(TWEED_EINVAL, "each is 0: expected the size of an element");
}

static int alloc(void **array, tweed_pool *pool, const tweed_loop_options *options,
                 int64_t lo, int64_t hi, size_t each)
{
    struct tweed__shares shares;
    struct span span = { 0 };
    struct touching t = { &span, lo };
    struct head head;
    int code = tweed__shares_begin(&shares, pool, options, lo, hi);

    if (code != TWEED_OK)
        return code;
    if (count_bytes(&span, shares.body.count, each))
        *array = map(&span, &head);
    if (*array) {
        bool placed = place(&span, &shares, false);

        touch_all(pool, &shares, hi, &t, !placed);
        *head_of(*array) = head;
    }
    tweed__shares_end(&shares);
    return *array ? TWEED_OK
                  : tweed_fail_(TWEED_ENOMEM, "for an array of elements of %zu bytes", each);
}

void *tweed_alloc_with(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                       int64_t hi, size_t each, int *code)
{
    struct shield shield = shield_up();
    void *array = NULL;
    int result = each > 0 ? alloc(&array, pool, options, lo, hi, each) : no_size();

    shield_down(shield);
    if (code)
        *code = result;
    return array;
}

void *tweed_alloc(int64_t n, size_t each)
{
    return tweed_alloc_with(NULL, NULL, 0, n, each, NULL);
}

/* How many bytes are on other nodes than their shares' workers. */
static int64_t elsewhere(const struct span *a, const struct tweed__shares *s)
{
    uintptr_t from, to;
    size_t sum = 0, n;

    for (int k = 0, end; has_nodes(s) && k < s->window.count; k = end) {
        end = node_end(s, k);
        if (!pages_of(a, s, k, end, &from, &to))
            continue;
        n = tweed__memory_elsewhere((void *)from, to - from, tweed__share_node(s, k));
        if (n == SIZE_MAX)
            return s->team->num_groups > 1 ? (int64_t)a->bytes : 0;
        sum += n;
    }
    return (int64_t)(sum < a->bytes ? sum : a->bytes);
}

static int64_t move(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                    int64_t hi, void *array, size_t each)
{
    struct tweed__shares shares;
    struct span span = { .at = (uintptr_t)array, .page = tweed__page_bytes() };
    int64_t left = tweed__shares_begin(&shares, pool, options, lo, hi);

    if (left != TWEED_OK)
        return left;
    if (!count_bytes(&span, shares.body.count, each)) {
        left = tweed_fail_(TWEED_EINVAL, "tweed_move_array: elements of %zu bytes are more "
                                         "than any memory", each);
    } else if (span.bytes && !array) {
        left = tweed_fail_(TWEED_EINVAL, "tweed_move_array: array is NULL");
    } else {
        (void)place(&span, &shares, true);
        left = elsewhere(&span, &shares);
    }
    tweed__shares_end(&shares);
    return left;
}

int64_t tweed_move_array(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                         int64_t hi, void *array, size_t each)
{
    struct shield shield = shield_up();
    int64_t left = each > 0 ? move(pool, options, lo, hi, array, each) : no_size();

    shield_down(shield);
    return left;
}

int tweed_index_node(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                     int64_t hi, int64_t i)
{
    struct shield shield = shield_up();
    struct tweed__shares s;
    int node;

    if (lo <= i && i < hi)
        node = tweed__shares_begin(&s, pool, options, lo, hi);
    else
        node = tweed_fail_(TWEED_EINVAL, "%s: i is %lld: expected lo to hi - 1", __func__,
                           (long long)i);
    if (node == TWEED_OK) {
        uint64_t offset = (uint64_t)i - (uint64_t)lo;

        node = tweed__share_node(&s, tweed__share_of(&s, offset));
        if (has_nodes(&s))
            node = tweed__memory_node(node);
        tweed__shares_end(&s);
    }
    shield_down(shield);
    return node;
}

int tweed_address_node(const void *address)
{
    struct shield shield = shield_up();
    int node = tweed__memory_is_on(address);

    shield_down(shield);
    return node;
}
