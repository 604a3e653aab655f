/*
 * tweed/scratch.hpp - an object that each worker has for itself, for C++11 and up.
 *
 * SPDX-License-Identifier: MIT
 *
 * Included by tweed.hpp.
 *
 *     tweed::scratch<std::vector<long>> counts(std::vector<long>(256));
 *
 *     tweed::parallel_for_range(0, n, [&](int64_t b, int64_t e) {
 *         std::vector<long> &mine = counts.local();
 *         ...
 *     });
 *     for (std::vector<long> &c : counts)
 *         ...
 */
#ifndef TWEED_HPP
#include <tweed.hpp> /* which includes this file */
#endif
#ifndef TWEED_SCRATCH_HPP
#define TWEED_SCRATCH_HPP

#include <iterator>
#include <new>

TWEED_NAMESPACE_

/*
 * Each object is a copy of the first one, made by the body that needs it.
 * tweed_scratch_get() says which body has an object, and for how long.  The iterators
 * go through the objects that were made: see tweed_scratch_next().
 *
 * Without memory the constructor throws tweed::error and local() std::bad_alloc;
 * compiled without exceptions they abort.
 */
template <class T> class scratch {
    struct block {
        bool made;
        alignas(T) unsigned char bytes[sizeof(T)];

        T *object() { return reinterpret_cast<T *>(bytes); }
    };

public:
    class iterator {
    public:
        typedef std::forward_iterator_tag iterator_category;
        typedef T value_type;
        typedef std::ptrdiff_t difference_type;
        typedef T *pointer;
        typedef T &reference;

        T &operator*() const { return *at->object(); }
        T *operator->() const { return at->object(); }
        iterator &operator++()
        {
            step();
            return *this;
        }
        iterator operator++(int)
        {
            iterator before = *this;

            step();
            return before;
        }
        bool operator==(const iterator &other) const { return at == other.at; }
        bool operator!=(const iterator &other) const { return at != other.at; }

    private:
        friend class scratch;
        iterator(tweed_scratch *of, bool is_begin) : in(of), at(nullptr)
        {
            if (is_begin)
                step();
        }
        /* A block whose object could not be made is passed over. */
        void step()
        {
            do
                at = static_cast<block *>(tweed_scratch_next(in, at));
            while (at && !at->made);
        }

        tweed_scratch *in;
        block *at;
    };

    explicit scratch(const T &like = T()) : first(like), blocks(nullptr)
    {
        tweed_scratch_options o = TWEED_SCRATCH_OPTIONS_INIT;
        int code;

        o.alignment = alignof(block);
        o.fini = destroy;
        code = tweed_scratch_create(&blocks, sizeof(block), &o);
        if (code != TWEED_OK)
            detail::fail(error(code));
    }
    ~scratch() { tweed_scratch_destroy(blocks); }
    scratch(const scratch &) = delete;
    scratch &operator=(const scratch &) = delete;

    /* The object of the body that calls. */
    T &local()
    {
        block *b = static_cast<block *>(tweed_scratch_get(blocks));

        if (!b)
            detail::fail(std::bad_alloc());
        if (!b->made) {
            new (b->bytes) T(first);
            b->made = true;
        }
        return *b->object();
    }

    iterator begin() { return iterator(blocks, true); }
    iterator end() { return iterator(blocks, false); }

private:
    static void destroy(void *p, void *) noexcept
    {
        block *b = static_cast<block *>(p);

        if (b->made)
            b->object()->~T();
    }
    const T first;
    tweed_scratch *blocks;
};

TWEED_NAMESPACE_END_

#endif /* TWEED_SCRATCH_HPP */
