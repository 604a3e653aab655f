/*
 * number.c - a number for each thread that asks for one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "base/number.h"
#include "base/atomic.h"
#include "base/self.h"
#include "base/tsan.h"

#include <pthread.h>

#define WORDS (TWEED__NUMBERS / 64)

/* A bit for each number that a thread has. */
static _Atomic uint64_t used[WORDS];

static pthread_key_t key; /* has 1 + the number, to give it back at a thread's end */
static bool has_key;

static void give_back(void *value)
{
    unsigned number = (unsigned)((uintptr_t)value - 1);

    tweed__self.number = 0;
    tweed__tsan_release(&used[number / 64]);
    /* release: what the thread did with its number; pairs with take() */
    fetch_and_acq_rel(&used[number / 64], ~(UINT64_C(1) << number % 64));
}

void tweed__number_prepare(void)
{
    /* without a key numbers are not given back: there are many */
    if (!has_key)
        has_key = pthread_key_create(&key, give_back) == 0;
}

/* A free number of this word; -1: there is none. */
static int take(unsigned word)
{
    uint64_t taken = load_relaxed(&used[word]); /* relaxed: a look before */

    while (~taken) {
        int bit = __builtin_ctzll(~taken);

        /* acquires; pairs with give_back() */
        taken = fetch_or_seq_cst(&used[word], UINT64_C(1) << bit);
        if (!(taken >> bit & 1)) {
            tweed__tsan_acquire(&used[word]);
            return (int)word * 64 + bit;
        }
    }
    return -1;
}

int tweed__number(void)
{
    int number = tweed__self.number - 1;

    for (unsigned word = 0; number < 0 && word < WORDS; word++) {
        number = take(word);
        if (number >= 0 && has_key) /* if that fails the number is not given back */
            (void)pthread_setspecific(key, (void *)((uintptr_t)number + 1));
    }
    tweed__self.number = number + 1;
    return number;
}

void tweed__number_after_fork(void)
{
    unsigned own = (unsigned)tweed__self.number;

    for (unsigned word = 0; word < WORDS; word++) /* relaxed: there is one thread */
        store_relaxed(&used[word], own && (own - 1) / 64 == word
                                       ? UINT64_C(1) << (own - 1) % 64
                                       : 0);
}
