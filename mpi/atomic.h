/*
 * atomic.h - the atomic operations of the threads of one rank, with the order in the name.
 *
 * SPDX-License-Identifier: MIT
 *
 * The names are those of lib/, and so is the guard: a checker puts its own in their place.
 */
#ifndef TWEED_LIB_ATOMIC_H
#define TWEED_LIB_ATOMIC_H

#include <stdatomic.h>

#define load_relaxed(p) atomic_load_explicit((p), memory_order_relaxed)
#define load_acquire(p) atomic_load_explicit((p), memory_order_acquire)
#define store_relaxed(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)
#define store_release(p, v) atomic_store_explicit((p), (v), memory_order_release)
#define exchange_seq_cst(p, v) atomic_exchange_explicit((p), (v), memory_order_seq_cst)
#define fetch_add_relaxed(p, v) atomic_fetch_add_explicit((p), (v), memory_order_relaxed)
#define fetch_add_release(p, v) atomic_fetch_add_explicit((p), (v), memory_order_release)
#define fetch_add_acq_rel(p, v) atomic_fetch_add_explicit((p), (v), memory_order_acq_rel)
#define fetch_sub_acq_rel(p, v) atomic_fetch_sub_explicit((p), (v), memory_order_acq_rel)

/* Strong compare-and-swap; a failure loads what is there into *expected. */
#define cas_acq_rel(p, expected, v)                                            \
    atomic_compare_exchange_strong_explicit((p), (expected), (v),              \
                                            memory_order_acq_rel, memory_order_acquire)

#endif
