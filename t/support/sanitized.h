/*
 * sanitized.h - is this built with a sanitizer that has a large run time?
 *
 * SPDX-License-Identifier: MIT
 *
 * Those need more of /proc, of memory and of the stack than some tests leave them.
 */
#ifndef TWEED_T_SANITIZED_H
#define TWEED_T_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAVE_RUNTIME_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAVE_RUNTIME_SANITIZER 1
#endif
#endif
#ifndef HAVE_RUNTIME_SANITIZER
#define HAVE_RUNTIME_SANITIZER 0
#endif

#endif
