/*
 * tsan.c - tells checkers of races of the edges that they cannot see.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "base/tsan.h"

#include <link.h>

#if defined(HAVE_VALGRIND_HELGRIND_H) && defined(HAVE_VALGRIND_DRD_H)
#include <valgrind/helgrind.h>

#include <valgrind/drd.h>
#endif

/* NVALGRIND: by the user, or by valgrind.h for a machine that it does not know (riscv64) */
#if defined(HAVE_VALGRIND_HELGRIND_H) && defined(HAVE_VALGRIND_DRD_H) && !defined(NVALGRIND)
#define HAVE_REQUESTS 1
#else
#define HAVE_REQUESTS 0
#endif

enum tweed__checker tweed__checked;

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

/* ---- helgrind and drd ---- */

#if HAVE_REQUESTS

static void hide(void *memory, size_t bytes)
{
    VALGRIND_HG_DISABLE_CHECKING(memory, bytes);
    VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_START_SUPPRESSION, memory, bytes, 0, 0,
                                    0);
}

/* Hides the variables of the object that this code is in, unless that is the program. */
static int hide_object(struct dl_phdr_info *object, size_t size, void *is_first)
{
    bool is_program = *(bool *)is_first, has = false;
    ElfW(Addr) here = (ElfW(Addr))&tweed__checked;

    (void)size;
    *(bool *)is_first = false;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        ElfW(Addr) from = object->dlpi_addr + p->p_vaddr;

        if (p->p_type != PT_LOAD || !(p->p_flags & PF_W) || here < from ||
            here - from >= p->p_memsz)
            continue;
        has = true;
        if (!is_program)
            hide((void *)from, p->p_memsz);
    }
    return has;
}

/* Which of valgrind's tools runs the process, if any does: others answer with the default. */
static bool find_tool(void)
{
    static char byte;
    bool is_first = true;

    if (!RUNNING_ON_VALGRIND)
        return false;
    /* helgrind says of how many bytes it knows, and drd which thread calls, from 1 on */
    if (!VALGRIND_DO_CLIENT_REQUEST_EXPR(0, _VG_USERREQ__HG_GET_ABITS, &byte, NULL, 1, 0, 0) &&
        !DRD_GET_DRD_THREADID)
        return false;
    dl_iterate_phdr(hide_object, &is_first);
    return true;
}

#else

static bool find_tool(void)
{
    return false;
}

#endif

/* Before all other constructors of the library, or of a program that has it inside. */
__attribute__((constructor(101))) static void find_checker(void)
{
    enum tweed__checker found = find_tool()      ? TWEED__VALGRIND
                                : __tsan_acquire ? TWEED__TSAN
                                                 : TWEED__NO_CHECKER;

    __atomic_store_n(&tweed__checked, found, __ATOMIC_RELAXED); /* see tsan.h */
}

static enum tweed__checker checker(void)
{
    return __atomic_load_n(&tweed__checked, __ATOMIC_RELAXED); /* as in tsan.h */
}

void tweed__checked_acquire(void *address)
{
    if (checker() == TWEED__TSAN)
        __tsan_acquire(address);
#if HAVE_REQUESTS
    else
        ANNOTATE_HAPPENS_AFTER(address);
#endif
}

void tweed__checked_release(void *address)
{
    if (checker() == TWEED__TSAN)
        __tsan_release(address);
#if HAVE_REQUESTS
    else
        ANNOTATE_HAPPENS_BEFORE(address);
#endif
}

void tweed__checked_hide(void *memory, size_t bytes)
{
#if HAVE_REQUESTS
    if (checker() == TWEED__VALGRIND)
        hide(memory, bytes);
#else
    (void)memory;
    (void)bytes;
#endif
}
