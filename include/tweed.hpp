/*
 * tweed.hpp - tweed for C++11 and up: any callable as the body, compiled in place,
 * and exceptions passed on to the caller.
 *
 * SPDX-License-Identifier: MIT
 *
 *     tweed::parallel_for(0, n, [&](int i) { y[i] += a * x[i]; });
 *     tweed::parallel_for(v, [&](double &x) { x *= a; });
 *     tweed::parallel_for_range(0, n, [&](int b, int e) { ... });
 *     tweed::parallel_for_2d(0, m, 0, n, [&](int64_t i, int64_t j) { ... });
 *     d = tweed::parallel_sum(0, n, [&](int i) { return x[i] * y[i]; });
 *     s = tweed::parallel_reduce(v, std::string(), body, combine);
 *     tweed::parallel_inclusive_scan(v.begin(), v.end(), v.begin());
 *     k = tweed::parallel_find(0, n, [&](int i) { return x[i] < 0; });
 *     o = tweed::parallel_try(0, n, [&](int i) { return check(x[i]); });
 *
 *     tweed::parallel_invoke([&] { sort(a, m); }, [&] { sort(a + m, n - m); });
 *
 *     tweed::pool mine(8);
 *     tweed::parallel_for(0, n, f, mine, tweed::loop_options().grain(64));
 *
 * WHAT A LOOP GOES OVER.  Two bounds of any integral types: the indices have the type
 * that lo + hi has.  Or two random-access iterators, or a range that has such, a
 * container for example: then the body is given the elements.
 *
 * THE CALLABLE is called from any number of threads at once.  What it returns is
 * ignored where nothing else is said.
 *
 * EXCEPTIONS.  When a body throws, no worker claims more indices.  Other workers finish
 * what they have claimed.  The indices that had not begun are skipped, and the call
 * throws the exception again; if several bodies throw, the first exception that was
 * caught.  A result other than TWEED_OK is thrown as tweed::error, whose what() is
 * tweed_last_error(); but not TWEED_ESTOPPED, which is what tweed::stop() or a
 * tweed::token asks for, unless the call has something to return.
 *
 * Compiled without exceptions (-fno-exceptions) the calls return the result, an int;
 * and those that have something to return a tweed::result<T>, which has code and value.
 */
#ifndef TWEED_HPP
#define TWEED_HPP

#include <tweed.h>

#include <tweed/error.hpp>

#include <tweed/options.hpp>

#include <tweed/body.hpp>
#include <tweed/bounds.hpp>

#include <tweed/loop.hpp>
#include <tweed/numa.hpp>
#include <tweed/partials.hpp>
#include <tweed/progress.hpp>
#include <tweed/reduce.hpp>
#include <tweed/scan.hpp>
#include <tweed/scratch.hpp>
#include <tweed/search.hpp>
#include <tweed/task.hpp>
#include <tweed/tiles.hpp>

#undef TWEED_TRY_
#undef TWEED_CATCH_
#undef TWEED_NAMESPACE_
#undef TWEED_NAMESPACE_END_

#endif /* TWEED_HPP */
