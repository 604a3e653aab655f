/*
 * tweed/task.h - fork and join: tasks that start tasks.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.h.
 *
 *     TWEED_TASK(long, fib, int, n)
 *     {
 *         if (n < 2)
 *             return n;
 *         TWEED_SPAWN(fib, n - 1);
 *         long b = TWEED_CALL(fib, n - 2);
 *         return TWEED_SYNC(fib) + b;
 *     }
 *     ...
 *     long r = TWEED_RUN(fib, 38);
 *
 * A task that was spawned lies as a record in the deque of its worker: function and
 * arguments, in 64 bytes.  Spawning writes the record, syncing takes it back and calls the
 * function, both in place, as long as no worker has stolen it.  The deque's words, and
 * which thread may change them: lib/range/deque.c of the source.
 *
 * Names that end with _ are tweed's own.
 */
#ifndef TWEED_H
#include <tweed.h> /* which includes this file */
#endif
#ifndef TWEED_TASK_H
#define TWEED_TASK_H

#ifdef __cplusplus
extern "C" {
#endif

#define TWEED_TASK_BYTES_ 48

struct tweed_deque_;

/* A task that was spawned and not yet joined.  Its arguments stand in data, and then
   its result. */
struct tweed_task_ {
    /* Executes the task in t; tasks that it spawns lie from `top` on. */
    void (*run)(struct tweed_deque_ *d, struct tweed_task_ *top, struct tweed_task_ *t);
    uint32_t state; /* the library's */
    uint32_t reserved;
    __attribute__((__aligned__(16))) char data[TWEED_TASK_BYTES_];
};

/* What this file knows of a worker's deque.  The library has more behind it.  A task's
   body knows its record by a pointer.  The deque's words have the place of a record, which
   is bits 6 to 29 of its address: all records of a deque lie in one GiB, between two
   multiples of that, and not in the last 16 MiB. */
struct tweed_deque_ {
    uint32_t top;     /* records below it are in use; the owner's.  The low half of an
                         address */
    uint32_t ceiling; /* an owner whose top is no lower asks the library; thieves that
                         find nothing set it to 0 */
    struct tweed_task_ *records; /* the first one */
    char apart[128 - 2 * sizeof(uint32_t) - sizeof(struct tweed_task_ *)];
    uint64_t word; /* which records thieves may have */
};

/* Executes the task in t, whose run and data are filled in.  The caller is the first
   worker of this task and of all that it spawns.  Returns when the task is over; its
   result stands in t->data. */
TWEED_API_ void tweed_task_start_(tweed_pool *pool, const char *name,
                                  struct tweed_task_ *t);

/* The deque of the innermost task that the caller is in, where tasks of this pool may be
   spawned, above its top; NULL: the caller is in none, or a loop is between. */
TWEED_API_ struct tweed_deque_ *tweed_task_deque_(tweed_pool *pool);

/* tweed_spawned_() off its fast path. */
TWEED_API_ __attribute__((__cold__)) void tweed_task_spawn_slow_(struct tweed_deque_ *d);

/* tweed_is_private_() was false.  1: the record is the caller's after all, to be
   executed.  0: another worker has executed it, and the result is there. */
TWEED_API_ __attribute__((__cold__)) int tweed_task_sync_slow_(struct tweed_deque_ *d,
                                                               struct tweed_task_ *t);

/* A program that is compiled without optimisation, or with -DTWEED_DEBUG=1, checks that
   TWEED_SYNC() names the task that the caller has spawned last: else this says so, and
   aborts.  wrong: 0, nothing is left that the caller has spawned; 1, another task is. */
TWEED_API_ __attribute__((__noreturn__, __cold__)) void tweed_task_sync_failed_(
    const char *name, int wrong);

#ifdef TWEED_DEBUG
#define TWEED_SYNCS_CHECKED_ (TWEED_DEBUG + 0)
#elif defined(__OPTIMIZE__)
#define TWEED_SYNCS_CHECKED_ 0
#else
#define TWEED_SYNCS_CHECKED_ 1
#endif

/* Then a task's body has one more argument, the top that it began with. */
#if TWEED_SYNCS_CHECKED_
#define TWEED_BASE_PARAMETER_ , TWEED_UNUSED_ const struct tweed_task_ *const tweed_base_
#define TWEED_BASE_(top) , (top)
#define TWEED_CHECK_SYNC_(name, d, top)                                        \
    if ((top) <= tweed_base_)                                                  \
        tweed_task_sync_failed_(#name, 0);                                     \
    if ((top)[-1].run != name##_tweed_run)                                     \
        tweed_task_sync_failed_(#name, 1);
#else
#define TWEED_BASE_PARAMETER_
#define TWEED_BASE_(top)
#define TWEED_CHECK_SYNC_(name, d, top)
#endif

#ifndef TWEED_CURSOR_ATOMICS_ /* a checker has its own */
/* release, both: the records below top, with a thief's acquire of top.  A thief may read
   a top that was lowered, after a raise that it has not read: C11 has the release of that
   go on in this thread's next stores, C++20 has not */
#define TWEED_TOP_RAISE_(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define TWEED_TOP_LOWER_(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
/* relaxed, both: with the light fence the owner's half of the store-buffering pair
   that lib/range/deque.c explains.  Another word than hoped for, or a ceiling, leads to
   the library, which acquires */
#define TWEED_WORD_LOAD_(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define TWEED_CEILING_LOAD_(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#endif

#define TWEED_LIMIT_SHIFT_ 40 /* of the first record that is private, in the word */
#define TWEED_PLACE_SHIFT_ 6  /* of a record's place, in its address */

TWEED_INLINE_ uint32_t tweed_low_(const struct tweed_task_ *t)
{
    return TWEED_VALUE_(uint32_t, TWEED_FN_(uintptr_t, t));
}

/* The record to whose address this low half belongs. */
TWEED_INLINE_ struct tweed_task_ *tweed_record_(const struct tweed_deque_ *d, uint32_t low)
{
    return d->records + (low - tweed_low_(d->records)) / sizeof(struct tweed_task_);
}

/* The record t, the first above the top, is filled in. */
TWEED_INLINE_ void tweed_spawned_(struct tweed_deque_ *d, struct tweed_task_ *t)
{
    uint32_t above = tweed_low_(t + 1);

    TWEED_TOP_RAISE_(&d->top, above);
    TWEED_LIGHT_FENCE_(); /* with a thief that asks, before it sleeps: lib/task/fork.c */
    if (__builtin_expect(above >= TWEED_CEILING_LOAD_(&d->ceiling), 0))
        tweed_task_spawn_slow_(d);
}

/* Takes the record t, the last one, off.  Is it certain that no thief has it? */
TWEED_INLINE_ int tweed_is_private_(struct tweed_deque_ *d, struct tweed_task_ *t)
{
    /* what is above the place is shifted out.  t's last byte has the place, and below the
       place more than the word has below an equal limit: TWEED__MAX_PLACE */
    uint64_t last = TWEED_FN_(uintptr_t, t) + sizeof *t - 1;

    TWEED_TOP_LOWER_(&d->top, tweed_low_(t));
    TWEED_LIGHT_FENCE_();
    last <<= TWEED_LIMIT_SHIFT_ - TWEED_PLACE_SHIFT_;
    return last > TWEED_WORD_LOAD_(&d->word);
}

/* Stands behind the call that a sync makes.  Without it gcc makes a loop of a task whose
   last call is a sync, keeps in registers what the loop needs, and saves these at each
   leaf, too: a quarter of all instructions of fib. */
#define TWEED_NO_LOOP_() __asm__ volatile("")

#ifdef __cplusplus
}
#endif

/* ---- tasks with their types ---- */

/* A result is copied into the record, which may not be done with void. */
#ifdef __cplusplus
extern "C++" {
template <class T>
struct tweed_result_ {
    template <class F>
    static void put(void *to, F call)
    {
        T r = call();

        __builtin_memcpy(to, &r, sizeof r);
    }
    static T get(const void *from)
    {
        union place { /* no constructor is needed: T is copied bytewise */
            char bytes[sizeof(T)];
            T value;
            place() : bytes() {}
        } p;

        __builtin_memcpy(&p, from, sizeof(T));
        return p.value;
    }
    static_assert(__is_trivially_copyable(T), "a task's result is copied bytewise");
    static_assert(sizeof(T) <= TWEED_TASK_BYTES_,
                  "a task's result has 48 bytes at most: return a pointer");
};
struct tweed_no_loop_ {
    ~tweed_no_loop_() { TWEED_NO_LOOP_(); }
};
template <>
struct tweed_result_<void> {
    template <class F>
    static void put(void *, F call)
    {
        call();
    }
    static void get(const void *) {}
};
}
#define TWEED_RESULT_TYPE_(ret, name)                                          \
    static_assert(__is_trivially_copyable(struct name##_tweed_args),           \
                  "a task's arguments are copied bytewise");
#define TWEED_RESULT_(ret, name) ret
#define TWEED_RESULT_PUT_(ret, name, to, call)                                 \
    tweed_result_<ret>::put((to), [&]() -> ret { return call; })
#define TWEED_RESULT_GET_(ret, name, from) return tweed_result_<ret>::get(from)
#define TWEED_RESULT_PASS_(ret, name, call) return call
#define TWEED_RESULT_LAST_(ret, name, call)                                    \
    const tweed_no_loop_ tweed_n_;                                             \
                                                                               \
    (void)tweed_n_;                                                            \
    return call
#define TWEED_RESULT_USE_(name, call) call
#define TWEED_TASK_ENDS_ noexcept
#else
#define TWEED_RESULT_TYPE_(ret, name)                                          \
    enum { name##_tweed_void = __builtin_types_compatible_p(ret, void) };      \
    typedef __typeof__(*__builtin_choose_expr(                                 \
        __builtin_types_compatible_p(ret, void), (int *)0, (ret *)0))          \
        name##_tweed_result;                                                   \
    _Static_assert(sizeof(name##_tweed_result) <= TWEED_TASK_BYTES_,           \
                   "a task's result has 48 bytes at most: return a pointer");
#define TWEED_RESULT_(ret, name) name##_tweed_result
#define TWEED_RESULT_VALUE_(name, call)                                        \
    __builtin_choose_expr(name##_tweed_void, (call, 0), call)
#define TWEED_RESULT_PUT_(ret, name, to, call)                                 \
    name##_tweed_result tweed_r_ = TWEED_RESULT_VALUE_(name, call);            \
    __builtin_memcpy((to), &tweed_r_, sizeof tweed_r_)
#define TWEED_RESULT_GET_(ret, name, from)                                     \
    name##_tweed_result tweed_r_;                                              \
                                                                               \
    __builtin_memcpy(&tweed_r_, (from), sizeof tweed_r_);                      \
    return tweed_r_
#define TWEED_RESULT_PASS_(ret, name, call)                                    \
    return TWEED_RESULT_VALUE_(name, call)
#define TWEED_RESULT_LAST_(ret, name, call)                                    \
    name##_tweed_result tweed_l_ = TWEED_RESULT_VALUE_(name, call);            \
                                                                               \
    TWEED_NO_LOOP_();                                                          \
    return tweed_l_
#define TWEED_RESULT_USE_(name, call)                                          \
    __builtin_choose_expr(TWEED_PASTE_(name, _tweed_void), (void)call, call)
#define TWEED_TASK_ENDS_
#endif

/* The list of a task: its name, and its arguments. */
#define TWEED_IN_RECORD_(...) TWEED_EACH_ARGUMENT_(TWEED_READ_, , __VA_ARGS__)
#define TWEED_READ_(name, T, a, k) , v_->tweed_a##k##_

/* One by one: a copy of a whole struct whose members were just written waits until these
   are in the cache, 7 ns. */
#ifdef __cplusplus
extern "C++" {
struct tweed_place_ {};
__attribute__((__returns_nonnull__)) inline void *operator new(size_t, tweed_place_,
                                                               void *p) noexcept
{
    return p;
}
}
#define TWEED_PUT_ALL_(name, ...)                                              \
    ::new (tweed_place_(), tweed_t_->data)                                     \
        name##_tweed_args{ TWEED_VALUES_(__VA_ARGS__) };
#else
#define TWEED_PUT_ALL_(name, ...) TWEED_EACH_ARGUMENT_(TWEED_PUT_, , __VA_ARGS__)
#define TWEED_PUT_(name, T, a, k)                                              \
    __builtin_memcpy(tweed_t_->data + __builtin_offsetof(                      \
                                          struct name##_tweed_args,            \
                                          tweed_a##k##_),                      \
                     (const void *)&a, sizeof a);
#endif

/* Executes the record t: arguments out of it, the result into it. */
#define TWEED_TASK_OF_RECORD_(ret, name, fn, ...)                              \
    static TWEED_UNUSED_ void name##fn(                                        \
        struct tweed_deque_ *d_, struct tweed_task_ *top_,                     \
        struct tweed_task_ *t_)                                                \
    {                                                                          \
        const struct name##_tweed_args *v_ =                                   \
            TWEED_TYPED_(const struct name##_tweed_args,                       \
                         TWEED_TYPED_(const void, t_->data));                  \
                                                                               \
        (void)v_;                                                              \
        TWEED_RESULT_PUT_(ret, name, t_->data,                                 \
                          name##_tweed_body(d_, top_ TWEED_BASE_(top_)         \
                                                    TWEED_IN_RECORD_(__VA_ARGS__))); \
    }

/* run     by a thief
   root    the same, from outside.  gcc takes the beginning of a body into its callers (a
           leaf is then no call) if two functions call the body, besides itself
   spawn   TWEED_SPAWN(): in place
   sync    TWEED_SYNC(): in place, unless the record was stolen
   start   TWEED_RUN(): from outside */
#define TWEED_MAKE_TASK_(ret, name, ...)                                       \
    TWEED_CHECK_LIST_(0task_, __VA_ARGS__)                                     \
    static TWEED_UNUSED_ ret name##_tweed_body(                                \
        struct tweed_deque_ *tweed_d_,                                         \
        struct tweed_task_ *tweed_top_ TWEED_BASE_PARAMETER_                   \
            TWEED_PARAMETERS_(__VA_ARGS__)) TWEED_TASK_ENDS_;                  \
    TWEED_ARGUMENTS_(__attribute__((__may_alias__)), name, __VA_ARGS__)        \
    TWEED_ASSERT_(sizeof(struct name##_tweed_args) <= TWEED_TASK_BYTES_,       \
                  "a task's arguments have 48 bytes at most: pass a pointer"); \
    TWEED_ASSERT_(__alignof__(struct name##_tweed_args) <= 16,                 \
                  "a task's arguments are aligned to 16 bytes: pass a pointer"); \
    TWEED_RESULT_TYPE_(ret, name)                                              \
    TWEED_TASK_OF_RECORD_(ret, name, _tweed_run, __VA_ARGS__)                  \
    TWEED_TASK_OF_RECORD_(ret, name, _tweed_root, __VA_ARGS__)                 \
    TWEED_INLINE_ void name##_tweed_fill(                                      \
        struct tweed_task_ *tweed_t_ TWEED_PARAMETERS_(__VA_ARGS__))           \
    {                                                                          \
        TWEED_PUT_ALL_(name, __VA_ARGS__)                                      \
        tweed_t_->run = name##_tweed_run;                                      \
    }                                                                          \
    TWEED_INLINE_ TWEED_RESULT_(ret, name)                                     \
        name##_tweed_sync(struct tweed_deque_ *d_,                             \
                          struct tweed_task_ **tops_ TWEED_BASE_PARAMETER_)    \
    {                                                                          \
        TWEED_CHECK_SYNC_(name, d_, *tops_)                                    \
        struct tweed_task_ *t_ = --*tops_;                                     \
        const struct name##_tweed_args *v_ =                                   \
            TWEED_TYPED_(const struct name##_tweed_args,                       \
                         TWEED_TYPED_(const void, t_->data));                  \
                                                                               \
        (void)v_;                                                              \
        if (__builtin_expect(!tweed_is_private_(d_, t_), 0) &&                 \
            !tweed_task_sync_slow_(d_, t_)) {                                  \
            TWEED_RESULT_GET_(ret, name, t_->data);                            \
        }                                                                      \
        TWEED_RESULT_LAST_(ret, name,                                          \
                           name##_tweed_body(d_, t_ TWEED_BASE_(t_)            \
                                                     TWEED_IN_RECORD_(__VA_ARGS__))); \
    }                                                                          \
    TWEED_INLINE_ TWEED_RESULT_(ret, name) name##_tweed_call(                  \
        struct tweed_deque_ *tweed_d_,                                         \
        struct tweed_task_ *const *tweed_tops_ TWEED_PARAMETERS_(__VA_ARGS__)) \
    {                                                                          \
        TWEED_RESULT_PASS_(                                                    \
            ret, name,                                                         \
            name##_tweed_body(tweed_d_, *tweed_tops_ TWEED_BASE_(*tweed_tops_) \
                                            TWEED_PASSED_(__VA_ARGS__)));      \
    }                                                                          \
    TWEED_INLINE_ void name##_tweed_spawn(                                     \
        struct tweed_deque_ *tweed_d_,                                         \
        struct tweed_task_ **tweed_tops_ TWEED_PARAMETERS_(__VA_ARGS__))       \
    {                                                                          \
        name##_tweed_fill(*tweed_tops_ TWEED_PASSED_(__VA_ARGS__));            \
        tweed_spawned_(tweed_d_, (*tweed_tops_)++);                            \
    }                                                                          \
    static TWEED_UNUSED_ TWEED_RESULT_(ret, name)                              \
        name##_tweed_start(tweed_pool *tweed_pool_ TWEED_PARAMETERS_(__VA_ARGS__)) \
    {                                                                          \
        struct tweed_task_ tweed_t_;                                           \
                                                                               \
        name##_tweed_fill(&tweed_t_ TWEED_PASSED_(__VA_ARGS__));               \
        tweed_t_.run = name##_tweed_root;                                      \
        tweed_task_start_(tweed_pool_, #name, &tweed_t_);                      \
        TWEED_RESULT_GET_(ret, name, tweed_t_.data);                           \
    }                                                                          \
    TWEED_ASSERT_(1, #name)

/* What comes before the braces. */
#define TWEED_TASK_HEAD_(ret, name, ...)                                       \
    static TWEED_UNUSED_ ret name##_tweed_body(                                \
        TWEED_UNUSED_ struct tweed_deque_ *tweed_d_,                           \
        TWEED_UNUSED_ struct tweed_task_ *tweed_top_ TWEED_BASE_PARAMETER_     \
            TWEED_PARAMETERS_(__VA_ARGS__)) TWEED_TASK_ENDS_

#define TWEED_TASK_WHOLE_(ret, name, ...)                                      \
    TWEED_MAKE_TASK_(ret, name, __VA_ARGS__);                                  \
    TWEED_TASK_HEAD_(ret, name, __VA_ARGS__)

/*
 * TWEED_TASK - a function that may be executed by another worker
 *
 *     TWEED_TASK(result, name, type, argument, ...) { body }
 *
 * stands for the function  result name(type argument, ...) { body }  of a serial
 * program.  At file scope, in C11 and C++11.
 *
 * result    a type, or void; 48 bytes at most
 * type...   up to 16 arguments, each a type and its name, as those of TWEED_LOOP();
 *           together 48 bytes at most.  Both are copied bytewise
 *
 * In the body:
 *
 *     TWEED_SPAWN(name, ...)  puts a task into the worker's deque: another worker may
 *                             steal it
 *     TWEED_SYNC(name)        waits for the task that was spawned last and not yet
 *                             synced, and is its result
 *     TWEED_CALL(name, ...)   calls a task in place
 *
 * Each spawned task is synced, in the opposite order, before the task that has spawned
 * it returns.  In one expression the order of these macros is not defined.  A sync of
 * another task than the last one, or one too many, is said on stderr, by name, and aborts,
 * where the program is compiled without optimisation or with -DTWEED_DEBUG=1; else it is
 * undefined.
 *
 * Anywhere, from any thread, also in a task or in the body of a loop:
 *
 *     TWEED_RUN(name, ...)           with the workers of the default pool
 *     TWEED_RUN_ON(pool, name, ...)  of this pool; where it is none, is being destroyed,
 *                                    or has no room, the caller alone
 *
 * Both block until the task is over, and return its result.
 *
 * TWEED_DECLARE_TASK(...); and TWEED_DEFINE_TASK(...) { body } are for a task whose body
 * stands further down.
 *
 * A sync executes the task itself if no worker has stolen it.  Else it helps the thief,
 * and nothing else (leapfrogging; Wagner and Calder 1993): a lock may be held across a
 * sync, if the task that is waited for does not need it.  Tasks must not wait for one
 * another in any other way.
 *
 * Memory ordering: what was done before a spawn happens before the task, and the task
 * before its sync returns.
 *
 * Errors: without memory for records tasks are executed as they are spawned.  A body that
 * is left other than by a return, and a task that was left without its sync where that
 * is noticed, abort the program with a line on stderr.
 */
#define TWEED_TASK(...) TWEED_MAKE_(TWEED_TASK_WHOLE_, __VA_ARGS__)
#define TWEED_DECLARE_TASK(...) TWEED_MAKE_(TWEED_MAKE_TASK_, __VA_ARGS__)
#define TWEED_DEFINE_TASK(...) TWEED_MAKE_(TWEED_TASK_HEAD_, __VA_ARGS__)
#define TWEED_MAKE_(make, ret, ...)                                            \
    TWEED_MAKE_NAMED_(make, ret, TWEED_FIRST_(__VA_ARGS__), __VA_ARGS__)
#define TWEED_MAKE_NAMED_(make, ret, name, ...) make(ret, name, __VA_ARGS__)

/* fn(first, ...) of the task that is named first, with or without arguments behind. */
#define TWEED_TASK_FN_(name, fn) TWEED_PASTE_(name, fn)
#define TWEED_ARGUMENTS_OF_CALL_(...)                                          \
    TWEED_PASTE_(TWEED_BEHIND_,                                                \
                 TWEED_32ND_(__VA_ARGS__, 1_, 1_, 1_, 1_, 1_, 1_, 1_, 1_, 1_, 1_, 1_, \
                             1_, 1_, 1_, 1_, 1_, 1_, 1_, 1_, 1_, 1_, 1_, 1_, 1_, 1_, \
                             1_, 1_, 1_, 1_, 1_, 0_, ~))                       \
    (__VA_ARGS__)
#define TWEED_BEHIND_0_(name)
#define TWEED_BEHIND_1_(name, ...) , __VA_ARGS__

#define TWEED_SPAWN(...)                                                       \
    TWEED_TASK_FN_(TWEED_FIRST_(__VA_ARGS__), _tweed_spawn)(                   \
        tweed_d_, &tweed_top_ TWEED_ARGUMENTS_OF_CALL_(__VA_ARGS__))
#define TWEED_CALL(...)                                                        \
    TWEED_RESULT_USE_(TWEED_FIRST_(__VA_ARGS__),                               \
                      TWEED_TASK_FN_(TWEED_FIRST_(__VA_ARGS__),                \
                                     _tweed_call)(                             \
                          tweed_d_, &tweed_top_ TWEED_ARGUMENTS_OF_CALL_(__VA_ARGS__)))
#define TWEED_SYNC(name)                                                       \
    TWEED_RESULT_USE_(name, name##_tweed_sync(                                 \
                                tweed_d_, &tweed_top_ TWEED_BASE_(tweed_base_)))
#define TWEED_RUN(...) TWEED_RUN_ON(TWEED_NULL_, __VA_ARGS__)
#define TWEED_RUN_ON(pool, ...)                                                \
    TWEED_RESULT_USE_(TWEED_FIRST_(__VA_ARGS__),                               \
                      TWEED_TASK_FN_(TWEED_FIRST_(__VA_ARGS__),                \
                                     _tweed_start)(                            \
                          (pool)TWEED_ARGUMENTS_OF_CALL_(__VA_ARGS__)))

#endif /* TWEED_TASK_H */
