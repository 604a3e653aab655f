/*
 * state.h - the calling thread's cancellation: enabled or not, and its type.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_STATE_H
#define TWEED_T_STATE_H

#include <pthread.h>

static inline int state_now(void)
{
    int state, other;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_setcancelstate(state, &other);
    return state;
}

static inline int type_now(void)
{
    int type, other;

    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    pthread_setcanceltype(type, &other);
    return type;
}

#endif
