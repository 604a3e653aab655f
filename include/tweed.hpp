/*
 * tweed.hpp - tweed for C++11 and up: any callable as the body, exceptions
 * passed on to the caller.
 *
 * SPDX-License-Identifier: MIT
 *
 *     tweed::parallel_for(0, n, [&](int64_t i) { y[i] += a * x[i]; });
 *     tweed::parallel_for_range(0, n, [&](int64_t b, int64_t e) { ... });
 *
 * Each takes a pool and options too.  When a body throws, the exception is
 * thrown again by the call, once all bodies that had begun have ended; indices
 * that had not begun are skipped.  If several throw, one of them is passed on.
 * A result other than TWEED_OK is thrown as tweed::error.
 */
#ifndef TWEED_HPP
#define TWEED_HPP

#include <tweed.h>

#include <atomic>
#include <exception>
#include <stdexcept>
#include <type_traits>

namespace tweed {

class error : public std::runtime_error {
public:
    explicit error(int code)
        : std::runtime_error(tweed_strerror(code)), code_(code)
    {
    }
    int code() const noexcept { return code_; }

private:
    int code_;
};

namespace detail {

/* One call's state: the callable, and the first exception. */
template <class F> struct call {
    F &f;
    std::exception_ptr first;
    std::atomic<int> stop; /* 0: go on; 1: a body threw */

    explicit call(F &callable) : f(callable), first(), stop(0) {}

    template <class... I> void run(I... i) noexcept
    {
        if (stop.load(std::memory_order_relaxed))
            return; /* only a hint: whoever misses it runs one body more */
        try {
            f(i...);
        } catch (...) {
            /* relaxed: `first` is read only after the loop's end, which orders
               it; the exchange just picks one writer */
            if (stop.exchange(1, std::memory_order_relaxed) == 0)
                first = std::current_exception();
        }
    }
    void end(int code) const
    {
        if (first)
            std::rethrow_exception(first);
        if (code != TWEED_OK)
            throw error(code);
    }
    static void each(int64_t i, void *self)
    {
        static_cast<call *>(self)->run(i);
    }
    static void range(int64_t begin, int64_t end, void *self)
    {
        static_cast<call *>(self)->run(begin, end);
    }
};

} // namespace detail

template <class F>
void parallel_for(int64_t lo, int64_t hi, F &&f, tweed_pool *pool = nullptr,
                  const tweed_loop_options *options = nullptr)
{
    detail::call<typename std::remove_reference<F>::type> c(f);
    c.end(tweed_parallel_for_with(pool, options, lo, hi, c.each, &c));
}

template <class F>
void parallel_for_range(int64_t lo, int64_t hi, F &&f,
                        tweed_pool *pool = nullptr,
                        const tweed_loop_options *options = nullptr)
{
    detail::call<typename std::remove_reference<F>::type> c(f);
    c.end(tweed_parallel_for_range_with(pool, options, lo, hi, c.range, &c));
}

} // namespace tweed

#endif /* TWEED_HPP */
