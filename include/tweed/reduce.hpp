/*
 * tweed/reduce.hpp - C++: sums, minima and other reductions of a loop.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp.
 *
 *     d = tweed::parallel_sum(0, n, [&](int i) { return x[i] * y[i]; });
 *     m = tweed::parallel_min(v, INFINITY, [](const point &p) { return p.z; });
 *     s = tweed::parallel_reduce(
 *         words, std::set<char>(),
 *         [](const std::string &w, std::set<char> &mine) {
 *             mine.insert(w.begin(), w.end());
 *         },
 *         [](std::set<char> &into, const std::set<char> &from) {
 *             into.insert(from.begin(), from.end());
 *         });
 *
 * THE BODY of parallel_reduce() takes one of these forms, T being the type of the
 * identity.  x is an index, or an element; b and e are indices, or iterators.
 *
 *     body(x, t)       adds x to the T that t is a reference to
 *     body(b, e, t)    adds all of [b, e)
 *     body(x)          gives a value, which is combined into the T
 *
 * COMBINE is combine(into, from), `from` being made of higher positions.  It need not be
 * commutative.
 *
 * What a body with t, or combine, returns, if anything, becomes the new value of t, or
 * of into.  So std::plus<T>() will do, and what was written for oneTBB.
 *
 * THE RESULT is the same for every number of workers, every steal and every run: see
 * tweed/reduce.h.  The identity is where each block begins, so that it may come in any
 * number of times.
 *
 * THE TYPE T may be any that can be copied.  Each block's partial result begins as a
 * copy of the identity.  When a body, a copy or combine throws, the partial results are
 * destroyed, and the exception is passed on.
 */
#ifndef TWEED_HPP
#include <tweed.hpp> /* which includes this file */
#endif
#ifndef TWEED_REDUCE_HPP
#define TWEED_REDUCE_HPP

TWEED_NAMESPACE_

namespace detail {

/* ---- sums, minima, maxima: as the macros of tweed/reduce.h ---- */

struct add {
    template <class T> void operator()(T &into, const T &x) const
    {
        into = static_cast<T>(into + x);
    }
};
struct lesser {
    template <class T> void operator()(T &into, const T &x) const
    {
        if (x < into)
            into = x;
    }
};
struct greater {
    template <class T> void operator()(T &into, const T &x) const
    {
        if (x > into)
            into = x;
    }
};

/* The type of a sum: the type that was named, or that of the values. */
template <class T, class F, class Source,
          bool = is_callable<F, typename Source::given>::value>
struct sum_of {
    typedef typename std::decay<
        typename called_gives<F, typename Source::given>::type>::type values;
    typedef typename std::conditional<std::is_void<T>::value, values, T>::type type;
    static_assert(!std::is_same<type, bool>::value,
                  "tweed: name the type of the sum, parallel_sum<int64_t>()");
};
template <class T, class F, class Source> struct sum_of<T, F, Source, false> {
    typedef int type;
};

template <class G, class Source, class T, class C>
answer<T> values(const Source &from, T t, typename body<G>::held f, C c,
                 const where &at, const how &options)
{
    typedef typename body<G>::type F;
    typedef called<F, typename Source::given> as_called;
    typedef is_callable<F, typename Source::given> right;
    static_assert(right::value,
                  "tweed: the body cannot be called with an index or an element");

    if (!(t <= t))
        return answer_of(tweed_fail_(TWEED_EINVAL, "the start is not a number"), t);
    return reduce_by<in_lanes, as_called>(
        from, t, f, c, at, options, std::integral_constant<bool, right::value>());
}

/* ---- two and three dimensions: as tweed/tiles.h numbers their indices ---- */

struct space_source {
    tweed_space space;
    int64_t lo, hi;
    int code;

    space_source(const tweed_space &s, const tweed_loop_options *options) noexcept
        : space(s), lo(0), hi(0), code(tweed_space_prepare_(&space, options, &hi))
    {
    }
};

/* How a callable is called; more: the T of a body that adds to it. */
struct plane {
    template <class F, class... More> struct as : called<F, int64_t, int64_t, More...> {
    };
    template <class F, class... More>
    struct is : is_callable<F, int64_t, int64_t, More...> {
    };
    template <class F, class... More>
    static auto call(F &f, int64_t, int64_t j, int64_t k, More &...more)
        -> decltype(f(+j, +k, more...))
    {
        return f(+j, +k, more...);
    }
};
struct room {
    template <class F, class... More>
    struct as : called<F, int64_t, int64_t, int64_t, More...> {
    };
    template <class F, class... More>
    struct is : is_callable<F, int64_t, int64_t, int64_t, More...> {
    };
    template <class F, class... More>
    static auto call(F &f, int64_t i, int64_t j, int64_t k, More &...more)
        -> decltype(f(+i, +j, +k, more...))
    {
        return f(+i, +j, +k, more...);
    }
};

/* A callable of k, in row (i, j). */
template <class D, class F> struct in_row {
    F &f;
    int64_t i, j;

    template <class... More>
    auto operator()(int64_t k, More &...more) const
        -> decltype(D::call(f, k, k, k, more...))
    {
        return D::call(f, i, j, k, more...);
    }
};

/* Row by row, as a form of one dimension does it. */
template <class D, class Form> struct by_row {
    template <class Source, class F, class C, class T>
    static void run(const block &b, const Source &from, F &f, C &c, const T &none, T &t)
    {
        TWEED_BLOCK_2D_(b.c, &from.space, b.first, b.count, TWEED_LIST_, ({
            const in_row<D, F> row = { f, tweed_i_, tweed_j_ };
            const indices<int64_t> columns(
                tweed_k_, tweed_k_ + static_cast<int64_t>(tweed_n_));

            Form::run(block{ b.c, columns.lo, tweed_n_, b.piece }, columns, row, c,
                      none, t);
        }))
    }
};

template <class D, class G, class T, class C>
answer<T> space_values(const tweed_space &space, T t, typename body<G>::held f, C c,
                       const where &at, const how &options)
{
    typedef typename body<G>::type F;
    typedef typename D::template is<F> right;
    static_assert(right::value,
                  "tweed: the body cannot be called with two, or three, indices");

    if (!(t <= t))
        return answer_of(tweed_fail_(TWEED_EINVAL, "the start is not a number"), t);
    return reduce_by<by_row<D, in_lanes>, typename D::template as<F>>(
        space_source(space, options.over(at)), t, f, c, at, options,
        std::integral_constant<bool, right::value>());
}

template <class D, class G, class B, class T>
answer<T> space_reduce(const tweed_space &space, T &t, typename body<G>::held f,
                       typename body<B>::held c, const where &at, const how &options)
{
    typedef typename body<G>::type F;
    typedef typename D::template is<F, T &> adds;
    typedef combine_form<typename body<B>::type, T> combining;
    static_assert(adds::value || D::template is<F>::value,
                  "tweed: the body must be callable with two, or three, indices, or "
                  "with these and t of the identity's type");
    static_assert(combining::is_right,
                  "tweed: combine must be callable with two of the identity's type");
    typedef typename std::conditional<adds::value, by_element, by_value>::type form;
    typedef typename std::conditional<adds::value, typename D::template as<F, T &>,
                                      typename D::template as<F>>::type as;

    return reduce_by<by_row<D, form>, as>(
        space_source(space, options.over(at)), t, f, c, at, options,
        std::integral_constant<bool,
                               (adds::value || D::template is<F>::value) &&
                                   combining::is_right>());
}

template <class D, class T, class F> struct space_sum {
    template <class B> struct values {
        typedef typename std::decay<decltype(D::call(
            std::declval<B &>(), int64_t(), int64_t(), int64_t()))>::type type;
    };
    struct named {
        typedef T type;
    };
    typedef typename std::conditional<std::is_void<T>::value,
                                      values<typename std::remove_reference<F>::type>,
                                      named>::type::type type;
};

} // namespace detail

/* All of [lo, hi), or of the elements of a range, reduced to one T. */
template <int = 0, class A, class B, class T, class Body, class Combine,
          class Source = typename detail::source_of<A, B>::type>
detail::answer<T> parallel_reduce(A lo, B hi, T identity, Body &&body,
                                  Combine &&combine, const detail::where &at = {},
                                  const detail::how &options = {})
{
    return detail::reduce<Body, Combine>(Source(lo, hi), identity, body, combine, at,
                                         options);
}

template <int = 0, class R, class T, class Body, class Combine,
          class Source = typename detail::range_source<R>::type>
detail::answer<T> parallel_reduce(R &&range, T identity, Body &&body,
                                  Combine &&combine, const detail::where &at = {},
                                  const detail::how &options = {})
{
    return detail::reduce<Body, Combine>(detail::source(range), identity, body,
                                         combine, at, options);
}

/* The sum of what f(x) gives for each index, or element.  The sum's type is that of the
   values; parallel_sum<T>() names another one. */
template <class T = void, class A, class B, class F,
          class Source = typename detail::source_of<A, B>::type,
          class S = typename detail::sum_of<T, F, Source>::type>
detail::answer<S> parallel_sum(A lo, B hi, F &&f, const detail::where &at = {},
                               const detail::how &options = {})
{
    return detail::values<F>(Source(lo, hi), S(0), f, detail::add(), at, options);
}

template <class T = void, class R, class F,
          class Source = typename detail::range_source<R>::type,
          class S = typename detail::sum_of<T, F, Source>::type>
detail::answer<S> parallel_sum(R &&range, F &&f, const detail::where &at = {},
                               const detail::how &options = {})
{
    return detail::values<F>(detail::source(range), S(0), f, detail::add(), at,
                             options);
}

/* The smallest, the largest of start and of what f(x) gives, as a T.  Values that are
   not numbers are passed over; a start that is none is TWEED_EINVAL. */
template <int = 0, class A, class B, class T, class F,
          class Source = typename detail::source_of<A, B>::type>
detail::answer<T> parallel_min(A lo, B hi, T start, F &&f,
                               const detail::where &at = {},
                               const detail::how &options = {})
{
    return detail::values<F>(Source(lo, hi), start, f, detail::lesser(), at, options);
}

template <int = 0, class R, class T, class F,
          class Source = typename detail::range_source<R>::type>
detail::answer<T> parallel_min(R &&range, T start, F &&f,
                               const detail::where &at = {},
                               const detail::how &options = {})
{
    return detail::values<F>(detail::source(range), start, f, detail::lesser(), at,
                             options);
}

template <int = 0, class A, class B, class T, class F,
          class Source = typename detail::source_of<A, B>::type>
detail::answer<T> parallel_max(A lo, B hi, T start, F &&f,
                               const detail::where &at = {},
                               const detail::how &options = {})
{
    return detail::values<F>(Source(lo, hi), start, f, detail::greater(), at, options);
}

template <int = 0, class R, class T, class F,
          class Source = typename detail::range_source<R>::type>
detail::answer<T> parallel_max(R &&range, T start, F &&f,
                               const detail::where &at = {},
                               const detail::how &options = {})
{
    return detail::values<F>(detail::source(range), start, f, detail::greater(), at,
                             options);
}

/* Over two and three dimensions: parallel_sum_2d(i0, i1, j0, j1, f) and so on, f(i, j)
   giving a value; the body of parallel_reduce_2d() is body(i, j, t), or body(i, j). */
template <class T = void, class F,
          class S = typename detail::space_sum<detail::plane, T, F>::type>
detail::answer<S>
parallel_sum_2d(
    int64_t i0, int64_t i1, int64_t j0, int64_t j1,
    F &&f, const detail::where &at = {}, const detail::how &options = {})
{
    return detail::space_values<detail::plane, F>(
        tweed_space_2d_(i0, i1, j0, j1, nullptr), S(0), f, detail::add(), at,
        options);
}

template <class T, class F>
detail::answer<T>
parallel_min_2d(
    int64_t i0, int64_t i1, int64_t j0, int64_t j1,
    T start, F &&f, const detail::where &at = {}, const detail::how &options = {})
{
    return detail::space_values<detail::plane, F>(
        tweed_space_2d_(i0, i1, j0, j1, nullptr), start, f, detail::lesser(), at,
        options);
}

template <class T, class F>
detail::answer<T>
parallel_max_2d(
    int64_t i0, int64_t i1, int64_t j0, int64_t j1,
    T start, F &&f, const detail::where &at = {}, const detail::how &options = {})
{
    return detail::space_values<detail::plane, F>(
        tweed_space_2d_(i0, i1, j0, j1, nullptr), start, f, detail::greater(), at,
        options);
}

template <class T, class Body, class Combine>
detail::answer<T>
parallel_reduce_2d(
    int64_t i0, int64_t i1, int64_t j0, int64_t j1,
    T identity, Body &&body, Combine &&combine, const detail::where &at = {},
    const detail::how &options = {})
{
    return detail::space_reduce<detail::plane, Body, Combine>(
        tweed_space_2d_(i0, i1, j0, j1, nullptr), identity, body, combine, at,
        options);
}

template <class T = void, class F,
          class S = typename detail::space_sum<detail::room, T, F>::type>
detail::answer<S>
parallel_sum_3d(
    int64_t i0, int64_t i1, int64_t j0, int64_t j1, int64_t k0,
    int64_t k1,
    F &&f, const detail::where &at = {}, const detail::how &options = {})
{
    return detail::space_values<detail::room, F>(
        tweed_space_3d_(i0, i1, j0, j1, k0, k1, nullptr), S(0), f, detail::add(), at,
        options);
}

template <class T, class F>
detail::answer<T>
parallel_min_3d(
    int64_t i0, int64_t i1, int64_t j0, int64_t j1, int64_t k0,
    int64_t k1,
    T start, F &&f, const detail::where &at = {}, const detail::how &options = {})
{
    return detail::space_values<detail::room, F>(
        tweed_space_3d_(i0, i1, j0, j1, k0, k1, nullptr), start, f, detail::lesser(), at,
        options);
}

template <class T, class F>
detail::answer<T>
parallel_max_3d(
    int64_t i0, int64_t i1, int64_t j0, int64_t j1, int64_t k0,
    int64_t k1,
    T start, F &&f, const detail::where &at = {}, const detail::how &options = {})
{
    return detail::space_values<detail::room, F>(
        tweed_space_3d_(i0, i1, j0, j1, k0, k1, nullptr), start, f, detail::greater(), at,
        options);
}

template <class T, class Body, class Combine>
detail::answer<T>
parallel_reduce_3d(
    int64_t i0, int64_t i1, int64_t j0, int64_t j1, int64_t k0,
    int64_t k1,
    T identity, Body &&body, Combine &&combine, const detail::where &at = {},
    const detail::how &options = {})
{
    return detail::space_reduce<detail::room, Body, Combine>(
        tweed_space_3d_(i0, i1, j0, j1, k0, k1, nullptr), identity, body, combine, at,
        options);
}

TWEED_NAMESPACE_END_

#endif /* TWEED_REDUCE_HPP */
