/*
 * selves.h - the model's threads' own things: before the sources that have them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifdef GENMC
static struct tweed__self selves[MODEL_THREADS];
#define tweed__self selves[model_me]
#else
_Thread_local struct tweed__self tweed__self;
#endif
