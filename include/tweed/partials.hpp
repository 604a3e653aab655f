/*
 * tweed/partials.hpp - C++: what reductions are made of: forms of the body and of combine,
 * blocks, their partial results, lanes.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp, for tweed/reduce.hpp and tweed/scan.hpp.  What a program calls is
 * there.
 */
#ifndef TWEED_HPP
#include <tweed.hpp> /* which includes this file */
#endif
#ifndef TWEED_PARTIALS_HPP
#define TWEED_PARTIALS_HPP

#include <new>

TWEED_NAMESPACE_

namespace detail {

/* ---- what is called, in which form ---- */

/* t becomes what a call gives, if that is anything. */
template <class T, bool gives_nothing> struct assign {
    template <class F, class... Args> static void to(T &, F &f, Args &&...args)
    {
        f(std::forward<Args>(args)...);
    }
};
template <class T> struct assign<T, false> {
    template <class F, class... Args> static void to(T &t, F &f, Args &&...args)
    {
        T value(static_cast<T>(f(std::forward<Args>(args)...)));

        t = std::move(value);
    }
};

/* Calls f, and t becomes what f gives. */
template <class T, class F, class... Args> void call_for(T &t, F &f, Args &&...args)
{
    typedef typename called_gives<F, Args...>::type gives;
    static_assert(std::is_void<gives>::value || std::is_constructible<T, gives>::value,
                  "tweed: the body, and combine, must return nothing, or a value of "
                  "the identity's type");

    assign<T, std::is_void<gives>::value>::to(t, f, std::forward<Args>(args)...);
}

/* Forms of combine: both may be moved from, and what combine gives is the new value; or
   the first is changed, and the second may be moved from, or not. */
template <class F, class T> struct combine_form {
    static const bool moves_both = is_callable<F, T &&, T &&>::value;
    static const bool moves_from = is_callable<F, T &, T &&>::value;
    static const bool moves_none = is_callable<F, T &, T &>::value;
    static const bool is_right = moves_both || moves_from || moves_none;
};

template <class F, class T, bool = combine_form<F, T>::moves_both>
struct gives_value {
    static const bool value =
        !std::is_void<typename called_gives<F, T &&, T &&>::type>::value;
};
template <class F, class T> struct gives_value<F, T, false> {
    static const bool value = false;
};

template <class F, class T>
void combine(F &f, T &into, T &from,
             typename std::enable_if<gives_value<F, T>::value, int>::type = 0)
{
    call_for(into, f, std::move(into), std::move(from));
}
template <class F, class T>
void combine(F &f, T &into, T &from,
             typename std::enable_if<!gives_value<F, T>::value &&
                                         combine_form<F, T>::moves_from,
                                     int>::type = 0)
{
    call_for(into, f, into, std::move(from));
}
template <class F, class T>
void combine(F &f, T &into, T &from,
             typename std::enable_if<!gives_value<F, T>::value &&
                                         !combine_form<F, T>::moves_from,
                                     int>::type = 0)
{
    call_for(into, f, into, from);
}

/* ---- how a block is accumulated: forms of the body ---- */

/* A block that is executed, in pieces: see tweed/partials.h.  The forms add it to t; none
   is the identity. */
struct block {
    tweed_cursor *c;
    int64_t first;
    uint64_t count;
    uint64_t piece; /* of a body that is called for more than one position */

    int64_t number(uint64_t k) const { return first + static_cast<int64_t>(k); }
};

struct by_element {
    template <class Source, class F, class C, class T>
    static void run(const block &b, const Source &from, F &f, C &, const T &, T &t)
    {
        TWEED_PIECES_(b.c, k, stop, b.count) {
            typename Source::position i = from.at(b.number(k));

            TWEED_EACH_(8, stop - k, i, call_for(t, f, Source::get(i), t))
        }
    }
};

struct by_run {
    template <class Source, class F, class C, class T>
    static void run(const block &b, const Source &from, F &f, C &, const T &, T &t)
    {
        TWEED_EQUAL_PIECES_(b.c, k, stop, b.count, b.piece)
            call_for(t, f, from.at(b.number(k)), from.at(b.number(stop)), t);
    }
};

struct by_value {
    template <class Source, class F, class C, class T>
    static void run(const block &b, const Source &from, F &f, C &c, const T &, T &t)
    {
        TWEED_PIECES_(b.c, k, stop, b.count) {
            typename Source::position i = from.at(b.number(k));

            TWEED_EACH_(8, stop - k, i, {
                T value(static_cast<T>(f(Source::get(i))));

                combine(c, t, value);
            })
        }
    }
};

/* Values that may be combined in any order: in lanes, as in tweed/partials.h. */
struct in_lanes {
    static_assert(TWEED_LANES_ == 4, "as many as there are here");

    /* n values from i on, rows of lanes. */
    template <class Source, class F, class C, class T>
    static void add_rows(typename Source::position &i, uint64_t n, F &f, C &c, T &l0,
                         T &l1, T &l2, T &l3)
    {
        for (uint64_t row = n / TWEED_LANES_; row > 0; row--) {
            c(l0, static_cast<T>(f(Source::get(i))));
            c(l1, static_cast<T>(f(Source::get(Source::next(i, 1)))));
            c(l2, static_cast<T>(f(Source::get(Source::next(i, 2)))));
            c(l3, static_cast<T>(f(Source::get(Source::next(i, 3)))));
            i = Source::next(i, TWEED_LANES_);
        }
    }

    template <class C, class T> static void join(C &c, T &l0, T &l1, T &l2, T &l3, T &t)
    {
        c(l0, l2);
        c(l1, l3);
        c(l0, l1);
        c(t, l0);
    }

    /* A block of any length, TWEED_LANED_ at least. */
    template <class Source, class F, class C, class T>
    TWEED_APART_ static void add_apart(const block &b, const Source &from, F &f, C &c,
                                       const T &none, T &t)
    {
        typename Source::position i = from.at(b.first);
        const uint64_t n = b.count & ~(UINT64_C(0) + TWEED_LANES_ - 1), left = b.count - n;
        T l0(none), l1(none), l2(none), l3(none);

        TWEED_PIECES_(b.c, k, stop, n)
            add_rows<Source>(i, stop - k, f, c, l0, l1, l2, l3);
        TWEED_END_LANES_(T, "r"(&l0), "r"(&l1), "r"(&l2), "r"(&l3));
        join(c, l0, l1, l2, l3, t);
        TWEED_PIECES_(b.c, k, stop, left)
            for (; k < stop; k++, i = Source::next(i, 1)) /* at n, or the loop was stopped */
                c(t, static_cast<T>(f(Source::get(i))));
    }

    template <class Source, class F, class C, class T>
    static void run(const block &b, const Source &from, F &f, C &c, const T &none, T &t)
    {
        typename Source::position i = from.at(b.first);

        if (b.count < TWEED_LANED_) {
            uint64_t alone = b.count;

            TWEED_EACH_LEFT_(alone, i, c(t, static_cast<T>(f(Source::get(i)))))
        } else if (__builtin_expect(
                       b.count % TWEED_LANES_ == 0 && b.count <= TWEED_PIECE_, 1)) {
            T l0(none), l1(none), l2(none), l3(none);

            add_rows<Source>(i, b.count, f, c, l0, l1, l2, l3);
            TWEED_END_LANES_(T, "r"(&l0), "r"(&l1), "r"(&l2), "r"(&l3));
            join(c, l0, l1, l2, l3, t);
        } else {
            add_apart(b, from, f, c, none, t);
        }
    }
};

/* Which form a body has, and the types that it is called with. */
template <class F, class Source, class T> struct body_form {
    typedef typename Source::given given;
    typedef typename Source::position position;
    static const bool adds = is_callable<F, given, T &>::value;
    static const bool adds_run = is_callable<F, position, position, T &>::value;
    static const bool is_right = adds || adds_run || is_callable<F, given>::value;
    typedef typename std::conditional<
        adds, by_element,
        typename std::conditional<adds_run, by_run, by_value>::type>::type type;
    typedef typename std::conditional<
        adds, called<F, given, T &>,
        typename std::conditional<adds_run, called<F, position, position, T &>,
                                  called<F, given>>::type>::type as_called;
};

/* ---- partial results ---- */

/* The state of one call.  C combines. */
template <class Source, class F, class T, class C> struct reduction : failure {
    F &f;
    C &c;
    const Source &from;
    const T &identity;

    reduction(F &body, C &combiner, const Source &source, const T &none)
        : f(body), c(combiner), from(source), identity(none)
    {
    }
};

/* Small partial results, which are copied as bytes are, lie in the array. */
template <class T> struct in_place {
    typedef T element;
    static const size_t stride = sizeof(T);

    static element none(const T &identity) { return identity; }
    static T &of(element &e) { return e; }
    static void make(element &e, const T &t) { ::new (static_cast<void *>(&e)) T(t); }
    static void keep(element &e, const element &from) { make(e, from); }
    static void drop(element &) {}
};

/* Other partial results are objects of their own.  The array has room for more than the
   pointer, and so there are fewer blocks. */
template <class T> struct apart {
    typedef T *element;
    static const size_t stride = 256;

    static element none(const T &) { return nullptr; }
    static T &of(element &e) { return *e; }
    static void make(element &e, T &t) { e = new T(std::move(t)); }
    static void keep(element &e, const element &from) { e = from; }
    static void drop(element &e)
    {
        delete e;
        e = nullptr;
    }
};

template <class T> struct partial {
    static const bool as_bytes = std::is_trivially_copy_constructible<T>::value &&
                                 std::is_trivially_destructible<T>::value &&
                                 sizeof(T) <= 4096;
    typedef typename std::conditional<as_bytes, in_place<T>, apart<T>>::type type;
};

/* The partial results in an array. */
template <class Kept> struct array {
    char *memory;

    explicit array(void *first) : memory(static_cast<char *>(first)) {}
    typename Kept::element &operator[](size_t k) const
    {
        return *static_cast<typename Kept::element *>(
            static_cast<void *>(memory + k * Kept::stride));
    }
};

/* Combines n partial results to the first one, in the tree. */
template <class Kept, class Call> void join(Call &one, array<Kept> e, uint32_t n)
{
    for (uint32_t step = 1; step < n; step *= 2)
        for (uint32_t k = 0; k + step < n; k += 2 * step) {
            combine(one.c, Kept::of(e[k]), Kept::of(e[k + step]));
            Kept::drop(e[k + step]);
        }
}

template <class Form, class As, class Source, class F, class T, class C>
struct reduce_work {
    typedef reduction<Source, F, T, C> state;
    typedef typename partial<T>::type kept;

    static state &of(const tweed_partials_ *p) { return *static_cast<state *>(p->arg); }

    /* Of the claim: blocks, and of each group that is complete one result. */
    template <class G>
    static void claim(tweed_cursor *c, tweed_walk_ &w, tweed_partials_ *p, G &f,
                      const Source &from)
    {
        state &one = of(p);
        const array<kept> e(p->blocks), groups(p->groups);
        uint32_t group, n;

        do {
            const uint32_t stop = tweed_walk_stop_(&w);
            const uint64_t length = tweed_walk_length_(&w);

            for (; w.next < stop; tweed_walk_on_(&w)) {
                const block b = { c, tweed_walk_first_(&w), length, p->piece };
                T t(one.identity);

                Form::run(b, from, f, one.c, one.identity, t);
                kept::make(e[w.next], t);
            }
            n = tweed_walk_group_(&w, &group);
            if (n) {
                const size_t first = group * size_t(TWEED_GROUP_);

                join(one, array<kept>(&e[first]), n);
                kept::keep(groups[group], e[first]);
                p->folded[group] = 1;
            }
        } while (w.next < w.end);
    }

    static void work(tweed_cursor *c) noexcept
    {
        tweed_partials_ *p = static_cast<tweed_partials_ *>(c->arg);
        typename As::type f = of(p).f;
        const Source from = of(p).from;
        tweed_walk_ w = tweed_walk_begin_(c);

        do {
            tweed_walk_claim_(&w, c);
            TWEED_TRY_ {
                claim(c, w, p, f, from);
            }
            TWEED_CATCH_(&of(p), tweed_cursor_stop(c))
        } while (tweed_next(c));
        tweed_walk_end_(&w, &p->executed);
    }

    /* Nothing is combined after an exception, or in a loop that was stopped, where some
       partial results were never made: all are destroyed but the first one. */
    static void fold(const tweed_partials_ *p, void *first, uint32_t n) noexcept
    {
        state &one = of(p);
        const array<kept> e(first);

        if (!p->stopped && !one.is_there()) {
            TWEED_TRY_ {
                join(one, e, n);
            }
            TWEED_CATCH_(&one, )
        }
        for (uint32_t k = 1; k < n; k++)
            kept::drop(e[k]);
    }
};

/* Runs the loop; the result replaces t, which is the identity. */
template <class Work, class Source, class F, class T, class C>
int run_reduce(reduction<Source, F, T, C> &one, T &t, const where &at,
               const how &options)
{
    typedef typename partial<T>::type kept;
    typename kept::element none = kept::none(one.identity), all = none;
    tweed_partials_ p = tweed_partials_();
    int code;

    p.size = sizeof p;
    p.element = sizeof all;
    p.stride = kept::stride;
    p.alignment = alignof(typename kept::element);
    p.identity = &none;
    p.result = &all;
    p.arg = &one;
    p.fold = Work::fold;
    p.zeroed = !partial<T>::as_bytes;
    code = tweed_loop_run_reduce_(at.pool(), options.over(at), one.from.lo, one.from.hi,
                                  &kind_of<Work>::kind, nullptr, &p);
    if (code == TWEED_OK && one.from.lo < one.from.hi && !one.is_there()) {
        TWEED_TRY_ {
            t = std::move(kept::of(all));
        }
        TWEED_CATCH_(&one, )
    }
    kept::drop(all);
    return one.end(code);
}

template <class Form, class As, class Source, class F, class T, class C>
answer<T> reduce_by(const Source &from, T &t, F &f, C &c, const where &at,
                    const how &options, std::true_type)
{
    typedef reduce_work<Form, As, Source, F, T, C> work;
    const T identity(t);
    reduction<Source, F, T, C> one(f, c, from, identity);
    int code = from.code;

    if (code == TWEED_OK)
        code = run_reduce<work>(one, t, at, options);
    return answer_of(code, t);
}

/* Of callables that cannot be called, which a static_assert has said. */
template <class Form, class As, class Source, class F, class T, class C>
answer<T> reduce_by(const Source &, T &t, F &, C &, const where &, const how &,
                    std::false_type)
{
    return answer_of(TWEED_EINVAL, t);
}

/* The callables are deduced as G, the body, and D, which combines. */
template <class G, class D, class Source, class T>
answer<T> reduce(const Source &from, T &t, typename body<G>::held f,
                 typename body<D>::held c, const where &at, const how &options)
{
    typedef body_form<typename body<G>::type, Source, T> form;
    typedef combine_form<typename body<D>::type, T> combining;
    static_assert(form::is_right,
                  "tweed: the body of parallel_reduce must be callable as (x, t), "
                  "(b, e, t) or (x), t being of the identity's type");
    static_assert(combining::is_right,
                  "tweed: combine must be callable with two of the identity's type");

    return reduce_by<typename form::type, typename form::as_called>(
        from, t, f, c, at, options,
        std::integral_constant<bool, form::is_right && combining::is_right>());
}

} // namespace detail

TWEED_NAMESPACE_END_

#endif /* TWEED_PARTIALS_HPP */
