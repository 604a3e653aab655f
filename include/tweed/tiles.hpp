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
                TWEED_WALK_CLAIM_(c, space, at, TWEED_EACH_,
                                  (TWEED_ROW_, tweed_n_, tweed_k_, f(tweed_j_, tweed_k_)))
            }
            TWEED_CATCH_(one, tweed_cursor_stop(c))
        } while (tweed_next(c));
    }
};

/* The claimed indices of three dimensions. */
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
                TWEED_WALK_CLAIM_(
                    c, space, at, TWEED_EACH_,
                    (TWEED_ROW_, tweed_n_, tweed_k_, f(tweed_i_, tweed_j_, tweed_k_)))
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
    return outcome_of(one.end(tweed_loop_run_space(at.pool(), options.over(at), &space,
                                                   &kind_of<right>::kind, nullptr)));
}

/* The bounds of a tile, as a body is given them. */
struct tile_2d {
    template <class F> struct fits : is_callable<F, int64_t, int64_t, int64_t, int64_t> {};
    template <class F> static void give(F &f, const tweed_tile *t)
    {
        f(t->lo[0], t->hi[0], t->lo[1], t->hi[1]);
    }
};
struct tile_3d {
    template <class F>
    struct fits : is_callable<F, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t> {};
    template <class F> static void give(F &f, const tweed_tile *t)
    {
        f(t->lo[0], t->hi[0], t->lo[1], t->hi[1], t->lo[2], t->hi[2]);
    }
};

/* A tile body by pointer, whose arg is a space_call<F>.  After an exception nothing
   more is called of what the worker has claimed. */
template <class D, class F, bool is_right = D::template fits<F>::value> struct tile {
    static void call(const tweed_tile *t, void *arg) noexcept
    {
        space_call<F> *one = static_cast<space_call<F> *>(arg);

        if (one->is_there())
            return;
        TWEED_TRY_ {
            D::give(one->f, t);
        }
        TWEED_CATCH_(one, (void)tweed_parallel_stop())
    }
};
template <class D, class F> struct tile<D, F, false> {
    static_assert(!std::is_same<F, F>::value,
                  "tweed: the body cannot be called with the bounds of a tile");
    static void call(const tweed_tile *, void *) noexcept {}
};

template <class D, class F>
outcome tile_loop(const tweed_space &space, F &f, const where &at, const how &options)
{
    space_call<F> one(f);

    return outcome_of(one.end(tweed_parallel_for_tiles(at.pool(), options.over(at), &space,
                                                       tile<D, F>::call, &one)));
}

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

/* f(i, i_past, j, j_past) for boxes of indices: see tweed_parallel_for_tiles(). */
template <class F>
detail::outcome parallel_for_2d_tile(int64_t i0, int64_t i1, int64_t j0, int64_t j1,
                                     F &&f, const detail::where &at = {},
                                     const detail::how &options = {})
{
    return detail::tile_loop<detail::tile_2d, F>(tweed_space_2d(i0, i1, j0, j1), f, at,
                                                 options);
}

template <class F>
detail::outcome parallel_for_3d_tile(int64_t i0, int64_t i1, int64_t j0, int64_t j1,
                                     int64_t k0, int64_t k1, F &&f,
                                     const detail::where &at = {},
                                     const detail::how &options = {})
{
    return detail::tile_loop<detail::tile_3d, F>(tweed_space_3d(i0, i1, j0, j1, k0, k1), f,
                                                 at, options);
}

TWEED_NAMESPACE_END_

#endif /* TWEED_TILES_HPP */
