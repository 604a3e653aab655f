/*
 * tweed/numa.hpp - C++: arrays whose pages lie where loops use them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp.
 *
 *     tweed::numa_array<double> a(n);
 *
 *     tweed::parallel_for(0, n, [&](int64_t i) { a[i] = f(i); });
 *     tweed::parallel_for(a, [&](double &x) { x *= 2; });
 */
#ifndef TWEED_HPP
#include <tweed.hpp> /* which includes this file */
#endif
#ifndef TWEED_NUMA_HPP
#define TWEED_NUMA_HPP

#include <cstddef>

TWEED_NAMESPACE_

/*
 * n elements, of which all bytes are zero at first: T is a type that is copied as bytes
 * are, a number for example.  After n come a pool, or options, or both, those of the
 * loops over [0, n) that use the array: tweed_alloc_with().  An array is moved and not
 * copied; what was moved from has no elements.
 *
 * Without memory the constructor throws tweed::error; compiled without exceptions it
 * aborts.
 */
template <class T> class numa_array {
    static_assert(std::is_trivially_copyable<T>::value &&
                      std::is_trivially_destructible<T>::value,
                  "the elements of a tweed::numa_array are zero bytes at first, and "
                  "are neither constructed nor destroyed");

public:
    typedef T value_type;
    typedef T *iterator;
    typedef const T *const_iterator;

    numa_array() noexcept : first(nullptr), count(0) {}
    explicit numa_array(std::size_t n, const detail::where &at = detail::where(),
                        const detail::how &options = detail::how())
        : first(nullptr), count(n)
    {
        int code;

        if (n > static_cast<std::size_t>(INT64_MAX) / sizeof(T))
            detail::fail(error(tweed_fail_(TWEED_ENOMEM, "for %zu elements", n)));
        first = static_cast<T *>(tweed_alloc_with(at.pool(), options.over(at), 0,
                                                  static_cast<int64_t>(n), sizeof(T),
                                                  &code));
        if (!first)
            detail::fail(error(code));
    }
    numa_array(numa_array &&from) noexcept : first(from.first), count(from.count)
    {
        from.first = nullptr;
        from.count = 0;
    }
    numa_array &operator=(numa_array &&from) noexcept
    {
        numa_array taken(std::move(from));

        std::swap(first, taken.first);
        std::swap(count, taken.count);
        return *this;
    }
    numa_array(const numa_array &) = delete;
    numa_array &operator=(const numa_array &) = delete;
    ~numa_array() { tweed_free(first); }

    std::size_t size() const noexcept { return count; }
    T *data() noexcept { return first; }
    const T *data() const noexcept { return first; }
    T *begin() noexcept { return first; }
    const T *begin() const noexcept { return first; }
    T *end() noexcept { return first + count; }
    const T *end() const noexcept { return first + count; }
    template <class I> T &operator[](I i) noexcept { return first[i]; }
    template <class I> const T &operator[](I i) const noexcept { return first[i]; }

private:
    T *first;
    std::size_t count;
};

TWEED_NAMESPACE_END_

#endif /* TWEED_NUMA_HPP */
