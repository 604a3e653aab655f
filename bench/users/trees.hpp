/*
 * trees.hpp - functions that call themselves, for runtimes that take lambdas.
 *
 * SPDX-License-Identifier: MIT
 *
 * A way to run several at a time is a class W with
 *
 *     W::start(f)      f(), in which all that follows may be used
 *     W::both(f, g)    f() and g(); returns when both are over
 *     W::fixed<N>(f)   f(0) to f(N - 1), likewise
 *     W::each(n, f)    f(0) to f(n - 1), likewise
 *
 * and one to have tasks from outside executed is a class W with
 *
 *     W::submit(f)     f(), by any worker
 *     W::drain()       returns when all that were submitted are over
 *
 * A runtime R that has parallel_invoke() and task_group makes two ways of the first kind
 * of
 *
 *     R::start(f)        as above
 *     R::invoke(f, ...)  parallel_invoke()
 *     R::group           its task_group
 */
#ifndef USERS_TREES_HPP
#define USERS_TREES_HPP

#include <atomic>
#include <thread>
#include <utility>

#include "ways.hpp"

template <class R>
struct user_invoke : R {
    template <class F, class G>
    static void both(const F &f, const G &g)
    {
        R::invoke(f, g);
    }

    template <class F, int... K>
    static void fixed_of(const F &f, std::integer_sequence<int, K...>)
    {
        R::invoke([&f] { f(K); }...);
    }

    template <int N, class F>
    static void fixed(const F &f)
    {
        fixed_of(f, std::make_integer_sequence<int, N>());
    }
};

template <class R>
struct user_task_group : R {
    template <class F, class G>
    static void both(const F &f, const G &g)
    {
        typename R::group group;

        group.run(f);
        g();
        group.wait();
    }

    template <class F>
    static void each(int n, const F &f)
    {
        typename R::group group;

        for (int k = 0; k < n - 1; k++)
            group.run([&f, k] { f(k); });
        if (n > 0)
            f(n - 1);
        group.wait();
    }

    template <int N, class F>
    static void fixed(const F &f)
    {
        each(N, f);
    }
};

template <class W>
struct user_trees {
    static int64_t fib_of(int64_t n)
    {
        if (n < 2)
            return n;
        int64_t a, b;

        W::both([&, n] { a = fib_of(n - 1); }, [&, n] { b = fib_of(n - 2); });
        return a + b;
    }

    static int64_t queens_of(user_board b)
    {
        int64_t ways[USER_MOST_QUEENS], sum = b.columns == b.all;
        unsigned squares[USER_MOST_QUEENS];
        int n = 0;

        for (unsigned f = user_board_free(b); f; f &= f - 1)
            squares[n++] = f & -f;
        W::each(n, [&](int k) { ways[k] = queens_of(user_board_put(b, squares[k])); });
        for (int k = 0; k < n; k++)
            sum += ways[k];
        return sum;
    }

    static void leaves(struct user_data *s, int64_t begin, int64_t end)
    {
        if (end - begin == 1) {
            user_spin(s->turns, &s->counts[begin]);
            return;
        }
        int64_t mid = begin + (end - begin) / 2;

        W::both([=] { leaves(s, begin, mid); }, [=] { leaves(s, mid, end); });
    }

    static int64_t uts_of(const user_node &n)
    {
        int children = user_uts_children(&n);
        int64_t nodes = 1;

        if (children == 0)
            return nodes;
        auto *parts = static_cast<int64_t *>(
            __builtin_alloca(static_cast<size_t>(children) * sizeof(int64_t)));

        W::each(children, [=, &n](int k) { parts[k] = uts_of(user_uts_child(&n, k)); });
        for (int k = 0; k < children; k++)
            nodes += parts[k];
        return nodes;
    }

    static int64_t skynet_of(int64_t first, int64_t n)
    {
        int64_t sum = 0, parts[USER_SKYNET_PARTS];

        if (n == 1)
            return first;
        n /= USER_SKYNET_PARTS;
        W::template fixed<USER_SKYNET_PARTS>(
            [=, &parts](int k) { parts[k] = skynet_of(first + k * n, n); });
        for (int64_t part : parts)
            sum += part;
        return sum;
    }

    static void quicksort(uint32_t *v, int64_t n)
    {
        if (n <= USER_SORT_ALONE) {
            user_sort_alone(v, n);
            return;
        }
        int64_t half = user_partition(v, n);

        W::both([=] { quicksort(v, half); }, [=] { quicksort(v + half, n - half); });
    }

    static void merge(user_merge m)
    {
        if (m.a_n + m.b_n <= USER_CILKSORT_ALONE) {
            user_merge_alone(m);
            return;
        }
        user_merge high = user_merge_split(&m);

        W::both([&] { merge(m); }, [&] { merge(high); });
    }

    static void cilksort_of(uint32_t *v, uint32_t *spare, int64_t n)
    {
        int64_t q[5];

        if (n <= USER_CILKSORT_ALONE) {
            user_cilksort_alone(v, n);
            return;
        }
        user_quarters(q, n);
        W::template fixed<4>([=, &q](int k) {
            cilksort_of(v + q[k], spare + q[k], q[k + 1] - q[k]);
        });
        W::both([&] { merge(user_merge_of(v, q[0], q[1], q[2], spare)); },
                [&] { merge(user_merge_of(v, q[2], q[3], q[4], spare)); });
        merge(user_merge_of(spare, q[0], q[2], q[4], v));
    }

    static void matmul_of(user_product p)
    {
        if (p.side <= USER_PRODUCT_ALONE) {
            user_product_alone(p);
            return;
        }
        for (int k = 0; k < 2; k++)
            W::template fixed<4>([&](int ij) { matmul_of(user_product_part(p, ij, k)); });
    }

    /* As the programs call them. */
    static void fib(struct user_data *s, int64_t n)
    {
        W::start([=] { s->value = static_cast<double>(fib_of(n)); });
    }
    static void queens(struct user_data *s, int64_t n)
    {
        W::start([=] { s->value = static_cast<double>(queens_of(user_board_of(n))); });
    }
    static void tree(struct user_data *s, int64_t n)
    {
        W::start([=] { leaves(s, 0, n); });
    }
    static void uts(struct user_data *s, int64_t n)
    {
        W::start([=] { s->value = static_cast<double>(uts_of(user_uts_root(n))); });
    }
    static void skynet(struct user_data *s, int64_t n)
    {
        W::start([=] { s->value = static_cast<double>(skynet_of(0, n)); });
    }
    static void cilksort(struct user_data *s, int64_t n)
    {
        W::start([=] { cilksort_of(s->sorted, s->spare, n); });
    }
    static void matmul(struct user_data *s, int64_t)
    {
        W::start([=] { matmul_of(user_product_of(s->sums, s->x, s->y, s->side)); });
    }
    static void sort(uint32_t *v, int64_t n)
    {
        W::start([=] { quicksort(v, n); });
    }
};

/* Tasks of one group. */
template <class W>
void user_group(struct user_data *s, int64_t n)
{
    W::start([=] {
        W::each(static_cast<int>(n), [=](int i) { user_spin(s->turns, &s->counts[i]); });
    });
}

template <class W>
struct user_submitted {
    static void submit(struct user_data *s, int64_t n)
    {
        for (int64_t i = 0; i < n; i++)
            W::submit([=] { user_spin(s->turns, &s->counts[i]); });
        W::drain();
    }
    static void reply(struct user_data *s, int64_t n)
    {
        for (int64_t i = 0; i < n; i++) {
            std::atomic<bool> over(false);

            W::submit([=, &over] {
                user_spin(s->turns, &s->counts[i]);
                over.store(true, std::memory_order_release);
            });
            while (!over.load(std::memory_order_acquire))
                std::this_thread::yield();
        }
        W::drain();
    }
};

/* The ways of these classes. */
template <class W>
user_way user_trees_way(const char *name)
{
    using trees = user_trees<W>;

    return user_way_of(name,
                       { { USER_fib, trees::fib }, { USER_tree, trees::tree },
                         { USER_skynet, trees::skynet },
                         { USER_cilksort, trees::cilksort },
                         { USER_matmul, trees::matmul } },
                       nullptr, nullptr, trees::sort);
}

/* Of a W that has each() with any number. */
template <class W>
user_way user_group_way(const char *name)
{
    user_way way = user_trees_way<W>(name);

    way.loops[USER_queens] = user_trees<W>::queens;
    way.loops[USER_uts] = user_trees<W>::uts;
    way.loops[USER_group] = user_group<W>;
    return way;
}

/* Of a W that takes no batches: they are submitted one by one. */
template <class W>
user_way user_submit_way(const char *name)
{
    using submitted = user_submitted<W>;

    return user_way_of(name, { { USER_submit, submitted::submit },
                               { USER_batch, submitted::submit },
                               { USER_reply, submitted::reply } });
}

#endif
