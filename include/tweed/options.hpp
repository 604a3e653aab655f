/*
 * tweed/options.hpp - C++: pools, options, tokens.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp.
 *
 *     tweed::pool mine(tweed::pool_options().num_workers(8).name("mine"));
 *     tweed::token quit;
 *
 *     tweed::parallel_for(0, n, f, mine, tweed::loop_options().grain(8).token(quit));
 *     tweed::parallel_for(0, n, f, mine);
 *     tweed::parallel_for(0, n, f, tweed::loop_options().grain(8));
 */
#ifndef TWEED_HPP
#include <tweed.hpp> /* which includes this file */
#endif
#ifndef TWEED_OPTIONS_HPP
#define TWEED_OPTIONS_HPP

namespace tweed {

/* What stops loops from without: tweed_token_set(3). */
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

TWEED_NAMESPACE_

namespace detail {

/* A time of std::chrono's in ns; a longer time than an int64_t has is the longest. */
template <class Duration> int64_t nanoseconds(const Duration &d)
{
    const double ns = static_cast<double>(d.count()) * 1e9 *
                      static_cast<double>(Duration::period::num) /
                      static_cast<double>(Duration::period::den);

    return ns >= 9.2e18 ? INT64_MAX : ns <= -9.2e18 ? INT64_MIN
                                                    : static_cast<int64_t>(ns);
}

} // namespace detail

/* The members of tweed_loop_options, each set by the function of its name. */
class loop_options {
public:
    loop_options() noexcept : o() { o.size = sizeof o; }
    const tweed_loop_options *get() const noexcept { return &o; }

    loop_options &grain(int64_t indices) noexcept
    {
        o.grain = indices;
        return *this;
    }
    loop_options &tile(int64_t rows, int64_t columns) noexcept
    {
        return tile(rows, columns, 0);
    }
    loop_options &tile(int64_t layers, int64_t rows, int64_t columns) noexcept
    {
        o.tile[0] = layers;
        o.tile[1] = rows;
        o.tile[2] = columns;
        return *this;
    }
    loop_options &max_workers(int most) noexcept
    {
        o.max_workers = most;
        return *this;
    }
    loop_options &schedule(int which) noexcept /* TWEED_SCHEDULE_... */
    {
        o.schedule = which;
        return *this;
    }
    /* One weight for each index, read before the loop begins. */
    loop_options &weights(const double *all) noexcept
    {
        o.weights = all;
        return *this;
    }
    loop_options &token(const class token &t) noexcept { return token(t.get()); }
    loop_options &token(const tweed_token *t) noexcept
    {
        o.token = t;
        return *this;
    }
    loop_options &timeout_ns(int64_t ns) noexcept
    {
        o.timeout_ns = ns;
        return *this;
    }
    /* std::chrono::milliseconds(20), for example. */
    template <class Duration> loop_options &timeout(const Duration &d)
    {
        return timeout_ns(detail::nanoseconds(d));
    }
    loop_options &outcome(tweed_outcome &all) noexcept
    {
        o.outcome = &all;
        return *this;
    }
    /* Not copied before the loop begins. */
    loop_options &name(const char *name) noexcept
    {
        o.name = name;
        return *this;
    }

private:
    tweed_loop_options o;
};

/* The members of tweed_pool_options. */
class pool_options {
public:
    pool_options() noexcept : o() { o.size = sizeof o; }
    const tweed_pool_options *get() const noexcept { return &o; }

    pool_options &num_workers(int n) noexcept
    {
        o.num_workers = n;
        return *this;
    }
    pool_options &bind(int how) noexcept /* TWEED_BIND_... */
    {
        o.bind = how;
        return *this;
    }
    pool_options &cpus(const char *list) noexcept /* "0-3,8" */
    {
        o.cpus = list;
        return *this;
    }
    pool_options &name(const char *name) noexcept
    {
        o.name = name;
        return *this;
    }
    pool_options &stack_bytes(size_t bytes) noexcept
    {
        o.stack_bytes = bytes;
        return *this;
    }
    pool_options &on_start(tweed_worker_fn *hook) noexcept
    {
        o.on_start = hook;
        return *this;
    }
    pool_options &on_end(tweed_worker_fn *hook) noexcept
    {
        o.on_end = hook;
        return *this;
    }
    pool_options &hook_arg(void *arg) noexcept
    {
        o.hook_arg = arg;
        return *this;
    }
    pool_options &fence(int how) noexcept /* TWEED_FENCE_... */
    {
        o.fence = how;
        return *this;
    }
    pool_options &spin_ns(int64_t ns) noexcept
    {
        o.spin_ns = ns;
        return *this;
    }
    template <class Duration> pool_options &spin(const Duration &d)
    {
        return spin_ns(detail::nanoseconds(d));
    }
    pool_options &seed(std::uint64_t number) noexcept
    {
        o.seed = number;
        return *this;
    }

private:
    tweed_pool_options o;
};

/*
 * A pool of one's own, which ends with the object.
 *
 * An object that was moved from has no pool, and get() is a null pointer: it stands for
 * the default pool, as it does in C.
 *
 * If there is no pool to be had the constructors throw tweed::error; compiled without
 * exceptions they abort.
 */
class pool {
public:
    pool() : pool(pool_options()) {}
    explicit pool(int num_workers) : pool(pool_options().num_workers(num_workers)) {}
    explicit pool(const pool_options &options) : p(nullptr)
    {
        const int code = tweed_pool_create(&p, options.get());

        if (code != TWEED_OK)
            detail::fail(error(code));
    }
    pool(pool &&from) noexcept : p(from.p) { from.p = nullptr; }
    pool &operator=(pool &&from) noexcept
    {
        pool taken(std::move(from));

        std::swap(p, taken.p);
        return *this;
    }
    pool(const pool &) = delete;
    pool &operator=(const pool &) = delete;
    /* Waits for the threads to end.  A pool that is running a loop goes on: close()
       says so. */
    ~pool() { (void)tweed_pool_destroy(p); }

    /* tweed_pool_destroy(): a result other than TWEED_OK is thrown, or returned. */
    detail::outcome close()
    {
        const int code = tweed_pool_destroy(p);

        if (code == TWEED_OK)
            p = nullptr;
        return detail::outcome_of(code);
    }
    tweed_pool *get() const noexcept { return p; }
    int num_workers() const noexcept { return tweed_pool_num_workers(p); }

private:
    tweed_pool *p;
};

/* tweed_default_pool_configure(), tweed_default_pool_shutdown(): a result other than
   TWEED_OK is thrown, or returned. */
inline detail::outcome configure_default_pool(const pool_options &options)
{
    return detail::outcome_of(tweed_default_pool_configure(options.get()));
}

inline detail::outcome shut_down_default_pool()
{
    return detail::outcome_of(tweed_default_pool_shutdown());
}

namespace detail {

/* Where a loop runs and how: the last arguments of all calls.  A pool, or options, or
   a pool and options. */
class where {
public:
    where() noexcept : pool_(nullptr), options_(nullptr) {}
    where(std::nullptr_t) noexcept : where() {}
    where(tweed_pool *pool) noexcept : pool_(pool), options_(nullptr) {}
    where(const class pool &pool) noexcept : where(pool.get()) {}
    where(const loop_options &options) noexcept
        : pool_(nullptr), options_(options.get())
    {
    }
    tweed_pool *pool() const noexcept { return pool_; }
    const tweed_loop_options *options() const noexcept { return options_; }

private:
    tweed_pool *pool_;
    const tweed_loop_options *options_;
};

class how {
public:
    how() noexcept : options_(nullptr) {}
    how(const tweed_loop_options *options) noexcept : options_(options) {}
    how(const loop_options &options) noexcept : options_(options.get()) {}
    const tweed_loop_options *over(const where &at) const noexcept
    {
        return options_ ? options_ : at.options();
    }

private:
    const tweed_loop_options *options_;
};

} // namespace detail

TWEED_NAMESPACE_END_

#endif /* TWEED_OPTIONS_HPP */
