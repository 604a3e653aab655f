/*
 * program.h - what a program and the driver tell each other.
 *
 * SPDX-License-Identifier: MIT
 *
 * A program that has been started is sent a struct user_task, on a socket that is
 * descriptor USER_FD.  It says when it is ready; then orders and results go to and fro
 * (../process.h).
 */
#ifndef USERS_PROGRAM_H
#define USERS_PROGRAM_H

#include <fcntl.h>
#include <unistd.h>

#include "../process.h"
#include "users.h"

#define USER_FD 3

/* The answer to USER_DESCRIBE, then. */
struct user_description {
    struct module module;
    uint64_t offers[MOST_WAYS]; /* of each way: what user_needs() asks for */
};

/* In a new process: what it is about to execute finds the socket there. */
static inline void user_hand_over(int fd)
{
    if (fd == USER_FD)
        fcntl(fd, F_SETFD, 0);
    else
        dup2(fd, USER_FD);
}

#endif
