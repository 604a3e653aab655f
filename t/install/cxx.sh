#!/bin/sh
# cxx.sh - all of tweed.hpp as users compile it: every standard, gcc and clang, without
# exceptions and type information; and what is said of a body that cannot be called.
# Without TWEED_TEST_MATRIX=yes: by the compiler of the build, in the first and the last
# standard.
#
# SPDX-License-Identifier: MIT
. "${top_srcdir:-.}/t/support/tap.sh"
long_only

forget_options
cd "$work" || exit 99
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef
    -Wold-style-cast -Wzero-as-null-pointer-constant -Wextra-semi -Wcast-qual -Werror'

# Of a library with a sanitizer inside programs are linked by its own compiler.
compilers=
echo 'int main() { return 0; }' > have.cc
for compiler in "$CXX" $(cxx_matrix); do
    case " $compilers " in *" $compiler "*) continue ;; esac
    [ -z "$SANITIZER_FLAGS" ] || [ "$compiler" = "$CXX" ] || continue
    # shellcheck disable=SC2086
    $compiler $SANITIZER_FLAGS -std=c++11 have.cc -o have 2> have.log &&
        compilers="$compilers $compiler"
done
[ -n "$compilers" ] || skip_all "no C++ compiler"

# runs FILE OPTION...: silent, and right, with all compilers that have the standard
runs()
{
    file=$1
    shift
    for compiler in $compilers; do
        $compiler "$@" -c have.cc -o have.o 2> have.log || continue
        # shellcheck disable=SC2046,SC2086
        $compiler $SANITIZER_FLAGS $warnings "$@" -I"$source/include" "$file" \
            -o program $(link_with_any) -pthread && ./program && continue
        echo "$file $* with $compiler"
        return 1
    done
}

cat > every.cc <<'END'
#include <tweed.hpp>

#include <chrono>
#include <cmath>
#include <deque>
#include <functional>
#include <string>
#include <vector>

static int bad;
#define EXPECT(condition) bad |= (condition) ? 0 : 1

struct point {
    int x;
    void twice() { x *= 2; }
};

static void function(int &x) { x++; }

int main()
{
    const int n = 3000;
    const size_t size = n;
    std::vector<int> v(size, 1), w(size);
    std::deque<point> points(size, point{ 3 });
    std::string word = "abc";
    tweed::pool mine(tweed::pool_options().num_workers(3).name("mine").spin(
        std::chrono::microseconds(5)));
    tweed::token quit;
    tweed_outcome all = TWEED_OUTCOME_INIT;
    const auto options = tweed::loop_options().grain(7).token(quit).outcome(all).timeout(
        std::chrono::hours(1));

    tweed::parallel_for(0, n, [&](int i) { v[static_cast<size_t>(i)]++; });
    tweed::parallel_for(0, size, [&](size_t i) { v[i]++; }, mine, options);
    EXPECT(all.ran == size);
    tweed::parallel_for<short>(0, 3000, [&](short i) { v[static_cast<size_t>(i)]++; });
    tweed::parallel_for(v, function, options);
    tweed::parallel_for(v.begin(), v.end(), [](int &x) { x++; }, mine);
    tweed::parallel_for(points, &point::twice);
    tweed::parallel_for_range(v, [](std::vector<int>::iterator b,
                                    std::vector<int>::iterator e) {
        for (; b != e; ++b)
            ++*b;
    });
    tweed::parallel_for_2d(0, 50, 0, 60, [&](int64_t i, int64_t j) {
        v[static_cast<size_t>(i * 60 + j)]++;
    });
    tweed::parallel_for_3d(0, 5, 0, 10, 0, 60, [&](int64_t i, int64_t j, int64_t k) {
        v[static_cast<size_t>((i * 10 + j) * 60 + k)]++;
    });
    tweed::parallel_for_2d_tile(
        0, 50, 0, 60,
        [&](int64_t i, int64_t i_past, int64_t j, int64_t j_past) {
            for (; i < i_past; i++)
                for (int64_t k = j; k < j_past; k++)
                    v[static_cast<size_t>(i * 60 + k)]++;
        },
        mine, tweed::loop_options().tile(8, 16));
    for (int x : v)
        EXPECT(x == 10);
    EXPECT(tweed::parallel_sum(points, [](const point &p) { return p.x; }) == 6 * n);
    EXPECT(tweed::parallel_sum<double>(0, n, [](int i) { return i; }) ==
           n * (n - 1.0) / 2);
    EXPECT(tweed::parallel_min(v, 11, [](int x) { return x; }) == 10);
    EXPECT(tweed::parallel_max(0, n, -1.0, [](int i) { return i * 0.5; }) ==
           (n - 1) * 0.5);
    EXPECT(tweed::parallel_reduce(v, 0, [](int x) { return x; }, std::plus<int>()) ==
           10 * n);
    EXPECT(tweed::parallel_reduce(
               word, std::string(), [](char c, std::string &s) { s += c; },
               [](std::string &into, const std::string &from) { into += from; }) == "abc");
    EXPECT(tweed::parallel_inclusive_scan(v.begin(), v.end(), w.begin()) == w.end());
    EXPECT(w.back() == 10 * n);
    tweed::parallel_exclusive_scan(v.begin(), v.end(), w.begin(), 5, std::plus<int>(),
                                   mine);
    EXPECT(w.front() == 5 && w.back() == 10 * (n - 1) + 5);
    EXPECT(tweed::parallel_scan(
               0, n, 0,
               [&](int i, int &sum, bool writes) {
                   sum += i;
                   if (writes)
                       w[static_cast<size_t>(i)] = sum;
               },
               std::plus<int>(), mine) == w.back());
    EXPECT(tweed::parallel_find(w, [](int x) { return x > 20; }) == w.begin() + 6);
    EXPECT(tweed::parallel_find(0, n, [&](int i) { return i == 77; }, mine) == 77);
    EXPECT(tweed::parallel_try(v, [](int) { return 0; }).ran == size);
    try {
        tweed::parallel_for(v, [](int) { throw 5; });
        bad = 1;
    } catch (int five) {
        EXPECT(five == 5);
    }
    return bad;
}
END

cat > without.cc <<'END'
#include <tweed.hpp>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

int main()
{
    std::vector<int> v(1000, 1);
    const auto wrong = tweed::loop_options().grain(-1);
    const auto one = [](int) { return 1; };
    const auto put = [](int, std::string &s) { s += 'x'; };
    const auto join = std::plus<std::string>();
    tweed::pool mine(2);
    bool good = tweed::parallel_for(v, [](int &x) { x++; }, mine) == TWEED_OK;

    good &= tweed::parallel_for(0, 9, one, wrong) == TWEED_EINVAL;
    good &= tweed::parallel_for(-1, size_t(9), [](size_t) {}) == TWEED_EINVAL;
    good &= tweed::parallel_for(0, 1 << 30, [](int) { tweed::stop(); }) == TWEED_ESTOPPED;

    tweed::result<int> sum = tweed::parallel_sum(v, [](int x) { return x; }, mine);
    good &= sum.code == TWEED_OK && sum.value == 2000;
    sum = tweed::parallel_sum(v, one, mine, wrong);
    good &= sum.code == TWEED_EINVAL && sum.value == 0;

    tweed::result<std::string> s =
        tweed::parallel_reduce(v, std::string(), put, join, mine);
    good &= s.code == TWEED_OK && s.value == std::string(1000, 'x');
    s = tweed::parallel_reduce(
        0, 1 << 30, std::string("none"), [](int, std::string &) { tweed::stop(); }, join,
        mine);
    good &= s.code == TWEED_ESTOPPED && s.value == "none";

    auto k = tweed::parallel_find(v, [](int x) { return x == 3; });
    good &= k.code == TWEED_OK && k.value == v.end();
    tweed::result<tweed_outcome> o = tweed::parallel_try(0, 9, [](int i) { return i; });
    good &= o.code == TWEED_ESTOPPED && o.value.code == o.value.index;
    auto end = tweed::parallel_inclusive_scan(v.begin(), v.end(), v.begin());
    good &= end.code == TWEED_OK && end.value == v.end() && v.back() == 2000;

    std::atomic<int> invoked(0);
    good &= tweed::parallel_invoke([] {}, [&] { invoked++; }) == TWEED_OK;
    good &= tweed::parallel_invoke(mine, [] {}, [&] { invoked++; }) == TWEED_OK;
    tweed::task_group group(mine);
    for (char large[100] = { 1 }; large[0] < 9; large[0]++) {
        good &= group.run([] {}) == TWEED_OK;
        good &= group.run([large, &invoked] { invoked += large[1]; }) == TWEED_OK;
    }
    good &= group.wait() == TWEED_OK && tweed::submit([] {}, mine) == TWEED_OK;
    good &= tweed_pool_drain(mine.get()) == TWEED_OK && invoked == 2;

    tweed::scratch<int> mine_too(3);
    good &= mine_too.local() == 3;
    good &= mine.close() == TWEED_OK && mine.close() == TWEED_OK;
    return good ? 0 : 1;
}
END

cat > standard.cc <<'END'
#include <tweed.hpp>

#include <numeric>
#include <string_view>
#include <vector>

int main()
{
    std::vector<long> x(100000), y(x.size()), z(x.size());
    const std::string_view text = "some text";
    bool good = true;

    std::iota(x.begin(), x.end(), 1);
    tweed::parallel_inclusive_scan(x.begin(), x.end(), y.begin());
    std::inclusive_scan(x.begin(), x.end(), z.begin());
    good &= y == z;
    tweed::parallel_inclusive_scan(x.begin(), x.end(), y.begin(), std::plus<>(), 7L);
    std::inclusive_scan(x.begin(), x.end(), z.begin(), std::plus<>(), 7L);
    good &= y == z;
    tweed::parallel_exclusive_scan(x.begin(), x.end(), y.begin(), 7L);
    std::exclusive_scan(x.begin(), x.end(), z.begin(), 7L);
    good &= y == z;
    good &= tweed::parallel_reduce(x, 0L, [](auto i) { return i; }, std::plus<>()) ==
            std::reduce(x.begin(), x.end());
    good &= tweed::parallel_find(text, [](char c) { return c == ' '; }) ==
            text.begin() + 4;
    return good ? 0 : 1;
}
END

cat > views.cc <<'END'
#include <tweed.hpp>

#include <version>
#if defined(__cpp_lib_ranges) && !defined(__clang__) /* clang 14 cannot read gcc's */
#include <ranges>
#include <span>
#include <vector>

int main()
{
    std::vector<int> v(1000, 1);
    const auto by_two = std::views::iota(0, 500) |
                        std::views::transform([](int i) { return 2 * i; });

    tweed::parallel_for(by_two, [&](int i) { v[static_cast<size_t>(i)]++; });
    tweed::parallel_for(std::span<int>(v).subspan(0, 10), [](int &x) { x++; });
    tweed::parallel_for(std::views::reverse(v), [](int &x) { x++; });
    bool good = v[0] == 4 && v[1] == 3 && v[10] == 3 && v[11] == 2;
    good &= tweed::parallel_sum(by_two, [](int i) { return i; }) == 499 * 500;
    good &= *tweed::parallel_find(by_two, [](int i) { return i > 10; }) == 12;
    tweed::parallel_inclusive_scan(by_two.begin(), by_two.end(), v.begin());
    return good && v[499] == 499 * 500 ? 0 : 1;
}
#else
int main() { return 0; }
#endif
END

cat > c++.h <<'END'
#include <functional>
#include <list>
#include <string>
#include <tweed.hpp>
#include <vector>
END

# The headers, compiled once for all that is refused, in a folder for each compiler; sets
# $headers to the file to include, which stands beside.
precompiled() # COMPILER
{
    folder=$(echo "$1" | tr -c 'A-Za-z0-9\n' _)
    headers=$folder/c++.h
    [ -d "$folder" ] && return
    mkdir "$folder" && cp c++.h "$headers" &&
        $1 -std=c++11 -I"$source/include" -x c++-header "$headers" -o "$headers.gch"
}

# refused "WHAT IS SAID" "STATEMENT": one error, with these words in it
refused()
{
    cat > wrong.cc <<END
void use(std::vector<double> &v, std::list<int> &l, std::string *s)
{
    (void)v, (void)l, (void)s;
    $2
}
END
    for compiler in $compilers; do
        precompiled "$compiler" || return
        $compiler -std=c++11 -I"$source/include" -include "$headers" -c wrong.cc \
            -o wrong.o 2> said && {
            echo "$compiler takes it"
            return 1
        }
        grep -q "tweed: $1" said && [ "$(grep -c 'error:' said)" -le "${3:-1}" ] &&
            [ "$(wc -l < said)" -le 50 ] && continue
        echo "$compiler says:"
        head -50 said
        return 1
    done
}

# Without exceptions: what a constructor would throw is said before the program ends.
ends_with_a_word()
{
    cat > abort.cc <<'END'
#include <tweed.hpp>
int main() { tweed::pool none(-1); }
END
    for compiler in $compilers; do
        $compiler -std=c++11 -fno-exceptions $SANITIZER_FLAGS -I"$source/include" abort.cc \
            -o abort $(link_with_any) -pthread || return
        (ulimit -c 0; ./abort) 2> said && return 1
        grep -x 'tweed: invalid argument: tweed_pool_options.num_workers is -1: .*' said || return
    done
}

plan 24
for standard in 11 14 17 20 2b; do
    level=-O2
    case $standard in 14 | 17 | 2b)
        has_matrix || { skip 2 "TWEED_TEST_MATRIX=yes has C++$standard"; continue; }
        [ $standard = 2b ] || level=-O0 ;;
    esac
    expect "C++$standard" runs every.cc -std=c++$standard $level
    expect "C++$standard, without exceptions and type information" \
        runs without.cc -std=c++$standard $level -fno-exceptions -fno-rtti
done
expect "a pool that is none, without exceptions" ends_with_a_word
expect "not optimised" runs every.cc -std=c++11 -O0
expect "scans and reductions of the standard" runs standard.cc -std=c++17 -O2
expect "views and spans" runs views.cc -std=c++20 -O2
expect "refused: a body with an argument too many" \
    refused 'the body cannot be called' 'tweed::parallel_for(0, 10, [](int, int) {});'
expect "refused: a body for other elements" \
    refused 'the body cannot be called' 'tweed::parallel_for(v, [](std::string &) {});'
expect "refused: a list" \
    refused 'the iterators must have random access' \
    'tweed::parallel_for(l, [](int) {});' 2
expect "refused: a sum of what cannot be called" \
    refused 'the body cannot be called' \
    'tweed::parallel_sum(v, [](std::string) { return 1; });'
expect "refused: a sum of truths" refused 'name the type of the sum' \
    'tweed::parallel_sum(v, [](double x) { return x > 1; });' 2
expect "refused: a body of no form" refused 'the body of parallel_reduce' \
    'tweed::parallel_reduce(v, 0.0, [](int, int, int, int) {}, std::plus<double>());'
expect "refused: combining one" refused 'combine must be callable' \
    'tweed::parallel_reduce(v, 0.0, [](double x) { return x; }, [](double) {});'
expect "refused: a search that finds nothing" refused 'the body must be callable' \
    'tweed::parallel_find(v, [](double) {});'
expect "refused: a scan of strings" refused 'what is scanned must be a type' \
    'tweed::parallel_inclusive_scan(s, s + 9, s);'
expect "refused: a tile with two bounds" refused 'the body cannot be called with the bounds' \
    'tweed::parallel_for_2d_tile(0, 9, 0, 9, [](int, int) {});'
finish
