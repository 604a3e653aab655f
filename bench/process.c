/*
 * process.c - the processes that are measured, as the driver has them.
 *
 * SPDX-License-Identifier: MIT
 *
 * The driver and a runner talk by a pair of sockets: an order, a result.  A
 * runner that is not measuring is stopped by SIGSTOP, so that whatever an idle
 * runtime does, spinning for 200 ms or polling now and then, it does in nobody
 * else's time.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process.h"

#define PATIENCE_MS 120000 /* for one order */
#define ENDING_MS 5000

/* Of the whole of it, or false. */
bool process_send(int fd, const void *data, size_t size)
{
    return send(fd, data, size, MSG_NOSIGNAL) == (ssize_t)size;
}

bool process_receive(int fd, void *data, size_t size)
{
    ssize_t got;

    do
        got = recv(fd, data, size, MSG_WAITALL);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)size;
}

/* Forks; true in both.  The child has no use for what stdio holds. */
bool process_start(struct runner *r, char *why, size_t size)
{
    int fds[2];

    r->module = NULL;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
        snprintf(why, size, "socketpair: %s", strerror(errno));
        return false;
    }
    fflush(NULL);
    r->pid = fork();
    if (r->pid < 0) {
        snprintf(why, size, "fork: %s", strerror(errno));
        close(fds[0]);
        close(fds[1]);
        return false;
    }
    r->fd = fds[r->pid == 0];
    close(fds[r->pid != 0]);
    if (r->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0); /* a terminal's ^Z and fg are not for the stopped ones */
    }
    return true;
}

static void say_end(const struct runner *r, char *why, size_t size)
{
    int status = 0;

    waitpid(r->pid, &status, 0);
    if (WIFSIGNALED(status))
        snprintf(why, size, "killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(why, size, "ended with status %d", WEXITSTATUS(status));
}

/* Waits for so many bytes from a runner; a runner that has none is ended. */
bool process_hear(struct runner *r, void *data, size_t size, char *why,
                  size_t why_size)
{
    struct pollfd p = { .fd = r->fd, .events = POLLIN };
    int ready;

    do
        ready = poll(&p, 1, PATIENCE_MS);
    while (ready < 0 && errno == EINTR);
    if (ready > 0 && process_receive(r->fd, data, size))
        return true;
    if (ready == 0) {
        snprintf(why, why_size, "no answer within %d s", PATIENCE_MS / 1000);
        kill(r->pid, SIGKILL);
        waitpid(r->pid, NULL, 0);
    } else {
        say_end(r, why, why_size);
    }
    close(r->fd);
    r->module = NULL;
    return false;
}

/* False if it has ended instead. */
bool process_stop(struct runner *r, char *why, size_t size)
{
    int status = 0;

    kill(r->pid, SIGSTOP);
    waitpid(r->pid, &status, WUNTRACED);
    if (WIFSTOPPED(status))
        return true;
    snprintf(why, size, "ended after its answer");
    close(r->fd);
    r->module = NULL;
    return false;
}

bool runner_measure(struct runner *r, const struct order *order,
                    struct result *result, char *why, size_t size)
{
    kill(r->pid, SIGCONT);
    if (!process_send(r->fd, order, sizeof *order)) {
        say_end(r, why, size);
        close(r->fd);
        r->module = NULL;
        return false;
    }
    if (!process_hear(r, result, sizeof *result, why, size))
        return false;
    return process_stop(r, why, size);
}

/* It ends by itself when there are no more orders, as a program that uses the
   runtime would; if it cannot, it is killed. */
void runner_end(struct runner *r)
{
    struct timespec moment = { 0, 1000000 };

    if (!r->module)
        return;
    shutdown(r->fd, SHUT_RDWR); /* runners that were forked later have it, too */
    close(r->fd);
    kill(r->pid, SIGCONT);
    r->module = NULL;
    for (int k = 0; k < ENDING_MS; k++) {
        if (waitpid(r->pid, NULL, WNOHANG) == r->pid)
            return;
        nanosleep(&moment, NULL);
    }
    kill(r->pid, SIGKILL);
    waitpid(r->pid, NULL, 0);
}
