/*
 * tweed/tiles.hpp - C++: loops of two and of three dimensions.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp.
 *
 *     tweed::parallel_for_2d(0, m, 0, n, [&](int64_t i, int64_t j) { ... });
 *     tweed::parallel_for_2d_tile(0, m, 0, n, [&](int64_t i, int64_t i_past,
 *                                                 int64_t j, int64_t j_past) { ... },
 *                                 tweed::loop_options().tile(64, 64));
 */
#ifndef TWEED_HPP
#include <tweed.hpp> /* which includes this file */
#endif
#ifndef TWEED_TILES_HPP
#define TWEED_TILES_HPP

TWEED_NAMESPACE_

namespace detail {

template <class F> struct space_call : failure {
    F &f;

    explicit space_call(F &callable) : f(callable) {}
};

/* The claimed indices of two dimensions, row by row. */
template <class F> struct each_2d {
    static const bool is_right = is_callable<F, int64_t, int64_t>::value;
    static void work(tweed_cursor *c) noexcept
    {
        const tweed_space *space = static_cast<tweed_space *>(c->arg);
        space_call<F> *one = static_cast<space_call<F> *>(space->arg);
        tweed_spot_ at = tweed_nowhere_();
        typename called<F, int64_t, int64_t>::type f = one->f;

        do {
            TWEED_TRY_ {
                TWEED_WALK_CLAIM_(c, space, at,
                                  TWEED_EACH_(8, tweed_n_,
                                              tweed_k_, f(tweed_j_, tweed_k_)))
            }
            TWEED_CATCH_(one, tweed_cursor_stop(c))
        } while (tweed_next(c));
    }
};

/* And of three. */
template <class F> struct each_3d {
    static const bool is_right = is_callable<F, int64_t, int64_t, int64_t>::value;
    static void work(tweed_cursor *c) noexcept
    {
        const tweed_space *space = static_cast<tweed_space *>(c->arg);
        space_call<F> *one = static_cast<space_call<F> *>(space->arg);
        tweed_spot_ at = tweed_nowhere_();
        typename called<F, int64_t, int64_t, int64_t>::type f = one->f;

        do {
            TWEED_TRY_ {
                TWEED_WALK_CLAIM_(c, space, at,
                                  TWEED_EACH_(8, tweed_n_,
                                              tweed_k_, f(tweed_i_, tweed_j_, tweed_k_)))
            }
            TWEED_CATCH_(one, tweed_cursor_stop(c))
        } while (tweed_next(c));
    }
};

template <template <class> class Work, class F>
outcome space_loop(tweed_space space, F &f, const where &at, const how &options)
{
    static_assert(Work<F>::is_right,
                  "tweed: the body cannot be called with two, or three, indices");
    typedef typename std::conditional<Work<F>::is_right, Work<F>, no_work>::type right;
    space_call<F> one(f);

    space.arg = &one;
    return outcome_of(one.end(tweed_run_space(&kind_of<right>::kind, at.pool(),
                                              options.over(at), &space, nullptr)));
}

/* A tile body by pointer, whose arg is a space_call<F>.  After an exception nothing
   more is called of what the worker has claimed. */
template <bool is_right, class F, class... Bounds> struct tile {
    static void call(Bounds... bounds, void *arg) noexcept
    {
        space_call<F> *one = static_cast<space_call<F> *>(arg);

        if (one->is_there())
            return;
        TWEED_TRY_ {
            one->f(bounds...);
        }
        TWEED_CATCH_(one, (void)tweed_parallel_stop())
    }
};
template <class F, class... Bounds> struct tile<false, F, Bounds...> {
    static_assert(sizeof...(Bounds) == 0,
                  "tweed: the body cannot be called with the bounds of a tile");
    static void call(Bounds..., void *) noexcept {}
};

template <class F, class... Bounds>
struct tile_of : tile<is_callable<F, Bounds...>::value, F, Bounds...> {
};

} // namespace detail

template <class F>
detail::outcome parallel_for_2d(int64_t i0, int64_t i1, int64_t j0, int64_t j1,
                                F &&f, const detail::where &at = {},
                                const detail::how &options = {})
{
    return detail::space_loop<detail::each_2d, F>(
        tweed_space_2d_(i0, i1, j0, j1, nullptr), f, at, options);
}

template <class F>
detail::outcome parallel_for_3d(int64_t i0, int64_t i1, int64_t j0, int64_t j1,
                                int64_t k0, int64_t k1, F &&f,
                                const detail::where &at = {},
                                const detail::how &options = {})
{
    return detail::space_loop<detail::each_3d, F>(
        tweed_space_3d_(i0, i1, j0, j1, k0, k1, nullptr), f, at, options);
}

/* f(i, i_past, j, j_past) for boxes of indices: see tweed_parallel_for_2d_tile(). */
template <class F>
detail::outcome parallel_for_2d_tile(int64_t i0, int64_t i1, int64_t j0, int64_t j1,
                                     F &&f, const detail::where &at = {},
                                     const detail::how &options = {})
{
    typedef int64_t I;
    detail::space_call<F> one(f);

    return detail::outcome_of(one.end(tweed_parallel_for_2d_tile_with(
        at.pool(), options.over(at), i0, i1, j0, j1,
        detail::tile_of<F, I, I, I, I>::call, &one)));
}

template <class F>
detail::outcome parallel_for_3d_tile(int64_t i0, int64_t i1, int64_t j0, int64_t j1,
                                     int64_t k0, int64_t k1, F &&f,
                                     const detail::where &at = {},
                                     const detail::how &options = {})
{
    typedef int64_t I;
    detail::space_call<F> one(f);

    return detail::outcome_of(one.end(tweed_parallel_for_3d_tile_with(
        at.pool(), options.over(at), i0, i1, j0, j1, k0, k1,
        detail::tile_of<F, I, I, I, I, I, I>::call, &one)));
}

TWEED_NAMESPACE_END_

#endif /* TWEED_TILES_HPP */
