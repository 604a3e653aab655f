/*
 * throw.cc - a loop in C++ whose bodies throw.
 *
 * SPDX-License-Identifier: MIT
 */
#include "throw.h"

#include <tweed.hpp>

namespace
{

struct thrown {
    int64_t index;
};

} // namespace

int soak_throwing(tweed_pool *pool, const tweed_loop_options *options, int64_t lo,
                  int64_t hi, soak_body *body, void *arg, int64_t *where, bool *caught)
{
    *caught = false;
    try {
        tweed::parallel_for(
            lo, hi,
            [=](int64_t i) {
                if (body(i, arg))
                    throw thrown{ i };
            },
            pool, options);
    } catch (const thrown &t) {
        *where = t.index;
        *caught = true;
    } catch (const tweed::error &e) {
        return e.code();
    }
    return TWEED_OK;
}
