/*
 * label.c - names of loops as small numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "log/label.h"
#include "base/atomic.h"
#include "base/text.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char labels[TWEED__LABELS][TWEED__LABEL_SIZE] = {
    [TWEED__LABEL_OTHERS] = "(others)"
};
static _Atomic uint32_t hashes[TWEED__LABELS];
static _Atomic uint32_t num_labels = TWEED__FIRST_LABEL;

static uint32_t hash(const char *text)
{
    uint32_t h = 2166136261; /* FNV-1a */

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619;
    return h;
}

/* TWEED__UNLABELLED: the name has no label. */
static unsigned find(const char *name, uint32_t h)
{
    /* acquire: the labels below; pairs with add().  So their hashes are relaxed */
    unsigned n = load_acquire(&num_labels);

    for (unsigned i = TWEED__FIRST_LABEL; i < n; i++)
        if (load_relaxed(&hashes[i]) == h && strcmp(labels[i], name) == 0)
            return i;
    return TWEED__UNLABELLED;
}

static unsigned add(const char *name, uint32_t h)
{
    unsigned label, n;

    pthread_mutex_lock(&lock);
    label = find(name, h);
    n = load_relaxed(&num_labels); /* the lock orders it */
    if (!label && n < TWEED__LABELS) {
        label = n;
        strcpy(labels[n], name);
        store_relaxed(&hashes[n], h); /* released by the next */
        store_release(&num_labels, n + 1); /* pairs with find() */
    }
    pthread_mutex_unlock(&lock);
    return label ? label : TWEED__LABEL_OTHERS;
}

unsigned tweed__label_of(const char *name)
{
    char text[TWEED__LABEL_SIZE] = "";
    unsigned label;
    uint32_t h;

    if (!name || !*name)
        return TWEED__LABEL_NO_NAME;
    strncat(text, name, sizeof text - 1);
    text_trim(text, sizeof text);
    h = hash(text);
    label = find(text, h);
    return label ? label : add(text, h);
}

const char *tweed__label_text(unsigned label)
{
    return labels[label];
}

unsigned tweed__label_end(void)
{
    return load_acquire(&num_labels); /* pairs with add() */
}

void tweed__label_before_fork(void)
{
    pthread_mutex_lock(&lock);
}

void tweed__label_after_fork(void)
{
    pthread_mutex_unlock(&lock);
}
