/*
 * tweed/search.hpp - C++: loops that end early.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp.
 *
 *     k = tweed::parallel_find(0, n, [&](int i) { return x[i] < 0; });
 *     at = tweed::parallel_find(v.begin(), v.end(), [](int x) { return x < 0; });
 *     o = tweed::parallel_try(0, n, [&](int i) { return check(x[i]); });
 */
#ifndef TWEED_HPP
#include <tweed.hpp> /* which includes this file */
#endif
#ifndef TWEED_SEARCH_HPP
#define TWEED_SEARCH_HPP

TWEED_NAMESPACE_

namespace detail {

/* What is done for an index for which the callable has given other than 0. */
struct failed {
    typedef int code;
    static void end(tweed_cursor *c, int64_t i, int with)
    {
        tweed_cursor_fail(c, i, with);
    }
};

struct found {
    typedef bool code;
};

template <class How, class Source, class F> struct until;

/* The claimed positions up to the first that gives true, or some more: TWEED_ASKED_. */
template <class Source, class F> struct until<found, Source, F> {
    typedef call<Source, F> state;

    static void work(tweed_cursor *c) noexcept
    {
        typename called<F, typename Source::given>::type f = state::of(c)->f;
        const Source from = state::of(c)->from;

        do {
            const int64_t past = tweed_past(c);
            int64_t i = tweed_first(c);
            int k = 0, first = TWEED_ASKED_, beyond = 0; /* k: asked since i */

            TWEED_TRY_ {
                typename Source::position at = from.at(i);
                uint64_t left = tweed_span_(i, past);

                for (; left >= TWEED_ASKED_; left -= TWEED_ASKED_, i += TWEED_ASKED_) {
                    unsigned char answers[TWEED_ASKED_];

                    for (k = 0; k < TWEED_ASKED_; k++, ++at)
                        answers[k] = static_cast<bool>(f(Source::get(at)));
                    k = 0;
                    first = tweed_first_answer_(answers);
                    if (first < TWEED_ASKED_) {
                        beyond = TWEED_ASKED_ - 1 - first;
                        break;
                    }
                }
                for (; left > 0 && first == TWEED_ASKED_; left--, i++, ++at)
                    if (f(Source::get(at))) {
                        first = 0;
                        break;
                    }
            }
            TWEED_CATCH_(state::of(c), tweed_cursor_stop(c);
                         c->left_out += static_cast<uint64_t>(past - i - k) - 1)
            if (first < TWEED_ASKED_)
                tweed_found_(c, i + first, beyond);
        } while (tweed_next(c));
    }
};

/* The claimed positions up to the first that gives other than 0. */
template <class How, class Source, class F> struct until {
    typedef call<Source, F> state;
    typedef typename How::code code;

    static void work(tweed_cursor *c) noexcept
    {
        typename called<F, typename Source::given>::type f = state::of(c)->f;
        const Source from = state::of(c)->from;

        do {
            const int64_t past = tweed_past(c);
            int64_t i = tweed_first(c);
            code with = code();

            TWEED_TRY_ {
                typename Source::position at = from.at(i);

                for (; i < past; i++, ++at) {
                    with = static_cast<code>(f(Source::get(at)));
                    if (with)
                        break;
                }
            }
            TWEED_CATCH_(state::of(c), tweed_cursor_stop(c);
                         c->left_out += static_cast<uint64_t>(past - i) - 1)
            if (with)
                How::end(c, i, with);
        } while (tweed_next(c));
    }
};

/* Whether f(x) can be used as a code. */
template <class F, class X, class Code, bool = is_callable<F, X>::value>
struct gives_code {
    static const bool value =
        std::is_constructible<Code, typename called_gives<F, X>::type>::value;
};
template <class F, class X, class Code> struct gives_code<F, X, Code, false> {
    static const bool value = false;
};

template <class How, class Source, class F>
struct until_kind
    : kind_of<typename std::conditional<
          gives_code<F, typename Source::given, typename How::code>::value,
          until<How, Source, F>, no_work>::type> {
    static_assert(gives_code<F, typename Source::given, typename How::code>::value,
                  "tweed: the body must be callable with an index or an element, and "
                  "return bool, or the int of parallel_try");
};

template <class G, class Source>
answer<typename Source::position> find(const Source &from, typename body<G>::held f,
                                       const where &at, const how &options)
{
    typedef typename body<G>::type F;
    call<Source, F> one(f, from);
    int64_t number = from.hi;
    int code = from.code;

    if (code == TWEED_OK)
        code = one.end(tweed_loop_run_find(at.pool(), options.over(at), from.lo, from.hi,
                                           &until_kind<found, Source, F>::kind, nullptr,
                                           &one, &number));
    typename Source::position position = from.at(number);
    return answer_of(code, position);
}

template <class G, class Source>
answer<tweed_outcome> attempt(const Source &from, typename body<G>::held f,
                              const where &at, const how &options)
{
    typedef typename body<G>::type F;
    const tweed_loop_options *given = options.over(at);
    tweed_outcome all = TWEED_OUTCOME_INIT;
    tweed_loop_options o = given ? *given : tweed_outcome_alone_(nullptr);
    call<Source, F> one(f, from);
    int code = from.code;

    if (!o.outcome)
        o.outcome = &all;
    if (code == TWEED_OK)
        code = one.end(tweed_loop_run(at.pool(), &o, from.lo, from.hi,
                                      &until_kind<failed, Source, F>::kind, nullptr, &one));
    return answer_of(unless_stopped(code), *o.outcome);
}

} // namespace detail

/* The lowest index of [lo, hi) for which f(i) holds, or hi; of iterators the first one
   for which f(*i) holds, or the last: see tweed_parallel_find().  If the search was
   stopped the code is TWEED_ESTOPPED. */
template <int = 0, class A, class B, class F,
          class Source = typename detail::source_of<A, B>::type>
detail::answer<typename Source::position>
parallel_find(A lo, B hi, F &&f, const detail::where &at = {},
              const detail::how &options = {})
{
    return detail::find<F>(Source(lo, hi), f, at, options);
}

/* The first element of a range for which f holds, as an iterator. */
template <int = 0, class R, class F,
          class Source = typename detail::range_source<R>::type>
detail::answer<typename Source::position>
parallel_find(R &&range, F &&f, const detail::where &at = {},
              const detail::how &options = {})
{
    return detail::find<F>(detail::source(range), f, at, options);
}

/* f(i), an int, for each index until one is not 0: see tweed_parallel_try().  Elements
   are counted from 0 in what is returned. */
template <int = 0, class A, class B, class F,
          class Source = typename detail::source_of<A, B>::type>
detail::answer<tweed_outcome> parallel_try(A lo, B hi, F &&f,
                                           const detail::where &at = {},
                                           const detail::how &options = {})
{
    return detail::attempt<F>(Source(lo, hi), f, at, options);
}

template <int = 0, class R, class F,
          class Source = typename detail::range_source<R>::type>
detail::answer<tweed_outcome> parallel_try(R &&range, F &&f,
                                           const detail::where &at = {},
                                           const detail::how &options = {})
{
    return detail::attempt<F>(detail::source(range), f, at, options);
}

/* From a body: tweed_parallel_stop(). */
inline void stop() noexcept
{
    (void)tweed_parallel_stop();
}

TWEED_NAMESPACE_END_

#endif /* TWEED_SEARCH_HPP */
