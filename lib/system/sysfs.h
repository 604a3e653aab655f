/*
 * sysfs.h - what the kernel says of single CPUs, below /sys/devices/system/cpu.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_SYSFS_H
#define TWEED_LIB_SYSFS_H

/* The number of a core: that of its first hardware thread.  A CPU of which that cannot
   be read is a core of its own. */
int tweed__sysfs_core(int cpu);

/* For each of n CPUs, ascending, the number of its domain: that of the first CPU that
   has the same last-level cache, be it one of these or not; TWEED__NO_DOMAIN: the
   kernel does not say. */
void tweed__sysfs_domains(const int *cpus, int n, int *domains);

/* What each of n CPUs can do, 1 to TWEED__CAPACITY; 0: the kernel does not say. */
void tweed__sysfs_capacities(const int *cpus, int n, int *capacities);

#endif
