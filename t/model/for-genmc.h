/*
 * for-genmc.h - a driver as one program with real threads and C11's atomics.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by model.h in place of the explorer.  With -DGENMC=1 it is for
 * GenMC, a model checker for C programs, which runs it under every behaviour
 * that RC11 or IMM allow; with -DGENMC=0 and an ordinary compiler it just runs.
 *
 * What differs from the explorer.  There are no states to come back to, only
 * executions, so everything has to be bounded: a thief looks so many times; and
 * the numbers are those of the build: -Dnumber_blocks=,2 for blocks=2.  A heavy
 * fence is one of the calling thread, and the light one, which in the library
 * is a matter of the compiler, another: the pair that C11 has in place of
 * membarrier(2), which fences everybody.  The library's figures are left out,
 * since each access to one would be a choice.
 */
#ifndef TWEED_T_MODEL_FOR_GENMC_H
#define TWEED_T_MODEL_FOR_GENMC_H

#define TWEED_DEBUG 1
#define PATIENCE 1 /* to look again and see the same is to look later */
#define PROPOSE_NS 0
#define LEAVE_NS 0
#define SOON_NS 0
#define SPINS_A_CLOCK 1
#define YIELDS 1
#define TWEED_UNTRACED
#define TWEED_LIB_FETCH_H /* lib/base/fetch.h: a fetch does nothing */
#define fetch_to_read(line) ((void)(line))
#define fetch_to_write(line) ((void)(line))
#define fetch_all_to_write(first, last) ((void)(first), (void)(last))
#define TWEED__FETCHED 64

#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "../../lib/base/atomic.h"
#include "../../lib/base/check.h"
#include "../../lib/system/system.h"

/* ---- the library's side ---- */

#undef fence_light
#define fence_light() atomic_thread_fence(memory_order_seq_cst)

#define TWEED_CURSOR_ATOMICS_
#define TWEED_LOW_STORE_(p, v)                                                 \
    atomic_store_explicit((_Atomic uint32_t *)(p), (v), memory_order_relaxed)
#define TWEED_LIGHT_FENCE_() fence_light()
#define TWEED_S_LOAD_(p)                                                       \
    atomic_load_explicit((const _Atomic uint64_t *)(p), memory_order_relaxed)
#define TWEED_LOW_EXCHANGE_(p, v)                                              \
    ((void)atomic_exchange_explicit((_Atomic uint32_t *)(p), (v),              \
                                    memory_order_seq_cst))
#define TWEED_S_LOAD_SEQ_CST_(p)                                               \
    atomic_load_explicit((const _Atomic uint64_t *)(p), memory_order_seq_cst)

#define TWEED_TOP_RAISE_(p, v)                                                 \
    atomic_store_explicit((_Atomic uint32_t *)(p), (v), memory_order_release)
#define TWEED_TOP_LOWER_(p, v) TWEED_TOP_RAISE_(p, v)
#define TWEED_WORD_LOAD_(p) TWEED_S_LOAD_(p)
#define TWEED_CEILING_LOAD_(p)                                                 \
    atomic_load_explicit((const _Atomic uint32_t *)(p), memory_order_relaxed)

#undef count_add
#define count_add(p, n) ((void)(p), (void)(n))
static _Thread_local _Atomic uint64_t model_fence_ns;
static _Thread_local _Atomic uint32_t model_awake;
#define MODEL_SHARED(p)                                                        \
    __builtin_choose_expr(                                                     \
        __builtin_strcmp(#p, "&tweed__fence_ns") == 0, &model_fence_ns,        \
        __builtin_choose_expr(__builtin_strcmp(#p, "awake") == 0,             \
                              &model_awake, (p)))
#undef load_relaxed
#define load_relaxed(p)                                                        \
    atomic_load_explicit(MODEL_SHARED(p), memory_order_relaxed)
#undef store_relaxed
#define store_relaxed(p, v)                                                    \
    atomic_store_explicit(MODEL_SHARED(p), (v), memory_order_relaxed)
#undef fetch_add_relaxed
#define fetch_add_relaxed(p, v)                                                \
    atomic_fetch_add_explicit(MODEL_SHARED(p), (v), memory_order_relaxed)
#undef fetch_sub_relaxed
#define fetch_sub_relaxed(p, v)                                                \
    atomic_fetch_sub_explicit(MODEL_SHARED(p), (v), memory_order_relaxed)

/* GenMC has no such intrinsic; numbers are small here. */
#if GENMC
#define __builtin_mul_overflow(a, b, product) (*(product) = (a) * (b), false)
#endif

/* No ThreadSanitizer to talk to. */
#define TWEED_LIB_TSAN_H
#define tweed__tsan_acquire(address) ((void)(address))
#define tweed__tsan_release(address) ((void)(address))
#define tweed__tsan_hide(memory, bytes) ((void)(memory))

/* ---- what a driver says ---- */

#define MODEL_SECOND(a, b, ...) b
#define MODEL_NUMBER_OF(...) MODEL_SECOND(__VA_ARGS__, 0)
#define MODEL_NUMBER(name, standard) MODEL_NUMBER_OF(number_##name, standard)

/* Marks are atomics that order nothing, so that they hide nothing. */
#define MODEL_MARK(type) _Atomic type
#define mark_of(mark) atomic_load_explicit(&(mark), memory_order_relaxed)
#define mark(mark, value)                                                      \
    atomic_store_explicit(&(mark), (value), memory_order_relaxed)
#define mark_one_more(mark)                                                    \
    atomic_fetch_add_explicit(&(mark), 1, memory_order_relaxed)
#define model_knows(condition) false

/* Objects are what they are. */
#define model_place(object, bytes, name) ((void)(object), (void)(name))
#define model_figure(object) ((void)(object))
#define model_own(object, bytes) ((void)(object))
#define model_plain(object, bytes, name) ((void)(object))
#define model_memory(object, bytes) ((void)(object))
#define model_self(object, bytes) ((void)(object))
#define model_forget() ((void)0)
#define model_touch(plain, writes)                                             \
    ((writes) ? (void)(*(volatile char *)(plain) = 1)                          \
              : (void)*(volatile char *)(plain))

#define model_assert(condition) assert(condition)

_Noreturn void tweed__check_failed(const char *what, const char *file, int line)
{
    bool a_check_holds = false;

    (void)what, (void)file, (void)line;
    assert(a_check_holds);
    abort();
}

_Noreturn void tweed__body_was_left(void)
{
    tweed__check_failed("a body returns", __FILE__, __LINE__);
}

/* ---- threads ---- */

#define MODEL_THREADS 5

static struct {
    void (*run)(void *);
    void *arg;
    pthread_t id;
} model_threads[MODEL_THREADS];
static int model_thread_count;
static _Thread_local int model_me;
static void (*model_verify_all)(void);

static inline void model_thread(void (*run)(void *), void *arg, bool mortal)
{
    int t = model_thread_count++;

    assert(t < MODEL_THREADS && !mortal); /* nobody stops half way here */
    model_threads[t].run = run;
    model_threads[t].arg = arg;
}

static inline void model_verify(void (*verify)(void))
{
    model_verify_all = verify;
}

/* A loop that only looks: marked for GenMC, which goes on when the condition
   holds and reports one that never ends (--check-liveness).  Its own search
   for such loops is switched off: it takes a loop for one if another within it
   is. */
#if GENMC
#include <genmc.h>
#else
#include <unistd.h>
#define __VERIFIER_loop_begin() ((void)0)
#define __VERIFIER_spin_start() ((void)0)
#define __VERIFIER_spin_end(ends) ((void)(ends))
#endif
#define MODEL_SPIN_UNTIL(condition)                                            \
    do {                                                                       \
        bool holds_ = false;                                                   \
                                                                               \
        __VERIFIER_loop_begin();                                               \
        while (!holds_) {                                                      \
            __VERIFIER_spin_start();                                           \
            holds_ = (condition);                                              \
            __VERIFIER_spin_end(holds_);                                       \
        }                                                                      \
    } while (0)
#define model_await(condition, arg) MODEL_SPIN_UNTIL((condition)(arg))

/* Each thread may choose so often; after that, and with choices=0, it is the
   first.  A choice is a look at a flag that another thread raises some time. */
#define MODEL_CHOICES MODEL_NUMBER(choices, 0)
static _Atomic bool model_flag[MODEL_THREADS * MODEL_CHOICES + 1];
static _Thread_local int model_chosen;

static inline int model_choose(int n)
{
    int k = 0;

    if (MODEL_CHOICES == 0)
        return 0;
    for (; k < n - 1 && model_chosen != MODEL_CHOICES; k++) {
        int flag = model_me * MODEL_CHOICES + model_chosen++;

        if (!atomic_load_explicit(&model_flag[flag], memory_order_relaxed))
            break;
    }
    return k;
}

static inline void *model_raise_flags(void *arg)
{
    for (int k = 0; k < MODEL_THREADS * MODEL_CHOICES; k++)
        atomic_store_explicit(&model_flag[k], true, memory_order_relaxed);
    return arg;
}

static void *model_run_thread(void *arg)
{
    model_me = (int)(intptr_t)arg;
    model_threads[model_me].run(model_threads[model_me].arg);
    return NULL;
}

int main(void)
{
    pthread_t flags;

#if !GENMC
    alarm(60); /* a wake-up that was lost */
#endif
    model_setup();
    for (int t = 0; t < model_thread_count; t++)
        if (pthread_create(&model_threads[t].id, NULL, model_run_thread,
                           (void *)(intptr_t)t))
            abort();
    if (MODEL_CHOICES && pthread_create(&flags, NULL, model_raise_flags, NULL))
        abort();
    for (int t = 0; t < model_thread_count; t++)
        pthread_join(model_threads[t].id, NULL);
    if (MODEL_CHOICES)
        pthread_join(flags, NULL);
    model_verify_all();
    return 0;
}

/* ---- the system ---- */

bool tweed__fence_heavy(void)
{
    atomic_thread_fence(memory_order_seq_cst);
    return true;
}

void tweed__pause(void)
{
}

void tweed__yield(void)
{
}

/* As in vm.c: a wait that is bounded by time is over at the second look. */
uint64_t tweed__clock(void)
{
    static _Thread_local uint64_t now;

    return now += UINT64_C(1) << 40;
}

/* Who sleeps on which word, as in the kernel: the look at the word and going to
   sleep are one step for those who wake. */
static struct {
    _Atomic uint32_t *word; /* NULL: awake */
    uint32_t mask;
    _Atomic bool asleep;
} model_sleeper[MODEL_THREADS];
static pthread_mutex_t model_kernel = PTHREAD_MUTEX_INITIALIZER;

void tweed__futex_wait(_Atomic uint32_t *word, uint32_t value, uint32_t mask)
{
    int me = model_me;
    bool sleeps;

    pthread_mutex_lock(&model_kernel);
    sleeps = atomic_load_explicit(word, memory_order_relaxed) == value;
    if (sleeps) {
        model_sleeper[me].word = word;
        model_sleeper[me].mask = mask;
        atomic_store_explicit(&model_sleeper[me].asleep, true,
                              memory_order_relaxed);
    }
    pthread_mutex_unlock(&model_kernel);
    if (sleeps)
        MODEL_SPIN_UNTIL(!atomic_load_explicit(&model_sleeper[me].asleep,
                                               memory_order_acquire));
}

void tweed__futex_wait_for(_Atomic uint32_t *word, uint32_t value, uint32_t mask,
                           uint64_t ns)
{
    (void)ns; /* no case waits so */
    tweed__futex_wait(word, value, mask);
}

int tweed__futex_wake(_Atomic uint32_t *word, int n, uint32_t mask)
{
    int woken = 0;

    pthread_mutex_lock(&model_kernel);
    for (int t = 0; t < model_thread_count && woken < n; t++)
        if (model_sleeper[t].word == word && model_sleeper[t].mask & mask) {
            model_sleeper[t].word = NULL;
            atomic_store_explicit(&model_sleeper[t].asleep, false,
                                  memory_order_release);
            woken++;
        }
    pthread_mutex_unlock(&model_kernel);
    return woken;
}

/* GenMC has no structs that are a thread's own: who includes lib/pool/thread.c has
   one for each thread instead. */
#define _Thread_local
#define TWEED__TLS

#endif
