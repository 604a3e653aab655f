/*
 * pin.c - keeps the library's code in memory.
 *
 * SPDX-License-Identifier: MIT
 *
 * Threads of a pool outlive the call that started them.  If dlclose() took their
 * code away they would crash.  Where the library is
 *
 *   libtweed.so         it is linked with -z nodelete: there is nothing to do;
 *   part of a program   programs stay: there is nothing to do;
 *   part of a plugin    (a shared object that libtweed.a was linked into, with
 *                       whatever flags) the plugin is opened once more, by its own
 *                       name, with RTLD_NODELETE.
 *
 * The last happens when the first pool starts, not when the plugin is loaded: a
 * plugin that ran no loop can be unloaded.
 *
 * dlopen() waits while another thread is inside of it, running constructors, which
 * may start pools.  So no lock of ours is held here.
 *
 * dlopen() is looked up, since the linker warns of each reference to it in a static
 * program.  The reference to dlsym() is weak: before glibc 2.34 it is in libdl, which
 * a program that opens plugins has, and others do not need.
 */
#include "config.h"

#include "system/pin.h"
#include "base/atomic.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma weak dlsym

typedef void *open_fn(const char *name, int flags);

static _Atomic uint32_t is_done; /* 1: the code stays */

/* Was the object linked with -z nodelete? */
static bool has_nodelete(const struct dl_phdr_info *object)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];

        if (p->p_type != PT_DYNAMIC)
            continue;
        for (const ElfW(Dyn) *d =
                 (const ElfW(Dyn) *)(object->dlpi_addr + p->p_vaddr);
             d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_FLAGS_1)
                return d->d_un.d_val & DF_1_NODELETE;
    }
    return false;
}

/* Ends the search with 1 at the object that is_done is in; *result: the object's name if
   it is a plugin. */
static int look_for_own(struct dl_phdr_info *object, size_t size, void *result)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];

        if (p->p_type != PT_LOAD ||
            (uintptr_t)&is_done - (object->dlpi_addr + p->p_vaddr) >= p->p_memsz)
            continue;
        if (object->dlpi_name[0] && !has_nodelete(object)) /* "": the program */
            *(const char **)result = object->dlpi_name;
        return 1;
    }
    (void)size;
    return 0;
}

/* True if the plugin stays, or if there is no dlopen(), so that nothing can close it. */
static bool open_for_good(const char *plugin)
{
    void *symbol = dlsym ? dlsym(RTLD_DEFAULT, "dlopen") : NULL;
    open_fn *open = NULL;

    memcpy(&open, &symbol, sizeof open); /* POSIX says that it is a function */
    /* the name is that of an object that is loaded: no file is looked for */
    return !open || open(plugin, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

void tweed__pin(void)
{
    const char *plugin = NULL;

    if (load_relaxed(&is_done)) /* relaxed: to pin twice does no harm */
        return;
    dl_iterate_phdr(look_for_own, &plugin);
    if (!plugin || open_for_good(plugin))
        store_relaxed(&is_done, 1); /* else the next pool that starts tries again */
}
