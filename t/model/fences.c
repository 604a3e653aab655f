/*
 * fences.c - one heavy fence for all who want one: lib/range/fence.c.
 *
 * SPDX-License-Identifier: MIT
 *
 *   askers=2     threads that ask, share a heavy fence, and look
 *   rounds=1     how often the owner stores, fences lightly, and looks whether it was asked
 *
 * If the owner has not seen that it was asked, the asker sees what the owner had stored.
 */
#include "model.h"

#include "../../lib/pool/team.h"
_Atomic uint64_t tweed__fence_ns;
/* Figures. */
#undef tally_add
#define tally_add(tally, field, n) ((void)(tally), (void)(n))
#include "../../lib/range/fence.c"

#define ASKERS 3

static _Atomic uint32_t top, asked[ASKERS];
static int askers, rounds;

static struct {
    MODEL_MARK(unsigned char) missed[ASKERS]; /* what it had stored when it looked last */
    MODEL_MARK(unsigned char) seen[ASKERS];
    MODEL_MARK(unsigned char) looked;
} now;

static bool all_have_looked(void *arg)
{
    (void)arg;
    return mark_of(now.looked) == askers;
}

static void own(void *arg)
{
    (void)arg;
    for (int n = 1; n <= rounds; n++) {
        store_release(&top, (uint32_t)n); /* as a spawn */
        fence_light();
        for (int i = 0; i < askers; i++)
            if (load_relaxed(&asked[i]) == 0)
                mark(now.missed[i], (unsigned char)n);
    }
    model_await(all_have_looked, NULL); /* the fence is one of threads that live */
}

static void ask_and_look(void *arg)
{
    int i = (int)(intptr_t)arg;
    uint32_t none = 0;
    unsigned char seen;
    bool fenced;

    (void)cas_acq_rel(&asked[i], &none, 1); /* as propose() in deque.c: ask() in fork.c and
                                               propose() in range.c are seq_cst */
    fenced = tweed__fence_shared(1, NULL); /* the clock is anywhere */
    seen = fenced ? (unsigned char)load_relaxed(&top) : UINT8_MAX; /* refused: none is missed */
    mark(now.seen[i], seen);
    mark_one_more(now.looked);
}

static void verify(void)
{
    for (int i = 0; i < askers; i++)
        model_assert(mark_of(now.seen[i]) >= mark_of(now.missed[i]));
    model_assert(load_relaxed(&tweed__fences.fencing) == 0);
}

void model_setup(void)
{
    static const char *const names[ASKERS] = { "asked 0", "asked 1", "asked 2" };

    askers = MODEL_NUMBER(askers, 2);
    rounds = MODEL_NUMBER(rounds, 1);
    model_assert(askers <= ASKERS);
    model_place(&top, sizeof top, "top");
    model_place(&tweed__fences.wanted, sizeof tweed__fences.wanted, "wanted");
    model_place(&tweed__fences.done, sizeof tweed__fences.done, "done");
    model_place(&tweed__fences.fencing, sizeof tweed__fences.fencing, "fencing");
    model_figure(&tweed__fence_ns);
    model_memory(&now, sizeof now);
    model_thread(own, NULL, false);
    for (int i = 0; i < askers; i++) {
        model_place(&asked[i], sizeof asked[i], names[i]);
        model_thread(ask_and_look, (void *)(intptr_t)i, false);
    }
    model_verify(verify);
}
