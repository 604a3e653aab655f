#!/bin/sh
# memcheck.sh - make check-memcheck: every test program under valgrind's memcheck.
#
# SPDX-License-Identifier: MIT
#
#   memcheck.sh PROGRAMS...     in the folder of the build
#
# No suppressions.  A process with an error or a leak exits with 99, which its
# test does not expect; those that are killed on purpose are counted by what they
# wrote.  Leaks are blocks to which nothing points: a thread that lives until the
# process ends (those of pools do) is reached by a pointer into its block only,
# and "possibly lost".
#
# Tests that do things over and over do them three times; programs of the system
# that tests run are left alone.
set -u
: "${MAKE=make}" "${SANITIZER_FLAGS=}"
logs=$PWD/memcheck-logs

if [ -n "$SANITIZER_FLAGS" ]; then
    echo "make check-memcheck: not in a build with $SANITIZER_FLAGS" >&2
    exit 1
fi
command -v valgrind > /dev/null || {
    echo "make check-memcheck: no valgrind here (Debian: apt-get install" \
        "valgrind)" >&2
    exit 1
}
rm -rf "$logs"
mkdir "$logs" || exit 1

# Not t/system/faults.t, whose malloc() is its own and fails; nor the fibers of
# t/sim, whose stacks valgrind does not know.
for program; do
    shift
    case $program in
        t/system/faults.t | t/sim/*) echo "SKIP: $program" ;;
        *.t) set -- "$@" "$program" ;;
    esac
done

TWEED_TEST_MEMCHECK=1
TWEED_TEST_ROUNDS=3
VALGRIND_OPTS="--tool=memcheck --leak-check=full --error-exitcode=99
    --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect
    --trace-children=yes --trace-children-skip=/bin/*,/usr/bin/*,/sbin/*
    --fair-sched=yes --log-file=$logs/%p.%n"
export TWEED_TEST_MEMCHECK TWEED_TEST_ROUNDS VALGRIND_OPTS

status=0
$MAKE check TESTS="$*" T_LOG_COMPILER=valgrind > "$logs/make" 2>&1 || status=1
grep -E '^(FAIL|ERROR|SKIP)' "$logs/make"
errors=$(sed -n 's/^==.*ERROR SUMMARY: \([0-9,]*\) errors.*/\1/p' "$logs"/*.* |
    tr -d , | awk '{ n += $1 } END { print n + 0 }')
if [ "$errors" -ne 0 ]; then
    grep -l 'ERROR SUMMARY: [^0]' "$logs"/*.*
    status=1
fi
processes=$(ls "$logs" | grep -c '\.')
echo "memcheck: $# programs, $processes processes, $errors errors, 0 suppressions"
if [ "$processes" -lt $# ]; then # each leaves a log
    echo "make check-memcheck: valgrind did not run them all" >&2
    status=1
fi
[ $status = 0 ] || echo "make check-memcheck: failed; see $logs" >&2
exit $status
