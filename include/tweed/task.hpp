/*
 * tweed/task.hpp - C++: callables at the same time, groups of them, and callables that are
 * not waited for.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp.
 *
 *     tweed::parallel_invoke([&] { l = sum(a, m); }, [&] { r = sum(a + m, n - m); });
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

#include <memory>
#include <new>

TWEED_NAMESPACE_

namespace detail {

/* Where tasks are executed: nothing, or a pool. */
class of_pool {
public:
    of_pool() noexcept : p(nullptr) {}
    of_pool(std::nullptr_t) noexcept : p(nullptr) {}
    of_pool(tweed_pool *pool) noexcept : p(pool) {}
    of_pool(const class pool &pool) noexcept : p(pool.get()) {}
    tweed_pool *get() const noexcept { return p; }

private:
    tweed_pool *p;
};

/* ---- parallel_invoke() ---- */

/* Callables of one call, the first one and the rest.  The caller executes the first one, and
   then in their order those that no other worker executes, as a serial program would: so
   they are spawned from the last one on.  Where there is no memory for tasks a callable is
   executed when it is spawned: the first one last. */
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
    /* By a thief. */
    static void run(tweed_deque_ *, tweed_task_ *, tweed_task_ *t) noexcept
    {
        branches *self;

        __builtin_memcpy(&self, t->data, sizeof self);
        self->call();
    }
    /* As TWEED_SPAWN() does.  Returns the next record. */
    tweed_task_ *spawn(tweed_deque_ *d, tweed_task_ *t) noexcept
    {
        branches *self = this;

        __builtin_memcpy(t->data, &self, sizeof self);
        t->run = run;
        tweed_spawned_(d, t);
        return t + 1;
    }
    void sync(tweed_deque_ *d, tweed_task_ *t) noexcept
    {
        if (__builtin_expect(tweed_is_private_(d, t), 1) || tweed_task_sync_slow_(d, t))
            call();
    }
};

template <class F, class... Rest> struct branches<F, Rest...> : branches<F> {
    branches<Rest...> rest;

    branches(failure &of, F &first, Rest &...others)
        : branches<F>(of, first), rest(of, others...)
    {
    }
    tweed_task_ *spawn(tweed_deque_ *d, tweed_task_ *t) noexcept
    {
        return branches<F>::spawn(d, rest.spawn(d, t));
    }
    void sync(tweed_deque_ *d, tweed_task_ *t) noexcept
    {
        branches<F>::sync(d, t);
        rest.sync(d, t - 1);
    }
    void join(tweed_deque_ *d, tweed_task_ *t) noexcept
    {
        t = rest.spawn(d, t);
        this->call();
        rest.sync(d, t - 1);
    }
    /* From outside. */
    static void start(tweed_deque_ *d, tweed_task_ *top, tweed_task_ *t) noexcept
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
    tweed_deque_ *d = tweed_task_deque_(pool);

    if (d) {
        all.join(d, tweed_record_(d, d->top));
    } else {
        branches<F...> *self = &all;
        tweed_task_ t;

        __builtin_memcpy(t.data, &self, sizeof self);
        t.run = branches<F...>::start;
        tweed_task_start_(pool, "parallel_invoke", &t);
    }
    return outcome_of(failed.end(TWEED_OK));
}

} // namespace detail

/*
 * f(), g() and the rest, each once, at the same time perhaps; returns when all are over.
 * The caller executes the first one, and in their order those that no other worker executes.
 * Without memory for tasks the order is the opposite.
 * If any of them has thrown, the call throws the first exception again.
 *
 * The callables stay where they are; nothing is allocated.  In one of them a call of
 * parallel_invoke(), with the same pool, is a few instructions: they are tasks as
 * TWEED_TASK() makes them, and what is said in TWEED_TASK(3) of locks and stacks is true
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
auto parallel_invoke(const detail::of_pool &at, F &&f, G &&g, Rest &&...rest)
    -> typename std::enable_if<detail::is_callable<F>::value, detail::outcome>::type
{
    return detail::invoke(at.get(), f, g, rest...);
}

/* ---- groups, and tasks that are not waited for ---- */

namespace detail {

/* What a task of a group carries.  An exception goes to the group. */
template <class F> struct member_task {
    failure *to;
    F f;

    int call() noexcept
    {
        TWEED_TRY_ {
            f();
        }
        TWEED_CATCH_(to, return TWEED_ESTOPPED)
        return TWEED_OK;
    }
};

/* What a submitted task carries.  An exception ends the program. */
template <class F> struct free_task {
    F f;

    int call() noexcept
    {
        f();
        return TWEED_OK;
    }
};

/* A task in the library's memory, which copies it bytewise. */
template <class Task> struct carried {
    static int call(void *closure, int how) noexcept
    {
        return how == TWEED_TASK_RUN_ ? static_cast<Task *>(closure)->call() : TWEED_OK;
    }
};

/* A task that lies elsewhere, and ends when it was called or dropped. */
template <class Task> struct elsewhere {
    static int call(void *closure, int how) noexcept
    {
        Task *t = *static_cast<Task **>(closure);
        const int code = how == TWEED_TASK_RUN_ ? t->call() : TWEED_OK;

        delete t;
        return code;
    }
};

template <class Task, class F> struct fits {
    static const bool value = sizeof(Task) <= TWEED_CLOSURE_BYTES_ && alignof(Task) <= 16 &&
                              std::is_trivially_copyable<F>::value &&
                              std::is_trivially_copy_constructible<F>::value;
};

} // namespace detail

/*
 * Callables that are executed by any workers of a pool, and waited for together.
 *
 * run() and cancel() may be called by any thread, and by the tasks of the group; wait()
 * and the destructor by one thread at a time that is in none of these tasks.
 * tweed_group(3) says more.
 *
 * A callable is copied or moved in, and destroyed once, when it was called, or left out;
 * before wait() returns.
 */
class task_group {
public:
    /* Flags: TWEED_GROUP_SKIP: when a task has thrown, tasks that have not begun are left
       out. */
    explicit task_group(const detail::of_pool &at = {}, unsigned flags = 0) noexcept
        : g(), failed(), cancelled(false)
    {
        g.pool = at.get();
        g.flags = flags;
    }
    explicit task_group(unsigned flags) noexcept : task_group(nullptr, flags) {}
    task_group(const task_group &) = delete;
    task_group &operator=(const task_group &) = delete;
    /* Waits.  What tasks have thrown since the last wait() is lost. */
    ~task_group() { (void)tweed_group_sync(&g); }

    /* f() as a task.  Without memory f() is called at once. */
    template <class F> detail::outcome run(F &&f)
    {
        typedef typename std::decay<F>::type callable;
        typedef detail::member_task<callable> task;

        static_assert(detail::is_callable<callable>::value,
                      "tweed: a task is called without arguments");
        return detail::outcome_of(
            spawn(std::forward<F>(f),
                  std::integral_constant<bool, detail::fits<task, callable>::value>(),
                  static_cast<task *>(nullptr)));
    }

    /* Waits until all tasks are over.  Then throws the first exception of a task again,
       if there is one.  The group may be used anew. */
    detail::outcome wait()
    {
        const int code = tweed_group_sync(&g);

        /* relaxed, here and below: the flag is for callables that are called at once, and
           one that is called just before the flag is seen is right, too */
        cancelled.store(false, std::memory_order_relaxed);
        return detail::outcome_of(failed.end(code));
    }

    /* Tasks that have not begun are left out, until wait() has returned. */
    void cancel() noexcept
    {
        cancelled.store(true, std::memory_order_relaxed);
        (void)tweed_group_cancel(&g);
    }

private:
    template <class F, class Task> int spawn(F &&f, std::true_type, Task *)
    {
        const Task t = { &failed, std::forward<F>(f) };

        return tweed_group_spawn_closure_(&g, detail::carried<Task>::call, &t, sizeof t);
    }
    template <class F, class Task> int spawn(F &&f, std::false_type, Task *)
    {
        Task *t = new (std::nothrow) Task{ &failed, std::forward<F>(f) };
        int code;

        if (!t)
            return at_once(f);
        code = tweed_group_spawn_closure_(&g, detail::elsewhere<Task>::call, &t, sizeof t);
        if (code != TWEED_OK)
            delete t;
        return code;
    }

    template <class F> int at_once(F &f)
    {
        if (cancelled.load(std::memory_order_relaxed))
            return TWEED_OK;
        TWEED_TRY_ {
            f();
        }
        TWEED_CATCH_(&failed, if (g.flags & TWEED_GROUP_SKIP) cancel())
        return TWEED_OK;
    }

    tweed_group g;
    detail::failure failed;
    std::atomic<bool> cancelled;
};

namespace detail {

/* What was moved from f is moved back. */
template <class F>
auto give_back(F &f, F &from)
    -> typename std::enable_if<std::is_nothrow_move_constructible<F>::value>::type
{
    f.~F();
    new (static_cast<void *>(std::addressof(f))) F(std::move(from));
}
template <class F, class G> void give_back(F &, G &) noexcept {} /* it was copied */

template <class Task, class F> int submit(tweed_pool *pool, F &&f, std::true_type)
{
    const Task t = { std::forward<F>(f) };

    return tweed_pool_submit_closure_(pool, carried<Task>::call, &t, sizeof t);
}

template <class Task, class F> int submit(tweed_pool *pool, F &&f, std::false_type)
{
    std::unique_ptr<Task> t(new (std::nothrow) Task{ std::forward<F>(f) });
    Task *closure = t.get();
    int code;

    if (!t)
        return tweed_fail_(TWEED_ENOMEM, "for a submitted task");
    code = tweed_pool_submit_closure_(pool, elsewhere<Task>::call, &closure, sizeof closure);
    if (code == TWEED_OK)
        (void)t.release();
    else if (!std::is_lvalue_reference<F>::value)
        give_back(f, t->f);
    return code;
}

} // namespace detail

/*
 * f() as a task that is not waited for: tweed_pool_submit(3), with its result, also where
 * there are exceptions: TWEED_OK, or TWEED_ECLOSED after tweed_pool_close(), or
 * TWEED_ENOMEM; then f is the caller's as it was, if it can be moved without exceptions.
 *
 * f is copied or moved in, and destroyed when it was called, or dropped.  An exception
 * that leaves f() ends the program.
 */
template <class F>
TWEED_CHECKED_ int submit(F &&f, const detail::of_pool &at = {})
{
    typedef typename std::decay<F>::type callable;
    typedef detail::free_task<callable> task;

    static_assert(detail::is_callable<callable>::value,
                  "tweed: a task is called without arguments");
    return detail::submit<task>(
        at.get(), std::forward<F>(f),
        std::integral_constant<bool, detail::fits<task, callable>::value>());
}

TWEED_NAMESPACE_END_

#endif /* TWEED_TASK_HPP */
