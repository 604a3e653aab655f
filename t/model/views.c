/*
 * views.c - weak memory: release, acquire, relaxed and sequentially consistent
 * accesses as C11 defines them, without out-of-thin-air values.
 *
 * SPDX-License-Identifier: MIT
 *
 * Every place keeps the stores to it, in order.  A thread's view says for each
 * place the oldest of them that it may still see: a load returns that or any
 * newer one (each is a choice), after which the thread sees nothing older.  A
 * release attaches the thread's view to the store; who acquires it joins that to
 * its own.  A read-modify-write reads the newest store and continues its release
 * sequence.  A sequentially consistent load sees at least the newest sequentially
 * consistent store to its place.  The heavy fence joins all views.
 *
 * This is the operational form of RC11 without load buffering (Lahav, Vafeiadis,
 * Kang, Hur, Dreyer, PLDI 2017; Kang et al., POPL 2017, without promises), with
 * one restriction: a plain store is put after all others of its place, never
 * between them.  In tweed no two threads have plain stores to one word under way,
 * nor does a read-modify-write hope for the value that a plain store overwrites.
 *
 * Plain objects are checked for races: who reads or writes one must see its newest
 * store, and who writes it every read as well.  A read is known by a count of the
 * reading thread's, which views carry as they do stores (in the places after the
 * last one).
 */
#include "memory.h"

#include <string.h>

#define STORES 20

struct store {
    uint64_t value;
    unsigned char view[MODEL_PLACES];
};

struct views {
    struct store store[MODEL_PLACES][STORES];
    unsigned char lock[MODEL_PLACES][MODEL_PLACES]; /* what was left at a futex */
    /* Of a plain object, in each thread's count of reads: when it last did. */
    unsigned char read[MODEL_PLACES][MODEL_THREADS];
    unsigned char count[MODEL_PLACES];
    unsigned char view[MODEL_THREADS][MODEL_PLACES];
    unsigned char consistent[MODEL_PLACES]; /* the newest seq_cst store */
    unsigned char gone[MODEL_THREADS];
    unsigned char places, threads;
};

static void init(void *memory, int threads, int places, const uint64_t *values)
{
    struct views *m = memory;

    memset(m, 0, sizeof *m);
    if (places + threads > MODEL_PLACES)
        memory_overflow("places");
    m->places = (unsigned char)(places + threads); /* reads_of() are the last */
    m->threads = (unsigned char)threads;
    for (int p = 0; p < m->places; p++)
        m->count[p] = 1;
    for (int p = 0; p < places; p++)
        m->store[p][0].value = values[p];
}

/* Most of the struct is not in use. */
static void copy(void *to, const void *from)
{
    const struct views *f = from;
    struct views *m = to;
    size_t places = f->places;

    for (size_t p = 0; p < places; p++)
        memcpy(m->store[p], f->store[p], f->count[p] * sizeof f->store[0][0]);
    memcpy(m->lock, f->lock, places * sizeof f->lock[0]);
    memcpy(m->read, f->read, places * sizeof f->read[0]);
    memcpy(m->count, f->count, sizeof *f - offsetof(struct views, count));
}

static bool acquires(enum vm_order order)
{
    return order == VM_ACQUIRE || order == VM_ACQ_REL || order == VM_SEQ_CST;
}

static bool releases(enum vm_order order)
{
    return order == VM_RELEASE || order == VM_ACQ_REL || order == VM_SEQ_CST;
}

static void join(const struct views *m, unsigned char *into,
                 const unsigned char *from)
{
    for (int p = 0; p < m->places; p++)
        if (into[p] < from[p])
            into[p] = from[p];
}

/* The oldest store that a load of this order may see. */
static int oldest(const struct views *m, int thread, int place,
                  enum vm_order order)
{
    int first = m->view[thread][place];

    return order == VM_SEQ_CST && m->consistent[place] > first
               ? m->consistent[place]
               : first;
}

/* Choice 0 is the newest store.  A compare-and-swap that fails is a load. */
static int choices(const void *memory, int thread, const struct access *a)
{
    const struct views *m = memory;
    int newest = m->count[a->place] - 1;
    int first, n = 1;

    if (a->kind == ACCESS_STORE || a->kind == ACCESS_RMW)
        return 1;
    first = oldest(m, thread, a->place,
                   a->kind == ACCESS_CAS ? a->failure : a->order);
    if (a->kind == ACCESS_LOAD)
        return newest - first + 1;
    for (int i = first; i < newest; i++)
        n += m->store[a->place][i].value != a->expected;
    return n;
}

static int chosen(const struct views *m, const struct access *a, int choice)
{
    int i = m->count[a->place] - 1;

    while (choice > 0) {
        i--;
        choice -= a->kind == ACCESS_LOAD ||
                  m->store[a->place][i].value != a->expected;
    }
    return i;
}

static void see(struct views *m, int thread, int place, int store,
                enum vm_order order)
{
    unsigned char *view = m->view[thread];

    if (view[place] < store)
        view[place] = (unsigned char)store;
    if (acquires(order))
        join(m, view, m->store[place][store].view);
}

/* Stores that nobody can see any more go; the others are numbered anew. */
static void forget(struct views *m, int place)
{
    int least = m->count[place] - 1, left;

    for (int t = 0; t < m->threads; t++)
        if (!m->gone[t] && m->view[t][place] < least)
            least = m->view[t][place];
    if (least == 0)
        return;
    left = m->count[place] - least;
    memmove(&m->store[place][0], &m->store[place][least],
            (size_t)left * sizeof m->store[0][0]);
    memset(&m->store[place][left], 0, (size_t)least * sizeof m->store[0][0]);
    m->count[place] = (unsigned char)left;

#define RENUMBER(n) ((n) = (unsigned char)((n) > least ? (n) - least : 0))
    RENUMBER(m->consistent[place]);
    if (place >= m->places - m->threads)
        for (int p = 0; p < m->places; p++)
            RENUMBER(m->read[p][place - (m->places - m->threads)]);
    for (int t = 0; t < m->threads; t++)
        RENUMBER(m->view[t][place]);
    for (int p = 0; p < m->places; p++) {
        RENUMBER(m->lock[p][place]);
        for (int i = 0; i < m->count[p]; i++)
            RENUMBER(m->store[p][i].view[place]);
    }
#undef RENUMBER
}

/* before: the store that a read-modify-write has read; NULL: a plain store. */
static void append(struct views *m, int thread, const struct access *a,
                   uint64_t value, const struct store *before)
{
    int n = m->count[a->place];
    struct store *s;

    if (n == STORES)
        memory_overflow("stores that somebody may still see");
    s = &m->store[a->place][n];
    m->count[a->place]++;
    memset(s, 0, sizeof *s);
    s->value = value;
    m->view[thread][a->place] = (unsigned char)n;
    s->view[a->place] = (unsigned char)n;
    if (releases(a->order))
        join(m, s->view, m->view[thread]);
    if (before)
        join(m, s->view, before->view);
    if (a->order == VM_SEQ_CST)
        m->consistent[a->place] = (unsigned char)n;
}

static uint64_t act(void *memory, int thread, const struct access *a, int choice)
{
    struct views *m = memory;
    int i = chosen(m, a, choice), newest = m->count[a->place] - 1;
    uint64_t old = m->store[a->place][i].value;

    if (a->kind == ACCESS_STORE) {
        append(m, thread, a, a->value, NULL);
    } else if (a->kind == ACCESS_RMW ||
               (a->kind == ACCESS_CAS && i == newest && old == a->expected)) {
        see(m, thread, a->place, i, a->order);
        append(m, thread, a, memory_modified(a, old), &m->store[a->place][i]);
    } else {
        see(m, thread, a->place, i,
            a->kind == ACCESS_CAS ? a->failure : a->order);
    }
    forget(m, a->place);
    return old;
}

/* The place that counts a thread's reads of plain objects. */
static int reads_of(const struct views *m, int thread)
{
    return m->places - m->threads + thread;
}

static bool touch(void *memory, int thread, const struct access *a, bool writes)
{
    struct views *m = memory;
    struct access count = { .kind = ACCESS_STORE, .order = VM_RELAXED,
                            .place = reads_of(m, thread) };

    if (m->view[thread][a->place] != m->count[a->place] - 1)
        return false;
    if (writes) {
        for (int t = 0; t < m->threads; t++)
            if (t != thread &&
                m->view[thread][reads_of(m, t)] < m->read[a->place][t])
                return false;
        memset(m->read[a->place], 0, sizeof m->read[a->place]);
        act(m, thread, a, 0);
    } else {
        act(m, thread, &count, 0);
        m->read[a->place][thread] = m->view[thread][count.place];
    }
    return true;
}

/* membarrier(2): the caller sees what every thread has seen, and they what the
   caller had. */
static void fence(void *memory, int caller)
{
    struct views *m = memory;
    unsigned char before[MODEL_PLACES];

    memcpy(before, m->view[caller], sizeof before);
    for (int t = 0; t < m->threads; t++)
        if (!m->gone[t]) {
            join(m, m->view[caller], m->view[t]);
            join(m, m->view[t], before);
        }
    for (int p = 0; p < m->places; p++)
        forget(m, p);
}

static void lock(void *memory, int thread, int place)
{
    struct views *m = memory;

    join(m, m->view[thread], m->lock[place]);
    join(m, m->lock[place], m->view[thread]);
    for (int p = 0; p < m->places; p++)
        forget(m, p);
}

static void leave(void *memory, int thread)
{
    struct views *m = memory;

    m->gone[thread] = 1;
    memset(m->view[thread], 0, sizeof m->view[thread]);
    for (int p = 0; p < m->places; p++)
        forget(m, p);
}

static void settle(void *memory, uint64_t *values)
{
    struct views *m = memory;

    for (int p = 0; p < m->places - m->threads; p++)
        values[p] = m->store[p][m->count[p] - 1].value;
}

static uint64_t hash(const void *memory, uint64_t seed)
{
    const struct views *m = memory;
    size_t places = m->places;

    for (size_t p = 0; p < places; p++)
        seed = memory_hash(m->store[p], m->count[p] * sizeof m->store[0][0],
                           seed);
    for (size_t t = 0; t < m->threads; t++)
        seed = memory_hash(m->view[t], places, seed);
    seed = memory_hash(m->lock, places * sizeof m->lock[0], seed);
    seed = memory_hash(m->read, places * sizeof m->read[0], seed);
    return memory_hash(m->consistent, places, seed);
}

const struct memory_model memory_views = {
    .name = "weak memory", .size = sizeof(struct views), .init = init,
    .copy = copy, .choices = choices, .act = act, .touch = touch,
    .fence = fence, .lock = lock, .exit = leave, .settle = settle,
    .hash = hash
};
