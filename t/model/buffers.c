/*
 * buffers.c - total store order: every thread has a store buffer.
 *
 * SPDX-License-Identifier: MIT
 *
 * A store goes into the thread's own buffer, from where it reaches memory at some
 * later time, in order.  A load sees the newest store of its own thread, or else
 * memory; a read-modify-write drains the own buffer first; the heavy fence drains
 * everybody's.  This is x86-TSO (Sewell, Sarkar, Owens, Zappa Nardelli, Myreen,
 * CACM 2010).
 *
 * When a store leaves a buffer matters only to those who look at its place.  So
 * it does that when somebody looks: a load of a place for which another thread
 * has stores waiting may find none of them done, or one, or two...; each is a
 * choice.  That leaves out the moments at which nobody looks, nothing else.
 */
#include "memory.h"

#include <string.h>

#define ENTRIES 12

struct buffers {
    uint64_t value[MODEL_PLACES];
    uint64_t waiting[MODEL_THREADS][ENTRIES];
    unsigned char place[MODEL_THREADS][ENTRIES];
    unsigned char count[MODEL_THREADS];
    unsigned char places, threads;
};

static void init(void *memory, int threads, int places, const uint64_t *values)
{
    struct buffers *m = memory;

    memset(m, 0, sizeof *m);
    m->places = (unsigned char)places;
    m->threads = (unsigned char)threads;
    memcpy(m->value, values, (size_t)places * sizeof *values);
}

static void copy(void *to, const void *from)
{
    memcpy(to, from, sizeof(struct buffers));
}

/* How many stores to the place wait in a thread's buffer. */
static int waiting(const struct buffers *m, int thread, int place)
{
    int n = 0;

    for (int i = 0; i < m->count[thread]; i++)
        n += m->place[thread][i] == place;
    return n;
}

/* The other thread with stores to the place; -1: none.  In tweed no two threads
   have plain stores to one word under way. */
static int writer(const struct buffers *m, int thread, int place)
{
    int found = -1;

    for (int t = 0; t < m->threads; t++)
        if (t != thread && waiting(m, t, place)) {
            if (found >= 0)
                memory_overflow("threads with stores to one place");
            found = t;
        }
    return found;
}

static int choices(const void *memory, int thread, const struct access *a)
{
    const struct buffers *m = memory;
    int other = writer(m, thread, a->place);

    if (a->kind == ACCESS_STORE || other < 0 ||
        (a->kind == ACCESS_LOAD && waiting(m, thread, a->place)))
        return 1;
    return 1 + waiting(m, other, a->place);
}

/* The oldest n entries reach memory. */
static void drain(struct buffers *m, int thread, int n)
{
    int left = m->count[thread] - n;

    for (int i = 0; i < n; i++)
        m->value[m->place[thread][i]] = m->waiting[thread][i];
    for (int i = 0; i < left; i++) {
        m->place[thread][i] = m->place[thread][i + n];
        m->waiting[thread][i] = m->waiting[thread][i + n];
    }
    memset(&m->place[thread][left], 0, (size_t)n);
    memset(&m->waiting[thread][left], 0, (size_t)n * sizeof m->waiting[0][0]);
    m->count[thread] = (unsigned char)left;
}

/* Until n stores to the place have reached memory. */
static void drain_to(struct buffers *m, int thread, int place, int n)
{
    int upto = 0;

    for (; n > 0; upto++)
        n -= m->place[thread][upto] == place;
    drain(m, thread, upto);
}

static void put(struct buffers *m, int thread, int place, uint64_t value)
{
    int n = m->count[thread]++;

    if (n == ENTRIES)
        memory_overflow("stores in a buffer");
    m->place[thread][n] = (unsigned char)place;
    m->waiting[thread][n] = value;
}

static uint64_t act(void *memory, int thread, const struct access *a, int choice)
{
    struct buffers *m = memory;
    uint64_t old;

    if (choice)
        drain_to(m, writer(m, thread, a->place), a->place, choice);
    if (a->kind == ACCESS_STORE) {
        put(m, thread, a->place, a->value);
        return 0;
    }
    if (a->kind == ACCESS_LOAD) {
        for (int i = m->count[thread]; i-- > 0;)
            if (m->place[thread][i] == a->place)
                return m->waiting[thread][i];
        return m->value[a->place];
    }
    drain(m, thread, m->count[thread]);
    old = m->value[a->place];
    if (a->kind == ACCESS_RMW || old == a->expected)
        m->value[a->place] = memory_modified(a, old);
    return old;
}

/* Who races is a question for weak memory (views.c). */
static bool touch(void *memory, int thread, const struct access *a, bool writes)
{
    if (writes)
        act(memory, thread, a, 0);
    return true;
}

static void leave(void *memory, int thread)
{
    struct buffers *m = memory;

    drain(m, thread, m->count[thread]);
}

static void lock(void *memory, int thread, int place)
{
    (void)place;
    leave(memory, thread);
}

static void fence(void *memory, int caller)
{
    const struct buffers *m = memory;

    (void)caller;
    for (int t = 0; t < m->threads; t++)
        leave(memory, t);
}

static void settle(void *memory, uint64_t *values)
{
    struct buffers *m = memory;

    fence(m, 0);
    memcpy(values, m->value, m->places * sizeof *values);
}

static uint64_t hash(const void *memory, uint64_t seed)
{
    const struct buffers *m = memory;

    seed = memory_hash(m->value, m->places * sizeof m->value[0], seed);
    for (int t = 0; t < m->threads; t++) {
        size_t n = m->count[t];

        seed = memory_hash(m->waiting[t], n * sizeof m->waiting[0][0], seed);
        seed = memory_hash(m->place[t], n, seed);
    }
    return seed;
}

const struct memory_model memory_buffers = {
    .name = "store buffers", .size = sizeof(struct buffers), .init = init,
    .copy = copy, .choices = choices, .act = act, .touch = touch,
    .fence = fence, .lock = lock, .exit = leave, .settle = settle,
    .hash = hash
};
