/*
 * tsan.h - tells ThreadSanitizer of the edges that it cannot see.
 *
 * SPDX-License-Identifier: MIT
 *
 * A program built with -fsanitize=thread that uses the ordinary library has the
 * sanitizer's run time in it, but not the library's atomics.  Two calls of the run time
 * are then found by weak reference; elsewhere they are null.
 */
#ifndef TWEED_LIB_TSAN_H
#define TWEED_LIB_TSAN_H

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

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

static inline void tweed__tsan_acquire(void *address)
{
    if (__tsan_acquire)
        __tsan_acquire(address);
}

static inline void tweed__tsan_release(void *address)
{
    if (__tsan_release)
        __tsan_release(address);
}

#endif
