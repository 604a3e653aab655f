/*
 * made-up.h - files of a made-up system, below a root of their own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_MADE_UP_H
#define TWEED_T_MADE_UP_H

#include "tap.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Writes a file below the root, with the directories that it needs.  path begins with a
   slash. */
static inline void made_up_put(const char *root, const char *path, const char *text)
{
    char name[PATH_MAX];
    FILE *f;

    snprintf(name, sizeof name, "%s%s", root, path);
    for (char *at = name + strlen(root) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(name, 0777);
        *at = '/';
    }
    f = fopen(name, "w");
    if (!f || fputs(text, f) == EOF || fclose(f) != 0) {
        diag("%s: %s", name, strerror(errno));
        bail_out("a made-up file cannot be written");
    }
}

/* Takes away what made_up_put() wrote below the root, names with a dot in front excepted;
   the root stays.  A shell reads its name. */
static inline void made_up_clear(const char *root)
{
    char command[PATH_MAX];

    snprintf(command, sizeof command, "rm -rf %s/*", root);
    if (system(command) != 0)
        bail_out("a made-up system cannot be emptied");
}

#endif
