/*
 * self.c - a thread's own things (self.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "base/self.h"

#include <pthread.h>
#include <stdio.h>

TWEED__TLS struct tweed__self tweed__self;

void tweed__self_name(const char *pool, int number, const char *task)
{
    char name[16], digits[12];

    snprintf(digits, sizeof digits, "%d", number % 10000);
    snprintf(name, sizeof name, "%.8s-%.6s", pool, task ? task : digits);
    (void)pthread_setname_np(pthread_self(), name);
}
