/*
 * versions.c - structs of options and statistics of later versions, and such whose size
 * is none, too small, or garbage.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each struct ends where the memory ends: what is read or written past its size is
 * a fault.
 */
#include "config.h"

#include "pools.h"

#include <stdalign.h>
#include <string.h>
#include <sys/mman.h>
#include <tweed/sized.h>

#define N 100
#define LATER 64 /* bytes that a later version has more */

static unsigned char *end; /* of what may be touched */

static void make_edge(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0)
        bail_out("no pages");
    end = pages + page;
}

/* The first bytes of a struct as one of `size` bytes at the edge, with zeroes behind
   what it has itself. */
static void *at_edge(const void *from, size_t its_size, size_t size)
{
    unsigned char *to = end - size;

    memset(to, 0, size);
    memcpy(to, from, size < its_size ? size : its_size);
    if (size >= sizeof size)
        memcpy(to, &size, sizeof size);
    return to;
}

/* ---- the helper ---- */

struct sample {
    size_t size;
    uint64_t a, b;
};

static const struct sample sample = { sizeof sample, 1, 2 };

static void test_read(void)
{
    int good = 1;

    for (size_t more = 0; more <= LATER; more += 8) {
        struct sample mine = { .size = 0 };
        unsigned char *later =
            at_edge(&sample, sizeof sample, sizeof sample + more);

        good &= tweed_sized_read_(&mine, sizeof mine, later) && mine.a == 1 && mine.b == 2;
        for (size_t k = 0; k < more; k++) {
            later[sizeof sample + k] = 1;
            good &= !tweed_sized_read_(&mine, sizeof mine, later);
            later[sizeof sample + k] = 0;
        }
    }
    ok(good, "a later version: what is not known has to be zero, to the last byte");
}

static void test_write(void)
{
    int good = 1;

    for (size_t size = sizeof sample; size <= sizeof sample + LATER; size += 8) {
        unsigned char *its = end - size;
        size_t kept;

        memset(its, 0xa5, size);
        memcpy(its, &size, sizeof size);
        its[-1] = 0x5a;
        tweed_sized_write_(its, &sample, sizeof sample);
        memcpy(&kept, its, sizeof kept);
        good &= kept == size && its[-1] == 0x5a;
        good &= memcmp(its + 8, (const char *)&sample + 8, sizeof sample - 8) == 0;
        for (size_t k = sizeof sample; k < size; k++)
            good &= its[k] == 0;
    }
    ok(good, "results: zero behind ours");
}

/* ---- the calls ---- */

static atomic_uchar count[N];

static void each(int64_t i, void *arg)
{
    (void)arg;
    atomic_fetch_add(&count[i], 1);
}

static void range(int64_t begin, int64_t last, void *arg)
{
    for (; begin < last; begin++)
        each(begin, arg);
}

/* Was every index run so many times? */
static int ran(int times)
{
    int good = 1;

    for (int i = 0; i < N; i++)
        good &= atomic_exchange(&count[i], 0) == times;
    return good;
}

static int loops_give(int code, tweed_pool *pool, const void *options)
{
    int good = tweed_parallel_for_with(pool, options, 0, N, each, NULL) == code;

    good &= tweed_parallel_for_range_with(pool, options, 0, N, range, NULL) ==
            code;
    return good & ran(code == TWEED_OK ? 2 : 0);
}

static int pool_gives(int code, const void *options)
{
    tweed_pool *const before = (tweed_pool *)&count, *pool = before;
    int good = tweed_pool_create(&pool, options) == code;

    if (code != TWEED_OK)
        return good && pool == before;
    return good && tweed_pool_num_workers(pool) <= 2 &&
           tweed_pool_destroy(pool) == TWEED_OK;
}

static int scratch_gives(int code, const void *options)
{
    tweed_scratch *const before = (tweed_scratch *)&count, *scratch = before;
    int good = tweed_scratch_create(&scratch, N, options) == code;

    if (code != TWEED_OK)
        return good && scratch == before;
    good = good && ((uintptr_t)tweed_scratch_get(scratch) & 255) == 0;
    tweed_scratch_destroy(scratch);
    return good;
}

static int stats_give(int code, tweed_pool *pool, unsigned char *stats,
                      size_t size)
{
    tweed_stats known = TWEED_STATS_INIT;

    if (tweed_stats_get(pool, 0, (tweed_stats *)stats) != code)
        return 0;
    if (code != TWEED_OK)
        return 1;
    memcpy(&known, stats, sizeof known);
    for (size_t k = sizeof known; k < size; k++)
        if (stats[k])
            return 0;
    return known.size == size && known.loops > 0;
}

static void test_later_scratch(void)
{
    tweed_scratch_options o = TWEED_SCRATCH_OPTIONS_INIT;
    int good = 1, refused = 1;

    o.alignment = 256;
    for (size_t more = 0; more <= LATER; more += 8) {
        unsigned char *later = at_edge(&o, sizeof o, sizeof o + more);

        good &= scratch_gives(TWEED_OK, later);
        for (size_t k = sizeof o; k < sizeof o + more; k++) {
            later[k] = 0x80;
            refused &= scratch_gives(TWEED_EINVAL, later);
            later[k] = 0;
        }
    }
    ok(good, "options of a scratch of a later version");
    ok(refused, "... that ask for what is not known: refused");
}

/* Of the present size, of a later version that asks for nothing more, and of one
   that does, in each byte. */
static void test_later(tweed_pool *pool)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    tweed_pool_options p = TWEED_POOL_OPTIONS_INIT;
    int good = 1, refused = 1;

    o.max_workers = p.num_workers = 2;
    for (size_t more = 0; more <= LATER; more += 8) {
        unsigned char *later = at_edge(&o, sizeof o, sizeof o + more);

        good &= loops_give(TWEED_OK, pool, later);
        for (size_t k = sizeof o; k < sizeof o + more; k++) {
            later[k] = 0x80;
            refused &= loops_give(TWEED_EINVAL, pool, later);
            later[k] = 0;
        }
    }
    ok(good, "loop options of a later version");
    ok(refused, "... that ask for what is not known: refused, nothing is run");
    good = refused = 1;
    for (size_t more = 0; more <= LATER; more += 8) {
        unsigned char *later = at_edge(&p, sizeof p, sizeof p + more);

        good &= pool_gives(TWEED_OK, later);
        for (size_t k = sizeof p; k < sizeof p + more; k++) {
            later[k] = 0x80;
            refused &= pool_gives(TWEED_EINVAL, later);
            later[k] = 0;
        }
    }
    ok(good, "pool options of a later version");
    ok(refused, "... that ask for what is not known: refused");
    test_later_scratch();
    good = 1;
    for (size_t size = sizeof(tweed_stats);
         size <= sizeof(tweed_stats) + LATER; size += 8) {
        unsigned char *stats = end - size;

        memset(stats, 0xa5, size);
        memcpy(stats, &size, sizeof size);
        good &= stats_give(TWEED_OK, pool, stats, size);
    }
    ok(good, "statistics of a later version: zero behind what is known");
}

TWEED_SUM(int64_t, count_up, i)
{
    (void)i;
    return 1;
}

TWEED_FIND(find_7, i)
{
    return i == 7;
}

/* Kinds of loops that read the options themselves, and hand them on. */
static int later_sum(tweed_pool *pool, const tweed_loop_options *o)
{
    int good = 1;

    for (size_t more = 0; more <= LATER; more += 8) {
        unsigned char *later = at_edge(o, sizeof *o, sizeof *o + more);
        int64_t sum = 0, found = 0;

        good &= count_up_with(pool, (tweed_loop_options *)(void *)later, 0, N,
                              &sum) == TWEED_OK && sum == N;
        good &= find_7_with(pool, (tweed_loop_options *)(void *)later, 0, N,
                            &found) == TWEED_OK && found == 7;
    }
    return good;
}

/* Sizes that are none, of which not even the struct of version 1.0 need be there. */
static void test_sizes(tweed_pool *pool)
{
    static const size_t garbage[] = { 0,    1,           7,
                                      8,    1025,        4096,
                                      4097, SIZE_MAX / 2, SIZE_MAX };
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    tweed_pool_options p = TWEED_POOL_OPTIONS_INIT;
    tweed_scratch_options c = { sizeof c, 256, NULL, NULL, NULL };
    size_t *size = (size_t *)(void *)(end - sizeof *size);
    int good = 1;

    ok(later_sum(pool, &o), "a reduction with options of a later version");
    for (size_t k = 0; k < sizeof garbage / sizeof *garbage; k++) {
        *size = garbage[k];
        good &= loops_give(TWEED_EINVAL, pool, size);
        good &= pool_gives(TWEED_EINVAL, size);
        good &= scratch_gives(TWEED_EINVAL, size);
        good &= stats_give(TWEED_EINVAL, pool, (unsigned char *)size, *size);
        good &= *size == garbage[k];
    }
    ok(good, "sizes that are garbage: refused, and nothing else is looked at");
    good = 1;
    for (size_t s = sizeof s; s < sizeof(tweed_stats); s += sizeof s) { /* aligned */
        good &= stats_give(TWEED_EINVAL, pool,
                           at_edge(&(tweed_stats){ 0 }, s, s), s);
        if (s < sizeof o)
            good &= loops_give(TWEED_EINVAL, pool, at_edge(&o, sizeof o, s));
        if (s < sizeof p)
            good &= pool_gives(TWEED_EINVAL, at_edge(&p, sizeof p, s));
        if (s < sizeof c)
            good &= scratch_gives(TWEED_EINVAL, at_edge(&c, sizeof c, s));
    }
    ok(good, "smaller than in version 1.0: refused");
}

int main(void)
{
    tweed_pool *pool;

    plan(2 + 7 + 3);
    watchdog();
    make_edge();
    test_read();
    test_write();
    pool = pool_of(2);
    test_later(pool);
    test_sizes(pool);
    tweed_pool_destroy(pool);
    return done_testing();
}
