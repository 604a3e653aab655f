/*
 * versioned.c - structs of other versions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "base/versioned.h"

/* No struct will ever be so large: a larger size is garbage. */
#define LARGEST 1024

bool tweed__versioned_is_size(size_t size, size_t first_size)
{
    return size >= first_size && size <= LARGEST;
}

static bool is_zero(const unsigned char *from, const unsigned char *to)
{
    while (from < to)
        if (*from++)
            return false;
    return true;
}

bool tweed__versioned_read_other(void *local, size_t local_size,
                                 size_t first_size, const void *user)
{
    size_t size = *(const size_t *)user;
    const unsigned char *bytes = user;

    if (!tweed__versioned_is_size(size, first_size) ||
        (size > local_size && !is_zero(bytes + local_size, bytes + size)))
        return false;
    memset(local, 0, local_size);
    memcpy(local, user, size < local_size ? size : local_size);
    return true;
}

void tweed__versioned_write(void *user, const void *local, size_t local_size)
{
    size_t size = *(const size_t *)user;

    memcpy(user, local, size < local_size ? size : local_size);
    if (size > local_size)
        memset((unsigned char *)user + local_size, 0, size - local_size);
    *(size_t *)user = size;
}
