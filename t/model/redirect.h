/*
 * redirect.h - the atomic operations of lib/, each as a call.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included before everything else (-include) in place of lib/base/atomic.h: the
 * sources of the library then stand as they ship, and who provides these calls
 * and those of lib/system/system.h sees every access to shared memory before it
 * happens and decides what comes of it.  A name of atomic.h that is missing here
 * does not compile.
 */
#ifndef TWEED_T_REDIRECT_H
#define TWEED_T_REDIRECT_H

#define TWEED_LIB_ATOMIC_H
#define TWEED_LIB_FETCH_H /* lib/base/fetch.h: a fetch does nothing */
#define fetch_to_read(line) ((void)(line))
#define fetch_to_write(line) ((void)(line))
#define fetch_all_to_write(first, last) ((void)(first), (void)(last))
#define TWEED__FETCHED 64
#define TWEED_UNTRACED /* lib/log/trace.h: there is nothing to see */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum vm_order { VM_RELAXED, VM_ACQUIRE, VM_RELEASE, VM_ACQ_REL, VM_SEQ_CST };
enum vm_rmw { VM_EXCHANGE, VM_ADD, VM_SUB, VM_AND, VM_OR };

struct vm_site {
    const char *file;
    int line;
};

/* size: bytes of the object; what is above them in a value is of no meaning. */
uint64_t vm_load(const volatile void *object, unsigned size, enum vm_order order,
                 const struct vm_site *site);
void vm_store(volatile void *object, unsigned size, uint64_t value,
              enum vm_order order, const struct vm_site *site);
uint64_t vm_rmw(volatile void *object, unsigned size, enum vm_rmw kind,
                uint64_t operand, enum vm_order order,
                const struct vm_site *site);
/* failure: the order of the load that is all a failed one does */
bool vm_cas(volatile void *object, unsigned size, uint64_t *expected,
            uint64_t value, enum vm_order success, enum vm_order failure,
            const struct vm_site *site);
void vm_fence_light(const struct vm_site *site);

/* The type of what *p holds, and numbers or pointers to and from uint64_t. */
#define VM_VALUE(p) __typeof__(atomic_load_explicit((p), memory_order_relaxed))
#define VM_BITS(v) ((uint64_t)(uintptr_t)(v))
#define VM_HERE                                                                \
    (__extension__({                                                           \
        static const struct vm_site here_ = { __FILE__, __LINE__ };            \
        &here_;                                                                \
    }))

#define VM_LOAD(p, order)                                                      \
    ((VM_VALUE(p))(uintptr_t)vm_load((p), sizeof *(p), order, VM_HERE))
#define VM_STORE(p, v, order)                                                  \
    vm_store((p), sizeof *(p), VM_BITS((VM_VALUE(p))(v)), order, VM_HERE)
#define VM_RMW(p, kind, v, order)                                              \
    (__extension__({                                                           \
        VM_VALUE(p) old_ = (VM_VALUE(p))(uintptr_t)vm_rmw(                     \
            (p), sizeof *(p), kind, VM_BITS((VM_VALUE(p))(v)), order,          \
            VM_HERE);                                                          \
        old_;                                                                  \
    }))
#define VM_CAS(p, expected, v, success, failure)                               \
    (__extension__({                                                           \
        uint64_t e_ = VM_BITS(*(expected));                                    \
        bool done_ = vm_cas((p), sizeof *(p), &e_,                             \
                            VM_BITS((VM_VALUE(p))(v)), success, failure,       \
                            VM_HERE);                                          \
        *(expected) = (VM_VALUE(p))(uintptr_t)e_;                              \
        done_;                                                                 \
    }))

#define load_relaxed(p) VM_LOAD(p, VM_RELAXED)
#define load_acquire(p) VM_LOAD(p, VM_ACQUIRE)
#define load_seq_cst(p) VM_LOAD(p, VM_SEQ_CST)
#define store_relaxed(p, v) VM_STORE(p, v, VM_RELAXED)
#define store_release(p, v) VM_STORE(p, v, VM_RELEASE)
#define exchange_relaxed(p, v) VM_RMW(p, VM_EXCHANGE, v, VM_RELAXED)
#define exchange_acq_rel(p, v) VM_RMW(p, VM_EXCHANGE, v, VM_ACQ_REL)
#define exchange_seq_cst(p, v) VM_RMW(p, VM_EXCHANGE, v, VM_SEQ_CST)
#define cas_relaxed(p, e, v) VM_CAS(p, e, v, VM_RELAXED, VM_RELAXED)
#define cas_acquire(p, e, v) VM_CAS(p, e, v, VM_ACQUIRE, VM_ACQUIRE)
#define cas_release(p, e, v) VM_CAS(p, e, v, VM_RELEASE, VM_RELAXED)
#define cas_acq_rel(p, e, v) VM_CAS(p, e, v, VM_ACQ_REL, VM_ACQUIRE)
#define cas_seq_cst(p, e, v) VM_CAS(p, e, v, VM_SEQ_CST, VM_ACQUIRE)
#define fetch_add_relaxed(p, v) VM_RMW(p, VM_ADD, v, VM_RELAXED)
#define fetch_add_acquire(p, v) VM_RMW(p, VM_ADD, v, VM_ACQUIRE)
#define fetch_add_release(p, v) VM_RMW(p, VM_ADD, v, VM_RELEASE)
#define fetch_add_acq_rel(p, v) VM_RMW(p, VM_ADD, v, VM_ACQ_REL)
#define fetch_add_acq_rel(p, v) VM_RMW(p, VM_ADD, v, VM_ACQ_REL)
#define fetch_add_seq_cst(p, v) VM_RMW(p, VM_ADD, v, VM_SEQ_CST)
#define fetch_sub_relaxed(p, v) VM_RMW(p, VM_SUB, v, VM_RELAXED)
#define fetch_sub_acquire(p, v) VM_RMW(p, VM_SUB, v, VM_ACQUIRE)
#define fetch_sub_release(p, v) VM_RMW(p, VM_SUB, v, VM_RELEASE)
#define fetch_sub_acq_rel(p, v) VM_RMW(p, VM_SUB, v, VM_ACQ_REL)
#define fetch_sub_seq_cst(p, v) VM_RMW(p, VM_SUB, v, VM_SEQ_CST)
#define fetch_and_acquire(p, v) VM_RMW(p, VM_AND, v, VM_ACQUIRE)
#define fetch_and_release(p, v) VM_RMW(p, VM_AND, v, VM_RELEASE)
#define fetch_and_acq_rel(p, v) VM_RMW(p, VM_AND, v, VM_ACQ_REL)
#define fetch_and_seq_cst(p, v) VM_RMW(p, VM_AND, v, VM_SEQ_CST)
#define fetch_or_acquire(p, v) VM_RMW(p, VM_OR, v, VM_ACQUIRE)
#define fetch_or_release(p, v) VM_RMW(p, VM_OR, v, VM_RELEASE)
#define fetch_or_acq_rel(p, v) VM_RMW(p, VM_OR, v, VM_ACQ_REL)
#define fetch_or_seq_cst(p, v) VM_RMW(p, VM_OR, v, VM_SEQ_CST)
#define fence_light() vm_fence_light(VM_HERE)

/* The part of the core loop that is compiled into programs has the compiler's names
   (tweed/inline.h), whose orders are numbers. */
#define VM_ORDER(order)                                                        \
    ((order) == __ATOMIC_SEQ_CST   ? VM_SEQ_CST                                \
     : (order) == __ATOMIC_ACQ_REL ? VM_ACQ_REL                                \
     : (order) == __ATOMIC_RELEASE ? VM_RELEASE                                \
     : (order) == __ATOMIC_ACQUIRE ? VM_ACQUIRE                                \
                                   : VM_RELAXED)
#define __atomic_load_n(p, order)                                              \
    ((__typeof__(*(p)))vm_load((p), sizeof *(p), VM_ORDER(order), VM_HERE))
#define __atomic_store_n(p, v, order)                                          \
    vm_store((p), sizeof *(p), (v), VM_ORDER(order), VM_HERE)
#define __atomic_exchange_n(p, v, order)                                       \
    ((__typeof__(*(p)))vm_rmw((p), sizeof *(p), VM_EXCHANGE, (v),              \
                              VM_ORDER(order), VM_HERE))
#define __atomic_signal_fence(order) vm_fence_light(VM_HERE)

/* Figures with one writer decide nothing: no step of their own. */
#define count_add(p, n) (*(volatile VM_VALUE(p) *)(p) += (n))

#endif
