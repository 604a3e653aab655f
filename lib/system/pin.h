/*
 * pin.h - keeps the library's code in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_LIB_PIN_H
#define TWEED_LIB_PIN_H

/* From now on dlclose() leaves the object that the library is part of in place.
   Before a pool's first thread starts; not under a lock (see pin.c). */
void tweed__pin(void);

#endif
