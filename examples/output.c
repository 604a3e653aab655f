/*
 * output.c - an output file that is there whole or not at all.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* POSIX 2008 with realpath() */

#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

static bool is_same_file(const struct stat *status, int fd)
{
    struct stat other;
    return fstat(fd, &other) == 0 && other.st_dev == status->st_dev &&
           other.st_ino == status->st_ino;
}

/* Opens what is not to be replaced but written to.  That is a device or a pipe;
   and a file that is our stdout or stderr, which would go on with the old one:
   these are written where the shell has put them. */
static bool open_directly(const char *name, int *fd)
{
    struct stat status;

    if (stat(name, &status) != 0)
        return false; /* it does not exist; if it is worse, open() will say */
    if (is_same_file(&status, 1))
        *fd = dup(1);
    else if (is_same_file(&status, 2))
        *fd = dup(2);
    else if (!S_ISREG(status.st_mode))
        *fd = open(name, O_WRONLY);
    else
        return false;
    return true;
}

/* Creates target.N.tmp for the first N that is free; its descriptor, or -1. */
static int create_temporary(struct output *output)
{
    size_t size = strlen(output->target) + 32;

    output->temporary = allocate(NULL, size, 1);
    for (int n = 0; n < 1000; n++) {
        snprintf(output->temporary, size, "%s.%d.tmp", output->target, n);
        /* exclusively: another process may be at the same name's output */
        int fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Opens the temporary file for a name that is a regular file's, or nobody's
   yet; its descriptor, or -1. */
static int open_replacement(struct output *output)
{
    struct stat status;
    bool exists = stat(output->name, &status) == 0;

    /* rename() would take no notice of the file's own write protection */
    if (exists && access(output->name, W_OK) != 0)
        return -1;
    /* of a symbolic link the file is replaced, not the link */
    output->target = exists ? realpath(output->name, NULL) : NULL;
    if (!output->target) {
        output->target = allocate(NULL, strlen(output->name) + 1, 1);
        strcpy(output->target, output->name);
    }
    int fd = create_temporary(output);
    if (fd >= 0 && exists)
        fchmod(fd, status.st_mode & 0777);
    return fd;
}

void output_open(struct output *output, const char *name)
{
    int fd;

    *output = (struct output){.name = name};
    signal(SIGXFSZ, SIG_IGN); /* a file too large is an error of write() */
    if (!open_directly(name, &fd))
        fd = open_replacement(output);
    if (fd < 0)
        die("%s: %s", name, strerror(errno));
    output->file = fdopen(fd, "wb");
    if (!output->file)
        output_fail(output, strerror(errno));
}

void output_write(struct output *output, const void *data, size_t size)
{
    if (fwrite(data, 1, size, output->file) != size)
        output_fail(output, strerror(errno));
}

void output_printf(struct output *output, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    if (vfprintf(output->file, format, arguments) < 0)
        output_fail(output, strerror(errno));
    va_end(arguments);
}

void output_close(struct output *output)
{
    /* fclose() writes the rest, and on some file systems only then the disk is
       found full */
    if (fflush(output->file) != 0 || fclose(output->file) != 0)
        output_fail(output, strerror(errno));
    if (output->temporary && rename(output->temporary, output->target) != 0)
        output_fail(output, strerror(errno));
    free(output->temporary);
    free(output->target);
    *output = (struct output){0};
}

void output_fail(struct output *output, const char *reason)
{
    if (output->temporary)
        unlink(output->temporary);
    die("%s: %s", output->name, reason);
}

FILE *output_prepare(const char *name)
{
    struct stat status;
    struct output output;
    bool exists = name && stat(name, &status) == 0;

    if (exists && is_same_file(&status, 1))
        return stderr;
    /* a pipe's reader would take the trial for all that there is */
    if (name && (!exists || S_ISREG(status.st_mode) ||
                 S_ISDIR(status.st_mode))) {
        output_open(&output, name);
        fclose(output.file);
        if (output.temporary)
            unlink(output.temporary);
        free(output.temporary);
        free(output.target);
    }
    return stdout;
}
