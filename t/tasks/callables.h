/*
 * callables.h - callables that are counted: their calls, and how many there are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TWEED_T_CALLABLES_H
#define TWEED_T_CALLABLES_H

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

typedef std::vector<std::atomic<int>> counts;

/* How many own something.  Destroyed twice, it would be less than 0 in the end. */
static std::atomic<int> live;

/* Counts its calls; can be moved only, and throws nothing then. */
class owning {
public:
    owning(counts &c, int i, std::function<void()> f = nullptr)
        : count(&c[static_cast<std::size_t>(i)]), then(std::move(f))
    {
        live++;
    }
    owning(owning &&from) noexcept : count(from.count), then(std::move(from.then))
    {
        from.count = nullptr;
    }
    owning &operator=(owning &&) = delete;
    ~owning()
    {
        if (count)
            live--;
    }
    bool is_whole() const { return count != nullptr; }
    void operator()() const
    {
        (*count)++;
        if (then)
            then();
    }

private:
    std::atomic<int> *count;
    std::function<void()> then;
};

#endif
