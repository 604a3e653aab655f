/*
 * cgroup.c - reads the CPU quota of cgroup v1 and v2.
 *
 * SPDX-License-Identifier: MIT
 *
 * /proc/self/cgroup says in which group the process is ("0::/a/b" for v2,
 * "4:cpu,cpuacct:/a/b" for v1), /proc/self/mountinfo where the hierarchy is
 * mounted and which part of it the mount shows.  A quota of any ancestor counts,
 * so all are read, up to the mount point; the least one is in force.  In a
 * container the path may lie outside of what is mounted: then the mount point
 * itself is the group.
 */
#include "config.h"

#include "system/cgroup.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>

struct hierarchy {
    bool v2;
    char group[PATH_MAX]; /* the process's group in the hierarchy */
    char shown[PATH_MAX]; /* the group that is mounted at: */
    char mount[PATH_MAX];
    char directory[2 * PATH_MAX]; /* mount and what of group is below it */
    const char *root;             /* in front of every path */
    char path[3 * PATH_MAX];      /* of the file to open */
};

static FILE *open_below(struct hierarchy *h, const char *directory,
                        const char *file)
{
    int n = snprintf(h->path, sizeof h->path, "%s%s/%s", h->root, directory,
                     file);

    return n > 0 && (size_t)n < sizeof h->path ? fopen(h->path, "re") : NULL;
}

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ',') && (at[n] == ',' || at[n] == '\0'))
            return true;
    return false;
}

/* The text of a file; NULL: it cannot be read, or is empty. */
static char *read_text(struct hierarchy *h, const char *file)
{
    FILE *f = open_below(h, "/proc/self", file);
    char *text = NULL;
    size_t size = 0;

    if (!f)
        return NULL;
    if (getdelim(&text, &size, '\0', f) < 0) {
        free(text);
        text = NULL;
    }
    fclose(f);
    return text;
}

/* Does a line of a text say what is looked for?  Then it is in *h. */
typedef bool line_fn(struct hierarchy *h, char *line);

static bool find_line(struct hierarchy *h, const char *text, line_fn *says)
{
    bool found = false;

    while (!found && *text) {
        size_t length = strcspn(text, "\n");
        char *line = malloc(length + 1); /* which says() takes apart */

        if (line) {
            memcpy(line, text, length);
            line[length] = '\0';
            found = says(h, line);
            free(line);
        }
        text += length + (text[length] == '\n');
    }
    return found;
}

/* A line of /proc/self/cgroup is "id:controllers:path". */
static bool says_group(struct hierarchy *h, char *line)
{
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(controllers + 1, ':') : NULL;

    if (!path || strlen(path + 1) >= sizeof h->group)
        return false;
    *controllers++ = '\0';
    *path++ = '\0';
    if (h->v2 ? *controllers != '\0' : !has_word(controllers, "cpu"))
        return false;
    memcpy(h->group, path, strlen(path) + 1);
    return true;
}

/* A line of mountinfo is "id parent dev root mount options ... - type source
   super-options"; blanks in paths are written \040 and do not matter here. */
static bool says_mount(struct hierarchy *h, char *line)
{
    char *tail = strstr(line, " - "), *save = NULL;

    if (!tail || strlen(line) >= sizeof h->mount)
        return false;
    *tail = '\0';
    char *type = strtok_r(tail + 3, " ", &save);
    char *source = strtok_r(NULL, " ", &save);
    char *options = source ? strtok_r(NULL, " ", &save) : NULL;

    if (!options)
        return false;
    if (h->v2 ? strcmp(type, "cgroup2") != 0
              : strcmp(type, "cgroup") != 0 || !has_word(options, "cpu"))
        return false;
    return sscanf(line, "%*s %*s %*s %4095s %4095s", h->shown, h->mount) == 2;
}

/* One number, or "max", from a file of the group; -1: none. */
static int64_t read_numbers(struct hierarchy *h, const char *file,
                            int64_t *second)
{
    FILE *f = open_below(h, h->directory, file);
    long long a = -1, b = -1;

    if (!f)
        return -1;
    int n = fscanf(f, "%lld %lld", &a, &b);

    fclose(f);
    if (second)
        *second = n == 2 ? b : -1;
    return n >= 1 ? a : -1;
}

/* Thousandths of a CPU that this very group grants; 0: the group does not say. */
static int64_t quota_of(struct hierarchy *h)
{
    int64_t quota, period = -1;

    if (h->v2) {
        quota = read_numbers(h, "cpu.max", &period);
    } else {
        quota = read_numbers(h, "cpu.cfs_quota_us", NULL);
        if (quota > 0)
            period = read_numbers(h, "cpu.cfs_period_us", NULL);
    }
    if (quota <= 0 || period <= 0 || quota > INT64_MAX / 1000)
        return 0;
    return quota * 1000 / period > 0 ? quota * 1000 / period : 1;
}

/* Where the group's own files are, seen from here. */
static void locate(struct hierarchy *h)
{
    const char *below = h->group;
    size_t shown = strcmp(h->shown, "/") == 0 ? 0 : strlen(h->shown);

    if (shown && strncmp(below, h->shown, shown) == 0 &&
        (below[shown] == '/' || below[shown] == '\0'))
        below += shown;
    else if (shown)
        below = ""; /* the group is outside of what is mounted here */
    if (strcmp(below, "/") == 0)
        below = "";
    snprintf(h->directory, sizeof h->directory, "%s%s", h->mount, below);
}

/* The least quota of the group and its ancestors; 0: none. */
static int64_t least_quota(struct hierarchy *h, bool v2, const char *groups, const char *mounts)
{
    int64_t least = 0;

    h->v2 = v2;
    if (!find_line(h, groups, says_group) || !find_line(h, mounts, says_mount))
        return 0;
    locate(h);
    for (;;) {
        int64_t quota = quota_of(h);
        char *slash = strrchr(h->directory, '/');

        if (quota && (!least || quota < least))
            least = quota;
        if (strlen(h->directory) <= strlen(h->mount) || !slash)
            return least;
        *slash = '\0';
    }
}

/* The kernel makes the texts anew for each reader: the mounts in 30 us here, and more
   where more is mounted.  They are read once, for both hierarchies. */
int64_t tweed__cgroup_quota(const char *root)
{
    struct hierarchy *h = malloc(sizeof *h); /* too large for small stacks */
    char *groups = NULL, *mounts = NULL;
    int64_t v1 = 0, v2 = 0;

    if (!h)
        return 0;
    h->root = root;
    groups = read_text(h, "cgroup");
    mounts = groups ? read_text(h, "mountinfo") : NULL;
    if (mounts) {
        v2 = least_quota(h, true, groups, mounts);
        v1 = least_quota(h, false, groups, mounts);
    }
    free(mounts);
    free(groups);
    free(h);
    return v2 && (!v1 || v2 < v1) ? v2 : v1;
}
