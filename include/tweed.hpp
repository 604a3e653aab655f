/*
 * tweed.hpp - tweed for C++11 and up: any callable as the body, compiled in place,
 * and exceptions passed on to the caller.
 *
 * SPDX-License-Identifier: MIT
 *
 *     tweed::parallel_for(0, n, [&](int64_t i) { y[i] += a * x[i]; });
 *     tweed::parallel_for_range(0, n, [&](int64_t b, int64_t e) { ... });
 *
 * Each takes a pool and options too.  The callable is called from any number of
 * threads at once; what it returns is ignored.
 *
 * When a body throws, no worker claims more indices.  Other workers finish what
 * they have claimed.  The indices that had not begun are skipped, and the call
 * throws the exception again; if several bodies throw, the first exception that
 * was caught.  A result other than TWEED_OK is thrown as tweed::error.
 *
 * Compiled without exceptions (-fno-exceptions) the calls return the result, an int.
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

#ifdef __cpp_exceptions

typedef void result;

inline void result_of(int code)
{
    if (code != TWEED_OK)
        throw error(code);
}

#define TWEED_TRY_ try
#define TWEED_CATCH_(call, c)                                                  \
    catch (...)                                                                \
    {                                                                          \
        (call)->fail(c);                                                       \
    }

/* One call's state: the callable, and the first exception. */
template <class F> struct call {
    F &f;
    std::exception_ptr first;
    std::atomic<bool> failed;

    explicit call(F &callable) : f(callable), first(), failed(false) {}

    /* Within a catch clause. */
    void fail(tweed_cursor *c) noexcept
    {
        /* relaxed: `first` is read only after the loop's end, which orders it; the
           exchange just picks one writer */
        if (!failed.exchange(true, std::memory_order_relaxed))
            first = std::current_exception();
        tweed_cursor_stop(c);
    }
    static call *of(tweed_cursor *c) { return static_cast<call *>(c->arg); }

    int run(tweed_kind &kind, tweed_pool *pool,
            const tweed_loop_options *options, int64_t lo, int64_t hi)
    {
        int code = tweed_run(&kind, pool, options, lo, hi, nullptr, this);

        if (first)
            std::rethrow_exception(first);
        return code;
    }
};

#else /* -fno-exceptions */

/* A program may have files of both sorts: their functions differ in their names. */
inline namespace without_exceptions {

typedef int result;

inline result result_of(int code)
{
    return code;
}

#define TWEED_TRY_
#define TWEED_CATCH_(call, c)

template <class F> struct call {
    F &f;

    explicit call(F &callable) : f(callable) {}
    static call *of(tweed_cursor *c) { return static_cast<call *>(c->arg); }

    int run(tweed_kind &kind, tweed_pool *pool,
            const tweed_loop_options *options, int64_t lo, int64_t hi)
    {
        return tweed_run(&kind, pool, options, lo, hi, nullptr, this);
    }
};

#endif

/* The claimed indices, one after the other. */
template <class F> struct each {
    static void work(tweed_cursor *c) noexcept
    {
        F &f = call<F>::of(c)->f;

        do {
            TWEED_TRY_ {
                for (int64_t i = tweed_first(c), past = tweed_past(c); i < past;
                     i++)
                    f(i);
            }
            TWEED_CATCH_(call<F>::of(c), c)
        } while (tweed_next(c));
    }
    static tweed_kind kind;
};
template <class F>
tweed_kind each<F>::kind =
    TWEED_KIND_INIT_(TWEED_STRIP_CLAIM_NS, each<F>::work, nullptr);

/* The claimed indices, together. */
template <class F> struct range {
    static void work(tweed_cursor *c) noexcept
    {
        F &f = call<F>::of(c)->f;

        do {
            TWEED_TRY_ {
                f(tweed_first(c), tweed_past(c));
            }
            TWEED_CATCH_(call<F>::of(c), c)
        } while (tweed_next(c));
    }
    static tweed_kind kind;
};
template <class F>
tweed_kind range<F>::kind =
    TWEED_KIND_INIT_(TWEED_RANGE_CLAIM_NS, range<F>::work, nullptr);

template <template <class> class Kind, class F>
result loop(int64_t lo, int64_t hi, F &f, tweed_pool *pool,
            const tweed_loop_options *options)
{
    return result_of(call<F>(f).run(Kind<F>::kind, pool, options, lo, hi));
}

#undef TWEED_TRY_
#undef TWEED_CATCH_

#ifndef __cpp_exceptions
} // namespace without_exceptions
#endif

} // namespace detail

template <class F>
detail::result parallel_for(int64_t lo, int64_t hi, F &&f,
                            tweed_pool *pool = nullptr,
                            const tweed_loop_options *options = nullptr)
{
    return detail::loop<detail::each>(lo, hi, f, pool, options);
}

template <class F>
detail::result parallel_for_range(int64_t lo, int64_t hi, F &&f,
                                  tweed_pool *pool = nullptr,
                                  const tweed_loop_options *options = nullptr)
{
    return detail::loop<detail::range>(lo, hi, f, pool, options);
}

} // namespace tweed

#endif /* TWEED_HPP */
