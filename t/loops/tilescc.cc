/*
 * tilescc.cc - loops of two and three dimensions in C++.
 *
 * SPDX-License-Identifier: MIT
 *
 * t/loops/tiles.c has the walk; here are the callables and their exceptions.
 */
#include "child.h"
#include "pools.h"

#include <tweed.hpp>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {

struct grid {
    int64_t n[3], lo[3];
    std::vector<unsigned char> count;

    grid(int64_t x, int64_t y, int64_t z, int turn)
        : n{ x, y, z }, lo(), count(static_cast<size_t>(x * y * z))
    {
        for (int d = 0; d < 3; d++)
            lo[d] = (turn + d) % 3 == 0   ? -n[d] / 2
                    : (turn + d) % 3 == 1 ? INT64_MIN
                                          : INT64_MAX - n[d];
    }
    int64_t hi(int d) const { return lo[d] + n[d]; }
    void hit(int64_t i, int64_t j, int64_t k)
    {
        count[static_cast<size_t>(((i - lo[0]) * n[1] + (j - lo[1])) * n[2] +
                                  (k - lo[2]))]++;
    }
    bool once() const
    {
        for (unsigned char c : count)
            if (c != 1)
                return false;
        return true;
    }
};

TWEED_LOOP_2D(in_braces, j, k, grid *, g)
{
    g->hit(g->lo[0], j, k);
}

TWEED_SIMD_LOOP_3D(in_braces_3d, i, j, k, grid *, g)
{
    g->hit(i, j, k);
}

TWEED_LOOP_3D(nothing, i, j, k)
{
}

const int64_t sizes[][3] = { { 1, 1, 1 },   { 1, 0, 7 },   { 1, 7, 0 },
                             { 1, 1, 900 }, { 1, 900, 1 }, { 1, 61, 67 },
                             { 3, 5, 7 },   { 20, 17, 33 } };

bool braces(tweed_pool *pool, const tweed_loop_options *o)
{
    bool good = nothing(0, 9, 0, 9, 0, 9) == TWEED_OK;
    int turn = 0;

    for (const auto &n : sizes) {
        grid g(n[0], n[1], n[2], turn++), h(n[0], n[1], n[2], turn);

        good = good &&
               in_braces_3d_with(pool, o, g.lo[0], g.hi(0), g.lo[1], g.hi(1),
                                 g.lo[2], g.hi(2), &g) == TWEED_OK &&
               g.once();
        if (n[0] == 1)
            good = good &&
                   in_braces_with(pool, o, h.lo[1], h.hi(1), h.lo[2], h.hi(2),
                                  &h) == TWEED_OK &&
                   h.once();
    }
    return good;
}

bool lambdas(tweed_pool *pool, const tweed_loop_options *o)
{
    bool good = true;
    int turn = 0;

    for (const auto &n : sizes) {
        grid g(n[0], n[1], n[2], turn++), h(n[0], n[1], n[2], turn);

        tweed::parallel_for_3d(
            g.lo[0], g.hi(0), g.lo[1], g.hi(1), g.lo[2], g.hi(2),
            [&](int64_t i, int64_t j, int64_t k) { g.hit(i, j, k); }, pool, o);
        good = good && g.once();
        if (n[0] != 1)
            continue;
        tweed::parallel_for_2d(
            h.lo[1], h.hi(1), h.lo[2], h.hi(2),
            [&](int64_t j, int64_t k) { h.hit(h.lo[0], j, k); }, pool, o);
        good = good && h.once();
    }
    return good;
}

/* ---- functions and objects are callables, too ---- */

std::atomic<int> calls;

void function(int64_t, int64_t)
{
    calls++;
}

struct object {
    int64_t sum = 0;
    int operator()(int64_t i, int64_t j, int64_t k)
    {
        return static_cast<int>(sum += i + j + k);
    }
};

bool callables(tweed_pool *pool)
{
    tweed_loop_options one = TWEED_LOOP_OPTIONS_INIT;
    object o;

    one.max_workers = 1;
    calls = 0;
    tweed::parallel_for_2d(0, 20, 0, 30, function, pool);
    tweed::parallel_for_3d(0, 3, 0, 3, 0, 3, o, pool, &one);
    tweed::parallel_for_2d(0, 5, 0, 5, [](int64_t i, int64_t j) {
        tweed::parallel_for_2d(0, i, 0, j, function);
    });
    return calls == 600 + 100 && o.sum == 81;
}

/* ---- exceptions ---- */

struct mistake : std::runtime_error {
    explicit mistake(int64_t where) : std::runtime_error("mistake"), at(where) {}
    int64_t at;
};

/* A loop of 10^12 indices would not end. */
bool stops(tweed_pool *pool, const tweed_loop_options *o, int64_t i, int64_t j)
{
    const int64_t n = 1000000;

    try {
        tweed::parallel_for_2d(
            0, n, 0, n,
            [=](int64_t a, int64_t b) {
                if (a >= i && (a > i || b >= j))
                    throw mistake(a);
            },
            pool, o);
    } catch (const mistake &m) {
        return m.at >= i;
    }
    return false;
}

bool exceptions(tweed_pool *pool, const tweed_loop_options *o)
{
    int caught = 0;

    try {
        tweed::parallel_for_3d(
            INT64_MIN, INT64_MAX, 5, 6, -1, 0,
            [](int64_t i, int64_t, int64_t) { throw mistake(i); }, pool, o);
    } catch (const tweed::error &e) {
        caught += e.code() == TWEED_ERANGE;
    }
    try {
        tweed::parallel_for_3d(
            -10, INT64_MAX / 2 - 20, 5, 7, -1, 0,
            [](int64_t i, int64_t, int64_t) { throw mistake(i); }, pool, o);
    } catch (const mistake &) {
        caught++;
    }
    return caught == 2 && stops(pool, o, 0, 0) && stops(pool, o, 0, 50) &&
           stops(pool, o, 1, 0) && stops(pool, o, 0, 100000);
}

/* Each worker calls, throws at its 200th call, and is not heard of again; what it has
   claimed by then is more than a tile. */
bool silent_after_throw(tweed_pool *pool)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    std::atomic<int> late{ 0 }, thrown{ 0 };
    std::vector<int> called(static_cast<size_t>(tweed_pool_num_workers(pool)));
    const int last = 200;
    auto one_call = [&](int64_t where) {
        int &mine = called[static_cast<size_t>(tweed_worker_index())];

        late += mine >= last;
        if (++mine == last) {
            thrown++;
            throw mistake(where);
        }
    };

    o.tile[0] = o.tile[1] = 4;
    try {
        tweed::parallel_for_2d_tile(
            0, 4000, 0, 4000, [&](int64_t i, int64_t, int64_t, int64_t) { one_call(i); },
            pool, &o);
    } catch (const mistake &) {
        thrown += 100;
    }
    o.tile[2] = 4;
    std::fill(called.begin(), called.end(), 0);
    try {
        tweed::parallel_for_3d_tile(
            0, 4000, 0, 400, 0, 400,
            [&](int64_t i, int64_t, int64_t, int64_t, int64_t, int64_t) { one_call(i); },
            pool, &o);
    } catch (const mistake &) {
        thrown += 100;
    }
    return thrown >= 202 && late == 0;
}

bool refused(tweed_pool *pool)
{
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;

    o.tile[0] = 8;
    try {
        tweed::parallel_for_2d(
            0, 9, 0, 9, [](int64_t, int64_t) { std::abort(); }, pool, &o);
    } catch (const tweed::error &e) {
        return e.code() == TWEED_EINVAL;
    }
    return false;
}

} // namespace

int main()
{
    tweed_loop_options tiled = TWEED_LOOP_OPTIONS_INIT;

    plan(4 * 4 + 2);
    watchdog();
    tiled.tile[0] = 2;
    tiled.tile[1] = 5;
    tiled.tile[2] = 16;
    for (int workers = 1; workers <= 8; workers *= 2) {
        tweed_pool *pool = pool_of(workers);

        ok(braces(pool, nullptr) && braces(pool, &tiled),
           "%d workers: in braces, every index once", workers);
        ok(lambdas(pool, nullptr) && lambdas(pool, &tiled),
           "%d workers: lambdas, every index once", workers);
        ok(exceptions(pool, nullptr) && exceptions(pool, &tiled),
           "%d workers: an exception ends the loop", workers);
        /* fails if tile::call() does not ask whether there is an exception */
        ok(silent_after_throw(pool), "%d workers: whoever has thrown calls no tile", workers);
        must(tweed_pool_destroy(pool));
    }
    ok(callables(nullptr), "functions, objects, and a loop in a loop");
    ok(refused(nullptr), "a tile that is none is thrown as an error");
    return done_testing();
}
