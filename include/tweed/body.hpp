/*
 * tweed/body.hpp - C++: what can be a body, and how a kind calls it.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp.
 */
#ifndef TWEED_HPP
#include <tweed.hpp> /* which includes this file */
#endif
#ifndef TWEED_BODY_HPP
#define TWEED_BODY_HPP

TWEED_NAMESPACE_

namespace detail {

/* Whether an F can be called so. */
template <class F, class... Args> struct is_callable {
    template <class G>
    static auto test(int)
        -> decltype(static_cast<void>(std::declval<G &>()(std::declval<Args>()...)),
                    std::true_type());
    template <class G> static std::false_type test(...);
    static const bool value = decltype(test<F>(0))::value;
};

/* What such a call gives. */
template <class F, class... Args> struct called_gives {
    typedef decltype(std::declval<F &>()(std::declval<Args>()...)) type;
};

/* Whether F has one operator(), as a lambda has, and a const F can be called. */
template <class F, class... Args> struct is_const_callable {
    template <class G>
    static auto test(int)
        -> decltype(static_cast<void>(&G::operator()),
                    static_cast<void>(
                        std::declval<const G &>()(std::declval<Args>()...)),
                    std::true_type());
    template <class G> static std::false_type test(...);
    static const bool value = decltype(test<F>(0))::value;
};

/*
 * What a worker calls: the callable itself, or a copy of its own.
 *
 * A lambda reaches what it captured through its own members.  The compiler reads these
 * again after each atomic operation of the body, unless it sees that no other code can
 * write to them: so it is with a copy.  A small temporary is copied.  No program notices:
 * the caller has no name for the temporary, a const call does not change it, and the
 * copying runs no code.
 */
template <class F, class... Args> struct called {
    static const bool temporary = !std::is_reference<F>::value;
    typedef typename std::conditional<temporary, F, char>::type object;
    static const bool copied = temporary && sizeof(object) <= 256 &&
                               std::is_trivially_copyable<F>::value &&
                               std::is_trivially_copy_constructible<F>::value &&
                               is_const_callable<F, Args...>::value;
    typedef typename std::conditional<copied, const F, F &>::type type;
};

/* A member function, called for an object. */
template <class M> struct member {
    M m;
    template <class T, class... Args>
    auto operator()(T &&object, Args &&...args) const
        -> decltype((std::forward<T>(object).*m)(std::forward<Args>(args)...))
    {
        return (std::forward<T>(object).*m)(std::forward<Args>(args)...);
    }
};

/* What the caller gave as callable, F being the type that it was deduced as: a kind is
   made of `type`, and while the loop runs `held` is what is called. */
template <class F,
          bool = std::is_member_function_pointer<
              typename std::remove_reference<F>::type>::value>
struct body {
    typedef F type;
    typedef F &held;
};
template <class F> struct body<F, true> {
    typedef member<typename std::decay<F>::type> type;
    struct held : type {
        held(typename std::decay<F>::type given) : type{ given } {}
    };
};

/* A kind that executes nothing: in the place of one that cannot be compiled, which a
   static_assert has already said. */
struct no_work {
    static void work(tweed_cursor *) noexcept {}
};

/* The tweed_kind of Work::work(). */
template <class Work> struct kind_of {
    static tweed_kind kind;
};
template <class Work>
tweed_kind kind_of<Work>::kind =
    TWEED_KIND_INIT_(TWEED_CLAIM_NS_, Work::work, nullptr);

} // namespace detail

TWEED_NAMESPACE_END_

#endif /* TWEED_BODY_HPP */
