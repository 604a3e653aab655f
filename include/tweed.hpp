/*
 * tweed.hpp - tweed for C++11 and up: any callable as the body, compiled in place,
 * and exceptions passed on to the caller.
 *
 * SPDX-License-Identifier: MIT
 *
 *     tweed::parallel_for(0, n, [&](int64_t i) { y[i] += a * x[i]; });
 *     tweed::parallel_for_range(0, n, [&](int64_t b, int64_t e) { ... });
 *     tweed::parallel_for_2d(0, m, 0, n, [&](int64_t i, int64_t j) { ... });
 *     tweed::parallel_for<int>(0, n, [&](int i) { y[i] += a * x[i]; });
 *     k = tweed::parallel_find(0, n, [&](int64_t i) { return x[i] < 0; });
 *     o = tweed::parallel_try(0, n, [&](int64_t i) { return check(x[i]); });
 *
 * Each takes a pool and options too.  The callable is called from any number of
 * threads at once; what it returns is ignored, but by the last two.
 *
 * When a body throws, no worker claims more indices.  Other workers finish what
 * they have claimed.  The indices that had not begun are skipped, and the call
 * throws the exception again; if several bodies throw, the first exception that
 * was caught.  A result other than TWEED_OK is thrown as tweed::error; but not
 * TWEED_ESTOPPED, which is what tweed::stop() or a tweed::token asks for, unless a
 * search was stopped.
 *
 * Compiled without exceptions (-fno-exceptions) the calls return the result, an int;
 * parallel_find() and parallel_try() then write what else they return through a pointer
 * that comes after the callable.
 */
#ifndef TWEED_HPP
#define TWEED_HPP

#include <tweed.h>

#include <atomic>
#include <exception>
#include <stdexcept>
#include <type_traits>
#include <utility>

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
    if (code != TWEED_OK && code != TWEED_ESTOPPED)
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

    /* After the loop, which gave that code. */
    int end(int code)
    {
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
    int end(int code) { return code; }
};

#endif

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
 * again after each atomic operation of the body, unless it sees that nobody else can
 * write to them: so it is with a copy.  A small temporary is copied.  Nobody can tell:
 * its caller has no name for it, a const call does not change it, and the copying runs
 * no code.
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

/* Index is the type of the indices that the callable is given. */

/* The claimed indices, one after the other. */
template <class Index, class F> struct each {
    static void work(tweed_cursor *c) noexcept
    {
        typename called<F, Index>::type f = call<F>::of(c)->f;

        do {
            TWEED_TRY_ {
                for (Index i = static_cast<Index>(tweed_first(c)),
                           past = static_cast<Index>(tweed_past(c));
                     i < past; i++)
                    f(i);
            }
            TWEED_CATCH_(call<F>::of(c), c)
        } while (tweed_next(c));
    }
    static tweed_kind kind;
};
template <class Index, class F>
tweed_kind each<Index, F>::kind =
    TWEED_KIND_INIT_(TWEED_CLAIM_NS, (each<Index, F>::work), nullptr);

/* The claimed indices, together. */
template <class Index, class F> struct range {
    static void work(tweed_cursor *c) noexcept
    {
        typename called<F, Index, Index>::type f = call<F>::of(c)->f;

        do {
            TWEED_TRY_ {
                f(static_cast<Index>(tweed_first(c)),
                  static_cast<Index>(tweed_past(c)));
            }
            TWEED_CATCH_(call<F>::of(c), c)
        } while (tweed_next(c));
    }
    static tweed_kind kind;
};
template <class Index, class F>
tweed_kind range<Index, F>::kind =
    TWEED_KIND_INIT_(TWEED_CLAIM_NS, (range<Index, F>::work), nullptr);

template <class Kind, class F>
result loop(int64_t lo, int64_t hi, F &f, tweed_pool *pool,
            const tweed_loop_options *options)
{
    call<F> one(f);

    return result_of(
        one.end(tweed_run(&Kind::kind, pool, options, lo, hi, nullptr, &one)));
}

/* The claimed indices up to the first that gives other than 0; what is done for that. */
struct failed {
    static void end(tweed_cursor *c, int64_t i, int code)
    {
        tweed_cursor_fail(c, i, code);
    }
};

struct found {
    static void end(tweed_cursor *c, int64_t i, bool) { tweed_cursor_found(c, i); }
};

template <class Code, class How, class F> struct until {
    static void work(tweed_cursor *c) noexcept
    {
        typename called<F, int64_t>::type f = call<F>::of(c)->f;

        do {
            const int64_t past = tweed_past(c);
            int64_t i = tweed_first(c);
            Code code = Code();

            TWEED_TRY_ {
                for (; i < past; i++) {
                    code = static_cast<Code>(f(i));
                    if (code)
                        break;
                }
            }
            TWEED_CATCH_(call<F>::of(c), c)
            if (code)
                How::end(c, i, code);
        } while (tweed_next(c));
    }
    static tweed_kind kind;
};
template <class Code, class How, class F>
tweed_kind until<Code, How, F>::kind =
    TWEED_KIND_INIT_(TWEED_CLAIM_NS, (until<Code, How, F>::work), nullptr);

template <class F>
int run_find(int64_t lo, int64_t hi, F &f, int64_t *where, tweed_pool *pool,
             const tweed_loop_options *options)
{
    call<F> one(f);

    return one.end(tweed_run_find(&until<bool, found, F>::kind, pool, options, lo, hi,
                                  nullptr, &one, where));
}

template <class F>
int run_try(int64_t lo, int64_t hi, F &f, tweed_outcome *all, tweed_pool *pool,
            const tweed_loop_options *options)
{
    call<F> one(f);

    return one.end(tweed_run_try(&until<int, failed, F>::kind, pool, options, lo, hi,
                                 nullptr, &one, all));
}

/* The claimed indices of two dimensions, row by row. */
template <class F> struct each_2d {
    static void work(tweed_cursor *c) noexcept
    {
        const tweed_space *space = static_cast<tweed_space *>(c->arg);
        call<F> *one = static_cast<call<F> *>(space->arg);
        tweed_spot_ at = tweed_nowhere_();
        typename called<F, int64_t, int64_t>::type f = one->f;

        do {
            TWEED_TRY_ {
                TWEED_WALK_CLAIM_(c, space, at,
                                  for (; tweed_k_ < tweed_past_; tweed_k_++)
                                      f(tweed_j_, tweed_k_))
            }
            TWEED_CATCH_(one, c)
        } while (tweed_next(c));
    }
    static tweed_kind kind;
};
template <class F>
tweed_kind each_2d<F>::kind =
    TWEED_KIND_INIT_(TWEED_CLAIM_NS, each_2d<F>::work, nullptr);

/* And of three. */
template <class F> struct each_3d {
    static void work(tweed_cursor *c) noexcept
    {
        const tweed_space *space = static_cast<tweed_space *>(c->arg);
        call<F> *one = static_cast<call<F> *>(space->arg);
        tweed_spot_ at = tweed_nowhere_();
        typename called<F, int64_t, int64_t, int64_t>::type f = one->f;

        do {
            TWEED_TRY_ {
                TWEED_WALK_CLAIM_(c, space, at,
                                  for (; tweed_k_ < tweed_past_; tweed_k_++)
                                      f(tweed_i_, tweed_j_, tweed_k_))
            }
            TWEED_CATCH_(one, c)
        } while (tweed_next(c));
    }
    static tweed_kind kind;
};
template <class F>
tweed_kind each_3d<F>::kind =
    TWEED_KIND_INIT_(TWEED_CLAIM_NS, each_3d<F>::work, nullptr);

template <class Kind, class F>
result space_loop(tweed_space space, F &f, tweed_pool *pool,
                  const tweed_loop_options *options)
{
    call<F> one(f);

    space.arg = &one;
    return result_of(
        one.end(tweed_run_space(&Kind::kind, pool, options, &space, nullptr)));
}

/* Index itself, where all its values are in int64_t, and nothing else.  As a
   parameter's type it is not deduced: the caller names it. */
template <class Index>
struct index
    : std::enable_if<std::is_integral<Index>::value &&
                         (std::is_signed<Index>::value ||
                          sizeof(Index) < sizeof(int64_t)),
                     Index> {
};

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
    return detail::loop<detail::each<int64_t, F>, F>(lo, hi, f, pool, options);
}

template <class F>
detail::result parallel_for_range(int64_t lo, int64_t hi, F &&f,
                                  tweed_pool *pool = nullptr,
                                  const tweed_loop_options *options = nullptr)
{
    return detail::loop<detail::range<int64_t, F>, F>(lo, hi, f, pool, options);
}

/* parallel_for<int>(lo, hi, f): the indices are of this type. */
template <class Index, class F>
detail::result parallel_for(typename detail::index<Index>::type lo,
                            typename detail::index<Index>::type hi, F &&f,
                            tweed_pool *pool = nullptr,
                            const tweed_loop_options *options = nullptr)
{
    return detail::loop<detail::each<Index, F>, F>(lo, hi, f, pool, options);
}

template <class Index, class F>
detail::result parallel_for_range(typename detail::index<Index>::type lo,
                                  typename detail::index<Index>::type hi, F &&f,
                                  tweed_pool *pool = nullptr,
                                  const tweed_loop_options *options = nullptr)
{
    return detail::loop<detail::range<Index, F>, F>(lo, hi, f, pool, options);
}

template <class F>
detail::result parallel_for_2d(int64_t i0, int64_t i1, int64_t j0, int64_t j1,
                               F &&f, tweed_pool *pool = nullptr,
                               const tweed_loop_options *options = nullptr)
{
    return detail::space_loop<detail::each_2d<F>, F>(
        tweed_space_2d_(i0, i1, j0, j1, nullptr), f, pool, options);
}

template <class F>
detail::result parallel_for_3d(int64_t i0, int64_t i1, int64_t j0, int64_t j1,
                               int64_t k0, int64_t k1, F &&f,
                               tweed_pool *pool = nullptr,
                               const tweed_loop_options *options = nullptr)
{
    return detail::space_loop<detail::each_3d<F>, F>(
        tweed_space_3d_(i0, i1, j0, j1, k0, k1, nullptr), f, pool, options);
}

#ifdef __cpp_exceptions

/* The lowest index of [lo, hi) for which f(i) holds, or hi: see tweed_parallel_find().
   Throws error(TWEED_ESTOPPED) if the search was stopped. */
template <class F>
int64_t parallel_find(int64_t lo, int64_t hi, F &&f, tweed_pool *pool = nullptr,
                      const tweed_loop_options *options = nullptr)
{
    int64_t where = hi;
    const int code = detail::run_find<F>(lo, hi, f, &where, pool, options);

    if (code != TWEED_OK)
        throw error(code);
    return where;
}

/* f(i), an int, for each index until one is not 0: see tweed_parallel_try(). */
template <class F>
tweed_outcome parallel_try(int64_t lo, int64_t hi, F &&f, tweed_pool *pool = nullptr,
                           const tweed_loop_options *options = nullptr)
{
    tweed_outcome all = TWEED_OUTCOME_INIT;

    detail::result_of(detail::run_try<F>(lo, hi, f, &all, pool, options));
    return all;
}

#else /* -fno-exceptions */

inline namespace without_exceptions {

template <class F>
int parallel_find(int64_t lo, int64_t hi, F &&f, int64_t *where,
                  tweed_pool *pool = nullptr,
                  const tweed_loop_options *options = nullptr)
{
    return detail::run_find<F>(lo, hi, f, where, pool, options);
}

template <class F>
int parallel_try(int64_t lo, int64_t hi, F &&f, tweed_outcome *all,
                 tweed_pool *pool = nullptr,
                 const tweed_loop_options *options = nullptr)
{
    return detail::run_try<F>(lo, hi, f, all, pool, options);
}

} // namespace without_exceptions

#endif

/* From a body: tweed_parallel_stop(). */
inline void stop() noexcept
{
    (void)tweed_parallel_stop();
}

/* What stops loops from without: options.token = t.get(). */
class token {
public:
    token() noexcept : token_() {}
    token(const token &) = delete;
    token &operator=(const token &) = delete;
    void set() noexcept { tweed_token_set(&token_); }
    void clear() noexcept { tweed_token_clear(&token_); }
    bool is_set() const noexcept { return tweed_token_is_set(&token_) != 0; }
    const tweed_token *get() const noexcept { return &token_; }

private:
    tweed_token token_;
};

} // namespace tweed

#include <tweed/scratch.hpp>

#endif /* TWEED_HPP */
