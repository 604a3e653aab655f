/*
 * error.c - the texts of the result codes, what was wrong in a call, and the version.
 *
 * SPDX-License-Identifier: MIT
 *
 * A call that fails returns what tweed_fail_() returns.  So there is a text for each
 * failure, and the text is made nowhere else.  The text is the thread's own, and few
 * calls that succeed touch it: those that try something else where a first try has failed.
 *
 * A thread has a pointer to its text among its thread-local data, where there is little room
 * for the libraries of plugins.  The text's memory comes with the thread's first failure and
 * goes with the thread.  A thread that gets no memory has the text of the code alone.  What
 * other threads have when the library is closed stays, and so does what the parent's other
 * threads had in the child of a fork().
 */
#include "config.h"

#include "base/error.h"
#include "base/atomic.h"
#include "base/print.h"
#include "base/self.h"
#include "base/text.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define ROOM 224 /* for the longest text, with a value of 60 bytes in it */

static TWEED__TLS const char *last; /* NULL: no call has failed */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* has the memory of a thread's text, to free it at the thread's end */
static _Atomic bool has_key;

/* A thread ends. */
static void forget(void *text)
{
    last = NULL;
    free(text);
}

static void make_key(void)
{
    /* release: the key, to delete_key() */
    store_release(&has_key, pthread_key_create(&key, forget) == 0);
}

/* The program ends, or closes the plugin that the library is part of: forget() goes, too.
   Calls that come later have the text of the code alone. */
__attribute__((destructor)) static void delete_key(void)
{
    if (!load_acquire(&has_key)) /* acquires the key; pairs with make_key() */
        return;
    store_relaxed(&has_key, false); /* relaxed: no more than a flag */
    if (last)
        forget(pthread_getspecific(key));
    pthread_key_delete(key);
}

/* Memory for the calling thread's text; NULL: there is none. */
static char *room(void)
{
    char *text;

    pthread_once(&once, make_key);
    if (!load_relaxed(&has_key)) /* relaxed: after pthread_once() */
        return NULL;
    text = pthread_getspecific(key);
    if (!text && (text = malloc(ROOM)) && pthread_setspecific(key, text) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

const char *tweed_strerror(int code)
{
    switch (code) {
#define TWEED_ERROR_CASE(name, value, text)                                    \
    case value:                                                                \
        return text;
        TWEED_ERRORS_(TWEED_ERROR_CASE)
#undef TWEED_ERROR_CASE
    default:
        return "unknown tweed result code";
    }
}

int tweed_fail_(int code, const char *format, ...)
{
    int saved = errno, n;
    char *text = room();
    va_list args;

    last = text ? text : tweed_strerror(code);
    if (text) {
        n = snprintf(text, ROOM, "%s: ", tweed_strerror(code));
        errno = saved; /* for %m */
        va_start(args, format);
        (void)vsnprintf(text + n, ROOM - (size_t)n, format, args);
        va_end(args);
        text_trim(text, ROOM);
    }
    errno = saved;
    return code;
}

int tweed__fail_value(const char *option, int64_t value, const char *expected)
{
    return tweed_fail_(TWEED_EINVAL, "%s is %lld: expected %s", option, (long long)value,
                       expected);
}

int tweed__fail_text(int code, const char *option, const char *value, const char *wrong)
{
    char shown[61];

    return tweed_fail_(code, "%s is '%s': %s", option,
                       tweed__printable(shown, sizeof shown, value), wrong);
}

int tweed__fail_pool(const void *pool)
{
    return tweed_fail_(TWEED_ENOPOOL, "%p is none, or has been destroyed", pool);
}

int tweed__fail_closed(const void *pool)
{
    return tweed_fail_(TWEED_ECLOSED, "%p", pool);
}

const char *tweed_last_error(void)
{
    return last ? last : "";
}

const char *tweed_version(void)
{
    return TWEED_VERSION;
}
