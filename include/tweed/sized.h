/*
 * tweed/sized.h - structs that a program hands over with their size.
 *
 * SPDX-License-Identifier: MIT
 *
 * The rule stands in tweed.h, above the structs.  libtweed and libtweed-mpi include this
 * file; tweed.h does not, and programs need not.
 *
 * `known` is the size of the struct in the library.  The structs of today are those of
 * version 1.0, so no program has a smaller one.  A struct that grows keeps its size of
 * before as the least that is accepted; then the functions here need that size too.
 */
#ifndef TWEED_SIZED_H
#define TWEED_SIZED_H

#include <tweed.h>

#include <string.h>

/* No struct will ever be so large: a larger size is garbage. */
#define TWEED_LARGEST_SIZE_ 1024

/* May a program's struct have this size? */
TWEED_INLINE_ int tweed_sized_fits_(size_t size, size_t known)
{
    return size >= known && size <= TWEED_LARGEST_SIZE_;
}

/* A struct of another size than ours is sound if all that lies behind ours is zero. */
static TWEED_APART_ TWEED_UNUSED_ int tweed_sized_is_later_(const void *user, size_t known)
{
    const unsigned char *bytes = (const unsigned char *)user;
    size_t size = *(const size_t *)user;

    if (!tweed_sized_fits_(size, known))
        return 0;
    while (size > known)
        if (bytes[--size])
            return 0;
    return 1;
}

/* Copies the program's struct of options into ours.  0: the program's has no such size, or
   asks for something that is not known here. */
TWEED_INLINE_ int tweed_sized_read_(void *local, size_t known, const void *user)
{
    if (__builtin_expect(*(const size_t *)user != known, 0) &&
        !tweed_sized_is_later_(user, known))
        return 0;
    memcpy(local, user, known);
    return 1;
}

/* What a call returns whose struct, of this type, is not taken. */
static TWEED_APART_ TWEED_UNUSED_ int tweed_sized_fail_(const char *type, const void *user,
                                                        size_t known)
{
    size_t size = *(const size_t *)user;

    if (tweed_sized_fits_(size, known))
        return tweed_fail_(TWEED_EINVAL,
                           "%s asks for something that tweed %s does not know", type,
                           tweed_version());
    return tweed_fail_(TWEED_EINVAL, "%s.size is %zu: expected sizeof(%s), %zu", type, size,
                       type, known);
}

/* Copies our struct of results into the program's, whose size fits.  What only the
   program's has becomes zero.  Its size stays as it is. */
static TWEED_UNUSED_ void tweed_sized_write_(void *user, const void *local, size_t known)
{
    size_t size = *(const size_t *)user;

    memcpy(user, local, known);
    memset((unsigned char *)user + known, 0, size - known);
    *(size_t *)user = size;
}

#endif /* TWEED_SIZED_H */
