/*
 * atomic.h - atomic operations with the order in the name.
 *
 * SPDX-License-Identifier: MIT
 *
 * No source in lib/ uses an implicit seq_cst operation; what stands here is
 * the list of all orders in use.  Each use names its partner.  lib/range/range.c and
 * lib/pool/sleep.c reach atomics through these names and the system (system.h) alone:
 * a checker that redirects both runs exactly what ships.
 */
#ifndef TWEED_LIB_ATOMIC_H
#define TWEED_LIB_ATOMIC_H

#include <stdatomic.h>

/* Each operation on shared memory, behind tweed__jitter() in a build that jitters. */
#ifdef TWEED_JITTER
#include "base/jitter.h"
#define OPERATION(operation) (tweed__jitter(), operation)
#else
#define OPERATION(operation) operation
#endif

#define load_relaxed(p) OPERATION(atomic_load_explicit((p), memory_order_relaxed))
#define load_acquire(p) OPERATION(atomic_load_explicit((p), memory_order_acquire))
#define load_seq_cst(p) OPERATION(atomic_load_explicit((p), memory_order_seq_cst))

#define store_relaxed(p, v) OPERATION(atomic_store_explicit((p), (v), memory_order_relaxed))
#define store_release(p, v) OPERATION(atomic_store_explicit((p), (v), memory_order_release))

#define exchange_seq_cst(p, v)                                                 \
    OPERATION(atomic_exchange_explicit((p), (v), memory_order_seq_cst))

/* Strong compare-and-swap; a failure loads what is there into *expected. */
#define cas_acq_rel(p, expected, v)                                            \
    OPERATION(atomic_compare_exchange_strong_explicit(                         \
        (p), (expected), (v), memory_order_acq_rel, memory_order_acquire))
#define cas_seq_cst(p, expected, v)                                            \
    OPERATION(atomic_compare_exchange_strong_explicit(                         \
        (p), (expected), (v), memory_order_seq_cst, memory_order_acquire))

#define fetch_add_relaxed(p, v)                                                \
    OPERATION(atomic_fetch_add_explicit((p), (v), memory_order_relaxed))
#define fetch_add_release(p, v)                                                \
    OPERATION(atomic_fetch_add_explicit((p), (v), memory_order_release))
#define fetch_add_acq_rel(p, v)                                                \
    OPERATION(atomic_fetch_add_explicit((p), (v), memory_order_acq_rel))
#define fetch_add_seq_cst(p, v)                                                \
    OPERATION(atomic_fetch_add_explicit((p), (v), memory_order_seq_cst))
#define fetch_and_acq_rel(p, v)                                                \
    OPERATION(atomic_fetch_and_explicit((p), (v), memory_order_acq_rel))
#define fetch_sub_relaxed(p, v)                                                \
    OPERATION(atomic_fetch_sub_explicit((p), (v), memory_order_relaxed))
#define fetch_sub_seq_cst(p, v)                                                \
    OPERATION(atomic_fetch_sub_explicit((p), (v), memory_order_seq_cst))
#define fetch_sub_acq_rel(p, v)                                                \
    OPERATION(atomic_fetch_sub_explicit((p), (v), memory_order_acq_rel))
#define fetch_or_seq_cst(p, v)                                                 \
    OPERATION(atomic_fetch_or_explicit((p), (v), memory_order_seq_cst))
#define fetch_and_seq_cst(p, v)                                                \
    OPERATION(atomic_fetch_and_explicit((p), (v), memory_order_seq_cst))

/* Adds n to a figure that one thread at a time writes: no read-modify-write. */
#define count_add(p, n) store_relaxed((p), load_relaxed(p) + (n))

/* The light side of the asymmetric fence: keeps the compiler from moving the
   load of S before the store to low.  Pairs with tweed__fence_heavy(). */
#define fence_light() atomic_signal_fence(memory_order_seq_cst)

#endif
