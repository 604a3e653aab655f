#!/bin/sh
# headers.sh - the public headers compile, alone and twice, in every language
# that they are for. SPDX-License-Identifier: MIT

: "${top_srcdir=.}" "${CC=cc}" "${CXX=c++}"
if [ "${TWEED_TEST_ONCE-}" = no ]; then # as once_only in t/support/tap.sh
    echo "1..0 # SKIP TWEED_TEST_ONCE=no"
    exit 0
fi
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
n=0

echo '#include <stdint.h>' > "$dir/empty.c"
cp "$dir/empty.c" "$dir/empty.cc"

# source NAME HEADER USE BEFORE: a file that includes the header first, again, uses it
source_file() {
    {
        echo "#include <$2>"
        echo "#include <$2>"
        echo 'extern void body(int64_t i, void *arg);'
        echo "${4-}"
        echo 'extern int use(void);'
        echo "int use(void) { $3 }"
    } > "$dir/$1"
}

# refuse COMPILER SUFFIX: a result that is ignored is warned of
refuse() {
    n=$((n + 1))
    # as below
    # shellcheck disable=SC2086
    if $1 -Werror -I"$top_srcdir/include" -c "$dir/ignore.$2" -o "$dir/o.o" \
        2> "$dir/log"; then
        echo "not ok $n - a result that is ignored, $2"
        bad=1
    elif ! $1 -I"$top_srcdir/include" -c "$dir/ignore.$2" -o "$dir/o.o" \
        2> /dev/null; then
        echo "ok $n # SKIP no compiler for .$2"
    else
        echo "ok $n - a result that is ignored is warned of, $2"
    fi
}

# check COMPILER STANDARD SUFFIX HEADER NAME: all of the compiler in the first standard
check() {
    n=$((n + 1))
    case $2 in
    c11 | c++11) how=-c ;;
    *) how=-fsyntax-only ;;
    esac
    flags="-Wall -Wextra -Wundef -Wconversion -pedantic -Werror -I$top_srcdir/include"
    # $1 may hold options, and so must be split
    # shellcheck disable=SC2086
    if [ $how != -c ] && [ "${TWEED_TEST_MATRIX-}" != yes ]; then
        echo "ok $n # SKIP TWEED_TEST_MATRIX=yes has $2"
    elif ! $1 -std="$2" -fsyntax-only "$dir/empty.$3" 2> /dev/null; then
        echo "ok $n # SKIP no compiler for $2"
    elif $1 $flags -std="$2" $how "$dir/$5.$3" -o "$dir/o.o" 2> "$dir/log"; then
        echo "ok $n - $4 as $2"
    else
        echo "not ok $n - $4 as $2"
        sed 's/^/# /' "$dir/log"
        bad=1
    fi
}

plain='tweed_pool *pool; tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    tweed_pool_options p = TWEED_POOL_OPTIONS_INIT;
    tweed_stats s = TWEED_STATS_INIT;
    o.grain = 8;
    return tweed_parallel_for(0, 1, body, 0) + tweed_pool_create(&pool, &p) +
           tweed_parallel_for_with(pool, &o, 0, 1, body, 0) +
           tweed_stats_get(pool, 0, &s);'
ignore='tweed_parallel_for_with(0, 0, 0, 1, body, 0); return 0;'
tiles='tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    o.tile[0] = o.tile[1] = 8;
    tweed_space plane = tweed_space_2d(0, 1, 0, 1), room = tweed_space_3d(0, 1, 0, 1, 0, 1);
    return tweed_parallel_for_space(0, &o, &plane, at, 0) +
           tweed_parallel_for_tiles(0, &o, &room, box, 0) +
           pairs(0, 1, 0, 1, 0) + triples(0, 1, 0, 1, 0, 1, 0);'
reduce='const tweed_reduction r = TWEED_REDUCTION_INIT; double x = 1;
    return tweed_parallel_reduce(0, 1, &r, 0, &x) + sum(0, 1, &x) +
           (total(0, 1, &x) + careful(0, 1, &x) < least(0, 1, &x)) +
           (most_with(0, 0, 0, 1, &x, &x) < 0);'
scratch='tweed_scratch_options o = TWEED_SCRATCH_OPTIONS_INIT; tweed_scratch *s;
    int code = tweed_scratch_create(&s, 8, &o);
    tweed_scratch_next(s, tweed_scratch_get(s));
    tweed_scratch_destroy(s);
    return code;'
numa='int code; double *a = (double *)tweed_alloc(1, 8);
    void *b = tweed_alloc_with(0, 0, 0, 1, 8, &code);
    tweed_free(b);
    return (int)tweed_move_array(0, 0, 0, 1, a, 8) + tweed_index_node(0, 0, 0, 1, 0) +
           tweed_address_node(a);'
scan='const tweed_scan_spec r = TWEED_SCAN_SPEC_INIT; double x = 1;
    return tweed_parallel_scan(0, 1, &r, 0, &x) + (prefix(0, 1, &x) < 0) +
           (prefix_with(0, 0, 0, 1, &x, &x) < 0);'
stop='tweed_outcome o = TWEED_OUTCOME_INIT; tweed_token t = TWEED_TOKEN_INIT;
    tweed_loop_options p = TWEED_LOOP_OPTIONS_INIT; int64_t k = 0; double x = 1;
    tweed_token_set(&t); tweed_token_clear(&t); p.token = &t; p.outcome = &o;
    return tweed_parallel_try(0, 1, code, 0, &o) + tweed_parallel_stop() +
           tweed_parallel_find(0, 1, code, 0, &k) + attempt(0, 1, &x, &o) +
           (search(0, 1, &x) < 1) + search_with(0, &p, 0, 1, &x, &k) +
           attempt_with(0, &p, 0, 1, &x) + tweed_token_is_set(&t);'
trace='tweed_trace_options o = TWEED_TRACE_OPTIONS_INIT;
    o.events = 1024;
    int code = tweed_trace_start(&o);
    tweed_trace_stop();
    return code + tweed_trace_write("trace.json");'
stats='tweed_loop_stats s[2] = { TWEED_LOOP_STATS_INIT, TWEED_LOOP_STATS_INIT };
    int n = tweed_loop_stats_get(s, 2);
    return n + (s[0].time_ns > s[0].ideal_ns) + (s[1].name[0] != 0);'
short='return parallel_for(0, 1, body) + parallel_for(0, 1, body, 0);'
cxx='tweed::parallel_for(0, 1, [](int64_t) {});
    tweed::parallel_for_range(0, 1, [](int64_t, int64_t) {});
    tweed::parallel_for_2d(0, 1, 0, 1, [](int64_t, int64_t) {});
    tweed_outcome o = tweed::parallel_try(0, 1, [](int64_t) { return 0; });
    tweed::token t; t.set(); tweed::stop();
    tweed::parallel_invoke([] {}, [] {}, [] {});
    tweed::task_group g; g.run([] {}); g.cancel(); g.wait();
    if (tweed::submit([] {}) != TWEED_OK) return 2;
    if (tweed::parallel_find(0, 1, [](int64_t) { return true; }) != o.index) return 1;
    tweed::parallel_for_3d(0, 1, 0, 1, 0, 1, [](int64_t, int64_t, int64_t) {});
    return 0;'

bodies='extern void at(int64_t i, int64_t j, int64_t k, void *arg);
extern void box(const tweed_tile *tile, void *arg);
TWEED_SIMD_LOOP_2D(pairs, i, j, double *, x) { x[i] += x[j]; }
TWEED_LOOP_3D(triples, i, j, k, double *, x) { x[i] += x[j + k]; }'

attempts='extern int code(int64_t i, void *arg);
TWEED_TRY(attempt, i, const double *, x) { return x[i] > 1; }
TWEED_FIND(search, i, const double *, x) { return x[i] > 1; }'

reductions='#include <math.h>
TWEED_SUM(int, sum, i, const double *, x) { return (int)x[i]; }
TWEED_COMPENSATED_SUM(double, careful, i, const double *, x) { return x[i]; }
TWEED_MIN(double, least, INFINITY, i, const double *, x) { return x[i]; }
TWEED_MAX(double, most, -INFINITY, i, const double *, x) { return x[i]; }
static void add(double *into, const double *from) { *into += *from; }
TWEED_REDUCE(double, total, 0, add, e, i, const double *, x) { *e += x[i]; }'

scans='TWEED_SCAN(double, prefix, 0, TWEED_PLUS, e, writes, i, double *, x)
{
    *e += x[i];
    if (writes)
        x[i] = *e;
}'

tasks='TWEED_DECLARE_TASK(int, below, int, n);
TWEED_TASK(int, above, int, n) { TWEED_SPAWN(below, n - 1); return TWEED_SYNC(below); }
TWEED_DEFINE_TASK(int, below, int, n) { return n > 0 ? TWEED_CALL(above, n) : 0; }
TWEED_TASK(void, none) { }'

for s in c cc; do
    source_file "task.$s" tweed/task.h 'TWEED_RUN(none); return TWEED_RUN(above, 3) +
        TWEED_RUN_ON(0, below, 1);' "$tasks"
    source_file "group.$s" tweed/group.h 'tweed_group g = TWEED_GROUP_INIT; return
        tweed_group_spawn(&g, 0, 0) + tweed_group_sync(&g) + tweed_group_cancel(&g);'
    source_file "submit.$s" tweed/submit.h 'return tweed_pool_submit(0, 0, 0) +
        tweed_pool_drain(0) + (int)tweed_pool_abandon(0);'
    source_file "plain.$s" tweed.h "$plain"
    source_file "ignore.$s" tweed.h "$ignore"
    source_file "short.$s" tweed/short.h "$short"
    source_file "tiles.$s" tweed/tiles.h "$tiles" "$bodies"
    source_file "scratch.$s" tweed/scratch.h "$scratch"
    source_file "numa.$s" tweed/numa.h "$numa"
    source_file "reduce.$s" tweed/reduce.h "$reduce" "$reductions"
    source_file "partials.$s" tweed/partials.h "$reduce" "$reductions"
    source_file "scan.$s" tweed/scan.h "$scan" "$scans"
    source_file "stop.$s" tweed/stop.h "$stop" "$attempts"
    source_file "trace.$s" tweed/trace.h "$trace"
    source_file "stats.$s" tweed/stats.h "$stats"
done
source_file cxx.cc tweed.hpp "$cxx"
source_file scratchxx.cc tweed/scratch.hpp 'tweed::scratch<int> s(1); int n = 0;
    s.local() = 2;
    for (int &x : s)
        n += x;
    return n + (s.begin() == s.end());'
source_file numaxx.cc tweed/numa.hpp 'tweed::numa_array<int> a(3), b(std::move(a));
    b[1] = 2; a = std::move(b); const tweed::numa_array<int> &c = a;
    return a[1] + (c.end() - c.begin() != 3) + (c[0] + c.data()[2] + int(c.size()));'
source_file progressxx.cc tweed/progress.hpp 'int calls = 0; tweed::progress shown(
        [&](const tweed_progress &p) { calls += p.done < p.total; });
    return calls;'

bad=0
echo 1..166
# check_all COMPILER STANDARD SUFFIX: the headers that C and C++ have in common
check_all() {
    check "$1" "$2" "$3" tweed.h plain
    for name in short tiles partials reduce scratch numa scan stop task group submit trace stats; do
        check "$1" "$2" "$3" tweed/$name.h $name
    done
}
# 2x and 2b: what compilers called C23 and C++23 first, and all take.
for std in c11 c17 gnu17 c2x; do
    check_all "$CC" $std c
done
for std in c++11 c++14 c++17 gnu++17 c++20 c++2b; do
    check_all "$CXX" $std cc
    check "$CXX" $std cc tweed/numa.hpp numaxx
    check "$CXX" $std cc tweed/scratch.hpp scratchxx
    check "$CXX" $std cc tweed/progress.hpp progressxx
    check "$CXX" $std cc tweed.hpp cxx
done
refuse "$CC" c
refuse "$CXX" cc
exit $bad
