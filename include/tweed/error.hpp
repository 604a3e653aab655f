/*
 * tweed/error.hpp - with exceptions and without: how calls say what went wrong.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp.
 */
#ifndef TWEED_HPP
#include <tweed.hpp> /* which includes this file */
#endif
#ifndef TWEED_ERROR_HPP
#define TWEED_ERROR_HPP

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <type_traits>
#include <utility>

/* A program may have files with exceptions and files without: the functions of these
   have other names. */
#ifdef __cpp_exceptions
#define TWEED_NAMESPACE_ namespace tweed {
#define TWEED_NAMESPACE_END_ }
#define TWEED_TRY_ try
#define TWEED_CATCH_(failure, stop)                                            \
    catch (...)                                                                \
    {                                                                          \
        (failure)->keep();                                                     \
        stop;                                                                  \
    }
#else
#define TWEED_NAMESPACE_ namespace tweed { inline namespace without_exceptions {
#define TWEED_NAMESPACE_END_ } }
#define TWEED_TRY_
#define TWEED_CATCH_(failure, stop)
#endif

namespace tweed {

/* A result code of tweed's, thrown.  what() is tweed_last_error() if that is about such a
   code, else tweed_strerror(). */
class error : public std::runtime_error {
public:
    explicit error(int code) : std::runtime_error(text_of(code)), code_(code) {}
    int code() const noexcept { return code_; }

private:
    int code_;

    static const char *text_of(int code)
    {
        const char *text = tweed_strerror(code), *last = tweed_last_error();

        return std::strncmp(last, text, std::strlen(text)) == 0 ? last : text;
    }
};

} // namespace tweed

TWEED_NAMESPACE_

#ifdef __cpp_exceptions

namespace detail {

/* The first exception of a call. */
class failure {
public:
    failure() noexcept : first(), failed(false) {}

    /* Within a catch clause. */
    void keep() noexcept
    {
        /* relaxed: `first` is read only after the loop's end, which orders it; the
           exchange just picks one writer */
        if (!failed.exchange(true, std::memory_order_relaxed))
            first = std::current_exception();
    }
    bool is_there() const noexcept
    {
        /* relaxed: to leave something out that is not needed any more */
        return failed.load(std::memory_order_relaxed);
    }
    /* After the loop, which gave that code.  Then there is no exception any more. */
    int end(int code)
    {
        if (first) {
            std::exception_ptr e;

            std::swap(e, first);
            failed.store(false, std::memory_order_relaxed); /* see above */
            std::rethrow_exception(std::move(e));
        }
        return code;
    }

private:
    std::exception_ptr first;
    std::atomic<bool> failed;
};

/* What a call gives that has nothing to return but its code. */
typedef void outcome;

inline void outcome_of(int code)
{
    if (code != TWEED_OK && code != TWEED_ESTOPPED)
        throw error(code);
}

/* What a call gives that returns a T. */
template <class T> using answer = T;

template <class T> T answer_of(int code, T &value)
{
    if (code != TWEED_OK)
        throw error(code);
    return std::move(value);
}

/* Of a call whose T says itself that the loop was stopped. */
inline int unless_stopped(int code)
{
    return code == TWEED_ESTOPPED ? TWEED_OK : code;
}

template <class E> [[noreturn]] void fail(const E &e)
{
    throw e;
}

} // namespace detail

#else /* -fno-exceptions */

/* What a call returns that has something to return: TWEED_OK and the value.  With
   another code the value is that of an empty loop, or what is known. */
template <class T> struct result {
    int code;
    T value;
};

namespace detail {

struct failure {
    bool is_there() const noexcept { return false; }
    int end(int code) { return code; }
};

typedef int outcome;

inline int outcome_of(int code)
{
    return code;
}

template <class T> using answer = result<T>;

template <class T> result<T> answer_of(int code, T &value)
{
    return result<T>{ code, std::move(value) };
}

inline int unless_stopped(int code)
{
    return code;
}

template <class E> [[noreturn]] void fail(const E &e)
{
    std::fprintf(stderr, "tweed: %s\n", e.what());
    std::abort();
}

} // namespace detail

#endif

TWEED_NAMESPACE_END_

#endif /* TWEED_ERROR_HPP */
