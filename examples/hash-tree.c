/*
 * hash-tree.c - hashes all files below a folder: a task for each folder and each file.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nobody knows before how many there are: a folder's task spawns those of what lies in it
 * into the same group, and the group is synced once.  What cannot be read is named, and
 * the exit status is 1.  Symbolic links, devices and pipes are left out.  The tree must
 * not change meanwhile.
 */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tweed.h>
#include <unistd.h>

#include "compare.h"
#include "output.h"
#include "program.h"

/* A file or a folder. */
struct entry {
    struct scan *scan;
    struct entry *next; /* in no order */
    uint64_t hash, bytes;
    int error; /* errno; 0: it was read */
    bool is_folder;
    char path[];
};

/* What has come of a scan, the same each time. */
struct summary {
    uint64_t files, bytes, failed, hash;
};

struct scan {
    const char *root;
    enum variant variant;
    tweed_group group;
    _Atomic(struct entry *) first;
    atomic_int code;      /* not 0: out of memory */
    struct entry **entry; /* all of them, by path */
    size_t count;
    struct summary summary;
};

/* ---- one entry ---- */

/* FNV-1a, by Fowler, Noll and Vo. */
static const uint64_t fnv_start = UINT64_C(0xcbf29ce484222325);

static uint64_t fnv(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

BODY hash_file(struct entry *e)
{
    char buffer[1 << 15];
    /* should it have become a pipe, or a link */
    int fd = open(e->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    ssize_t n = -1;

    if (fd >= 0) {
        e->hash = fnv_start;
        while ((n = read(fd, buffer, sizeof buffer)) > 0) {
            e->hash = fnv(e->hash, buffer, (size_t)n);
            e->bytes += (uint64_t)n;
        }
    }
    if (n < 0)
        e->error = errno;
    if (fd >= 0)
        close(fd);
}

/* A new entry, which the scan has from now on.  NULL: out of memory. */
static struct entry *add(struct scan *s, const char *folder, const char *name)
{
    size_t length = strlen(folder), size = length + strlen(name) + 2;
    struct entry *e = malloc(sizeof *e + size);
    const char *slash = length > 0 && folder[length - 1] != '/' && *name ? "/" : "";

    if (!e)
        return NULL;
    *e = (struct entry){ .scan = s, .next = s->first };
    snprintf(e->path, size, "%s%s%s", folder, slash, name);
    while (!atomic_compare_exchange_weak(&s->first, &e->next, e))
        ;
    return e;
}

static int visit(void *entry);

/* As a task, where there are tasks. */
static int start(struct entry *e)
{
    struct scan *s = e->scan;

    if (s->variant == TWEED)
        return tweed_group_spawn(&s->group, visit, e);
    if (s->variant == OPENMP_TASKS) {
#ifdef _OPENMP
#pragma omp task
        if (visit(e))
            e->scan->code = ENOMEM;
#endif
        return 0;
    }
    return visit(e);
}

/* What lies in a folder. */
static int start_each(struct entry *folder, DIR *dir)
{
    struct dirent *found;
    struct stat status;
    struct entry *e;
    int code = 0;

    while (!code && (errno = 0, found = readdir(dir))) {
        bool is_known;

        if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0)
            continue;
        is_known = fstatat(dirfd(dir), found->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0;
        if (is_known && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
            continue;
        e = add(folder->scan, folder->path, found->d_name);
        if (!e)
            return ENOMEM;
        e->is_folder = is_known && S_ISDIR(status.st_mode);
        code = start(e); /* what is not known will say why */
    }
    if (!code)
        folder->error = errno;
    return code;
}

/* The task.  0, or out of memory. */
static int visit(void *entry)
{
    struct entry *e = entry;
    DIR *dir;
    int code = 0;

    if (!e->is_folder) {
        hash_file(e);
        return 0;
    }
    dir = opendir(e->path);
    if (dir) {
        code = start_each(e, dir);
        closedir(dir);
    } else {
        e->error = errno;
    }
    return code;
}

/* ---- all of them ---- */

static int by_path(const void *a, const void *b)
{
    return strcmp((*(struct entry *const *)a)->path, (*(struct entry *const *)b)->path);
}

static void forget(struct scan *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->entry[i]);
    free(s->entry);
    s->entry = NULL;
    s->count = 0;
    s->first = NULL;
}

static void put_in_order(struct scan *s)
{
    struct summary sum = { .hash = fnv_start };

    for (struct entry *e = s->first; e; e = e->next)
        s->count++;
    s->entry = malloc(s->count * sizeof(struct entry *));
    if (!s->entry)
        die("%s: out of memory (%zu files)", s->root, s->count);
    s->count = 0;
    for (struct entry *e = s->first; e; e = e->next)
        s->entry[s->count++] = e;
    qsort(s->entry, s->count, sizeof(struct entry *), by_path);
    for (size_t i = 0; i < s->count; i++) {
        const struct entry *e = s->entry[i];

        sum.files += !e->is_folder;
        sum.bytes += e->bytes;
        sum.failed += e->error != 0;
        sum.hash = fnv(sum.hash, e->path, strlen(e->path) + 1);
        sum.hash = fnv(sum.hash, &e->hash, sizeof e->hash);
    }
    s->summary = sum;
}

static void run(enum variant variant, void *state)
{
    struct scan *s = state;
    struct entry *root;
    int code = ENOMEM;

    forget(s);
    s->variant = variant;
    root = add(s, s->root, "");
    if (root) {
        root->is_folder = true;
#ifdef _OPENMP
#pragma omp parallel if (variant == OPENMP_TASKS)
#pragma omp single
#endif
        code = start(root);
    }
    if (variant == TWEED && !code)
        code = tweed_group_sync(&s->group);
    if (code || s->code)
        die("%s: out of memory", s->root);
    put_in_order(s);
}

static void write_table(const struct scan *s, const char *name)
{
    struct output output;

    output_open(&output, name);
    for (size_t i = 0; i < s->count; i++) {
        const struct entry *e = s->entry[i];

        if (!e->is_folder && !e->error)
            output_printf(&output, "%016" PRIx64 "  %s\n", e->hash, e->path);
    }
    output_close(&output);
}

static void name_the_bad(const struct scan *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->entry[i]->error)
            fprintf(stderr, "hash-tree: %s: %s\n", s->entry[i]->path,
                    strerror(s->entry[i]->error));
}

int main(int argc, char **argv)
{
    struct scan s = { .group = TWEED_GROUP_INIT };
    struct compare_options measure = COMPARE_DEFAULTS;
    const char *output = "/dev/stdout";
    const struct option options[] = {
        {"FOLDER", 0, OPTION_OPERAND, &s.root, 0, 0, "where the files are"},
        {"output", 'o', OPTION_TEXT, &output, 0, 0, "a line for each file"},
        COMPARE_OPTIONS(measure),
        OPTIONS_END};
    DIR *dir;

    options_read(argc, argv, "hash-tree", "Hashes all files below a folder.", options);
    FILE *report = output_prepare(output);
    dir = opendir(s.root);
    if (!dir)
        die("%s: %s", s.root, strerror(errno));
    closedir(dir);
    struct kernel kernel = {"hash-tree", TASKS, run, &s, &s.summary, sizeof s.summary};
    compare(&kernel, &measure, report);
    write_table(&s, output);
    if (!measure.row)
        fprintf(report, "%" PRIu64 " files of %" PRIu64 " bytes, %" PRIu64 " bad\n",
                s.summary.files, s.summary.bytes, s.summary.failed);
    name_the_bad(&s);
    forget(&s);
    return s.summary.failed ? (finish(), 1) : finish();
}
