/*
 * tweed/scan.hpp - C++: prefix sums and other scans.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp.
 *
 *     tweed::parallel_inclusive_scan(v.begin(), v.end(), out);
 *     tweed::parallel_inclusive_scan(v.begin(), v.end(), out, op, init);
 *     tweed::parallel_exclusive_scan(v.begin(), v.end(), out, 0);
 *
 * are std::inclusive_scan() and std::exclusive_scan(): the result is the end of what was
 * written, which may be written over what is read.  op need not be commutative.
 *
 *     total = tweed::parallel_scan(
 *         0, n, 0.0,
 *         [&](int64_t i, double &sum, bool writes) {
 *             sum += x[i];
 *             if (writes)
 *                 y[i] = sum;
 *         },
 *         [](double &into, double from) { into += from; });
 *
 * is what TWEED_SCAN() (tweed/scan.h) is: the body is called for an index once with
 * writes = false, and then once with writes = true.
 *
 * THE RESULT is the same for every number of workers, every steal and every run.  The
 * elements are of types that can be copied as bytes: numbers, and structs of numbers.
 */
#ifndef TWEED_HPP
#include <tweed.hpp> /* which includes this file */
#endif
#ifndef TWEED_SCAN_HPP
#define TWEED_SCAN_HPP

TWEED_NAMESPACE_

namespace detail {

/* ---- the two passes, of a Scan ---- */

/*
 * A Scan says what is carried from position to position: of type `element`.
 *
 *     start()                   what the sum of a block begins with
 *     sum(b, d, e)              adds the positions of two blocks to d and e
 *     write(b, d, e)            the same, d and e being what is before each; and writes
 *     both(i, past, s, e)       both of one block, for each position one after the other
 *     combine(into, from)
 */

/* Two blocks at a time, since a position waits for the element of the one before it:
   [first, middle) and [middle, past).  The second one is no longer; it is empty if only
   one was claimed. */
template <class Position> struct two_blocks {
    Position first, middle, past;
    bool has_second;
};

/* The walk's next blocks; then the walk goes on to the blocks behind them. */
template <class Source>
two_blocks<typename Source::position> next_blocks(tweed_walk_ &w, const Source &from)
{
    const int64_t first = tweed_walk_first_(&w), middle = tweed_walk_past_(&w);
    int64_t past = middle;

    tweed_walk_on_(&w);
    if (w.next < w.end) {
        past = tweed_walk_past_(&w);
        tweed_walk_on_(&w);
    }
    return { from.at(first), from.at(middle), from.at(past), past != middle };
}

/* The state of one call. */
template <class Scan, class Source> struct scanning : failure {
    Scan scan;
    const Source &from;

    scanning(const Scan &s, const Source &source) : scan(s), from(source) {}
    static scanning &of(const tweed_prefixes_ *p)
    {
        return *static_cast<scanning *>(p->arg);
    }
    static void combine(const tweed_prefixes_ *p, void *into, const void *with) noexcept
    {
        typedef typename Scan::element E;

        TWEED_TRY_ {
            if (!of(p).is_there())
                of(p).scan.combine(*static_cast<E *>(into),
                                   *static_cast<const E *>(with));
        }
        TWEED_CATCH_(&of(p), )
    }
};

/* An element, where there was none. */
template <class E> void put(E *to, const E &e)
{
    ::new (static_cast<void *>(to)) E(e);
}

/* The first pass, as in tweed/scan.h: sums, and where the walk leads what is written. */
template <class Scan, class Source> struct sum_pass {
    typedef scanning<Scan, Source> state;
    typedef typename Scan::element E;

    /* *before: what is before the next block, in a walk that leads. */
    static void claim(tweed_walk_ &w, const tweed_prefixes_ *p, E &before,
                      uint32_t &written)
    {
        Scan &scan = state::of(p).scan;
        const Source &from = state::of(p).from;
        E *const e = static_cast<E *>(p->blocks);

        for (; tweed_walk_leads_(&w) && w.next < w.end; tweed_walk_on_(&w)) {
            E sum = scan.start(), carried = before;

            scan.both(from.at(tweed_walk_first_(&w)), from.at(tweed_walk_past_(&w)), sum,
                      carried);
            scan.combine(before, sum);
            put(e + w.next, sum);
            written = w.next + 1;
            if (written == w.blocks)
                put(e + written, carried);
        }
        while (w.next < w.end) {
            E *const to = e + w.next;
            E sum = scan.start(), other = scan.start();
            const two_blocks<typename Source::position> b = next_blocks(w, from);

            scan.sum(b, sum, other);
            put(to, sum);
            if (b.has_second)
                put(to + 1, other);
        }
    }

    static void work(tweed_cursor *c) noexcept
    {
        tweed_prefixes_ *p = static_cast<tweed_prefixes_ *>(c->arg);
        tweed_walk_ w = tweed_walk_begin_(c);
        E before = static_cast<E *>(p->blocks)[w.blocks];
        uint32_t written = 0;

        do {
            tweed_walk_claim_(&w, c);
            TWEED_TRY_ {
                claim(w, p, before, written);
            }
            TWEED_CATCH_(&state::of(p), tweed_cursor_stop(c))
        } while (tweed_next(c));
        if (written)
            p->written = written;
        tweed_walk_end_(&w, &p->executed);
    }
};

/* The second pass. */
template <class Scan, class Source> struct write_pass {
    typedef scanning<Scan, Source> state;
    typedef typename Scan::element E;

    static void claim(tweed_walk_ &w, const tweed_prefixes_ *p)
    {
        Scan &scan = state::of(p).scan;
        const Source &from = state::of(p).from;
        E *const e = static_cast<E *>(p->blocks);

        while (w.next < w.end) {
            E carried = e[w.next], other = e[w.next + 1];
            const two_blocks<typename Source::position> b = next_blocks(w, from);

            scan.write(b, carried, other);
            if (w.next == w.blocks)
                put(e + w.blocks, b.has_second ? other : carried);
        }
    }

    /* If combining has thrown between the passes nothing is to be written. */
    static void work(tweed_cursor *c) noexcept
    {
        tweed_prefixes_ *p = static_cast<tweed_prefixes_ *>(c->arg);
        tweed_walk_ w = tweed_walk_begin_(c);

        do {
            tweed_walk_claim_(&w, c);
            if (state::of(p).is_there()) {
                tweed_cursor_stop(c);
                continue;
            }
            TWEED_TRY_ {
                claim(w, p);
            }
            TWEED_CATCH_(&state::of(p), tweed_cursor_stop(c))
        } while (tweed_next(c));
        tweed_walk_end_(&w, &p->executed);
    }
};

template <class T> struct is_plain {
    static const bool value = std::is_trivially_copy_constructible<T>::value &&
                              std::is_trivially_destructible<T>::value &&
                              sizeof(T) <= 1000;
};

/* What is before the first position is `first`, which becomes what the last one gives. */
template <class Scan, class Source>
int run_scan(const Scan &scan, const Source &from, typename Scan::element &first,
             const where &at, const how &options)
{
    typedef typename Scan::element E;
    const E before = first;
    scanning<Scan, Source> one(scan, from);
    tweed_prefixes_ p = tweed_prefixes_();

    if (from.code != TWEED_OK)
        return from.code;
    p.size = sizeof p;
    p.element = p.stride = sizeof(E);
    p.alignment = alignof(E);
    p.identity = &before;
    p.result = &first;
    p.arg = &one;
    p.combine = scanning<Scan, Source>::combine;
    return one.end(tweed_loop_run_scan_(
        at.pool(), options.over(at), from.lo, from.hi,
        &kind_of<sum_pass<Scan, Source>>::kind, &kind_of<write_pass<Scan, Source>>::kind,
        nullptr, &p));
}

/* ---- the body does it all ---- */

template <class Source, class T, class F, class C> struct free_scan {
    typedef T element;
    typedef typename Source::position position;
    F &f;
    C &c;
    T identity;

    T start() const { return identity; }
    void run(const two_blocks<position> &b, T &d, T &e, bool writes)
    {
        position i = b.first, j = b.middle;

        for (; Source::precedes(j, b.past); ++i, ++j) {
            f(Source::get(i), d, writes);
            f(Source::get(j), e, writes);
        }
        for (; Source::precedes(i, b.middle); ++i)
            f(Source::get(i), d, writes);
    }
    void sum(const two_blocks<position> &b, T &d, T &e) { run(b, d, e, false); }
    void write(const two_blocks<position> &b, T &d, T &e) { run(b, d, e, true); }
    void both(position i, const position &past, T &s, T &e)
    {
        for (; Source::precedes(i, past); ++i) {
            f(Source::get(i), s, false);
            f(Source::get(i), e, true);
        }
    }
    void combine(T &into, const T &from)
    {
        T right(from);

        detail::combine(c, into, right);
    }
};

template <class Source, class T, class F, class C>
int run_free(const Source &from, T &t, F &f, C &c, const where &at, const how &options,
             std::true_type)
{
    return run_scan(free_scan<Source, T, F, C>{ f, c, t }, from, t, at, options);
}
template <class Source, class T, class F, class C>
int run_free(const Source &, T &, F &, C &, const where &, const how &, std::false_type)
{
    return TWEED_EINVAL; /* a static_assert has said it */
}

template <class Source, class T, class F, class C>
answer<T> scan(const Source &from, T &t, F &f, C &c, const where &at,
               const how &options)
{
    typedef is_callable<F, typename Source::given, T &, bool> body_is;
    typedef combine_form<C, T> combining;
    static_assert(is_plain<T>::value,
                  "tweed: what is scanned must be a type that can be copied as bytes, "
                  "of at most 1000");
    static_assert(body_is::value,
                  "tweed: the body of parallel_scan must be callable as (x, t, writes), "
                  "t being of the identity's type");
    static_assert(combining::is_right,
                  "tweed: combine must be callable with two of the identity's type");
    const int code = run_free(
        from, t, f, c, at, options,
        std::integral_constant<bool, is_plain<T>::value && body_is::value &&
                                         combining::is_right>());

    return answer_of(code, t);
}

/* ---- from one sequence to another ---- */

/* A T, or nothing yet. */
template <class T> struct maybe {
    static_assert(is_plain<T>::value,
                  "tweed: what is scanned must be a type that can be copied as bytes, "
                  "of at most 1000");
    union {
        char nothing;
        typename std::conditional<is_plain<T>::value, T, char>::type value;
    };
    bool is_there;

    maybe() : nothing(), is_there(false) {}
    explicit maybe(const T &t) : value(t), is_there(true) {}
    void set(const T &t)
    {
        ::new (static_cast<void *>(&value)) T(t);
        is_there = true;
    }
};

/* Out is an iterator; inclusive: what is written has the element of its place in it. */
template <class Source, class T, class Out, class Op, bool inclusive>
struct sequence_scan {
    typedef maybe<T> element;
    typedef typename Source::position position;
    position first; /* of all, and where that is written */
    Out out;
    Op &op;

    element start() const { return element(); }

    /* Where what belongs to position i is written. */
    Out place(const position &i) const
    {
        return out + static_cast<typename std::iterator_traits<Out>::difference_type>(
                         i - first);
    }
    template <class X> void add(element &e, const X &x)
    {
        if (e.is_there)
            e.value = static_cast<T>(op(e.value, x));
        else
            e.set(static_cast<T>(x));
    }
    /* As add(), of an e that is there. */
    template <class X> void add_on(T &t, const X &x)
    {
        t = static_cast<T>(op(t, x));
    }

    void sum(const two_blocks<position> &b, element &d, element &e)
    {
        position i = b.first, j = b.middle;

        add(d, *i++);
        if (b.has_second)
            add(e, *j++);
        else
            put(&e, d);
        T t = d.value, u = e.value;
        for (; j != b.past; ++i, ++j) {
            add_on(t, *i);
            add_on(u, *j);
        }
        for (; i != b.middle; ++i)
            add_on(t, *i);
        d.value = t;
        e.value = u;
    }
    /* The first position, which alone may find that there is nothing before it. */
    void write_first(const position &i, Out to, element &e)
    {
        const T x = static_cast<T>(*i);

        if (!inclusive)
            *to = e.value; /* there is always an init */
        add(e, x);
        if (inclusive)
            *to = e.value;
    }
    void write_next(const T &x, Out to, T &t)
    {
        if (!inclusive)
            *to = t;
        add_on(t, x);
        if (inclusive)
            *to = t;
    }
    void write(const two_blocks<position> &b, element &d, element &e)
    {
        position i = b.first, j = b.middle;
        Out to = place(i), other = place(j);

        write_first(i++, to++, d);
        if (b.has_second)
            write_first(j++, other++, e);
        else
            put(&e, d);
        T t = d.value, u = e.value;
        for (; j != b.past; ++i, ++j, ++to, ++other) {
            write_next(static_cast<T>(*i), to, t);
            write_next(static_cast<T>(*j), other, u);
        }
        for (; i != b.middle; ++i, ++to)
            write_next(static_cast<T>(*i), to, t);
        d.value = t;
        e.value = u;
    }
    void both(position i, const position &past, element &s, element &e)
    {
        Out to = place(i);

        add(s, *i);
        write_first(i, to, e);
        T t = e.value, u = s.value;
        for (++i, ++to; i != past; ++i, ++to) {
            const T x = static_cast<T>(*i); /* may be written over */

            add_on(u, x);
            write_next(x, to, t);
        }
        e.value = t;
        s.value = u;
    }
    void combine(element &into, const element &from)
    {
        if (from.is_there)
            add(into, from.value);
    }
};

template <bool inclusive, class T, class Source, class Out, class Op>
answer<Out> scan_sequence(const Source &from, Out out, Op &op, maybe<T> before,
                          const where &at, const how &options)
{
    static_assert(is_random<Out>::value,
                  "tweed: the iterators must have random access");
    typedef sequence_scan<Source, T, Out, Op, inclusive> scan;
    const int code = run_scan(scan{ from.base, out, op }, from, before, at, options);
    Out end = code == TWEED_OK && from.hi > 0 ? out + (from.at(from.hi) - from.base)
                                              : out;

    return answer_of(code, end);
}

struct plus {
    template <class T, class X>
    auto operator()(const T &a, const X &b) const -> decltype(a + b)
    {
        return a + b;
    }
};

template <class It> struct value_of {
    typedef typename std::iterator_traits<It>::value_type type;
};

/* What may stand for op and init: nothing that says where the scan runs. */
template <class T> struct is_none_of_ours {
    static const bool value = !std::is_convertible<T, where>::value;
};

} // namespace detail

/*
 * parallel_scan: a body that carries a T from index to index, or from element to
 * element.  Returns the T after the last one.
 */
template <int = 0, class A, class B, class T, class Body, class Combine,
          class Source = typename detail::source_of<A, B>::type>
detail::answer<T> parallel_scan(A lo, B hi, T identity, Body &&body,
                                Combine &&combine, const detail::where &at = {},
                                const detail::how &options = {})
{
    return detail::scan(Source(lo, hi), identity, body, combine, at, options);
}

template <int = 0, class R, class T, class Body, class Combine,
          class Source = typename detail::range_source<R>::type>
detail::answer<T> parallel_scan(R &&range, T identity, Body &&body, Combine &&combine,
                                const detail::where &at = {},
                                const detail::how &options = {})
{
    return detail::scan(detail::source(range), identity, body, combine, at, options);
}

/* parallel_inclusive_scan(first, last, out), with op, and with op and init. */
template <class In, class Last, class Out,
          class Source = typename detail::source_of<In, Last>::type>
detail::answer<Out> parallel_inclusive_scan(In first, Last last, Out out)
{
    typedef typename detail::value_of<In>::type T;
    detail::plus op;

    return detail::scan_sequence<true, T>(Source(first, last), out, op,
                                          detail::maybe<T>(), {}, {});
}

template <class In, class Last, class Out, class Op,
          class Source = typename detail::source_of<In, Last>::type>
detail::answer<Out> parallel_inclusive_scan(In first, Last last, Out out, Op op,
                                            const detail::where &at = {},
                                            const detail::how &options = {})
{
    typedef typename detail::value_of<In>::type T;

    return detail::scan_sequence<true, T>(Source(first, last), out, op,
                                          detail::maybe<T>(), at, options);
}

template <class In, class Last, class Out, class Op, class T,
          class Source = typename detail::source_of<In, Last>::type,
          class = typename std::enable_if<detail::is_none_of_ours<T>::value>::type>
detail::answer<Out> parallel_inclusive_scan(In first, Last last, Out out, Op op,
                                            T init, const detail::where &at = {},
                                            const detail::how &options = {})
{
    return detail::scan_sequence<true, T>(Source(first, last), out, op,
                                          detail::maybe<T>(init), at, options);
}

/* parallel_exclusive_scan(first, last, out, init), and with op. */
template <class In, class Last, class Out, class T,
          class Source = typename detail::source_of<In, Last>::type>
detail::answer<Out> parallel_exclusive_scan(In first, Last last, Out out, T init)
{
    detail::plus op;

    return detail::scan_sequence<false, T>(Source(first, last), out, op,
                                           detail::maybe<T>(init), {}, {});
}

template <class In, class Last, class Out, class T, class Op,
          class Source = typename detail::source_of<In, Last>::type>
detail::answer<Out> parallel_exclusive_scan(In first, Last last, Out out, T init,
                                            Op op, const detail::where &at = {},
                                            const detail::how &options = {})
{
    return detail::scan_sequence<false, T>(Source(first, last), out, op,
                                           detail::maybe<T>(init), at, options);
}

TWEED_NAMESPACE_END_

#endif /* TWEED_SCAN_HPP */
