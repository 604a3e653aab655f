/*
 * plugin.c - a plugin that has the library inside is closed while threads spin.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nothing has told the linker that such an object must stay, so the library does it
 * at run time.  Each plugin is a copy of the file with a name of its own: one that
 * was opened before might have stayed for other reasons.
 */
#include "child.h"
#include "self.h"
#include "tap.h"

#include <dlfcn.h>
#include <string.h>

/* glibc has 1,664 bytes for the thread-local data of all objects that come late, and need
   them in a block of each thread: some 90 for each copy. */
#define COPIES 12

static char path[4096], work[] = "/tmp/tweed-plugin.XXXXXX";

static int copy(const char *to)
{
    char buffer[65536];
    FILE *in = fopen(path, "r"), *out = fopen(to, "w");
    size_t n = 0;
    int good = in && out;

    while (good && (n = fread(buffer, 1, sizeof buffer, in)) > 0)
        good = fwrite(buffer, 1, n, out) == n;
    if (in)
        fclose(in);
    return out && fclose(out) == 0 && good;
}

/* Is there an object of that name in memory? */
static int is_loaded(const char *name)
{
    void *object = dlopen(name, RTLD_NOW | RTLD_NOLOAD);

    if (object)
        dlclose(object);
    return object != NULL;
}

/* Opens the plugin, calls the function in it, closes it. */
static int use(const char *name, const char *function)
{
    void *plugin = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    void *symbol = plugin ? dlsym(plugin, function) : NULL;
    int (*run)(void) = NULL, good;

    if (!symbol) {
        diag("%s", dlerror());
        return 0;
    }
    memcpy(&run, &symbol, sizeof run); /* POSIX says that it is a function */
    good = run();
    return dlclose(plugin) == 0 && good;
}

/* The same of a copy, whose file is gone before it is closed. */
static int use_copy(const char *name, const char *function)
{
    void *plugin = copy(name) ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
    int good = unlink(name) == 0 && plugin && use(name, function);

    return good && dlclose(plugin) == 0;
}

/* Under memcheck few: where many of them stay the C library itself loses memory, without
   tweed, too (glibc 2.36, resize_scopes()). */
static int copies(void)
{
    return under_memcheck() ? 3 : COPIES;
}

/* In a child, which crashes where the code is taken away. */
static int many(void *arg)
{
    (void)arg;
    for (int i = 0; i < copies(); i++) {
        char name[100];

        snprintf(name, sizeof name, "%s/plugin%d.so", work, i);
        if (!use_copy(name, "plugin_run") || !is_loaded(name))
            return 1;
    }
    usleep(20000); /* the threads go on in their code */
    return 0;
}

/* By a name that is found from another folder only. */
static int relative(void *arg)
{
    (void)arg;
    if (chdir(work) != 0 || !use_copy("./plugin.so", "plugin_run"))
        return 1;
    usleep(20000);
    return is_loaded("./plugin.so") ? 0 : 1;
}

static int again(void *arg)
{
    (void)arg;
    for (int i = 0; i < COPIES; i++)
        if (!use(path, "plugin_run"))
            return 1;
    return 0;
}

/* Nothing runs in it: it need not stay. */
static int unused(void *arg)
{
    char name[100];

    (void)arg;
    snprintf(name, sizeof name, "%s/unused.so", work);
    return use_copy(name, "plugin_rest") && !is_loaded(name) ? 0 : 1;
}

int main(void)
{
    const char *top = getenv("top_builddir");
    char built[4096];

    snprintf(built, sizeof built, "%s/t/process/.libs/plugin-module.so", top ? top : ".");
    if (!realpath(built, path))
        skip_all("no plugin was built");
    if (!mkdtemp(work))
        skip_all("no folder to work in");
    plan(4);
    watchdog();
    ok(child_exited(child_run(many, NULL), 0),
       "%d plugins run a loop and are closed while their threads spin", copies());
    ok(child_exited(child_run(again, NULL), 0), "one plugin, %d times", COPIES);
    ok(child_exited(child_run(relative, NULL), 0), "opened by a relative name");
    ok(child_exited(child_run(unused, NULL), 0),
       "a plugin that ran no loop is unloaded");
    rmdir(work);
    return done_testing();
}
