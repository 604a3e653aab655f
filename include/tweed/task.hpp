/*
 * tweed/task.hpp - C++: callables at the same time, groups of them, and those that
 * nobody waits for.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp.
 *
 *     tweed::parallel_invoke([&] { left = sum(a, m); }, [&] { right = sum(a + m, n - m); });
 *
 *     tweed::task_group g;
 *     for (const std::string &name : names)
 *         g.run([&g, name] { scan(g, name); });
 *     g.wait();
 */
#ifndef TWEED_HPP
#include <tweed.hpp> /* which includes this file */
#endif
#ifndef TWEED_TASK_HPP
#define TWEED_TASK_HPP

#include <new>

TWEED_NAMESPACE_

namespace detail {

/* ---- parallel_invoke() ---- */

/* Callables of one call, the first one and the rest. */
template <class... F> struct branches;

template <class F> struct branches<F> {
    F &f;
    failure &failed;

    branches(failure &of, F &first) : f(first), failed(of) {}
    void call() noexcept
    {
        TWEED_TRY_ {
            f();
        }
        TWEED_CATCH_(&failed, return)
    }
    void join(tweed_deque *, size_t) noexcept { call(); }
};

template <class F, class... Rest> struct branches<F, Rest...> : branches<F> {
    branches<Rest...> rest;

    branches(failure &of, F &first, Rest &...others)
        : branches<F>(of, first), rest(of, others...)
    {
    }
    /* By a thief. */
    static void run(tweed_deque *, size_t, tweed_task *t) noexcept
    {
        branches<F> *first;

        __builtin_memcpy(&first, t->data, sizeof first);
        first->call();
    }
    /* The first is spawned, as TWEED_SPAWN() does, and synced when the rest was joined. */
    void join(tweed_deque *d, size_t top) noexcept
    {
        branches<F> *first = this;
        tweed_task *t = &d->records[top];

        __builtin_memcpy(t->data, &first, sizeof first);
        t->run = run;
        tweed_spawned_(d, top);
        rest.join(d, top + 1);
        if (__builtin_expect(tweed_is_private_(d, top), 1) || tweed_sync_slow(d, top))
            this->call();
    }
    /* From outside. */
    static void start(tweed_deque *d, size_t top, tweed_task *t) noexcept
    {
        branches *all;

        __builtin_memcpy(&all, t->data, sizeof all);
        all->join(d, top);
    }
};

template <class... F> outcome invoke(tweed_pool *pool, F &...f)
{
    failure failed;
    branches<F...> all(failed, f...);
    tweed_deque *d = tweed_task_deque(pool);

    if (d) {
        all.join(d, d->top);
    } else {
        branches<F...> *self = &all;
        tweed_task t;

        __builtin_memcpy(t.data, &self, sizeof self);
        t.run = branches<F...>::start;
        tweed_run_task(pool, "parallel_invoke", &t);
    }
    return outcome_of(failed.end(TWEED_OK));
}

} // namespace detail

/*
 * f(), g() and all others, each once, at the same time perhaps; returns when all are
 * over, and then throws the first exception again that one of them has thrown.
 *
 * The callables stay where they are; nothing is allocated.  In one of them a call of
 * parallel_invoke(), with the same pool, is a few instructions: they are tasks as
 * TWEED_TASK() makes them, and what is said in tweed_task(3) of locks and stacks is true
 * of them.
 */
template <class F, class G, class... Rest>
auto parallel_invoke(F &&f, G &&g, Rest &&...rest)
    -> typename std::enable_if<detail::is_callable<F>::value, detail::outcome>::type
{
    return detail::invoke(nullptr, f, g, rest...);
}

/* The same in this pool: parallel_invoke(mine, f, g). */
template <class F, class G, class... Rest>
detail::outcome parallel_invoke(tweed_pool *pool, F &&f, G &&g, Rest &&...rest)
{
    return detail::invoke(pool, f, g, rest...);
}
template <class F, class G, class... Rest>
detail::outcome parallel_invoke(const pool &at, F &&f, G &&g, Rest &&...rest)
{
    return detail::invoke(at.get(), f, g, rest...);
}

TWEED_NAMESPACE_END_

#endif /* TWEED_TASK_HPP */
