/*
 * tweed/progress.hpp - have a callable told how far loops are, for C++11 and up.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp.
 *
 *     tweed::progress shown([&](const tweed_progress &p) {
 *         if (p.total > 0) // it was not stopped
 *             window.post(p.name, double(p.done) / double(p.total));
 *     });
 *
 *     tweed::parallel_for(0, n, f);
 */
#ifndef TWEED_HPP
#include <tweed.hpp> /* which includes this file */
#endif
#ifndef TWEED_PROGRESS_HPP
#define TWEED_PROGRESS_HPP

#include <memory>

TWEED_NAMESPACE_

/*
 * tweed_pool_progress() with a callable, which is called from the constructor on until
 * the object ends.  The object has the callable: a copy, or what was moved in.  The
 * destructor blocks until a call that runs has returned; after it nothing that the
 * callable refers to is used.
 *
 * f     called as f(p), p being a const tweed_progress &, one call at a time, by a thread
 *       of the library's own; see tweed_pool_progress().  An exception that leaves f
 *       ends the program (std::terminate()).  f does not destroy its own object.
 * pool  a tweed::pool, or a pointer to a tweed_pool; the default pool.  The object ends
 *       before the pool
 *
 * A pool has one callable: a later object takes the place of an earlier one, and when
 * either object ends no callable is called any more.
 *
 * If the pool is none the constructor throws tweed::error; compiled without exceptions
 * it aborts.
 */
class progress {
public:
    template <class F>
    explicit progress(F f, tweed_pool *pool = nullptr)
        : told(new callable<F>(std::move(f))), of(pool)
    {
        const int code = tweed_pool_progress(of, callable<F>::call, told.get());

        if (code != TWEED_OK)
            detail::fail(error(code));
    }
    template <class F>
    progress(F f, const class pool &pool) : progress(std::move(f), pool.get())
    {
    }
    /* An object that was moved from has no callable any more. */
    progress(progress &&) = default;
    progress(const progress &) = delete;
    progress &operator=(const progress &) = delete;
    ~progress()
    {
        if (told)
            (void)tweed_pool_progress(of, nullptr, nullptr);
    }

private:
    struct any {
        any() = default;
        any(const any &) = delete;
        any &operator=(const any &) = delete;
        virtual ~any() {}
    };
    template <class F> struct callable : any {
        explicit callable(F &&f) : fn(std::move(f)) {}
        static void call(const tweed_progress *p, void *arg) noexcept
        {
            static_cast<callable *>(static_cast<any *>(arg))->fn(*p);
        }
        F fn;
    };

    std::unique_ptr<any> told;
    tweed_pool *of;
};

TWEED_NAMESPACE_END_

#endif /* TWEED_PROGRESS_HPP */
