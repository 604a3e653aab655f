/*
 * prefetch.h - the prefetches of lib/, each as a call: what they save is time.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included before everything else (-include), as t/model/redirect.h is.
 */
#ifndef TWEED_T_SIM_PREFETCH_H
#define TWEED_T_SIM_PREFETCH_H

/* The line of this object will soon be written. */
void policy_prefetch(const volatile void *object);

#define __builtin_prefetch(object, writes) policy_prefetch(object)

#endif
