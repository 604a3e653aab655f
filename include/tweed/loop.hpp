/*
 * tweed/loop.hpp - C++: loops over indices, iterators and ranges.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp.
 *
 *     tweed::parallel_for(0, n, [&](int i) { y[i] += a * x[i]; });
 *     tweed::parallel_for(v.begin(), v.end(), [&](double &x) { x *= a; });
 *     tweed::parallel_for(v, [&](double &x) { x *= a; });
 *
 *     tweed::parallel_for_range(0, n, [&](int b, int e) { ... });
 *     tweed::parallel_for_range(v, [&](iterator b, iterator e) { ... });
 */
#ifndef TWEED_HPP
#include <tweed.hpp> /* which includes this file */
#endif
#ifndef TWEED_LOOP_HPP
#define TWEED_LOOP_HPP

TWEED_NAMESPACE_

namespace detail {

/* The state of one call. */
template <class Source, class F> struct call : failure {
    F &f;
    const Source &from;

    call(F &callable, const Source &source) : f(callable), from(source) {}
    static call *of(tweed_cursor *c) { return static_cast<call *>(c->arg); }
};

/* The body has thrown at position i of the claim: stops the loop, and leaves the
   positions after i out. */
template <class Source>
void leave_claim(tweed_cursor *c, const typename Source::position &i,
                 const typename Source::position &past)
{
    tweed_cursor_stop(c);
    c->left_out += Source::count(i, past) - 1;
}

/* The claimed positions, one after the other. */
template <class Source, class F> struct each {
    typedef call<Source, F> state;

    static const bool is_right = is_callable<F, typename Source::given>::value;
    static void work(tweed_cursor *c) noexcept
    {
        typename called<F, typename Source::given>::type f = state::of(c)->f;
        const Source from = state::of(c)->from;

        do {
            TWEED_TRY_ {
                typename Source::position i = from.at(tweed_first(c));
                const typename Source::position past = from.at(tweed_past(c));

                TWEED_TRY_ {
                    TWEED_EACH_(8, Source::count(i, past), i,
                                f(Source::get(i)))
                }
                TWEED_CATCH_(state::of(c), leave_claim<Source>(c, i, past))
            }
            TWEED_CATCH_(state::of(c), tweed_cursor_stop(c)) /* of a position */
        } while (tweed_next(c));
    }
};

/* The claimed positions, together. */
template <class Source, class F> struct run {
    typedef call<Source, F> state;
    typedef typename Source::position position;

    static const bool is_right = is_callable<F, position, position>::value;
    static void work(tweed_cursor *c) noexcept
    {
        typename called<F, position, position>::type f = state::of(c)->f;
        const Source from = state::of(c)->from;

        do {
            TWEED_TRY_ {
                f(from.at(tweed_first(c)), from.at(tweed_past(c)));
            }
            TWEED_CATCH_(state::of(c), tweed_cursor_stop(c))
        } while (tweed_next(c));
    }
};

/* The loop by Work<Source, F>, of a callable deduced as G. */
template <template <class, class> class Work, class G, class Source>
outcome loop(const Source &from, typename body<G>::held f, const where &at,
             const how &options)
{
    typedef typename body<G>::type F;
    typedef Work<Source, F> work;
    call<Source, F> one(f, from);

    static_assert(work::is_right,
                  "tweed: the body cannot be called with an index or an element; "
                  "that of parallel_for_range, with two positions");
    typedef typename std::conditional<work::is_right, work, no_work>::type right;
    if (from.code != TWEED_OK)
        return outcome_of(from.code);
    return outcome_of(one.end(tweed_loop_run(at.pool(), options.over(at), from.lo,
                                             from.hi, &kind_of<right>::kind, nullptr,
                                             &one)));
}

} // namespace detail

/* f(i) for each index of [lo, hi), or f(*i) for each iterator. */
template <int = 0, class A, class B, class F,
          class Source = typename detail::source_of<A, B>::type>
detail::outcome parallel_for(A lo, B hi, F &&f, const detail::where &at = {},
                             const detail::how &options = {})
{
    return detail::loop<detail::each, F>(Source(lo, hi), f, at, options);
}

/* The same for each element of a range. */
template <int = 0, class R, class F,
          class Source = typename detail::range_source<R>::type>
detail::outcome parallel_for(R &&range, F &&f, const detail::where &at = {},
                             const detail::how &options = {})
{
    return detail::loop<detail::each, F>(detail::source(range), f, at, options);
}

/* parallel_for<int>(lo, hi, f): the indices are of this type. */
template <class Index, class F>
detail::outcome parallel_for(typename detail::named<Index>::type lo,
                             typename detail::named<Index>::type hi, F &&f,
                             const detail::where &at = {},
                             const detail::how &options = {})
{
    return detail::loop<detail::each, F>(detail::indices<Index>(lo, hi), f, at,
                                         options);
}

/* f(begin, end), two indices or two iterators, for pieces of [lo, hi). */
template <int = 0, class A, class B, class F,
          class Source = typename detail::source_of<A, B>::type>
detail::outcome parallel_for_range(A lo, B hi, F &&f, const detail::where &at = {},
                                   const detail::how &options = {})
{
    return detail::loop<detail::run, F>(Source(lo, hi), f, at, options);
}

template <int = 0, class R, class F,
          class Source = typename detail::range_source<R>::type>
detail::outcome parallel_for_range(R &&range, F &&f, const detail::where &at = {},
                                   const detail::how &options = {})
{
    return detail::loop<detail::run, F>(detail::source(range), f, at, options);
}

template <class Index, class F>
detail::outcome parallel_for_range(typename detail::named<Index>::type lo,
                                   typename detail::named<Index>::type hi, F &&f,
                                   const detail::where &at = {},
                                   const detail::how &options = {})
{
    return detail::loop<detail::run, F>(detail::indices<Index>(lo, hi), f, at,
                                        options);
}

TWEED_NAMESPACE_END_

#endif /* TWEED_LOOP_HPP */
