/*
 * memory.h - what a load may return: the memory models of the explorer.
 *
 * SPDX-License-Identifier: MIT
 *
 * A model is a struct of bytes (copied to go back, compared by its hash) and a
 * few functions.  Where more than one thing may happen, each is a choice, numbered
 * from 0; the explorer takes them all.
 */
#ifndef TWEED_T_MEMORY_H
#define TWEED_T_MEMORY_H

#include "redirect.h"

#include <stddef.h>

#define MODEL_THREADS 5
#define MODEL_PLACES 80

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_RMW, ACCESS_CAS };

struct access {
    enum access_kind kind;
    int place;       /* which atomic object */
    enum vm_rmw rmw;
    enum vm_order order, failure;
    uint64_t value;  /* stored, or the operand */
    uint64_t expected;
    uint64_t mask;   /* of the object's size */
};

struct memory_model {
    const char *name;
    size_t size;
    void (*init)(void *memory, int threads, int places, const uint64_t *values);
    void (*copy)(void *to, const void *from); /* what means something */
    int (*choices)(const void *memory, int thread, const struct access *a);
    /* Returns what was read. */
    uint64_t (*act)(void *memory, int thread, const struct access *a,
                    int choice);
    /* Reads or writes a plain object.  False: it races with somebody's access. */
    bool (*touch)(void *memory, int thread, const struct access *a, bool writes);
    void (*fence)(void *memory, int caller); /* a full one, by all threads */
    /* The thread takes and leaves the kernel's lock for futex calls on a place. */
    void (*lock)(void *memory, int thread, int place);
    void (*exit)(void *memory, int thread);   /* all its stores are visible */
    void (*settle)(void *memory, uint64_t *values); /* the newest of all */
    uint64_t (*hash)(const void *memory, uint64_t seed);
};

extern const struct memory_model memory_buffers, memory_views;

/* The result of a read-modify-write of `old`. */
uint64_t memory_modified(const struct access *a, uint64_t old);

uint64_t memory_hash(const void *data, size_t bytes, uint64_t seed);

/* The run is worth nothing: the model is too small for it. */
_Noreturn void memory_overflow(const char *what);

#endif
