/*
 * tweed/bounds.hpp - C++: what a loop goes over, as numbers of type int64_t.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp.
 *
 * The core loop runs over int64_t.  A **source** says which numbers these are, which
 * position a number stands for (an index, or an iterator), and what a body is given
 * for a position (the index, or the element).
 */
#ifndef TWEED_HPP
#include <tweed.hpp> /* which includes this file */
#endif
#ifndef TWEED_BOUNDS_HPP
#define TWEED_BOUNDS_HPP

#include <cstddef>
#include <iterator>

TWEED_NAMESPACE_

namespace detail {

/* ---- indices ---- */

template <class T> struct is_index {
    static const bool value = std::is_integral<T>::value && sizeof(T) <= 8 &&
                              !std::is_same<T, bool>::value;
};

template <class T>
bool is_negative(T value, typename std::enable_if<std::is_signed<T>::value, int>::type = 0)
{
    return value < 0;
}
template <class T>
bool is_negative(T, typename std::enable_if<std::is_unsigned<T>::value, int>::type = 0)
{
    return false;
}

/* The bounds of an unsigned type must not be below it. */
template <class Index, class A, class B> int code_of(A first, B past)
{
    return std::is_unsigned<Index>::value && (is_negative(first) || is_negative(past))
               ? tweed_fail_(TWEED_EINVAL, "a bound is negative: expected 0 or more, as "
                                           "the indices are unsigned")
               : TWEED_OK;
}

/* Indices of a type of which all values are in int64_t, and of one that has more. */
template <class Index, bool large = std::is_unsigned<Index>::value &&
                                    sizeof(Index) == sizeof(int64_t)>
struct indices {
    typedef Index position;
    typedef Index given;
    int64_t lo, hi;
    int code;

    template <class A, class B>
    indices(A first, B past) noexcept
        : lo(static_cast<int64_t>(first)), hi(static_cast<int64_t>(past)),
          code(code_of<Index>(first, past))
    {
    }
    Index at(int64_t number) const noexcept { return static_cast<Index>(number); }
    static Index next(Index i, int n) noexcept { return static_cast<Index>(i + n); }
    static bool precedes(Index i, Index past) noexcept { return i < past; }
    static uint64_t count(Index i, Index past) noexcept
    {
        return static_cast<uint64_t>(past) - static_cast<uint64_t>(i);
    }
    static Index get(Index i) noexcept { return i; }
};

template <class Index> struct indices<Index, true> {
    typedef Index position;
    typedef Index given;
    int64_t lo, hi;
    int code;
    uint64_t base; /* so that all numbers are in int64_t */

    template <class A, class B>
    indices(A first, B past) noexcept
        : lo(), hi(), code(code_of<Index>(first, past)),
          base(static_cast<uint64_t>(past) > INT64_MAX ? UINT64_C(1) << 63 : 0)
    {
        lo = static_cast<int64_t>(static_cast<uint64_t>(first) - base);
        hi = static_cast<int64_t>(static_cast<uint64_t>(past) - base);
        if (static_cast<uint64_t>(first) > static_cast<uint64_t>(past))
            lo = hi; /* no index */
    }
    Index at(int64_t number) const noexcept
    {
        return static_cast<Index>(static_cast<uint64_t>(number) + base);
    }
    static Index next(Index i, int n) noexcept
    {
        return i + static_cast<Index>(n);
    }
    static bool precedes(Index i, Index past) noexcept { return i < past; }
    static uint64_t count(Index i, Index past) noexcept
    {
        return static_cast<uint64_t>(past) - static_cast<uint64_t>(i);
    }
    static Index get(Index i) noexcept { return i; }
};

/* ---- elements ---- */

template <class It> struct elements {
    typedef It position;
    typedef decltype(*std::declval<It &>()) given;
    typedef decltype(std::declval<It &>() - std::declval<It &>()) difference;
    It base;
    int64_t lo, hi;
    int code;

    template <class End>
    elements(const It &first, const End &last)
        : base(first), lo(0), hi(static_cast<int64_t>(last - first)), code(TWEED_OK)
    {
    }
    It at(int64_t number) const { return base + static_cast<difference>(number); }
    static It next(const It &i, int n) { return i + static_cast<difference>(n); }
    static bool precedes(const It &i, const It &past) { return i != past; }
    static uint64_t count(const It &i, const It &past)
    {
        return static_cast<uint64_t>(past - i);
    }
    static given get(const It &i) { return *i; }
};

/* Random access: by the older rule, or by that of C++20, under which the iterators of
   views have random access, too. */
template <class It> struct is_random {
    template <class I>
    static std::is_base_of<std::random_access_iterator_tag,
                           typename std::iterator_traits<I>::iterator_category>
    test(int);
    template <class I> static std::false_type test(...);
#if defined(__cpp_lib_concepts) && __cpp_lib_concepts >= 202002L
    static const bool value =
        decltype(test<It>(0))::value || std::random_access_iterator<It>;
#else
    static const bool value = decltype(test<It>(0))::value;
#endif
};

/* What can be dereferenced and compared. */
template <class It, class End> struct is_iterators {
    template <class I, class E>
    static auto test(int)
        -> decltype(static_cast<void>(*std::declval<I &>()),
                    static_cast<void>(std::declval<I &>() != std::declval<E &>()),
                    std::true_type());
    template <class I, class E> static std::false_type test(...);
    static const bool value = decltype(test<It, End>(0))::value;
};

template <class It> struct is_place {
    static const bool value = is_iterators<It, It>::value;
};

/* ---- which source two bounds are ---- */

template <class A, class B, bool integral = is_index<A>::value &&is_index<B>::value>
struct index_of {
    typedef typename std::common_type<A, B>::type type;
};
template <class A, class B> struct index_of<A, B, false> {
    typedef int type;
};

template <class A, class B> struct bounds {
    static const bool integral = is_index<A>::value && is_index<B>::value;
    static const bool iterators = !integral && is_iterators<A, B>::value;
    static const bool value = integral || iterators;
};

/* The source, of two bounds: nothing, if they are none. */
template <class A, class B, bool integral = bounds<A, B>::integral,
          bool iterators = bounds<A, B>::iterators>
struct source_of {
};
template <class A, class B> struct source_of<A, B, true, false> {
    typedef indices<typename index_of<A, B>::type> type;
};
template <class A, class B> struct source_of<A, B, false, true> {
    static_assert(is_random<A>::value,
                  "tweed: the iterators must have random access");
    /* after that error there is nothing to say of the elements */
    typedef elements<typename std::conditional<is_random<A>::value, A, int *>::type> type;
};

/* ---- a range ---- */

namespace of_range {

using std::begin;
using std::end;

template <class R> auto first(R &&r) -> decltype(begin(r))
{
    return begin(r);
}
template <class R> auto last(R &&r) -> decltype(end(r))
{
    return end(r);
}

template <class R> struct iterators {
    template <class Q>
    static auto test(int)
        -> decltype(static_cast<void>(of_range::first(std::declval<Q &>())),
                    static_cast<void>(of_range::last(std::declval<Q &>())),
                    std::true_type());
    template <class Q> static std::false_type test(...);
    static const bool are_there = decltype(test<R>(0))::value;
};

} // namespace of_range

template <class R, bool = of_range::iterators<R>::are_there> struct range_source {
};
template <class R> struct range_source<R, true> {
    typedef decltype(of_range::first(std::declval<R &>())) iterator;
    typedef decltype(of_range::last(std::declval<R &>())) sentinel;
    typedef typename source_of<iterator, sentinel>::type type;
};

template <class R> typename range_source<R>::type source(R &r)
{
    return typename range_source<R>::type(of_range::first(r), of_range::last(r));
}

/* Index itself, if that is the type of an index.  As a parameter's type it is not deduced:
   the caller names it. */
template <class Index>
struct named : std::enable_if<is_index<Index>::value, Index> {
};

} // namespace detail

TWEED_NAMESPACE_END_

#endif /* TWEED_BOUNDS_HPP */
