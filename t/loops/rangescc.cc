/*
 * rangescc.cc - in C++: what loops go over, pools and options.
 *
 * SPDX-License-Identifier: MIT
 */
#include "child.h"
#include "pools.h"

#include <tweed.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

const int sizes[] = { 0, 1, 2, 100, 4096, 10007 };

/* ---- elements ---- */

template <class C> bool all_are(const C &c, int value)
{
    for (const auto &each : c)
        if (each != value)
            return false;
    return true;
}

struct adder {
    int n;
    void add(int &x) const { x += n; }
};

struct counter {
    int n;
    void up() { n++; }
    int look() const { return n; }
    bool operator!=(int m) const { return n != m; }
};

/* A range of the user's, whose begin() and end() are found by its namespace. */
namespace far {
struct numbers {
    std::vector<int> v;
};
std::vector<int>::iterator begin(numbers &n)
{
    return n.v.begin();
}
std::vector<int>::iterator end(numbers &n)
{
    return n.v.end();
}
} // namespace far

template <class C> bool once_each(C &c, tweed_pool *pool)
{
    typedef typename C::iterator iterator;
    bool good = all_are(c, 0);

    tweed::parallel_for(c, [](int &x) { x++; }, pool);
    good &= all_are(c, 1);
    tweed::parallel_for(c.begin(), c.end(), [](int &x) { x++; }, pool);
    good &= all_are(c, 2);
    tweed::parallel_for(c.rbegin(), c.rend(), [](int &x) { x++; }, pool);
    good &= all_are(c, 3);
    tweed::parallel_for_range(
        c,
        [](iterator b, iterator e) {
            if (b == e)
                std::abort();
            for (; b != e; ++b)
                ++*b;
        },
        pool);
    good &= all_are(c, 4);
    tweed::parallel_for_range(
        c.begin(), c.end(),
        [](iterator b, iterator e) {
            for (; b != e; ++b)
                ++*b;
        },
        pool, tweed::loop_options().grain(7));
    return good && all_are(c, 5);
}

bool elements(tweed_pool *pool)
{
    bool good = true;

    for (int n : sizes) {
        const size_t size = static_cast<size_t>(n);
        std::vector<int> v(size);
        std::deque<int> d(size);
        std::vector<counter> objects(size);
        far::numbers own = { std::vector<int>(size) };
        const std::vector<bool> bits(size, true);
        std::atomic<int> sum(0);

        good &= once_each(v, pool) && once_each(d, pool);
        tweed::parallel_for(v.data(), v.data() + n, [](int &x) { x++; }, pool);
        good &= all_are(v, 6);
        const std::vector<int> &constant = v;
        tweed::parallel_for(constant, [&](const int &x) { sum += x; }, pool);
        tweed::parallel_for(constant.begin(), v.end(), [&](int x) { sum += x; }, pool);
        tweed::parallel_for(bits, [&](bool x) { sum += x; }, pool);
        good &= sum == 13 * n;
        tweed::parallel_for(own, [](int &x) { x++; }, pool);
        good &= all_are(own.v, 1);
        tweed::parallel_for(objects, &counter::up, pool);
        tweed::parallel_for(objects.begin(), objects.end(), &counter::up, pool);
        good &= all_are(objects, 2);
        good &= tweed::parallel_sum(objects, &counter::look, pool) == 2 * n;
    }
    int array[100] = {};
    std::array<int, 100> other = {};
    tweed::parallel_for(array, [](int &x) { x++; }, pool);
    tweed::parallel_for(array, array + 100, [](int &x) { x++; }, pool);
    tweed::parallel_for(other, [](int &x) { x += 2; }, pool);
    tweed::parallel_for(std::vector<int>(100, 1), [](int &x) { x++; }, pool);
    return good && all_are(array, 2) && all_are(other, 2);
}

/* ---- indices ---- */

template <class Index> struct typed {
    std::atomic<int> right, wrong;
    typed() : right(0), wrong(0) {}
    void operator()(Index) { right++; }
    template <class Other> void operator()(Other) { wrong++; }
    bool all(int n) { return right.exchange(0) == n && wrong == 0; }
};

template <class Index, class A, class B> bool is_of(tweed_pool *pool, A lo, B hi)
{
    typed<Index> body;

    tweed::parallel_for(lo, hi, body, pool);
    return body.all(90);
}

bool index_types(tweed_pool *pool)
{
    return is_of<int>(pool, 10, 100) && is_of<long>(pool, 10, 100L) &&
           is_of<size_t>(pool, 10, size_t(100)) && is_of<unsigned>(pool, 10, 100u) &&
           is_of<int64_t>(pool, int64_t(10), 100u) &&
           is_of<short>(pool, short(10), short(100)) &&
           is_of<unsigned char>(pool, static_cast<unsigned char>(10),
                                static_cast<unsigned char>(100)) &&
           is_of<uint64_t>(pool, uint64_t(10), 100);
}

/* Indices that int64_t does not have. */
bool beyond(tweed_pool *pool)
{
    const uint64_t middle = UINT64_C(1) << 63;
    bool good = true;

    for (uint64_t lo : { UINT64_C(0), middle - 500, middle, UINT64_MAX - 1000 }) {
        std::vector<std::atomic<int>> count(1000);

        tweed::parallel_for(lo, lo + 1000, [&](uint64_t i) { count[i - lo]++; }, pool);
        tweed::parallel_for_range(
            lo, lo + 1000,
            [&](uint64_t b, uint64_t e) {
                for (; b < e; b++)
                    count[b - lo]++;
            },
            pool);
        tweed::parallel_for<uint64_t>(
            lo, lo + 1000, [&](uint64_t i) { count[i - lo]++; }, pool);
        for (const auto &each : count)
            good &= each == 3;
        good &= tweed::parallel_find(
                    lo, lo + 1000, [&](uint64_t i) { return i >= lo + 77; }, pool) ==
                lo + 77;
        good &= tweed::parallel_find(
                    lo, UINT64_MAX, [&](uint64_t i) { return i >= lo + 77; }, pool) ==
                lo + 77;
        good &= tweed::parallel_sum(
                    lo, lo + 1000, [&](uint64_t i) { return i - lo; }, pool) == 499500;
    }
    tweed::parallel_for(UINT64_MAX, middle, [](uint64_t) { std::abort(); }, pool);
    tweed::parallel_for(size_t(9), 0, [](size_t) { std::abort(); }, pool);
    return good;
}

template <class Call> int code_of(Call call)
{
    try {
        call();
    } catch (const tweed::error &e) {
        return e.code();
    }
    return TWEED_OK;
}

bool negative(tweed_pool *pool)
{
    const auto body = [](size_t) { std::abort(); };
    const auto found = [](size_t) -> bool { std::abort(); };

    return code_of([&] { tweed::parallel_for(-1, size_t(9), body, pool); }) ==
               TWEED_EINVAL &&
           code_of([&] { tweed::parallel_for(0u, -9, body, pool); }) == TWEED_EINVAL &&
           code_of([&] { tweed::parallel_find(-1, size_t(9), found, pool); }) ==
               TWEED_EINVAL &&
           code_of([&] { tweed::parallel_try(-1, 9u, found, pool); }) == TWEED_EINVAL;
}

/* ---- searches ---- */

bool searches(tweed_pool *pool)
{
    bool good = true;

    for (int n : sizes) {
        std::deque<int> d(static_cast<size_t>(n), 1);
        const std::vector<int> v(d.begin(), d.end());
        const auto two = [](int x) { return x == 2; };
        const auto code = [](int x) { return x == 2 ? -5 : 0; };

        good &= tweed::parallel_find(d, two, pool) == d.end() &&
                tweed::parallel_find(v.begin(), v.end(), two, pool) == v.end();
        tweed_outcome o = tweed::parallel_try(v, code, pool);
        good &= o.code == 0 && o.index == n && o.ran == static_cast<uint64_t>(n);
        for (int at = n - 1; at >= 0; at -= 1 + n / 5) {
            d[static_cast<size_t>(at)] = 2;
            good &= tweed::parallel_find(d, two, pool) == d.begin() + at &&
                    tweed::parallel_find(d.crbegin(), d.crend(), two, pool) ==
                        d.crbegin(); /* the last one was the first to be set */
        }
        o = tweed::parallel_try(d.begin(), d.end(), code, pool);
        good &= n == 0 || (o.code == -5 && d[static_cast<size_t>(o.index)] == 2);
    }
    return good;
}

/* ---- tiles ---- */

bool boxes(tweed_pool *pool)
{
    const int64_t rows = 70, columns = 90;
    std::vector<std::atomic<int>> count(static_cast<size_t>(rows * columns));
    const auto hit = [&](int64_t i, int64_t j) {
        count[static_cast<size_t>(i * columns + j)]++;
    };
    std::atomic<int> tiles(0);
    bool good = true, caught = false;

    tweed::parallel_for_2d_tile(
        0, rows, 0, columns,
        [&](int64_t i, int64_t i_past, int64_t j, int64_t j_past) {
            tiles++;
            for (; i < i_past; i++)
                for (int64_t k = j; k < j_past; k++)
                    hit(i, k);
        },
        pool, tweed::loop_options().tile(16, 32));
    tweed::parallel_for_3d_tile(
        0, rows, 0, columns, 5, 6,
        [&](int64_t i, int64_t i_past, int64_t j, int64_t j_past, int64_t k, int64_t) {
            for (; i < i_past; i++)
                for (int64_t m = j; m < j_past; m++)
                    hit(i, m + k - 5);
        },
        pool);
    for (const auto &each : count)
        good &= each == 2;
    try {
        tweed::parallel_for_2d_tile(
            0, 1 << 20, 0, 1 << 20,
            [](int64_t i, int64_t, int64_t, int64_t) {
                if (i > 1000)
                    throw i;
            },
            pool, tweed::loop_options().tile(1, 64));
    } catch (int64_t i) {
        caught = i > 1000;
    }
    return good && caught && tiles == 5 * 3;
}

/* ---- pools and options ---- */

bool pools()
{
    tweed::pool one(3), same(tweed::pool_options().num_workers(2).name("two"));
    tweed_pool *first = one.get();
    std::atomic<int> ran(0);
    const auto body = [&](int) { ran++; };
    bool good = one.num_workers() == 3 && same.num_workers() == 2;

    tweed::parallel_for(0, 100, body, one);
    tweed::parallel_for(0, 100, body, one, tweed::loop_options().grain(9));
    tweed::parallel_for(0, 100, body, tweed::loop_options().max_workers(1).name("x"));
    tweed::parallel_for(0, 100, body, nullptr);
    tweed::parallel_for(0, 100, body, one, nullptr);
    tweed::pool moved(std::move(one));
    good &= moved.get() == first && one.get() == nullptr;
    tweed::parallel_for(0, 100, body, one); /* the default pool */
    same = std::move(moved);
    good &= same.get() == first && moved.get() == nullptr && same.num_workers() == 3;
    tweed::parallel_for(0, 100, body, same);
    same.close();
    good &= same.get() == nullptr &&
            tweed_parallel_for_with(first, nullptr, 0, 1, count_each, nullptr) ==
                TWEED_ENOPOOL;
    return good && ran == 700;
}

bool pool_errors()
{
    tweed::pool mine(2);
    std::atomic<int> codes(0);

    tweed::parallel_for(
        0, 4, [&](int) { codes += code_of([&] { mine.close(); }) == TWEED_EBUSY; }, mine);
    return codes == 4 && mine.num_workers() == 2 &&
           code_of([] { tweed::pool none(-1); }) == TWEED_EINVAL &&
           code_of([] { tweed::pool none(tweed::pool_options().bind(77)); }) ==
               TWEED_EINVAL;
}

bool default_pool()
{
    const auto one = tweed::pool_options().num_workers(1);

    tweed::shut_down_default_pool();
    tweed::configure_default_pool(one);
    return tweed_pool_num_workers(nullptr) == 1 &&
           code_of([&] { tweed::configure_default_pool(one); }) == TWEED_EBUSY &&
           code_of([] { tweed::shut_down_default_pool(); }) == TWEED_OK;
}

void hook(int, void *)
{
}

bool options()
{
    tweed::token quit;
    tweed_outcome all = TWEED_OUTCOME_INIT;
    const tweed_loop_options *o;
    tweed::loop_options loop;

    o = loop.grain(3).max_workers(4).name("name").tile(5, 6).token(quit).outcome(all)
            .timeout(std::chrono::milliseconds(2)).get();
    bool good = o->size == sizeof *o && o->grain == 3 && o->max_workers == 4 &&
                o->name == std::string("name") && o->tile[0] == 5 && o->tile[1] == 6 &&
                o->tile[2] == 0 && o->token == quit.get() && o->outcome == &all &&
                o->timeout_ns == 2000000;
    o = loop.timeout(std::chrono::hours(24 * 365 * 1000)).tile(1, 2, 3).get();
    good &= o->timeout_ns == INT64_MAX && o->tile[2] == 3;
    const double weights[] = { 1, 2 };
    o = loop.schedule(TWEED_SCHEDULE_STATIC).weights(weights).get();
    good &= o->weights == weights &&
            o->schedule == TWEED_SCHEDULE_STATIC;
    const tweed_pool_options *p;
    tweed::pool_options pool;
    p = pool.num_workers(3).bind(TWEED_BIND_NONE).fence(TWEED_FENCE_EXCHANGE)
            .spin(std::chrono::microseconds(-1)).stack_bytes(1 << 20).name("p")
            .cpus("0").on_start(hook).on_end(hook).hook_arg(&all).seed(9).get();
    return good && p->size == sizeof *p && p->num_workers == 3 &&
           p->bind == TWEED_BIND_NONE && p->fence == TWEED_FENCE_EXCHANGE &&
           p->spin_ns == -1000 && p->stack_bytes == 1 << 20 &&
           p->name == std::string("p") && p->cpus == std::string("0") &&
           p->on_start == hook && p->on_end == hook && p->hook_arg == &all &&
           p->seed == 9;
}

} // namespace

int main()
{
    plan(3 * 6 + 4);
    watchdog();
    for (int workers = 1; workers <= 4; workers *= 2) {
        tweed_pool *pool = pool_of(workers);

        ok(elements(pool), "%d workers: containers and iterators", workers);
        ok(index_types(pool), "%d workers: the type of an index", workers);
        ok(beyond(pool), "%d workers: indices beyond int64_t", workers);
        ok(negative(pool), "%d workers: bounds below an unsigned type", workers);
        ok(searches(pool), "%d workers: searches", workers);
        ok(boxes(pool), "%d workers: tiles", workers);
        must(tweed_pool_destroy(pool));
    }
    ok(pools(), "pools are moved, and end");
    ok(pool_errors(), "pools that are busy, or cannot be");
    ok(default_pool(), "the default pool is configured and shut down");
    ok(options(), "every option");
    return done_testing();
}
