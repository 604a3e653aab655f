/*
 * asleep.h - does a thread of this process sleep?
 *
 * SPDX-License-Identifier: MIT
 *
 * By /proc, so whatever it sleeps in.
 */
#ifndef TWEED_T_ASLEEP_H
#define TWEED_T_ASLEEP_H

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline int thread_number(void)
{
    return (int)syscall(SYS_gettid);
}

static inline int thread_is_asleep(int number)
{
    char name[64], text[256], *end = NULL;
    FILE *file;

    snprintf(name, sizeof name, "/proc/self/task/%d/stat", number);
    file = fopen(name, "r");
    if (file) {
        if (fgets(text, sizeof text, file))
            end = strrchr(text, ')');
        fclose(file);
    }
    return end && end[1] == ' ' && end[2] == 'S';
}

/* Until three looks in a row find it asleep: a short sleep on a lock does not count. */
static inline void until_asleep(int number)
{
    struct timespec nap = { 0, 1000000 };

    for (int n = 0; n < 3; nanosleep(&nap, NULL))
        n = thread_is_asleep(number) ? n + 1 : 0;
}

#endif
