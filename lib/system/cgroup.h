/*
 * cgroup.h - the CPU quota that the process's cgroups grant.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_CGROUP_H
#define TWEED_LIB_CGROUP_H

#include <stdint.h>

/* Thousandths of a CPU, 0: no quota (or none that could be read).  Files are
   looked up below root ("" in production, a made-up tree in tests). */
int64_t tweed__cgroup_quota(const char *root);

#endif
