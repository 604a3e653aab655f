/*
 * tracing.c - starts and stops traces, and writes them: as the program calls, or as the
 * environment asks for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "base/number.h"
#include "base/options.h"
#include "base/print.h"
#include "base/shield.h"
#include "log/trace.h"
#include "pool/above.h"
#include "pool/pool.h"
#include "view/tracefile.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <tweed/sized.h>
#include <unistd.h>

/* How many events a ring has; 0: the default. */
static uint64_t capacity_of(uint64_t events)
{
    return trace_capacity(events ? events
                                 : (uint64_t)tweed__option(TWEED__TRACE_EVENTS)->number);
}

void tweed__trace_team(struct tweed__team *team)
{
    if (!load_relaxed(&tweed__tracing)) /* the registry's lock orders it */
        return;
    (void)tweed__trace_lock();
    for (int i = 1; i < team->num_workers; i++)
        if (!tweed__trace_add(&team->workers[i]->who))
            break; /* workers that do something may yet get a lane */
    tweed__trace_unlock();
}

/* Under the registry's lock. */
static void begin(uint64_t events)
{
    tweed__number_prepare();
    tweed__trace_hold();
    (void)tweed__trace_lock();
    tweed__trace_begin(capacity_of(events));
    tweed__trace_unlock();
    tweed__trace_let_go();
    for (tweed_pool *p = tweed__registry_next(NULL); p; p = tweed__registry_next(p)) {
        struct tweed__team *team = load_relaxed(&p->team); /* the lock orders it */

        if (team)
            tweed__trace_team(team);
    }
}

static int start(const tweed_trace_options *o)
{
    const struct tweed__option *bounds = tweed__option(TWEED__TRACE_EVENTS);

    if (o->events && (o->events < (uint64_t)bounds->least ||
                      o->events > (uint64_t)bounds->most))
        return tweed_fail_(TWEED_EINVAL, "tweed_trace_options.events is %llu: expected %s, "
                           "or 0", (unsigned long long)o->events, bounds->values);
    tweed__registry_lock();
    begin(o->events);
    tweed__registry_unlock();
    return TWEED_OK;
}

int tweed_trace_start(const tweed_trace_options *options)
{
    tweed_trace_options known = TWEED_TRACE_OPTIONS_INIT;
    struct shield shield;
    int code;

    if (options && !tweed_sized_read_(&known, sizeof known, options))
        return tweed_sized_fail_("tweed_trace_options", options, sizeof known);
    shield = shield_up();
    code = start(&known);
    shield_down(shield);
    return code;
}

void tweed_trace_stop(void)
{
    struct shield shield = shield_up();

    (void)tweed__trace_lock();
    tweed__trace_end();
    tweed__trace_unlock();
    shield_down(shield);
}

/* A FIFO without a reader is not waited for: opening it without blocking fails. */
static int open_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);

    if (fd >= 0)
        (void)fcntl(fd, F_SETFL, 0); /* refused: writing to a full pipe is an error then */
    return fd;
}

/* 0, or an errno. */
static int write_to(const char *path, struct tweed__written *written)
{
    int fd = open_file(path), error;

    if (fd < 0)
        return errno;
    error = tweed__trace_write(fd, written);
    if (close(fd) != 0 && !error && errno != EINTR)
        error = errno;
    return error;
}

int tweed_trace_write(const char *path)
{
    struct tweed__written written;
    struct shield shield;
    char shown[61];
    int error;

    if (!path)
        return TWEED_LACKS_("path");
    shield = shield_up();
    errno = error = write_to(path, &written);
    if (error)
        (void)tweed_fail_(TWEED_EINVAL, "tweed_trace_write: path is '%s': %m",
                          tweed__printable(shown, sizeof shown, path));
    shield_down(shield);
    return error ? TWEED_EINVAL : TWEED_OK;
}

/* ---- TWEED_TRACE ---- */

static pid_t asked_in; /* the process that has its trace; under the registry's lock */

/* The file's name, with the process's number for each %p. */
static void name_file(char *name, size_t size)
{
    const char *at = tweed__option(TWEED__TRACE)->text;
    size_t n = 0;

    while (*at && n + 1 < size) {
        bool number = at[0] == '%' && at[1] == 'p';
        int more = number ? snprintf(name + n, size - n, "%ld", (long)getpid())
                          : snprintf(name + n, size - n, "%c", *at);

        n += (size_t)more;
        at += number ? 2 : 1;
    }
    if (*at || n >= size)
        *name = '\0'; /* longer than any file's name */
}

void tweed__trace_as_asked(void)
{
    const char *name = tweed__option(TWEED__TRACE)->text;

    if (!*name || asked_in == getpid() || (asked_in && !strstr(name, "%p")))
        return;
    asked_in = getpid();
    begin(0);
}

static void write_as_asked(void)
{
    struct tweed__written written = { 0, 0 };
    char name[PATH_MAX], shown[401];

    name_file(name, sizeof name);
    errno = write_to(name, &written);
    (void)tweed__printable(shown, sizeof shown, name);
    if (errno)
        tweed__print(tweed__stderr(), "tweed: cannot write the trace to '%s': %m\n",
                     shown);
    else if (written.dropped)
        tweed__print(tweed__stderr(),
                     "tweed: the trace in '%.200s' has the newest %llu events; %llu "
                     "were dropped (TWEED_TRACE_EVENTS=n keeps n of each thread)\n",
                     shown, (unsigned long long)written.events,
                     (unsigned long long)written.dropped);
}

/* Other threads may be in loops: they go on, and are not recorded any more. */
__attribute__((destructor)) static void at_exit(void)
{
    struct shield shield = shield_up();
    bool asked;

    tweed__registry_lock();
    asked = asked_in && asked_in == getpid();
    tweed__registry_unlock();
    if (asked) {
        tweed_trace_stop();
        write_as_asked();
    }
    shield_down(shield);
}
