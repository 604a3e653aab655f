#!/bin/sh
# tsan.sh - a user's program built with -fsanitize=thread, linked with the
# ordinary library, gets no false report, and its own races are reported.
#
# SPDX-License-Identifier: MIT
#
# The user's programs are tests of t/loops and t/tasks, which use both fence modes.
. "${top_srcdir:-.}/t/support/tap.sh"
long_only

[ -z "$SANITIZER_FLAGS" ] || skip_all "the library is built with a sanitizer"

# ThreadSanitizer's run time cannot cope with every layout of memory that the
# system makes up.
fixed=
setarch -R true 2> /dev/null && fixed='setarch -R'
unset TSAN_OPTIONS

# Compiled once, linked with each library.
built() # source library
{
    case $1 in
    *.cc) compile="$CXX -std=gnu++11" ;;
    *) compile="$CC -std=gnu11" ;;
    esac
    object=$work/$(echo "${1#"$source/"}" | tr / -).o
    [ -f "$object" ] || $compile -O1 -g -fsanitize=thread -I"$source/include" \
        -I"$source/lib" -I"$source/t/support" -pthread -c "$1" -o "$object" || return 1
    $compile -fsanitize=thread "$object" -o "$work/program" $(link_with "$2") -pthread
}

# Prints what the program says; true if it ends well, and nothing was reported.
clean()
{
    built "$1" "$2" && $fixed "$work/program" > "$work/said" 2>&1
    status=$?
    cat "$work/said"
    [ $status -eq 0 ] && ! grep -q 'WARNING: ThreadSanitizer' "$work/said"
}

# True if the program's race was reported, as one in this function.
reported()
{
    built "$1" "$2" || return 1
    TWEED_FENCE=$3 TWEED_NUM_WORKERS=2 $fixed "$work/program" \
        > "$work/said" 2>&1
    cat "$work/said"
    grep -q 'WARNING: ThreadSanitizer: data race' "$work/said" &&
        grep -q " $4" "$work/said"
}

echo 'int main(void) { return 0; }' > "$work/empty.c"
if ! $CC -fsanitize=thread "$work/empty.c" -o "$work/empty" 2> /dev/null ||
    ! $fixed "$work/empty" 2> /dev/null; then
    skip_all "$CC cannot build programs with -fsanitize=thread"
fi

# The two bodies wait for each other by relaxed operations, which order nothing,
# so they do run on two threads; then both change all words.  ThreadSanitizer does
# not see two accesses that are made at the very same time: so they meet often,
# and go over the words in opposite directions.
cat > "$work/racy.c" <<'END'
#include <sched.h>
#include <stdatomic.h>
#include <tweed.h>

#define WORDS 1000
#define MEETINGS 100

static atomic_int met;

static void racy_body(int64_t i, void *arg)
{
    int64_t *words = arg;

    for (int n = 1; n <= MEETINGS; n++) {
        atomic_fetch_add_explicit(&met, 1, memory_order_relaxed);
        while (atomic_load_explicit(&met, memory_order_relaxed) < 2 * n)
            sched_yield();
        for (int k = 0; k < WORDS; k++)
            words[i ? k : WORDS - 1 - k] += i + 1;
    }
}

int main(void)
{
    static int64_t words[WORDS];

    return tweed_parallel_for(0, 2, racy_body, words) != TWEED_OK;
}
END

# The same by two tasks.
sed -e 's/^static void racy_body(.*/TWEED_TASK(int, racy, int64_t *, words, int64_t, i)/' \
    -e '/void \*arg/d; /int64_t \*words = arg/d' -e '/^}/,$d' "$work/racy.c" \
    > "$work/racy-tasks.c"
cat >> "$work/racy-tasks.c" <<'END'
    return 0;
}

TWEED_TASK(int, both, int64_t *, words)
{
    TWEED_SPAWN(racy, words, 1);
    TWEED_CALL(racy, words, 0);
    return TWEED_SYNC(racy);
}

int main(void)
{
    static int64_t words[WORDS];

    return TWEED_RUN(both, words);
}
END

# Four bodies throw at the same time: who is first is the library's to decide, and
# what it keeps is written once.
cat > "$work/throws.cc" <<'END'
#include <tweed.hpp>

#include <atomic>
#include <sched.h>

static std::atomic<int> met;

static void throw_together(int64_t i)
{
    met.fetch_add(1, std::memory_order_relaxed);
    while (met.load(std::memory_order_relaxed) < 4)
        sched_yield();
    throw static_cast<int>(i);
}

int main()
{
    for (int n = 0; n < 100; n++) {
        int caught = -1;

        met = 0;
        try {
            tweed::parallel_for(0, 4, throw_together);
        } catch (int i) {
            caught = i;
        }
        if (caught < 0 || caught > 3)
            return 1;
    }
    return 0;
}
END
echo 'int main() { return 0; }' > "$work/empty.cc"
$CXX -fsanitize=thread "$work/empty.cc" -o "$work/empty" 2> /dev/null &&
    have_cxx=yes || have_cxx=no

throws_clean()
(
    TWEED_NUM_WORKERS=4
    export TWEED_NUM_WORKERS
    clean "$work/throws.cc" "$1"
)

TWEED_TEST_ROUNDS=20
export TWEED_TEST_ROUNDS
plan 28
for library in "$shared" "$static"; do
    name=$(basename "$library")
    if [ ! -f "$library" ]; then
        skip 14 "no $name"
        continue
    fi
    for program in visibility frame stress scratch; do
        expect "$name: no false report of t/loops/$program.c" \
            clean "$source/t/loops/$program.c" "$library"
    done
    for program in once join nest pools cancel; do
        expect "$name: no false report of t/tasks/$program.c" \
            clean "$source/t/tasks/$program.c" "$library"
    done
    for fence in membarrier exchange; do
        expect "$name: a race in a body is reported, fence $fence" \
            reported "$work/racy.c" "$library" $fence racy_body
        expect "$name: a race of two tasks is reported, fence $fence" \
            reported "$work/racy-tasks.c" "$library" $fence racy_tweed_body
    done
    if [ $have_cxx = yes ]; then
        expect "$name: bodies that throw together do not race" \
            throws_clean "$library"
    else
        skip 1 "no C++ compiler with -fsanitize=thread"
    fi
done
finish
