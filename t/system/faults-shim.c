/*
 * faults-shim.c - stands before each function of faults.def.
 *
 * SPDX-License-Identifier: MIT
 *
 * A call that fails does nothing, but for those whose failure leaves nothing to
 * do: a stream or file is gone after fclose() or close() whatever it says, a mapping that cannot be
 * given back is not asked for again, and wakes are done, since a kernel that
 * loses wakes while it lets others sleep is broken (without any futex: futex.c,
 * seccomp.c).
 */
#include "config.h"

#include "faults-shim.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if HAVE_LIBNUMA
#include <numa.h>
#include <numaif.h>
#endif

#define FAULT_BURST 1000 /* so often in a row, if trying again is an answer */

static struct shared {
    struct fault fault;
    atomic_bool armed;
    atomic_int calls[NUM_SITES], injected;
    char text[256];
} *shared;

static atomic_bool has_left; /* this process, see fault_leave() */

/* What this process has. */
static atomic_int blocks, streams, attributes, threads;
static _Atomic size_t mapped; /* bytes: a part of a mapping may be given back */

void fault_prepare(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        abort();
    mapped = 0;
}

void fault_arm(const struct fault *fault)
{
    shared->fault = *fault;
    shared->injected = 0;
    for (int i = 0; i < NUM_SITES; i++)
        shared->calls[i] = 0;
    shared->armed = true;
}

void fault_disarm(void)
{
    shared->armed = false;
}

int fault_calls(enum site site)
{
    return shared->calls[site];
}

int fault_injected(void)
{
    return shared->injected;
}

char *fault_text(size_t *size)
{
    *size = sizeof shared->text;
    return shared->text;
}

void fault_leave(void)
{
    has_left = true;
}

void fault_forget_threads(void)
{
    threads = 0;
}

const char *fault_left(void)
{
    return blocks       ? "memory"
           : streams    ? "a stream"
           : mapped     ? "a mapping"
           : attributes ? "attributes of a thread"
           : threads    ? "a thread"
                        : NULL;
}

/* What is asked for only where another call is refused: that one always is. */
static bool is_in_the_way(enum site site)
{
    enum site failing = shared->fault.site;

    if (site == FAULT_futex_wait)
        return failing == FAULT_nanosleep || failing == FAULT_sched_yield;
    return site == FAULT_nanosleep && failing == FAULT_sched_yield;
}

/* What every caller may answer by trying again: it does end. */
static bool passes(int error)
{
    return error == 0 || error == EAGAIN || error == EINTR;
}

/* Shall this call fail?  Sets errno then. */
static bool due(enum site site)
{
    const struct fault *f;
    int n;

    if (!shared || !shared->armed || has_left)
        return false;
    f = &shared->fault;
    n = ++shared->calls[site];
    if (is_in_the_way(site)) {
        errno = ENOSYS;
        return true;
    }
    if (site != f->site || f->k == 0 || n < f->k ||
        (n > f->k && !f->for_good) ||
        (passes(f->error) && n >= f->k + FAULT_BURST))
        return false;
    shared->injected++;
    if (f->error)
        errno = f->error;
    return true;
}

static int error(void)
{
    return shared->fault.error;
}

#define REAL(type, name, parameters)                                           \
    type __real_##name parameters;                                             \
    type __wrap_##name parameters;                                             \
    type __wrap_##name parameters

/* A function of which nothing need be known but how its failure looks. */
#define SHIM(site, type, name, parameters, arguments, failure)                 \
    REAL(type, name, parameters)                                               \
    {                                                                          \
        return due(FAULT_##site) ? (failure) : __real_##name arguments;        \
    }

/* ---- memory ---- */

static void *had(void *p, atomic_int *kind)
{
    *kind += p != NULL;
    return p;
}

REAL(void *, malloc, (size_t n))
{
    return due(FAULT_malloc) ? NULL : had(__real_malloc(n), &blocks);
}

REAL(void *, calloc, (size_t n, size_t size))
{
    return due(FAULT_calloc) ? NULL : had(__real_calloc(n, size), &blocks);
}

REAL(void *, aligned_alloc, (size_t alignment, size_t n))
{
    return due(FAULT_aligned_alloc)
               ? NULL
               : had(__real_aligned_alloc(alignment, n), &blocks);
}

/* The block that the calling thread keeps until it ends: it is not left over. */
static _Thread_local const void *kept;

REAL(void, free, (void *p))
{
    blocks -= p != NULL && p != kept;
    if (p == kept)
        kept = NULL;
    __real_free(p);
}

REAL(cpu_set_t *, __sched_cpualloc, (size_t n))
{
    return due(FAULT_cpu_alloc) ? NULL
                                : had(__real___sched_cpualloc(n), &blocks);
}

REAL(void, __sched_cpufree, (cpu_set_t *set))
{
    blocks -= set != NULL;
    __real___sched_cpufree(set);
}

#define MMAP(name)                                                             \
    REAL(void *, name, (void *at, size_t bytes, int protection, int flags,     \
                        int fd, off_t offset))                                 \
    {                                                                          \
        void *p = due(FAULT_mmap) ? MAP_FAILED                                 \
                                  : __real_##name(at, bytes, protection,       \
                                                  flags, fd, offset);          \
                                                                               \
        mapped += p != MAP_FAILED ? bytes : 0;                                 \
        return p;                                                              \
    }
MMAP(mmap)
MMAP(mmap64)

REAL(int, munmap, (void *at, size_t bytes))
{
    mapped -= bytes;
    (void)__real_munmap(at, bytes);
    return due(FAULT_munmap) ? -1 : 0;
}

SHIM(mprotect, int, mprotect, (void *at, size_t bytes, int protection),
     (at, bytes, protection), -1)
SHIM(madvise, int, madvise, (void *at, size_t bytes, int advice), (at, bytes, advice),
     -1)

/* ---- the machine ---- */

SHIM(sched_getaffinity, int, sched_getaffinity,
     (pid_t pid, size_t bytes, cpu_set_t *set), (pid, bytes, set), -1)
SHIM(sysconf, long, sysconf, (int name), (name), -1)
#if HAVE_LIBNUMA
SHIM(mbind, long, mbind,
     (void *at, unsigned long bytes, int mode, const unsigned long *mask,
      unsigned long most, unsigned flags),
     (at, bytes, mode, mask, most, flags), -1)
SHIM(move_pages, long, move_pages,
     (int process, unsigned long n, void **pages, const int *nodes, int *status,
      int flags),
     (process, n, pages, nodes, status, flags), -1)
SHIM(numa_available, int, numa_available, (void), (), -1)
SHIM(numa_node_of_cpu, int, numa_node_of_cpu, (int cpu), (cpu), -1)
SHIM(numa_distance, int, numa_distance, (int a, int b), (a, b), 0)
#endif

/* ---- files ---- */

#define FOPEN(name)                                                            \
    REAL(FILE *, name, (const char *path, const char *how))                    \
    {                                                                          \
        return due(FAULT_fopen) ? NULL                                         \
                                : had(__real_##name(path, how), &streams);     \
    }
FOPEN(fopen)
FOPEN(fopen64)

REAL(int, fclose, (FILE *f))
{
    streams--;
    (void)__real_fclose(f);
    return due(FAULT_fclose) ? EOF : 0;
}

SHIM(fgets, char *, fgets, (char *text, int n, FILE *f), (text, n, f), NULL)
SHIM(getc, int, getc, (FILE *f), (f), EOF)

/* The line comes from the heap: the library's free() is counted above. */
REAL(ssize_t, __getdelim, (char **line, size_t *size, int end, FILE *f))
{
    char *before = *line;
    ssize_t n = due(FAULT_getdelim) ? -1
                                    : __real___getdelim(line, size, end, f);

    blocks += !before && *line;
    return n;
}

REAL(ssize_t, getdelim, (char **line, size_t *size, int end, FILE *f))
{
    return __wrap___getdelim(line, size, end, f);
}

#define FSCANF(name)                                                           \
    REAL(int, name, (FILE *f, const char *format, ...))                        \
    {                                                                          \
        va_list args;                                                          \
        int n;                                                                 \
                                                                               \
        va_start(args, format);                                                \
        n = due(FAULT_fscanf) ? (error() ? EOF : 0) : vfscanf(f, format, args); \
        va_end(args);                                                          \
        return n;                                                              \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* it is passed on */
FSCANF(__isoc99_fscanf)
FSCANF(__isoc23_fscanf)
#pragma GCC diagnostic pop

#define OPEN(name)                                                             \
    REAL(int, name, (const char *path, int flags, ...))                        \
    {                                                                          \
        va_list args;                                                          \
        int mode;                                                              \
                                                                               \
        va_start(args, flags); /* lib/ always says which */                    \
        mode = va_arg(args, int);                                              \
        va_end(args);                                                          \
        return due(FAULT_open) ? -1 : __real_##name(path, flags, mode);        \
    }
OPEN(open)
OPEN(open64)

REAL(int, close, (int fd))
{
    (void)__real_close(fd);
    return due(FAULT_close) ? -1 : 0;
}

REAL(ssize_t, write, (int fd, const void *text, size_t n))
{
    if (!due(FAULT_write))
        return __real_write(fd, text, n);
    return error() ? -1 : __real_write(fd, text, n > 0);
}

/* ---- time ---- */

SHIM(clock_gettime, int, clock_gettime, (clockid_t id, struct timespec *t),
     (id, t), -1)
/* The reporter's pause (lib/view/progress.c), a thousandth of it: it has seen a loop twice
   before that is over. */
static const struct timespec *shortened(const struct timespec *t)
{
    static const struct timespec brief = { 0, 100000 };

    return t->tv_sec == 0 && t->tv_nsec == 100000000 ? &brief : t;
}

SHIM(nanosleep, int, nanosleep,
     (const struct timespec *t, struct timespec *rest), (shortened(t), rest), -1)
SHIM(sched_yield, int, sched_yield, (void), (), -1)

/* ---- threads ---- */

SHIM(pthread_atfork, int, pthread_atfork,
     (void (*prepare)(void), void (*parent)(void), void (*child)(void)),
     (prepare, parent, child), error())
SHIM(pthread_attr_setstacksize, int, pthread_attr_setstacksize,
     (pthread_attr_t *attr, size_t bytes), (attr, bytes), error())
SHIM(pthread_attr_setaffinity_np, int, pthread_attr_setaffinity_np,
     (pthread_attr_t *attr, size_t bytes, const cpu_set_t *set),
     (attr, bytes, set), error())
SHIM(pthread_setname_np, int, pthread_setname_np,
     (pthread_t thread, const char *name), (thread, name), error())

SHIM(pthread_key_create, int, pthread_key_create,
     (pthread_key_t *key, void (*destructor)(void *)), (key, destructor), error())
/* The value is a block, or the thread's number. */
REAL(int, pthread_setspecific, (pthread_key_t key, const void *value))
{
    int code = due(FAULT_pthread_setspecific) ? error()
                                              : __real_pthread_setspecific(key, value);

    if (code == 0 && (uintptr_t)value > UINT16_MAX) {
        kept = value;
        blocks--;
    }
    return code;
}

/* By those functions that make something: a result of 0 is one more. */
static int made(int result, atomic_int *kind)
{
    *kind += result == 0;
    return result;
}

REAL(int, pthread_attr_init, (pthread_attr_t *attr))
{
    return due(FAULT_pthread_attr_init)
               ? error()
               : made(__real_pthread_attr_init(attr), &attributes);
}

REAL(int, pthread_attr_destroy, (pthread_attr_t *attr))
{
    attributes--;
    return __real_pthread_attr_destroy(attr);
}

REAL(int, pthread_create, (pthread_t *thread, const pthread_attr_t *attr,
                           void *(*fn)(void *), void *arg))
{
    return due(FAULT_pthread_create)
               ? error()
               : made(__real_pthread_create(thread, attr, fn, arg), &threads);
}

REAL(int, pthread_join, (pthread_t thread, void **result))
{
    threads--;
    return __real_pthread_join(thread, result);
}

/* ---- syscall() ---- */

static enum site site_of(long number, const long *a)
{
    if (number == SYS_futex)
        return ((int)a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET
                   ? FAULT_futex_wait
                   : FAULT_futex_wake;
    if (number != SYS_membarrier)
        abort(); /* a fifth site: give it a row, and a line here */
    return a[0] == MEMBARRIER_CMD_PRIVATE_EXPEDITED ? FAULT_membarrier_fence
                                                    : FAULT_membarrier_register;
}

REAL(long, syscall, (long number, ...))
{
    long a[6]; /* read as the kernel does: six words, whatever was passed */
    enum site site;
    va_list args;

    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    if (has_left)
        return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    site = site_of(number, a);
    if (site == FAULT_futex_wake) /* done, and then denied */
        (void)__real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (due(site))
        return error() || is_in_the_way(site) ? -1 : 0;
    if (site == FAULT_futex_wake)
        return 1;
    return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
