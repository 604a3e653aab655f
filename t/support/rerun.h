/*
 * rerun.h - runs the test program once more, somewhere uncomfortable.
 *
 * SPDX-License-Identifier: MIT
 *
 * What a process looks at once (the environment, its CPUs, /sys) can only be
 * tried again in a new process.  So such a program has a main() that asks
 *
 *     if (argc > 1)
 *         return role(argv[1]);
 *
 * and a parent's part, which starts itself with role names and looks at what
 * came out.  A fork() alone would not do: libnuma looks round in a constructor.
 */
#ifndef TWEED_T_RERUN_H
#define TWEED_T_RERUN_H

#include "sanitized.h"
#include "self.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RERUN_SECONDS 120 /* a hanging child is killed, and the test fails */
#define RERUN_CANNOT 77   /* exit status: the preparation was not possible */

struct rerun {
    int status;      /* as from wait() */
    char out[16384]; /* what it wrote to stdout */
    char err[16384]; /* and to stderr */
};

static inline void rerun_slurp(FILE *f, char *text, size_t size)
{
    size_t n;

    rewind(f);
    n = fread(text, 1, size - 1, f);
    text[n] = '\0';
    fclose(f);
}

/*
 * Runs this program as "self role", with the variables of env ("NAME=value",
 * NULL at the end; env NULL: none) and without any other that tweed reads.
 * prepare(arg) is called in the new process before; not 0: it cannot.
 */
static inline void rerun(struct rerun *c, const char *role,
                             const char *const *env, int (*prepare)(void *),
                             void *arg)
{
    static const char *const read[] = {
        "OMP_NUM_THREADS",
#define TWEED_OPTION(name, kind, least, most, standard, values, meaning)       \
    "TWEED_" #name,
#include "base/options.def"
#undef TWEED_OPTION
    };
    const char *self = self_path(); /* looked up once: /proc may go */
    FILE *out = tmpfile(), *err = tmpfile();
    pid_t pid;

    memset(c, 0, sizeof *c);
    if (!self[0]) {
        printf("Bail out! no /proc/self/exe\n");
        exit(1);
    }
    fflush(stdout);
    pid = out && err ? fork() : -1;
    if (pid < 0) {
        printf("Bail out! no process, or no temporary file\n");
        exit(1);
    }
    if (pid == 0) {
        const char *argv[] = { self, role, NULL };

        alarm(under_qemu() ? 4 * RERUN_SECONDS : RERUN_SECONDS); /* stays over exec */
        for (size_t i = 0; i < sizeof read / sizeof *read; i++)
            unsetenv(read[i]);
        for (; env && *env; env++)
            putenv((char *)(size_t)*env);
        if (prepare && prepare(arg) != 0)
            _exit(RERUN_CANNOT);
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        self_execute(argv);
        _exit(126);
    }
    waitpid(pid, &c->status, 0);
    rerun_slurp(out, c->out, sizeof c->out);
    rerun_slurp(err, c->err, sizeof c->err);
}

static inline int rerun_exited(const struct rerun *c, int code)
{
    return WIFEXITED(c->status) && WEXITSTATUS(c->status) == code;
}

/* Ended with 0 and said nothing on stderr. */
static inline int rerun_was_quiet(const struct rerun *c)
{
    return rerun_exited(c, 0) && c->err[0] == '\0';
}

/* Wrote this very line to stdout. */
static inline int rerun_said(const struct rerun *c, const char *line)
{
    size_t n = strlen(line);

    for (const char *at = c->out; (at = strstr(at, line)); at += n)
        if ((at == c->out || at[-1] == '\n') && at[n] == '\n')
            return 1;
    return 0;
}

/* For people, after a failure. */
static inline void rerun_show(const struct rerun *c)
{
    printf("# status %#x; stdout:\n", (unsigned)c->status);
    for (const char *at = c->out, *end; *at; at = end + (*end == '\n')) {
        end = at + strcspn(at, "\n");
        printf("#   %.*s\n", (int)(end - at), at);
    }
    printf("# stderr:\n");
    for (const char *at = c->err, *end; *at; at = end + (*end == '\n')) {
        end = at + strcspn(at, "\n");
        printf("#   %.*s\n", (int)(end - at), at);
    }
}

#endif
