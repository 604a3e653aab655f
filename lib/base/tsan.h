/*
 * tsan.h - tells checkers of races of the edges that they cannot see.
 *
 * SPDX-License-Identifier: MIT
 *
 * A program built with -fsanitize=thread that uses the ordinary library has the
 * sanitizer's run time in it, but not the library's atomics.  Two calls of the run time
 * are then found by weak reference; elsewhere they are null.
 *
 * valgrind's helgrind and drd see every access, and know no atomic operations but locked
 * instructions.  They take the same edges by requests of valgrind's, which other
 * processors of these instructions ignore.  The library's own memory is hidden from them:
 * threads change it by atomic operations, and what is right about these is shown by other
 * means.
 *
 * Which of them looks at the process is found out when the library is loaded.
 */
#ifndef TWEED_LIB_TSAN_H
#define TWEED_LIB_TSAN_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__SANITIZE_THREAD__)
#define TWEED_HAVE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TWEED_HAVE_TSAN 1
#endif
#endif
#ifndef TWEED_HAVE_TSAN
#define TWEED_HAVE_TSAN 0
#endif

/* Which checker looks at this process.  Constant from the library's first constructor on.  A
   program's own first constructor may have started workers before: so relaxed, they may see
   either.  Hidden, so that one instruction compares it.  (Tests in C++ have no _Atomic.) */
enum tweed__checker { TWEED__NO_CHECKER, TWEED__TSAN, TWEED__VALGRIND };
extern enum tweed__checker tweed__checked __attribute__((visibility("hidden")));

void tweed__checked_acquire(void *address);
void tweed__checked_release(void *address);
void tweed__checked_hide(void *memory, size_t bytes);

#ifdef TWEED_UNTRACED /* a checker of lib/ */
#define TWEED__CHECKED false
#else
#define TWEED__CHECKED \
    __builtin_expect(__atomic_load_n(&tweed__checked, __ATOMIC_RELAXED) != TWEED__NO_CHECKER, 0)
#endif

static inline void tweed__tsan_acquire(void *address)
{
    if (TWEED__CHECKED)
        tweed__checked_acquire(address);
}

static inline void tweed__tsan_release(void *address)
{
    if (TWEED__CHECKED)
        tweed__checked_release(address);
}

/* Memory of the library's own, which threads share by atomic operations; until it is
   freed or unmapped. */
static inline void tweed__tsan_hide(void *memory, size_t bytes)
{
    if (TWEED__CHECKED)
        tweed__checked_hide(memory, bytes);
}

#endif
